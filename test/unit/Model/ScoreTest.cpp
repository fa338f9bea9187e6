//===- ScoreTest.cpp - par, fit, score, transfer --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "hwtune/Model/Score.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace hwtune;

TEST(ReferenceCase, MaximumIsReachedBy156Of192) {
  ReferenceHardware hw;
  int count = 0, atMaximum = 0;
  double maximum = 0;
  for (double block : {64, 128, 256, 512})
    for (double thread : {8, 16, 32, 64})
      for (double vec : {1, 2, 4, 8})
        for (double shared : {1, 4, 8}) {
          double s = referenceScore(hw, block, thread, vec, shared);
          maximum = std::max(maximum, s);
          atMaximum += std::abs(s - 1) < 1e-12;
          ++count;
        }
  EXPECT_EQ(count, 192);
  EXPECT_DOUBLE_EQ(maximum, 1.0);
  EXPECT_EQ(atMaximum, 156);
}

TEST(ReferenceCase, PointsThatFail) {
  ReferenceHardware hw;
  EXPECT_NEAR(referenceScore(hw, 64, 8, 1, 1), 0.250, 1e-12); // 512 / 2048
  ReferenceHardware fewRegisters = hw;
  fewRegisters.registers = 256; // 64 * 8 > 256: 0.5 * 0.3 + 0.3 + 0.2
  EXPECT_NEAR(referenceScore(fewRegisters, 64, 64, 1, 1), 0.650, 1e-12);
  ReferenceHardware fewLines = hw;
  fewLines.cacheLines = 2; // 0.5 + 0.3 * 0.4 + 0.2
  EXPECT_NEAR(referenceScore(fewLines, 512, 8, 4, 1), 0.820, 1e-12);
  ReferenceHardware littleShared = hw;
  littleShared.sharedBytes = 512; // 0.5 + 0.3 + 0.2 * 0.5
  EXPECT_NEAR(referenceScore(littleShared, 64, 64, 1, 8), 0.900, 1e-12);
}

TEST(Score, ParAndFit) {
  EXPECT_DOUBLE_EQ(par(640, 1280), 0.5);
  EXPECT_DOUBLE_EQ(par(5000, 1280), 1);
  EXPECT_DOUBLE_EQ(par(10, 0), 0);
  const ResourceNeed needs[] = {{"a", 1, 2, 0.6, 0}, {"b", 3, 2, 0.4, 0.5}};
  EXPECT_DOUBLE_EQ(fit(needs), 0.8);
}

TEST(Score, OfAKernel) {
  TargetSpec t = roundTarget();
  KernelFeatures f;
  f.threadsPerBlock = 256;
  f.blocks = 1;
  f.registers = 64;
  f.sharedBytes = 1024;
  Score s = scoreOf(f, t);
  EXPECT_DOUBLE_EQ(s.par, 0.4); // 256 of 640 lanes
  EXPECT_DOUBLE_EQ(s.fit, 1);
  f.registers = 300; // 76800 > 65536
  EXPECT_DOUBLE_EQ(scoreOf(f, t).fit, 0.5);
  f.sharedBytes = 70000;
  EXPECT_DOUBLE_EQ(scoreOf(f, t).fit, 0.3);
}

TEST(MemRatio, IsLatencyRatioTimesHitRate) {
  EXPECT_DOUBLE_EQ(memRatio(400, 32, 0.5), 6.25);
  EXPECT_DOUBLE_EQ(memRatio(400, 0, 0.5), 0);
}

TEST(Transfer, EqualTargetsLeaveTheScore) {
  EXPECT_DOUBLE_EQ(transferScore(7, -3, -3, 0.4), 7);
  EXPECT_DOUBLE_EQ(transferScore(7, -3, -5, 0.5), 8); // faster on B
  EXPECT_DOUBLE_EQ(transferScore(7, -3, -5, 0), 7);
}

TEST(Transfer, AlphaFallsWithTheDifference) {
  EXPECT_DOUBLE_EQ(transferAlpha(1), 1);
  EXPECT_DOUBLE_EQ(transferAlpha(0.5), 0.0625);
  EXPECT_DOUBLE_EQ(transferAlpha(0), 0);
}

TEST(Transfer, Similarity) {
  TargetSpec a = roundTarget(), b = a;
  EXPECT_DOUBLE_EQ(similarity(a, b), 1);
  b.smCount = 20;
  double near = similarity(a, b);
  EXPECT_LT(near, 1);
  b.fp32Lanes = 128;
  EXPECT_LT(similarity(a, b), near);
  EXPECT_DOUBLE_EQ(similarity(a, b), similarity(b, a));
  b.kind = "npu";
  EXPECT_DOUBLE_EQ(similarity(a, b), 0);
}
