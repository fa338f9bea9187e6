//===- FootprintTest.cpp - footprints against enumerated accesses ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

using namespace hwtune;

/// Distinct index tuples of a tile, by running every iteration.
static int64_t bruteForce(const Workload &w, const Operand &op,
                          const std::vector<int64_t> &tile) {
  std::set<std::vector<int64_t>> touched;
  std::vector<int64_t> at(tile.size());
  while (true) {
    std::vector<int64_t> index;
    for (const LinearExpr &expr : op.index) {
      int64_t value = expr.constant;
      for (size_t i = 0; i < at.size(); ++i)
        value += expr.coefficients[i] * at[i];
      index.push_back(value);
    }
    touched.insert(index);
    size_t i = at.size();
    while (i > 0 && ++at[i - 1] == std::min(tile[i - 1], w.loops[i - 1].extent))
      at[--i] = 0;
    if (i == 0)
      return int64_t(touched.size());
  }
}

TEST(Footprint, Matmul) {
  Workload w = matmul(128, 128, 64);
  std::vector<int64_t> tile{32, 16, 8};
  EXPECT_EQ(footprint(w, w.operands[0], tile), 32 * 8);
  EXPECT_EQ(footprint(w, w.operands[1], tile), 8 * 16);
  EXPECT_EQ(footprint(w, w.operands[2], tile), 32 * 16);
  EXPECT_EQ(footprintBytes(w, w.operands[2], tile), 32 * 16 * 4);
  // A tile is not larger than its loop.
  EXPECT_EQ(footprint(w, w.operands[0], std::vector<int64_t>{999, 1, 999}),
            128 * 64);
  EXPECT_EQ(reuse(w, w.operands[0], tile), 16);
  EXPECT_EQ(reuse(w, w.operands[2], tile), 8);
}

TEST(Footprint, Sectors) {
  Workload w = matmul(128, 128, 64); // A 128x64, B 64x128, C 128x128, f32
  auto sectors = [&](unsigned k, std::vector<int64_t> tile) {
    return footprintInSectors(w, w.operands[k], tile, 32);
  };
  EXPECT_EQ(sectors(0, {32, 16, 8}), 32 * 32);   // 32 rows of 8 elements
  EXPECT_EQ(sectors(0, {32, 16, 9}), 32 * 64);   // of 9: two sectors each
  EXPECT_EQ(sectors(0, {32, 16, 1}), 32 * 32);   // one element each
  EXPECT_EQ(sectors(0, {32, 16, 64}), 32 * 256); // whole rows
  Workload rows = matmul(128, 3, 64);            // C 128x3: rows share sectors
  EXPECT_EQ(footprintInSectors(rows, rows.operands[2],
                               std::vector<int64_t>{32, 3, 64}, 32),
            32 * 3 * 4);
}

// Sums of loops where each dimension has loops of its own: exact.
TEST(Footprint, EqualsEnumerationOnRandomWindows) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 rng(seed);
    auto pick = [&](int lo, int hi) {
      return std::uniform_int_distribution<int>(lo, hi)(rng);
    };
    Workload w;
    std::vector<int64_t> tile;
    for (int i = 0; i < 5; ++i) {
      w.loops.push_back({LoopKind::Parallel, pick(1, 6)});
      tile.push_back(pick(1, 7));
    }
    Operand op;
    op.shape = {100, 100};
    op.index.resize(2);
    for (LinearExpr &expr : op.index) {
      expr.coefficients.assign(5, 0);
      expr.constant = pick(-5, 5);
    }
    for (int i = 0; i < 5; ++i)
      op.index[pick(0, 1)].coefficients[i] = pick(-7, 7);
    w.operands = {op};
    ASSERT_EQ(footprint(w, op, tile), bruteForce(w, op, tile));
  }
}

// Where dimensions share loops it is an upper bound, and no larger than the
// number of iterations.
TEST(Footprint, BoundsSharedLoops) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 rng(seed + 1000);
    auto pick = [&](int lo, int hi) {
      return std::uniform_int_distribution<int>(lo, hi)(rng);
    };
    Workload w;
    w.loops = loops("ppp", {pick(1, 6), pick(1, 6), pick(1, 6)});
    Operand op = operand({50, 50}, {{pick(-3, 3), pick(-3, 3), pick(-3, 3)},
                                    {pick(-3, 3), pick(-3, 3), pick(-3, 3)}});
    std::vector<int64_t> tile{pick(1, 6), pick(1, 6), pick(1, 6)};
    ASSERT_GE(footprint(w, op, tile), bruteForce(w, op, tile));
    ASSERT_LE(footprint(w, op, tile), tile[0] * tile[1] * tile[2]);
  }
}

TEST(Footprint, Windows) {
  Workload w;
  w.loops = loops("pr", {16, 3});
  std::vector<int64_t> tile{4, 3};
  // Stride 1, stride 2, stride 4 (gaps), dilation 2, negative stride.
  EXPECT_EQ(footprint(w, operand({99}, {{1, 1}}), tile), 6);
  EXPECT_EQ(footprint(w, operand({99}, {{2, 1}}), tile), 9);
  EXPECT_EQ(footprint(w, operand({99}, {{4, 1}}), tile), 12);
  EXPECT_EQ(footprint(w, operand({99}, {{1, 2}}), tile), 8);
  EXPECT_EQ(footprint(w, operand({99}, {{-1, 1}}), tile), 6);
}

TEST(Footprint, LargeIrregularSumsAreBounded) {
  Workload w;
  w.loops = loops("pp", {100000, 100000});
  Operand op = operand({99}, {{6, 4}});
  // Even values from 0 to 999990, less a few at both ends.
  int64_t bound = footprint(w, op, std::vector<int64_t>{100000, 100000});
  EXPECT_EQ(bound, 10 * 99999 / 2 + 1);
}

TEST(Footprint, OddOperands) {
  Workload w;
  w.loops = loops("pp", {8, 8});
  std::vector<int64_t> tile{4, 2};
  Operand diagonal = operand({8, 8}, {{1, 0}, {1, 0}});
  EXPECT_EQ(footprint(w, diagonal, tile), 4);
  Operand scalar;
  scalar.isScalar = true;
  EXPECT_EQ(footprint(w, scalar, tile), 0);
  EXPECT_EQ(reuse(w, scalar, tile), 0);
  Operand rankZero = operand({}, {});
  EXPECT_EQ(footprint(w, rankZero, tile), 1);
  Operand modulo = operand({4}, {{1, 0}});
  modulo.isLinear = false;
  EXPECT_EQ(footprint(w, modulo, tile), 4);
  modulo.shape = {kDynamic};
  EXPECT_EQ(footprint(w, modulo, tile), 8);
  EXPECT_EQ(footprint(w, diagonal, std::vector<int64_t>{0, 2}), 0);
}

TEST(BytesMoved, MatmulByHand) {
  Workload w = matmul(128, 64, 32);
  std::vector<int64_t> tile{32, 16, 8};
  // A once per n tile, B once per m tile, C read and written once.
  double a = 128.0 * 32 * 4, b = 32.0 * 64 * 4, c = 128.0 * 64 * 4;
  EXPECT_EQ(bytesMoved(w, tile), a * 4 + b * 4 + 2 * c);
  EXPECT_EQ(minBytes(w), a + b + 2 * c);
  w.operands[2].readsInit = false;
  EXPECT_EQ(minBytes(w), a + b + c);
  EXPECT_EQ(bytesMoved(w, std::vector<int64_t>{128, 64, 32}), a + b + c);
}

TEST(BytesMoved, CutTilesCountAtTheirSize) {
  Workload w = matmul(10, 7, 5);
  // Tiles of n: 4 and 3; of m: 4, 4 and 2.
  double a = 10.0 * 5 * 4 * 2, b = 5.0 * 7 * 4 * 3, c = 10.0 * 7 * 4 * 2;
  EXPECT_EQ(bytesMoved(w, std::vector<int64_t>{4, 4, 2}), a + b + c);
}

TEST(BytesMoved, WindowsOverlap) {
  Workload w;
  w.loops = loops("pr", {8, 3});
  w.operands = {operand({10}, {{1, 1}}), operand({8}, {{1, 0}}, true)};
  // Tiles of 4 outputs read 6 inputs each.
  EXPECT_EQ(bytesMoved(w, std::vector<int64_t>{4, 3}), 4.0 * (12 + 8));
  EXPECT_EQ(minBytes(w), 4.0 * (10 + 8));
}

TEST(UnitStrideLoop, Cases) {
  EXPECT_EQ(unitStrideLoop(operand({8, 9}, {{1, 0}, {0, 1}})), 1u);
  EXPECT_EQ(unitStrideLoop(operand({8, 9}, {{0, 1}, {1, 0}})), 0u);
  EXPECT_EQ(unitStrideLoop(operand({9}, {{1, 1}})), 0u);
  EXPECT_EQ(unitStrideLoop(operand({9}, {{2, 1}})), 1u);
  EXPECT_FALSE(unitStrideLoop(operand({9}, {{2, 0}})));
  EXPECT_FALSE(unitStrideLoop(operand({9, 9}, {{1, 0}, {1, 0}})));
  EXPECT_FALSE(unitStrideLoop(operand({}, {})));
  // Rows of a strided operand may run along no dimension, or not the last one.
  Operand apart = operand({8, 9}, {{1, 0}, {0, 1}});
  apart.strides = {16, 1};
  EXPECT_EQ(unitStrideLoop(apart), 1u);
  apart.strides = {1, 8};
  EXPECT_FALSE(unitStrideLoop(apart));
  // The last dimension has one element.
  EXPECT_EQ(unitStrideLoop(operand({8, 1}, {{1, 0}, {0, 1}})), 0u);
}
