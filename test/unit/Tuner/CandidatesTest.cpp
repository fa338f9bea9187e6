//===- CandidatesTest.cpp - collecting candidates -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/Candidates.h"

#include "hwtune/Model/ExpectedTime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace hwtune;

static TargetSpec sampleTarget() {
  TargetSpec t;
  t.id = "toy", t.vendor = "nvidia", t.arch = "sm_80";
  t.maxThreadsPerSM = 2048, t.maxWarpsPerSM = 64, t.maxBlocksPerSM = 32;
  t.registersPerSM = 65536, t.registersPerBlock = 65536;
  t.sharedPerSM = 102400, t.sharedPerBlockOptin = 101376;
  t.sharedAllocUnit = 128, t.l1PlusShared = 131072;
  t.fp32Lanes = 64, t.smCount = 100, t.clockMHz = 1000;
  t.l2Bytes = 40 << 20, t.dramBytes = int64_t(40) << 30, t.dramGBs = 1000;
  return t;
}

/// 96 legal configurations of 128; the larger the block the more threads.
static Space sampleSpace() {
  Space space;
  space.knobs = {{"threads", {32, 64, 128, 256, 512, 1024, 2048, 4096}, ""},
                 {"work", {1, 2, 3, 4, 5, 6, 7, 8}, ""},
                 {"mode", {0, 1}, "", true}};
  space.constraints = {
      {"threads", {0}, "threads of a block", [](std::span<const int64_t> c) {
         return std::pair(double(c[0]), 2048.0);
       }}};
  return space;
}

static KernelFeatures featuresOf(const Config &c) {
  KernelFeatures f;
  f.threadsPerBlock = double(c[0]);
  f.blocks = std::ceil(1e6 / double(c[0] * c[1]));
  f.fma32 = 1000 * double(c[1]) * (c[2] ? 2 : 1);
  f.accumulators = double(c[1]);
  f.registers = 32;
  f.flops = 2e9;
  return f;
}

TEST(Candidates, KeepsTheFeasibleAndNamesTheRest) {
  CollectOptions options;
  options.ensemble = 4;
  Expected<Candidates> c =
      collectCandidates(sampleSpace(), sampleTarget(), featuresOf, options);
  ASSERT_TRUE(bool(c)) << c.error().str();
  EXPECT_EQ(c->counts.product, 128u);
  EXPECT_EQ(c->counts.legal, 112u);
  EXPECT_EQ(c->counts.rejected.at("threads"), 16u);
  // 2048 threads are legal here, but no block may have them.
  EXPECT_EQ(c->configs.size(), 96u);
  ASSERT_EQ(c->infeasible.size(), 1u);
  EXPECT_EQ(c->infeasible.begin()->second, 16u);
  EXPECT_TRUE(std::is_sorted(c->configs.begin(), c->configs.end()));
  EXPECT_TRUE(bool(c->problem.check())) << c->problem.check().error().str();
  EXPECT_EQ(c->problem.logTime.columns, 4u);
  EXPECT_EQ(c->problem.categorical, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(c->predicted[c->best],
            *std::min_element(c->predicted.begin(), c->predicted.end()));
  for (size_t i = 0; i < c->configs.size(); ++i)
    EXPECT_TRUE(std::isfinite(c->predicted[i]));
}

// A search has more vectors than a predicted time, which is the compiler's too.
TEST(Candidates, PredictedIsTheMeanOfTheFirstVectors) {
  Expected<Candidates> c =
      collectCandidates(sampleSpace(), sampleTarget(), featuresOf, {});
  ASSERT_TRUE(bool(c)) << c.error().str();
  EXPECT_EQ(c->problem.logTime.columns, kSearchEnsembleSize);
  double expected =
      expectedSeconds(featuresOf(c->configs[5]),
                      ModelTarget::from(sampleTarget()), makeEnsemble(48));
  EXPECT_NEAR(c->predicted[5], expected, 1e-9 * expected);
}

TEST(Candidates, WeightsOfEarlierRunsCorrectThePrediction) {
  CollectOptions plain, corrected;
  plain.ensemble = corrected.ensemble = 1;
  for (double &eta : corrected.weights.eta)
    eta = 2;
  auto a = collectCandidates(sampleSpace(), sampleTarget(), featuresOf, plain);
  auto b =
      collectCandidates(sampleSpace(), sampleTarget(), featuresOf, corrected);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(a->predicted.size(), b->predicted.size());
  for (size_t i = 0; i < a->predicted.size(); ++i)
    EXPECT_NEAR(b->predicted[i], 2 * a->predicted[i], 1e-9 * b->predicted[i]);
}

TEST(Candidates, KeepsTheBestAndASpreadOfTheRest) {
  CollectOptions all, few;
  all.ensemble = few.ensemble = 1;
  few.keep = 20;
  Expected<Candidates> a =
      collectCandidates(sampleSpace(), sampleTarget(), featuresOf, all);
  Expected<Candidates> b =
      collectCandidates(sampleSpace(), sampleTarget(), featuresOf, few);
  ASSERT_TRUE(a && b);
  ASSERT_EQ(b->configs.size(), 22u);
  EXPECT_EQ(b->configs[b->best], a->configs[a->best]);
  std::vector<double> sorted = a->predicted;
  std::sort(sorted.begin(), sorted.end());
  size_t good = 0;
  for (double t : b->predicted)
    good += t <= sorted[19] * 1.000001;
  EXPECT_GE(good, 20u);
  EXPECT_GT(*std::max_element(b->predicted.begin(), b->predicted.end()),
            sorted[19]);
}

// Larger than what is scored at once: the best must still be found.
TEST(Candidates, LargeSpacesAreSampledAndRefined) {
  Space space;
  for (int i = 0; i < 6; ++i) {
    Knob knob{"k" + std::to_string(i), {}, "", i == 5};
    for (int64_t v = 0; v < 9; ++v)
      knob.values.push_back(v);
    space.knobs.push_back(knob);
  }
  auto features = [](const Config &c) {
    KernelFeatures f;
    f.threadsPerBlock = 128;
    f.blocks = 1000;
    f.registers = 32;
    f.fma32 = 1000;
    const int64_t optimum[] = {7, 1, 4, 2, 8, 3};
    for (int i = 0; i < 6; ++i)
      f.fma32 += 100 * double((c[i] - optimum[i]) * (c[i] - optimum[i]));
    return f;
  };
  CollectOptions options;
  options.keep = 200, options.ensemble = 1;
  Expected<Candidates> c =
      collectCandidates(space, sampleTarget(), features, options);
  ASSERT_TRUE(bool(c)) << c.error().str();
  EXPECT_EQ(c->counts.legal, 531441u);
  EXPECT_EQ(c->configs[c->best], (Config{7, 1, 4, 2, 8, 3}));
  EXPECT_LE(c->configs.size(), 200u + 20 + 128);
  std::set<Config> distinct(c->configs.begin(), c->configs.end());
  EXPECT_EQ(distinct.size(), c->configs.size());
}

TEST(Candidates, AnEmptySpaceSaysWhy) {
  Space space = sampleSpace();
  space.constraints.push_back(
      {"never", {}, "nothing", [](std::span<const int64_t>) {
         return std::pair(1.0, 0.0);
       }});
  EXPECT_EQ(
      collectCandidates(space, sampleTarget(), featuresOf, {}).error().message,
      "no configuration is left: 128 configurations: 0 legal, 128 "
      "rejected (128 never)");
  space = sampleSpace();
  space.knobs[0].values = {2048};
  std::string error =
      collectCandidates(space, sampleTarget(), featuresOf, {}).error().message;
  EXPECT_EQ(
      error.rfind("no configuration is left: 16 configurations: 16 legal, "
                  "0 rejected; of the legal ones cannot run: 16 ",
                  0),
      0u)
      << error;
  space.knobs[0].values = {};
  EXPECT_EQ(
      collectCandidates(space, sampleTarget(), featuresOf, {}).error().message,
      "knob 'threads' has no value");
}

TEST(Candidates, Cancelled) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(
      collectCandidates(sampleSpace(), sampleTarget(), featuresOf, {}, cancel)
          .error()
          .message,
      "interrupted");
}
