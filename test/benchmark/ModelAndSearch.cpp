//===- ModelAndSearch.cpp - predictions and trials a second ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Cost.h"
#include "hwtune/Model/Score.h"
#include "hwtune/Search/Strategy.h"
#include "hwtune/Support/Random.h"
#include "hwtune/Target/KnownTargets.h"

#include <benchmark/benchmark.h>
#include <cmath>

using namespace hwtune;

namespace {

/// A tiled matmul of 4096^3, by seed.
KernelFeatures someMatmul(Random &random) {
  auto power = [&](unsigned low, unsigned high) {
    return std::exp2(double(low + random.below(high - low + 1)));
  };
  double tileM = power(4, 7), tileN = power(4, 7), threadsM = power(3, 4),
         threadsN = power(3, 4), k = 4096, stepK = 16;
  double mine = tileM / threadsM * tileN / threadsN;
  KernelFeatures f;
  f.threadsPerBlock = threadsM * threadsN;
  f.blocks = 4096 / tileM * 4096 / tileN;
  f.sharedBytes = (tileM + tileN) * stepK * 4;
  f.fma32 = mine * k;
  f.accumulators = mine;
  f.fragments = tileM / threadsM + tileN / threadsN;
  f.ilp = mine;
  f.loopTurns = k / 2;
  f.barriers = f.copyPhases = k / stepK;
  f.copies = (tileM + tileN) * k / 4 / f.threadsPerBlock;
  for (double tile : {tileM, tileN}) {
    AccessStream &load = f.streams[size_t(f.numStreams++)];
    load.isCopy = true;
    load.loads = tile * k / 4 / f.threadsPerBlock;
    load.vectorBytes = 16;
    load.sectors = 16;
    load.uniqueBytes = tile * k * 4;
    load.totalBytes = 4096 * k * 4;
    load.sharingBlocks = 32;
    AccessStream &shared = f.streams[size_t(f.numStreams++)];
    shared.isShared = true;
    shared.loads = tile / 8 * k / 4;
    shared.vectorBytes = 16;
    shared.wavefronts = 4;
  }
  return f;
}

void predictOneVector(benchmark::State &state) {
  TargetSpec spec = *knownTarget("a100-sxm4-80gb");
  ModelTarget target = ModelTarget::from(spec);
  Random random(0);
  std::vector<KernelFeatures> features;
  for (int i = 0; i < 1024; ++i)
    features.push_back(someMatmul(random));
  Ensemble ensemble = makeEnsemble(1);
  std::vector<double> seconds(features.size());
  for (auto _ : state) {
    predictBatch(features, target, ensemble, seconds);
    benchmark::DoNotOptimize(seconds.data());
  }
  state.SetItemsProcessed(int64_t(state.iterations()) *
                          int64_t(features.size()));
}
BENCHMARK(predictOneVector);

/// One trial (ask and tell) of `auto` over 18,000 candidates, mean over the
/// first `range(0)` trials, refits included.
void askAndTell(benchmark::State &state) {
  SearchProblem problem;
  size_t n = 18000;
  Random random(1);
  problem.parameters = Table(n, 10);
  problem.features = Table(n, kNumHardwareFeatures);
  problem.logTime = Table(n, kSearchEnsembleSize);
  problem.categorical.assign(10, false);
  problem.categorical[9] = true;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < 10; ++j)
      problem.parameters.at(i, j) = float(random.below(j == 9 ? 2 : 5));
    for (size_t j = 0; j < kNumHardwareFeatures; ++j)
      problem.features.at(i, j) = float(random.normal());
    double log = random.normal();
    for (size_t m = 0; m < kSearchEnsembleSize; ++m)
      problem.logTime.at(i, m) = float(log + 0.2 * random.normal());
  }
  auto trials = size_t(state.range(0));
  for (auto _ : state) {
    auto strategy = makeStrategy("auto", problem, {0, trials});
    for (size_t i = 0; i < trials; ++i)
      for (size_t candidate : (*strategy)->ask())
        (*strategy)->tell({candidate, true,
                           std::exp(double(problem.logTime.at(candidate, 0)) +
                                    0.1 * random.normal())});
  }
  state.SetItemsProcessed(int64_t(state.iterations()) * state.range(0));
}
BENCHMARK(askAndTell)->Arg(48)->Arg(100)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
