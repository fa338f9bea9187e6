//===- Score.cpp - par, fit, score, transfer ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Score.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

double par(double threads, double cores) {
  return cores > 0 ? std::min(threads, cores) / cores : 0;
}

double fit(std::span<const ResourceNeed> needs) {
  double sum = 0;
  for (const ResourceNeed &r : needs)
    sum += r.weight * (r.need <= r.capacity ? 1 : r.otherwise);
  return sum;
}

double score(double par, double fit) { return par * fit; }

double memRatio(double dramLatency, double levelLatency, double hitRate) {
  return levelLatency > 0 ? dramLatency / levelLatency * hitRate : 0;
}

namespace {

// Weights of the method's reference case: registers decide most, then caches,
// then shared memory.
constexpr double kRegisterWeight = 0.5, kCacheWeight = 0.3, kSharedWeight = 0.2;

} // namespace

Score scoreOf(const KernelFeatures &f, const TargetSpec &t) {
  double lines = 0; // in flight: one access of every warp of the block
  double warps =
      std::ceil(f.threadsPerBlock /
                static_cast<double>(std::max<int64_t>(t.warpSize, 1)));
  for (int i = 0; i < f.numStreams; ++i)
    if (!f.streams[i].isShared && f.streams[i].loads > 0)
      lines += warps * f.streams[i].lines;
  double registers =
      f.registers > 0 ? f.registers : f.accumulators + f.fragments;
  double cache =
      std::max(0.0, static_cast<double>(t.l1PlusShared) - f.sharedBytes);
  const ResourceNeed needs[] = {
      {"registers", registers * f.threadsPerBlock,
       static_cast<double>(t.registersPerSM), kRegisterWeight, 0},
      {"cache lines", lines,
       cache / static_cast<double>(std::max<int64_t>(t.lineBytes, 1)),
       kCacheWeight, 0},
      {"shared memory", f.sharedBytes, static_cast<double>(t.sharedPerSM),
       kSharedWeight, 0}};
  Score result;
  result.par = par(f.threadsPerBlock * f.blocks,
                   static_cast<double>(t.smCount * t.fp32Lanes));
  result.fit = fit(needs);
  result.score = score(result.par, result.fit);
  return result;
}

double transferScore(double logScoreA, double logTimeA, double logTimeB,
                     double alpha) {
  return logScoreA + alpha * (logTimeA - logTimeB);
}

double transferAlpha(double similarity) {
  return similarity * similarity * similarity * similarity;
}

double similarity(const TargetSpec &a, const TargetSpec &b) {
  if (a.kind != b.kind || a.vendor != b.vendor || a.warpSize != b.warpSize)
    return 0;
  double sum = 0;
  int count = 0;
  auto add = [&](double x, double y) {
    if (x <= 0 || y <= 0)
      return;
    sum += std::min(x, y) / std::max(x, y);
    ++count;
  };
  auto addInt = [&](int64_t x, int64_t y) {
    add(static_cast<double>(x), static_cast<double>(y));
  };
  auto addOptional = [&](const auto &x, const auto &y) {
    if (x && y)
      add(static_cast<double>(*x), static_cast<double>(*y));
  };
  // What decides which schedule wins: the balance inside one SM first, then
  // its caches, then the chip.
  addInt(a.fp32Lanes, b.fp32Lanes);
  addInt(a.registersPerSM, b.registersPerSM);
  addInt(a.sharedPerSM, b.sharedPerSM);
  addInt(a.l1PlusShared, b.l1PlusShared);
  addInt(a.maxWarpsPerSM, b.maxWarpsPerSM);
  addOptional(a.ldstLanes, b.ldstLanes);
  addOptional(a.sharedLatency, b.sharedLatency);
  addOptional(a.l2Latency, b.l2Latency);
  addOptional(a.dramLatency, b.dramLatency);
  addOptional(a.tensorFma.f16AccF32, b.tensorFma.f16AccF32);
  addInt(a.l2Bytes, b.l2Bytes);
  addInt(a.smCount, b.smCount);
  // Bytes per flop of the chip.
  auto balance = [](const TargetSpec &t) {
    double rate = static_cast<double>(t.smCount * t.fp32Lanes) * t.clockMHz;
    return rate > 0 ? t.dramGBs / rate : 0;
  };
  add(balance(a), balance(b));
  return count ? sum / count : 0;
}

double referenceScore(const ReferenceHardware &hw, double block, double thread,
                      double vec, double shared) {
  // A value of 8 registers a thread and 4 bytes a shared element.
  const ResourceNeed needs[] = {
      {"registers", thread * 8, hw.registers, kRegisterWeight, 0.3},
      {"cache lines", vec, hw.cacheLines, kCacheWeight, 0.4},
      {"shared memory", shared * thread * 4, hw.sharedBytes, kSharedWeight,
       0.5}};
  return score(par(block * thread, hw.cores), fit(needs));
}

} // namespace hwtune
