//===- EnumerateTest.cpp - enumeration against brute force ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Space/Space.h"

#include <gtest/gtest.h>

#include <random>

using namespace hwtune;

/// Every combination, last knob fastest, by counting like an odometer.
template <typename F> static void bruteForce(const Space &space, F visit) {
  for (const Knob &knob : space.knobs)
    ASSERT_FALSE(knob.values.empty());
  std::vector<size_t> digit(space.knobs.size());
  while (true) {
    Config config;
    for (size_t i = 0; i < digit.size(); ++i)
      config.push_back(space.knobs[i].values[digit[i]]);
    visit(config);
    size_t i = digit.size();
    while (i > 0 && ++digit[i - 1] == space.knobs[i - 1].values.size())
      digit[--i] = 0;
    if (i == 0)
      return;
  }
}

/// A space of up to 6 knobs and 5 constraints of the kinds that real ones
/// have: products, divisibility, implications; also constraints of no knob.
static Space randomSpace(std::mt19937 &rng) {
  auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(rng);
  };
  Space space;
  int knobs = pick(0, 6);
  for (int i = 0; i < knobs; ++i) {
    Knob knob{"k" + std::to_string(i), {}, "", pick(0, 3) == 0};
    for (int v = 1, n = pick(1, 4); v <= n; ++v)
      knob.values.push_back(int64_t(v) * pick(1, 2) + v * 3);
    space.knobs.push_back(knob);
  }
  for (int i = 0, n = pick(0, 5); i < n; ++i) {
    Constraint constraint;
    constraint.kind = "kind" + std::to_string(pick(0, 2));
    constraint.what = "constraint " + std::to_string(i);
    for (int k = 0; k < knobs; ++k)
      if (pick(0, 2) == 0)
        constraint.knobs.push_back(unsigned(k));
    std::shuffle(constraint.knobs.begin(), constraint.knobs.end(), rng);
    int form = pick(0, 2);
    double limit = pick(1, 40) * double(1 + constraint.knobs.size());
    constraint.check =
        [=, read = constraint.knobs](std::span<const int64_t> config) {
          int64_t sum = 0, product = 1;
          for (unsigned k : read)
            sum += config[k], product *= config[k];
          double needed = form == 0   ? double(sum)
                          : form == 1 ? double(product) / 8
                                      : double(sum % 5) * 20;
          return std::pair(needed, limit);
        };
    space.constraints.push_back(constraint);
  }
  return space;
}

TEST(Enumerate, EqualsBruteForceOnRandomSpaces) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 rng(seed);
    Space space = randomSpace(rng);
    ASSERT_TRUE(bool(space.check()));
    SpaceCounts expected;
    std::vector<Config> legal;
    bruteForce(space, [&](const Config &config) {
      ++expected.product;
      if (std::optional<Rejection> rejection = space.reject(config))
        ++expected.rejected[rejection->kind];
      else
        legal.push_back(config);
    });
    std::vector<Config> visited;
    space.forEach([&](const Config &config) {
      visited.push_back(config);
      return true;
    });
    ASSERT_EQ(visited, legal);
    SpaceCounts counts = space.count();
    ASSERT_EQ(counts.product, expected.product);
    ASSERT_EQ(counts.legal, legal.size());
    ASSERT_EQ(counts.rejected, expected.rejected);
  }
}

TEST(Enumerate, StopsWhenAsked) {
  Space space;
  space.knobs = {{"a", {1, 2, 3}, ""}, {"b", {1, 2}, ""}};
  std::vector<Config> visited;
  space.forEach([&](const Config &config) {
    visited.push_back(config);
    return visited.size() < 3;
  });
  EXPECT_EQ(visited, (std::vector<Config>{{1, 1}, {1, 2}, {2, 1}}));
}

TEST(Enumerate, ConstraintsAreDecidedEarly) {
  // 2 * 1000 combinations; the check reads the first knob only.
  Space space;
  space.knobs = {{"a", {1, 2}, ""}, {"b", {}, ""}};
  for (int64_t v = 0; v < 1000; ++v)
    space.knobs[1].values.push_back(v);
  int calls = 0;
  space.constraints = {{"odd", {0}, "a", [&](std::span<const int64_t> c) {
                          ++calls;
                          return std::pair(double(c[0]), 1.0);
                        }}};
  SpaceCounts counts = space.count();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(counts.legal, 1000u);
  EXPECT_EQ(counts.rejected.at("odd"), 1000u);
  calls = 0;
  int visited = 0;
  space.forEach([&](const Config &) { return ++visited; });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(visited, 1000);
}

TEST(Enumerate, CountsWithoutVisiting) {
  // 10^18 combinations: only possible when equal subtrees are counted once.
  Space space;
  for (int i = 0; i < 18; ++i) {
    Knob knob{"k" + std::to_string(i), {}, "", false};
    for (int64_t v = 0; v < 10; ++v)
      knob.values.push_back(v);
    space.knobs.push_back(knob);
  }
  for (unsigned i = 0; i + 1 < 18; i += 2)
    space.constraints.push_back(
        {"pair", {i, i + 1}, "sum of a pair", [i](std::span<const int64_t> c) {
           return std::pair(double(c[i] + c[i + 1]), 8.0);
         }});
  SpaceCounts counts = space.count();
  EXPECT_EQ(counts.product, 1000000000000000000u);
  // 45 of the 100 pairs have a sum of at most 8; there are nine pairs.
  uint64_t legal = 1;
  for (int i = 0; i < 9; ++i)
    legal *= 45;
  EXPECT_EQ(counts.legal, legal);
  EXPECT_EQ(counts.rejected.at("pair"), counts.product - legal);
}

TEST(Enumerate, AnEmptySpaceHasOneConfiguration) {
  Space space;
  EXPECT_EQ(space.count().legal, 1u);
  space.constraints = {{"never", {}, "x", [](std::span<const int64_t>) {
                          return std::pair(1.0, 0.0);
                        }}};
  EXPECT_EQ(space.count().legal, 0u);
  EXPECT_EQ(space.count().rejected.at("never"), 1u);
  space.forEach([](const Config &) {
    ADD_FAILURE();
    return true;
  });
}
