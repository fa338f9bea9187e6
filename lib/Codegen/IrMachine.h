//===- IrMachine.h - basic operations as arith ops --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine of MathFunctions.h that builds IR.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_CODEGEN_IRMACHINE_H
#define HWTUNE_LIB_CODEGEN_IRMACHINE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <utility>

namespace hwtune::math {

/// A value under construction: a float, an unsigned integer or a condition.
struct Ir {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value v;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(v.getType()); }
  template <class FloatOp, class IntOp> Ir binary(Ir o) const {
    return isFloat() ? Ir{b, FloatOp::create(*b, v, o.v)}
                     : Ir{b, IntOp::create(*b, v, o.v)};
  }
  Ir compare(mlir::arith::CmpFPredicate f, mlir::arith::CmpIPredicate i,
             Ir o) const {
    return isFloat() ? Ir{b, mlir::arith::CmpFOp::create(*b, f, v, o.v)}
                     : Ir{b, mlir::arith::CmpIOp::create(*b, i, v, o.v)};
  }
  Ir ones() const {
    auto type = mlir::cast<mlir::IntegerType>(v.getType());
    return {b, mlir::arith::ConstantOp::create(
                   *b, b->getIntegerAttr(
                           type, llvm::APInt::getAllOnes(type.getWidth())))};
  }

  friend Ir operator+(Ir x, Ir y) {
    return x.binary<mlir::arith::AddFOp, mlir::arith::AddIOp>(y);
  }
  friend Ir operator-(Ir x, Ir y) {
    return x.binary<mlir::arith::SubFOp, mlir::arith::SubIOp>(y);
  }
  friend Ir operator*(Ir x, Ir y) {
    return x.binary<mlir::arith::MulFOp, mlir::arith::MulIOp>(y);
  }
  friend Ir operator/(Ir x, Ir y) {
    return x.binary<mlir::arith::DivFOp, mlir::arith::DivUIOp>(y);
  }
  friend Ir operator-(Ir x) {
    return {x.b, mlir::arith::NegFOp::create(*x.b, x.v)};
  }
  friend Ir operator&(Ir x, Ir y) {
    return {x.b, mlir::arith::AndIOp::create(*x.b, x.v, y.v)};
  }
  friend Ir operator|(Ir x, Ir y) {
    return {x.b, mlir::arith::OrIOp::create(*x.b, x.v, y.v)};
  }
  friend Ir operator<<(Ir x, Ir y) {
    return {x.b, mlir::arith::ShLIOp::create(*x.b, x.v, y.v)};
  }
  friend Ir operator>>(Ir x, Ir y) {
    return {x.b, mlir::arith::ShRUIOp::create(*x.b, x.v, y.v)};
  }
  friend Ir operator~(Ir x) {
    return {x.b, mlir::arith::XOrIOp::create(*x.b, x.v, x.ones().v)};
  }
  friend Ir operator!(Ir x) { return ~x; }
  friend Ir operator==(Ir x, Ir y) {
    return x.compare(mlir::arith::CmpFPredicate::OEQ,
                     mlir::arith::CmpIPredicate::eq, y);
  }
  friend Ir operator<(Ir x, Ir y) {
    return x.compare(mlir::arith::CmpFPredicate::OLT,
                     mlir::arith::CmpIPredicate::ult, y);
  }
  friend Ir operator>(Ir x, Ir y) {
    return x.compare(mlir::arith::CmpFPredicate::OGT,
                     mlir::arith::CmpIPredicate::ugt, y);
  }
};

/// Builds at `b`'s insertion point; `type` is f32 or f64.
struct IrMachine {
  using F = Ir;
  using I = Ir;
  using J = Ir;
  using C = Ir;

  mlir::ImplicitLocOpBuilder &b;
  mlir::FloatType type;
  bool wide;

  IrMachine(mlir::ImplicitLocOpBuilder &b, mlir::FloatType type)
      : b(b), type(type), wide(type.isF64()) {}

  Ir value(mlir::Value v) { return {&b, v}; }
  mlir::Type intType() { return b.getIntegerType(wide ? 64 : 32); }
  Ir c(double x) {
    llvm::APFloat f(x);
    bool lost;
    f.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
              &lost);
    return value(mlir::arith::ConstantOp::create(b, b.getFloatAttr(type, f)));
  }
  Ir integer(mlir::Type t, int64_t x) {
    return value(mlir::arith::ConstantOp::create(
        b, b.getIntegerAttr(
               t, llvm::APInt(t.getIntOrFloatBitWidth(), x, true, true))));
  }
  Ir i(int64_t x) { return integer(intType(), x); }
  Ir j(uint64_t x) { return integer(b.getI64Type(), static_cast<int64_t>(x)); }

  Ir intrinsic(llvm::StringRef name, mlir::ValueRange args) {
    return value(mlir::LLVM::CallIntrinsicOp::create(
                     b, args.front().getType(), b.getStringAttr(name), args)
                     .getResult(0));
  }
  std::string typed(llvm::StringRef name) {
    return (name + (wide ? ".f64" : ".f32")).str();
  }
  Ir fma(Ir x, Ir y, Ir z) {
    return intrinsic(typed("llvm.fma"), {x.v, y.v, z.v});
  }
  Ir trunc(Ir x) { return intrinsic(typed("llvm.trunc"), x.v); }
  Ir sqrt(Ir x) {
    return intrinsic(wide ? "llvm.nvvm.sqrt.rn.d" : "llvm.nvvm.sqrt.rn.f", x.v);
  }
  Ir rsqrtApprox(Ir x) { return intrinsic("llvm.nvvm.rsqrt.approx.f", x.v); }

  Ir select(Ir c, Ir x, Ir y) {
    return value(mlir::arith::SelectOp::create(b, c.v, x.v, y.v));
  }
  Ir iselect(Ir c, Ir x, Ir y) { return select(c, x, y); }
  Ir jselect(Ir c, Ir x, Ir y) { return select(c, x, y); }

  Ir bits(Ir x) {
    return value(mlir::arith::BitcastOp::create(b, intType(), x.v));
  }
  Ir fromBits(Ir x) {
    return value(mlir::arith::BitcastOp::create(b, type, x.v));
  }
  Ir isNegative(Ir x) { return slt(bits(x), i(0)); }
  Ir sar(Ir x, int by) {
    return value(
        mlir::arith::ShRSIOp::create(b, x.v, integer(x.v.getType(), by).v));
  }
  Ir jsar(Ir x, int by) { return sar(x, by); }
  Ir udiv(Ir x, int by) { return x / integer(x.v.getType(), by); }
  Ir slt(Ir x, Ir y) {
    return value(mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::slt,
                                             x.v, y.v));
  }
  /// Signed integer of either width to float.
  Ir toFloat(Ir x) {
    return value(mlir::arith::SIToFPOp::create(b, type, x.v));
  }
  Ir fromSigned(Ir x) { return toFloat(x); }
  Ir widen(Ir x) {
    return wide ? x
                : value(mlir::arith::ExtUIOp::create(b, b.getI64Type(), x.v));
  }
  Ir narrow(Ir x) {
    return wide ? x
                : value(mlir::arith::TruncIOp::create(b, b.getI32Type(), x.v));
  }
  Ir bits64(Ir x) {
    mlir::Value d =
        wide ? x.v
             : mlir::arith::ExtFOp::create(b, b.getF64Type(), x.v).getResult();
    return value(mlir::arith::BitcastOp::create(b, b.getI64Type(), d));
  }
  Ir mulHigh(Ir x, Ir y) {
    return value(mlir::arith::MulUIExtendedOp::create(b, x.v, y.v).getHigh());
  }
  /// (hi + lo / 2^64) quarter turns of 2^62, in radians; hi is signed.
  Ir quarterTurns(Ir hi, Ir lo) {
    IrMachine d(b, b.getF64Type());
    Ir h = d.toFloat(hi),
       l = value(mlir::arith::UIToFPOp::create(b, d.type, lo.v));
    Ir r = (h * d.c(0x1p-62) + l * d.c(0x1p-126)) * d.c(0x1.921fb54442d18p+0);
    return wide ? r : value(mlir::arith::TruncFOp::create(b, type, r.v));
  }
  template <class Then, class Else>
  std::pair<Ir, Ir> branch(Ir c, Then then, Else otherwise) {
    auto op = mlir::scf::IfOp::create(b, mlir::TypeRange{intType(), type}, c.v,
                                      true, true);
    auto fill = [&](mlir::Block *block, auto body) {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(block);
      auto out = body();
      mlir::scf::YieldOp::create(b,
                                 mlir::ValueRange{out.first.v, out.second.v});
    };
    fill(op.thenBlock(), then);
    fill(op.elseBlock(), otherwise);
    return {value(op.getResult(0)), value(op.getResult(1))};
  }
  /// (x * 2^steps) mod y, `chunk` bits at a time.
  Ir modShifted(Ir x, Ir y, Ir steps, int chunk);
};

inline Ir IrMachine::modShifted(Ir x, Ir y, Ir steps, int chunk) {
  using namespace mlir;
  Ir start = value(arith::RemUIOp::create(b, x.v, y.v));
  auto loop = scf::WhileOp::create(
      b, TypeRange{b.getI64Type(), b.getI64Type()},
      ValueRange{start.v, steps.v},
      [&](OpBuilder &, Location, ValueRange args) {
        Ir more = slt(j(0), value(args[1]));
        scf::ConditionOp::create(b, more.v, args);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        Ir left = value(args[1]);
        Ir take = select(slt(left, j(chunk)), left, j(chunk));
        Ir next =
            value(arith::RemUIOp::create(b, (value(args[0]) << take).v, y.v));
        scf::YieldOp::create(b, ValueRange{next.v, (left - take).v});
      });
  return value(loop.getResult(0));
}

} // namespace hwtune::math

#endif // HWTUNE_LIB_CODEGEN_IRMACHINE_H
