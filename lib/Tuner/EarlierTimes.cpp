//===- EarlierTimes.cpp - what the records say of an operation ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/EarlierTimes.h"

#include "hwtune/Model/Score.h"
#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hwtune {

std::string EarlierTimes::note() const {
  std::string text =
      fmt::format("{} times of this operation on {} ({}), alpha {:.2f}",
                  logSeconds.size(), target.id, toString(label), alpha);
  return alpha > 0 ? "prior: " + text
                   : text + ": nothing in common, they are not used";
}

std::vector<Config> EarlierTimes::fastest(size_t count) const {
  std::vector<std::pair<double, Config>> order;
  for (const auto &[config, time] : logSeconds)
    order.emplace_back(time, config);
  std::sort(order.begin(), order.end());
  std::vector<Config> result;
  for (size_t i = 0; i < std::min(count, order.size()); ++i)
    result.push_back(std::move(order[i].second));
  return result;
}

/// Times of `trials`, by configuration.
static std::map<Config, double>
logSecondsOf(const std::vector<TrialRecord> &trials,
             const std::string &schedule, const Space &space, Label label) {
  std::map<Config, double> result;
  std::set<Config> failed;
  double slowest = -INFINITY;
  for (const TrialRecord &trial : trials) {
    Expected<Config> config = configFromJson(space, trial.config);
    if (!config || trial.schedule != schedule || trial.label != label ||
        space.reject(*config))
      continue;
    if (!trial.ok()) {
      failed.insert(std::move(*config));
      continue;
    }
    double time = std::log(*trial.medianNs * 1e-9);
    slowest = std::max(slowest, time);
    result.emplace(std::move(*config), time); // the first counts
  }
  for (const Config &config : failed)
    if (!result.empty())
      result.emplace(config, slowest + std::log(2));
  return result;
}

Expected<std::optional<EarlierTimes>>
earlierTimes(Database &database, const std::string &op,
             const std::string &schedule, const std::string &objective,
             const TargetSpec &target, Label least, const Space &space) {
  Expected<std::vector<Database::StoredRun>> runs = database.runs();
  if (!runs)
    return runs.error();
  std::optional<EarlierTimes> best;
  for (const auto &[id, run, count] : *runs) {
    if (run.key.op != op || !run.finished || run.objective != objective ||
        !run.label || *run.label == Label::Predicted ||
        (run.key.gpu == target.id && *run.label < least))
      continue;
    Expected<TargetSpec> other = targetFromJson(run.target);
    if (!other) // of a later version: not to be understood
      continue;
    double alpha = transferAlpha(similarity(*other, target));
    if (best && alpha < best->alpha)
      continue;
    Expected<std::vector<TrialRecord>> trials = database.trials(id);
    if (!trials)
      return trials.error();
    std::map<Config, double> times =
        logSecondsOf(*trials, schedule, space, *run.label);
    if (!times.empty())
      best =
          EarlierTimes{std::move(*other), alpha, std::move(times), *run.label};
  }
  return best;
}

} // namespace hwtune
