//===- GridSampleTest.cpp - which blocks run, and what they tell ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

using namespace hwtune;
using namespace hwtune::timing;

namespace {

/// A loop of `turns` (a register or a number) with one load and one addition.
std::string loop(const std::string &before, const std::string &turns) {
  return kernel("", before + fmt::format("mov.u32 %r10, 0;\n"
                                         "L: ld.global.f32 %f1, [%rd0];\n"
                                         "add.f32 %f2, %f2, %f1;\n"
                                         "add.u32 %r10, %r10, 1;\n"
                                         "setp.lt.u32 %p0, %r10, {};\n"
                                         "@%p0 bra L;\n",
                                         turns));
}
constexpr uint64_t kBefore = 6, kTurn = 5, kAfter = 1; ///< instructions

TEST(GridSample, BlocksThatDoTheSameRunAFewTimes) {
  TimingReport report = time(loop("", "100"), {5000, 64});
  EXPECT_TRUE(report.sampled);
  EXPECT_EQ(report.launch.events.instExecuted,
            5000 * 2 * (kBefore + 100 * kTurn + kAfter));
  EXPECT_EQ(report.launch.events.globalLoads, 5000u * 2 * 100);
  // The middle, its neighbour, both ends, two by chance; then
  // what one of 108 SMs gets, less than four rounds of 32.
  EXPECT_EQ(report.launch.blocksRun, 6u + 47);
}

TEST(GridSample, BlocksThatDifferAreWeightedByPlace) {
  // Block 0 makes 1,000 turns, all others 10.
  std::string text = loop("setp.eq.u32 %p1, %r2, 0;\n"
                          "selp.b32 %r4, 1000, 10, %p1;\n",
                          "%r4");
  TimingReport report = time(text, {5000, 64});
  EXPECT_EQ(report.launch.events.globalLoads, 2u * (1000 + 4999 * 10));
}

TEST(GridSample, SmallGridsRunWhole) {
  TimingReport report = time(loop("", "100"), {4, 64});
  EXPECT_FALSE(report.sampled);
  EXPECT_EQ(report.launch.blocksRun, 4u);
  TimingOptions whole;
  whole.wholeGrid = true;
  report = time(loop("", "10"), {5000, 64}, whole);
  EXPECT_FALSE(report.sampled);
  EXPECT_EQ(report.launch.blocksRun, 5000u);
}

/// Each block waits for the one before: none can be left out.
TEST(GridSample, GridsWhoseBlocksWaitForEachOtherRunWhole) {
  TimingOptions options;
  options.instructionBudget = 100'000'000;
  for (const char *load : {"ld.volatile.global.u32", "ld.acquire.gpu.u32"}) {
    TimingReport report = time(
        kernel("", std::string("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\n") +
                       "W: " + load + " %r10, [%rd0];\n" +
                       "setp.ne.u32 %p0, %r10, %r2;\n@%p0 bra W;\n"
                       "add.u32 %r11, %r2, 1;\n"
                       "st.release.gpu.global.u32 [%rd0], %r11;\nDONE:\n"),
        {500, 32}, options);
    ASSERT_TRUE(report.launch.ok()) << report.launch.diagnostic.str();
    EXPECT_FALSE(report.sampled);
    EXPECT_EQ(report.launch.blocksRun, 500u);
  }
}

TEST(GridSample, LongBlocksOfAnSmAreCutAndExtrapolated) {
  std::string text = loop("", "3000");
  // Blocks that start together end together, where the load/store unit serves
  // them in turns. A cut sees no end of others.
  TargetSpec target = *knownTarget("a100-sxm4-80gb");
  target.clocksPerMemoryInst = 2;
  TimingOptions all, cut;
  all.mechanisms.blockStarts = cut.mechanisms.blockStarts = false;
  all.simulatedInstructions = uint64_t(1) << 40;
  cut.simulatedInstructions = 200000;
  TimingReport a = time(text, {108 * 64, 64}, cut, "", &target);
  TimingReport b = time(text, {108 * 64, 64}, all, "", &target);
  EXPECT_EQ(a.launch.events.instExecuted, b.launch.events.instExecuted);
  // Six full blocks, and what fits 200,000 instructions of 32 others.
  EXPECT_LT(a.launch.warpInstructions, b.launch.warpInstructions / 4);
  EXPECT_NEAR(a.simulation.cycles / b.simulation.cycles, 1, 0.02);
}

/// The blocks of an SM that are simulated are the first ones: the others count
/// by what they have to do.
TEST(GridSample, TimeFollowsTheWorkOfBlocksThatAreNotSimulated) {
  // Block b of 27,648 makes b / 256 turns, or all of them the mean.
  Launch launch{108 * 256, 64};
  TimingReport uneven =
      time(loop("shr.u32 %r4, %r2, 8; add.u32 %r4, %r4, 1;\n", "%r4"), launch);
  TimingReport even = time(loop("", "54"), launch);
  auto perInst = [](const TimingReport &report, const ModelTime &model) {
    return model.cycles / double(report.launch.events.instExecuted);
  };
  EXPECT_NEAR(perInst(uneven, uneven.simulation) /
                  perInst(even, even.simulation),
              1, 0.15);
  EXPECT_NEAR(perInst(uneven, uneven.formula) / perInst(even, even.formula), 1,
              0.15);
}

} // namespace
