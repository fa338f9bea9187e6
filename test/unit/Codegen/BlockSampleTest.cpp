//===- BlockSampleTest.cpp - a few blocks in place of a whole grid --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/BlockSample.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hwtune;

namespace {

/// C[m, n] of a 70 x 50 product over 9, in tiles of 8 x 16: 9 x 4 blocks.
struct Product {
  Product() {
    w.loops = {{LoopKind::Parallel, 70},
               {LoopKind::Parallel, 50},
               {LoopKind::Reduction, 9}};
    Operand a, c;
    a.shape = {70, 9};
    a.index = {{{1, 0, 0}}, {{0, 0, 1}}};
    c.isOutput = true;
    c.shape = {70, 50};
    c.index = {{{1, 0, 0}}, {{0, 1, 0}}};
    w.operands = {a, c};
  }
  std::optional<BlockSample> sample(uint64_t seed = 0) {
    return sampleBlocks(w, extents, tiles, grid, seed);
  }

  Workload w;
  std::vector<int64_t> extents{70, 50, 9}, tiles{8, 16, 0};
  std::array<int64_t, 3> grid{4, 9, 1};
};

bool has(const BlockSample &s, std::array<int64_t, 3> block) {
  return std::find(s.blocks.begin(), s.blocks.end(), block) != s.blocks.end();
}

} // namespace

TEST(BlockSample, HoldsTheCornersAndEightMore) {
  std::optional<BlockSample> s = Product().sample();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->blocks.size(), 12u);
  for (std::array<int64_t, 3> corner :
       {std::array<int64_t, 3>{0, 0, 0}, {3, 0, 0}, {0, 8, 0}, {3, 8, 0}})
    EXPECT_TRUE(has(*s, corner));
  EXPECT_NE(Product().sample(1)->blocks, s->blocks);
  EXPECT_EQ(Product().sample()->blocks, s->blocks);
}

TEST(BlockSample, ListsExactlyWhatTheBlocksWrite) {
  std::optional<BlockSample> s = Product().sample();
  ASSERT_TRUE(s);
  ASSERT_EQ(s->elements.size(), 1u);
  std::vector<uint64_t> expected;
  for (uint64_t m = 0; m < 70; ++m)
    for (uint64_t n = 0; n < 50; ++n)
      if (has(*s, {int64_t(n / 16), int64_t(m / 8), 0}))
        expected.push_back(m * 50 + n);
  EXPECT_EQ(s->elements[0], expected);
}

TEST(BlockSample, ALinearGridIsTheSameInX) {
  Product p;
  std::optional<BlockSample> flat = p.sample();
  p.grid = {36, 1, 1};
  std::optional<BlockSample> linear = p.sample();
  ASSERT_TRUE(flat && linear);
  EXPECT_EQ(flat->elements, linear->elements);
  for (size_t i = 0; i < flat->blocks.size(); ++i)
    EXPECT_EQ(linear->blocks[i][0],
              flat->blocks[i][1] * 4 + flat->blocks[i][0]);
}

TEST(BlockSample, IsNoneWhereAllCanRunOrTheLayoutIsUnknown) {
  Product small;
  small.tiles = {24, 16, 0}; // 3 x 4 blocks
  small.grid = {4, 3, 1};
  EXPECT_FALSE(small.sample());
  Product other;
  other.grid = {5, 9, 1};
  EXPECT_FALSE(other.sample());
  Product unknown;
  unknown.tiles = {};
  EXPECT_FALSE(unknown.sample());
  Product window;
  window.w.operands[1].index[0].coefficients = {1, 0, 1};
  EXPECT_FALSE(window.sample());
}
