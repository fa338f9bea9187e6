//===- Classify.cpp - what a workload is, by structure --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Workload/Workload.h"

#include <algorithm>

namespace hwtune {

bool isProjectedPermutation(const Operand &op) {
  if (!op.isLinear)
    return false;
  std::vector<bool> used;
  for (const LinearExpr &expr : op.index) {
    used.resize(std::max(used.size(), expr.coefficients.size()));
    std::optional<size_t> loop;
    for (size_t i = 0; i < expr.coefficients.size(); ++i) {
      if (expr.coefficients[i] == 0)
        continue;
      if (expr.coefficients[i] != 1 || loop || used[i])
        return false;
      loop = i;
    }
    if (!loop || expr.constant != 0)
      return false;
    used[*loop] = true;
  }
  return true;
}

bool isIndexedBy(const Operand &op, unsigned loop) {
  if (!op.isLinear)
    return !op.isScalar;
  return std::any_of(
      op.index.begin(), op.index.end(), [&](const LinearExpr &expr) {
        return loop < expr.coefficients.size() && expr.coefficients[loop] != 0;
      });
}

namespace {

struct Shape {
  std::vector<const Operand *> inputs, outputs; ///< shaped ones
  bool allPermutations = true;
  /// Some input is indexed by a sum of a parallel and a reduction loop.
  bool hasWindow = false;
  bool allLinear = true;
  unsigned reductions = 0;
};

bool isWindow(const Workload &w, const Operand &op) {
  for (const LinearExpr &expr : op.index) {
    bool parallel = false, reduction = false;
    for (size_t i = 0; i < expr.coefficients.size(); ++i)
      if (expr.coefficients[i] != 0)
        (w.loops[i].kind == LoopKind::Reduction ? reduction : parallel) = true;
    if (parallel && reduction)
      return true;
  }
  return false;
}

Shape shapeOf(const Workload &w) {
  Shape shape;
  for (const Loop &loop : w.loops)
    shape.reductions += loop.kind == LoopKind::Reduction;
  for (const Operand &op : w.operands) {
    if (op.isScalar)
      continue;
    (op.isOutput ? shape.outputs : shape.inputs).push_back(&op);
    shape.allLinear &= op.isLinear;
    shape.allPermutations &= isProjectedPermutation(op);
    shape.hasWindow |= op.isLinear && !op.isOutput && isWindow(w, op);
  }
  return shape;
}

/// Some input is stored in another fastest loop than an output, although it
/// holds that loop too: one of the two is accessed across lines.
bool isTransposed(const Shape &shape) {
  for (const Operand *output : shape.outputs) {
    std::optional<unsigned> fastest = unitStrideLoop(*output);
    for (const Operand *input : shape.inputs) {
      std::optional<unsigned> other = unitStrideLoop(*input);
      if (fastest && other && *fastest != *other &&
          isIndexedBy(*input, *fastest))
        return true;
    }
  }
  return false;
}

} // namespace

WorkloadKind classify(const Workload &w) {
  Shape shape = shapeOf(w);
  if (!shape.allLinear || shape.outputs.empty())
    return WorkloadKind::Generic;
  if (shape.reductions == 0) {
    if (!shape.allPermutations)
      return WorkloadKind::Generic;
    return isTransposed(shape) ? WorkloadKind::Transpose
                               : WorkloadKind::Elementwise;
  }
  if (shape.outputs.size() != 1 || w.combiner.empty() ||
      !isProjectedPermutation(*shape.outputs[0]))
    return WorkloadKind::Generic;
  // One multiply-add and nothing else: what a contraction's schedule assumes.
  bool multiplyAdd = w.combiner == "add" && w.body.fma == 1 &&
                     w.body.flops <= 2 && w.body.special == 0 &&
                     shape.inputs.size() == 2;
  if (multiplyAdd && shape.allPermutations)
    return WorkloadKind::Contraction;
  if (multiplyAdd && shape.hasWindow)
    return WorkloadKind::Convolution;
  if (shape.hasWindow && w.body.fma == 0)
    return WorkloadKind::Pooling;
  if (shape.allPermutations && shape.inputs.size() == 1)
    return WorkloadKind::Reduction;
  return WorkloadKind::Generic;
}

} // namespace hwtune
