//===- CostTest.cpp - terms and time, worked out by hand ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "hwtune/Model/Cost.h"
#include "hwtune/Model/Weights.h"
#include "hwtune/Support/Random.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace hwtune;

namespace {

double at(const Prediction &p, Term term) {
  return p.clocks[static_cast<unsigned>(term)];
}

/// 256 threads, 40 blocks: 4 per SM, each thread 1000 multiply-adds.
KernelFeatures smallKernel() {
  KernelFeatures f;
  f.threadsPerBlock = 256;
  f.blocks = 40;
  f.registers = 64;
  f.registersKnown = true;
  f.fma32 = 1000;
  f.accumulators = 8;
  f.launches = 0;
  return f;
}

AccessStream &addStream(KernelFeatures &f) { return f.streams[f.numStreams++]; }

} // namespace

TEST(Cost, MultiplyAddsByHand) {
  Prediction p = predict(smallKernel(), roundTarget());
  EXPECT_EQ(p.infeasible, nullptr);
  EXPECT_DOUBLE_EQ(p.blocksPerSM, 4); // 8 warps of 32; 64 registers
  EXPECT_DOUBLE_EQ(p.warpsPerSM, 32);
  EXPECT_DOUBLE_EQ(p.occupancy, 1);
  EXPECT_DOUBLE_EQ(p.wavesPaid, 1);
  EXPECT_DOUBLE_EQ(at(p, Term::Fma), 16000);  // 1024 threads * 1000 / 64
  EXPECT_DOUBLE_EQ(at(p, Term::Issue), 8000); // 32 / 4 * 1000
  EXPECT_DOUBLE_EQ(at(p, Term::Chain), 2000); // 1000 at 2 clocks
  double compute = std::cbrt(std::pow(16000.0, 3) + std::pow(8000.0, 3));
  EXPECT_NEAR(p.cost[1], compute * 1e-9, 1e-15);
  EXPECT_NEAR(p.seconds,
              std::cbrt(std::pow(compute, 3) + std::pow(2000.0, 3)) * 1e-9,
              1e-15);
}

TEST(Cost, TimeIsTheWeightedSumAndThe3Norm) {
  KernelFeatures f = smallKernel();
  AccessStream &s = addStream(f);
  s.loads = 100;
  s.uniqueBytes = 1e5;
  s.totalBytes = 1e6;
  Prediction p = predict(f, roundTarget());
  double sum = 0, cubes = 0;
  for (unsigned i = 0; i < kNumCosts; ++i) {
    sum += p.weight[i] * p.cost[i];
    cubes += std::pow(p.cost[i], 3);
  }
  EXPECT_DOUBLE_EQ(p.seconds, sum);
  EXPECT_NEAR(p.seconds / std::cbrt(cubes), 1, 1e-12);
  // What a launch takes is added whole: it overlaps with nothing.
  TargetSpec launched = roundTarget();
  launched.launchUs = 5;
  f.launches = 2;
  EXPECT_NEAR(predict(f, launched).seconds - p.seconds, 10e-6, 1e-15);
  f.launches = 0;
  // A factor corrected by measurements scales its own part alone.
  CostWeights weights;
  weights.eta[static_cast<unsigned>(Term::Dram)] = 2;
  TargetSpec spec = roundTarget();
  Prediction q =
      predict(f, ModelTarget::from(spec), Constants::reasoned(), weights);
  double dram = secondsByTerm(p)[static_cast<unsigned>(Term::Dram)];
  EXPECT_GT(dram, 0);
  EXPECT_NEAR(q.seconds - p.seconds, dram, 1e-18);
  EXPECT_NEAR((q.weight[0] - p.weight[0]) * p.cost[0], dram, 1e-18);
  weights.scale = 3;
  EXPECT_NEAR(
      predict(f, ModelTarget::from(spec), Constants::reasoned(), weights)
          .seconds,
      3 * q.seconds, 1e-18);
}

TEST(Cost, SecondsOfATermAreItsPartOfTheNorms) {
  Prediction p;
  auto clocks = [&](Term id) -> double & {
    return p.clocks[static_cast<unsigned>(id)];
  };
  clocks(Term::Fma) = 3, clocks(Term::Issue) = 4;      // cubes: 27 + 64 = 91
  clocks(Term::Chain) = 2, clocks(Term::Barriers) = 1; // their sum cubed: 27
  clocks(Term::Phases) = 3;                            // 27
  clocks(Term::Launch) = 3, clocks(Term::HostCopy) = 1;
  p.cost = {0, 1, 1};
  p.weight = {0, 0.91, 0.64};
  p.overhead = 0.1;
  p.seconds = 0.91 + 0.64;
  std::array<double, kNumTerms> part = secondsByTerm(p);
  auto of = [&](Term id) { return part[static_cast<unsigned>(id)]; };
  EXPECT_NEAR(of(Term::Fma), 0.27, 1e-12);
  EXPECT_NEAR(of(Term::Issue), 0.64, 1e-12);
  EXPECT_NEAR(of(Term::Chain), 0.18, 1e-12); // 0.54 of 54: 2 of 3 of 27
  EXPECT_NEAR(of(Term::Barriers), 0.09, 1e-12);
  EXPECT_NEAR(of(Term::Phases), 0.27, 1e-12);
  EXPECT_NEAR(of(Term::Launch), 0.075, 1e-12);
  EXPECT_NEAR(of(Term::HostCopy), 0.025, 1e-12);
  EXPECT_EQ(of(Term::Dram), 0);
  double sum = 0;
  for (double seconds : part)
    sum += seconds;
  EXPECT_NEAR(sum, p.seconds, 1e-12);
  EXPECT_EQ(costOf(Term::Fma), Cost::Compute);
  EXPECT_EQ(costOf(Term::Fetch), Cost::Compute);
  EXPECT_EQ(costOf(Term::Lsu), Cost::Memory);
  EXPECT_EQ(costOf(Term::Atomics), Cost::Memory);
  EXPECT_EQ(costOf(Term::Chain), Cost::Communication);
  EXPECT_EQ(costOf(Term::HostCopy), Cost::Communication);
}

TEST(Cost, BankConflictsAndVectorsReachTheLoadStoreUnit) {
  KernelFeatures f = smallKernel();
  AccessStream &s = addStream(f);
  s.isShared = true;
  s.loads = 100;
  Prediction plain = predict(f, roundTarget());
  // 32 warps * 100 * (2 clocks + 0.5 a word)
  EXPECT_DOUBLE_EQ(at(plain, Term::Lsu), 8000);
  f.streams[0].wavefronts = 8;
  EXPECT_DOUBLE_EQ(at(predict(f, roundTarget()), Term::Lsu), 52800);
  f.mmaInsts = 1; // fragments have no words beside their wavefronts
  EXPECT_DOUBLE_EQ(at(predict(f, roundTarget()), Term::Lsu), 51200);
  f.mmaInsts = 0;
  f.streams[0].wavefronts = 4; // one 16-byte access for four 4-byte ones
  f.streams[0].vectorBytes = 16;
  f.streams[0].loads = 25;
  Prediction vector = predict(f, roundTarget());
  EXPECT_DOUBLE_EQ(at(vector, Term::Lsu), 8000); // 32 * 25 * (8 + 2)
  EXPECT_LT(at(vector, Term::Issue), at(plain, Term::Issue));
}

TEST(Cost, BlocksOfTheFirstWaveStartOneAfterTheOther) {
  KernelFeatures f = smallKernel(); // 4 blocks on each of 10 SMs
  TargetSpec t = roundTarget();
  t.blockStartClocks = 3;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Launch), 3 * 40);
  f.blocks = 400; // ten waves; later ones start as earlier ones end
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Launch), 3 * 40);
  f.blocks = 7;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Launch), 3 * 7);
}

TEST(Cost, WhatArrivesInL1TakesItsDataStage) {
  KernelFeatures f = smallKernel();
  AccessStream &s = addStream(f);
  s.loads = 100; // of 128 bytes a warp, no byte twice: all comes from L2
  TargetSpec fills = roundTarget();
  fills.l1FillBytes = 64;
  // 32 warps * 100 * (1 wavefront * 2 clocks + 1 a word), and 2 passes each
  EXPECT_DOUBLE_EQ(at(predict(f, roundTarget()), Term::Lsu), 9600);
  EXPECT_DOUBLE_EQ(at(predict(f, fills), Term::Lsu), 9600 + 32 * 100 * 2 * 2);
  // Half the bytes are used a second time, and stay.
  f.streams[0].uniqueBytes = 8 * 100 * 64;
  f.streams[0].reuseBytes = 1;
  EXPECT_DOUBLE_EQ(at(predict(f, fills), Term::Lsu), 9600 + 32 * 100 * 2);
  // What goes on to shared memory passes once, there.
  f.streams[0].isAsync = true;
  EXPECT_DOUBLE_EQ(at(predict(f, fills), Term::Lsu),
                   at(predict(f, roundTarget()), Term::Lsu));
}

TEST(Cost, UncoalescedAccessCostsMore) {
  KernelFeatures f = smallKernel();
  AccessStream &s = addStream(f);
  s.loads = 100;
  Prediction coalesced = predict(f, roundTarget());
  f.streams[0].sectors = 32;
  f.streams[0].lines = 32;
  Prediction strided = predict(f, roundTarget());
  // 32 warps * 100 * (1 or 8 wavefronts at 2 clocks + 1 a word)
  EXPECT_DOUBLE_EQ(at(coalesced, Term::Lsu), 9600);
  EXPECT_DOUBLE_EQ(at(strided, Term::Lsu), 54400);
  EXPECT_DOUBLE_EQ(at(strided, Term::L2), 8 * at(coalesced, Term::L2));
  EXPECT_DOUBLE_EQ(at(strided, Term::Dram), 8 * at(coalesced, Term::Dram));
}

TEST(Cost, TagsAreLookedUpWhileTheDataStageIsBusy) {
  KernelFeatures f = smallKernel();
  AccessStream &s = addStream(f);
  s.loads = 100;
  s.sectors = s.lines = 16; // pairs of lanes in 16 lines
  TargetSpec t = roundTarget();
  t.l1LinesPerClk = 4; // 4 clocks; the data take 4 wavefronts at 2
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Lsu), 32 * 100 * (8 + 1));
  t.l1LinesPerClk = 1;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Lsu), 32 * 100 * (16 + 1));
  // An asynchronous copy's data pass in shared memory alone.
  f.streams[0].isAsync = true;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Lsu), 32 * 100 * 16);
  t.l1LinesPerClk = 4; // less than the instruction's 2 clocks and 16 / 4
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Lsu), 32 * 100 * 4);
}

TEST(Cost, SpillsSetInBeyondTheRegisterLimit) {
  KernelFeatures f = smallKernel();
  f.registersKnown = false;
  f.registers = 0;
  f.accumulators = 128;
  f.fma32 = 12800;
  Prediction fits = predict(f, roundTarget()); // 128 + 28
  EXPECT_DOUBLE_EQ(fits.registers, 156);
  EXPECT_DOUBLE_EQ(fits.spilled, 0);
  f.accumulators = 256; // 284 > 255: 29 too many, each used 50 times
  Prediction spills = predict(f, roundTarget());
  EXPECT_DOUBLE_EQ(spills.registers, 255);
  EXPECT_DOUBLE_EQ(spills.spilled, 29);
  EXPECT_DOUBLE_EQ(spills.spillAccesses, 29 * 50);
  EXPECT_GT(at(spills, Term::Lsu), 0);
}

TEST(Cost, PhasesOfABlockAddUpWithoutAPipeline) {
  KernelFeatures f = smallKernel();
  f.blocks = 10; // one block of 8 warps a SM
  f.copyPhases = 1;
  AccessStream &s = addStream(f);
  s.isShared = true;
  s.stores = 100; // 8 * 100 * (2 + 0.5) clocks, 8 / 4 * 130 slots
  Prediction p = predict(f, roundTarget());
  double copying = std::cbrt(std::pow(2000.0, 3) + std::pow(260.0, 3));
  double computing = std::cbrt(std::pow(4000.0, 3) + std::pow(2000.0, 3));
  // 0.6: warps leave the barrier apart.
  EXPECT_NEAR(at(p, Term::Phases), 0.6 * (copying + computing), 1e-6);
  f.stages = 2; // a pipeline overlaps them
  EXPECT_DOUBLE_EQ(at(predict(f, roundTarget()), Term::Phases), 0);
  f.stages = 1;
  f.blocks = 40; // four blocks overlap each other: the same for each
  Prediction four = predict(f, roundTarget());
  EXPECT_NEAR(at(four, Term::Phases), at(p, Term::Phases), 1e-6);
  EXPECT_LT(four.seconds, 4 * p.seconds);
}

TEST(Cost, APipelineOverlapsCopiesWithTheWarpsOwnWork) {
  TargetSpec t = roundTarget();
  t.dramLatency = 500;
  auto chain = [&](double phases, double stages) {
    KernelFeatures f = smallKernel();
    f.copyPhases = phases;
    f.stages = stages;
    return at(predict(f, t), Term::Chain);
  };
  // 2000 clocks of multiply-adds and 8 copies of 500: one after the other in
  // one buffer, halved by two; more hide all but the first.
  EXPECT_NEAR(chain(0, 1), 2000, 1e-9);
  EXPECT_NEAR(chain(8, 1), 6000, 1e-9);
  EXPECT_NEAR(chain(8, 2), 3000, 1e-9);
  EXPECT_NEAR(chain(8, 5), 2500, 1e-9);
}

TEST(Cost, CodeBeyondTheInstructionCacheIsFetched) {
  TargetSpec t = roundTarget();
  t.icacheL1Bytes = 32768;
  t.icacheLineClocks = 4;
  KernelFeatures f = smallKernel();
  f.codeBytes = 32768;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Fetch), 0);
  // 32 warps * 1000 * 16 / 128 lines * 4 clocks, of which they share 70 %.
  f.codeBytes = 65536;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Fetch), 0.3 * 16000);
}

TEST(Cost, LongStraightLineCodeRisksSpills) {
  KernelFeatures f = smallKernel();
  f.registersKnown = false;
  f.unrolledBody = 4500;
  EXPECT_DOUBLE_EQ(predict(f, roundTarget()).spillAccesses, 0);
  f.unrolledBody = 5625; // a quarter beyond: half of one access in four
  EXPECT_DOUBLE_EQ(predict(f, roundTarget()).spillAccesses, 125);
  f.registersKnown = true; // then the spills are known as well
  EXPECT_DOUBLE_EQ(predict(f, roundTarget()).spillAccesses, 0);
}

TEST(Cost, WideGlobalAccessesGoByPhases) {
  KernelFeatures f = smallKernel();
  AccessStream &s = addStream(f);
  s.loads = 100; // every lane the same 16 bytes: four quarters, one line each
  s.vectorBytes = 16;
  s.sectors = 1;
  // 32 * 100 * (4 wavefronts at 2 clocks + 4 words)
  EXPECT_DOUBLE_EQ(at(predict(f, roundTarget()), Term::Lsu), 38400);
}

TEST(Cost, LastWaveHasFewerBlocks) {
  KernelFeatures f = smallKernel();
  f.blocks = 44; // a wave of 4 on each of 10 SMs; four SMs take one more
  Prediction p = predict(f, roundTarget());
  EXPECT_NEAR(p.waves, 1.1, 1e-12);
  // A block alone has the SM to itself, but its warps are no faster.
  double compute = std::cbrt(std::pow(16000.0, 3) + std::pow(8000.0, 3));
  double alone = std::cbrt(std::pow(compute / 4, 3) + std::pow(2000.0, 3));
  double four = std::cbrt(std::pow(compute, 3) + std::pow(2000.0, 3));
  EXPECT_NEAR(p.wavesPaid, 1 + alone / four, 1e-12);
  EXPECT_NEAR(p.seconds, (four + alone) * 1e-9, 1e-15);
  f.blocks = 4; // 4 of 10 SMs, one block each
  p = predict(f, roundTarget());
  EXPECT_DOUBLE_EQ(p.blocksPerSM, 1);
  EXPECT_DOUBLE_EQ(p.wavesPaid, 1);
}

TEST(Cost, DramServesWhatTheLastWaveHasLeft) {
  KernelFeatures f = smallKernel();
  f.fma32 = f.accumulators = 0;
  AccessStream &s = addStream(f);
  s.loads = 1000;
  s.sectors = 32; // 8 warps * 1000 * 1024 bytes a block, 64 a clock and SM
  s.lines = 1;
  f.blocks = 60; // one and a half waves of 4 on each of 10 SMs
  auto dram = [&](double wavefrontClocks) {
    TargetSpec t = roundTarget();
    t.clocksPerWavefront = wavefrontClocks;
    t.ldstLanes = 32000; // no other limit
    t.l2BytesPerClk = 1e6;
    t.l2Latency = t.dramLatency = 0;
    return predict(f, t);
  };
  // The bytes of a launch, however its blocks lie on the SMs.
  EXPECT_NEAR(dram(1e-3).wavesPaid, 1.5, 0.01);
  f.blocks = 41; // one block more than a wave: a fortieth of its bytes
  EXPECT_NEAR(dram(1e-3).wavesPaid, 1 + 1.0 / 40, 0.02);
  // What the SM itself takes is a quarter of a wave.
  EXPECT_NEAR(dram(1e3).wavesPaid, 1.25, 0.01);
}

TEST(Cost, TensorUnitsNeedAllSubPartitions) {
  TargetSpec t = roundTarget();
  t.tensorFma.f16AccF32 = 512;
  KernelFeatures f = smallKernel();
  f.fma32 = 0;
  f.threadsPerBlock = 64;
  f.blocks = 10;
  f.tensorFma = 1024; // 64 threads * 1024 / 512 at 2 of 4 sub-partitions
  f.tensorType = TensorType::F16AccF32;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Tensor), 256);
  f.tensorEfficiency = 0.5;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Tensor), 512);
}

TEST(Cost, MatrixUnitsWorkWhileTheWarpIssues) {
  TargetSpec t = roundTarget();
  t.tensorFma.f16AccF32 = 512;
  t.tensorLatency = 20;
  KernelFeatures f = smallKernel();
  f.fma32 = 0;
  f.tensorType = TensorType::F16AccF32;
  f.tensorFma = 4096; // 4096 * 32 * 4 / 512 = 1024 clocks
  f.mmaInsts = 100;   // at 20 clocks: 2000, or 500 where four are independent
  f.otherInsts = 400; // 2 clocks each
  f.ilp = 1;
  EXPECT_NEAR(at(predict(f, t), Term::Chain),
              std::cbrt(std::pow(2000.0, 3) + std::pow(800.0, 3)), 1e-9);
  f.ilp = 4;
  EXPECT_NEAR(at(predict(f, t), Term::Chain),
              std::cbrt(std::pow(1024.0, 3) + std::pow(800.0, 3)), 1e-9);
}

TEST(Cost, LaunchAndHostCopiesAddOnce) {
  TargetSpec t = roundTarget();
  t.hostCopyGBs = 10; // 10 bytes a clock
  KernelFeatures f = smallKernel();
  f.launches = 1;
  f.hostBytes = 1e6;
  Prediction p = predict(f, t);
  EXPECT_DOUBLE_EQ(at(p, Term::Launch), 2000);
  EXPECT_DOUBLE_EQ(at(p, Term::HostCopy), 1e5);
  EXPECT_DOUBLE_EQ(p.cost[2], 104000e-9); // and 2000 of the chain
}

TEST(Cost, InfeasibleSaysWhy) {
  KernelFeatures f = smallKernel();
  f.threadsPerBlock = 2048;
  Prediction p = predict(f, roundTarget());
  EXPECT_STREQ(p.infeasible, "more threads than a block may have");
  EXPECT_TRUE(std::isinf(p.seconds));
  f = smallKernel();
  f.sharedBytes = 65537;
  EXPECT_STREQ(predict(f, roundTarget()).infeasible,
               "more shared memory than a block may have");
  f = smallKernel();
  f.threadsPerBlock = 1024;
  f.registers = 128; // 131072 of 65536
  EXPECT_STREQ(predict(f, roundTarget()).infeasible,
               "more registers than a block may have");
  f.threadsPerBlock = 0;
  EXPECT_STREQ(predict(f, roundTarget()).infeasible, "a block has no threads");
}

TEST(Cost, AbsentFactsAreListedAndSwitchTheirTermOff) {
  TargetSpec t = roundTarget();
  t.dramLatency.reset();
  t.launchUs.reset();
  ModelTarget m = ModelTarget::from(t);
  EXPECT_EQ(m.absent, (std::vector<std::string>{
                          "fp64_lanes", "l1_fill_bytes", "l1_lines_per_clk",
                          "dram_latency", "launch_us", "block_start_clocks"}));
  KernelFeatures f = smallKernel();
  f.launches = 1;
  EXPECT_DOUBLE_EQ(at(predict(f, t), Term::Launch), 0);
}

// t falls as a level's mem_ratio rises: the footprint that must stay in cache
// shrinks, all else equal.
TEST(CostProperty, TimeFallsAsMemRatioRises) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    KernelFeatures f;
    f.threadsPerBlock = 32.0 * double(1 + random.below(16));
    f.blocks = double(1 + random.below(5000));
    f.fma32 = double(random.below(500));
    f.accumulators = double(1 + random.below(32));
    AccessStream &s = addStream(f);
    s.loads = double(1 + random.below(300));
    s.sectors = double(1 + random.below(32));
    double requested = s.loads * f.threadsPerBlock / 32 * s.sectors * 32;
    s.uniqueBytes = requested * random.uniform();
    s.reuseBytes = 1;
    s.totalBytes = s.uniqueBytes * f.blocks;
    Prediction previous = predict(f, roundTarget());
    for (double factor : {0.7, 0.4, 0.1}) {
      KernelFeatures g = f; // more reuse: fewer distinct bytes
      g.streams[0].uniqueBytes *= factor;
      g.streams[0].totalBytes *= factor;
      Prediction p = predict(g, roundTarget());
      EXPECT_GT(p.l1MemRatio, previous.l1MemRatio);
      EXPECT_LT(p.seconds, previous.seconds);
      previous = p;
    }
    // And through L2: the same L1 misses, fewer of them go on to DRAM.
    KernelFeatures g = f;
    g.streams[0].totalBytes *= 0.3;
    Prediction base = predict(f, roundTarget()), l2 = predict(g, roundTarget());
    EXPECT_GE(l2.l2MemRatio, base.l2MemRatio);
    if (l2.l2MemRatio > base.l2MemRatio) {
      EXPECT_LT(l2.seconds, base.seconds);
    }
  }
}

TEST(CostProperty, NothingBeatsTheRooflineByMuch) {
  // The roofline is a bound on time wherever the model's rates are the
  // description's.
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    KernelFeatures f = smallKernel();
    f.blocks = double(1 + random.below(5000));
    f.fma32 = double(1 + random.below(3000));
    f.flops = 2 * f.fma32 * f.threadsPerBlock * f.blocks;
    Prediction p = predict(f, roundTarget());
    EXPECT_GE(p.seconds, p.roofline * (1 - 1e-9));
  }
}

TEST(Ensemble, FirstIsReasonedAndSeedDecides) {
  Ensemble one = makeEnsemble(1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].values, Constants::reasoned().values);
  Ensemble a = makeEnsemble(48, 7), b = makeEnsemble(48, 7),
           c = makeEnsemble(48, 8);
  ASSERT_EQ(a.size(), 48u);
  EXPECT_EQ(a[0].values, one[0].values);
  EXPECT_EQ(a[17].values, b[17].values);
  EXPECT_NE(a[17].values, c[17].values);
  Ensemble more = makeEnsemble(96, 7);
  for (size_t m = 0; m < a.size(); ++m)
    EXPECT_EQ(more[m].values, a[m].values) << m;
  // Mirror images of each other.
  EXPECT_NEAR(a[17][ConstantId::Barrier] * a[18][ConstantId::Barrier], 900,
              1e-9);
  // Spread of the logarithm is the table's.
  double sum = 0;
  Ensemble many = makeEnsemble(2000, 1);
  for (const Constants &v : many)
    sum += std::pow(std::log(v[ConstantId::Barrier] / 30), 2);
  EXPECT_NEAR(std::sqrt(sum / 1999), 0.4, 0.03);
}

TEST(Ensemble, WrongConstantsAreOffByTheFactor) {
  Constants base = Constants::reasoned(), wrong = wrongConstants(base, 1.8, 3);
  int up = 0;
  for (unsigned i = 0; i < kNumConstants; ++i) {
    double ratio = wrong.values[i] / base.values[i];
    EXPECT_TRUE(std::abs(ratio - 1.8) < 1e-9 ||
                std::abs(ratio - 1 / 1.8) < 1e-9);
    up += ratio > 1;
  }
  EXPECT_GT(up, 5);
  EXPECT_LT(up, int(kNumConstants) - 5);
}

TEST(Ensemble, TableNamesAreDistinctAndInOrder) {
  auto table = constantTable();
  ASSERT_EQ(table.size(), kNumConstants);
  for (unsigned i = 0; i < kNumConstants; ++i) {
    EXPECT_EQ(static_cast<unsigned>(table[i].id), i);
    EXPECT_GT(table[i].reasoned, 0);
    EXPECT_GT(table[i].sigma, 0);
    EXPECT_FALSE(table[i].why.empty());
    for (unsigned j = 0; j < i; ++j)
      EXPECT_NE(table[i].name, table[j].name);
  }
}

TEST(Batch, EqualsOneByOne) {
  TargetSpec t = roundTarget();
  ModelTarget m = ModelTarget::from(t);
  std::vector<KernelFeatures> features(3, smallKernel());
  features[1].fma32 = 5;
  features[2].threadsPerBlock = 4096;
  Ensemble ensemble = makeEnsemble(4);
  std::vector<double> seconds(12);
  predictBatch(features, m, ensemble, seconds);
  EXPECT_EQ(seconds[6], predict(features[1], m, ensemble[2]).seconds);
  EXPECT_TRUE(std::isinf(seconds[11]));
}

TEST(Explain, NamesTheLargestDifferenceFirst) {
  TargetSpec t = roundTarget();
  KernelFeatures f = smallKernel(), g = f;
  AccessStream &s = addStream(g);
  s.isShared = true;
  s.loads = 10000;
  std::string text = explain(g, predict(g, t), f, predict(f, t));
  EXPECT_TRUE(text.starts_with("predicted 48.1 times as slow")) << text;
  size_t lsu = text.find("the load/store unit: 8e+05 against 0 clocks");
  EXPECT_NE(lsu, std::string::npos) << text;
  EXPECT_LT(lsu, text.find("instruction issue"));
  EXPECT_TRUE(explain(f, predict(f, t), f, predict(f, t))
                  .starts_with("predicted "
                               "equal"));
}

/// Each cause by itself, with numbers worked out by hand.
TEST(Explain, NamesCauses) {
  TargetSpec t = roundTarget();
  auto why = [&](const KernelFeatures &f, const KernelFeatures &g) {
    return causes(f, predict(f, t), g, predict(g, t));
  };
  KernelFeatures f = smallKernel();
  EXPECT_EQ(why(f, f), "");
  KernelFeatures g = f, h = f;
  AccessStream &conflicts = addStream(g), &free = addStream(h);
  conflicts.isShared = free.isShared = true;
  conflicts.loads = free.loads = 10;
  conflicts.wavefronts = 8;
  EXPECT_EQ(why(g, f), "it goes through shared memory");
  EXPECT_EQ(why(f, g), "the other goes through shared memory");
  EXPECT_EQ(why(g, h), "bank conflicts: 8.0 against 1.0 wavefronts where one "
                       "would do");
  // 4 bytes a lane, 128 of a warp: of 32 sectors 1/8, of 4 all; 8 times the
  // bytes are asked for.
  g = h = f;
  AccessStream &strided = addStream(g), &dense = addStream(h);
  strided.loads = dense.loads = 10;
  strided.sectors = 32;
  std::string text = why(g, h);
  EXPECT_NE(text.find("coalescing: 12 against 100 % of what global accesses "
                      "fetch is used"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("reuse: "), std::string::npos) << text;
  g = h;
  g.streams[size_t(g.numStreams - 1)].vectorBytes = 16;
  g.streams[size_t(g.numStreams - 1)].sectors = 16;
  g.streams[size_t(g.numStreams - 1)].loads = 2.5;
  EXPECT_EQ(why(g, h), "vector width: 16 against 4 bytes a global access");
  g = h = f;
  g.mmaInsts = 10;
  EXPECT_EQ(why(g, h), "it uses the matrix units");
}

namespace {

/// Kernels whose costs stand in many proportions, and their predictions.
std::vector<Prediction> variedPredictions() {
  std::vector<Prediction> predictions;
  for (int i = 0; i < 24; ++i) {
    KernelFeatures f = smallKernel();
    f.fma32 = 100.0 * (1 + i % 5);
    f.barriers = 100.0 * (i % 4);
    AccessStream &s = addStream(f);
    s.isShared = true; // no latency behind L1: memory alone moves with it
    s.loads = 20.0 * (1 + i % 7);
    predictions.push_back(predict(f, roundTarget()));
  }
  return predictions;
}

constexpr auto kLsu = static_cast<unsigned>(Term::Lsu),
               kFma = static_cast<unsigned>(Term::Fma),
               kLaunch = static_cast<unsigned>(Term::Launch);

/// What the predictions are with these factors.
std::vector<double> timesWith(const std::vector<Prediction> &predictions,
                              const CostWeights &weights) {
  std::vector<double> seconds;
  for (const Prediction &p : predictions) {
    std::array<double, kNumTerms> part = secondsByTerm(p);
    seconds.push_back(0);
    for (unsigned k = 0; k < kNumTerms; ++k)
      seconds.back() += weights.scale * weights.eta[k] * part[k];
  }
  return seconds;
}

} // namespace

TEST(Weights, NoMeasurementLeavesThemAtOne) {
  CostWeights w = correctWeights({}, {});
  for (double eta : w.eta)
    EXPECT_DOUBLE_EQ(eta, 1);
  // Nor does one that says nothing.
  std::vector<Prediction> p = variedPredictions();
  std::vector<double> seconds(p.size(), -1);
  EXPECT_EQ(correctWeights(p, seconds).eta, w.eta);
}

TEST(Weights, FindTheTermThatWasWrongWhateverTheScale) {
  std::vector<Prediction> p = variedPredictions();
  CostWeights truth; // accesses twice as dear, clock 1.7 times slower
  truth.scale = 1.7, truth.eta[kLsu] = 2;
  std::vector<double> seconds = timesWith(p, truth);
  CostWeights w = correctWeights(p, seconds);
  EXPECT_GT(w.eta[kLsu] / w.eta[kFma], 1.6);
  EXPECT_LT(w.eta[kLsu] / w.eta[kFma], 2.1);
  // The corrected model is nearer to what was measured.
  auto spread = [&](const CostWeights &weights) {
    std::vector<double> predicted = timesWith(p, weights);
    double sum = 0, square = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      double gap = std::log(seconds[i] / predicted[i]);
      sum += gap;
      square += gap * gap;
    }
    double n = double(p.size());
    return square / n - sum / n * sum / n;
  };
  EXPECT_LT(spread(w), 0.1 * spread({}));
}

/// What the launches cost beside what runs in them.
TEST(Weights, ALaunchHasAFactorOfItsOwn) {
  std::vector<Prediction> p;
  TargetSpec target = roundTarget();
  target.launchUs = 5;
  for (int i = 0; i < 96; ++i) {
    KernelFeatures f = smallKernel();
    f.launches = 1;
    f.fma32 = 1000.0 * (1 << (i % 8));
    p.push_back(predict(f, target));
  }
  CostWeights truth;
  truth.eta[kLaunch] = 1.5;
  CostWeights w = correctWeights(p, timesWith(p, truth));
  EXPECT_GT(w.eta[kLaunch] / w.eta[kFma], 1.3);
  EXPECT_LT(w.eta[kLaunch] / w.eta[kFma], 1.6);
}

// Made-up times of a GPU that is 1.7 times as slow as it says, whose shared
// memory is twice as dear as the model has it and whose warps wait half as
// long: what eight kernels teach is right of sixteen others, before any of
// these is measured.
TEST(Weights, OfOneRunLowerTheErrorOfTheNext) {
  CostWeights truth;
  truth.scale = 1.7;
  truth.eta[kLsu] = 2, truth.eta[static_cast<unsigned>(Term::Barriers)] = 0.5;
  constexpr size_t kLearned = 8;
  std::vector<Prediction> p = variedPredictions();
  std::vector<double> seconds = timesWith(p, truth);
  for (size_t i = 0; i < p.size(); ++i) // by turns 4 % too long and too short
    seconds[i] *= i % 2 ? 1.04 : 0.96;
  CostWeights learned = correctWeights(std::span(p).first(kLearned),
                                       std::span(seconds).first(kLearned));
  auto error = [&](const CostWeights &weights) {
    std::vector<double> predicted = timesWith(p, weights);
    double sum = 0;
    for (size_t i = kLearned; i < p.size(); ++i)
      sum += std::abs(std::log(seconds[i] / predicted[i]));
    return sum / double(p.size() - kLearned);
  };
  EXPECT_LT(error(learned), 0.2 * error({}));
  EXPECT_LT(error(learned), 2.5 * error(truth));
}

TEST(Weights, StartFromWhatEarlierRunsLearned) {
  CostWeights start;
  start.eta[kLsu] = 2, start.eta[kFma] = 0.5;
  EXPECT_EQ(correctWeights({}, {}, 0.3, start), start);
  // Times that they predict leave them where they are.
  std::vector<Prediction> p = variedPredictions();
  CostWeights w = correctWeights(p, timesWith(p, start), 0.3, start);
  for (unsigned k = 0; k < kNumTerms; ++k)
    EXPECT_NEAR(w.eta[k], start.eta[k], 1e-6);
}

TEST(Weights, OneMeasurementMovesThemLittle) {
  std::vector<Prediction> p = variedPredictions();
  p.resize(1);
  std::vector<double> seconds = {10 * p[0].seconds};
  for (double eta : correctWeights(p, seconds).eta)
    EXPECT_NEAR(eta, 1, 0.05);
}
