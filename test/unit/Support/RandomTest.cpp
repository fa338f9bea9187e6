//===- RandomTest.cpp - streams that never change -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Random.h"

#include <gtest/gtest.h>

#include <vector>

using namespace hwtune;

TEST(Random, OneSeedOneSequence) {
  Random a(7), b(7), c(8), stream(7, 1);
  for (int i = 0; i < 10; ++i) {
    uint64_t value = a.next();
    EXPECT_EQ(value, b.next());
    EXPECT_NE(value, c.next());
    EXPECT_NE(value, stream.next());
  }
}

TEST(Random, UniformAndBelow) {
  Random rng(1);
  std::vector<int> counts(6);
  double sum = 0;
  for (int i = 0; i < 60000; ++i) {
    ++counts[rng.below(6)];
    double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  for (int count : counts)
    EXPECT_NEAR(count, 10000, 500); // five standard deviations
  EXPECT_NEAR(sum / 60000, 0.5, 0.01);
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Random, NormalHasUnitVariance) {
  Random rng(2);
  double sum = 0, squares = 0;
  for (int i = 0; i < 40000; ++i) {
    double x = rng.normal();
    sum += x, squares += x * x;
  }
  EXPECT_NEAR(sum / 40000, 0, 0.03);
  EXPECT_NEAR(squares / 40000, 1, 0.05);
}
