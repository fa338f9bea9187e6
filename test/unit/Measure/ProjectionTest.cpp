//===- ProjectionTest.cpp - an output folded into few sums ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Projection.h"
#include "hwtune/Measure/ExpectedFile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace hwtune;

static std::vector<double> fold(const Projection &p, std::vector<int64_t> shape,
                                const std::vector<float> &values) {
  return project(p, ElementType::F32, shape, std::as_bytes(std::span(values)));
}

TEST(Projection, SignsAreAboutEvenAndFixed) {
  int positive = 0;
  for (uint64_t i = 0; i < 10000; ++i) {
    double sign = projectionSign(3, i);
    ASSERT_TRUE(sign == 1 || sign == -1);
    positive += sign > 0;
  }
  // Five standard deviations of 50.
  EXPECT_NEAR(positive, 5000, 250);
  // Part of what is stored in files.
  std::string signs;
  for (uint64_t i = 0; i < 8; ++i)
    signs += projectionSign(0, i) > 0 ? '+' : '-';
  EXPECT_EQ(signs, "+--+---+");
}

// 3 x 2, rows summed in groups of 2: row 2 is left alone.
TEST(Projection, SumsByHand) {
  Projection p{{true, false}, 2, 7};
  double a = projectionSign(7, 0), b = projectionSign(7, 1),
         c = projectionSign(7, 2);
  EXPECT_EQ(projectedCount(p, std::vector<int64_t>{3, 2}), 4);
  EXPECT_EQ(
      fold(p, {3, 2}, {1, 10, 2, 20, 4, 40}),
      (std::vector<double>{a * 1 + b * 2, a * 10 + b * 20, c * 4, c * 40}));
  // Columns instead: positions run along the columns.
  p.summed = {false, true};
  EXPECT_EQ(
      fold(p, {3, 2}, {1, 10, 2, 20, 4, 40}),
      (std::vector<double>{a * 1 + b * 10, a * 2 + b * 20, a * 4 + b * 40}));
}

// 2 x 2 x 2, first and last dimension summed together, the middle one kept.
TEST(Projection, SummedDimensionsNeedNotBeNeighbours) {
  Projection p{{true, false, true}, 3, 1};
  auto s = [](uint64_t i) { return projectionSign(1, i); };
  std::vector<float> v{1, 2, 4, 8, 16, 32, 64, 128};
  EXPECT_EQ(fold(p, {2, 2, 2}, v),
            (std::vector<double>{s(0) * 1 + s(1) * 2 + s(2) * 16,
                                 s(0) * 4 + s(1) * 8 + s(2) * 64, s(3) * 32,
                                 s(3) * 128}));
  std::vector<int64_t> shape{2, 2, 2};
  EXPECT_EQ(summedElements(p, shape, 1), (std::vector<uint64_t>{2, 3, 6}));
  EXPECT_EQ(firstPosition(p, shape, 1), 0u);
  EXPECT_EQ(summedElements(p, shape, 2), (std::vector<uint64_t>{5}));
  EXPECT_EQ(firstPosition(p, shape, 2), 3u);
}

TEST(Projection, AllDimensionsSummedOrNone) {
  Projection all{{true}, 100, 1}, none{{false}, 100, 1};
  double sum = projectionSign(1, 0) * 3 + projectionSign(1, 1) * 4;
  EXPECT_EQ(fold(all, {2}, {3, 4}), std::vector<double>{sum});
  double s = projectionSign(1, 0); // one element a sum
  EXPECT_EQ(fold(none, {2}, {3, 4}), (std::vector<double>{s * 3, s * 4}));
}

TEST(Projection, OneWrongElementShows) {
  BufferDesc buffer;
  buffer.name = "C";
  buffer.shape = {64, 8};
  buffer.isOutput = true;
  std::vector<float> values(512);
  std::iota(values.begin(), values.end(), -100.f);
  ExpectedDesc desc;
  desc.projection = Projection{{true, false}, 16, 5};
  desc.relative = 1;
  ExpectedValues expected;
  expected.values = fold(*desc.projection, buffer.shape, values);
  expected.bounds.assign(expected.values.size(), 0.5);
  EXPECT_EQ(expectedCount(desc, buffer), 32);
  auto compare = [&] {
    return compareSums(buffer, std::as_bytes(std::span(values)), expected,
                       desc);
  };
  EXPECT_TRUE(compare().ok());
  values[20 * 8 + 3] += 1; // row 20: the second group
  Comparison c = compare();
  EXPECT_EQ(c.bad, 1);
  EXPECT_EQ(c.badIndex, 8u + 3);
  EXPECT_EQ(c.describe("C").rfind("sum 11 of 16 elements of `C` with random "
                                  "signs: got ",
                                  0),
            0u)
      << c.describe("C");
  values[20 * 8 + 3] = NAN; // never written
  EXPECT_EQ(compare().bad, 1);
  values[20 * 8 + 3] = INFINITY;
  EXPECT_EQ(compare().bad, 1);
}
