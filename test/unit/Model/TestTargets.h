//===- TestTargets.h - descriptions made up for the tests -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_MODEL_TESTTARGETS_H
#define HWTUNE_TEST_UNIT_MODEL_TESTTARGETS_H

#include "hwtune/Target/TargetSpec.h"

namespace hwtune {

/// Round numbers, so that expected values can be worked out by hand.
inline TargetSpec roundTarget() {
  TargetSpec t;
  t.id = "round";
  t.vendor = "nvidia";
  t.arch = "sm_86";
  t.maxThreadsPerSM = 1024;
  t.maxWarpsPerSM = 32;
  t.maxBlocksPerSM = 16;
  t.registersPerSM = t.registersPerBlock = 65536;
  t.sharedPerSM = 65536;
  t.sharedPerBlock = 49152;
  t.sharedPerBlockOptin = 65536;
  t.sharedAllocUnit = 256;
  t.l1PlusShared = 98304;
  t.fp32Lanes = 64;
  t.int32Lanes = 64;
  t.sfuLanes = 16;
  t.ldstLanes = 16;
  t.smCount = 10;
  t.clockMHz = 1000;
  t.l2Bytes = 1 << 20;
  t.dramBytes = int64_t(1) << 33;
  t.dramGBs = 640; // 64 bytes/clk and SM
  t.dramEffRead = 1.0;
  t.l2BytesPerClk = 1280; // 128 bytes/clk and SM
  t.aluLatency = 4;
  t.sfuLatency = 20;
  t.sharedLatency = 24;
  t.l1Latency = 32;
  t.l2Latency = 200;
  t.dramLatency = 400;
  t.clocksPerWavefront = 2;
  t.launchUs = 2;
  return t;
}

} // namespace hwtune

#endif // HWTUNE_TEST_UNIT_MODEL_TESTTARGETS_H
