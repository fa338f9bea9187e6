//===- Problem.cpp - a data set as a search -------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace hwtune::replay {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Candidate {
  size_t row = 0;
  std::vector<double> variables;
};

/// Repeated rows of one configuration: one candidate with the median time,
/// failed only if it always failed.
double medianSeconds(const Dataset &data, const std::vector<size_t> &rows) {
  std::vector<double> times;
  for (size_t row : rows)
    if (data.rows[row].ok)
      times.push_back(data.rows[row].seconds);
  if (times.empty())
    return kInfinity;
  std::sort(times.begin(), times.end());
  size_t middle = times.size() / 2;
  return times.size() % 2 ? times[middle]
                          : (times[middle - 1] + times[middle]) / 2;
}

std::vector<Candidate> mergeRepeats(const BoundMapping &bound,
                                    std::vector<Candidate> candidates,
                                    std::vector<std::vector<size_t>> &rows) {
  std::map<std::vector<double>, size_t> first;
  std::vector<Candidate> merged;
  for (Candidate &c : candidates) {
    auto [it, fresh] =
        first.try_emplace(bound.parameters(c.variables), merged.size());
    if (fresh) {
      rows.emplace_back();
      merged.push_back(std::move(c));
      rows.back().push_back(merged.back().row);
    } else {
      rows[it->second].push_back(c.row);
    }
  }
  return merged;
}

std::string groupName(const Mapping &mapping, const Texts &texts,
                      const std::vector<double> &key) {
  std::string name;
  for (size_t i = 0; i < key.size(); ++i)
    name += fmt::format("{}{}={}", i ? " " : "", mapping.groupBy[i],
                        texts.show(key[i]));
  return name;
}

/// A column that holds a text has no order, and for a search its values are
/// places: numbers first, then texts by the alphabet, wherever they stand in
/// the file.
std::vector<std::vector<double>>
placesForTexts(std::vector<std::vector<double>> values, const Texts &texts,
               std::vector<bool> &categorical) {
  for (size_t j = 0; j < categorical.size(); ++j) {
    auto before = [&](double a, double b) {
      return Texts::isText(a) && Texts::isText(b)
                 ? texts.show(a) < texts.show(b)
                 : a < b;
    };
    std::map<double, double, decltype(before)> places(before);
    for (const std::vector<double> &row : values)
      places.emplace(row[j], 0);
    if (places.empty() || !Texts::isText(places.rbegin()->first))
      continue;
    categorical[j] = true;
    double next = 0;
    for (auto &[value, place] : places)
      place = next++;
    for (std::vector<double> &row : values)
      row[j] = places.at(row[j]);
  }
  return values;
}

/// Counts the configurations whose rows differ in a column that is searched by
/// nothing: their median may be that of two operations.
void compareRepeats(ReplayProblem &p, const Dataset &data,
                    const std::vector<size_t> &rows) {
  for (size_t column = 0; column < data.columns.size(); ++column)
    for (size_t row : rows)
      if (data.rows[row].values[column] != data.rows[rows[0]].values[column]) {
        ++p.mixed[data.columns[column]];
        break;
      }
}

/// Whether the mapping's word that names are one kernel agrees with the times.
void compareNames(ReplayProblem &p, const std::vector<uint32_t> &classes) {
  struct Range {
    size_t count = 0;
    double least = kInfinity, most = 0;
  };
  std::map<uint32_t, Range> ranges;
  for (size_t i = 0; i < p.seconds.size(); ++i) {
    if (!std::isfinite(p.seconds[i]))
      continue;
    Range &r = ranges[classes[i]];
    ++r.count;
    r.least = std::min(r.least, p.seconds[i]);
    r.most = std::max(r.most, p.seconds[i]);
  }
  for (const auto &[id, r] : ranges) {
    double factor = r.most / r.least;
    p.manyNamed += r.count > 1;
    p.unlikeNames += factor > kNoise;
    p.mostUnlike = std::max(p.mostUnlike, factor);
  }
}

Expected<ReplayProblem> makeOne(const Dataset &data, const Mapping &mapping,
                                const BoundMapping &bound,
                                std::vector<Candidate> all,
                                const ProblemOptions &options) {
  ReplayProblem p;
  std::vector<std::vector<size_t>> rows;
  std::vector<Candidate> candidates = mergeRepeats(bound, std::move(all), rows);
  std::vector<bool> categorical;
  for (const Parameter &parameter : mapping.parameters)
    categorical.push_back(parameter.categorical);
  std::map<std::vector<double>, uint32_t> classes;
  std::vector<uint32_t> classOf;
  p.optimum = kInfinity;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate &c = candidates[i];
    double seconds = medianSeconds(data, rows[i]);
    compareRepeats(p, data, rows[i]);
    Expected<std::string> why = bound.whyRuledOut(c.variables, c.row);
    if (!why)
      return why.error();
    if (!why->empty()) {
      ++p.removed[*why];
      p.removedValid += std::isfinite(seconds);
      continue;
    }
    if (mapping.hasModel()) {
      Expected<KernelFeatures> f = bound.features(c.variables, c.row);
      if (!f)
        return f.error();
      p.features.push_back(*f);
    }
    Expected<std::vector<double>> key = bound.classKey(c.variables, c.row);
    if (!key)
      return key.error();
    auto [it, fresh] =
        classes.try_emplace(std::move(*key), uint32_t(classes.size()));
    classOf.push_back(it->second);
    p.parameterValues.push_back(bound.parameters(c.variables));
    p.rows.push_back(c.row);
    p.seconds.push_back(seconds);
    if (p.seconds.back() < p.optimum) {
      p.optimum = p.seconds.back();
      p.optimumAt = p.seconds.size() - 1;
    }
  }
  if (options.mergeClasses) {
    compareNames(p, classOf);
    p.search.classes = std::move(classOf);
  }
  p.classCount = options.mergeClasses ? classes.size() : p.rows.size();
  p.texts = data.texts;
  p.search.parameters = encodeParameters(
      placesForTexts(p.parameterValues, *p.texts, categorical), categorical);
  p.search.categorical = std::move(categorical);
  return p;
}

} // namespace

Observation ReplayProblem::measure(size_t candidate) const {
  double value = seconds[candidate];
  return {candidate, std::isfinite(value), value};
}

Expected<std::vector<ReplayProblem>>
makeProblems(const Dataset &data, const Mapping &mapping,
             const ProblemOptions &options) {
  Expected<TargetSpec> target =
      !options.target.empty() ? targetFromText(options.target, "--target")
      : mapping.hasModel()    ? mapping.target(data.device)
                              : Expected<TargetSpec>(TargetSpec());
  if (!target)
    return target.error();
  Expected<BoundMapping> bound = BoundMapping::bind(mapping, data, *target);
  if (!bound)
    return bound.error();
  std::map<std::vector<double>, std::vector<Candidate>> groups;
  for (size_t i = 0; i < data.rows.size(); ++i) {
    Expected<std::vector<double>> v = bound->variables(data.rows[i], i);
    if (!v)
      return v.error();
    if (bound->keep(*v))
      groups[bound->group(*v)].push_back({i, std::move(*v)});
  }
  if (groups.empty())
    return Error{"`keep_if` of " + mapping.file + " keeps none of its rows",
                 data.file};
  std::vector<ReplayProblem> problems;
  size_t ruledOut = 0; // that ran
  for (auto &[key, candidates] : groups) {
    Expected<ReplayProblem> p =
        makeOne(data, mapping, *bound, std::move(candidates), options);
    if (!p)
      return p.error();
    ruledOut += p->removedValid;
    if (!std::isfinite(p->optimum))
      continue; // nothing ran: there is nothing to find
    p->name = groupName(mapping, *data.texts, key);
    p->search.name = p->name.empty() ? data.file : p->name;
    p->target = *target;
    problems.push_back(std::move(*p));
  }
  if (problems.empty())
    return Error{ruledOut ? fmt::format("{} rules out all of the {} "
                                        "configurations of it that ran",
                                        mapping.file, ruledOut)
                          : "no configuration of it has a time",
                 data.file};
  return problems;
}

namespace {

void copyRow(Table &table, size_t from, size_t to) {
  std::copy_n(table.row(from), table.columns, &table.at(to, 0));
}

} // namespace

void addModel(ReplayProblem &problem, const Ensemble &ensemble,
              const Penalty *penalty) {
  size_t n = problem.rows.size();
  ModelTarget target = ModelTarget::from(problem.target);
  problem.search.logTime = Table(n, ensemble.size());
  problem.search.features = Table(n, kNumHardwareFeatures);
  std::vector<size_t> firstOf(n, n); // of each class; one kernel, one time
  for (size_t i = 0; i < n; ++i) {
    if (!problem.search.classes.empty() && !penalty) {
      size_t &first = firstOf[problem.search.classes[i]];
      if (first < i) {
        copyRow(problem.search.logTime, first, i);
        copyRow(problem.search.features, first, i);
        continue;
      }
      first = i;
    }
    double extra = penalty && problem.parameterValues[i][penalty->parameter] ==
                                  penalty->value
                       ? std::log(penalty->factor)
                       : 0;
    for (size_t m = 0; m < ensemble.size(); ++m) {
      Prediction p = predict(problem.features[i], target, ensemble[m]);
      problem.search.logTime.at(i, m) = float(std::log(p.seconds) + extra);
      if (m)
        continue;
      auto coordinates = hardwareFeatures(problem.features[i], p);
      std::copy(coordinates.begin(), coordinates.end(),
                &problem.search.features.at(i, 0));
    }
  }
}

} // namespace hwtune::replay
