//===- Energy.cpp - energy from event counts ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/Energy.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::timing;

/// Multiply-adds of f16 that the matrix units could have done in the time they
/// were busy: types of another rate take the same power.
static double matrixFma(const GridWork &work, const TargetSpec &t) {
  return work.matrixClocks / double(t.schedulersPerSM) *
         double(t.tensorFma.f16AccF32.value_or(0));
}

void timing::addEnergy(TimingReport &report, const GridWork &work,
                       const TargetSpec &t) {
  if (!t.idleW || !t.pjPerInstLane || !t.pjPerDramByte) {
    report.missing.push_back("energy facts (idle_w, pj_per_inst_lane, ...)");
    return;
  }
  constexpr double kPico = 1e-12;
  const exec::EventCounts &e = report.launch.events;
  double lanes = double(t.warpSize);
  double wavefrontBytes = double(t.sharedBanks) * double(t.bankBytes);
  double dynamic =
      double(e.threadInstExecutedPredOn) * *t.pjPerInstLane +
      work.pipeOps[size_t(Pipe::Fp32)] * lanes * t.pjPerFma32.value_or(0) +
      double(e.sharedLoadWavefronts + e.sharedStoreWavefronts) *
          wavefrontBytes * t.pjPerSharedByte.value_or(0) +
      double(e.globalLoadSectors + e.asyncCopySectors) * double(t.sectorBytes) *
          t.pjPerL1Byte.value_or(0) +
      matrixFma(work, t) * t.pjPerTensorFma.value_or(0) +
      work.l2Bytes * t.pjPerL2Byte.value_or(0) +
      (work.dramReadBytes + work.dramWriteBytes) * *t.pjPerDramByte;
  double active = std::min<double>(double(t.smCount), work.blocks);
  double constant = *t.idleW + active * t.staticWPerSM.value_or(0);
  report.energyJ = dynamic * kPico + constant * report.seconds;
  if (report.seconds > 0)
    report.meanPowerW = report.energyJ / report.seconds;
  if (t.tdpW && report.meanPowerW > *t.tdpW) {
    report.meanPowerW = *t.tdpW;
    report.energyJ = report.meanPowerW * report.seconds;
  }
}
