//===- LookupTest.cpp - which stored run spares a new one -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

using namespace hwtune;

namespace {
class LookupTest : public FolderTest {
protected:
  LookupTest() : db(create()) {}

  void store(const RunRecord &run) {
    Expected<int64_t> id = db->beginRun(run);
    ASSERT_TRUE(bool(id)) << id.error().str();
    if (run.finished) {
      ASSERT_TRUE(bool(db->finishRun(*id, run)));
    }
  }
  Lookup find(HitRule rule = {Label::Simulated, 48, 0},
              RecordKey key = sampleKey()) {
    Expected<Lookup> found = db->lookup(key, rule);
    EXPECT_TRUE(bool(found)) << (found ? "" : found.error().str());
    return found ? *found : Lookup();
  }

  std::unique_ptr<Database> db;
};
using Match = Lookup::Match;
} // namespace

TEST_F(LookupTest, NothingStored) {
  EXPECT_EQ(find().match, Match::None);
  EXPECT_EQ(find().nearest, "");
}

TEST_F(LookupTest, Hit) {
  store(sampleRun());
  Lookup found = find();
  ASSERT_EQ(found.match, Match::SameGpu);
  EXPECT_EQ(found.run.tunedNs, 1e6);
  EXPECT_EQ(configText(found.run.config), "{block_m = 128, alpha = 4}");
  EXPECT_EQ(found.nearest, "");
}

TEST_F(LookupTest, LabelMustRankAsHigh) {
  store(sampleRun());
  EXPECT_EQ(find({Label::Predicted, 48, 0}).match, Match::SameGpu);
  Lookup found = find({Label::Measured, 48, 0});
  EXPECT_EQ(found.match, Match::None);
  EXPECT_EQ(found.nearest,
            "its times are simulated, this device's are measured");
}

TEST_F(LookupTest, BudgetMustBeAsLarge) {
  store(sampleRun());
  EXPECT_EQ(find({Label::Simulated, 16, 0}).match, Match::SameGpu);
  Lookup found = find({Label::Simulated, 49, 0});
  EXPECT_EQ(found.match, Match::None);
  EXPECT_EQ(found.nearest, "it had a budget of 48 trials, 49 are asked for");
  // No limit is more than any.
  EXPECT_EQ(find({Label::Simulated, 0, 0}).match, Match::None);
  RunRecord run = sampleRun();
  run.budgetTrials = 0, run.budgetSeconds = 60;
  store(run);
  EXPECT_EQ(find({Label::Simulated, 1000, 60}).match, Match::SameGpu);
  EXPECT_EQ(find({Label::Simulated, 1000, 61}).match, Match::None);
}

TEST_F(LookupTest, ConvergedNeedsNoBudget) {
  RunRecord run = sampleRun();
  run.converged = true;
  store(run);
  EXPECT_EQ(find({Label::Simulated, 10000, 0}).match, Match::SameGpu);
}

TEST_F(LookupTest, UnverifiedUnfinishedAndEmptyDoNotCount) {
  RunRecord run = sampleRun();
  run.verified = false;
  store(run);
  EXPECT_EQ(find().nearest, "its winner was not verified");
  run = sampleRun();
  run.tunedNs.reset();
  store(run);
  run = sampleRun();
  run.finished.reset();
  store(run);
  EXPECT_EQ(find().match, Match::None);
}

TEST_F(LookupTest, SameArchOnlyWhereTheGpuHasNothing) {
  RunRecord other = sampleRun();
  other.key.gpu = "a100-pcie-40gb";
  other.tunedNs = 0.5e6;
  store(other);
  ASSERT_EQ(find().match, Match::SameArch);
  EXPECT_EQ(find().run.key.gpu, "a100-pcie-40gb");
  store(sampleRun());
  ASSERT_EQ(find().match, Match::SameGpu);
  EXPECT_EQ(find().run.key.gpu, "a100-sxm4-80gb");
}

TEST_F(LookupTest, OtherKeysAreNamed) {
  RunRecord other = sampleRun();
  other.key.arch = "sm_90", other.key.gpu = "h100-sxm5";
  store(other);
  Lookup found = find();
  EXPECT_EQ(found.match, Match::None);
  EXPECT_EQ(found.nearest,
            "it differs in gpu ('h100-sxm5' there, 'a100-sxm4-80gb' here), "
            "arch ('sm_90' there, 'sm_80' here)");
  for (auto field : {&RecordKey::toolchain, &RecordKey::policy}) {
    RecordKey key = sampleKey();
    key.*field = "x";
    store(sampleRun());
    EXPECT_EQ(find({Label::Simulated, 48, 0}, key).match, Match::None);
  }
  RecordKey key = sampleKey();
  key.op = "ffff";
  EXPECT_EQ(find({Label::Simulated, 48, 0}, key).nearest, "");
}

TEST_F(LookupTest, HighestLabelThenFastest) {
  RunRecord slow = sampleRun(), fast = sampleRun(), measured = sampleRun();
  fast.tunedNs = 0.8e6;
  measured.label = Label::Measured, measured.tunedNs = 3e6;
  store(slow), store(fast);
  EXPECT_EQ(find().run.tunedNs, 0.8e6);
  store(measured), store(slow);
  EXPECT_EQ(find().run.tunedNs, 3e6);
}

TEST_F(LookupTest, PastTrialsOfKeyAndSeed) {
  RunRecord killed = sampleRun();
  killed.finished.reset();
  Expected<int64_t> first = db->beginRun(killed), second = db->beginRun(killed);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(bool(db->append(*first, sampleTrial(0))));
  ASSERT_TRUE(bool(db->append(*first, sampleTrial(1))));
  TrialRecord again = sampleTrial(1);
  again.index = 0;
  again.medianNs = 55;
  ASSERT_TRUE(bool(db->append(*second, again)));
  TrialRecord baseline = again;
  baseline.index = 1, baseline.role = TrialRole::Generic;
  ASSERT_TRUE(bool(db->append(*second, baseline)));
  killed.seed = 8;
  Expected<int64_t> third = db->beginRun(killed);
  ASSERT_TRUE(bool(db->append(*third, sampleTrial(5))));

  Expected<std::vector<TrialRecord>> past =
      db->pastTrials(sampleKey(), 7, Label::Simulated);
  ASSERT_TRUE(bool(past));
  ASSERT_EQ(past->size(), 3u);
  EXPECT_EQ((*past)[1].medianNs, 101); // the first, not the 55 of the second
  EXPECT_EQ((*past)[2].role, TrialRole::Generic);
  RecordKey key = sampleKey();
  key.gpu = "other";
  EXPECT_TRUE(db->pastTrials(key, 7, Label::Simulated)->empty());
}

TEST_F(LookupTest, TheScheduleMustBeTheOneAskedFor) {
  store(sampleRun());
  RunRecord other = sampleRun();
  other.schedule = "outer-product", other.tunedNs = 1;
  store(other);
  // The fastest is of another schedule, which has other knobs.
  Lookup found = find({Label::Simulated, 48, 0, "matmul"});
  ASSERT_EQ(found.match, Match::SameGpu);
  EXPECT_EQ(found.run.schedule, "matmul");
  EXPECT_EQ(find({Label::Simulated, 48, 0, "reduction"}).nearest,
            "its winner is of schedule 'matmul', expected 'reduction'");
}

TEST_F(LookupTest, ATimeOfNothingIsNoResult) {
  RunRecord run = sampleRun();
  run.tunedNs = 0;
  store(run);
  EXPECT_EQ(find().nearest, "it found nothing");
}

TEST(HitRule, SupersedesOnlyWhatItIsAHitFor) {
  RunRecord old = sampleRun(), fast = sampleRun();
  fast.tunedNs = 0.5e6;
  EXPECT_TRUE(supersedes(fast, old));
  EXPECT_FALSE(supersedes(old, fast));
  EXPECT_FALSE(supersedes(old, old)); // of two equal ones both stay
  // A faster run with a smaller budget is no hit for what `old` is one for.
  fast.budgetTrials = 8;
  EXPECT_FALSE(supersedes(fast, old));
  fast.converged = true;
  EXPECT_TRUE(supersedes(fast, old));
  // A converged run is a hit for any budget.
  old.converged = true;
  EXPECT_TRUE(supersedes(fast, old));
  fast.converged = false, fast.budgetTrials = 1000;
  EXPECT_FALSE(supersedes(fast, old));
  fast.budgetTrials = 0; // no limit
  EXPECT_TRUE(supersedes(fast, old));
}

TEST(HitRule, SupersedesByKeyLabelAndVerification) {
  RunRecord old = sampleRun(), other = sampleRun();
  other.tunedNs = 9e6;
  other.label = Label::Measured; // slower, but it counts for more
  EXPECT_TRUE(supersedes(other, old));
  EXPECT_FALSE(supersedes(old, other));
  other.key.toolchain = "llvm 23";
  EXPECT_FALSE(supersedes(other, old));
  // What nobody finds is not needed.
  RunRecord unverified = sampleRun();
  unverified.verified = false, unverified.tunedNs = 1;
  unverified.budgetTrials = 1000;
  EXPECT_TRUE(supersedes(old, unverified));
  EXPECT_FALSE(supersedes(unverified, old));
}
