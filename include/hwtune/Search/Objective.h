//===- Objective.h - what is minimised, and Pareto fronts -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SEARCH_OBJECTIVE_H
#define HWTUNE_SEARCH_OBJECTIVE_H

#include "hwtune/Support/Expected.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hwtune {

enum class Objective {
  Latency,     ///< seconds of one cold launch with its overhead
  Throughput,  ///< seconds per launch, back to back
  Energy,      ///< joules per launch
  Power,       ///< mean watts
  EnergyDelay, ///< joules x seconds
  Pareto,      ///< time against energy; the search minimises a weighted product
};
std::string_view toString(Objective objective);
std::optional<Objective> parseObjective(std::string_view text);

/// What one measurement gave; absent where the device cannot tell.
struct Measured {
  std::optional<double> coldSeconds, seconds, joules, watts;
};
/// The number to minimise, or why there is none ("energy: the device reports
/// no joules"). Never 0 for an absent fact. Joules and mean watts are taken
/// from each other over `seconds` where only one is known. `weight`, of
/// `Pareto` alone, is that of the time, 0..1: the value is
/// seconds^weight * joules^(1 - weight).
Expected<double> objectiveValue(Objective objective, const Measured &measured,
                                double weight = 0.5);

/// Indices of the points that no other point beats in one coordinate without
/// losing in another, by the first coordinate; of equal points the first.
/// Points with a non-finite coordinate are left out.
std::vector<size_t> paretoFront(std::span<const std::array<double, 2>> points);

/// The front's point with the least weight*log(x) + (1-weight)*log(y), weight
/// in 0..1; ties to the first. Empty front: none.
std::optional<size_t>
pickByWeight(std::span<const std::array<double, 2>> points,
             std::span<const size_t> front, double weight);

} // namespace hwtune

#endif // HWTUNE_SEARCH_OBJECTIVE_H
