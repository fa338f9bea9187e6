//===- Synthetic.h - a device and a compiler for the tests ---- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_TUNER_SYNTHETIC_H
#define HWTUNE_TEST_UNIT_TUNER_SYNTHETIC_H

#include "hwtune/Tuner/Tuner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <set>

namespace hwtune {

/// A space of 64 configurations whose time has one optimum, at {8, 4}; faults
/// are put on chosen configurations. Everything that is asked is recorded.
class Synthetic {
public:
  Synthetic() {
    space.knobs = {{"block", {1, 2, 4, 8, 16, 32, 64, 128}, ""},
                   {"vector", {1, 2, 4, 8, 16, 32, 64, 128}, ""}};
    space.forEach([&](const Config &config) {
      task.candidates.push_back(config);
      task.predicted.push_back(trueSeconds(config) * (config[0] > 8 ? 2 : 1));
      return true;
    });
    task.space = &space;
    task.schedule = "matmul";
    task.generic = {1, 1};
    task.counts = space.count();
    task.heuristic = index({8, 2});
    task.run.key = {"op", "gpu", "arch", "tools", "policy"};
    task.run.opName = "linalg.matmul";
    problem.parameters = encodeParameters(values(), {});
    problem.logTime = Table(task.candidates.size(), 1);
    for (size_t i = 0; i < task.candidates.size(); ++i)
      problem.logTime.at(i, 0) = float(std::log(task.predicted[i]));
    callbacks.compile = [this](const Config &c) { return compile(c); };
    callbacks.measure = [this](const Config &c, const Artifact &,
                               const MeasureRequest &r) {
      return measure(c, r);
    };
    callbacks.verify = [this](const Config &c, const Artifact &) {
      verified.push_back(c);
      Verification v;
      v.ok = !wrong.count(c);
      v.reason = v.ok ? "" : "element 7 is 1, expected 2";
      v.checkedElements = 64;
      return v;
    };
    options.stop.trials = 24;
  }

  /// 1 ms at the optimum, 10 % more per doubling away from it.
  static double trueSeconds(const Config &config) {
    double distance = std::abs(std::log2(double(config[0])) - 3) +
                      std::abs(std::log2(double(config[1])) - 2);
    return 1e-3 * std::pow(1.1, distance);
  }
  size_t index(const Config &config) const {
    for (size_t i = 0; i < task.candidates.size(); ++i)
      if (task.candidates[i] == config)
        return i;
    ADD_FAILURE();
    return 0;
  }

  Expected<TuneResult> tune(const char *strategyName = "random") {
    Expected<std::unique_ptr<Strategy>> strategy = makeStrategy(
        strategyName, problem, {task.run.seed, options.stop.trials});
    EXPECT_TRUE(bool(strategy)) << (strategy ? "" : strategy.error().str());
    task.strategy = strategy->get();
    task.label = label;
    return hwtune::tune(task, callbacks, options);
  }
  TuneResult tuneOk(const char *strategyName = "random") {
    Expected<TuneResult> result = tune(strategyName);
    EXPECT_TRUE(bool(result)) << (result ? "" : result.error().str());
    return result ? *result : TuneResult();
  }

  Space space;
  TuneTask task;
  TuneCallbacks callbacks;
  TuneOptions options;
  SearchProblem problem;
  Label label = Label::Simulated;

  std::set<Config> wrong;               ///< found by `verify` alone
  std::map<Config, TrialStatus> faults; ///< when compiled or run
  std::vector<Config> compiled, measured, verified;
  std::vector<MeasureRequest> requests;
  /// Runs before each measurement; may change the result.
  std::function<void(const Config &, Measurement &)> hook;

private:
  std::vector<std::vector<double>> values() const {
    std::vector<std::vector<double>> result;
    for (const Config &config : task.candidates)
      result.emplace_back(config.begin(), config.end());
    return result;
  }

  std::future<Artifact> compile(const Config &config) {
    compiled.push_back(config);
    Artifact artifact;
    auto fault = faults.find(config);
    if (fault != faults.end() &&
        (fault->second == TrialStatus::Compile ||
         fault->second == TrialStatus::CompileTimeout)) {
      artifact.status = fault->second;
      artifact.reason = "error: cannot tile by " + std::to_string(config[0]);
    }
    artifact.hash = std::to_string(config[0]) + "-" + std::to_string(config[1]);
    artifact.registers = 32;
    std::promise<Artifact> promise;
    promise.set_value(artifact);
    return promise.get_future();
  }

  Measurement measure(const Config &config, const MeasureRequest &request) {
    std::lock_guard<std::mutex> lock(mutex);
    measured.push_back(config);
    requests.push_back(request);
    Measurement m;
    m.label = label;
    auto fault = faults.find(config);
    if (fault != faults.end()) {
      m.status = fault->second;
      m.reason = "CUDA_ERROR " + std::string(toString(m.status));
    } else {
      double seconds = trueSeconds(config);
      m.seconds = {seconds, seconds, seconds};
      m.measured.coldSeconds = seconds;
    }
    if (hook)
      hook(config, m);
    return m;
  }

  std::mutex mutex;
};

} // namespace hwtune

#endif // HWTUNE_TEST_UNIT_TUNER_SYNTHETIC_H
