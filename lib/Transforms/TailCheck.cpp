//===- TailCheck.cpp - a small launch to check a winner on ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/TailCheck.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Workload/LaunchSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace hwtune;

namespace {

/// Loops are cut to about so many iterations; the first of these is taken with
/// which the whole has few enough.
constexpr int64_t kExtents[] = {272, 80, 24};
constexpr double kMostPoints = 1 << 25;
/// Powers of two that a cut loop keeps of its extent. The first is the elements
/// of the widest vector access; the others serve schedules that need whole
/// tiles.
constexpr int64_t kUnits[] = {16, 64, 256};

/// An odd multiple of the power of two in `extent`, up to `most`: wide accesses
/// stay possible, and no larger power of two divides it.
int64_t smaller(int64_t extent, int64_t about, int64_t most) {
  int64_t unit = std::min(extent & -extent, most);
  int64_t odd = std::max<int64_t>(1, about / unit);
  odd -= odd % 2 == 0;
  return std::min(extent, unit * odd);
}

/// Iterations of every loop, each cut to `about`.
std::vector<int64_t> smallExtents(const Workload &w, int64_t about,
                                  int64_t unit) {
  std::vector<int64_t> extents;
  for (const Loop &loop : w.loops)
    extents.push_back(smaller(loop.extent, about, unit));
  return extents;
}

bool isQuick(const std::vector<int64_t> &extents) {
  double points = 1;
  for (int64_t extent : extents)
    points *= double(extent);
  return points <= kMostPoints;
}

bool isWhole(const Workload &w, const std::vector<int64_t> &extents) {
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] != w.loops[i].extent)
      return false;
  return true;
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
      shape.push_back(reach(index, extents));
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
  // A schedule from a file may be for the sizes that it matches.
  if (!schedule.sourceHash().empty())
    return {"",
            {},
            "no smaller size was checked: the schedule may be for this one "
            "alone"};
  TailCheck check;
  for (int64_t unit : kUnits)
    for (int64_t about : kExtents) {
      std::vector<int64_t> extents = smallExtents(w, about, unit);
      if (!isQuick(extents))
        continue;
      if (isWhole(w, extents))
        return check; // small already: all of it is checked
      OwningOpRef<ModuleOp> module = shrink(op, w, extents);
      if (module && isLegal(*module, schedule, target, config)) {
        llvm::raw_string_ostream stream(check.module);
        module->print(stream);
        check.missing.clear();
        return check;
      }
      check.missing = "no smaller size with tails was checked: the "
                      "configuration is legal for none of those tried";
    }
  return check;
}
