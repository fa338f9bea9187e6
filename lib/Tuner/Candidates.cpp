//===- Candidates.cpp - the configurations worth measuring ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/Candidates.h"

#include "hwtune/Model/ExpectedTime.h"
#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hwtune {

/// Of a larger space only every n-th configuration is scored at first; the
/// neighbours of the best are looked at afterwards. Bounds the time of a start.
static constexpr uint64_t kMaxScored = 300'000;
/// Then so many of the best are started from, so many times.
static constexpr size_t kRefined = 128;
static constexpr int kRefinements = 4;

static std::string describeReasons(const std::map<std::string, uint64_t> &map,
                                   uint64_t *total = nullptr) {
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto &[kind, count] : map) {
    sorted.emplace_back(count, kind);
    if (total)
      *total += count;
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (const auto &[count, kind] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  return text;
}

std::string describeCounts(const SpaceCounts &counts) {
  uint64_t total = 0;
  std::string reasons = describeReasons(counts.rejected, &total);
  std::string text = fmt::format("{} configurations: {} legal, {} rejected",
                                 counts.product, counts.legal, total);
  return reasons.empty() ? text : text + " (" + reasons + ")";
}

namespace {
class Collector {
public:
  Collector(const Space &space, const TargetSpec &spec,
            const std::function<KernelFeatures(const Config &)> &features,
            const CollectOptions &options, const CancelToken &cancel)
      : space(space), target(ModelTarget::from(spec)), features(features),
        options(options), cancel(cancel) {}

  Expected<Candidates> run() {
    if (Status status = space.check(); !status)
      return status.error();
    result.counts = space.count();
    if (!options.only.empty())
      return chooseFrom(options.only);
    stride = result.counts.legal / kMaxScored + 1;
    score();
    if (cancel.cancelled())
      return Error{"interrupted", ""};
    if (feasible == 0)
      return nothing();
    select();
    if (stride > 1)
      refine();
    addFurther();
    describe();
    return std::move(result);
  }

private:
  Error nothing() const {
    std::string why = describeCounts(result.counts);
    if (!result.infeasible.empty())
      why += "; of the legal ones cannot run: " +
             describeReasons(result.infeasible);
    return Error{"no configuration is left: " + why, ""};
  }

  Expected<Candidates> chooseFrom(std::vector<Config> configs) {
    const Constants reasoned = Constants::reasoned();
    std::erase_if(configs, [&](const Config &config) {
      if (space.reject(config))
        return true;
      Prediction p = predict(features(config), target, reasoned);
      if (p.infeasible)
        ++result.infeasible[p.infeasible];
      return p.infeasible != nullptr;
    });
    if (configs.empty())
      return nothing();
    result.configs = std::move(configs);
    describe();
    return std::move(result);
  }

  /// Predicted seconds of every `stride`-th legal configuration.
  void score() {
    const Constants reasoned = Constants::reasoned();
    uint64_t number = 0;
    space.forEach([&](const Config &config) {
      if (number++ % stride)
        return true;
      Prediction p =
          predict(features(config), target, reasoned, options.weights);
      seconds.push_back(float(p.infeasible ? INFINITY : p.seconds));
      if (p.infeasible)
        ++result.infeasible[p.infeasible];
      else
        ++feasible;
      return number % 4096 != 1 || !cancel.cancelled();
    });
  }

  /// Indices into `seconds` that are kept: the best, and some of the rest.
  std::vector<bool> chosen() const {
    std::vector<uint32_t> order;
    for (size_t i = 0; i < seconds.size(); ++i)
      if (std::isfinite(seconds[i]))
        order.push_back(uint32_t(i));
    std::vector<bool> keep(seconds.size());
    size_t best = std::min(options.keep, order.size());
    std::nth_element(order.begin(), order.begin() + ptrdiff_t(best),
                     order.end(), [&](uint32_t a, uint32_t b) {
                       return std::pair(seconds[a], a) <
                              std::pair(seconds[b], b);
                     });
    for (size_t i = 0; i < best; ++i)
      keep[order[i]] = true;
    // By number, not by rank: spread over the knobs.
    std::sort(order.begin() + ptrdiff_t(best), order.end());
    size_t rest = order.size() - best;
    size_t extra = std::min(options.keep / 10, rest);
    for (size_t i = 0; i < extra; ++i)
      keep[order[best + i * rest / extra]] = true;
    return keep;
  }

  void select() {
    std::vector<bool> keep = chosen();
    uint64_t number = 0;
    space.forEach([&](const Config &config) {
      uint64_t at = number++;
      if (at % stride == 0 && keep[at / stride])
        result.configs.push_back(config);
      return true;
    });
  }

  /// Configurations that differ from `config` in one knob, by one step where
  /// the knob has an order.
  std::vector<Config> neighbours(const Config &config) const {
    std::vector<Config> result;
    for (size_t k = 0; k < config.size(); ++k) {
      const Knob &knob = space.knobs[k];
      for (size_t v = 0; v < knob.values.size(); ++v) {
        bool beside =
            (v > 0 && knob.values[v - 1] == config[k]) ||
            (v + 1 < knob.values.size() && knob.values[v + 1] == config[k]);
        if (knob.values[v] == config[k] || (!knob.categorical && !beside))
          continue;
        result.push_back(config);
        result.back()[k] = knob.values[v];
      }
    }
    return result;
  }

  /// Walks downhill from the best of what the stride hit.
  void refine() {
    const Constants reasoned = Constants::reasoned();
    std::set<std::pair<double, Config>> ranked;
    std::set<Config> seen;
    auto consider = [&](const Config &config) {
      if (!seen.insert(config).second)
        return;
      Prediction p =
          predict(features(config), target, reasoned, options.weights);
      if (!p.infeasible)
        ranked.emplace(p.seconds, config);
    };
    for (const Config &config : result.configs)
      consider(config);
    for (int round = 0; round < kRefinements; ++round) {
      std::vector<Config> starts;
      for (const auto &[seconds, config] : ranked)
        if (starts.size() < kRefined)
          starts.push_back(config);
      for (const Config &start : starts)
        for (const Config &config : neighbours(start))
          if (!seen.count(config) && !space.reject(config))
            consider(config);
    }
    // The worst of those that were kept make room.
    std::set<Config> kept(result.configs.begin(), result.configs.end());
    for (const auto &[seconds, config] : ranked) {
      if (kept.size() >= result.configs.size() + kRefined)
        break;
      kept.insert(config);
    }
    result.configs.assign(kept.begin(), kept.end());
  }

  void addFurther() {
    std::set<Config> kept(result.configs.begin(), result.configs.end());
    for (const Config &config : options.also)
      if (!space.reject(config) &&
          !predict(features(config), target, Constants::reasoned())
               .infeasible &&
          kept.insert(config).second)
        result.configs.push_back(config);
  }

  /// The search's view of what was kept.
  void describe() {
    size_t n = result.configs.size();
    Ensemble ensemble = makeEnsemble(options.ensemble, options.seed);
    SearchProblem &problem = result.problem;
    problem.logTime = Table(n, ensemble.size());
    problem.features = Table(n, kNumHardwareFeatures);
    std::vector<std::vector<double>> values;
    std::vector<double> times(ensemble.size());
    for (size_t i = 0; i < n; ++i) {
      KernelFeatures f = features(result.configs[i]);
      predictBatch({&f, 1}, target, ensemble, times, options.weights);
      double sum = 0;
      for (size_t m = 0; m < times.size(); ++m) {
        problem.logTime.at(i, m) = float(std::log(times[m]));
        if (m < options.expecting())
          sum += std::log(times[m]);
      }
      result.predicted.push_back(std::exp(sum / options.expecting()));
      auto hardware = hardwareFeatures(f, predict(f, target, ensemble[0]));
      std::copy(hardware.begin(), hardware.end(), &problem.features.at(i, 0));
      values.emplace_back(result.configs[i].begin(), result.configs[i].end());
      if (result.predicted[i] < result.predicted[result.best])
        result.best = i;
    }
    for (const Knob &knob : space.knobs)
      problem.categorical.push_back(knob.categorical);
    problem.parameters = encodeParameters(values, problem.categorical);
  }

  const Space &space;
  ModelTarget target;
  const std::function<KernelFeatures(const Config &)> &features;
  const CollectOptions &options;
  const CancelToken &cancel;
  Candidates result;
  uint64_t stride = 1, feasible = 0;
  std::vector<float> seconds;
};
} // namespace

double candidatesTime(const KernelFeatures &features, const ModelTarget &target,
                      const CollectOptions &options) {
  return expectedSeconds(features, target,
                         makeEnsemble(options.expecting(), options.seed),
                         options.weights);
}

Expected<Candidates>
collectCandidates(const Space &space, const TargetSpec &target,
                  const std::function<KernelFeatures(const Config &)> &features,
                  const CollectOptions &options, const CancelToken &cancel) {
  return Collector(space, target, features, options, cancel).run();
}

} // namespace hwtune
