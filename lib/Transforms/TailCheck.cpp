//===- TailCheck.cpp - a small launch to check a winner on ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/TailCheck.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Transforms/Runner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace hwtune;

namespace {

/// Loops are cut to about as many iterations as the first of these with which
/// the whole has few enough.
constexpr int64_t kExtents[] = {272, 80, 24};
constexpr double kMostPoints = 1 << 25;
/// Elements of the widest vector access.
constexpr int64_t kWidestVector = 16;

/// An odd multiple of the power of two in `extent`: wide accesses stay
/// possible, and no larger power of two divides it.
int64_t smaller(int64_t extent, int64_t about) {
  int64_t unit = std::min(extent & -extent, kWidestVector);
  int64_t odd = std::max<int64_t>(1, about / unit);
  odd -= odd % 2 == 0;
  return std::min(extent, unit * odd);
}

/// Extents of every loop; empty where none gets smaller.
std::vector<int64_t> smallExtents(const Workload &w) {
  for (int64_t about : kExtents) {
    std::vector<int64_t> extents;
    double points = 1;
    bool changed = false;
    for (const Loop &loop : w.loops) {
      extents.push_back(smaller(loop.extent, about));
      points *= double(extents.back());
      changed |= extents.back() != loop.extent;
    }
    if (points <= kMostPoints)
      return changed ? extents : std::vector<int64_t>();
  }
  return {};
}

/// The last element that loops of `extents` touch, and one.
int64_t sizeFor(const LinearExpr &index, const std::vector<int64_t> &extents) {
  int64_t last = index.constant;
  for (size_t i = 0; i < extents.size(); ++i)
    last += std::max<int64_t>(0, index.coefficients[i]) * (extents[i] - 1);
  return last + 1;
}

/// The isolated op on buffers as large as `extents` need; null where one is not
/// laid out plainly.
OwningOpRef<ModuleOp> shrink(Operation *op, const Workload &w,
                             const std::vector<int64_t> &extents) {
  OwningOpRef<ModuleOp> module = isolateOp(op);
  auto function = *module->getOps<func::FuncOp>().begin();
  for (auto [argument, operand] :
       llvm::zip_equal(function.getArguments(), w.operands)) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    if (!operand.isLinear || !type.getLayout().isIdentity())
      return {};
    SmallVector<int64_t> shape;
    for (const LinearExpr &index : operand.index)
      shape.push_back(sizeFor(index, extents));
    argument.setType(MemRefType::get(shape, type.getElementType()));
  }
  function.setType(FunctionType::get(
      op->getContext(), function.getBody().getArgumentTypes(), {}));
  return module;
}

bool isLegal(ModuleOp module, const Schedule &schedule,
             const TargetSpec &target, const Config &config) {
  linalg::LinalgOp op;
  module.walk([&](linalg::LinalgOp found) { op = found; });
  Expected<Workload> w = extractWorkload(op);
  return w && schedule.mismatch(*w).empty() &&
         !schedule.space(*w, target).reject(config, /*anyValue=*/true);
}

} // namespace

TailCheck hwtune::tailCheck(Operation *op, const Workload &w,
                            const Schedule &schedule, const TargetSpec &target,
                            const Config &config) {
  if (w.isDynamic())
    return {isolatedText(op), launchShapes(w, LaunchSizes::Tails)};
  std::vector<int64_t> extents = smallExtents(w);
  // A schedule from a file may be for the sizes that it matches.
  if (extents.empty() || !schedule.sourceHash().empty())
    return {};
  OwningOpRef<ModuleOp> module = shrink(op, w, extents);
  if (!module || !isLegal(*module, schedule, target, config))
    return {};
  TailCheck check;
  llvm::raw_string_ostream stream(check.module);
  module->print(stream);
  return check;
}
