//===- Replay.cpp - searches over recorded times ----------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include "Print.h"

#include "hwtune/Model/Score.h"
#include "hwtune/Search/Strategy.h"
#include "hwtune/Support/Random.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace hwtune::replay {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Measured times repeat to about this; a search that is there is done.
constexpr double kArrived = 1 + 1e-9;

/// A branch of the optimum, a categorical parameter chosen by the seed.
std::optional<Penalty> branchOfOptimum(const ReplayProblem &p, double factor,
                                       uint64_t seed) {
  std::vector<size_t> choices;
  for (size_t j = 0; j < p.search.categorical.size(); ++j)
    if (p.search.categorical[j])
      choices.push_back(j);
  if (choices.empty())
    return std::nullopt;
  size_t parameter = choices[Random(seed, 0x6272).below(choices.size())];
  return Penalty{parameter, p.parameterValues[p.optimumAt][parameter], factor};
}

/// Fills the predictions that a run of this seed starts from.
void prepare(ReplayProblem &p, uint64_t seed, const ReplayOptions &options) {
  if (options.blackBox || p.features.empty()) {
    p.search.logTime = Table();
    p.search.features = Table();
    return;
  }
  Constants center = options.center;
  if (options.wrongConstants != 1)
    center = wrongConstants(center, options.wrongConstants, seed);
  std::optional<Penalty> penalty;
  if (options.wrongBranch != 1)
    penalty = branchOfOptimum(p, options.wrongBranch, seed);
  addModel(p, makeEnsemble(options.ensemble, seed, center),
           penalty ? &*penalty : nullptr);
}

void printTrial(const ReplayProblem &p, size_t number, const Observation &o) {
  say("{:>5} {}", number,
      o.ok ? fmt::format("{:.3f}", o.value / p.optimum) : "failed");
  for (double value : p.parameterValues[o.candidate])
    say(" {}", p.texts->show(value));
  say("\n");
}

double seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

} // namespace

double Trace::after(size_t k) const {
  if (best.empty() || k == 0)
    return kInfinity;
  return best[std::min(k, best.size()) - 1];
}

Expected<Trace> replayOnce(ReplayProblem &problem, std::string_view strategy,
                           uint64_t seed, const ReplayOptions &options) {
  prepare(problem, seed, options);
  Expected<std::unique_ptr<Strategy>> s = makeStrategy(
      strategy, problem.search,
      {seed, options.budget, options.randomChoice, options.listAlone});
  if (!s)
    return s.error();
  Trace trace;
  double best = kInfinity;
  while (trace.best.size() < options.budget && best > kArrived) {
    auto start = std::chrono::steady_clock::now();
    std::vector<size_t> next = (*s)->ask();
    if (next.empty())
      break;
    Observation o = problem.measure(next.front());
    (*s)->tell(o);
    double spent = seconds(std::chrono::steady_clock::now() - start);
    trace.askSeconds += spent;
    trace.worstAsk = std::max(trace.worstAsk, spent);
    trace.failures += !o.ok;
    if (o.ok)
      best = std::min(best, o.value / problem.optimum);
    trace.best.push_back(best);
    if (options.trace)
      printTrial(problem, trace.best.size(), o);
    if (!trace.to5 && best <= 1.05)
      trace.to5 = trace.best.size();
    if (!trace.to1 && best <= 1.01)
      trace.to1 = trace.best.size();
  }
  return trace;
}

Quartiles quartiles(std::vector<double> values) {
  if (values.empty())
    return {};
  std::sort(values.begin(), values.end());
  auto at = [&](double q) {
    double place = q * double(values.size() - 1);
    size_t low = size_t(place), high = std::min(low + 1, values.size() - 1);
    double part = place - double(low);
    // No arithmetic with infinities.
    return part == 0 ? values[low]
           : std::isinf(values[high])
               ? values[high]
               : values[low] + part * (values[high] - values[low]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

Expected<Summary> replaySeeds(ReplayProblem &problem, std::string_view strategy,
                              const ReplayOptions &options) {
  Summary r;
  r.problem = problem.search.name;
  r.strategy = strategy;
  r.seeds = options.seeds;
  r.firstSeed = options.firstSeed;
  r.candidates = problem.rows.size();
  r.classes = problem.classCount;
  std::array<std::vector<double>, kCheckpoints.size()> after;
  std::vector<double> to5, to1;
  size_t measured = 0;
  double asked = 0;
  for (size_t i = 0; i < options.seeds; ++i) {
    Expected<Trace> t =
        replayOnce(problem, strategy, options.firstSeed + i, options);
    if (!t)
      return t.error();
    for (size_t k = 0; k < kCheckpoints.size(); ++k)
      after[k].push_back(t->after(kCheckpoints[k]));
    to5.push_back(t->to5 ? double(t->to5) : kInfinity);
    to1.push_back(t->to1 ? double(t->to1) : kInfinity);
    r.after50Of.push_back(t->after(50));
    r.arrived5 += t->to5 > 0;
    r.arrived1 += t->to1 > 0;
    r.arrived5in25 += t->to5 > 0 && t->to5 <= 25;
    r.failures += double(t->failures);
    measured += t->best.size();
    asked += t->askSeconds;
    r.worstAskMs = std::max(r.worstAskMs, t->worstAsk * 1e3);
  }
  double n = double(std::max<size_t>(options.seeds, 1));
  for (size_t k = 0; k < kCheckpoints.size(); ++k)
    r.after[k] = quartiles(after[k]);
  r.to5Of = to5;
  r.to5 = quartiles(to5);
  r.to1 = quartiles(to1);
  r.arrived5 /= n;
  r.arrived1 /= n;
  r.arrived5in25 /= n;
  r.failures /= n;
  r.meanAskMs = measured ? asked / double(measured) * 1e3 : 0;
  return r;
}

namespace {

std::vector<double> ranks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j) // ties share their mean rank
      result[order[j]] = double(i + end - 1) / 2;
    i = end;
  }
  return result;
}

/// Judges a list of predicted times (small is good) against the measured.
ModelOnly judge(const ReplayProblem &p, const std::vector<double> &predicted) {
  ModelOnly r;
  r.problem = p.search.name;
  r.candidates = p.rows.size();
  std::vector<double> a, b;
  for (size_t i = 0; i < predicted.size(); ++i)
    if (std::isfinite(p.seconds[i])) {
      a.push_back(predicted[i]);
      b.push_back(p.seconds[i]);
    }
  r.rank = spearman(a, b);
  std::vector<double> sorted = b, fastA, fastB;
  std::sort(sorted.begin(), sorted.end());
  double edge = sorted[(sorted.size() - 1) / 10];
  for (size_t i = 0; i < b.size(); ++i)
    if (b[i] <= edge) {
      fastA.push_back(a[i]);
      fastB.push_back(b[i]);
    }
  r.rankFast = spearman(fastA, fastB);
  std::vector<size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return predicted[x] != predicted[y] ? predicted[x] < predicted[y] : x < y;
  });
  // One of a class counts once, as in a search.
  std::vector<uint32_t> met;
  double best = kInfinity;
  size_t place = 0;
  r.top.fill(kInfinity);
  for (size_t i : order) {
    if (!p.search.classes.empty()) {
      uint32_t id = p.search.classes[i];
      if (place < 1000 && std::find(met.begin(), met.end(), id) != met.end())
        continue;
      met.push_back(id);
    }
    ++place;
    best = std::min(best, p.seconds[i] / p.optimum);
    for (size_t k = 0; k < kTops.size(); ++k)
      if (place <= kTops[k])
        r.top[k] = best;
    if (best <= 1.05) {
      r.first = r.first ? r.first : place;
      if (place >= kTops.back())
        break;
    }
  }
  return r;
}

} // namespace

double spearman(const std::vector<double> &a, const std::vector<double> &b) {
  if (a.size() < 2)
    return 0;
  std::vector<double> x = ranks(a), y = ranks(b);
  double mean = double(a.size() - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

namespace {

std::vector<double> meanLogTime(ReplayProblem &problem,
                                const ReplayOptions &options) {
  prepare(problem, options.firstSeed, options);
  // The ensemble's mean log time is what a search starts from.
  const Table &log = problem.search.logTime;
  std::vector<double> predicted(problem.rows.size());
  for (size_t i = 0; i < log.rows; ++i) {
    for (size_t m = 0; m < log.columns; ++m)
      predicted[i] += double(log.at(i, m)) / double(log.columns);
  }
  return predicted;
}

} // namespace

ModelOnly modelOnly(ReplayProblem &problem, const ReplayOptions &options) {
  return judge(problem, meanLogTime(problem, options));
}

std::string listFavourites(ReplayProblem &problem, const Mapping &mapping,
                           const ReplayOptions &options, size_t count) {
  std::vector<double> predicted = meanLogTime(problem, options);
  std::vector<size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return predicted[x] != predicted[y] ? predicted[x] < predicted[y] : x < y;
  });
  std::vector<uint32_t> met;
  std::string text;
  ModelTarget target = ModelTarget::from(problem.target);
  for (size_t i : order) {
    if (!problem.search.classes.empty()) {
      uint32_t id = problem.search.classes[i];
      if (std::find(met.begin(), met.end(), id) != met.end())
        continue;
      met.push_back(id);
    }
    if (count-- == 0)
      break;
    Prediction p = predict(problem.features[i], target, options.center);
    text += fmt::format("{:>5} {:.3f}:", met.size(),
                        problem.seconds[i] / problem.optimum);
    for (size_t j = 0; j < mapping.parameters.size(); ++j)
      text += fmt::format(" {}={}", mapping.parameters[j].name,
                          problem.texts->show(problem.parameterValues[i][j]));
    text += fmt::format(" | b {:.0f} W {:.0f} waves {:.2f} regs {:.0f}+{:.0f}",
                        p.blocksPerSM, p.warpsPerSM, p.wavesPaid, p.registers,
                        p.spilled);
    for (unsigned t = 0; t < kNumTerms; ++t)
      if (p.clocks[t] > 0)
        text += fmt::format(" {} {:.4g}", termName(Term(t)), p.clocks[t]);
    text += fmt::format(" | {:.4g} us predicted, {:.4g} replayed\n",
                        p.seconds * 1e6, problem.seconds[i] * 1e6);
  }
  return text;
}

ModelOnly parFitOnly(const ReplayProblem &problem) {
  std::vector<double> predicted;
  for (const KernelFeatures &f : problem.features)
    predicted.push_back(-scoreOf(f, problem.target).score);
  return judge(problem, predicted);
}

} // namespace hwtune::replay
