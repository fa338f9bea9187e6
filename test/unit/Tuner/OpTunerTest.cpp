//===- OpTunerTest.cpp - one op, with stand-ins for compiler and device ---===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/OpTuner.h"

#include "hwtune/Model/Cost.h"
#include "hwtune/Model/ExpectedTime.h"
#include "hwtune/Model/Score.h"
#include "hwtune/Model/Weights.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Tuner/EarlierTimes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

using namespace hwtune;

namespace {
class OpTunerTest : public testing::Test {
protected:
  OpTunerTest() {
    std::string pattern = testing::TempDir() + "/hwtune-op-XXXXXX";
    folder = mkdtemp(pattern.data());
    request.target = *knownTarget("a100-sxm4-80gb");
    request.workload.key = "0123";
    request.workload.opName = "linalg.toy";
    request.space.knobs = {{"block", {1, 2, 3, 4, 5, 6, 7, 8}, ""}};
    request.schedule = "toy";
    request.generic = {2};
    request.features = [](const Config &c) {
      KernelFeatures f;
      f.threadsPerBlock = 128;
      f.blocks = 1e5 / double(c[0]);
      f.fma32 = 1000 * std::abs(double(c[0]) - 4.5) + 100;
      f.registers = 32;
      f.flops = 1e9;
      return f;
    };
    request.module = "full";
    request.tail = [](const Config &) { return TailCheck{"tail", {}}; };
    request.toolchain = "none";
    options.strategy = "exhaustive";
    environment.device = *parseDeviceName("sim:a100-sxm4-80gb");
    environment.runProgram = FAKE_WORKER;
    environment.workFolder = folder;
  }
  ~OpTunerTest() override { std::filesystem::remove_all(folder); }

  void startWorkers() {
    WorkerOptions worker;
    worker.program = FAKE_WORKER;
    worker.workers = 2;
    Expected<std::unique_ptr<WorkerPool>> started =
        WorkerPool::start(worker, environment.cancel);
    ASSERT_TRUE(bool(started)) << started.error().str();
    pool = std::move(*started);
    environment.workers = pool.get();
  }
  void openDatabase() {
    Expected<std::unique_ptr<Database>> opened =
        Database::open(folder + "/records.db");
    ASSERT_TRUE(bool(opened)) << opened.error().str();
    database = std::move(*opened);
    environment.database = database.get();
  }
  TuneResult tune() {
    Expected<TuneResult> result = tuneOp(request, options, environment);
    EXPECT_TRUE(bool(result)) << (result ? "" : result.error().str());
    return result ? *result : TuneResult();
  }
  std::string error() {
    Expected<TuneResult> result = tuneOp(request, options, environment);
    return result ? "tuned" : result.error().message;
  }

  std::string folder;
  OpTuneRequest request;
  OpTuneOptions options;
  TuneEnvironment environment;
  std::unique_ptr<WorkerPool> pool;
  std::unique_ptr<Database> database;
};
} // namespace

TEST_F(OpTunerTest, ThroughWorkersAndRuns) {
  startWorkers();
  TuneResult result = tune();
  ASSERT_TRUE(result.tuned && result.generic);
  // 8 is the fastest and wrong at a tail; 3 kills its worker, 5 is refused.
  EXPECT_EQ(result.tuned->config, Config{7});
  EXPECT_EQ(result.failures[TrialStatus::Wrong], 1u);
  EXPECT_EQ(result.failures[TrialStatus::Compile], 2u);
  EXPECT_TRUE(result.verified);
  EXPECT_EQ(result.tuned->trial.label, Label::Simulated);
  EXPECT_EQ(result.tuned->trial.checkedElements, 200);
  EXPECT_EQ(result.tuned->trial.registers, 64);
  // 128 threads of 64 registers: 32 warps of 64.
  EXPECT_DOUBLE_EQ(*result.tuned->trial.occupancy, 0.5);
  EXPECT_DOUBLE_EQ(*result.speedup, 3.5);
  EXPECT_EQ(result.run.key.gpu, "a100-sxm4-80gb");
  EXPECT_EQ(pool->replaced(), 1u);
  ASSERT_EQ(result.run.weights.size(), kNumTerms + 1);
  EXPECT_EQ(result.run.weights.back().first, kScaleName);
  EXPECT_EQ(result.run.weights[0].first, termName(Term::Fma));
}

// What is expected of a trial follows from all trials before it.
TEST_F(OpTunerTest, TheModelIsCorrectedAfterEachTrial) {
  startWorkers();
  TuneResult result = tune();
  ModelTarget target = ModelTarget::from(request.target);
  Ensemble ensemble = makeEnsemble(kDefaultEnsembleSize, options.seed);
  std::vector<Prediction> predictions;
  std::vector<double> seconds;
  CostWeights now;
  size_t corrected = 0;
  for (const TrialRecord &trial : result.trials) {
    if (trial.role == TrialRole::Final)
      continue;
    Config config = *configFromJson(request.space, trial.config);
    KernelFeatures features = request.features(config);
    double ns = expectedSeconds(features, target, ensemble, now) * 1e9;
    EXPECT_NEAR(*trial.predictedNs, ns, 1e-9 * ns) << trial.index;
    corrected += now != CostWeights();
    if (!trial.ok())
      continue;
    predictions.push_back(predict(features, target, Constants::reasoned()));
    // The ensemble's mean is what is corrected.
    seconds.push_back(*trial.medianNs * 1e-9 * predictions.back().seconds /
                      expectedSeconds(features, target, ensemble));
    now = correctWeights(predictions, seconds);
  }
  EXPECT_GE(corrected, 3u);
  for (unsigned k = 0; k < kNumTerms; ++k)
    EXPECT_EQ(result.run.weights[k],
              std::pair(std::string(termName(Term(k))), now.eta[k]));
  EXPECT_EQ(result.run.weights.back(),
            std::pair(std::string(kScaleName), now.scale));
}

TEST_F(OpTunerTest, TheSecondRunIsAHit) {
  startWorkers();
  openDatabase();
  TuneResult first = tune();
  environment.workers = pool.get();
  request.module = "something that would fail"; // it is not compiled
  TuneResult second = tune();
  EXPECT_TRUE(second.fromRecords);
  EXPECT_EQ(second.tuned->config, first.tuned->config);
  EXPECT_DOUBLE_EQ(*second.speedup, *first.speedup);
  EXPECT_TRUE(second.trials.empty());
  // The seed is no part of the question.
  options.seed = 7;
  EXPECT_TRUE(tune().fromRecords);
  // Another objective is another question.
  options.objective = Objective::Throughput;
  options.requireHit = true;
  EXPECT_EQ(error().rfind("no record for linalg.toy on a100-sxm4-80gb: it "
                          "differs in policy",
                          0),
            0u)
      << error();
}

TEST_F(OpTunerTest, AnotherGpusTimesAreThePrior) {
  startWorkers();
  openDatabase();
  TuneResult there = tune();
  EXPECT_EQ(there.prior, "");
  request.target = *knownTarget("rtx-3090");
  environment.device = *parseDeviceName("sim:rtx-3090");
  TuneResult here = tune();
  EXPECT_FALSE(here.fromRecords);
  double alpha = transferAlpha(
      similarity(*knownTarget("a100-sxm4-80gb"), *knownTarget("rtx-3090")));
  EXPECT_GT(alpha, 0);
  // The generic one and seven of eight, some of which failed.
  EXPECT_EQ(here.prior, fmt::format("prior: 8 times of this operation on "
                                    "a100-sxm4-80gb (simulated), alpha {:.2f}",
                                    alpha));
}

TEST_F(OpTunerTest, ATargetWithNothingInCommonGivesNoPrior) {
  startWorkers();
  openDatabase();
  tune();
  auto times = earlierTimes(*database, "0123", "toy", "latency",
                            *knownTarget("amd-mi250x-gcd"), Label::Simulated,
                            request.space);
  ASSERT_TRUE(times && *times);
  EXPECT_EQ((*times)->alpha, 0);
  EXPECT_EQ((*times)->note(),
            "8 times of this operation on a100-sxm4-80gb (simulated), alpha "
            "0.00: nothing in common, they are not used");
  EXPECT_FALSE(*earlierTimes(*database, "4567", "toy", "latency",
                             *knownTarget("t4"), Label::Simulated,
                             request.space));
  // Said also where nothing is measured.
  request.target = *knownTarget("amd-mi250x-gcd");
  environment.device = *parseDeviceName("model");
  EXPECT_EQ(tune().prior, (*times)->note());
}

TEST_F(OpTunerTest, EarlierTimesOfTheSameGpuAreThePrior) {
  startWorkers();
  openDatabase();
  options.trials = 3;
  tune();
  options.trials = 5; // more than the records answer
  options.seed = 3;
  TuneResult second = tune();
  EXPECT_FALSE(second.fromRecords);
  EXPECT_EQ(second.prior, "prior: 3 times of this operation on "
                          "a100-sxm4-80gb (simulated), alpha 1.00");
  // A simulated time is none of the GPU itself.
  EXPECT_FALSE(*earlierTimes(*database, "0123", "toy", "latency",
                             request.target, Label::Measured, request.space));
}

TEST_F(OpTunerTest, RecordsNameTheDeviceAsPeopleKnowIt) {
  startWorkers();
  EXPECT_EQ(tune().run.uuid, "sim:a100-sxm4-80gb");
  environment.device.argument = "/tmp/somewhere/target.json";
  environment.deviceId = "sim:mine";
  EXPECT_EQ(tune().run.uuid, "sim:mine");
}

TEST_F(OpTunerTest, WhatCannotBeCheckedIsNotCalledWrong) {
  startWorkers();
  request.tail = [](const Config &config) {
    return TailCheck{config == Config{8} ? "unrunnable" : "small", {}};
  };
  TuneResult result = tune();
  EXPECT_EQ(result.tuned->config, Config{7});
  EXPECT_EQ(result.failures[TrialStatus::Wrong], 0u);
  EXPECT_EQ(result.failures[TrialStatus::RunTimeout], 1u);
  EXPECT_EQ(result.firstFailure[TrialStatus::RunTimeout],
            "the check (tail) fails (run_timeout): it did not end");
}

TEST_F(OpTunerTest, RequireHit) {
  options.requireHit = true;
  startWorkers();
  EXPECT_EQ(error(), "no record for linalg.toy on a100-sxm4-80gb: there is no "
                     "database");
  openDatabase();
  EXPECT_EQ(error(), "no record for linalg.toy on a100-sxm4-80gb: it holds no "
                     "run of this operation");
  options.requireHit = false;
  tune();
  // The same architecture, another GPU: taken, and said.
  options.requireHit = true;
  request.target = *knownTarget("a100-sxm4-40gb");
  TuneResult other = tune();
  ASSERT_EQ(other.warnings.size(), 1u);
  EXPECT_EQ(other.warnings[0],
            "taken from a100-sxm4-80gb, which has the same architecture; not "
            "tuned for a100-sxm4-40gb");
  // Not required: it is tuned for itself.
  options.requireHit = false;
  EXPECT_FALSE(tune().fromRecords);
}

TEST_F(OpTunerTest, TheModelAloneMeasuresNothing) {
  environment.device = *parseDeviceName("model");
  TuneResult result = tune();
  ASSERT_TRUE(result.tuned);
  EXPECT_EQ(result.tuned->trial.label, Label::Predicted);
  EXPECT_FALSE(result.verified);
  EXPECT_GE(*result.speedup, 1);
  EXPECT_TRUE(result.run.weights.empty());
}

TEST_F(OpTunerTest, Errors) {
  EXPECT_EQ(error(), "there are no compile workers");
  environment.device = *parseDeviceName("replay:/nowhere/x.json");
  EXPECT_NE(error().find("No such file"), std::string::npos) << error();
  environment.device = *parseDeviceName("model");
  options.strategy = "luck";
  EXPECT_NE(error().find("luck"), std::string::npos);
  request.workload.key = "";
  EXPECT_EQ(error(), "the workload has no key");
}

TEST_F(OpTunerTest, AMissingRunProgramIsSaidAtOnce) {
  startWorkers();
  environment.runProgram = "/nowhere/hwtune-run";
  std::string message = error();
  EXPECT_NE(message.find("/nowhere/hwtune-run"), std::string::npos) << message;
}

TEST(OpTunerParts, Labels) {
  EXPECT_EQ(labelOf(*parseDeviceName("cuda:0")), Label::Measured);
  EXPECT_EQ(labelOf(*parseDeviceName("sim:x")), Label::Simulated);
  EXPECT_EQ(labelOf(*parseDeviceName("model")), Label::Predicted);
}

TEST(OpTunerParts, WeightsOfTheLastRunThatCounts) {
  auto stored = [](const char *kind, const char *gpu, double finished,
                   Label label, double memory) {
    Database::StoredRun s;
    s.run.opKind = kind;
    s.run.key.gpu = gpu;
    s.run.key.policy = measuringPolicy({});
    s.run.finished = finished;
    s.run.label = label;
    s.run.weights = {{"load_store", memory}, {"fma", 1.5}, {"scale", 3}};
    return s;
  };
  std::vector<Database::StoredRun> runs = {
      stored("contraction", "a", 1, Label::Measured, 2),
      stored("contraction", "a", 3, Label::Simulated, 3),
      stored("contraction", "a", 4, Label::Predicted, 4),
      stored("contraction", "b", 5, Label::Measured, 5),
      stored("reduction", "a", 6, Label::Measured, 6)};
  constexpr auto lsu = static_cast<unsigned>(Term::Lsu);
  auto memory = [&](const char *kind, const char *gpu, Label least) {
    return rememberedWeights(runs, kind, gpu, kFromIdle, least).eta[lsu];
  };
  EXPECT_EQ(memory("contraction", "a", Label::Measured), 2);
  EXPECT_EQ(memory("contraction", "a", Label::Simulated), 3);
  EXPECT_EQ(memory("contraction", "a", Label::Predicted), 3);
  EXPECT_EQ(memory("contraction", "c", Label::Predicted), 1);
  CostWeights w =
      rememberedWeights(runs, "contraction", "a", kFromIdle, Label::Measured);
  EXPECT_EQ(w.eta[static_cast<unsigned>(Term::Fma)], 1.5);
  EXPECT_EQ(w.eta[static_cast<unsigned>(Term::Chain)], 1); // not said there
  EXPECT_EQ(w.scale, 3);
  // Launches back to back are other times.
  EXPECT_EQ(
      rememberedWeights(runs, "contraction", "a", kBackToBack, Label::Measured)
          .eta[lsu],
      1);
  // Of another version of the features: it corrects another model.
  runs[1].run.key.policy =
      "objective latency, from idle, cold cache, feature version 0";
  EXPECT_EQ(memory("contraction", "a", Label::Simulated), 2);
  runs[0].run.finished.reset(); // was killed
  EXPECT_EQ(memory("contraction", "a", Label::Measured), 1);
}

TEST(OpTunerParts, RepliesAsArtifacts) {
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  WorkerReply reply;
  reply.status = WorkerReply::Status::TimedOut;
  reply.reason = "slow";
  EXPECT_EQ(artifactFrom(reply, target).status, TrialStatus::CompileTimeout);
  reply.status = WorkerReply::Status::Unavailable;
  EXPECT_TRUE(artifactFrom(reply, target).fatal);
  reply.status = WorkerReply::Status::Answered;
  reply.body = {{"id", 1}};
  EXPECT_EQ(artifactFrom(reply, target).reason, "reply: field `ok` is missing");
  CompileReply large;
  large.ok = true;
  large.block = {1024, 1, 1};
  large.registers = 128;
  large.registerBasis = "ptxas";
  reply.body = large.toJson();
  Artifact artifact = artifactFrom(reply, target);
  EXPECT_EQ(artifact.status, TrialStatus::Constraint);
  EXPECT_NE(artifact.reason.find("no block fits an SM"), std::string::npos);
}

TEST(OpTunerParts, OutcomesAsMeasurements) {
  for (TrialStatus status : kTrialStatuses) {
    RunOutcome outcome;
    outcome.status = *parseRunStatus(toString(status));
    EXPECT_EQ(measurementFrom(outcome, Label::Replayed).status, status);
    // A failure says nothing of where it was: that is the device's.
    EXPECT_EQ(measurementFrom(outcome, Label::Replayed).label, Label::Replayed);
  }
  RunOutcome outcome;
  outcome.label = "simulated";
  outcome.timing = TimingRecord();
  outcome.timing->median = 2, outcome.timing->cache = "cold";
  Measurement m = measurementFrom(outcome, Label::Replayed);
  EXPECT_EQ(m.label, Label::Simulated);
  EXPECT_EQ(m.measured.coldSeconds, 2);
  outcome.timing->cache = "warm";
  EXPECT_FALSE(measurementFrom(outcome, Label::Replayed).measured.coldSeconds);
}
