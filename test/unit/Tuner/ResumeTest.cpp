//===- ResumeTest.cpp - records, and runs that are killed -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synthetic.h"

#include <filesystem>
#include <thread>

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hwtune;

namespace {
class ResumeTest : public testing::Test {
protected:
  ResumeTest() {
    std::string pattern = testing::TempDir() + "/hwtune-tuner-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~ResumeTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<Database> open(const std::string &name = "records.db") {
    Expected<std::unique_ptr<Database>> db =
        Database::open(folder + "/" + name);
    EXPECT_TRUE(bool(db)) << (db ? "" : db.error().str());
    return db ? std::move(*db) : nullptr;
  }
  TuneResult tune(Synthetic &s, const std::string &name = "records.db") {
    std::unique_ptr<Database> db = open(name);
    s.options.database = db.get();
    TuneResult result = s.tuneOk("annealing");
    s.options.database = nullptr;
    return result;
  }
  /// Configurations and times in order: what a run consists of.
  static std::string course(const TuneResult &result) {
    std::string text;
    for (const TrialRecord &trial : result.trials)
      text += fmt::format("{} {} {}\n", trial.index, configText(trial.config),
                          trial.medianNs.value_or(0));
    return text;
  }
  std::string folder;
};
} // namespace

TEST_F(ResumeTest, ARunIsAHitAfterwards) {
  Synthetic s;
  TuneResult result = tune(s);
  std::unique_ptr<Database> db = open();
  Expected<Lookup> found =
      db->lookup(s.task.run.key, {Label::Simulated, 24, 0});
  ASSERT_EQ(found->match, Lookup::Match::SameGpu) << found->nearest;
  Expected<TuneResult> again = resultFromRecord(found->run, s.space);
  ASSERT_TRUE(bool(again)) << again.error().str();
  EXPECT_TRUE(again->fromRecords);
  EXPECT_EQ(again->tuned->config, result.tuned->config);
  EXPECT_EQ(again->heuristic->config, result.heuristic->config);
  // To the last digit: the same output comes of both.
  EXPECT_EQ(*again->speedup, *result.speedup);
  EXPECT_EQ(again->tuned->seconds, result.tuned->seconds);
  EXPECT_EQ(again->generic->seconds, result.generic->seconds);
  EXPECT_EQ(again->heuristic->seconds, result.heuristic->seconds);
  EXPECT_EQ(again->counts.product, 64u);
  EXPECT_TRUE(again->verified);
  EXPECT_EQ(db->trials(1)->size(), result.trials.size());

  found->run.config = {{"block", 8}};
  EXPECT_EQ(resultFromRecord(found->run, s.space).error().message,
            "the stored configuration {block = 8} does not fit: no value for "
            "knob 'vector'");
  found->run.config = {{"block", 0}, {"vector", 1}};
  EXPECT_EQ(resultFromRecord(found->run, s.space)
                .error()
                .message.rfind("the stored configuration {block = 0, vector = "
                               "1} is not legal here",
                               0),
            0u);
}

// Time is least at {8, 4}, and energy where the block is small: the front is
// {8, 4}, {4, 4}, {2, 4}, {1, 4}, of which {4, 4} is wrong.
TEST_F(ResumeTest, AnotherWeightPicksFromTheStoredFront) {
  Synthetic s;
  s.options.objective = Objective::Pareto;
  s.options.weight = 1;
  s.options.stop.trials = 64;
  s.hook = [](const Config &config, Measurement &m) {
    m.measured.joules = 1e-3 * std::pow(1.2, std::log2(double(config[0])));
  };
  s.wrong = {{4, 4}};
  TuneResult result = tune(s);
  EXPECT_EQ(result.tuned->config, (Config{8, 4}));
  const std::vector<FrontPoint> &front = result.run.front;
  ASSERT_EQ(front.size(), 3u);
  const OrderedJson places[] = {{{"block", 8}, {"vector", 4}},
                                {{"block", 2}, {"vector", 4}},
                                {{"block", 1}, {"vector", 4}}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(front[i].config, places[i]);
    Config config = *configFromJson(s.space, front[i].config);
    EXPECT_TRUE(std::count(s.verified.begin(), s.verified.end(), config));
  }

  std::unique_ptr<Database> db = open();
  std::vector<TrialRecord> trials = *db->trials(1);
  auto pick = [&](double weight) {
    RunRecord run = db->runs()->front().run;
    pickFromFront(run, trials, weight);
    return run;
  };
  EXPECT_EQ(pick(1).config, places[0]);
  EXPECT_EQ(pick(0.7).config, places[0]); // .3 log 1.728 < .7 log 1.331
  RunRecord least = pick(0);
  EXPECT_EQ(least.config, places[2]);
  EXPECT_NEAR(*least.tunedNs, 1.331e6, 1);
  EXPECT_NEAR(*least.tunedMJ, 1, 1e-9);
  EXPECT_EQ(least.artifact, "1-4");
  EXPECT_EQ(pick(0.5).config, places[2]); // .5 log 1.331 < .5 log 1.728
  trials.clear(); // then nothing is known of what would be picked
  EXPECT_EQ(pick(0).config, places[0]);
}

TEST_F(ResumeTest, NothingIsMeasuredAgain) {
  Synthetic first, second;
  TuneResult a = tune(first), b = tune(second);
  EXPECT_EQ(course(a), course(b));
  EXPECT_EQ(second.measured.size(), 1u); // the default
  EXPECT_EQ(b.resumed, b.tried);
  // A larger budget goes on from there.
  Synthetic third;
  third.options.stop.trials = 40;
  TuneResult c = tune(third);
  EXPECT_EQ(c.tried, 40u);
  EXPECT_LT(third.measured.size(), 41u);
}

TEST_F(ResumeTest, OtherSeedsAndLabelsDoNotCount) {
  Synthetic first;
  tune(first);
  Synthetic seed;
  seed.task.run.seed = 5;
  EXPECT_EQ(tune(seed).resumed, 0u);
  Synthetic measured;
  measured.label = Label::Measured;
  EXPECT_EQ(tune(measured).resumed, 0u);
  Synthetic off;
  off.options.resume = false;
  EXPECT_EQ(tune(off).resumed, 0u);
}

TEST_F(ResumeTest, FailuresAreRememberedToo) {
  Synthetic first, second;
  for (Synthetic *s : {&first, &second})
    for (const Config &config : s->task.candidates)
      if (config[1] >= 16)
        s->faults[config] = TrialStatus::Sticky;
  TuneResult a = tune(first), b = tune(second);
  EXPECT_GT(a.failures[TrialStatus::Sticky], 0u);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(second.measured.size(), 1u);
}

// What another process may have caused is tried again.
TEST_F(ResumeTest, PassingFailuresAreTriedAgain) {
  Synthetic first, second;
  for (const Config &config : first.task.candidates)
    if (config[1] >= 16)
      first.faults[config] = TrialStatus::Launch;
  TuneResult a = tune(first), b = tune(second);
  EXPECT_GT(a.failures[TrialStatus::Launch], 0u);
  EXPECT_EQ(b.failures[TrialStatus::Launch], 0u);
  // What passed the first time is not measured again; what failed is, and what
  // the search turns to now that it knows more.
  size_t failed = 0;
  for (const Config &config : second.measured) {
    bool met = std::find(first.measured.begin(), first.measured.end(),
                         config) != first.measured.end();
    failed += first.faults.count(config);
    if (config != second.task.generic) // the default is measured each time
      EXPECT_TRUE(!met || first.faults.count(config));
  }
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(b.resumed + second.measured.size(), b.trials.size());
}

TEST_F(ResumeTest, ASearchThatGaveUpSparesNoLargerOne) {
  Synthetic s;
  s.options.maxEqualFailures = 5;
  for (const Config &config : s.task.candidates)
    if (config != s.task.generic)
      s.faults[config] = TrialStatus::Launch;
  TuneResult result = tune(s);
  ASSERT_EQ(result.tried, 5u);
  EXPECT_EQ(result.run.budgetTrials, 5);
  std::unique_ptr<Database> db = open();
  EXPECT_EQ(db->lookup(s.task.run.key, {Label::Simulated, 5, 0})->match,
            Lookup::Match::SameGpu);
  EXPECT_EQ(db->lookup(s.task.run.key, {Label::Simulated, 24, 0})->nearest,
            "it had a budget of 5 trials, 24 are asked for");
}

TEST_F(ResumeTest, ReasonsOfAnyLengthCanBeStored) {
  Synthetic s;
  s.options.maxEqualFailures = 5;
  s.hook = [&](const Config &config, Measurement &m) {
    if (config == s.task.generic)
      return;
    m.status = TrialStatus::Launch;
    m.reason = std::string(3 << 20, 'x');
  };
  tune(s);
  std::unique_ptr<Database> db = open();
  Expected<std::vector<TrialRecord>> trials = db->trials(1);
  ASSERT_TRUE(bool(trials)) << trials.error().str();
  const std::string &reason = trials->at(1).reason;
  EXPECT_EQ(reason.substr(kMaxReasonBytes), " ... (3080192 bytes more)");
}

// The course after a kill at any point is that of a run that was left alone.
TEST_F(ResumeTest, AKilledRunGivesTheSameResult) {
  Synthetic whole;
  std::string expected = course(tune(whole, "whole.db"));
  for (size_t killAt : {1u, 2u, 7u, 20u}) {
    SCOPED_TRACE(killAt);
    std::string name = "killed" + std::to_string(killAt) + ".db";
    pid_t child = fork();
    if (child == 0) {
      Synthetic s;
      s.hook = [&](const Config &, Measurement &) {
        if (s.measured.size() > killAt)
          ::kill(::getpid(), SIGKILL);
      };
      tune(s, name);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    Synthetic s;
    TuneResult result = tune(s, name);
    EXPECT_EQ(course(result), expected);
    EXPECT_GE(result.resumed + 1, killAt);
    EXPECT_EQ(s.measured.size() + result.resumed, result.trials.size());
  }
}

TEST_F(ResumeTest, AnInterruptedRunIsNoHitButIsResumed) {
  Synthetic s;
  s.hook = [&](const Config &, Measurement &) {
    if (s.measured.size() == 10)
      s.options.cancel.cancel();
  };
  TuneResult cut = tune(s);
  EXPECT_TRUE(cut.interrupted);
  EXPECT_EQ(open()->lookup(s.task.run.key, {Label::Simulated, 24, 0})->match,
            Lookup::Match::None);
  Synthetic again, whole;
  std::string expected = course(tune(whole, "whole.db"));
  TuneResult result = tune(again);
  EXPECT_EQ(course(result), expected);
  EXPECT_GT(result.resumed, 5u);
}

TEST_F(ResumeTest, AFullDiskIsAnError) {
  Synthetic s;
  std::unique_ptr<Database> db = open();
  s.options.database = db.get();
  s.hook = [&](const Config &, Measurement &m) {
    m.seconds.assign(20000, m.seconds[0]); // large records
  };
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  limit = before;
  limit.rlim_cur = 2000000;
  setrlimit(RLIMIT_FSIZE, &limit);
  Expected<TuneResult> result = s.tune();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message.rfind("cannot write to the database", 0), 0u)
      << result.error().message;
}
