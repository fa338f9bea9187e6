//===- MatmulTest.cpp - roles, space and features of a matmul -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Random.h"
#include "hwtune/Target/KnownTargets.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

LinearExpr loop(unsigned which, unsigned numLoops) {
  LinearExpr expr;
  expr.coefficients.assign(numLoops, 0);
  expr.coefficients[which] = 1;
  return expr;
}

Operand operand(const std::vector<unsigned> &loops,
                const std::vector<int64_t> &extents, ElementType type,
                bool isOutput = false) {
  Operand op;
  op.isOutput = op.readsInit = isOutput;
  op.type = type;
  for (unsigned l : loops) {
    op.shape.push_back(extents[l]);
    op.index.push_back(loop(l, extents.size()));
  }
  return op;
}

/// Loops (m, n, k); `a`, `b`, `c` are the loops of each operand's dimensions.
Workload contraction(std::vector<int64_t> extents, std::vector<unsigned> a,
                     std::vector<unsigned> b, std::vector<unsigned> c,
                     unsigned reductions = 1,
                     ElementType input = ElementType::F32) {
  Workload w;
  w.kind = WorkloadKind::Contraction;
  for (size_t l = 0; l < extents.size(); ++l)
    w.loops.push_back({l + reductions < extents.size() ? LoopKind::Parallel
                                                       : LoopKind::Reduction,
                       extents[l]});
  w.operands = {operand(a, extents, input), operand(b, extents, input),
                operand(c, extents, ElementType::F32, true)};
  w.body = {1, 2, 0, 0};
  w.combiner = "add";
  return w;
}

Workload matmul(int64_t m, int64_t n, int64_t k) {
  return contraction({m, n, k}, {0, 2}, {2, 1}, {0, 1});
}

TargetSpec a100() {
  Expected<TargetSpec> target = knownTarget("a100-sxm4-80gb");
  EXPECT_TRUE(bool(target));
  return *target;
}

const Schedule &schedule() { return *findSchedule("matmul"); }

Config floorConfig() { return {128, 128, 16, 8, 8, 4, 4, 4, 4, 1, 1, 0, 0, 1}; }

TEST(Matmul, SpaceIsWellFormed) {
  Space space = schedule().space(matmul(1000, 777, 333), a100());
  Status status = space.check();
  EXPECT_TRUE(bool(status)) << (status ? "" : status.error().message);
}

/// The pruned count against every element of the unconstrained product.
void expectBruteForce(Space space) {
  SpaceCounts counts = space.count();
  Config config(space.knobs.size());
  std::vector<size_t> digit(space.knobs.size(), 0);
  uint64_t legal = 0, product = 0;
  for (bool more = true; more;) {
    for (size_t i = 0; i < digit.size(); ++i)
      config[i] = space.knobs[i].values[digit[i]];
    ++product;
    legal += !space.reject(config);
    more = false;
    for (size_t i = digit.size(); i-- > 0;) {
      if (++digit[i] < space.knobs[i].values.size()) {
        more = true;
        break;
      }
      digit[i] = 0;
    }
  }
  EXPECT_EQ(counts.product, product);
  EXPECT_EQ(counts.legal, legal);
  EXPECT_GT(legal, 0u);
  uint64_t rejected = 0;
  for (const auto &[kind, n] : counts.rejected)
    rejected += n;
  EXPECT_EQ(legal + rejected, product);
}

TEST(Matmul, CountMatchesBruteForce) {
  // Small extents keep the product small; every constraint still bites.
  expectBruteForce(schedule().space(matmul(16, 24, 8), a100()));
  // A^T, where the copy of A runs along m.
  expectBruteForce(schedule().space(
      contraction({20, 16, 8}, {2, 0}, {2, 1}, {0, 1}), a100()));
  expectBruteForce(schedule().space(
      contraction({16, 16, 8}, {0, 2}, {2, 1}, {0, 1}, 1, ElementType::F16),
      a100()));
}

TEST(Matmul, GenericIsTheDesignsDefault) {
  Workload w = matmul(4096, 4096, 4096);
  Space space = schedule().space(w, a100());
  Config config = schedule().generic(w, a100());
  EXPECT_FALSE(space.reject(config));
  EXPECT_EQ(space.get(config, "block_m"), 64);
  EXPECT_EQ(space.get(config, "block_n"), 64);
  EXPECT_EQ(space.get(config, "block_k"), 16);
  EXPECT_EQ(space.get(config, "thread_m"), 4);
  EXPECT_EQ(space.get(config, "thread_n"), 4);
  EXPECT_EQ(space.get(config, "vector_a"), 4);
  EXPECT_EQ(space.get(config, "vector_b"), 4);
  EXPECT_EQ(space.get(config, "stages"), 1);
}

TEST(Matmul, GenericIsLegalForOddSizes) {
  for (auto [m, n, k] : {std::tuple{1000, 777, 333},
                         {2, 3, 5},
                         {17, 4096, 1},
                         {-1, -1, -1},
                         {16, 16, 16}}) {
    Workload w = matmul(m, n, k);
    Space space = schedule().space(w, a100());
    std::optional<Rejection> rejection =
        space.reject(schedule().generic(w, a100()));
    EXPECT_FALSE(rejection) << m << " " << n << " " << k << ": "
                            << (rejection ? rejection->message() : "");
  }
}

TEST(Matmul, MismatchSaysWhy) {
  Workload w = matmul(64, 64, 64);
  w.kind = WorkloadKind::Convolution;
  EXPECT_NE(schedule().mismatch(w).find("no contraction"), std::string::npos);
  // Of a dot product neither input has a loop of its own, of a matrix by a
  // vector one has none: no element would be used twice.
  for (const Workload &vector : {contraction({64}, {0}, {0}, {}),
                                 contraction({64, 32}, {0, 1}, {1}, {0})}) {
    EXPECT_NE(schedule().mismatch(vector).find("no loop of its own"),
              std::string::npos);
    EXPECT_EQ(findSchedule("reduction")->mismatch(vector), "");
  }
  EXPECT_EQ(schedule().mismatch(matmul(64, 64, 64)), "");
}

TEST(Matmul, SharedMemoryByHand) {
  Workload w = matmul(4096, 4096, 4096);
  // (128 * 16 + 16 * 128) * 4 bytes.
  EXPECT_EQ(schedule().shape(w, a100(), floorConfig()).sharedBytes, 16384);
  Config padded = floorConfig();
  padded[11] = 4; // (128 * 20 + 16 * 128) * 4
  EXPECT_EQ(schedule().shape(w, a100(), padded).sharedBytes, 18432);
  Config staged = floorConfig();
  staged[13] = 4;
  LaunchShape shape = schedule().shape(w, a100(), staged);
  EXPECT_EQ(shape.sharedBytes, 65536);
  EXPECT_TRUE(shape.dynamicShared);
  EXPECT_EQ(shape.threadsPerBlock, 256);
}

/// What is found once for a workload changes nothing.
TEST(Matmul, BoundFeaturesAreTheFeatures) {
  Workload w = matmul(1000, 777, 333);
  Space space = schedule().space(w, a100());
  auto bound = schedule().boundFeatures(w, a100());
  Random random(1);
  uint64_t seen = 0;
  space.forEach([&](const Config &c) {
    if (random.next() % 64)
      return true;
    KernelFeatures f = schedule().features(w, a100(), c), g = bound(c);
    EXPECT_EQ(f.fma32, g.fma32);
    EXPECT_EQ(f.registers, g.registers);
    EXPECT_EQ(f.sharedBytes, g.sharedBytes);
    EXPECT_EQ(f.otherInsts, g.otherInsts);
    EXPECT_EQ(f.numStreams, g.numStreams);
    for (int i = 0; i < f.numStreams; ++i) {
      EXPECT_EQ(f.streams[i].loads, g.streams[i].loads);
      EXPECT_EQ(f.streams[i].wavefronts, g.streams[i].wavefronts);
      EXPECT_EQ(f.streams[i].sectors, g.streams[i].sectors);
    }
    return ++seen < 1000;
  });
  EXPECT_EQ(seen, 1000u);
}

/// 64 x 64 x 32, warps of 32 x 32: 2 x 4 fragments, two steps of k a turn.
TEST(Matmul, MatrixUnitFeaturesByHand) {
  Workload w = matmul(1024, 1024, 1024);
  EXPECT_FALSE(schedule().space(w, a100()).find("mma"));
  w.operands[0].type = w.operands[1].type = ElementType::F16;
  Space space = schedule().space(w, a100());
  ASSERT_TRUE(space.find("mma"));
  Config c = {64, 64, 32, 4, 8, 8, 8, 2, 2, 1, 1, 8, 8, 1, 1};
  EXPECT_FALSE(space.reject(c));
  EXPECT_EQ(schedule().generic(w, a100()).back(), 0);
  KernelFeatures f = schedule().features(w, a100(), c);
  EXPECT_EQ(f.threadsPerBlock, 128);
  EXPECT_EQ(f.fma32, 0);
  EXPECT_EQ(f.tensorFma, 32.0 * 1024);
  EXPECT_EQ(f.mmaInsts, 8.0 * 64); // per 16 values of k
  EXPECT_EQ(f.tensorType, TensorType::F16AccF32);
  ASSERT_EQ(f.numStreams, 5);
  // Two pieces of 16 x 16 per 16 values of k; rows of 80 bytes do not meet.
  EXPECT_EQ(f.streams[1].loads, 2.0 * 64);
  EXPECT_EQ(f.streams[1].vectorBytes, 16);
  c[11] = 0; // rows of 64 bytes: four of eight meet
  EXPECT_GT(schedule().features(w, a100(), c).streams[1].wavefronts,
            f.streams[1].wavefronts);
}

TEST(Matmul, FeaturesByHand) {
  Workload w = matmul(4096, 4096, 4096);
  KernelFeatures f = schedule().features(w, a100(), floorConfig());
  EXPECT_EQ(f.threadsPerBlock, 256);
  EXPECT_EQ(f.blocks, 32 * 32);
  EXPECT_EQ(f.loopTurns, 256);
  EXPECT_EQ(f.fma32, 64.0 * 4096);
  EXPECT_EQ(f.barriers, 512);
  EXPECT_EQ(f.flops, 2.0 * 4096 * 4096 * 4096);
  ASSERT_EQ(f.numStreams, 5);
  // A from global memory: 128 x 16 elements by 256 threads in vectors of 4.
  EXPECT_EQ(f.streams[0].loads, 2 * 256);
  EXPECT_EQ(f.streams[0].vectorBytes, 16);
  // Rows of 64 bytes: 8 rows a warp, two sectors of each.
  EXPECT_EQ(f.streams[0].sectors, 16);
  EXPECT_EQ(f.streams[0].lines, 8);
  EXPECT_EQ(f.streams[0].sharingBlocks, 32);
  EXPECT_EQ(f.streams[0].totalBytes, 4.0 * 4096 * 4096);
  // A from shared memory: 8 rows times 4 steps of 4 values each.
  EXPECT_TRUE(f.streams[1].isShared);
  EXPECT_EQ(f.streams[1].loads, 32 * 256);
  EXPECT_EQ(f.streams[1].stores, 2 * 256);
  // B: rows of 512 bytes, one warp a row.
  EXPECT_EQ(f.streams[2].sectors, 16);
  EXPECT_EQ(f.streams[2].lines, 4);
  EXPECT_EQ(f.streams[3].loads, 32 * 256);
  // C: 64 values in vectors of 4.
  EXPECT_EQ(f.streams[4].loads, 16);
  EXPECT_EQ(f.streams[4].stores, 16);
}

TEST(Matmul, ScriptNamesEveryStep) {
  std::string script =
      schedule().script(matmul(1000, 777, 333), a100(), floorConfig());
  for (const char *step :
       {"tile_to_grid", "tile_sizes [128, 128, 0] round_to [128, 128, 16]",
        "promote", "barrier", "distribute_copy", "tile_to_threads",
        "guard_transfers", "hoist_accumulators", "lower_transfers",
        "factor = 4"})
    EXPECT_NE(script.find(step), std::string::npos) << step;
}

} // namespace

TEST(Matmul, WholeRowsOfDynamicExtents) {
  const Schedule *s = findSchedule("matmul");
  ASSERT_NE(s, nullptr);
  TargetSpec target = a100();
  Workload w = matmul(kDynamic, kDynamic, kDynamic);
  Config plain = s->generic(w, target);
  w.wholeRows = true;
  Config wide = s->generic(w, target);
  Space space = s->space(w, target);
  EXPECT_NE(space.toText(plain), space.toText(wide));
  EXPECT_TRUE(needsWholeRows(*s, w, target, wide));
  EXPECT_FALSE(needsWholeRows(*s, w, target, plain));
  EXPECT_FALSE(needsWholeRows(*s, withoutPromises(w), target, plain));
  // 12 f32 are three accesses of 16 bytes, 14 are not whole ones.
  std::vector<std::vector<int64_t>> whole = {{7, 12}, {12, 8}, {7, 8}},
                                    cut = {{7, 14}, {14, 8}, {7, 8}};
  EXPECT_TRUE(hasWholeRows(w, whole));
  EXPECT_FALSE(hasWholeRows(w, cut));
}
