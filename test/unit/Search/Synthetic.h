//===- Synthetic.h - made-up searches with known optima -*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_SEARCH_SYNTHETIC_H
#define HWTUNE_TEST_UNIT_SEARCH_SYNTHETIC_H

#include "hwtune/Search/Strategy.h"
#include "hwtune/Support/Random.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

/// A finite search with the value of every candidate (0 = it fails).
struct Synthetic {
  SearchProblem problem;
  std::vector<double> values;

  Observation measure(size_t candidate) const {
    return {candidate, values[candidate] > 0, values[candidate]};
  }
  double optimum() const {
    double best = INFINITY;
    for (double v : values)
      if (v > 0)
        best = std::min(best, v);
    return best;
  }
};

/// `sides` values per ordered parameter, and one categorical of two values
/// that favours 1; a smooth bowl in the logarithm with the optimum off-centre.
inline Synthetic bowl(const std::vector<size_t> &sides, uint64_t seed,
                      double irregularity = 0.02, double failures = 0) {
  Synthetic s;
  Random random(seed);
  std::vector<std::vector<double>> rows;
  std::vector<double> center;
  size_t total = 2;
  for (size_t side : sides) {
    total *= side;
    center.push_back(double(side) * (0.2 + 0.6 * random.uniform()));
  }
  for (size_t i = 0; i < total; ++i) {
    std::vector<double> row;
    size_t rest = i;
    double log = 0;
    for (size_t j = 0; j < sides.size(); ++j) {
      double v = double(rest % sides[j]);
      rest /= sides[j];
      row.push_back(std::exp2(v)); // a power of two, as tile sizes are
      log += 0.08 * (v - center[j]) * (v - center[j]);
    }
    row.push_back(double(rest));
    log += rest ? 0 : 0.3;
    log += irregularity * random.normal();
    rows.push_back(row);
    bool fails = random.uniform() < failures;
    s.values.push_back(fails ? 0 : std::exp(log));
  }
  s.problem.name = "bowl";
  s.problem.categorical.assign(sides.size() + 1, false);
  s.problem.categorical.back() = true;
  s.problem.parameters = encodeParameters(rows, s.problem.categorical);
  return s;
}

/// Adds predictions: the truth, off by a smooth error of each vector's own.
inline void addModel(Synthetic &s, unsigned vectors, double error,
                     uint64_t seed) {
  SearchProblem &p = s.problem;
  p.logTime = Table(p.size(), vectors);
  for (unsigned m = 0; m < vectors; ++m) {
    Random random(seed, m);
    std::vector<double> slope(p.parameters.columns);
    for (double &x : slope)
      x = error * random.normal();
    for (size_t i = 0; i < p.size(); ++i) {
      double log = s.values[i] > 0 ? std::log(s.values[i]) : 2;
      for (size_t j = 0; j < slope.size(); ++j)
        log += slope[j] * double(p.parameters.at(i, j));
      p.logTime.at(i, m) = float(log);
    }
  }
}

struct Trace {
  std::vector<size_t> order;
  double best = INFINITY;
};
inline Trace runStrategy(std::string_view name, const Synthetic &s,
                         uint64_t seed, size_t budget, bool listAlone = false) {
  Trace run;
  StrategyOptions options{
      .seed = seed, .budget = budget, .listAlone = listAlone};
  auto strategy = makeStrategy(name, s.problem, options);
  if (!strategy)
    return run;
  while (run.order.size() < budget) {
    std::vector<size_t> next = (*strategy)->ask();
    if (next.empty())
      break;
    run.order.push_back(next.front());
    Observation o = s.measure(next.front());
    if (o.ok)
      run.best = std::min(run.best, o.value);
    (*strategy)->tell(o);
  }
  return run;
}

} // namespace hwtune

#endif // HWTUNE_TEST_UNIT_SEARCH_SYNTHETIC_H
