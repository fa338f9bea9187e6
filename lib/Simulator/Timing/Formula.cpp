//===- Formula.cpp - time from event counts -------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Formula.h"
#include "hwtune/Simulator/Timing/Traffic.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

using namespace hwtune;
using namespace hwtune::timing;

/// Clocks for `ops` warp operations on a unit of `lanes` lanes in each SM.
static double pipeClocks(double ops, std::optional<int64_t> lanes, double sms,
                         int64_t warpSize) {
  if (!lanes || *lanes <= 0)
    return 0;
  return ops * double(warpSize) / double(*lanes) / sms;
}

/// Clocks that each resource of an SM, or of the chip, alone would need.
static Breakdown resourceClocks(const GridWork &work, double sms,
                                const TargetSpec &t, const Mechanisms &on) {
  Breakdown b;
  auto ops = [&](Pipe pipe) { return work.pipeOps[size_t(pipe)]; };
  if (on.issue)
    b.issue = work.issue / double(t.schedulersPerSM) / sms;
  if (on.icache)
    b.icache = work.issue * fetchClocks(work.codeBytes, t) /
               double(t.schedulersPerSM) / sms;
  if (on.pipes) {
    // Where integers have lanes of their own, some of the address work still
    // runs as multiply-adds on the FP32 lanes (share seen in disassembly).
    constexpr double kIntegerOnFma = 0.3;
    // Halves come in pairs, two results of a lane.
    double fp16 = t.fp16Lanes ? ops(Pipe::Fp16) * 2 * double(t.fp32Lanes) /
                                    double(*t.fp16Lanes)
                              : ops(Pipe::Fp16);
    b.fp32 =
        pipeClocks(ops(Pipe::Fp32) + fp16 + kIntegerOnFma * ops(Pipe::Integer),
                   t.fp32Lanes, sms, t.warpSize);
    b.fp64 = pipeClocks(ops(Pipe::Fp64), t.fp64Lanes, sms, t.warpSize);
    b.integer = pipeClocks(ops(Pipe::Integer), t.int32Lanes, sms, t.warpSize);
    b.special = pipeClocks(ops(Pipe::Special), t.sfuLanes, sms, t.warpSize);
    b.matrix = work.matrixClocks / double(t.schedulersPerSM) / sms;
  }
  b.shared =
      (work.wavefronts + (on.fill ? fillPasses(work.fillSectors, t) : 0)) *
      t.clocksPerWavefront.value_or(1) / sms;
  if (on.lsu)
    b.lsu = work.memoryInsts * t.clocksPerMemoryInst.value_or(1) / sms;
  b.lsu += work.lookupClocks / sms;
  if (on.l2 && t.l2BytesPerClk)
    b.l2 = work.l2Bytes / *t.l2BytesPerClk;
  double perClk = dramBytesPerClk(t, work.dramReadBytes, work.dramWriteBytes);
  if (on.dram && perClk > 0)
    b.dram = (work.dramReadBytes + work.dramWriteBytes) / perClk;
  if (on.blockStarts)
    b.blockStarts = work.blocks * t.blockStartClocks.value_or(0);
  if (on.atomics)
    b.atomics = work.hotAtomics * t.atomicClocks.value_or(0);
  return b;
}

static double cubes(std::initializer_list<double> parts) {
  double sum = 0;
  for (double part : parts)
    sum += part * part * part;
  return sum;
}

/// Issue slots and the FP32 lanes. Where these take a warp's instruction each
/// clock, each of theirs is one in its issue slot: that is one resource.
static double issueAndFp32(const Breakdown &b, const TargetSpec &t) {
  bool takesOneEachClock = t.fp32Lanes >= t.warpSize * t.schedulersPerSM;
  return takesOneEachClock ? cubes({std::max(b.issue, b.fp32)})
                           : cubes({b.issue, b.fp32});
}

ModelTime timing::formulaTime(const GridWork &work, const TargetSpec &t,
                              const Mechanisms &on) {
  ModelTime time;
  double sms = std::max(1.0, std::min<double>(t.smCount, work.blocks));
  Breakdown &b = time.breakdown;
  b = resourceClocks(work, sms, t, on);
  // The load/store unit and the data stage behind it take each access together.
  double busy =
      issueAndFp32(b, t) + cubes({b.fp64, b.integer, b.special, b.matrix,
                                  std::max(b.shared, b.lsu), b.icache});
  double waiting = 0;
  if (on.memoryLatency || on.dependence) {
    // Little's law: a block takes at least its time alone, and only so many are
    // resident at once. A part of that time it is busy itself; in the rest of
    // it it waits, which the others hide.
    double perSM = work.blocks / sms;
    double resident = std::max(1.0, std::min(work.blocksPerSM, perSM));
    b.memoryLatency = work.aloneCycles * std::max(1.0, perSM / resident);
    waiting = std::max(0.0, cubes({b.memoryLatency}) -
                                busy / (resident * resident * resident));
  }
  time.cycles = std::cbrt(
      busy + cubes({b.l2, b.dram, b.atomics, b.blockStarts}) + waiting);
  if (on.tail && work.blocks > 0) {
    // Between perfect balance and whole waves.
    double waves = work.blocks / (double(t.smCount) * work.blocksPerSM);
    double perSM = work.blocks / sms;
    double uneven =
        waves > 1 ? std::ceil(waves) / waves : std::ceil(perSM) / perSM;
    time.cycles *= (1 + uneven) / 2;
  }
  return time;
}
