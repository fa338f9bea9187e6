//===- BodyAnalysis.cpp - what the body of a linalg op does ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting rules: casts and constants are free; a select is an integer
// operation; a multiply whose only user is an add or a subtract is one fma;
// everything else from `math`, and a division, is special.
//
//===----------------------------------------------------------------------===//

#include "BodyAnalysis.h"

#include "hwtune/IR/WorkloadExtraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hwtune;

static bool isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
             arith::FPToUIOp, arith::BitcastOp, arith::IndexCastOp,
             arith::IndexCastUIOp>(op);
}

/// The name of an associative, commutative operation, "" for others.
static StringRef combinerName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "add"; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "mul"; })
      .Case<arith::AndIOp>([](auto) { return "and"; })
      .Case<arith::OrIOp>([](auto) { return "or"; })
      .Case<arith::XOrIOp>([](auto) { return "xor"; })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
            arith::MinUIOp>(
          [](Operation *o) { return o->getName().stripDialect(); })
      .Default(StringRef());
}

/// The value that is combined with the accumulator of the only output, and the
/// operation that does it.
static std::pair<Operation *, Value> findCombiner(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  BlockArgument accumulator = op.getRegionOutputArgs()[0];
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  Operation *def = yielded.getDefiningOp();
  if (!def || def->getBlock() != op.getBlock() || !accumulator.hasOneUse())
    return {};
  if (auto fma = dyn_cast<math::FmaOp>(def))
    return fma.getC() == accumulator ? std::pair(def, Value())
                                     : std::pair<Operation *, Value>();
  if (combinerName(def).empty())
    return {};
  for (unsigned i : {0, 1})
    if (def->getOperand(i) == accumulator)
      return {def, def->getOperand(1 - i)};
  return {};
}

/// The cast that makes `value`, null if none does; `value` becomes its operand.
static Operation *takeCast(Value &value) {
  Operation *cast = value.getDefiningOp();
  if (!cast || !isCast(cast))
    return nullptr;
  value = cast->getOperand(0);
  return cast;
}

std::optional<MultiplyAccumulate>
hwtune::matchMultiplyAccumulate(linalg::LinalgOp op) {
  auto [combiner, product] = findCombiner(op);
  if (!combiner)
    return std::nullopt;
  MultiplyAccumulate match;
  std::array<Value, 2> factors;
  if (auto fma = dyn_cast<math::FmaOp>(combiner)) {
    factors = {fma.getA(), fma.getB()};
  } else {
    if (!isa<arith::AddFOp, arith::AddIOp>(combiner))
      return std::nullopt;
    Operation *mul = product.getDefiningOp();
    if (!mul || !isa<arith::MulFOp, arith::MulIOp>(mul))
      return std::nullopt;
    factors = {mul->getOperand(0), mul->getOperand(1)};
  }
  for (unsigned i : {0, 1}) {
    match.convert[i] = takeCast(factors[i]);
    auto argument = dyn_cast<BlockArgument>(factors[i]);
    if (!argument || argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
      return std::nullopt;
    match.input[i] = argument.getArgNumber();
  }
  if (match.input[0] == match.input[1])
    return std::nullopt;
  return match;
}

static bool isFusedMultiply(Operation *op) {
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  return (isa<arith::MulFOp>(op) && isa<arith::AddFOp, arith::SubFOp>(user)) ||
         (isa<arith::MulIOp>(op) && isa<arith::AddIOp, arith::SubIOp>(user));
}

static bool isCheapMath(Operation *op) {
  return isa<math::AbsFOp, math::CopySignOp, math::AbsIOp, math::FloorOp,
             math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op);
}

static bool isSpecial(Operation *op) {
  return (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
          !isCheapMath(op)) ||
         isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
             arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

static void countOperation(Operation *op, BodyCounts &counts) {
  if (isCast(op) || op->hasTrait<OpTrait::ConstantLike>() ||
      op->hasTrait<OpTrait::IsTerminator>() || op->getNumResults() == 0)
    return;
  if (isa<math::FmaOp>(op)) {
    ++counts.fma;
    counts.flops += 2;
    return;
  }
  Type type = op->getNumOperands() ? op->getOperand(0).getType()
                                   : op->getResult(0).getType();
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  if (isSpecial(op)) {
    ++counts.special;
    counts.flops += isFloat;
    return;
  }
  counts.fma += isFusedMultiply(op);
  if (isFloat && !isa<arith::SelectOp>(op))
    ++counts.flops;
  else
    ++counts.integer;
}

BodyFacts hwtune::analyseBody(linalg::LinalgOp op) {
  BodyFacts facts;
  op.getBlock()->walk([&](Operation *inner) {
    if (isa<linalg::IndexOp>(inner)) {
      facts.usesIndex = true;
      return;
    }
    countOperation(inner, facts.counts);
  });
  auto [combiner, update] = findCombiner(op);
  if (!combiner || op.getNumReductionLoops() == 0)
    return facts;
  facts.combiner =
      isa<math::FmaOp>(combiner) ? "add" : combinerName(combiner).str();
  facts.accumulator = elementTypeOf(combiner->getResult(0).getType());
  facts.isMultiplyAccumulate = matchMultiplyAccumulate(op).has_value();
  return facts;
}
