//===- MathLowering.cpp - math ops without a device library ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One scalar at a time: a vector op is taken apart, each element lowered, and
// put together again; LLVM would scalarise these anyway. f16 and bf16 go
// through f32. The algorithms are in MathFunctions.h.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/MathLowering.h"

#include "IrMachine.h"
#include "MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace hwtune {
namespace {

using math::Ir;
using math::IrMachine;

/// A function of floats, and the error the lowered form may have (ulp).
struct FloatFunction {
  using Emit = Ir (*)(IrMachine &, ArrayRef<Ir>);
  Emit emit;
  double ulp32, ulp64;
};

template <Ir (*F)(IrMachine &, Ir)> Ir unary(IrMachine &m, ArrayRef<Ir> x) {
  return F(m, x[0]);
}
template <Ir (*F)(IrMachine &, Ir, Ir)>
Ir binary(IrMachine &m, ArrayRef<Ir> x) {
  return F(m, x[0], x[1]);
}

#define UNARY(NAME) unary<&math::NAME<IrMachine>>
#define BINARY(NAME) binary<&math::NAME<IrMachine>>
#define INTRINSIC(NAME)                                                        \
  [](IrMachine &m, ArrayRef<Ir> x) {                                           \
    SmallVector<Value> args;                                                   \
    for (Ir a : x)                                                             \
      args.push_back(a.v);                                                     \
    return m.intrinsic(m.typed("llvm." NAME), args);                           \
  }

/// The bounds are those of docs/math.md; MathLoweringTest measures them.
const llvm::StringMap<FloatFunction> &floatFunctions() {
  static const llvm::StringMap<FloatFunction> table = {
      {"math.exp", {UNARY(exp), 1.5, 1.5}},
      {"math.exp2", {UNARY(exp2), 1.5, 1.5}},
      {"math.expm1", {UNARY(expm1), 2.5, 2.5}},
      {"math.log", {UNARY(log), 1.5, 1.5}},
      {"math.log2", {UNARY(log2), 1.5, 1.5}},
      {"math.log10", {UNARY(log10), 1.5, 1.5}},
      {"math.log1p", {UNARY(log1p), 1.5, 1.5}},
      {"math.powf", {BINARY(pow), 2, 2}},
      {"math.cbrt", {UNARY(cbrt), 1, 1}},
      {"math.rsqrt", {UNARY(rsqrt), 3, 2}},
      {"math.sin", {UNARY(sin), 2, 3}},
      {"math.cos", {UNARY(cos), 2, 3}},
      {"math.tan", {UNARY(tan), 4, 5}},
      {"math.asin", {UNARY(asin), 2.5, 2.5}},
      {"math.acos", {UNARY(acos), 2.5, 2.5}},
      {"math.atan", {UNARY(atan), 2.5, 2.5}},
      {"math.atan2", {BINARY(atan2), 2.5, 2.5}},
      {"math.sinh", {UNARY(sinh), 3.5, 3.5}},
      {"math.cosh", {UNARY(cosh), 3.5, 3.5}},
      {"math.tanh", {UNARY(tanh), 3, 3}},
      {"math.asinh", {UNARY(asinh), 2.5, 2.5}},
      {"math.acosh", {UNARY(acosh), 3, 3}},
      {"math.atanh", {UNARY(atanh), 3, 3}},
      {"math.erf", {UNARY(erf), 1.5, 1.5}},
      {"math.erfc", {UNARY(erfc), 5, 5}},
      {"arith.remf", {BINARY(remainder), 0, 0}},
      {"math.absf", {INTRINSIC("fabs"), 0, 0}},
      {"math.ceil", {INTRINSIC("ceil"), 0, 0}},
      {"math.floor", {INTRINSIC("floor"), 0, 0}},
      {"math.trunc", {INTRINSIC("trunc"), 0, 0}},
      {"math.round", {INTRINSIC("round"), 0, 0}},
      {"math.roundeven", {INTRINSIC("roundeven"), 0, 0}},
      {"math.fma", {INTRINSIC("fma"), 0.5, 0.5}},
      {"math.sqrt",
       {[](IrMachine &m, ArrayRef<Ir> x) { return m.sqrt(x[0]); }, 0.5, 0.5}},
      {"math.copysign", {BINARY(copySign), 0, 0}},
      {"arith.maxnumf", {INTRINSIC("maxnum"), 0, 0}},
      {"arith.minnumf", {INTRINSIC("minnum"), 0, 0}},
      {"math.clampf",
       {[](IrMachine &m, ArrayRef<Ir> x) {
          Ir low = m.select(x[0] < x[1], x[1], x[0]);
          return m.select(low > x[2], x[2], low);
        },
        0, 0}},
  };
  return table;
}

/// f32 for the narrow types, else the type itself; null where unsupported.
FloatType computeType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  if (type.isF32() || type.isF64())
    return cast<FloatType>(type);
  return {};
}

/// What one scalar op becomes; failure where the types are not supported.
using Lowering = FailureOr<SmallVector<Value>>;

Lowering lowerFloatFunction(ImplicitLocOpBuilder &b, const FloatFunction &fn,
                            ArrayRef<Value> operands, Type resultType) {
  FloatType compute = computeType(resultType);
  if (!compute)
    return failure();
  IrMachine m(b, compute);
  SmallVector<Ir> args;
  for (Value v : operands)
    args.push_back(
        m.value(v.getType() == compute
                    ? v
                    : arith::ExtFOp::create(b, compute, v).getResult()));
  Value r = fn.emit(m, args).v;
  if (resultType != compute)
    r = arith::TruncFOp::create(b, resultType, r);
  return SmallVector<Value>{r};
}

Lowering lowerSincos(ImplicitLocOpBuilder &b, ArrayRef<Value> operands,
                     Type type) {
  auto &table = floatFunctions();
  auto s = lowerFloatFunction(b, table.at("math.sin"), operands, type);
  auto c = lowerFloatFunction(b, table.at("math.cos"), operands, type);
  if (failed(s) || failed(c))
    return failure();
  return SmallVector<Value>{(*s)[0], (*c)[0]};
}

Lowering lowerFPowI(ImplicitLocOpBuilder &b, ArrayRef<Value> operands,
                    Type type) {
  FloatType compute = computeType(type);
  if (!compute || !isa<IntegerType>(operands[1].getType()))
    return failure();
  IrMachine m(b, compute);
  Value x = operands[0], n = operands[1];
  if (type != compute)
    x = arith::ExtFOp::create(b, compute, x);
  unsigned width = n.getType().getIntOrFloatBitWidth();
  if (width > 64)
    return failure();
  if (width < 64)
    n = arith::ExtSIOp::create(b, b.getI64Type(), n);
  Value r = math::powInteger(m, m.value(x), m.value(n)).v;
  if (type != compute)
    r = arith::TruncFOp::create(b, type, r);
  return SmallVector<Value>{r};
}

/// Square and multiply; a negative exponent leaves 1 only of 1 and -1.
Lowering lowerIPowI(ImplicitLocOpBuilder &b, ArrayRef<Value> operands,
                    Type type) {
  auto constant = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, v));
  };
  Value zero = constant(0), one = constant(1), minusOne = constant(-1);
  Value x = operands[0], n = operands[1];
  auto compare = [&](arith::CmpIPredicate p, Value l, Value r) -> Value {
    return arith::CmpIOp::create(b, p, l, r);
  };
  Value negative = compare(arith::CmpIPredicate::slt, n, zero);
  Value count = arith::SelectOp::create(b, negative, zero, n);
  auto loop = scf::WhileOp::create(
      b, TypeRange{type, type, type}, ValueRange{one, x, count},
      [&](OpBuilder &, Location, ValueRange a) {
        scf::ConditionOp::create(
            b, compare(arith::CmpIPredicate::ne, a[2], zero), a);
      },
      [&](OpBuilder &, Location, ValueRange a) {
        Value bit = arith::AndIOp::create(b, a[2], one);
        Value isOdd = compare(arith::CmpIPredicate::ne, bit, zero);
        Value product = arith::MulIOp::create(b, a[0], a[1]);
        Value next = arith::SelectOp::create(b, isOdd, product, a[0]);
        scf::YieldOp::create(
            b, ValueRange{next, arith::MulIOp::create(b, a[1], a[1]),
                          arith::ShRUIOp::create(b, a[2], one)});
      });
  Value odd =
      compare(arith::CmpIPredicate::ne, arith::AndIOp::create(b, n, one), zero);
  Value sign = arith::SelectOp::create(b, odd, minusOne, one);
  Value inverse = arith::SelectOp::create(
      b, compare(arith::CmpIPredicate::eq, x, one), one,
      arith::SelectOp::create(b, compare(arith::CmpIPredicate::eq, x, minusOne),
                              sign, zero));
  return SmallVector<Value>{
      arith::SelectOp::create(b, negative, inverse, loop.getResult(0))
          .getResult()};
}

Lowering lowerBitCount(ImplicitLocOpBuilder &b, StringRef intrinsic,
                       bool poisonFlag, Value x) {
  Type type = x.getType();
  if (isa<IndexType>(type))
    x = arith::IndexCastOp::create(b, b.getI64Type(), x);
  SmallVector<Value> args{x};
  if (poisonFlag)
    args.push_back(arith::ConstantOp::create(b, b.getBoolAttr(false)));
  std::string name =
      (intrinsic + ".i" + Twine(x.getType().getIntOrFloatBitWidth())).str();
  Value r =
      LLVM::CallIntrinsicOp::create(b, x.getType(), b.getStringAttr(name), args)
          .getResult(0);
  if (isa<IndexType>(type))
    r = arith::IndexCastOp::create(b, type, r);
  return SmallVector<Value>{r};
}

Lowering lowerAbsI(ImplicitLocOpBuilder &b, Value x) {
  Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(x.getType(), 0));
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, zero);
  return SmallVector<Value>{
      arith::SelectOp::create(b, negative, arith::SubIOp::create(b, zero, x), x)
          .getResult()};
}

/// isnan, isinf, isfinite, isnormal from the magnitude's bits.
Lowering lowerClass(ImplicitLocOpBuilder &b, StringRef name, Value x) {
  auto type = dyn_cast<FloatType>(x.getType());
  if (!type || !(type.isF16() || type.isBF16() || type.isF32() || type.isF64()))
    return failure();
  unsigned width = type.getWidth();
  Type intType = b.getIntegerType(width);
  auto constant = [&](APInt v) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(intType, v));
  };
  Value bits = arith::BitcastOp::create(b, intType, x);
  Value magnitude =
      arith::AndIOp::create(b, bits, constant(APInt::getSignedMaxValue(width)));
  const auto &semantics = type.getFloatSemantics();
  APInt infinity = APFloat::getInf(semantics).bitcastToAPInt();
  APInt least = APFloat::getSmallestNormalized(semantics).bitcastToAPInt();
  auto compare = [&](arith::CmpIPredicate p, Value l, APInt r) -> Value {
    return arith::CmpIOp::create(b, p, l, constant(r));
  };
  Value r;
  if (name == "math.isnan")
    r = compare(arith::CmpIPredicate::ugt, magnitude, infinity);
  else if (name == "math.isinf")
    r = compare(arith::CmpIPredicate::eq, magnitude, infinity);
  else if (name == "math.isfinite")
    r = compare(arith::CmpIPredicate::ult, magnitude, infinity);
  else // normal: least <= magnitude < infinity, in one unsigned comparison
    r = compare(arith::CmpIPredicate::ult,
                arith::SubIOp::create(b, magnitude, constant(least)),
                infinity - least);
  return SmallVector<Value>{r};
}

Lowering lowerScalar(ImplicitLocOpBuilder &b, Operation *op,
                     ArrayRef<Value> operands, Type type) {
  StringRef name = op->getName().getStringRef();
  if (auto it = floatFunctions().find(name); it != floatFunctions().end()) {
    // The one narrow operation that has a correctly rounded instruction.
    if (name == "math.fma" && type.isF16())
      return SmallVector<Value>{
          LLVM::CallIntrinsicOp::create(
              b, type, b.getStringAttr("llvm.fma.f16"), operands)
              .getResult(0)};
    return lowerFloatFunction(b, it->second, operands, type);
  }
  if (isa<::mlir::math::SincosOp>(op))
    return lowerSincos(b, operands, type);
  if (isa<::mlir::math::FPowIOp>(op))
    return lowerFPowI(b, operands, type);
  if (isa<::mlir::math::IPowIOp>(op))
    return lowerIPowI(b, operands, type);
  if (isa<::mlir::math::AbsIOp>(op))
    return lowerAbsI(b, operands[0]);
  if (isa<::mlir::math::CountLeadingZerosOp>(op))
    return lowerBitCount(b, "llvm.ctlz", true, operands[0]);
  if (isa<::mlir::math::CountTrailingZerosOp>(op))
    return lowerBitCount(b, "llvm.cttz", true, operands[0]);
  if (isa<::mlir::math::CtPopOp>(op))
    return lowerBitCount(b, "llvm.ctpop", false, operands[0]);
  if (name.starts_with("math.is"))
    return lowerClass(b, name, operands[0]);
  return failure();
}

/// All positions of a static vector shape, in row-major order.
SmallVector<SmallVector<int64_t>> positions(VectorType type) {
  SmallVector<SmallVector<int64_t>> all;
  for (int64_t n = 0; n < type.getNumElements(); ++n) {
    SmallVector<int64_t> at(type.getRank());
    int64_t rest = n;
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      at[d] = rest % type.getDimSize(d);
      rest /= type.getDimSize(d);
    }
    all.push_back(std::move(at));
  }
  return all;
}

LogicalResult lowerOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Type resultType = op->getResult(0).getType();
  auto vectorType = dyn_cast<VectorType>(resultType);
  auto unsupported = [&]() -> LogicalResult {
    return op->emitError() << "'" << op->getName() << "' on " << resultType
                           << " has no lowering for a GPU; f16, bf16, f32, f64 "
                              "and integers of up to 64 bits have";
  };
  if (!vectorType) {
    auto r =
        lowerScalar(b, op, SmallVector<Value>(op->getOperands()), resultType);
    if (failed(r))
      return unsupported();
    op->replaceAllUsesWith(*r);
    op->erase();
    return success();
  }
  if (vectorType.isScalable())
    return unsupported();
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (auto &at : positions(vectorType)) {
    SmallVector<Value> operands;
    for (Value v : op->getOperands())
      operands.push_back(isa<VectorType>(v.getType())
                             ? vector::ExtractOp::create(b, v, at).getResult()
                             : v);
    auto r = lowerScalar(b, op, operands, vectorType.getElementType());
    if (failed(r))
      return unsupported();
    for (auto [list, v] : llvm::zip_equal(results, *r))
      list.push_back(v);
  }
  SmallVector<Value> whole;
  for (auto [list, result] : llvm::zip_equal(results, op->getResults()))
    whole.push_back(vector::FromElementsOp::create(
        b, cast<VectorType>(result.getType()), list));
  op->replaceAllUsesWith(whole);
  op->erase();
  return success();
}

struct LowerMathPass final : PassWrapper<LowerMathPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMathPass)
  StringRef getArgument() const final { return "hw-lower-math"; }
  StringRef getDescription() const final {
    return "Lower math ops to arith and intrinsics, without a device library";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, scf::SCFDialect, LLVM::LLVMDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() final {
    if (failed(lowerMath(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult lowerMath(Operation *root) {
  SmallVector<Operation *> work;
  root->walk([&](Operation *op) {
    if (op->getDialect() && op->getDialect()->getNamespace() == "math")
      work.push_back(op);
    else if (isa<arith::RemFOp, arith::MaxNumFOp, arith::MinNumFOp>(op))
      work.push_back(op);
  });
  for (Operation *op : work)
    if (failed(lowerOp(op)))
      return failure();
  return success();
}

std::unique_ptr<Pass> createLowerMathPass() {
  return std::make_unique<LowerMathPass>();
}
void registerLowerMathPass() { PassRegistration<LowerMathPass>(); }

std::optional<double> mathUlpBound(StringRef opName, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!isa<FloatType>(element))
    return 0;
  bool narrow = element.isF16() || element.isBF16();
  if (opName == "math.fpowi")
    opName = "math.powf";
  if (opName == "math.sincos")
    opName = "math.sin";
  auto it = floatFunctions().find(opName);
  if (it == floatFunctions().end())
    return std::nullopt;
  double bound = element.isF64() ? it->second.ulp64 : it->second.ulp32;
  // Rounding to the narrow type hides the f32 error but for the last tie.
  return narrow && bound > 0 ? 0.51 : bound;
}

} // namespace hwtune
