//===- LaunchSizes.cpp - sizes to launch an operation with ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Workload/LaunchSizes.h"

#include <algorithm>
#include <iterator>
#include <optional>

using namespace hwtune;

/// Small extents that no tile divides, by loop.
static constexpr int64_t kTailExtents[] = {67, 37, 75, 19, 13, 5, 3};
/// Elements of one operand, at most: tuning is to fit the memory of any
/// machine.
static constexpr int64_t kMostElements = int64_t(1) << 22;
/// Iterations of a contraction, at most: those of a matmul of 1024. Blocks of
/// it are sampled; of all else every block runs.
static constexpr double kMostSampled = double(int64_t(1) << 30);
static constexpr double kMostWhole = double(int64_t(1) << 26);
static constexpr double kMostTails = double(int64_t(1) << 25);

namespace {

/// Extents of all loops, those that are assumed being cut until they fit.
class LaunchExtents {
public:
  LaunchExtents(const Workload &w, LaunchSizes sizes);

  std::vector<int64_t> get() && { return std::move(extents); }

private:
  /// The next smaller extent of loop `i`; the same where it is the least.
  int64_t smaller(size_t i) const;
  void fitElements();
  void fitIterations();
  void keepWithinStaticSizes();

  const Workload &w;
  LaunchSizes sizes;
  std::vector<int64_t> extents, multiples;
};

} // namespace

/// Elements that the extent of `loop` must be a multiple of for whole rows.
static int64_t rowMultipleOf(const Workload &w, size_t loop) {
  int64_t multiple = 1;
  for (const Operand &op : w.operands)
    if (!op.shape.empty() && op.shape.back() == kDynamic && op.isLinear &&
        op.index.back().coefficients[loop] != 0)
      multiple = std::max(multiple, rowMultiple(w, op));
  return multiple;
}

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

LaunchExtents::LaunchExtents(const Workload &w, LaunchSizes sizes)
    : w(w), sizes(sizes), extents(assumedExtents(w)) {
  for (size_t i = 0; i < w.loops.size(); ++i) {
    multiples.push_back(rowMultipleOf(w, i));
    if (w.loops[i].extent == kDynamic && sizes == LaunchSizes::Tails &&
        !isWindowLoop(w, i))
      extents[i] =
          roundUp(kTailExtents[i % std::size(kTailExtents)], multiples[i]);
  }
  fitElements();
  fitIterations();
  keepWithinStaticSizes();
}

int64_t LaunchExtents::smaller(size_t i) const {
  if (w.loops[i].extent != kDynamic)
    return extents[i];
  // Halves of tails are made odd again.
  int64_t least = sizes == LaunchSizes::Tails ? 3 : 8, half = extents[i] / 2;
  int64_t next = sizes == LaunchSizes::Tails ? half | 1 : half;
  return std::min(extents[i], roundUp(std::max(least, next), multiples[i]));
}

void LaunchExtents::fitElements() {
  auto fits = [&] {
    return std::all_of(w.operands.begin(), w.operands.end(),
                       [&](const Operand &operand) {
                         double elements = 1;
                         for (size_t d = 0; d < operand.shape.size(); ++d)
                           elements *= double(reach(operand.index[d], extents));
                         return elements <= double(kMostElements);
                       });
  };
  for (size_t i = 0; i < extents.size(); ++i)
    while (smaller(i) < extents[i] && !fits())
      extents[i] = smaller(i);
}

void LaunchExtents::fitIterations() {
  double most = sizes == LaunchSizes::Tails           ? kMostTails
                : w.kind == WorkloadKind::Contraction ? kMostSampled
                                                      : kMostWhole;
  auto iterations = [&] {
    double product = 1;
    for (int64_t extent : extents)
      product *= double(extent);
    return product;
  };
  while (iterations() > most) {
    std::optional<size_t> longest;
    for (size_t i = 0; i < extents.size(); ++i)
      if (smaller(i) < extents[i] &&
          (!longest || extents[i] > extents[*longest]))
        longest = i;
    if (!longest)
      return;
    extents[*longest] = smaller(*longest);
  }
}

/// Cuts assumed extents to what dimensions of known size hold: another operand
/// or a window may bound a loop whose own operand is of any size.
void LaunchExtents::keepWithinStaticSizes() {
  for (const Operand &operand : w.operands)
    for (size_t d = 0; d < operand.shape.size(); ++d)
      for (size_t i = 0; i < extents.size(); ++i) {
        int64_t step = operand.index[d].coefficients[i];
        int64_t excess = reach(operand.index[d], extents) - operand.shape[d];
        if (operand.shape[d] == kDynamic || excess <= 0 || step <= 0 ||
            w.loops[i].extent != kDynamic)
          continue;
        extents[i] =
            std::max<int64_t>(1, extents[i] - (excess + step - 1) / step);
      }
}

void hwtune::assumeSizes(Workload &w) {
  std::vector<int64_t> extents = LaunchExtents(w, LaunchSizes::Usual).get();
  for (size_t i = 0; i < extents.size(); ++i)
    w.loops[i].assumed = extents[i];
}

std::vector<std::vector<int64_t>> hwtune::launchShapes(const Workload &w,
                                                       LaunchSizes sizes) {
  std::vector<std::vector<int64_t>> shapes;
  std::vector<int64_t> extents = LaunchExtents(w, sizes).get();
  for (const Operand &operand : w.operands) {
    if (operand.isScalar)
      continue;
    std::vector<int64_t> shape = operand.shape;
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == kDynamic)
        shape[d] = reach(operand.index[d], extents);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}
