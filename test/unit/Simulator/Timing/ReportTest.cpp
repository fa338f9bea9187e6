//===- ReportTest.cpp - the breakdown and the energy of a launch ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

using namespace hwtune;
using namespace hwtune::timing;

namespace {

double sum(Breakdown breakdown) {
  double all = 0;
  forEachPart(breakdown, [&](double &part) { all += part; });
  return all;
}

/// 64 multiply-adds per thread, one after the other.
std::string multiplyAdds() {
  return kernel(
      "", repeat(64, [](int) { return "fma.rn.f32 %f0, %f0, %f200, %f201;"; }));
}

/// A load, what is made of it, a barrier and a store.
std::string loadAndStore() {
  return kernel("", "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %rd0;\n"
                    "ld.global.f32 %f0, [%rd1];\n"
                    "add.f32 %f1, %f0, %f0;\n"
                    "bar.sync 0;\n"
                    "st.global.f32 [%rd1+4194304], %f1;\n");
}

void expectComplete(const TimingReport &report) {
  EXPECT_NEAR(sum(report.simulation.breakdown) / report.simulation.cycles, 1,
              1e-6);
}

TEST(Breakdown, PartsOfTheSimulationAddUpToItsCycles) {
  expectComplete(time(multiplyAdds(), {1, 32}));
  expectComplete(time(multiplyAdds(), {1000, 256}));
  expectComplete(time(loadAndStore(), {1, 32}));
  expectComplete(time(loadAndStore(), {4096, 256}));
  TimingOptions options;
  options.facts.registers = 32; // spills, and a trace that is cut
  options.facts.spillBytes = 64;
  options.simulatedInstructions = 2000;
  expectComplete(time(multiplyAdds(), {432, 256}, options));
  options.mechanisms.issue = false;
  expectComplete(time(multiplyAdds(), {432, 256}, options));
}

TEST(Breakdown, NamesWhatAWarpWaitsFor) {
  // One warp of a chain: 4 clocks each, of which it issues in one; the other
  // three schedulers of the SM have nothing.
  TimingReport chain = time(multiplyAdds(), {1, 32});
  const Breakdown &b = chain.simulation.breakdown;
  EXPECT_NEAR(b.idle / chain.simulation.cycles, 0.75, 0.02);
  EXPECT_GT(b.dependence, 2 * b.issue);
  EXPECT_EQ(b.dram + b.l2 + b.barrier, 0);
  // A load of what nobody read before, at the latency of DRAM.
  TimingReport load = time(loadAndStore(), {1, 32});
  EXPECT_GT(load.simulation.breakdown.dram,
            load.simulation.breakdown.dependence);
  // Stalls of one scheduler are a quarter of those of the SM.
  double latency = *knownTarget("a100-sxm4-80gb")->dramLatency;
  EXPECT_NEAR(load.simulation.breakdown.dram, latency / 4, latency / 8);
}

TEST(Energy, IsWhatInstructionsCostAndWhatTimeCosts) {
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  target.idleW = 40, target.staticWPerSM = 0.5, target.tdpW = 1e6;
  target.pjPerInstLane = 10, target.pjPerFma32 = 2, target.pjPerDramByte = 30;
  TimingReport report = time(multiplyAdds(), {54, 128}, {}, "", &target);
  // Five instructions before the 64, and the return.
  double threads = 54.0 * 128, instructions = 70, multiplyAdds = 64;
  double dynamic = threads * (10 * instructions + 2 * multiplyAdds) * 1e-12;
  double constant = (40 + 54 * 0.5) * report.seconds;
  EXPECT_NEAR(report.energyJ / (dynamic + constant), 1, 1e-9);
  EXPECT_NEAR(report.meanPowerW * report.seconds / report.energyJ, 1, 1e-9);
}

TEST(Energy, OfMatrixUnitsIsThatOfTheirMultiplyAdds) {
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  target.tdpW = 1e6;
  std::string text = kernel(
      "", repeat(64, [](int) {
        return "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, "
               "%f2, %f3}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%f0, %f1, "
               "%f2, %f3};";
      }));
  text.replace(text.find("sm_70"), 5, "sm_80");
  target.pjPerTensorFma = 1;
  TimingReport cheap = time(text, {54, 128}, {}, "", &target);
  target.pjPerTensorFma = 3;
  TimingReport dear = time(text, {54, 128}, {}, "", &target);
  double multiplyAdds = 54.0 * 4 * 64 * (16 * 8 * 16);
  EXPECT_NEAR((dear.energyJ - cheap.energyJ) / (2e-12 * multiplyAdds), 1, 0.01);
}

TEST(Energy, OfAStreamIsThatOfItsBytes) {
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  target.tdpW = 1e6;
  Launch launch{4096, 256}; // 4 MiB read, 4 MiB written
  TimingReport cheap = time(loadAndStore(), launch, {}, "", &target);
  target.pjPerDramByte = *target.pjPerDramByte + 100;
  TimingReport dear = time(loadAndStore(), launch, {}, "", &target);
  EXPECT_NEAR((dear.energyJ - cheap.energyJ) / (100e-12 * (8 << 20)), 1, 0.01);
}

TEST(Energy, StaysBelowThePowerLimit) {
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  target.tdpW = 30;
  TimingReport report = time(multiplyAdds(), {1000, 256}, {}, "", &target);
  EXPECT_DOUBLE_EQ(report.meanPowerW, 30);
  EXPECT_DOUBLE_EQ(report.energyJ, 30 * report.seconds);
}

TEST(Energy, IsLeftOutWithoutItsFacts) {
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  target.idleW.reset();
  TimingReport report = time(multiplyAdds(), {1, 32}, {}, "", &target);
  EXPECT_EQ(report.energyJ, 0);
  EXPECT_FALSE(report.missing.empty());
}

} // namespace
