//===- TuneRequest.cpp - an operation as the tuner takes it ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneRequest.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/Search/Strategy.h"
#include "hwtune/Transforms/TailCheck.h"
#include "hwtune/Workload/LaunchSizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

using namespace mlir;
using namespace hwtune;

Expected<OpTuneOptions>
hwtune::opTuneOptions(const TuneModuleOptions &options) {
  std::optional<Objective> objective = parseObjective(options.objective);
  if (!objective)
    return Error{fmt::format("option 'objective' is '{}', expected latency, "
                             "throughput, energy, power, energy-delay or "
                             "pareto",
                             options.objective),
                 ""};
  std::span<const std::string_view> known = strategyNames();
  if (std::find(known.begin(), known.end(), options.strategy) == known.end())
    return Error{fmt::format("option 'strategy' is '{}', expected one of {}",
                             options.strategy, fmt::join(known, ", ")),
                 ""};
  if (!(options.weight >= 0 && options.weight <= 1))
    return Error{
        fmt::format("option 'weight' is {:g}, expected 0 to 1", options.weight),
        ""};
  if (!(options.seconds >= 0 && std::isfinite(options.seconds)))
    return Error{fmt::format("option 'seconds' is {:g}, expected a time of 0 "
                             "(no limit) or more",
                             options.seconds),
                 ""};
  OpTuneOptions result;
  result.trials = options.trials;
  result.seconds = options.seconds;
  result.patience = options.patience;
  result.seed = options.seed;
  result.strategy = options.strategy;
  result.objective = *objective;
  result.weight = options.weight;
  result.requireHit = options.requireHit;
  result.allowOtherGpu = options.allowOtherGpu;
  return result;
}

/// Hexadecimal digits of a hash that is shown.
static constexpr size_t kHashDigits = 12;

OpTuneRequest hwtune::tuneRequest(Operation *op, const Workload &w,
                                  const Schedule &schedule,
                                  const TargetSpec &target,
                                  const std::string &toolchain) {
  OpTuneRequest request;
  request.workload = w;
  request.target = target;
  request.space = schedule.space(w, target);
  request.schedule = std::string(schedule.name());
  request.generic = schedule.generic(w, target);
  request.features = schedule.boundFeatures(w, target);
  request.module = isolatedText(op);
  std::string source = schedule.sourceHash();
  if (!source.empty())
    request.script = [w, &schedule, &target](const Config &config) {
      return schedule.script(w, target, config);
    };
  request.shapes = launchShapes(w);
  request.tail = [op, w, &schedule, &target](const Config &config) {
    return tailCheck(op, w, schedule, target, config);
  };
  // What a file says is part of what makes the kernel.
  request.toolchain = source.empty()
                          ? toolchain
                          : fmt::format("{}, schedule {}", toolchain,
                                        source.substr(0, kHashDigits));
  return request;
}
