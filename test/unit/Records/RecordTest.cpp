//===- RecordTest.cpp - JSON form of records ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

using namespace hwtune;

TEST(Record, Names) {
  for (TrialStatus status : kTrialStatuses)
    EXPECT_EQ(parseTrialStatus(toString(status)), status);
  for (Label label :
       {Label::Predicted, Label::Simulated, Label::Replayed, Label::Measured})
    EXPECT_EQ(parseLabel(toString(label)), label);
  EXPECT_LT(Label::Predicted, Label::Simulated);
  EXPECT_LT(Label::Simulated, Label::Replayed);
  EXPECT_LT(Label::Replayed, Label::Measured);
  EXPECT_FALSE(parseLabel("guessed"));
}

TEST(Record, TrialRoundTrip) {
  TrialRecord trial = sampleTrial(3);
  trial.status = TrialStatus::Wrong;
  trial.reason = "element 7: \"3\" expected\n4";
  trial.lesson = "slower";
  OrderedJson json = toJson(trial);
  Expected<TrialRecord> back = trialFromJson(json);
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_EQ(dumpJson(toJson(*back)), dumpJson(json));
  EXPECT_EQ(configText(back->config), "{block_m = 67, alpha = 4}");
}

TEST(Record, RunRoundTrip) {
  RunRecord run = sampleRun();
  run.uid = "u";
  run.seed = UINT64_MAX;
  run.weights = {{"memory", 1.25}, {"compute", 0.5}};
  run.spillBytes = 24, run.registerBasis = "ptxas";
  run.genericMJ = 3.5, run.tunedMJ = 2.25;
  run.front = {{run.config, 1000, 2.5}, {run.config, 1100, 2.25}};
  OrderedJson json = toJson(run);
  Expected<RunRecord> back = runFromJson(json);
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_EQ(dumpJson(toJson(*back)), dumpJson(json));
  EXPECT_EQ(back->seed, UINT64_MAX);
  EXPECT_EQ(back->rejected, run.rejected);
  EXPECT_EQ(back->weights, run.weights);
  EXPECT_EQ(back->spillBytes, 24);
  EXPECT_EQ(back->registerBasis, "ptxas");
  EXPECT_EQ(back->genericMJ, 3.5);
  EXPECT_EQ(back->tunedMJ, 2.25);
  ASSERT_EQ(back->front.size(), 2u);
  EXPECT_EQ(back->front[1].config, run.config);
  EXPECT_EQ(back->front[1].timeNs, 1100);
  EXPECT_EQ(back->front[1].energyMJ, 2.25);
}

TEST(Record, IdentityIgnoresTheOrderOfFields) {
  TrialRecord a = sampleTrial(0), b = a;
  b.config = {{"alpha", 4}, {"block_m", 64}};
  EXPECT_EQ(a.identity(), b.identity());
  b.schedule = "other";
  EXPECT_NE(a.identity(), b.identity());
}

static std::string trialError(const char *field, const OrderedJson &value) {
  OrderedJson json = toJson(sampleTrial(0));
  json[field] = value;
  Expected<TrialRecord> trial = trialFromJson(json);
  return trial ? "accepted" : trial.error().message;
}

TEST(Record, Errors) {
  EXPECT_EQ(trialError("status", "fine"), "trial.status: unknown value 'fine'");
  EXPECT_EQ(trialError("label", 3), "trial.label: expected a string, found 3");
  EXPECT_EQ(trialError("colour", 1).rfind("trial: unknown field `colour`", 0),
            0u);
  EXPECT_EQ(trialError("times_ns", {1, -2}).rfind("trial.times_ns[1]: -2", 0),
            0u);
  EXPECT_EQ(trialError("config", {{"a", {1, 2}}}),
            "trial.config: knob `a` is no number or word");
  EXPECT_EQ(trialError("config", OrderedJson::array({1})),
            "trial.config: expected an object, found a list");
  EXPECT_EQ(trialError("median_ns", 0),
            "trial: status is ok, but there is no median_ns above 0");
  EXPECT_FALSE(trialFromJson(OrderedJson::array()));
  EXPECT_FALSE(runFromJson(OrderedJson(3)));
}

TEST(Record, ConfigOfASpace) {
  Space space;
  space.knobs = {{"b", {1, 2}, ""}, {"a", {3}, ""}};
  OrderedJson json = configToJson(space, {2, 3});
  EXPECT_EQ(dumpJson(json), "{\"b\":2,\"a\":3}");
  EXPECT_EQ(*configFromJson(space, json), (Config{2, 3}));
  EXPECT_EQ(configFromJson(space, {{"b", 2}}).error().message,
            "no value for knob 'a'");
  EXPECT_FALSE(configFromJson(space, {{"b", 2.5}, {"a", 3}}));
}

TEST(Record, KeyDifferences) {
  RecordKey a = sampleKey(), b = a;
  EXPECT_TRUE(differences(a, b).empty());
  b.gpu = "x", b.policy = "warm";
  EXPECT_EQ(differences(a, b), (std::vector<std::string>{"gpu", "policy"}));
}
