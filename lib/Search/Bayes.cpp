//===- Bayes.cpp - expected improvement over Gaussian processes ------ ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `bayes`: a first sample, then expected improvement under one Gaussian
// process on the parameters. `auto`: a first list that walks the model's
// favourites and visits every branch (each value of each categorical
// parameter), then expected improvement under two processes in turn, one on
// hardware features and one on the parameters (without a model: both on the
// parameters, one of them with an effect per value); every few trials it looks
// where it knows least; where nothing is gained any more, the genetic and the
// annealing strategy take turns; and a share of the trials, by how the model
// has done so far, does without it. Minimises log time; no guarantee, but a
// wrong model only delays it: the residual process learns what the model does
// not say.
//
//===----------------------------------------------------------------------===//

#include "Acquisition.h"
#include "Coordinates.h"
#include "Feasibility.h"
#include "Strategies.h"
#include "Surrogate.h"
#include "Trust.h"
#include "Turns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace hwtune {

namespace {

constexpr size_t kFirstList = 8;
constexpr size_t kBlackBoxSample = 5;
constexpr size_t kPool = 1000; // of the model's order, to pick the list from
// A gain of less log time counts as none.
constexpr double kGain = 0.01;
// Trials for which a process leads before the next one does.
constexpr size_t kLeads = 3;
// Trials without the model that draw. Later ones learn: from less, they would
// see only where the model has led.
constexpr size_t kDraws = 5;
// Of the chance of what is likeliest to run: what has less has no turn that
// does not weigh its gain, or none at all but every few trials.
constexpr double kGoodChance = 0.3, kLeastChance = 0.05;
constexpr size_t kAnyChanceEvery = 8;
// Draws until one is taken that may well fail.
constexpr int kDrawTries = 8;
// Later hyperparameters change little, and a refit costs the square of this.
constexpr size_t kRefitAt[] = {3, 6, 10, 15, 22, 32, 48, 70, 100};

/// Whether surrogate number `index` is fitted anew: they take turns, so that no
/// trial waits for two.
bool refitAt(size_t count, size_t index) {
  return std::find(std::begin(kRefitAt), std::end(kRefitAt), count - index) !=
         std::end(kRefitAt);
}

/// Counts of branch values on a list of candidates.
class BranchCounts {
public:
  explicit BranchCounts(const Eigen::MatrixXf &branches) : branches(branches) {}
  void add(Rep rep) {
    for (Eigen::Index j = 0; j < branches.cols(); ++j)
      ++counts[{j, branches(rep, j)}];
  }
  size_t seen(Rep rep) const {
    size_t sum = 0;
    for (Eigen::Index j = 0; j < branches.cols(); ++j)
      sum += of(rep, j);
    return sum;
  }
  bool isFresh(Rep rep) const {
    for (Eigen::Index j = 0; j < branches.cols(); ++j)
      if (of(rep, j) == 0)
        return true;
    return false;
  }

private:
  size_t of(Rep rep, Eigen::Index j) const {
    auto it = counts.find({j, branches(rep, j)});
    return it == counts.end() ? 0 : it->second;
  }
  const Eigen::MatrixXf &branches;
  std::map<std::pair<Eigen::Index, float>, size_t> counts;
};

class Bayes final : public HistoryStrategy {
public:
  Bayes(std::string_view name, const SearchProblem &problem,
        const StrategyOptions &options, bool isAuto)
      : HistoryStrategy(name, problem, options), isAuto(isAuto),
        prior(Prior::of(problem, candidateOf)),
        noPrior(Prior::none(repCount())),
        coordinates(parameterCoordinates(problem, candidateOf, &branches)),
        values(valueColumns(problem, candidateOf)),
        feasibility(coordinates, values), trust(options.seed, 0) {
    makeSurrogates();
    for (size_t candidate : problem.start)
      firstList.push_back(repOf[candidate]);
    if (firstList.empty())
      firstList = hasModel() ? modelList() : spreadList();
    trust = Trust(options.seed,
                  indistinctShare(prior, firstList, modelError.value()),
                  std::max<size_t>(1, problem.start.size()));
  }

protected:
  Rep propose() override {
    if (trust.doesWithout(trial()))
      return withoutModel();
    for (Rep rep : firstList)
      if (!tried[rep] && mayRun(rep))
        return rep;
    return best == kNoRep ? nextFeasible() : byImprovement();
  }

  void learned() override {
    const Seen &last = seen.back();
    trust.add(last);
    if (last.ok) {
      modelError.add(last.logValue - double(prior.mean[last.rep]));
      trust.setStart(indistinctShare(prior, firstList, modelError.value()));
    }
    feasibility.add(last.rep, last.ok);
    if (last.ok && (best == kNoRep || last.logValue < bestLog)) {
      if (best == kNoRep || last.logValue < bestLog - kGain)
        gained = seen.size();
      best = last.rep;
      bestLog = last.logValue;
    }
    for (const StrategyPtr &other : others)
      if (other)
        other->tell(observationOf(last));
    if (last.ok && !options.randomChoice)
      update(last);
  }

private:
  bool hasModel() const { return !prior.order.empty(); }
  bool mayRun(Rep rep) const { return feasibility.chance(rep) >= kGoodChance; }
  void makeSurrogates();
  bool twins(Rep a, Rep b) const;
  std::vector<Rep> portfolio(size_t length) const;
  Rep leastSeenTwin(Rep rep, const BranchCounts &counts) const;
  std::vector<Rep> modelList() const;
  std::vector<Rep> spreadList() const;
  void update(const Seen &success);
  /// Before anything has run: the likeliest to run, in the model's order.
  Rep nextFeasible() const;
  Rep byImprovement();
  /// A draw, and after a few what a black box would measure.
  Rep withoutModel();
  Rep draw(Random &random) const;
  Rep argmaxWithPending(Surrogate &surrogate, Look look, Random &random);
  Observation observationOf(const Seen &s) const {
    return {candidateOf[s.rep], s.ok, s.ok ? std::exp(s.logValue) : 0};
  }
  /// What the one whose turn it is would measure, all that was seen given.
  Rep proposalOf(Turn other);
  /// The next favourite of the vectors that agree with what was seen: where the
  /// processes learn a wrong lesson, or smooth over what the model is right
  /// about, the list still arrives.
  Rep nextOfList() const;
  Rep argmax(const Surrogate &surrogate, Look look, Random &random) const;
  size_t stepsFromBest(Rep rep) const;
  Look lookOfTrial(bool withModel) const {
    return isAuto ? lookOf(trial(), withModel) : Look::Everywhere;
  }

  bool isAuto;
  Prior prior, noPrior;
  Eigen::MatrixXf branches, coordinates, values; ///< of the parameters
  Feasibility feasibility;
  ModelError modelError;
  Trust trust;
  /// The first `led` follow the model where there is one; the last beside them
  /// does without it.
  std::vector<Surrogate> surrogates;
  size_t led = 0;
  std::vector<Rep> firstList;
  Rep best = kNoRep;
  double bestLog = 0;
  size_t gained = 0;                 ///< trials until the last gain
  std::array<StrategyPtr, 2> others; ///< genetic, annealing; from their turn on
};

/// All but one have an effect for every value of every parameter: what a value
/// does is learned wherever it occurs, and the values not yet met, not the
/// twins of the best, are in doubt. It pays where the best value is odd among
/// its neighbours. Where parameters act together and no model says so, a
/// process with less of it does better, so that without a model `auto` has
/// both.
void Bayes::makeSurrogates() {
  if (isAuto && !problem.features.empty())
    surrogates.emplace_back(prior, rowsOf(problem.features, candidateOf),
                            values, hasModel());
  surrogates.emplace_back(prior, coordinates, values, hasModel());
  if (isAuto && !hasModel())
    surrogates.emplace_back(prior, coordinates, branches, false);
  led = surrogates.size();
  if (hasModel())
    surrogates.emplace_back(noPrior, coordinates, values, false);
}

/// Whether no vector of the ensemble tells two candidates apart.
bool Bayes::twins(Rep a, Rep b) const {
  return std::abs(prior.mean[a] - prior.mean[b]) < 1e-5f &&
         (prior.deviation.row(a) - prior.deviation.row(b)).squaredNorm() <
             1e-9f;
}

/// Candidates that together promise most: in turn the model's next favourite,
/// and the one that lowers the best time, in the mean over the ensemble's
/// vectors, by most. Where the mean is wrong, the favourites of vectors that
/// disagree with it are on the list all the same.
std::vector<Rep> Bayes::portfolio(size_t length) const {
  size_t pool = std::min(prior.order.size(), kPool);
  // Log time of every pool member under every vector, as a column.
  Eigen::Index vectors = prior.deviation.cols();
  float scale = std::sqrt(float(std::max<Eigen::Index>(vectors - 1, 1)));
  Eigen::MatrixXf log(vectors, Eigen::Index(pool));
  for (size_t i = 0; i < pool; ++i) {
    Rep rep = prior.order[i];
    log.col(Eigen::Index(i)) =
        (scale * prior.deviation.row(rep).transpose()).array() +
        prior.mean[rep];
  }
  std::vector<Rep> chosen;
  std::vector<bool> used(pool);
  Eigen::VectorXf best = Eigen::VectorXf::Constant(vectors, 1e3f);
  while (chosen.size() < length) {
    // Ties, and every other turn, go to the model's order.
    size_t pick =
        size_t(std::find(used.begin(), used.end(), false) - used.begin());
    if (pick == pool) // the model tells no more of them apart
      break;
    float most = chosen.size() % 2 ? 1e30f : 1e-6f;
    for (size_t i = pick; i < pool; ++i) {
      float gain =
          used[i] ? 0 : (best - log.col(Eigen::Index(i))).cwiseMax(0).sum();
      if (gain > most) {
        most = gain + 1e-6f;
        pick = i;
      }
    }
    chosen.push_back(prior.order[pick]);
    for (size_t i = pick; i < pool; ++i) // its twins are as good as chosen
      used[i] = used[i] || twins(prior.order[pick], prior.order[i]);
    best = best.cwiseMin(log.col(Eigen::Index(pick)));
  }
  return chosen;
}

/// Of candidates that no vector tells from `rep`, the one whose branches have
/// been seen least.
Rep Bayes::leastSeenTwin(Rep rep, const BranchCounts &counts) const {
  auto first = std::find(prior.order.begin(), prior.order.end(), rep);
  Rep choice = rep;
  for (auto it = first; it != prior.order.end() && twins(rep, *it); ++it)
    if (counts.seen(*it) < counts.seen(choice))
      choice = *it;
  return choice;
}

/// The model's favourites. Of candidates that it cannot tell apart, one, of
/// the branches least seen so far; and the best candidate of every branch that
/// is still missing: a branch that the model dislikes for a wrong reason is
/// seen all the same.
std::vector<Rep> Bayes::modelList() const {
  size_t length = std::min(repCount(), kFirstList);
  if (options.budget)
    length = std::min(length, std::max<size_t>(1, options.budget / 2));
  const std::vector<Rep> &order = prior.order;
  if (!isAuto)
    return {order.begin(), order.begin() + ptrdiff_t(length)};
  BranchCounts counts(branches);
  std::vector<Rep> favourites;
  for (Rep rep : portfolio(length)) {
    Rep choice = leastSeenTwin(rep, counts);
    favourites.push_back(choice);
    counts.add(choice);
  }
  std::vector<Rep> missing;
  for (Rep rep : order)
    if (missing.size() + 1 < length && counts.isFresh(rep) &&
        !prior.hopeless[rep]) {
      missing.push_back(rep);
      counts.add(rep);
    }
  // The favourites lose their tail to the missing branches.
  favourites.resize(std::min(favourites.size(), length - missing.size()));
  favourites.insert(favourites.end(), missing.begin(), missing.end());
  return favourites;
}

/// Without a model: points far from each other, by seed (the farthest of a
/// random handful from those chosen so far).
std::vector<Rep> Bayes::spreadList() const {
  size_t length = std::min(repCount(), kBlackBoxSample);
  if (options.budget)
    length = std::min(length, std::max<size_t>(1, options.budget / 2));
  constexpr int kHandful = 3;
  Random random(options.seed, ~uint64_t(0));
  std::vector<Rep> list;
  while (list.size() < length) {
    Rep choice = kNoRep;
    float farthest = -1;
    for (int i = 0; i < kHandful; ++i) {
      Rep rep = Rep(random.below(repCount()));
      float nearest = 1e30f;
      for (Rep other : list)
        nearest = std::min(
            nearest,
            (coordinates.row(rep) - coordinates.row(other)).squaredNorm());
      if (nearest > farthest &&
          std::find(list.begin(), list.end(), rep) == list.end()) {
        farthest = nearest;
        choice = rep;
      }
    }
    if (choice == kNoRep) // everything drawn is on the list already
      break;
    list.push_back(choice);
  }
  return list;
}

/// What failed has no time: the processes see successes alone.
void Bayes::update(const Seen &success) {
  for (size_t i = 0; i < surrogates.size(); ++i) {
    surrogates[i].add(success.rep, success.logValue);
    if (refitAt(surrogates[i].size(), i))
      surrogates[i].refit();
  }
}

Rep Bayes::nextFeasible() const {
  Rep choice = kNoRep;
  double bestP = -1;
  auto consider = [&](Rep rep) {
    if (tried[rep])
      return;
    double p = feasibility.probability(rep) * (prior.hopeless[rep] ? 0.1 : 1);
    if (p > bestP * (1 + 1e-9)) {
      bestP = p;
      choice = rep;
    }
  };
  if (prior.order.empty())
    for (Rep rep = 0; rep < repCount(); ++rep)
      consider(rep);
  else
    for (Rep rep : prior.order)
      consider(rep);
  return choice;
}

/// How many parameters differ from the best's.
size_t Bayes::stepsFromBest(Rep rep) const {
  const float *a = problem.parameters.row(candidateOf[rep]);
  const float *b = problem.parameters.row(candidateOf[best]);
  size_t steps = 0;
  for (size_t j = 0; j < problem.parameters.columns; ++j)
    steps += a[j] != b[j];
  return steps;
}

Rep Bayes::argmax(const Surrogate &surrogate, Look look, Random &random) const {
  const Eigen::VectorXf &mean = surrogate.mean();
  const Eigen::VectorXf &variance = surrogate.variance();
  double widen = look == Look::Wide ? 3 : 1; // of the deviation
  size_t reach = look == Look::OneStep ? 1 : look == Look::TwoSteps ? 2 : 0;
  // Where little is left to gain, what fails would look best for ever.
  double least = trial() % kAnyChanceEvery ? kLeastChance : 0;
  Rep choice = kNoRep;
  double bestGain = -1;
  for (Rep rep = 0; rep < repCount(); ++rep) {
    if (tried[rep] || feasibility.chance(rep) < least ||
        (reach && stepsFromBest(rep) > reach))
      continue;
    double deviation = widen * std::sqrt(std::max(1e-8, double(variance[rep])));
    double gain = expectedImprovement(bestLog, double(mean[rep]), deviation);
    if (gain > bestGain)
      gain *= feasibility.probability(rep) * (prior.hopeless[rep] ? 0.1 : 1);
    if (gain > bestGain) {
      bestGain = gain;
      choice = rep;
    }
  }
  if (bestGain > 0)
    return choice;
  return look == Look::OneStep ? argmax(surrogate, Look::TwoSteps, random)
                               : randomUntried(random);
}

Rep Bayes::nextOfList() const {
  Eigen::VectorXf expected = reweighted(prior, seen);
  Rep choice = kNoRep;
  for (Rep rep : prior.order)
    if (!tried[rep] && !prior.hopeless[rep] && mayRun(rep) &&
        (choice == kNoRep || expected[rep] < expected[choice]))
      choice = rep;
  return choice;
}

Rep Bayes::proposalOf(Turn turn) {
  bool anneals = turn == Turn::Annealing;
  StrategyPtr &other = others[anneals];
  if (!other) {
    other = anneals ? makeAnnealing(problem, options)
                    : makeGenetic(problem, options);
    for (const Seen &s : seen)
      other->tell(observationOf(s));
  }
  // It does not know what is pending here.
  for (size_t tries = 0; tries <= pending.size(); ++tries) {
    std::vector<size_t> next = other->ask();
    if (next.empty())
      break;
    if (!tried[repOf[next.front()]])
      return repOf[next.front()];
  }
  return kNoRep;
}

Rep Bayes::byImprovement() {
  Random random = randomOfTrial();
  if (options.randomChoice)
    return randomUntried(random);
  Turn turn = isAuto ? turnOf(trial(), hasModel(), trial() - gained)
                     : Turn::Improvement;
  Rep next = turn == Turn::Improvement ? kNoRep
             : turn == Turn::List      ? nextOfList()
                                       : proposalOf(turn);
  if (next != kNoRep)
    return next;
  return argmaxWithPending(surrogates[trial() / kLeads % led],
                           lookOfTrial(hasModel()), random);
}

Rep Bayes::withoutModel() {
  Random random = randomOfTrial();
  if (options.randomChoice || trust.trialsWithout() < kDraws || best == kNoRep)
    return draw(random);
  return argmaxWithPending(surrogates.back(), lookOfTrial(false), random);
}

/// What is thought to fail is drawn less often.
Rep Bayes::draw(Random &random) const {
  Rep rep = randomUntried(random);
  for (int i = 1; i < kDrawTries && !mayRun(rep); ++i)
    rep = randomUntried(random);
  return rep;
}

/// For a batch: what is pending is believed to come out as predicted.
Rep Bayes::argmaxWithPending(Surrogate &surrogate, Look look, Random &random) {
  if (pending.empty())
    return argmax(surrogate, look, random);
  surrogate.save();
  for (Rep rep : pending)
    surrogate.add(rep, double(surrogate.mean()[rep]));
  Rep choice = argmax(surrogate, look, random);
  surrogate.restore();
  return choice;
}

} // namespace

StrategyPtr makeBayes(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<Bayes>("bayes", p, o, false);
}
StrategyPtr makeAuto(const SearchProblem &p, const StrategyOptions &o) {
  return std::make_unique<Bayes>("auto", p, o, true);
}

} // namespace hwtune
