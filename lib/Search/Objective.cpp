//===- Objective.cpp - what is minimised, and Pareto fronts --------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Search/Objective.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace hwtune {

namespace {

constexpr std::string_view kNames[] = {"latency", "throughput",   "energy",
                                       "power",   "energy-delay", "pareto"};

Expected<double> need(const std::optional<double> &fact, Objective objective,
                      std::string_view what) {
  if (fact && std::isfinite(*fact) && *fact > 0)
    return *fact;
  if (fact)
    return Error{fmt::format("objective `{}`: {} is {:g}, expected a positive "
                             "number",
                             toString(objective), what, *fact),
                 ""};
  return Error{fmt::format("objective `{}`: the device reports no {}",
                           toString(objective), what),
               ""};
}

} // namespace

std::string_view toString(Objective objective) {
  return kNames[static_cast<unsigned>(objective)];
}

std::optional<Objective> parseObjective(std::string_view text) {
  for (unsigned i = 0; i < std::size(kNames); ++i)
    if (text == kNames[i])
      return static_cast<Objective>(i);
  return std::nullopt;
}

Expected<double> objectiveValue(Objective objective, const Measured &m,
                                double weight) {
  if (objective == Objective::Latency)
    return need(m.coldSeconds, objective, "cold launch time");
  Expected<double> seconds = need(m.seconds, objective, "time");
  if (!seconds || objective == Objective::Throughput)
    return seconds;
  std::optional<double> joules = m.joules, watts = m.watts;
  if (!joules && watts)
    joules = *watts * *seconds;
  if (!watts && joules)
    watts = *joules / *seconds;
  if (objective == Objective::Power)
    return need(watts, objective, "power");
  Expected<double> energy = need(joules, objective, "energy");
  if (!energy || objective == Objective::Energy)
    return energy;
  if (objective == Objective::Pareto)
    return std::pow(*seconds, weight) * std::pow(*energy, 1 - weight);
  return *energy * *seconds;
}

std::vector<size_t> paretoFront(std::span<const std::array<double, 2>> points) {
  std::vector<size_t> order;
  for (size_t i = 0; i < points.size(); ++i)
    if (std::isfinite(points[i][0]) && std::isfinite(points[i][1]))
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return points[a] != points[b] ? points[a] < points[b] : a < b;
  });
  std::vector<size_t> front;
  for (size_t i : order)
    if (front.empty() || points[i][1] < points[front.back()][1])
      front.push_back(i);
  return front;
}

std::optional<size_t>
pickByWeight(std::span<const std::array<double, 2>> points,
             std::span<const size_t> front, double weight) {
  std::optional<size_t> best;
  double bestValue = 0;
  for (size_t i : front) {
    double value =
        weight * std::log(points[i][0]) + (1 - weight) * std::log(points[i][1]);
    if (!best || value < bestValue) {
      best = i;
      bestValue = value;
    }
  }
  return best;
}

} // namespace hwtune
