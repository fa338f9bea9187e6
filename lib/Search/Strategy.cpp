//===- Strategy.cpp - strategies by name ----------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Search/Strategy.h"

#include "Strategies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwtune {

namespace {

struct Entry {
  std::string_view name;
  StrategyPtr (*make)(const SearchProblem &, const StrategyOptions &);
};
constexpr Entry kEntries[] = {{"exhaustive", makeExhaustive},
                              {"random", makeRandom},
                              {"annealing", makeAnnealing},
                              {"genetic", makeGenetic},
                              {"bayes", makeBayes},
                              {"model", makeModel},
                              {"auto", makeAuto}};
constexpr std::string_view kNames[] = {
    "exhaustive", "random", "annealing", "genetic", "bayes", "model", "auto"};
static_assert(std::size(kEntries) == std::size(kNames));

} // namespace

std::span<const std::string_view> strategyNames() { return kNames; }

Expected<std::unique_ptr<Strategy>>
makeStrategy(std::string_view name, const SearchProblem &problem,
             const StrategyOptions &options) {
  if (Status status = problem.check(); !status)
    return status.error();
  for (const Entry &entry : kEntries) {
    if (entry.name != name)
      continue;
    if (name == "model" && problem.logTime.empty())
      return Error{"strategy `model` needs predicted times, and this search "
                   "has none; use `auto`",
                   ""};
    return entry.make(problem, options);
  }
  return Error{fmt::format("unknown strategy `{}`, expected one of {}", name,
                           fmt::join(kNames, ", ")),
               ""};
}

} // namespace hwtune
