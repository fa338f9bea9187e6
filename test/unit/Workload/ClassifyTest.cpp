//===- ClassifyTest.cpp - kinds by structure ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include <gtest/gtest.h>

using namespace hwtune;

static Workload parallel(std::vector<Operand> operands) {
  Workload w;
  w.loops = loops("pp", {64, 32});
  w.operands = std::move(operands);
  return w;
}

TEST(Classify, Elementwise) {
  Operand in = operand({64, 32}, {{1, 0}, {0, 1}});
  Operand out = operand({64, 32}, {{1, 0}, {0, 1}}, true);
  EXPECT_EQ(classify(parallel({in, out})), WorkloadKind::Elementwise);
  // A broadcast along rows or columns is no transposition.
  Operand row = operand({32}, {{0, 1}}), column = operand({64}, {{1, 0}});
  EXPECT_EQ(classify(parallel({in, row, column, out})),
            WorkloadKind::Elementwise);
  Operand scalar;
  scalar.isScalar = true;
  EXPECT_EQ(classify(parallel({scalar, out})), WorkloadKind::Elementwise);
}

TEST(Classify, Transpose) {
  Operand in = operand({32, 64}, {{0, 1}, {1, 0}});
  Operand out = operand({64, 32}, {{1, 0}, {0, 1}}, true);
  EXPECT_EQ(classify(parallel({in, out})), WorkloadKind::Transpose);
}

TEST(Classify, ParallelWithWindowIsGeneric) {
  Operand in = operand({95, 32}, {{1, 1}, {0, 1}});
  Operand out = operand({64, 32}, {{1, 0}, {0, 1}}, true);
  EXPECT_EQ(classify(parallel({in, out})), WorkloadKind::Generic);
  in = operand({64, 32}, {{1, 0}, {0, 1}});
  in.isLinear = false;
  EXPECT_EQ(classify(parallel({in, out})), WorkloadKind::Generic);
}

TEST(Classify, Contraction) {
  Workload w = matmul(64, 64, 64);
  EXPECT_EQ(classify(w), WorkloadKind::Contraction);
  w.body.special = 1;
  EXPECT_EQ(classify(w), WorkloadKind::Generic);
  w = matmul(64, 64, 64);
  w.combiner = "maximumf";
  EXPECT_EQ(classify(w), WorkloadKind::Generic);
}

TEST(Classify, Convolution) {
  // O[x, f] += I[2x + r, c] * W[r, c, f]
  Workload w;
  w.loops = loops("pprr", {16, 8, 3, 4});
  w.operands = {operand({33, 4}, {{2, 0, 1, 0}, {0, 0, 0, 1}}),
                operand({3, 4, 8}, {{0, 0, 1, 0}, {0, 0, 0, 1}, {0, 1, 0, 0}}),
                operand({16, 8}, {{1, 0, 0, 0}, {0, 1, 0, 0}}, true, true)};
  w.body = {1, 2, 0, 0};
  w.combiner = "add";
  EXPECT_EQ(classify(w), WorkloadKind::Convolution);
}

TEST(Classify, PoolingAndReduction) {
  Workload w;
  w.loops = loops("pr", {16, 3});
  Operand window = operand({3}, {{0, 1}});
  Operand out = operand({16}, {{1, 0}}, true, true);
  w.operands = {operand({18}, {{1, 1}}), window, out};
  w.combiner = "maximumf";
  EXPECT_EQ(classify(w), WorkloadKind::Pooling);
  w.operands = {operand({16, 3}, {{1, 0}, {0, 1}}), out};
  EXPECT_EQ(classify(w), WorkloadKind::Reduction);
  w.combiner = "";
  EXPECT_EQ(classify(w), WorkloadKind::Generic);
}

TEST(Classify, DoesNotReadNameOrKind) {
  Workload w = matmul(8, 8, 8);
  w.kind = WorkloadKind::Pooling;
  w.opName = "linalg.pooling_nchw_sum";
  EXPECT_EQ(classify(w), WorkloadKind::Contraction);
}
