//===- Builders.h - short ways to write workloads in tests ---- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_WORKLOAD_BUILDERS_H
#define HWTUNE_TEST_UNIT_WORKLOAD_BUILDERS_H

#include "hwtune/Workload/Workload.h"

#include <string_view>

namespace hwtune {

/// "ppr" with the extents: p parallel, r reduction.
inline std::vector<Loop> loops(std::string_view kinds,
                               std::vector<int64_t> extents) {
  std::vector<Loop> result;
  for (size_t i = 0; i < kinds.size(); ++i)
    result.push_back(
        {kinds[i] == 'r' ? LoopKind::Reduction : LoopKind::Parallel,
         extents[i]});
  return result;
}

inline Operand operand(std::vector<int64_t> shape,
                       std::vector<std::vector<int64_t>> coefficients,
                       bool isOutput = false, bool readsInit = false) {
  Operand op;
  op.isOutput = isOutput;
  op.readsInit = readsInit;
  op.shape = std::move(shape);
  for (std::vector<int64_t> &row : coefficients)
    op.index.push_back({std::move(row), 0});
  return op;
}

/// C[m,n] += A[m,k] * B[k,n] in f32.
inline Workload matmul(int64_t m, int64_t n, int64_t k) {
  Workload w;
  w.loops = loops("ppr", {m, n, k});
  w.operands = {operand({m, k}, {{1, 0, 0}, {0, 0, 1}}),
                operand({k, n}, {{0, 0, 1}, {0, 1, 0}}),
                operand({m, n}, {{1, 0, 0}, {0, 1, 0}}, true, true)};
  w.body = {1, 2, 0, 0};
  w.combiner = "add";
  return w;
}

} // namespace hwtune

#endif // HWTUNE_TEST_UNIT_WORKLOAD_BUILDERS_H
