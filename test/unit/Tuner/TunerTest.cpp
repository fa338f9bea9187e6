//===- TunerTest.cpp - the loop, with faults ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synthetic.h"

#include <algorithm>

using namespace hwtune;

static const Config kBest{8, 4};

static std::string textOf(const TuneResult &result) {
  std::string text;
  for (TrialRecord trial : result.trials) {
    trial.unixTime = 0;
    text += dumpJson(toJson(trial)) + "\n";
  }
  return text;
}

TEST(Tuner, FindsTheOptimumWhenItTriesAll) {
  Synthetic s;
  s.options.stop.trials = 0;
  TuneResult result = s.tuneOk("exhaustive");
  ASSERT_TRUE(result.tuned && result.generic && result.heuristic);
  EXPECT_EQ(result.tuned->config, kBest);
  EXPECT_EQ(result.tried, 64u);
  EXPECT_EQ(result.stopReason, "every candidate was tried");
  EXPECT_TRUE(result.converged);
  EXPECT_TRUE(result.verified);
  EXPECT_FALSE(result.interrupted);
  EXPECT_NEAR(*result.speedup, std::pow(1.1, 5), 1e-6);
  EXPECT_NEAR(result.heuristic->seconds, 1.1e-3, 1e-9);
  EXPECT_EQ(s.verified, std::vector<Config>{kBest});
}

TEST(Tuner, TheDefaultIsFirstAndNothingIsMeasuredTwice) {
  for (const char *strategy : {"random", "exhaustive", "model", "annealing"}) {
    SCOPED_TRACE(strategy);
    Synthetic s;
    TuneResult result = s.tuneOk(strategy);
    EXPECT_EQ(s.measured[0], s.task.generic);
    EXPECT_EQ(s.requests[0].role, TrialRole::Generic);
    EXPECT_EQ(s.measured[1], s.task.candidates[s.task.heuristic]);
    std::set<Config> distinct(s.measured.begin(), s.measured.end());
    EXPECT_EQ(distinct.size(), s.measured.size());
    EXPECT_EQ(result.tried, 24u);
    EXPECT_EQ(result.stopReason, "24 trials done");
  }
}

TEST(Tuner, OneSeedOneResult) {
  Synthetic a, b, wide;
  a.options.now = b.options.now = wide.options.now = [] { return 5.0; };
  wide.options.parallelMeasures = 3;
  std::string text = textOf(a.tuneOk());
  EXPECT_EQ(textOf(b.tuneOk()), text);
  EXPECT_EQ(textOf(wide.tuneOk()), text);
  Synthetic other;
  other.task.run.seed = 1;
  EXPECT_NE(textOf(other.tuneOk()), text);
}

TEST(Tuner, BadCandidatesNeverEndARun) {
  const TrialStatus kinds[] = {
      TrialStatus::Constraint,     TrialStatus::Compile,
      TrialStatus::CompileTimeout, TrialStatus::Launch,
      TrialStatus::RunTimeout,     TrialStatus::Sticky,
      TrialStatus::Wrong,          TrialStatus::Noisy};
  Synthetic s;
  s.options.stop.trials = 0;
  s.options.maxEqualFailures = 0;
  size_t n = 0;
  for (const Config &config : s.task.candidates)
    if (config != kBest && config != s.task.generic)
      s.faults[config] = kinds[n++ % std::size(kinds)];
  TuneResult result = s.tuneOk("exhaustive");
  EXPECT_EQ(result.tuned->config, kBest);
  size_t failures = 0;
  for (auto [status, count] : result.failures)
    failures += count;
  EXPECT_EQ(failures, 62u);
  EXPECT_EQ(result.failures.size(), std::size(kinds));
  EXPECT_EQ(result.firstFailure[TrialStatus::Launch], "CUDA_ERROR launch");
  EXPECT_FALSE(result.heuristic);
}

TEST(Tuner, AWrongOneNeverWins) {
  Synthetic s;
  s.options.stop.trials = 0;
  s.wrong = {kBest, {8, 2}, {4, 4}};
  TuneResult result = s.tuneOk("exhaustive");
  // The two others at the same distance as {8, 2} and {4, 4}: {8, 8} has the
  // lower prediction than {16, 4}, which the model takes for slower.
  EXPECT_EQ(result.tuned->config, (Config{8, 8}));
  EXPECT_TRUE(result.verified);
  EXPECT_EQ(result.failures[TrialStatus::Wrong], 3u);
  ASSERT_EQ(result.warnings.size(), 3u);
  EXPECT_EQ(result.warnings[0],
            "{block = 8, vector = 4} is excluded, 1 of 64 measured: element 7 "
            "is 1, expected 2");
}

TEST(Tuner, WhenAllAreWrongTheDefaultIsKept) {
  Synthetic s;
  for (const Config &config : s.task.candidates)
    if (config != s.task.generic)
      s.wrong.insert(config);
  TuneResult result = s.tuneOk();
  EXPECT_TRUE(result.keptGeneric);
  EXPECT_EQ(result.tuned->config, s.task.generic);
  EXPECT_EQ(*result.speedup, 1);
  s.wrong.insert(s.task.generic);
  std::string error = s.tune().error().message;
  EXPECT_EQ(
      error.rfind(
          "nothing works: the generic schedule and 24 candidates tried, ", 0),
      0u)
      << error;
  EXPECT_NE(error.find("wrong (element 7 is 1, expected 2)"),
            std::string::npos);
}

/// Candidates that are faster, but not by the objective.
TEST(Tuner, WhyTheDefaultIsKeptFollowsTheObjective) {
  Synthetic s;
  s.options.objective = Objective::Energy;
  s.hook = [&](const Config &config, Measurement &m) {
    bool generic = config == s.task.generic;
    m.seconds = {generic ? 2e-3 : 1e-3};
    m.measured.seconds = m.measured.coldSeconds = m.seconds[0];
    m.measured.joules = generic ? 1 : 3;
  };
  TuneResult result = s.tuneOk();
  EXPECT_TRUE(result.keptGeneric);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_EQ(result.warnings.back(),
            "the generic schedule is kept: no candidate "
            "is better by objective=energy");
}

TEST(Tuner, ProgressFollowsTheObjective) {
  struct Last final : TuneObserver {
    TuneProgress progress;
    void trial(const TrialRecord &, const TuneProgress &p) override {
      progress = p;
    }
  } last;
  Synthetic s;
  s.options.objective = Objective::Energy;
  s.options.observer = &last;
  s.hook = [&](const Config &config, Measurement &m) { // the slower, the less
    m.measured.seconds = m.measured.coldSeconds;
    m.measured.joules = 1e-3 / m.seconds[0];
    if (config == s.task.generic)
      m.measured.joules = 10;
  };
  TuneResult result = s.tuneOk();
  ASSERT_TRUE(result.tuned && last.progress.bestSeconds);
  EXPECT_DOUBLE_EQ(*last.progress.bestSeconds, result.tuned->seconds);
  EXPECT_GT(*last.progress.bestSeconds, 1.2e-3); // the fastest takes 1 ms
}

TEST(Tuner, AWrongDefaultIsNoBaseAndNoWinner) {
  Synthetic s;
  s.options.stop.trials = 0;
  s.wrong = {s.task.generic};
  s.hook = [&](const Config &config, Measurement &m) {
    if (config == s.task.generic)
      m.seconds = {1e-6}, m.measured.coldSeconds = 1e-6;
  };
  TuneResult result = s.tuneOk("exhaustive");
  EXPECT_EQ(result.tuned->config, kBest);
  EXPECT_FALSE(result.keptGeneric);
  EXPECT_FALSE(result.generic);
  EXPECT_FALSE(result.speedup);
}

TEST(Tuner, NothingToCompareWithEndsTheRun) {
  Synthetic s;
  int asked = 0;
  s.callbacks.verify = [&](const Config &, const Artifact &) {
    ++asked;
    Verification v;
    v.reason = "the disk is full";
    v.fatal = true;
    return v;
  };
  Expected<TuneResult> result = s.tune();
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message, "the disk is full");
  EXPECT_EQ(asked, 1);
}

TEST(Tuner, ABrokenDefaultLeavesNoSpeedUp) {
  Synthetic s;
  s.faults[s.task.generic] = TrialStatus::Launch;
  TuneResult result = s.tuneOk();
  EXPECT_FALSE(result.generic);
  EXPECT_FALSE(result.speedup);
  ASSERT_TRUE(result.tuned);
  EXPECT_EQ(result.warnings[0],
            "the generic schedule does not run (launch: CUDA_ERROR launch), so "
            "there is no speed-up to report");
}

TEST(Tuner, WhenNothingWorksTheReasonsAreListed) {
  Synthetic s;
  for (const Config &config : s.task.candidates)
    s.faults[config] = TrialStatus::Sticky;
  Expected<TuneResult> result = s.tune();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "nothing works: the generic schedule and 12 candidates tried, "
            "13 sticky (CUDA_ERROR "
            "sticky); 64 configurations: 64 legal, 0 rejected");
}

TEST(Tuner, EqualFailuresInARowStop) {
  Synthetic s;
  for (const Config &config : s.task.candidates)
    if (config != s.task.generic)
      s.faults[config] = TrialStatus::Compile;
  s.options.maxEqualFailures = 5;
  TuneResult result = s.tuneOk();
  // The texts differ in their numbers only.
  EXPECT_EQ(result.stopReason.rfind("5 failures in a row with the same text: "
                                    "error: cannot tile by ",
                                    0),
            0u)
      << result.stopReason;
  EXPECT_LT(result.tried, 12u);
  EXPECT_TRUE(result.keptGeneric);
}

/// A part of the space that fails alike does not end a search that has found
/// what runs.
TEST(Tuner, EqualFailuresAfterASuccessGoOn) {
  Synthetic s;
  s.options.maxEqualFailures = 2;
  for (size_t i = 0; i < s.task.candidates.size(); ++i)
    if (i % 8 != 0 && i != s.task.heuristic)
      s.faults[s.task.candidates[i]] = TrialStatus::Compile;
  TuneResult result = s.tuneOk();
  EXPECT_EQ(result.stopReason.find("in a row"), std::string::npos)
      << result.stopReason;
  EXPECT_GE(result.failures[TrialStatus::Compile], 12u);
}

TEST(Tuner, NoTimeIsNoTime) {
  Synthetic s;
  s.options.stop.trials = 0;
  s.hook = [&](const Config &config, Measurement &m) {
    if (config == kBest)
      m.seconds = {0, 0, 0}, m.measured.coldSeconds = 0;
  };
  TuneResult result = s.tuneOk("exhaustive");
  EXPECT_NE(result.tuned->config, kBest);
  EXPECT_EQ(result.firstFailure[TrialStatus::Noisy],
            "a time of 0 ns is no time");
}

TEST(Tuner, AnObjectiveTheDeviceCannotTellIsAnError) {
  Synthetic s;
  s.options.objective = Objective::Energy;
  EXPECT_NE(s.tune().error().message.find("energy"), std::string::npos);
}

namespace {
/// Expects as many seconds as it was told trials.
struct CountingLearner final : TuneLearner {
  std::vector<int64_t> told;
  double expected(const Config &) const override { return double(told.size()); }
  void learn(const TrialRecord &trial) override { told.push_back(trial.index); }
  std::vector<std::pair<std::string, double>> weights() const override {
    return {{"memory", double(told.size())}};
  }
};
} // namespace

TEST(Tuner, LearnsFromEachTrialBeforeTheNext) {
  Synthetic s;
  CountingLearner learner;
  s.task.learner = &learner;
  TuneResult result = s.tuneOk();
  ASSERT_EQ(learner.told.size(), result.trials.size());
  for (size_t i = 0; i < result.trials.size(); ++i) {
    EXPECT_EQ(learner.told[i], int64_t(i));
    if (i > 0 && result.trials[i].role != TrialRole::Final)
      EXPECT_DOUBLE_EQ(*result.trials[i].predictedNs, double(i) * 1e9);
  }
  EXPECT_EQ(result.run.weights[0].second, double(result.trials.size()));
}

TEST(Tuner, TiesGoToTheLowerPrediction) {
  Synthetic s;
  s.options.stop.trials = 0;
  s.options.minNoise = 0.11;
  // {8, 4} and its four neighbours are within 11 %.
  s.task.predicted[s.index({8, 8})] = 0.5e-3;
  TuneResult result = s.tuneOk("exhaustive");
  EXPECT_EQ(result.tieOf, 5u);
  EXPECT_EQ(result.tuned->config, (Config{8, 8}));
  // Equal predictions: the lower index.
  Synthetic t;
  t.options.stop.trials = 0, t.options.minNoise = 0.11;
  std::fill(t.task.predicted.begin(), t.task.predicted.end(), 1.0);
  EXPECT_EQ(t.tuneOk("exhaustive").tuned->config, (Config{4, 4}));
}

TEST(Tuner, SpreadOfSamplesIsNoise) {
  Synthetic s;
  s.options.stop.trials = 0;
  s.label = Label::Measured;
  s.hook = [&](const Config &, Measurement &m) {
    double t = m.seconds[0];
    m.seconds = {0.9 * t, t, 1.1 * t};
  };
  s.options.maxNoise = 0.2;
  // q80 - q20 is 0.12 of the median: noise 6 %.
  EXPECT_EQ(s.tuneOk("exhaustive").tieOf, 1u);
  s.hook = [&](const Config &, Measurement &m) {
    double t = m.seconds[0];
    m.seconds = {0.7 * t, t, 1.3 * t};
  };
  EXPECT_EQ(s.tuneOk("exhaustive").tieOf, 5u);
  s.options.maxNoise = 0.05;
  EXPECT_EQ(s.tuneOk("exhaustive").tieOf, 1u);
}

TEST(Tuner, MeasuredTimesAreComparedAgain) {
  Synthetic s;
  s.label = Label::Measured;
  s.options.stop.trials = 0;
  TuneResult result = s.tuneOk("exhaustive");
  ASSERT_GE(s.requests.size(), 2u);
  // The default last but one, then the winner.
  EXPECT_EQ(s.requests.back().role, TrialRole::Final);
  EXPECT_EQ(s.measured.back(), kBest);
  EXPECT_EQ(s.measured[s.measured.size() - 2], s.task.generic);
  EXPECT_EQ(*result.drift, 0);
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Tuner, DriftIsSaidAndMeasuredOnceMore) {
  Synthetic s;
  s.label = Label::Measured;
  int runs = 0;
  s.hook = [&](const Config &config, Measurement &m) {
    double slower = config == s.task.generic && runs++ > 0 ? 1.2 : 1;
    for (double &t : m.seconds)
      t *= slower;
    *m.measured.coldSeconds *= slower;
  };
  TuneResult result = s.tuneOk();
  EXPECT_EQ(runs, 3);
  EXPECT_NEAR(*result.drift, 0.2, 1e-9);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("moved by +20.0 %"), std::string::npos)
      << result.warnings[0];
  // Both times of the speed-up are the last pair's.
  EXPECT_NEAR(result.generic->seconds,
              1.2 * Synthetic::trueSeconds(s.task.generic), 1e-12);
}

TEST(Tuner, AWinnerThatWasLuckLosesToTheDefault) {
  Synthetic s;
  s.label = Label::Measured;
  std::map<Config, int> runs;
  s.hook = [&](const Config &config, Measurement &m) {
    // Every candidate is slow; its first run happens to be fast.
    bool lucky = config != s.task.generic && runs[config]++ == 0;
    double seconds = config == s.task.generic ? 1e-3 : lucky ? 0.9e-3 : 1.5e-3;
    m.seconds = {seconds};
    m.measured.coldSeconds = seconds;
  };
  TuneResult result = s.tuneOk();
  EXPECT_TRUE(result.keptGeneric);
  EXPECT_EQ(result.tuned->config, s.task.generic);
  EXPECT_EQ(*result.speedup, 1);
}

TEST(Tuner, AWinnerThatFailsTheSecondTimeIsDropped) {
  Synthetic s;
  s.label = Label::Measured;
  s.options.stop.trials = 0;
  s.hook = [&](const Config &config, Measurement &m) {
    if (config == kBest && s.requests.back().role == TrialRole::Final)
      m.status = TrialStatus::Sticky, m.reason = "misaligned address";
  };
  TuneResult result = s.tuneOk("exhaustive");
  EXPECT_NE(result.tuned->config, kBest);
  EXPECT_FALSE(result.keptGeneric);
  EXPECT_EQ(result.failures[TrialStatus::Sticky], 1u);
}

TEST(Tuner, TimeLimitFollowsTheDefault) {
  Synthetic s;
  double time = 0;
  s.options.clock = [&] { return time; };
  s.hook = [&](const Config &, Measurement &) { time += 3; };
  s.options.limitFactor = 4, s.options.minLimitSeconds = 5;
  s.options.stop.trials = 3;
  s.tuneOk();
  EXPECT_EQ(s.requests[0].limitSeconds, 0);
  EXPECT_EQ(s.requests[1].limitSeconds, 12);
  Synthetic fast;
  fast.options.clock = [] { return 0.0; };
  fast.options.stop.trials = 3;
  fast.tuneOk();
  EXPECT_EQ(fast.requests[1].limitSeconds, 5);
}

TEST(Tuner, BudgetInSeconds) {
  Synthetic s;
  double time = 0;
  s.options.clock = [&] { return time; };
  s.hook = [&](const Config &, Measurement &) { time += 1; };
  s.options.stop.trials = 0;
  s.options.stop.seconds = 10;
  TuneResult result = s.tuneOk();
  EXPECT_EQ(result.stopReason, "10 seconds passed");
  EXPECT_EQ(s.measured.size(), 10u);
}

TEST(Tuner, CancelKeepsTheBestSoFar) {
  Synthetic s;
  s.options.stop.trials = 0;
  size_t runs = 0;
  s.hook = [&](const Config &, Measurement &m) {
    m.checkedElements = 10;
    if (++runs == 10) {
      s.options.cancel.cancel();
      m.status = TrialStatus::Launch, m.reason = "killed";
    }
  };
  TuneResult result = s.tuneOk("exhaustive");
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.stopReason, "interrupted");
  EXPECT_EQ(s.measured.size(), 10u);
  // What was cut short does not count; the default is a candidate as well.
  EXPECT_EQ(result.tried, 9u);
  EXPECT_TRUE(result.failures.empty());
  ASSERT_TRUE(result.tuned);
  EXPECT_TRUE(result.verified);
  EXPECT_TRUE(s.verified.empty());
  EXPECT_FALSE(result.run.finished);
}

TEST(Tuner, CancelledBeforeItBegins) {
  Synthetic s;
  s.options.cancel.cancel();
  TuneResult result = s.tuneOk();
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.tuned);
}

TEST(Tuner, AMissingWorkerOrDeviceEndsTheRunAtOnce) {
  Synthetic s;
  s.callbacks.compile = [](const Config &) {
    Artifact artifact;
    artifact.status = TrialStatus::Compile;
    artifact.reason = "cannot run the compile worker '/x'";
    artifact.fatal = true;
    std::promise<Artifact> promise;
    promise.set_value(artifact);
    return promise.get_future();
  };
  EXPECT_EQ(s.tune().error().message, "cannot run the compile worker '/x'");
  Synthetic gone;
  gone.hook = [&](const Config &, Measurement &m) {
    if (gone.measured.size() == 5)
      m.status = TrialStatus::Launch, m.reason = "no device", m.fatal = true;
  };
  TuneResult result = gone.tuneOk();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.stopReason, "no device");
  EXPECT_EQ(gone.measured.size(), 5u);
}

TEST(Tuner, BadTasksAreErrors) {
  Synthetic s;
  s.task.heuristic = 99;
  EXPECT_EQ(s.tune().error().message,
            "the untuned pick is candidate 99, but there are 64");
  s.task.heuristic = 0;
  s.task.predicted.pop_back();
  EXPECT_EQ(s.tune().error().message, "63 predictions for 64 candidates");
  s.task.candidates.clear();
  EXPECT_EQ(s.tune().error().message, "there is no candidate to tune");
  s.callbacks.measure = nullptr;
  EXPECT_EQ(s.tune().error().message,
            "a tuning task lacks its space, strategy or callbacks");
}

TEST(Tuner, LessonsSayWhatTheModelGotWrong) {
  Synthetic s;
  s.options.stop.trials = 0;
  TuneResult result = s.tuneOk("exhaustive");
  std::string slow, plain;
  for (const TrialRecord &trial : result.trials) {
    if (configText(trial.config) == "{block = 16, vector = 4}")
      slow = trial.lesson;
    if (trial.role == TrialRole::Heuristic)
      plain = trial.lesson;
  }
  EXPECT_EQ(plain, "1.00 x the prediction of 1.100 ms; new best");
  // The first of the large blocks: measured twice as fast as expected.
  EXPECT_EQ(slow.rfind("0.50 x the prediction of 2.200 ms", 0), 0u) << slow;
  EXPECT_NE(slow.find("% faster than the model expects"), std::string::npos);
}
