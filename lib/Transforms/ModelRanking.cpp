//===- ModelRanking.cpp - configurations by predicted time ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predictions are made in batches with the reasoned constants. The best of
// these are ranked by what the ensemble expects, as the tuner does; the terms
// are computed again for the few that are asked for.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/ModelRanking.h"

#include "hwtune/Model/ExpectedTime.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <queue>

using namespace hwtune;

namespace {

/// Features in flight: large enough to amortise the call, small enough for L2.
constexpr size_t kBatch = 256;
/// Of the order by reasoned constants: what the ensemble is asked about.
constexpr size_t kShortList = 2048;

struct Kept {
  double seconds;
  uint64_t index;
  Config config;
  bool operator<(const Kept &other) const {
    return std::pair(seconds, index) < std::pair(other.seconds, other.index);
  }
};

/// Keeps the `top` least of what it is given.
class Keeper {
public:
  explicit Keeper(size_t top) : top(top) {}

  void add(Kept kept) {
    if (heap.size() == top && !(kept < heap.top()))
      return;
    heap.push(std::move(kept));
    if (heap.size() > top)
      heap.pop();
  }

  std::vector<Kept> sorted() {
    std::vector<Kept> out;
    for (; !heap.empty(); heap.pop())
      out.push_back(heap.top());
    std::reverse(out.begin(), out.end());
    return out;
  }

private:
  size_t top;
  std::priority_queue<Kept> heap;
};

/// With the terms, where it is known what the ensemble expects.
RankedConfig explainKept(const KernelFeatures &features,
                         const TargetSpec &target, Kept kept) {
  RankedConfig ranked{std::move(kept.config), kept.index,
                      predict(features, target), scoreOf(features, target)};
  if (!ranked.prediction.infeasible)
    ranked.prediction.seconds = kept.seconds;
  return ranked;
}

RankedConfig explainConfig(const Schedule &schedule, const Workload &w,
                           const TargetSpec &target, Config config,
                           uint64_t index) {
  KernelFeatures features = schedule.features(w, target, config);
  double seconds =
      expectedSeconds(features, ModelTarget::from(target), makeEnsemble());
  return explainKept(features, target, {seconds, index, std::move(config)});
}

/// By what the ensemble expects; ties by index.
std::vector<Kept> rankedByEnsemble(
    std::vector<Kept> kept, const ModelTarget &target,
    const std::function<KernelFeatures(const Config &)> &featuresOf) {
  const Ensemble ensemble = makeEnsemble();
  for (Kept &one : kept)
    one.seconds = expectedSeconds(featuresOf(one.config), target, ensemble);
  std::sort(kept.begin(), kept.end());
  return kept;
}

} // namespace

Ranking hwtune::rankByModel(const Schedule &schedule, const Workload &w,
                            const TargetSpec &target, size_t top) {
  Ranking ranking;
  ModelTarget modelTarget = ModelTarget::from(target);
  const Constants constants = Constants::reasoned();
  top = std::max<size_t>(top, 1);
  Keeper keeper(std::max(top, kShortList));
  std::vector<Config> configs;
  std::vector<KernelFeatures> features;
  std::vector<double> seconds(kBatch);

  auto flush = [&] {
    predictBatch(features, modelTarget, {&constants, 1},
                 std::span(seconds).first(features.size()));
    for (size_t i = 0; i < configs.size(); ++i) {
      uint64_t index = ranking.legal - configs.size() + i;
      if (std::isfinite(seconds[i]))
        keeper.add({seconds[i], index, std::move(configs[i])});
      else
        ++ranking.infeasible;
    }
    configs.clear();
    features.clear();
  };
  auto featuresOf = schedule.boundFeatures(w, target);
  schedule.space(w, target).forEach([&](const Config &config) {
    ++ranking.legal;
    configs.push_back(config);
    features.push_back(featuresOf(config));
    if (configs.size() == kBatch)
      flush();
    return true;
  });
  flush();

  std::vector<Kept> ordered =
      rankedByEnsemble(keeper.sorted(), modelTarget, featuresOf);
  if (ordered.size() > top)
    ordered.erase(ordered.begin() + ptrdiff_t(top), ordered.end());
  for (Kept &kept : ordered) {
    KernelFeatures known = featuresOf(kept.config);
    ranking.best.push_back(explainKept(known, target, std::move(kept)));
  }
  ranking.generic =
      explainConfig(schedule, w, target, schedule.generic(w, target), 0);
  return ranking;
}

namespace {

/// The legal configuration at `place`, if there are so many.
std::optional<Config> configAt(const Space &space, uint64_t place) {
  std::optional<Config> found;
  space.forEach([&](const Config &config) {
    if (place-- == 0)
      found = config;
    return !found;
  });
  return found;
}

} // namespace

Expected<RankedConfig> hwtune::configNamed(std::string_view text,
                                           const Ranking &ranking,
                                           const Schedule &schedule,
                                           const Workload &w,
                                           const TargetSpec &target) {
  if (text == "generic")
    return ranking.generic;
  if (text == "best") {
    if (ranking.best.empty())
      return Error{"no configuration is predicted to run", ""};
    return ranking.best.front();
  }
  Space space = schedule.space(w, target);
  uint64_t place = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), place);
  if (code == std::errc() && end == text.data() + text.size()) {
    std::optional<Config> config = configAt(space, place);
    if (!config)
      return Error{fmt::format("no configuration {}, the last is {}", place,
                               static_cast<int64_t>(ranking.legal) - 1),
                   ""};
    return explainConfig(schedule, w, target, std::move(*config), place);
  }
  if (!text.starts_with("{"))
    return Error{fmt::format("'{}' names no configuration, expected 'best', "
                             "'generic', a number, or knobs in braces",
                             text),
                 ""};
  Expected<Config> config = space.fromText(text);
  if (!config)
    return config.error();
  if (std::optional<Rejection> rejection = space.reject(*config))
    return Error{fmt::format("{} is not legal: {}", text, rejection->message()),
                 ""};
  return explainConfig(schedule, w, target, std::move(*config), 0);
}

std::vector<std::pair<std::string, double>>
hwtune::termsOf(const RankedConfig &ranked) {
  const Prediction &p = ranked.prediction;
  std::vector<std::pair<std::string, double>> terms = {
      {"time_us", p.seconds * 1e6},     {"roofline_us", p.roofline * 1e6},
      {"par", ranked.score.par},        {"fit", ranked.score.fit},
      {"score", ranked.score.score},    {"occupancy", p.occupancy},
      {"blocks_per_sm", p.blocksPerSM}, {"waves", p.waves},
      {"registers", p.registers},       {"l1_hit_rate", p.l1Hit},
      {"l2_hit_rate", p.l2Hit},         {"l1_mem_ratio", p.l1MemRatio},
      {"l2_mem_ratio", p.l2MemRatio}};
  for (unsigned i = 0; i < kNumCosts; ++i) {
    std::string name(costName(Cost(i)));
    terms.emplace_back("cost_" + name + "_us", p.cost[i] * 1e6);
    terms.emplace_back("weight_" + name, p.weight[i]);
  }
  for (unsigned i = 0; i < kNumTerms; ++i)
    terms.emplace_back(std::string(termName(Term(i))) + "_clocks", p.clocks[i]);
  return terms;
}
