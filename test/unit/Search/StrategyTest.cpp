//===- StrategyTest.cpp - what every strategy promises -------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Synthetic.h"
#include "Trust.h"

#include "hwtune/Search/Complete.h"
#include "hwtune/Search/Transfer.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace hwtune;

namespace {

class EveryStrategy : public testing::TestWithParam<std::string_view> {
protected:
  Synthetic make(const std::vector<size_t> &sides, uint64_t seed,
                 double failures = 0) {
    Synthetic s = bowl(sides, seed, 0.02, failures);
    addModel(s, 6, 0.2, seed);
    return s;
  }
};

TEST_P(EveryStrategy, VisitsEveryClassOnceAndEnds) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Synthetic s = make({3, 4, 2}, seed, 0.3);
    // Pairs of candidates are one kernel.
    for (size_t i = 0; i < s.problem.size(); ++i)
      s.problem.classes.push_back(uint32_t(i / 2));
    Trace run = runStrategy(GetParam(), s, seed, 1000);
    std::set<size_t> classes;
    for (size_t i : run.order)
      EXPECT_TRUE(classes.insert(i / 2).second) << i;
    EXPECT_EQ(classes.size(), s.problem.size() / 2);
  }
}

TEST_P(EveryStrategy, OneSeedOneRun) {
  Synthetic s = make({5, 5, 5}, 1);
  EXPECT_EQ(runStrategy(GetParam(), s, 3, 40).order,
            runStrategy(GetParam(), s, 3, 40).order);
}

TEST_P(EveryStrategy, ResumesFromObservations) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Synthetic s = make({5, 5, 5}, seed, 0.2);
    Trace whole = runStrategy(GetParam(), s, seed, 50);
    for (size_t cut : {1, 7, 23}) {
      auto strategy = makeStrategy(GetParam(), s.problem, {seed, 50});
      ASSERT_TRUE(strategy);
      for (size_t i = 0; i < cut; ++i)
        (*strategy)->tell(s.measure(whole.order[i]));
      for (size_t i = cut; i < whole.order.size(); ++i) {
        std::vector<size_t> next = (*strategy)->ask();
        ASSERT_EQ(next.size(), 1u);
        ASSERT_EQ(next[0], whole.order[i]) << "trial " << i << ", cut " << cut;
        (*strategy)->tell(s.measure(next[0]));
      }
    }
  }
}

TEST_P(EveryStrategy, OneCandidate) {
  Synthetic s;
  s.problem.parameters = Table(1, 2);
  s.problem.logTime = Table(1, 1);
  s.values = {1};
  Trace run = runStrategy(GetParam(), s, 0, 10);
  EXPECT_EQ(run.order, std::vector<size_t>{0});
  EXPECT_EQ(run.best, 1);
}

TEST_P(EveryStrategy, OneAndTwoValueParameters) {
  Synthetic s = make({1, 2, 1, 2}, 3);
  EXPECT_EQ(runStrategy(GetParam(), s, 0, 100).order.size(), 8u);
  EXPECT_DOUBLE_EQ(runStrategy(GetParam(), s, 0, 100).best, s.optimum());
}

/// A model that knows nothing of the parameters, or a few classes of them, or
/// that forbids all or all but one.
TEST_P(EveryStrategy, ModelsThatTellLittleApart) {
  auto predicted = std::vector<std::function<float(size_t)>>{
      [](size_t) { return 1.0f; },
      [](size_t i) { return i % 3 ? 2.0f : 1.0f; },
      [](size_t) { return INFINITY; },
      [](size_t i) { return i == 7 ? 1.0f : INFINITY; },
  };
  for (const auto &of : predicted) {
    Synthetic s = make({5, 5, 2}, 3);
    for (size_t i = 0; i < s.problem.size(); ++i)
      for (size_t j = 0; j < s.problem.logTime.columns; ++j)
        s.problem.logTime.at(i, j) = of(i);
    Trace run = runStrategy(GetParam(), s, 0, 1000);
    EXPECT_EQ(run.order.size(), s.problem.size());
    EXPECT_DOUBLE_EQ(run.best, s.optimum());
  }
}

TEST_P(EveryStrategy, BudgetBelowTheFirstSample) {
  Synthetic s = make({6, 6}, 3);
  for (size_t budget = 1; budget < 5; ++budget)
    EXPECT_EQ(runStrategy(GetParam(), s, 0, budget).order.size(), budget);
}

TEST_P(EveryStrategy, AllCandidatesFail) {
  Synthetic s = make({4, 4, 4}, 3);
  std::fill(s.values.begin(), s.values.end(), 0);
  Trace run = runStrategy(GetParam(), s, 0, 1000);
  EXPECT_EQ(run.order.size(), s.problem.size());
  EXPECT_TRUE(std::isinf(run.best));
}

TEST_P(EveryStrategy, BatchesAreDistinctAndPendingCounts) {
  Synthetic s = make({5, 5, 4}, 2);
  auto strategy = makeStrategy(GetParam(), s.problem, {1, 60});
  ASSERT_TRUE(strategy);
  std::set<size_t> all;
  for (int round = 0; round < 8; ++round) {
    std::vector<size_t> batch = (*strategy)->ask(6);
    EXPECT_EQ(batch.size(), 6u);
    for (size_t i : batch)
      EXPECT_TRUE(all.insert(i).second);
    // Told in another order than asked.
    for (size_t i = batch.size(); i-- > 0;)
      (*strategy)->tell(s.measure(batch[i]));
  }
}

TEST_P(EveryStrategy, ForeignAndRepeatedObservationsAreTaken) {
  Synthetic s = make({5, 5}, 2);
  auto strategy = makeStrategy(GetParam(), s.problem, {1, 20});
  ASSERT_TRUE(strategy);
  for (int twice = 0; twice < 2; ++twice)
    (*strategy)->tell(s.measure(17));
  (*strategy)->tell({1u << 30, true, 1});     // no such candidate
  (*strategy)->tell({3, true, std::nan("")}); // counts as failed
  for (int i = 0; i < 20; ++i)
    for (size_t next : (*strategy)->ask()) {
      EXPECT_NE(next, 17u);
      EXPECT_NE(next, 3u);
      (*strategy)->tell(s.measure(next));
    }
}

// All but the yardstick and the one that promises no order.
class Heuristic : public EveryStrategy {};

// Mean log of best over optimum after 30 of 2000 candidates, 20 seeds.
TEST_P(Heuristic, BeatsRandomOnBowls) {
  for (double failures : {0.0, 0.3}) {
    double ours = 0, random = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Synthetic s = make({10, 10, 10}, seed, failures);
      ours += std::log(runStrategy(GetParam(), s, seed, 30).best / s.optimum());
      random += std::log(runStrategy("random", s, seed, 30).best / s.optimum());
    }
    EXPECT_LT(ours, random) << "failures " << failures;
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy,
                         testing::ValuesIn(strategyNames().begin(),
                                           strategyNames().end()),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

INSTANTIATE_TEST_SUITE_P(Strategies, Heuristic,
                         testing::Values("annealing", "genetic", "bayes",
                                         "model", "auto"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

TEST(Strategy, Errors) {
  SearchProblem empty;
  empty.name = "mine";
  auto none = makeStrategy("random", empty);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().str(),
            "mine: the search has no candidates, expected at least one");
  Synthetic s = bowl({2, 2}, 0);
  auto unknown = makeStrategy("rnd", s.problem);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().str(),
            "unknown strategy `rnd`, expected one of exhaustive, random, "
            "annealing, genetic, bayes, model, auto");
  auto model = makeStrategy("model", s.problem);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().str(),
            "strategy `model` needs predicted times, and this search has none; "
            "use `auto`");
  s.problem.classes = {1};
  EXPECT_EQ(s.problem.check().error().str(), "bowl: 1 class ids, expected 8");
  s.problem.classes.clear();
  s.problem.parameters.at(3, 1) = NAN;
  EXPECT_EQ(s.problem.check().error().str(),
            "bowl: parameter 1 of candidate 3 is not finite");
  s = bowl({2, 2}, 0);
  s.problem.logTime = Table(3, 1);
  EXPECT_EQ(s.problem.check().error().str(),
            "bowl: log time table has 3 rows, expected 8");
  s.problem.logTime = Table(8, 1);
  s.problem.logTime.at(2, 0) = NAN;
  EXPECT_EQ(s.problem.check().error().str(),
            "bowl: a predicted log time is NaN or -infinity, expected finite "
            "or +infinity");
  s.problem.categorical.pop_back();
  EXPECT_EQ(s.problem.check().error().str(),
            "bowl: 2 categorical flags, expected one per parameter (3)");
}

TEST(Auto, FirstListHoldsTheFavouritesOfVectorsThatDisagree) {
  // 400 candidates in a row; three vectors of four like the first twenty, each
  // a little less than the one before it, the fourth likes only the last.
  Synthetic s = bowl({200}, 1);
  std::fill(s.values.begin(), s.values.end(), 1); // all run
  SearchProblem &p = s.problem;
  p.categorical.assign(2, false);
  p.logTime = Table(400, 4);
  for (size_t i = 0; i < 400; ++i)
    for (size_t m = 0; m < 4; ++m)
      p.logTime.at(i, m) = m < 3 ? (i < 20 ? 0.01f * float(i) : 1.0f)
                                 : (i < 399 ? 2.0f + 0.01f * float(i) : 0.0f);
  std::vector<size_t> order = runStrategy("auto", s, 2, 16).order;
  EXPECT_EQ(order[0], 0u);
  EXPECT_EQ(order[1], 1u);
  EXPECT_EQ(order[2], 399u); // the mean puts it twentieth
}

TEST(Auto, StartsWhereItIsTold) {
  Synthetic s = bowl({5, 5}, 1);
  addModel(s, 6, 0.2, 1);
  s.problem.start = {40, 3, 17};
  std::vector<size_t> order = runStrategy("auto", s, 1, 12).order;
  ASSERT_EQ(order.size(), 12u);
  order.resize(3);
  EXPECT_EQ(order, s.problem.start);
  s.problem.start = {50};
  auto strategy = makeStrategy("auto", s.problem);
  ASSERT_FALSE(strategy);
  EXPECT_EQ(strategy.error().str(),
            "bowl: start names candidate 50, there are 50");
}

TEST(Complete, FillsWhatIsMissingFromNeighboursAndTheModel) {
  Synthetic s = bowl({6, 6, 6}, 2, /*irregularity=*/0);
  addModel(s, 6, 0.2, 2);
  std::vector<double> truth, known;
  for (double v : s.values)
    truth.push_back(std::log(v) + 3); // a scale that the model does not know
  known = truth;
  for (size_t i = 0; i < known.size(); i += 7)
    known[i] = NAN;
  auto done = completeTimes(s.problem, known);
  ASSERT_TRUE(done);
  for (size_t i = 0; i < truth.size(); ++i) {
    if (!std::isnan(known[i])) {
      EXPECT_EQ(done->logTime[i], truth[i]);
      continue;
    }
    EXPECT_NEAR(done->logTime[i], truth[i], 0.1) << i;
  }
  // One kernel under two names has one time.
  s.problem.classes.resize(s.problem.size());
  for (size_t i = 0; i < s.problem.size(); ++i)
    s.problem.classes[i] = uint32_t(i / 2);
  done = completeTimes(s.problem, known);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->logTime[0], truth[1]);
}

TEST(Complete, Errors) {
  Synthetic s = bowl({3, 3}, 2);
  EXPECT_FALSE(completeTimes(s.problem, std::vector<double>(18, 0)));
  addModel(s, 2, 0.2, 2);
  EXPECT_FALSE(completeTimes(s.problem, std::vector<double>(17, 0)));
  EXPECT_FALSE(completeTimes(s.problem, std::vector<double>(18, NAN)));
}

TEST(Auto, FirstListCoversEveryBranch) {
  // The model is sure that value 0 of the categorical parameter is bad.
  Synthetic s = bowl({16, 16}, 4);
  addModel(s, 4, 0, 0);
  for (size_t i = 0; i < s.problem.size(); ++i)
    for (unsigned m = 0; m < 4; ++m)
      s.problem.logTime.at(i, m) +=
          s.problem.parameters.at(i, 2) == 0 ? 1.5f : 0.0f;
  Trace run = runStrategy("auto", s, 0, 20);
  std::set<float> seen;
  for (size_t i = 0; i < 8; ++i)
    seen.insert(s.problem.parameters.at(run.order[i], 2));
  EXPECT_EQ(seen.size(), 2u);
}

TEST(Auto, RecoversFromABranchPredictedTooSlow) {
  int arrived = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Synthetic s = bowl({10, 10, 10}, seed);
    addModel(s, 16, 0.02, seed);
    for (size_t i = 0; i < s.problem.size(); ++i)
      for (unsigned m = 0; m < 16; ++m) // value 1 holds the optimum
        s.problem.logTime.at(i, m) +=
            s.problem.parameters.at(i, 3) == 1 ? std::log(1.6f) : 0.0f;
    arrived += runStrategy("auto", s, seed, 20).best <= 1.05 * s.optimum();
  }
  EXPECT_GE(arrived, 18);
}

// The same loop with a random choice in place of expected improvement.
TEST(Auto, ExpectedImprovementEarnsItsPlace) {
  for (std::string_view name : {"bayes", "auto"}) {
    double improvement = 0, random = 0;
    for (uint64_t seed = 0; seed < 10; ++seed) {
      Synthetic s = bowl({10, 10, 10}, seed);
      improvement += std::log(runStrategy(name, s, seed, 30).best);
      auto blind = makeStrategy(name, s.problem, {seed, 30, true});
      double best = INFINITY;
      for (int i = 0; i < 30; ++i)
        for (size_t next : (*blind)->ask()) {
          best = std::min(best, s.values[next]);
          (*blind)->tell(s.measure(next));
        }
      random += std::log(best);
    }
    EXPECT_LT(improvement, random) << name;
  }
}

// Of a space whose times have little to do with its parameters, every fifth is
// good; the model says that all are nearly the same, and likes the bad ones.
TEST(Strategy, IsLevelWithRandomWhereAModelErrsOnAnEasySpace) {
  double automatic = 0, model = 0, random = 0, list = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Synthetic s = bowl({10, 10, 2}, seed);
    Random draw(seed, /*stream=*/1u << 20);
    for (double &value : s.values)
      value = draw.below(5) ? 1.2 : 1;
    addModel(s, 8, 0.01, seed);
    for (float &log : s.problem.logTime.data)
      log = -log;
    auto toGood = [&](std::string_view name, bool listAlone = false) {
      Trace run = runStrategy(name, s, seed, 60, listAlone);
      auto good = std::find_if(run.order.begin(), run.order.end(),
                               [&](size_t i) { return s.values[i] == 1; });
      return double(good - run.order.begin() + 1);
    };
    automatic += toGood("auto") / 100;
    model += toGood("model") / 100;
    random += toGood("random") / 100;
    list += toGood("model", /*listAlone=*/true) / 100;
  }
  EXPECT_NEAR(random, 5, 1);
  EXPECT_GT(list, 40); // it ends with 60: the test tests something
  // The first, and what follows the model.
  EXPECT_LT(automatic, random + 2.5);
  EXPECT_LT(model, random + 2.5);
}

/// What fails of the last third of 48 trials, in the mean over 12 seeds; half
/// of the space fails by a limit on a product, which the best candidates press
/// on.
double failingAtTheEnd(std::string_view strategy) {
  constexpr size_t kBudget = 48, kSeeds = 12;
  size_t failed = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Synthetic s = bowl({10, 10, 10}, seed);
    const Table &p = s.problem.parameters;
    std::vector<double> sums;
    for (size_t i = 0; i < s.values.size(); ++i)
      sums.push_back(double(p.at(i, 0)) + double(p.at(i, 1)));
    std::vector<double> sorted = sums;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < s.values.size(); ++i)
      if (sums[i] > sorted[sorted.size() / 2])
        s.values[i] = 0;
    Trace run = runStrategy(strategy, s, seed, kBudget);
    EXPECT_EQ(run.order.size(), kBudget);
    for (size_t i = kBudget - kBudget / 3; i < run.order.size(); ++i)
      failed += s.values[run.order[i]] == 0;
  }
  return double(failed) / double(kSeeds * (kBudget / 3));
}

TEST(Feasibility, WhatFailsStopsBeingProposed) {
  double random = failingAtTheEnd("random");
  EXPECT_NEAR(random, 0.5, 0.1);
  for (std::string_view strategy : {"auto", "bayes"})
    EXPECT_LT(failingAtTheEnd(strategy), 0.85 * random) << strategy;
}

TEST(Trust, ShareThatTheModelCannotTellFromItsFavourites) {
  Prior prior = Prior::none(5);
  prior.mean << 0.0f, 0.1f, 0.2f, 0.3f, 2.0f;
  EXPECT_EQ(indistinctShare(prior, {0}, 0.25), 0) << "no model";
  prior.order = {0, 1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(indistinctShare(prior, {0}, 0.25), 3. / 5); // within 0.25
  EXPECT_DOUBLE_EQ(indistinctShare(prior, {0, 1, 4}, 0.25), 4. / 5);
  prior.hopeless[1] = true;
  EXPECT_DOUBLE_EQ(indistinctShare(prior, {0}, 0.25), 2. / 5);
}

TEST(Prior, WeighsTheVectorsByWhatWasSeen) {
  Prior prior = Prior::none(3);
  prior.deviation.resize(3, 2); // two vectors of opposite opinion
  prior.deviation << 1, -1, 0, 0, -1, 1;
  EXPECT_EQ(reweighted(prior, {{0, true, 5}}), prior.mean) << "only a scale";
  // Sums of squares about the mean .405 and .605, the error's variance
  // (2 * .0625 + .405) / 3: odds of exp(.1 / .176667).
  Eigen::VectorXf expected =
      reweighted(prior, {{0, true, 0.1}, {2, false, 0}, {1, true, 0}});
  double odds = std::exp(0.1 / (0.53 / 3)), share = odds / (1 + odds);
  EXPECT_NEAR(expected[0], 2 * share - 1, 1e-6);
  EXPECT_NEAR(expected[1], 0, 1e-6);
  EXPECT_NEAR(expected[2], 1 - 2 * share, 1e-6);
}

TEST(Trust, LearnsTheModelsError) {
  ModelError error;
  EXPECT_DOUBLE_EQ(error.value(), 0.25);
  error.add(7); // a scale, no error
  EXPECT_DOUBLE_EQ(error.value(), 0.25);
  error.add(5); // 1 off the mean, twice; one degree of freedom
  EXPECT_DOUBLE_EQ(error.value(), std::sqrt((2 * 0.0625 + 2) / 3));
  error.add(6);
  EXPECT_DOUBLE_EQ(error.value(), std::sqrt((2 * 0.0625 + 2) / 4));
}

TEST(Trust, FollowsWhoWins) {
  // Without the model always better, always worse, failing, the same.
  for (double log : {-1.0, 1.0, double(INFINITY), 0.0}) {
    Trust trust(/*seed=*/3, /*start=*/0.2);
    EXPECT_DOUBLE_EQ(trust.doubt(), 2 * 0.2);
    EXPECT_FALSE(trust.doesWithout(0));
    size_t count = 0;
    for (size_t i = 0; i < 40; ++i) {
      bool without = trust.doesWithout(i);
      count += without;
      trust.add({0, !without || std::isfinite(log), without ? log : 0});
    }
    ASSERT_GT(count, 0u);
    double share = log < 0 ? 1 : log == 0 ? 0.5 : 0;
    double wins = 0.2 + share * double(count);
    EXPECT_DOUBLE_EQ(trust.doubt(),
                     std::min(0.9, 2 * wins / double(1 + count)));
  }
  EXPECT_FALSE(Trust(0, 0).doesWithout(1)) << "nothing is known: no coin";
}

TEST(Auto, ModelSavesMeasurements) {
  double with = 0, without = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Synthetic s = bowl({10, 10, 10}, seed);
    without += std::log(runStrategy("auto", s, seed, 8).best / s.optimum());
    addModel(s, 16, 0.02, seed);
    with += std::log(runStrategy("auto", s, seed, 8).best / s.optimum());
  }
  EXPECT_LT(with, without);
}

} // namespace

namespace {

/// A bowl with a model, and every third of its times known on another GPU.
struct Transferred {
  Synthetic s = bowl({5, 4}, 3);
  TransferSource source;

  explicit Transferred(double alpha) {
    addModel(s, 6, 0.2, 3);
    source.predicted = s.problem.logTime;
    source.alpha = alpha;
    for (size_t i = 0; i < s.problem.size(); ++i)
      source.measured.push_back(i % 3 ? NAN : std::log(s.values[i]));
  }
};

} // namespace

TEST(TransferPrior, OfEqualTargetsTheTimesStandAsTheyAre) {
  Transferred t(/*alpha=*/1);
  Status status = transferPrior(t.s.problem, t.source);
  ASSERT_TRUE(bool(status)) << status.error().str();
  for (size_t i = 0; i < t.s.problem.size(); i += 3)
    for (size_t m = 0; m < t.s.problem.logTime.columns; ++m)
      EXPECT_NEAR(t.s.problem.logTime.at(i, m), t.source.measured[i], 1e-5);
  // Two of the fastest there, then the model's own favourite.
  EXPECT_EQ(t.s.problem.start.size(), 3u);
}

TEST(TransferPrior, LeavesAFamilyThatOnlyTheSourceLikes) {
  // Four families of 16 variants; the model tells none apart. On the source all
  // of the first family are the fastest, on the target it is 1.4 times as slow.
  Synthetic s;
  TransferSource source;
  std::vector<std::vector<double>> rows;
  for (size_t family = 0; family < 4; ++family)
    for (size_t variant = 0; variant < 16; ++variant) {
      rows.push_back({double(family), std::exp2(double(variant))});
      double log = 0.002 * double(variant) + (family ? 0.1 : 0);
      source.measured.push_back(log);
      s.values.push_back(std::exp(log + (family ? 0 : 0.44)));
    }
  s.problem.categorical = {true, false};
  s.problem.parameters = encodeParameters(rows, s.problem.categorical);
  s.problem.logTime = Table(rows.size(), 4);
  source.predicted = s.problem.logTime;
  source.alpha = 0.5;
  ASSERT_TRUE(bool(transferPrior(s.problem, source)));
  EXPECT_LT(runStrategy("auto", s, /*seed=*/0, 6).best, 1.2);
}

TEST(TransferPrior, TakesThePredictedDifferenceByAlpha) {
  Transferred t(/*alpha=*/0.25); // w = 0.5
  for (float &value : t.source.predicted.data)
    value -= 1; // everything is e times as slow on the new one
  Table before = t.s.problem.logTime;
  ASSERT_TRUE(bool(transferPrior(t.s.problem, t.source)));
  // Half the model's, half the time there plus a quarter of the difference.
  EXPECT_NEAR(t.s.problem.logTime.at(3, 2),
              0.5 * before.at(3, 2) + 0.5 * (t.source.measured[3] + 0.25),
              1e-5);
}

TEST(TransferPrior, WithNothingInCommonNothingChanges) {
  Transferred t(/*alpha=*/0);
  Table before = t.s.problem.logTime;
  ASSERT_TRUE(bool(transferPrior(t.s.problem, t.source)));
  EXPECT_EQ(t.s.problem.logTime.data, before.data);
  EXPECT_TRUE(t.s.problem.start.empty());
}
