//===- SearchTest.cpp - stopping, objectives, acquisition ----------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Acquisition.h"
#include "Coordinates.h"
#include "Feasibility.h"
#include "Surrogate.h"
#include "Turns.h"

#include "hwtune/Search/Objective.h"
#include "hwtune/Search/Stop.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace hwtune;

TEST(Stop, EachConditionAlone) {
  StopOptions trials;
  trials.trials = 2;
  StopRule a(trials);
  EXPECT_FALSE(a.reached(1e9));
  a.tell({0, false, 0});
  a.tell({1, true, 3});
  EXPECT_EQ(*a.reached(0), "2 trials done");

  StopOptions seconds;
  seconds.seconds = 5;
  StopRule b(seconds);
  EXPECT_FALSE(b.reached(4.9));
  EXPECT_EQ(*b.reached(5), "5 seconds passed");

  StopOptions target;
  target.target = 2;
  StopRule c(target);
  c.tell({0, true, 2.5});
  EXPECT_FALSE(c.reached(0));
  c.tell({1, true, 1.5});
  EXPECT_EQ(*c.reached(0), "target 2 reached with 1.5");
}

TEST(Stop, ConvergesWithoutSignificantGain) {
  StopOptions options;
  options.patience = 3;
  options.significance = 0.1;
  StopRule rule(options);
  for (int i = 0; i < 10; ++i)
    rule.tell({0, false, 0});
  EXPECT_FALSE(rule.reached(0)) << "nothing has run yet";
  rule.tell({0, true, 100});
  rule.tell({1, true, 95}); // 5 %: not significant
  rule.tell({2, true, 89}); // 11 % below 100: significant
  EXPECT_FALSE(rule.converged());
  rule.tell({3, true, 88});
  rule.tell({4, false, 0});
  EXPECT_FALSE(rule.reached(0));
  rule.tell({5, true, 87});
  EXPECT_EQ(*rule.reached(0), "converged: no gain above 10 % in 3 trials");
  EXPECT_TRUE(rule.converged());
  EXPECT_EQ(rule.best(), 87);
  EXPECT_EQ(rule.trials(), 16u);
}

TEST(Stop, NoConditionNeverStops) {
  StopRule rule({});
  for (int i = 0; i < 1000; ++i)
    rule.tell({0, true, 1});
  EXPECT_FALSE(rule.reached(1e12));
}

TEST(Objective, Values) {
  Measured m;
  m.coldSeconds = 3;
  m.seconds = 2;
  m.joules = 10;
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Latency, m), 3);
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Throughput, m), 2);
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Energy, m), 10);
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Power, m), 5);
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::EnergyDelay, m), 20);
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Pareto, m), std::sqrt(20));
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Pareto, m, 1), *m.seconds);
  EXPECT_NEAR(*objectiveValue(Objective::Pareto, m, 0), *m.joules, 1e-9);
  m.joules.reset();
  m.watts = 4;
  EXPECT_DOUBLE_EQ(*objectiveValue(Objective::Energy, m), 8);
}

TEST(Objective, AbsentFactsAreErrors) {
  Measured m;
  m.seconds = 2;
  EXPECT_EQ(objectiveValue(Objective::Energy, m).error().str(),
            "objective `energy`: the device reports no energy");
  EXPECT_EQ(objectiveValue(Objective::Latency, m).error().str(),
            "objective `latency`: the device reports no cold launch time");
  m.joules = 0; // a counter that stands still
  EXPECT_EQ(objectiveValue(Objective::Energy, m).error().str(),
            "objective `energy`: energy is 0, expected a positive number");
}

TEST(Objective, Names) {
  for (Objective o :
       {Objective::Latency, Objective::Throughput, Objective::Energy,
        Objective::Power, Objective::EnergyDelay, Objective::Pareto})
    EXPECT_EQ(parseObjective(toString(o)), o);
  EXPECT_FALSE(parseObjective("speed"));
}

TEST(Pareto, FrontAndWeights) {
  const std::array<double, 2> points[] = {{1, 9}, {2, 4}, {3, 4},
                                          {4, 1}, {2, 4}, {0.5, INFINITY}};
  std::vector<size_t> front = paretoFront(points);
  EXPECT_EQ(front, (std::vector<size_t>{0, 1, 3}));
  EXPECT_EQ(*pickByWeight(points, front, 1), 0u);
  EXPECT_EQ(*pickByWeight(points, front, 0), 3u);
  EXPECT_EQ(*pickByWeight(points, front, 0.5), 3u); // 4 < 8 < 9
  EXPECT_FALSE(pickByWeight(points, {}, 0.5));
}

TEST(Acquisition, ExpectedImprovementByHand) {
  // At the best itself: deviation / sqrt(2 pi).
  EXPECT_NEAR(expectedImprovement(1, 1, 2), 2 / std::sqrt(2 * M_PI), 1e-12);
  EXPECT_DOUBLE_EQ(expectedImprovement(1, 0.25, 0), 0.75);
  EXPECT_DOUBLE_EQ(expectedImprovement(1, 2, 0), 0);
  EXPECT_NEAR(expectedImprovement(5, 1, 0.1), 4, 1e-9);
  EXPECT_GT(expectedImprovement(1, 2, 1), expectedImprovement(1, 3, 1));
}

TEST(LogOdds, ByHand) {
  // Odds of 2.2 less 4.4 times a probability of one half are even.
  LogOdds one = fitLogOdds(Eigen::MatrixXd::Constant(1, 1, 4.4),
                           Eigen::VectorXd::Constant(1, -1), 2.2);
  EXPECT_NEAR(one.weight[0], -0.5, 1e-3);
  EXPECT_NEAR(one.curvature[0], 0.25, 1e-3); // p (1 - p)
  // Certain odds learn nothing; each outcome is as likely as they say.
  Eigen::VectorXd both(2);
  both << 1, -1;
  LogOdds two = fitLogOdds(Eigen::MatrixXd::Zero(2, 2), both, std::log(3));
  EXPECT_NEAR(two.weight[0], 0.25, 1e-9);
  EXPECT_NEAR(two.weight[1], -0.75, 1e-9);
  EXPECT_NEAR(two.curvature[0], 0.75 * 0.25, 1e-9);
}

/// Powers of two from 1 to 64 in three parameters, as tables have them.
struct Cube {
  Eigen::MatrixXf coordinates{343, 3};
  Cube() {
    for (int i = 0; i < 343; ++i)
      for (int j = 0, rest = i; j < 3; ++j, rest /= 7)
        coordinates(i, j) = std::log2(1 + std::exp2(float(rest % 7)));
  }
  static Rep at(int a, int b, int c) { return Rep(a + 7 * b + 49 * c); }
  static int sum(Rep rep) { return int(rep % 7 + rep / 7 % 7 + rep / 49); }
};

TEST(Feasibility, NothingIsInDoubtBeforeAFailure) {
  Cube cube;
  Feasibility f(cube.coordinates, cube.coordinates);
  f.add(Cube::at(1, 2, 3), true);
  EXPECT_FALSE(f.anyFailure());
  EXPECT_EQ(f.probability(Cube::at(6, 6, 6)), 1);
  EXPECT_EQ(f.chance(Cube::at(6, 6, 6)), 1);
}

TEST(Feasibility, LearnsALimitAndABandOfAProduct) {
  Cube cube;
  for (int least : {0, 6}) { // of the product's logarithm, which is at most 9
    auto runs = [&](Rep rep) {
      return Cube::sum(rep) >= least && Cube::sum(rep) <= 9;
    };
    Feasibility f(cube.coordinates, cube.coordinates);
    std::set<Rep> seen;
    for (Random random(1); seen.size() < 80;)
      if (Rep rep = Rep(random.below(343)); seen.insert(rep).second)
        f.add(rep, runs(rep));
    int right = 0;
    for (Rep rep = 0; rep < 343; ++rep)
      right += !seen.count(rep) && runs(rep) == (f.probability(rep) > 0.5);
    // Of 263 that were not seen.
    EXPECT_GT(right, least ? 220 : 240) << least;
    EXPECT_LT(f.probability(Cube::at(6, 6, 5)), 0.05);
    EXPECT_GT(f.probability(Cube::at(6, 6, 5)), 0) << "not for ever";
    EXPECT_GT(f.probability(Cube::at(2, 3, 3)), 0.8);
  }
}

TEST(Feasibility, LearnsAValue) {
  // A value in the middle, so that no slope tells it.
  Cube cube;
  Feasibility f(cube.coordinates, cube.coordinates);
  for (int i = 0; i < 7; ++i)
    for (int value : {1, 3, 5})
      f.add(Cube::at(i, value, i), value != 3);
  for (int a = 0; a < 7; ++a) {
    EXPECT_LT(f.probability(Cube::at(a, 3, 6 - a)), 0.3) << a;
    EXPECT_GT(f.probability(Cube::at(a, 5, 6 - a)), 0.8) << a;
  }
}

TEST(Feasibility, OneFailureByChanceKeepsNoNeighbourAway) {
  Cube cube;
  Feasibility f(cube.coordinates, cube.coordinates);
  Random random(3);
  for (int i = 0; i < 12; ++i)
    f.add(Rep(random.below(343)), true);
  f.add(Cube::at(3, 3, 3), false);
  EXPECT_LT(f.probability(Cube::at(3, 3, 3)), f.probability(Cube::at(3, 3, 4)));
  for (Rep neighbour : {Cube::at(2, 3, 3), Cube::at(4, 3, 3), Cube::at(3, 4, 3),
                        Cube::at(3, 3, 2)})
    EXPECT_GT(f.chance(neighbour), 0.5) << neighbour;
}

// It fits no more than 128 at once.
TEST(Feasibility, LearnsFromMoreThanItFits) {
  // More than are kept in mind at once.
  Cube cube;
  Feasibility f(cube.coordinates, cube.coordinates), same = f;
  for (Rep rep = 0; rep < 343; ++rep)
    for (Feasibility *each : {&f, &same})
      each->add(rep, Cube::sum(rep) <= 9);
  EXPECT_LT(f.probability(Cube::at(6, 6, 0)), 0.3);
  EXPECT_GT(f.probability(Cube::at(3, 3, 0)), 0.9);
  for (Rep rep = 0; rep < 343; ++rep)
    EXPECT_EQ(f.probability(rep), same.probability(rep));
}

TEST(Turns, SomeTrialsLookWideWhateverElseIsDue) {
  for (size_t trial = 0; trial < 1000; ++trial)
    for (size_t idle : {size_t(0), trial}) {
      auto isWide = [&](bool withModel) {
        return turnOf(trial, withModel, idle) == Turn::Improvement &&
               lookOf(trial, withModel) == Look::Wide;
      };
      EXPECT_EQ(isWide(true), trial >= 18 && trial % 9 == 4) << trial;
      EXPECT_EQ(isWide(false), trial % 18 == 17) << trial;
    }
}

TEST(Turns, AllTakeTurnsWhereNothingIsGained) {
  std::map<Turn, size_t> busy, idle, blackBox;
  for (size_t trial = 0; trial < 234; ++trial) { // 2 x 9 x 13
    ++busy[turnOf(trial, true, 11)];
    ++idle[turnOf(trial, true, 12)];
    ++blackBox[turnOf(trial, false, 12)];
  }
  EXPECT_EQ(busy, (std::map<Turn, size_t>{{Turn::Improvement, 156},
                                          {Turn::List, 78}}));
  // 18 are at 1 of 13; of these 6 are the list's and 2 wide.
  EXPECT_EQ(idle[Turn::Genetic], 5u);
  EXPECT_EQ(idle[Turn::Annealing], 5u);
  EXPECT_EQ(idle[Turn::List], 78u);
  // Without a model there is no list, and 1 of the 18 is wide.
  EXPECT_EQ(blackBox[Turn::Genetic] + blackBox[Turn::Annealing], 17u);
  EXPECT_EQ(blackBox[Turn::List], 0u);
}

TEST(Coordinates, ValuesOfTheParametersThatDiffer) {
  SearchProblem p;
  p.parameters = encodeParameters({{1, 5, 0}, {3, 5, 1}}, {false, false, true});
  Eigen::MatrixXf values = valueColumns(p, {1, 0});
  ASSERT_EQ(values.cols(), 2);      // the second is 5 everywhere
  EXPECT_FLOAT_EQ(values(0, 0), 2); // log2(1 + 3)
  EXPECT_FLOAT_EQ(values(1, 0), 1);
  EXPECT_FLOAT_EQ(values(0, 1), 1);
}

TEST(Surrogate, AnOddValueIsOddWhereItWasNotSeen) {
  // 8 x 8; column 4 takes exp(-0.5) of the time, seen in row 1 alone.
  Eigen::MatrixXf grid(64, 2);
  for (int i = 0; i < 64; ++i)
    grid.row(i) << float(i % 8), float(i / 8);
  Prior prior = Prior::none(64);
  auto dip = [&](const Eigen::MatrixXf &effects) {
    Surrogate s(prior, grid, effects, /*hasModel=*/false);
    for (Rep column = 0; column < 8; ++column)
      s.add(8 + column, column == 4 ? -0.5 : 0);
    const Eigen::VectorXf &last = s.mean(); // row 7
    return (last[56 + 3] + last[56 + 5]) / 2 - last[56 + 4];
  };
  float with = dip(grid), without = dip(Eigen::MatrixXf(64, 0));
  EXPECT_GT(with, 0.25f);
  EXPECT_LT(without, 0.5f * with);
}
