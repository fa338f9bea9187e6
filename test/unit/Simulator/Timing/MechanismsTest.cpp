//===- MechanismsTest.cpp - each mechanism has a pair of kernels ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels that differ in one thing alone. With the mechanism they take
// different times; with it switched off they no longer do, so a model without
// it cannot pass.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "hwtune/Simulator/Timing/BlockWork.h"
#include "hwtune/Simulator/Timing/PseudoSass.h"
#include "hwtune/Simulator/Timing/Traffic.h"

using namespace hwtune;
using namespace hwtune::timing;

namespace {

/// 128 multiply-adds per thread in `chains` independent chains.
std::string fmaChains(int chains) {
  return kernel("", repeat(128, [&](int i) {
                  return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f200, %f201;",
                                     i % chains);
                }));
}

TEST(Mechanisms, DependentChainsAreSlowerThanIndependentOnes) {
  Launch oneWarp{1, 32};
  std::string slow = fmaChains(1), fast = fmaChains(8);
  EXPECT_GT(ratio(slow, fast, oneWarp).simulation, 1.5);
  EXPECT_GT(ratio(slow, fast, oneWarp).formula, 1.3);
  Ratio off = ratio(slow, fast, oneWarp, without(&Mechanisms::dependence));
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

std::string manyOps(const std::string &op) {
  return kernel("", repeat(256, [&](int i) {
                  int reg = i % 32;
                  return fmt::format(fmt::runtime(op), reg);
                }));
}

TEST(Mechanisms, DoublePrecisionPipeIsNarrower) {
  Launch full{432, 512};
  std::string slow = manyOps("fma.rn.f64 %d{0}, %d{0}, %d40, %d41;");
  std::string fast = manyOps("fma.rn.f32 %f{0}, %f{0}, %f40, %f41;");
  Ratio on = ratio(slow, fast, full);
  EXPECT_NEAR(on.simulation, 2, 0.2); // 64 against 32 lanes
  EXPECT_GT(on.formula, 1.3);
  TimingOptions options = without(&Mechanisms::pipes);
  options.mechanisms.dependence = false;
  options.mechanisms.memoryLatency = false;
  EXPECT_NEAR(ratio(slow, fast, full, options).simulation, 1, 0.05);
}

TEST(Mechanisms, SpecialFunctionsHaveFewLanes) {
  Launch full{432, 512};
  std::string special = manyOps("ex2.approx.ftz.f32 %f{0}, %f{0};");
  std::string single = manyOps("fma.rn.f32 %f{0}, %f{0}, %f40, %f41;");
  Ratio on = ratio(special, single, full);
  EXPECT_NEAR(on.simulation, 4, 0.4); // 16 against 64 lanes
  EXPECT_GT(on.formula, 3);
  TimingOptions options = without(&Mechanisms::pipes);
  options.mechanisms.dependence = false;
  EXPECT_NEAR(ratio(special, single, full, options).simulation, 1, 0.05);
}

TEST(Mechanisms, IntegersHaveLanesOfTheirOwn) {
  Launch full{328, 512};
  TargetSpec target = *knownTarget("rtx-3090"); // 64 of them, 128 for floats
  std::string integer = manyOps("add.u32 %r{0}, %r{0}, %r40;");
  std::string single = manyOps("add.f32 %f{0}, %f{0}, %f40;");
  Ratio on = ratio(integer, single, full, {}, &target);
  EXPECT_NEAR(on.simulation, 2, 0.2);
  EXPECT_GT(on.formula, 1.3);
  Ratio off =
      ratio(integer, single, full, without(&Mechanisms::pipes), &target);
  EXPECT_NEAR(off.simulation, 1, 0.05);
}

TEST(Mechanisms, MatrixUnitsHaveARateForEachType) {
  auto products = [](const std::string &type) {
    bool isWide = type == "tf32";
    std::string text = kernel(
        "", repeat(128, [&](int i) {
          int sum = i % 32 * 4;
          return fmt::format("mma.sync.aligned.m16n8k8.row.col.f32.{0}.{0}.f32 "
                             "{{%f{1}, %f{2}, "
                             "%f{3}, %f{4}}}, {{%r1, %r2{5}}}, {{%r5{6}}}, "
                             "{{%f200, %f201, %f202, "
                             "%f203}};",
                             type, sum, sum + 1, sum + 2, sum + 3,
                             isWide ? ", %r3, %r4" : "", isWide ? ", %r6" : "");
        }));
    return text.replace(text.find("sm_70"), 5, "sm_80");
  };
  Launch full{432, 256};
  Ratio on = ratio(products("tf32"), products("f16"), full);
  EXPECT_NEAR(on.simulation, 2, 0.2); // 512 against 1024 multiply-adds a clock
  EXPECT_NEAR(on.formula, 2, 0.3);
  Ratio off = ratio(products("tf32"), products("f16"), full,
                    without(&Mechanisms::pipes));
  EXPECT_NEAR(off.simulation, 1, 0.05);
}

TEST(Mechanisms, PairsOfHalvesHaveTheirOwnRate) {
  Launch full{432, 512};
  std::string halves = manyOps("fma.rn.f16x2 %r{0}, %r{0}, %r40, %r41;");
  std::string single = manyOps("fma.rn.f32 %f{0}, %f{0}, %f40, %f41;");
  Ratio on = ratio(single, halves, full);
  EXPECT_NEAR(on.simulation, 2, 0.2); // 64 lanes against 256 results in pairs
  EXPECT_GT(on.formula, 1.3);
  Ratio off = ratio(single, halves, full, without(&Mechanisms::pipes));
  EXPECT_NEAR(off.simulation, 1, 0.05);
}

// Lanes for a whole warp on each scheduler are busy in the clock of the issue
// slot, which is no second resource: both models come within 6 % of the peak.
TEST(Mechanisms, MultiplyAddsReachThePeak) {
  constexpr uint32_t kOps = 2048, kThreads = 1024;
  std::string text = kernel(
      "", repeat(kOps, [](int i) {
        return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f200, %f201;", i % 16);
      }));
  for (const char *id : {"h200", "rtx-3090"}) {
    TargetSpec target = *knownTarget(id);
    ASSERT_EQ(target.fp32Lanes, target.warpSize * target.schedulersPerSM);
    target.icacheL1Bytes.reset(); // a loop would fit, this text does not
    int64_t resident = target.maxThreadsPerSM / kThreads;
    Launch whole{uint32_t(2 * resident * target.smCount), kThreads};
    TimingReport report = time(text, whole, {}, "", &target);
    double peak = double(kOps) * kThreads * double(2 * resident) /
                  double(target.fp32Lanes);
    for (double cycles : {report.formula.cycles, report.simulation.cycles}) {
      EXPECT_GE(cycles, peak) << id;
      EXPECT_LE(cycles, 1.06 * peak) << id;
    }
  }
}

TEST(Mechanisms, IssueSlotsBoundWhatNoPipeBounds) {
  Launch full{432, 512};
  std::string body = manyOps("fma.rn.f32 %f{0}, %f{0}, %f40, %f41;");
  TargetSpec wide = *knownTarget("a100-sxm4-80gb");
  wide.fp32Lanes = 1024; // the issue slot alone is left
  TimingReport on = time(body, full, {}, "", &wide);
  TimingReport off = time(body, full, without(&Mechanisms::issue), "", &wide);
  EXPECT_GT(on.simulation.cycles, 1.5 * off.simulation.cycles);
  EXPECT_GT(on.formula.breakdown.issue, 0);
  EXPECT_EQ(off.formula.breakdown.issue, 0);
}

/// Each lane reads the word `stride` further.
std::string sharedReads(int stride, const std::string &type = "f32",
                        const std::string &regs = "%f{0}") {
  std::string loads = repeat(64, [&](int i) {
    return fmt::format("ld.shared.{1} {2}, [%r10+{0}];", (i % 16) * 4, type,
                       fmt::format(fmt::runtime(regs), 4 * (i % 16)));
  });
  return kernel("",
                fmt::format("and.b32 %r11, %r0, 31; mul.lo.u32 %r10, %r11, {}; "
                            "mov.u32 %r12, sh; add.u32 %r10, %r10, %r12;\n",
                            stride) +
                    loads,
                ".shared .align 16 .b8 sh[8192];");
}

TEST(Mechanisms, BankConflictsCostWavefronts) {
  Launch full{216, 256};
  TimingOptions options = without(&Mechanisms::joins); // of the first alone
  Ratio on = ratio(sharedReads(128), sharedReads(4), full, options);
  EXPECT_GT(on.simulation, 8);
  EXPECT_GT(on.formula, 8);
  options.mechanisms.bankConflicts = false;
  Ratio off = ratio(sharedReads(128), sharedReads(4), full, options);
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

/// 32 loads per thread, lanes `stride` bytes apart, 4 KiB between the loads.
std::string globalReads(int stride, int step = 4096, int loads = 32) {
  return kernel(
      "", fmt::format("mul.wide.u32 %rd1, %r1, {}; add.u64 %rd1, %rd1, %rd0;\n",
                      stride) +
              repeat(loads, [&](int i) {
                return fmt::format("ld.global.f32 %f{}, [%rd1+{}];", i,
                                   i * step);
              }));
}

TEST(Mechanisms, StridedAccessNeedsMoreSectors) {
  Launch full{216, 512};
  std::string slow = globalReads(128), fast = globalReads(4);
  Ratio on = ratio(slow, fast, full);
  EXPECT_GT(on.simulation, 2.5);
  EXPECT_GT(on.formula, 2.5);
  TimingOptions options = without(&Mechanisms::coalescing);
  options.mechanisms.l1 = options.mechanisms.dram = false;
  EXPECT_LT(ratio(slow, fast, full, options).simulation, 1.3);
}

/// 64 words of shared memory, the same for all lanes, from where `base` is
/// computed: %r10, of the block.
std::string neighbours(const std::string &base, int from = 0) {
  return kernel("",
                "mov.u32 %r12, sh;\n" + base + "\n" +
                    repeat(64,
                           [&](int i) {
                             return fmt::format(
                                 "ld.shared.f32 %f{}, [%r10+{}];", i,
                                 from + 4 * i);
                           }),
                ".shared .align 4 .b8 sh[8192];");
}

TEST(Mechanisms, NeighbouringWordsOfSharedMemoryAreOneLoad) {
  // Four of them, where their place is known to be a multiple of 16 bytes. They
  // take the unit once, and its data stage as often as apart.
  std::string aligned = neighbours("mad.lo.u32 %r10, %r2, 16, %r12;"),
              unknown = neighbours("mad.lo.u32 %r10, %r2, 4, %r12;");
  TargetSpec slow = *knownTarget("a100-sxm4-80gb");
  slow.clocksPerMemoryInst = 4;
  Launch full{216, 256};
  Ratio on = ratio(unknown, aligned, full, {}, &slow);
  EXPECT_GT(on.simulation, 3);
  EXPECT_GT(on.formula, 3);
  exec::EventCounts events = time(aligned, full).launch.events;
  EXPECT_EQ(events.sharedLoads, 216u * 8 * 16);
  EXPECT_EQ(events.sharedLoadWavefronts, 216u * 8 * 64);
  Ratio off = ratio(unknown, aligned, full, without(&Mechanisms::joins), &slow);
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

/// Memory instructions of hardware for `body`, with %r10 a multiple of 16.
double sharedInsts(const std::string &body) {
  std::string text = kernel("",
                            "mov.u32 %r12, sh;\nshl.b32 %r13, %r0, 4;\n"
                            "add.u32 %r10, %r12, %r13;\n" +
                                body,
                            ".shared .align 4 .b8 sh[8192];");
  exec::EventCounts e = time(text, {1, 32}).launch.events;
  return double(e.sharedLoads + e.sharedStores);
}

TEST(JoinAccesses, DoWhatTheAssemblerDoes) {
  // Counted in what ptxas 13.0 makes of the same loads for sm_80.
  auto load = [](int i) {
    return fmt::format("ld.shared.f32 %f{}, [%r10+{}];\n", i, 4 * i);
  };
  std::string four = load(0) + load(1) + load(2) + load(3);
  EXPECT_EQ(sharedInsts(four), 1);
  EXPECT_EQ(sharedInsts(load(3) + load(2) + load(1) + load(0)), 1);
  EXPECT_EQ(sharedInsts(load(0) + load(1) + load(2)), 1);
  EXPECT_EQ(sharedInsts(load(1) + load(2) + load(3) + load(4)), 2);
  EXPECT_EQ(sharedInsts(four + repeat(4, [&](int i) { return load(4 + i); })),
            2);
  EXPECT_EQ(
      sharedInsts(load(0) + load(1) + "bar.sync 0;\n" + load(2) + load(3)), 2);
  EXPECT_EQ(sharedInsts(load(0) + load(1) + "st.shared.f32 [%r12], %f9;\n" +
                        load(2) + load(3)),
            3);
  EXPECT_EQ(sharedInsts("ld.volatile.shared.f32 %f0, [%r10];\n"
                        "ld.volatile.shared.f32 %f1, [%r10+4];\n"),
            2);
  EXPECT_EQ(sharedInsts("ld.shared.u8 %r20, [%r10];\n"
                        "ld.shared.u8 %r21, [%r10+1];\n"),
            2);
  EXPECT_EQ(sharedInsts("ld.shared.u64 %rd3, [%r10];\n"
                        "ld.shared.u64 %rd4, [%r10+8];\n"),
            1);
  std::string stores = repeat(4, [](int i) {
    return fmt::format("st.shared.f32 [%r10+{}], %f{};", 4 * i, i);
  });
  EXPECT_EQ(sharedInsts(stores), 1);
  // Those between which others lie stay apart.
  EXPECT_EQ(sharedInsts("st.shared.f32 [%r10], %f0;\n"
                        "st.shared.f32 [%r10+512], %f1;\n"
                        "st.shared.f32 [%r10+4], %f1;\n"),
            3);
  // What lies between must not be written.
  EXPECT_EQ(sharedInsts("st.shared.f32 [%r10], %f0;\n"
                        "st.shared.f32 [%r10+8], %f1;\n"
                        "st.shared.f32 [%r10+12], %f1;\n"),
            3);
  // What is added to %r10 is known, or not.
  EXPECT_EQ(sharedInsts("add.u32 %r11, %r10, 4;\n"
                        "ld.shared.f32 %f0, [%r11+-4];\n"
                        "ld.shared.f32 %f1, [%r11];\n"),
            1);
  EXPECT_EQ(
      sharedInsts("shl.b32 %r14, %r0, 2;\nadd.u32 %r10, %r10, %r14;\n" + four),
      4);
}

/// 32 loads of a 16 x 16 matrix of halves whose rows lie `leading` apart.
std::string fragmentLoads(const std::string &space, int leading) {
  return kernel(
      "",
      fmt::format("mov.u64 %rd1, {};\n", space == "shared" ? "sh" : "%rd0") +
          repeat(32,
                 [&](int i) {
                   return fmt::format(
                       "wmma.load.a.sync.aligned.row.m16n16k16.{}.f16 "
                       "{{%r{}, %r{}, %r{}, %r{}, %r{}, %r{}, %r{}, %r{}}}, "
                       "[%rd1], {};",
                       space, 10 + i, 50 + i, 90 + i, 130 + i, 170 + i, 11 + i,
                       51 + i, 91 + i, leading);
                 }),
      ".shared .align 16 .b8 sh[8192];");
}

TEST(Mechanisms, FragmentsMeetInTheBanksOfSharedMemory) {
  // Rows of 128 bytes meet in the same banks, rows of 144 in none: four
  // matrices of 8 rows of 16 bytes take 8 wavefronts each, or one.
  std::string slow = fragmentLoads("shared", 64),
              fast = fragmentLoads("shared", 72);
  Launch full{216, 256};
  Ratio on = ratio(slow, fast, full);
  EXPECT_GT(on.simulation, 4);
  EXPECT_GT(on.formula, 4);
  exec::EventCounts events = time(slow, full).launch.events;
  EXPECT_EQ(events.sharedLoads, 216u * 8 * 32);
  EXPECT_EQ(events.sharedLoadWavefronts, 216u * 8 * 32 * 32);
  EXPECT_EQ(time(fast, full).launch.events.sharedLoadWavefronts,
            216u * 8 * 32 * 4);
  Ratio off = ratio(slow, fast, full, without(&Mechanisms::bankConflicts));
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

TEST(Mechanisms, FragmentsFromGlobalMemoryAreSeveralLoads) {
  // Four of 32 bits, each of 8 rows of 16 bytes: a sector of each row.
  TimingReport report = time(fragmentLoads("global", 4096), {216, 256});
  exec::EventCounts events = report.launch.events;
  EXPECT_EQ(events.globalLoads, 216u * 8 * 32 * 4);
  EXPECT_EQ(events.globalLoadSectors, 216u * 8 * 32 * 4 * 8);
  EXPECT_EQ(events.globalLoadLines, 216u * 8 * 32 * 4 * 8);
  // Rows that follow each other, 32 bytes each, are on two lines a load.
  TimingReport dense = time(fragmentLoads("global", 16), {216, 256});
  EXPECT_EQ(dense.launch.events.globalLoadLines, 216u * 8 * 32 * 4 * 2);
  EXPECT_GT(report.simulation.cycles, 1.5 * dense.simulation.cycles);
  EXPECT_GT(report.formula.cycles, 1.5 * dense.formula.cycles);
}

TEST(Mechanisms, LanesThatWantDifferentConstantsTakeTurns) {
  auto constants = [](int stride) {
    return kernel(
        "",
        fmt::format("mov.u64 %rd1, table;\nmul.wide.u32 %rd2, %r0, {};"
                    "\nadd.u64 %rd1, %rd1, %rd2;\n",
                    stride) +
            repeat(64,
                   [](int i) {
                     return fmt::format("ld.const.f32 %f{0}, [%rd1+{1}"
                                        "];\nadd.f32 %f{0}, %f{0}, "
                                        "%f200;",
                                        i, 4 * i);
                   }),
        ".const .align 4 .b8 table[8192];");
  };
  Launch full{216, 256};
  Ratio on = ratio(constants(4), constants(0), full);
  EXPECT_GT(on.simulation, 8);
  EXPECT_GT(on.formula, 8);
  EXPECT_EQ(time(constants(4), full).launch.events.constantReplays,
            216u * 8 * 64 * 31);
  Ratio off =
      ratio(constants(4), constants(0), full, without(&Mechanisms::constants));
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

TEST(Mechanisms, LoadLatencyIsExposedByAChain) {
  // A pointer chase: every load needs the last (all of them read zero).
  auto chase = [](bool dependent) {
    return kernel(
        "", "mov.u64 %rd1, %rd0; mov.u64 %rd3, 0;\n" + repeat(16, [&](int i) {
              return fmt::format("ld.global.u64 %rd{0}, [%rd1+{1}];\n"
                                 "add.u64 %rd1, %rd{2}, %rd0;",
                                 4 + i, i * 4096, dependent ? 4 + i : 3);
            }));
  };
  Launch one{1, 32};
  EXPECT_GT(ratio(chase(true), chase(false), one).simulation, 4);
  EXPECT_LT(
      ratio(chase(true), chase(false), one, without(&Mechanisms::memoryLatency))
          .simulation,
      1.6);
}

// 24 copies of 16 bytes a lane, each a group; before each the group `ahead`
// back must be there.
std::string groupsOfCopies(int ahead) {
  std::string body = "mov.u32 %r1, buf; shl.b32 %r4, %r0, 4; add.u32 %r1, %r1, "
                     "%r4; cvt.u64.u32 %rd1, %r4; add.u64 %rd0, %rd0, %rd1;\n";
  for (int i = 0; i < 24; ++i)
    body += fmt::format("cp.async.cg.shared.global [%r1], [%rd0+{}], 16;\n"
                        "cp.async.commit_group;\ncp.async.wait_group {};\n",
                        i * 4096, ahead);
  std::string text = kernel(".shared .align 16 .b8 buf[512];", body);
  return text.replace(text.find("sm_70"), 5, "sm_80");
}

TEST(Mechanisms, WaitsForCopiesLeaveTheirGroupsInFlight) {
  Launch one{1, 32};
  std::string each = groupsOfCopies(0), ahead = groupsOfCopies(3);
  EXPECT_GT(ratio(each, ahead, one).simulation, 2);
  EXPECT_GT(ratio(each, ahead, one).formula, 1.5);
  EXPECT_LT(
      ratio(each, ahead, one, without(&Mechanisms::memoryLatency)).simulation,
      1.2);
}

TEST(Mechanisms, L1KeepsWhatIsReadAgain) {
  Launch full{108, 128};
  std::string again = globalReads(4, 0), fresh = globalReads(4, 1 << 18);
  double on = ratio(fresh, again, full).simulation;
  double off = ratio(fresh, again, full, without(&Mechanisms::l1)).simulation;
  EXPECT_GT(on, 1.5 * off);
}

TEST(Mechanisms, EachLineOfAnAccessIsLookedUp) {
  // The same lines again and again: 32 of them, or one. Lanes 132 bytes apart
  // have a bank of L1 each.
  Launch full{108, 128};
  std::string slow = globalReads(132, 0, 128), fast = globalReads(4, 0, 128);
  TimingOptions options = without(&Mechanisms::dram); // the first load misses
  Ratio on = ratio(slow, fast, full, options);
  EXPECT_GT(on.simulation, 3); // 32 / 3.5 clocks, and 2
  EXPECT_GT(on.formula, 3);
  options.mechanisms.lookups = false;
  Ratio off = ratio(slow, fast, full, options);
  EXPECT_NEAR(off.simulation, 1, 0.2);
  EXPECT_NEAR(off.formula, 1, 0.2);
}

TEST(Mechanisms, LanesOfALoadMeetInTheBanksOfL1) {
  Launch full{108, 128};
  std::string slow = globalReads(128, 0, 128), fast = globalReads(132, 0, 128);
  Ratio on = ratio(slow, fast, full);
  EXPECT_GT(on.simulation, 2.5); // 32 clocks, and 32 / 3.5
  EXPECT_GT(on.formula, 2.5);
  Ratio off = ratio(slow, fast, full, without(&Mechanisms::bankConflicts));
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

TEST(PseudoSass, MovesOfRegisterArraysLeaveRoomOnTheIntegerLanes) {
  exec::InstMeta access;
  access.registerSlots = 8;
  access.bytesPerLane = 4;
  SassCost cost = sassCost(access);
  EXPECT_EQ(cost.issue, 8 + 4); // moves, and comparisons shared by two accesses
  EXPECT_EQ(cost.pipe, Pipe::Integer);
  EXPECT_DOUBLE_EQ(cost.pipeOps, 0.6 * 12);
}

TEST(Formula, AnAccessTakesTheUnitAndItsDataStageTogether) {
  // Four words for all lanes by one load or by four: as many wavefronts. (On
  // the RTX 2080 Ti both take 3.0 ms in the measured Coulomb sums.)
  TargetSpec target = *knownTarget("rtx-2080-ti");
  auto loads = [](const char *one) {
    return kernel("", repeat(32, [&](int i) {
                    return fmt::format(fmt::runtime(one), 4 * i, 4 * i + 1,
                                       4 * i + 2, 4 * i + 3, 16 * i, 16 * i + 4,
                                       16 * i + 8, 16 * i + 12);
                  }));
  };
  std::string words = loads("ld.global.f32 %f{0}, [%rd0+{4}];\n"
                            "ld.global.f32 %f{1}, [%rd0+{5}];\n"
                            "ld.global.f32 %f{2}, [%rd0+{6}];\n"
                            "ld.global.f32 %f{3}, [%rd0+{7}];");
  std::string vectors =
      loads("ld.global.v4.f32 {{%f{0}, %f{1}, %f{2}, %f{3}}}, [%rd0+{4}];");
  Ratio both = ratio(words, vectors, {272, 256}, {}, &target);
  EXPECT_NEAR(both.simulation, 1, 0.1);
  EXPECT_NEAR(both.formula, 1, 0.1);
}

TEST(Formula, ABlockAloneTakesTheTimeOfABlockAlone) {
  // One block on each SM at a time has nobody to wait for.
  TimingReport report = time(fmaChains(8), {1080, 128, 100 * 1024},
                             without(&Mechanisms::blockStarts));
  ASSERT_EQ(report.blocksPerSM, 1);
  EXPECT_NEAR(report.formula.cycles / report.simulation.cycles, 1, 0.05);
}

TEST(Mechanisms, WhatArrivesInL1UsesItsDataStage) {
  // Streams that L1 keeps or not, beside shared loads that keep the stage busy.
  auto stream = [](const std::string &cache) {
    return kernel("",
                  "mov.u32 %r10, sh; mul.wide.u32 %rd1, %r1, 4;\n"
                  "add.u64 %rd1, %rd1, %rd0;\n" +
                      repeat(32,
                             [&](int i) {
                               return fmt::format(
                                   "ld.global{0}.f32 %f{1}, [%rd1+{2}];\n"
                                   "ld.shared.f32 %f{3}, [%r10+{4}];\n"
                                   "ld.shared.f32 %f{5}, [%r10+{6}];",
                                   cache, i, i << 18, 40 + i, 4 * i, 80 + i,
                                   4 * i + 128);
                             }),
                  ".shared .align 16 .b8 sh[8192];");
  };
  Launch full{216, 512};
  TargetSpec a100 = *knownTarget("a100-sxm4-80gb");
  a100.l2BytesPerClk = 1e6; // the data stage alone is left
  TimingOptions options;
  options.mechanisms.dram = options.mechanisms.lsu = false;
  Ratio on = ratio(stream(".ca"), stream(".cg"), full, options, &a100);
  EXPECT_GT(on.simulation, 1.5); // 3 wavefronts a turn, and 4 sectors
  EXPECT_GT(on.formula, 1.3);
  options.mechanisms.fill = false;
  Ratio off = ratio(stream(".ca"), stream(".cg"), full, options, &a100);
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

TEST(Mechanisms, DramBandwidthBoundsAStream) {
  Launch stream{4096, 256};
  std::string text = globalReads(4, 4 << 20, 8);
  TimingReport on = time(text, stream);
  TimingReport off = time(text, stream, without(&Mechanisms::dram));
  EXPECT_GT(on.simulation.cycles, 1.2 * off.simulation.cycles);
  EXPECT_GT(on.formula.breakdown.dram, on.formula.breakdown.issue);
  EXPECT_EQ(off.formula.breakdown.dram, 0);
}

TEST(Mechanisms, L2KeepsWhatBlocksShare) {
  // All blocks read the same bytes; without L1 they go to L2.
  std::string shared =
      kernel("", "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0;\n" +
                     repeat(32, [](int i) {
                       return fmt::format("ld.global.f32 %f{}, [%rd1+{}];", i,
                                          i * 4096);
                     }));
  TimingOptions noL1 = without(&Mechanisms::l1);
  TimingReport on = time(shared, {2048, 256}, noL1);
  noL1.mechanisms.l2 = false;
  TimingReport off = time(shared, {2048, 256}, noL1);
  EXPECT_GT(on.l2HitRate, 0.99);
  EXPECT_EQ(off.l2HitRate, 0);
  EXPECT_GT(off.simulation.cycles, 1.5 * on.simulation.cycles);
}

TEST(Mechanisms, SharedMemoryBoundsTheResidentBlocks) {
  std::string text = fmaChains(1);
  Launch small{1728, 128, 0}, large{1728, 128, 100 * 1024};
  TimingReport few = time(text, large), many = time(text, small);
  EXPECT_EQ(few.blocksPerSM, 1);
  EXPECT_GT(many.blocksPerSM, 8);
  EXPECT_GT(few.simulation.cycles, 1.2 * many.simulation.cycles);
  EXPECT_NEAR(
      time(text, large, without(&Mechanisms::occupancy)).simulation.cycles /
          time(text, small, without(&Mechanisms::occupancy)).simulation.cycles,
      1, 0.05);
}

TEST(Mechanisms, TheLastWaveCosts) {
  std::string text = fmaChains(4);
  // One block more than 108 SMs.
  double on = time(text, {109, 1024}).simulation.cycles /
              time(text, {108, 1024}).simulation.cycles;
  TimingOptions options = without(&Mechanisms::tail);
  double off = time(text, {109, 1024}, options).simulation.cycles /
               time(text, {108, 1024}, options).simulation.cycles;
  EXPECT_GT(on, 1.3);
  EXPECT_LT(off, 1.1);
}

TEST(Mechanisms, AFewBlocksOfALastRoundTakeTheirOwnTime) {
  // A chain of 20,000 steps in each block: four on an SM take as long as one.
  std::string text = kernel("", "mov.u32 %r10, 0;\nL:\n" +
                                    repeat(100,
                                           [](int) {
                                             return "fma.rn.f32 %f1, %f1, "
                                                    "%f200, %f201;";
                                           }) +
                                    "add.u32 %r10, %r10, 1;\n"
                                    "setp.lt.u32 %p1, %r10, 200;\n"
                                    "@%p1 bra L;\n");
  for (uint64_t simulated : {uint64_t(10000), uint64_t(1) << 40}) {
    auto rounds = [&](uint32_t blocksPerSM, bool tail) {
      TimingOptions options;
      options.simulatedInstructions = simulated; // the first cuts the blocks
      options.mechanisms.tail = tail;
      TimingReport report =
          time(text, {108 * blocksPerSM, 32, 40 * 1024}, options);
      EXPECT_EQ(report.blocksPerSM, 4);
      return report.simulation.cycles / (20000 * 4);
    };
    EXPECT_NEAR(rounds(1, true), 1, 0.05);
    EXPECT_NEAR(rounds(4, true), 1, 0.05);
    EXPECT_NEAR(rounds(5, true), 2, 0.1);
    EXPECT_NEAR(rounds(40, true), 10, 0.5);
    EXPECT_NEAR(rounds(41, true), 11, 0.5);
    EXPECT_NEAR(rounds(41, false), 10.25, 0.5);
  }
}

/// A chain of 16 steps a turn, `turns` times: a register or a number.
std::string chain(const std::string &before, const std::string &turns) {
  return kernel(
      "",
      before + "mov.u32 %r10, 0;\nL:\n" +
          repeat(16, [](int) { return "fma.rn.f32 %f1, %f1, %f200, %f201;"; }) +
          "add.u32 %r10, %r10, 1;\n" +
          fmt::format("setp.lt.u32 %p1, %r10, {};\n", turns) + "@%p1 bra L;\n");
}

TEST(Mechanisms, ALongBlockAmongManyShortOnesTakesItsTime) {
  std::string uneven = chain("setp.eq.u32 %p2, %r2, 700;\n"
                             "selp.b32 %r4, 4000, 4, %p2;\n",
                             "%r4");
  TimingOptions whole;
  whole.wholeGrid = true;
  double alone = time(chain("", "4000"), {1, 128}).simulation.cycles;
  TimingReport one = time(uneven, {2000, 128}, whole);
  EXPECT_NEAR(one.simulation.cycles / alone, 1, 0.1);
  EXPECT_NEAR(one.formula.cycles / alone, 1, 0.1);
  whole.mechanisms.skew = false;
  EXPECT_LT(time(uneven, {2000, 128}, whole).simulation.cycles, alone / 4);
}

TEST(Mechanisms, BlocksThatDifferByMoreThanTheirPlaceAreCounted) {
  // Every 16th block has 50 times the work of the others.
  std::string uneven = chain("and.b32 %r4, %r2, 15;\n"
                             "setp.eq.u32 %p2, %r4, 5;\n"
                             "selp.b32 %r4, 200, 4, %p2;\n",
                             "%r4");
  TimingOptions whole;
  whole.wholeGrid = true;
  TimingReport all = time(uneven, {4096, 256}, whole);
  TimingReport some = time(uneven, {4096, 256});
  EXPECT_TRUE(some.sampled);
  EXPECT_EQ(some.launch.events.instExecuted, all.launch.events.instExecuted);
  EXPECT_NEAR(some.seconds / all.seconds, 1, 0.2);
}

TEST(BlockWork, GivesBlocksToWhoHasTheLeast) {
  std::vector<uint64_t> blocks{4, 1, 1, 1, 1};
  EXPECT_EQ(longestRow(blocks, 2), 4);
  EXPECT_EQ(longestRow(blocks, 1), 8);
  EXPECT_EQ(busiestOverMean(blocks, 2), 1);
  EXPECT_EQ(busiestOverMean(blocks, 4), 2); // 4 of 8 on four
  EXPECT_TRUE(isSkewed(blocks));
  EXPECT_FALSE(isSkewed(std::vector<uint64_t>{10, 11, 10}));
}

TEST(Mechanisms, WarpsWaitForEachOtherAtBarriers) {
  // Half of the warps work before the barrier, the others after it.
  auto halves = [](const std::string &barrier) {
    std::string work =
        repeat(256, [](int) { return "fma.rn.f32 %f1, %f1, %f200, %f201;"; });
    return kernel("", "setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra FIRST;\n" + work +
                          "FIRST:\n" + barrier + "\n@%p1 bra DONE;\n" + work +
                          "DONE:\n");
  };
  Launch two{1, 64};
  std::string with = halves("bar.sync 0;"), without_ = halves("");
  EXPECT_NEAR(ratio(with, without_, two).simulation, 2, 0.2);
  EXPECT_GT(ratio(with, without_, two).formula, 1.7);
  Ratio off = ratio(with, without_, two, without(&Mechanisms::barriers));
  EXPECT_NEAR(off.simulation, 1, 0.1);
}

TEST(Mechanisms, ShufflesPassTheLoadStoreUnit) {
  std::string shuffles = manyOps("shfl.sync.bfly.b32 %r{0}, %r{0}, 1, 31, -1;");
  std::string additions = manyOps("add.u32 %r{0}, %r{0}, 1;");
  Launch full{432, 512};
  Ratio on = ratio(shuffles, additions, full);
  EXPECT_NEAR(on.simulation, 2, 0.3); // one a clock and SM, for two of 64 lanes
  EXPECT_GT(on.formula, 1.3);
  Ratio off = ratio(shuffles, additions, full, without(&Mechanisms::shuffles));
  EXPECT_LT(off.simulation, 0.6); // an issue slot and nothing else
}

TEST(Mechanisms, LanesThatGoApartTakeBothWays) {
  auto branch = [](int bit) {
    std::string work = repeat(128, [](int i) {
      return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f200, %f201;", i % 16);
    });
    return kernel("", fmt::format("and.b32 %r4, %r0, {};\n"
                                  "setp.eq.u32 %p1, %r4, 0;\n@%p1 bra ELSE;\n",
                                  bit) +
                          work + "bra.uni DONE;\nELSE:\n" + work + "DONE:\n");
  };
  Ratio byLane = ratio(branch(1), branch(32), {432, 512});
  EXPECT_NEAR(byLane.simulation, 2, 0.1);
  EXPECT_NEAR(byLane.formula, 2, 0.2);
}

TEST(Mechanisms, BlocksStartOneAfterTheOther) {
  std::string text = kernel("", ""); // blocks that do nothing
  Launch launch{108000, 32};
  double clocks = *knownTarget("a100-sxm4-80gb")->blockStartClocks;
  TimingReport many = time(text, launch), one = time(text, {1, 32});
  double perBlock =
      (many.simulation.cycles - one.simulation.cycles) / (launch.blocks - 1);
  EXPECT_NEAR(perBlock / clocks, 1, 0.05);
  EXPECT_NEAR(many.formula.breakdown.blockStarts, launch.blocks * clocks, 1);
  EXPECT_NEAR(many.formula.cycles / (launch.blocks * clocks), 1, 0.05);
  EXPECT_GT(many.simulation.breakdown.blockStarts,
            0.5 * many.simulation.cycles);
  TimingReport off = time(text, launch, without(&Mechanisms::blockStarts));
  EXPECT_LT(off.simulation.cycles, many.simulation.cycles / 3);
  EXPECT_LT(off.formula.cycles, many.formula.cycles / 3);
}

/// Four additions a thread, to the word at `buffer` + %rd1.
std::string additions(const std::string &offset,
                      const std::string &add = "u32 [%rd1], 1") {
  return kernel(
      "", offset + "add.u64 %rd1, %rd1, %rd0;\n" +
              repeat(4, [&](int) { return "red.global.add." + add + ";"; }));
}

TEST(Mechanisms, AtomicsOnOneAddressWaitForEachOther) {
  Launch full{432, 256};
  std::string one = additions("mul.wide.u32 %rd1, %r1, 0;\n"),
              spread = additions("mul.wide.u32 %rd1, %r1, 4;\n");
  Ratio on = ratio(one, spread, full);
  EXPECT_GT(on.simulation, 10);
  EXPECT_GT(on.formula, 10);
  // One a clock of all that the grid makes.
  double all = 4.0 * 432 * 256 * *knownTarget("a100-sxm4-80gb")->atomicClocks;
  TimingReport hot = time(one, full);
  EXPECT_NEAR(hot.simulation.cycles / all, 1, 0.05);
  EXPECT_NEAR(hot.formula.breakdown.atomics, all, 1);
  EXPECT_NEAR(hot.formula.cycles / all, 1, 0.05);
  // A word for each block: 256 threads of 4 meet, which is soon done.
  std::string own = additions("mad.lo.u32 %r4, %r0, 0, %r2;\n"
                              "mul.wide.u32 %rd1, %r4, 32;\n");
  EXPECT_LT(time(own, full).simulation.cycles, all / 20);
  Ratio off = ratio(one, spread, full, without(&Mechanisms::atomics));
  EXPECT_LT(off.simulation, 1.1);
  EXPECT_LT(off.formula, 1.1);
}

TEST(Mechanisms, AnAssemblerJoinsIntegerAtomicsOfAWarp) {
  // Of integers at an address that does not depend on the lane: by the block,
  // or by a word that all lanes load.
  double all = 4.0 * 432 * 256;
  auto atomics = [](const std::string &text) {
    return time(text, {432, 256}).formula.breakdown.atomics;
  };
  const std::string byBlock = "mul.wide.u32 %rd1, %r2, 0;\n",
                    byLane = "mul.wide.u32 %rd1, %r0, 0;\n";
  EXPECT_DOUBLE_EQ(atomics(additions(byBlock)), all / 32);
  EXPECT_DOUBLE_EQ(atomics(additions(byBlock, "u32 [%rd1], %r0")), all / 32);
  EXPECT_DOUBLE_EQ(atomics(additions("ld.global.u64 %rd1, [%rd0];\n")),
                   all / 32);
  EXPECT_DOUBLE_EQ(atomics(additions(byLane)), all);
  EXPECT_DOUBLE_EQ(atomics(additions(byBlock, "f32 [%rd1], %f0")), all);
}

TEST(Mechanisms, TheHottestAddressIsCountedWhereItWasNotChosen) {
  // Blocks 5 and 6 of a row of 10. Address 8 has most in block 5 by chance;
  // 16 is of block 5 alone.
  AtomicsByBlock atomics;
  atomics[5] = {{0, 4}, {8, 9}, {16, 50}};
  atomics[6] = {{0, 6}, {8, 3}};
  EXPECT_EQ(hotAtomics(atomics, {5, 6, 5, 5}, {10, 1, 1}), 3 * 10);
  // Of two blocks, 50 of one are more than 9 of each.
  EXPECT_EQ(hotAtomics(atomics, {5, 6, 5, 5}, {2, 1, 1}), 50);
  // Below it, block 15 goes to 0 as well: 10 x 30 blocks, of (6 + 8) / 2.
  atomics[15] = {{0, 8}};
  EXPECT_EQ(hotAtomics(atomics, {5, 6, 15, 5}, {10, 30, 1}), 10 * 30 * 7);
  EXPECT_EQ(hotAtomics({}, {5, 6, 5, 5}, {10, 1, 1}), 0);
}

TEST(Mechanisms, SharedAtomicsOnOneWordTakeTurns) {
  auto additions = [](int stride) {
    return kernel(
        "",
        fmt::format("mul.lo.u32 %r10, %r0, {};\n", stride) +
            "mov.u32 %r12, sh;\nadd.u32 %r10, %r10, %r12;\n" +
            repeat(64, [](int) { return "red.shared.add.u32 [%r10], 2;"; }),
        ".shared .align 16 .b8 sh[8192];");
  };
  Launch full{216, 256};
  Ratio on = ratio(additions(0), additions(4), full);
  EXPECT_GT(on.simulation, 8);
  EXPECT_GT(on.formula, 8);
  Ratio off = ratio(additions(0), additions(4), full,
                    without(&Mechanisms::bankConflicts));
  EXPECT_NEAR(off.simulation, 1, 0.05);
  EXPECT_NEAR(off.formula, 1, 0.05);
}

TEST(Mechanisms, LaunchOverheadIsAdded) {
  std::string text = fmaChains(4);
  TimingReport on = time(text, {1, 32});
  TimingReport off = time(text, {1, 32}, without(&Mechanisms::launch));
  double launch = *knownTarget("a100-sxm4-80gb")->launchUs * 1e-6;
  EXPECT_NEAR(on.seconds - off.seconds, launch, 1e-7);
  EXPECT_EQ(off.launchSeconds, 0);
}

TEST(LaunchStates, AWarmLaunchFindsInL2WhatTheOneBeforeLeft) {
  // 4096 x 256 threads read 4 bytes each at 4 places: 16 MiB of 40 MiB.
  std::string text = globalReads(4, 4 << 20, 4);
  TimingOptions options;
  TimingReport stream = time(text, {4096, 256});
  options.state = LaunchState::Cold;
  TimingReport cold = time(text, {4096, 256}, options);
  options.state = LaunchState::Warm;
  TimingReport warm = time(text, {4096, 256}, options);
  EXPECT_NEAR(cold.dramReadBytes, 16 << 20, 1 << 20);
  EXPECT_EQ(stream.dramReadBytes, cold.dramReadBytes);
  EXPECT_NEAR(warm.dramReadBytes, 0, 1);
  EXPECT_LT(warm.simulation.cycles, cold.simulation.cycles);
  EXPECT_LT(warm.formula.cycles, cold.formula.cycles);
  // A launch from idle costs more than one of a row.
  TargetSpec a100 = *knownTarget("a100-sxm4-80gb");
  EXPECT_DOUBLE_EQ(cold.launchSeconds, *a100.coldLaunchUs * 1e-6);
  EXPECT_DOUBLE_EQ(warm.launchSeconds, *a100.launchUs * 1e-6);
  EXPECT_DOUBLE_EQ(stream.launchSeconds, *a100.launchUs * 1e-6);
}

TEST(LaunchStates, WhatL2CannotHoldIsReadAgain) {
  DramTraffic traffic;
  traffic.readBytes = 90, traffic.uniqueReadBytes = 60, traffic.writeBytes = 40;
  traffic.followItself(100); // half of 100 bytes survive
  EXPECT_DOUBLE_EQ(traffic.readBytes, 60);
  EXPECT_DOUBLE_EQ(traffic.writeBytes, 20);
}

TEST(Mechanisms, CodeBeyondTheInstructionCacheIsFetchedAgain) {
  auto loop = [](int insts) {
    return kernel("", "mov.u32 %r20, 0;\nL:\n" +
                          repeat(insts,
                                 [](int i) {
                                   return fmt::format(
                                       "fma.rn.f32 %f{0}, %f{0}, %f200, %f201;",
                                       i % 64);
                                 }) +
                          "add.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 4;\n"
                          "@%p1 bra L;\n");
  };
  Launch full{108, 256};
  TargetSpec wide = *knownTarget("a100-sxm4-80gb");
  wide.fp32Lanes = 128; // one instruction a clock, which the fetch cannot feed
  auto perInst = [&](int insts, const TimingOptions &options) {
    return time(loop(insts), full, options, "", &wide).simulation.cycles /
           insts;
  };
  EXPECT_GT(perInst(30000, {}), 1.05 * perInst(1000, {}));
  TimingOptions off = without(&Mechanisms::icache);
  EXPECT_NEAR(perInst(30000, off) / perInst(1000, off), 1, 0.04);
}

TEST(Mechanisms, SpillsCostLocalTraffic) {
  std::string text = fmaChains(8);
  TimingOptions spilled;
  spilled.facts.spillBytes = 512;
  TimingReport on = time(text, {432, 256}, spilled);
  spilled.mechanisms.spills = false;
  TimingReport off = time(text, {432, 256}, spilled);
  EXPECT_GT(on.simulation.cycles, 1.2 * off.simulation.cycles);
  EXPECT_GT(on.formula.cycles, 1.1 * off.formula.cycles);
}

TEST(Mechanisms, SpillsBeyondTheCachesGoToDram) {
  TimingOptions spilled;
  spilled.facts.registers = 128;
  spilled.facts.spillBytes = 1024;
  // 512 threads resident on each of 108 SMs: 57 MB beside 42 MB of L2, which
  // keep 42 / (2 * 57) of it.
  TimingReport report = time(fmaChains(8), {4320, 256}, spilled);
  double stored = 1024.0 * 256 * 4320, kept = 41943040.0 / 2 / 56623104;
  EXPECT_NEAR(report.dramWriteBytes / (stored * (1 - kept)), 1, 0.01);
  // Loads miss L1, too, as far as the frames of one SM exceed it.
  EXPECT_GT(report.dramReadBytes, 0.6 * report.dramWriteBytes);
  EXPECT_LT(report.dramReadBytes, report.dramWriteBytes);
  TargetSpec large = *knownTarget("a100-sxm4-80gb");
  large.l2Bytes = int64_t(1) << 30;
  TimingReport inL2 = time(fmaChains(8), {4320, 256}, spilled, "", &large);
  EXPECT_LT(inL2.dramWriteBytes, report.dramWriteBytes / 10);
  EXPECT_GT(report.simulation.cycles, 1.3 * inL2.simulation.cycles);
  EXPECT_GT(report.formula.cycles, 1.3 * inL2.formula.cycles);
}

TEST(Mechanisms, SpillsInALoopRunAsOftenAsTheLoop) {
  auto sectors = [](int turns) {
    std::string body = repeat(30, [](int i) {
      return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f200, %f201;", i);
    });
    TimingOptions spilled;
    spilled.facts.registers = 32;
    spilled.facts.spillBytes = 64;
    return time(kernel("", fmt::format("mov.u32 %r10, 0;\nL: {}"
                                       "add.u32 %r10, %r10, 1;\n"
                                       "setp.lt.u32 %p1, %r10, {};\n"
                                       "@%p1 bra L;",
                                       body, turns)),
                {108, 128}, spilled)
        .l2Sectors;
  };
  // 16 words of 4 warps in each block, stored once; 33 of 35 instructions are
  // in the loop.
  EXPECT_NEAR(sectors(1), 108 * 4 * 16 * 4, 1);
  EXPECT_NEAR(sectors(100) / sectors(1), (2 + 33 * 100) / 35.0, 2);
}

TEST(Mechanisms, StoresWaitForBandwidthInCutTracesToo) {
  // A loop of stores longer than what is recorded.
  std::string text = kernel("", "mul.wide.u32 %rd1, %r1, 128;\n"
                                "add.u64 %rd0, %rd0, %rd1;\n"
                                "mov.u32 %r10, 0;\n"
                                "L: st.global.f32 [%rd0], %f1;\n"
                                "add.u32 %r10, %r10, 1;\n"
                                "setp.lt.u32 %p1, %r10, 2000;\n@%p1 bra L;\n");
  TargetSpec slow = *knownTarget("a100-sxm4-80gb");
  slow.l2BytesPerClk = 400;
  TimingOptions cut;
  cut.simulatedInstructions = 100000;
  TimingReport report = time(text, {432, 128}, cut, "", &slow);
  double sectors = 432.0 * 128 * 2000;
  EXPECT_NEAR(report.simulation.cycles / (sectors * 32 / 400), 1, 0.05);
}

TEST(Mechanisms, LoadStoreUnitTakesOneInstructionPerTwoClocks) {
  // One active lane each: one wavefront, no bandwidth, only instructions.
  TargetSpec slow = *knownTarget("a100-sxm4-80gb");
  slow.clocksPerMemoryInst = 8;
  std::string text = sharedReads(0);
  TimingOptions options = without(&Mechanisms::joins); // words stay apart
  double on = time(text, {216, 256}, options, "", &slow).simulation.cycles /
              time(text, {216, 256}, options).simulation.cycles;
  options.mechanisms.lsu = false;
  double off = time(text, {216, 256}, options, "", &slow).simulation.cycles /
               time(text, {216, 256}, options).simulation.cycles;
  EXPECT_GT(on, 2);
  EXPECT_NEAR(off, 1, 0.05);
}

} // namespace
