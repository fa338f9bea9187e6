//===- TrafficTest.cpp - pairs of kernels that differ in L2's hits --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As MechanismsTest.cpp, of what passes between L2 and DRAM.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

using namespace hwtune;
using namespace hwtune::timing;

namespace {

/// Each thread copies a word from 32 MiB to the next 32, both so many bytes
/// further on.
std::string copies(int readOffset, int writeOffset) {
  return kernel("", "mul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd1, %rd0;\n" +
                        fmt::format("ld.global.f32 %f0, [%rd1+{}];\n"
                                    "st.global.f32 [%rd1+{}], %f0;\n",
                                    readOffset, (32 << 20) + writeOffset));
}

// What blocks share of a line is no hit in L2 for sectors that they do not
// share: every word is still moved once.
TEST(Mechanisms, CopiesGainNothingFromBeingMisaligned) {
  constexpr uint32_t kThreads = 256, kWords = (32 << 20) / 4;
  Launch launch{kWords / kThreads, kThreads, 0, (64 << 20) + 1024};
  TimingReport aligned = time(copies(0, 0), launch);
  EXPECT_EQ(aligned.l2HitRate, 0);
  constexpr int kOffsets[][2] = {{4, 0}, {0, 4}, {4, 4}, {32, 32}, {64, 0}};
  for (auto [readOffset, writeOffset] : kOffsets) {
    TimingReport shifted = time(copies(readOffset, writeOffset), launch);
    for (ModelTime TimingReport::*model :
         {&TimingReport::formula, &TimingReport::simulation}) {
      double over = (shifted.*model).cycles / (aligned.*model).cycles;
      EXPECT_GE(over, 0.999) << readOffset << ", " << writeOffset;
      EXPECT_LE(over, 1.05) << readOffset << ", " << writeOffset;
    }
    // Of the 33 sectors that a block reads a word further on, one is its
    // neighbour's too; of 32 whole ones none.
    EXPECT_NEAR(shifted.l2HitRate, readOffset % 32 ? 1.0 / 33 : 0, 1e-4);
  }
}

// Stores take the bandwidth of DRAM, however much L2 holds of what is read.
TEST(Mechanisms, StoresHitL2AsFarAsTheyMeet) {
  // All blocks read the same word for each thread; they write eight of their
  // own, or the same ones too.
  auto stores = [](const std::string &index) {
    return kernel("", "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n"
                      "ld.global.cg.f32 %f0, [%rd1];\nmul.wide.u32 %rd1, " +
                          index + ", 4;\nadd.u64 %rd1, %rd1, %rd0;\n" +
                          repeat(8, [](int i) {
                            return fmt::format("st.global.f32 [%rd1+{}], %f0;",
                                               (32 << 20) + (i << 22));
                          }));
  };
  Launch launch{4096, 256};
  TimingReport own = time(stores("%r1"), launch);
  TimingReport same = time(stores("%r0"), launch);
  EXPECT_GT(own.l2HitRate, 0.99);
  EXPECT_NEAR(own.dramWriteBytes, 32 << 20, 1);
  EXPECT_NEAR(same.dramWriteBytes, 8 * 1024, 1);
  EXPECT_GT(own.simulation.cycles, 1.2 * same.simulation.cycles);
  EXPECT_GT(own.formula.cycles, 1.2 * same.formula.cycles);
  TimingOptions off = without(&Mechanisms::dram);
  EXPECT_NEAR(time(stores("%r1"), launch, off).simulation.cycles /
                  time(stores("%r0"), launch, off).simulation.cycles,
              1, 0.05);
}

/// 500 blocks of 256 threads read 16 bytes each and go on behind the last of
/// them, `loads` times, in a range of `bytes`.
std::string sweeps(int loads, uint64_t bytes) {
  return kernel("", "mov.u32 %r10, 0;\nshl.b32 %r11, %r1, 4;\n"
                    "L: " +
                        fmt::format("and.b32 %r12, %r11, {};\n", bytes - 1) +
                        "cvt.u64.u32 %rd1, %r12;\nadd.u64 %rd1, %rd1, %rd0;\n"
                        "ld.global.cg.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\n"
                        "add.f32 %f4, %f4, %f0;\n"
                        "add.u32 %r11, %r11, 2048000;\n"
                        "add.u32 %r10, %r10, 1;\n" +
                        fmt::format("setp.lt.u32 %p1, %r10, {};\n", loads) +
                        "@%p1 bra L;\n");
}

TEST(Mechanisms, L2HoldsWhatWasUsedNotLongAgo) {
  // 46.9 MiB of a buffer of 64 are read, or the first 16 of them, nearly three
  // times, each part by other blocks than before.
  const std::string stream = sweeps(24, 64 << 20), again = sweeps(24, 16 << 20);
  Launch launch{500, 256};
  constexpr double kMiB = 1 << 20;
  TimingReport once = time(stream, launch), kept = time(again, launch);
  EXPECT_NEAR(once.dramReadBytes / kMiB, 46.9, 0.5);
  EXPECT_NEAR(kept.dramReadBytes / kMiB, 16, 0.5);
  EXPECT_GT(once.simulation.cycles, 1.5 * kept.simulation.cycles);
  EXPECT_GT(once.formula.cycles, 1.5 * kept.formula.cycles);
  EXPECT_GT(kept.l2HitRate, 0.6);
  // A cache of 6 MiB has forgotten the range before it is read again.
  TargetSpec small = *knownTarget("a100-sxm4-80gb");
  small.l2Bytes = 6 << 20;
  TimingReport forgotten = time(again, launch, {}, "", &small);
  EXPECT_NEAR(forgotten.dramReadBytes / kMiB, 46.9, 0.5);
  EXPECT_NEAR(forgotten.simulation.cycles / once.simulation.cycles, 1, 0.05);
  TimingOptions off = without(&Mechanisms::reuse);
  EXPECT_NEAR(time(again, launch, off, "", &small).dramReadBytes,
              time(again, launch, off).dramReadBytes, 1);
}

TEST(Mechanisms, BothModelsFindInL2WhatABlockReadsAgain) {
  // Each thread reads one word, a line of its own, 64 times past L1.
  auto reads = [](int step) {
    return kernel("",
                  "mul.wide.u32 %rd1, %r1, 128;\n"
                  "add.u64 %rd1, %rd1, %rd0;\n" +
                      repeat(64, [&](int i) {
                        return fmt::format("ld.global.cg.f32 %f{}, [%rd1+{}];",
                                           i, i * step);
                      }));
  };
  Launch launch{216, 256, 0, uint64_t(216) * 256 * 128 * 65};
  TimingReport again = time(reads(0), launch);
  EXPECT_NEAR(again.dramReadBytes, 216.0 * 256 * 128, 1);
  EXPECT_GT(again.l2HitRate, 0.9);
  EXPECT_NEAR(again.formula.cycles / again.simulation.cycles, 1, 0.4);
  TimingReport off = time(reads(0), launch, without(&Mechanisms::reuse));
  EXPECT_GT(off.simulation.cycles, 1.5 * again.simulation.cycles);
}

} // namespace
