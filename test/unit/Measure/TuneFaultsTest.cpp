//===- TuneFaultsTest.cpp - a whole search over bad candidates ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tuner's loop over child processes whose driver fails, hangs, crashes and
// computes wrong results: two candidates in three are bad, the wrong ones the
// fastest of all.
//
//===----------------------------------------------------------------------===//

#include "../Tuner/Synthetic.h"
#include "FaultyCandidate.h"

#include "hwtune/Tuner/OpTuner.h"

#include <fmt/ranges.h>

using namespace hwtune;

namespace {

using TuneFaultsTest = FaultyCandidate;

/// What goes wrong with candidate `i`; "" for a good one.
std::string faultOf(size_t i) {
  auto fault = [](const char *call, const char *what, int result) {
    return fmt::format(R"({{"call":"{}","do":"{}","nth":0,"result":{}}})", call,
                       what, result);
  };
  switch (i % 12) {
  case 1:
    return fault("cuMemAlloc", "fail", 2); // out of memory
  case 2:
    return fault("cuLaunchKernel", "wrong", 1);
  case 4:
    return fault("cuLaunchKernel", "crash", 1);
  case 5:
    return fault("cuCtxSynchronize", "fail", 700); // illegal address
  case 7: // seldom, since each costs its time limit
    return fault("cuCtxSynchronize", i % 24 == 7 ? "hang" : "abort", 1);
  case 8:
    return fault("cuModuleLoadDataEx", "fail", 218); // invalid PTX
  case 10:
    return fault("cuLaunchKernel", "skip", 1);
  case 11:
    return fault("cuLaunchKernel", "exit", 1);
  default:
    return "";
  }
}

} // namespace

TEST_F(TuneFaultsTest, TheRunGoesOnAndAGoodOneWins) {
  options = {"--samples=3", "--warmups=1"};
  Synthetic s;
  s.options.stop.trials = 30;
  s.options.maxEqualFailures = 0;
  s.task.heuristic = 0;
  s.callbacks.measure = [&](const Config &config, const Artifact &,
                            const MeasureRequest &) {
    size_t i = s.index(config);
    // A wrong result is the fastest of all.
    double ms = i % 12 == 2 ? 0.1 : 1e3 * Synthetic::trueSeconds(config);
    RunOutcome o = run(faultOf(i), 3, fmt::format(R"(,"kernel_ms":{})", ms));
    EXPECT_EQ(o.ok(), faultOf(i).empty()) << i << ": " << o.reason;
    return measurementFrom(o, Label::Measured);
  };
  TuneResult result = s.tuneOk("random");
  ASSERT_TRUE(result.tuned && result.generic && result.speedup);
  EXPECT_EQ(result.tried, 30u);
  EXPECT_EQ(result.stopReason, "30 trials done");

  double best = 1;
  size_t bad = 0;
  for (const TrialRecord &trial : result.trials) {
    bad += !trial.ok();
    if (trial.ok())
      best = std::min(best, trial.timesNs[0] * 1e-9);
  }
  size_t winner = s.index(result.tuned->config);
  EXPECT_EQ(faultOf(winner), "") << "candidate " << winner;
  EXPECT_NEAR(result.tuned->seconds, best, 1e-7);
  EXPECT_GE(bad, 10u);
  for (TrialStatus status :
       {TrialStatus::Launch, TrialStatus::Wrong, TrialStatus::Sticky,
        TrialStatus::RunTimeout, TrialStatus::Compile})
    EXPECT_GE(result.failures[status], 1u) << toString(status);
}
