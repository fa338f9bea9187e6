//===- KnobTest.cpp - every knob changes the PTX as named -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

#include <gtest/gtest.h>

using namespace hwtune;
using namespace hwtune::test;

namespace {

const char *kAdd =
    "func.func @kernel(%a: memref<64x1024xf32>, %b: memref<64x1024xf32>, %c: "
    "memref<64x1024xf32>) {\n"
    "  linalg.add ins(%a, %b : memref<64x1024xf32>, memref<64x1024xf32>) "
    "outs(%c : memref<64x1024xf32>)\n  return\n}";
const char *kTranspose =
    "func.func @kernel(%a: memref<256x128xf32>, %b: memref<128x256xf32>) {\n"
    "  linalg.transpose ins(%a : memref<256x128xf32>) outs(%b : "
    "memref<128x256xf32>) permutation = [1, 0]\n  return\n}";
const char *kRowSum =
    "func.func @kernel(%a: memref<64x4096xf32>, %c: memref<64xf32>) {\n"
    "  linalg.reduce {arith.addf} ins(%a : memref<64x4096xf32>) outs(%c : "
    "memref<64xf32>) dimensions = [1]\n  return\n}";
const char *kColumnSum =
    "func.func @kernel(%a: memref<4096x64xf32>, %c: memref<64xf32>) {\n"
    "  linalg.reduce {arith.addf} ins(%a : memref<4096x64xf32>) outs(%c : "
    "memref<64xf32>) dimensions = [0]\n  return\n}";
const char *kConv =
    "func.func @kernel(%a: memref<1x34x34x16xf32>, %f: memref<3x3x16x32xf32>, "
    "%c: memref<1x32x32x32xf32>) {\n"
    "  linalg.conv_2d_nhwc_hwcf ins(%a, %f : memref<1x34x34x16xf32>, "
    "memref<3x3x16x32xf32>) outs(%c : memref<1x32x32x32xf32>)\n  return\n}";
const char *kGather =
    "func.func @kernel(%a: memref<33x64xf32>, %c: memref<33xf32>, %d: "
    "memref<33xf32>) {\n"
    "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
    "affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = "
    "[\"parallel\", \"reduction\"]}\n"
    "    ins(%a : memref<33x64xf32>) outs(%c, %d : memref<33xf32>, "
    "memref<33xf32>) {\n"
    "  ^bb0(%x: f32, %s: f32, %q: f32):\n    %t = arith.addf %s, %x : f32\n    "
    "%u = arith.mulf %q, %x : f32\n    linalg.yield %t, %u : f32, f32\n  }\n  "
    "return\n}";

class Knobs : public testing::Test {
protected:
  /// PTX of the first legal configuration with these values, the generic one's
  /// where a knob is not named.
  CompiledKernel kernel(const char *text, const char *schedule,
                        std::vector<std::pair<const char *, int64_t>> values) {
    Payload p = load(text);
    EXPECT_EQ(p.error, "");
    const Schedule *s = findSchedule(schedule);
    Space space = s->space(p.workload, testTarget());
    Config c = s->generic(p.workload, testTarget());
    for (auto [name, value] : values)
      c[*space.find(name)] = value;
    auto rejected = space.reject(c);
    EXPECT_FALSE(rejected) << space.toText(c) << ": "
                           << (rejected ? rejected->message() : "");
    auto k = compile(p, *s, c);
    EXPECT_TRUE(k) << k.error().str();
    return k ? *k : CompiledKernel();
  }
};

TEST_F(Knobs, ElementwiseVector) {
  EXPECT_EQ(
      kernel(kAdd, "elementwise", {{"vector", 4}}).stats.count("ld.global.v4"),
      2);
  EXPECT_EQ(
      kernel(kAdd, "elementwise", {{"vector", 2}}).stats.count("ld.global.v2"),
      2);
  CompiledKernel scalar = kernel(kAdd, "elementwise", {{"vector", 1}});
  EXPECT_EQ(scalar.stats.count("ld.global.b32"), 2);
  EXPECT_EQ(scalar.stats.count("st.global.v4"), 0);
}
TEST_F(Knobs, ElementwisePerThread) {
  EXPECT_EQ(kernel(kAdd, "elementwise", {{"per_thread", 1}})
                .stats.count("st.global.v4"),
            1);
  EXPECT_EQ(kernel(kAdd, "elementwise", {{"per_thread", 4}})
                .stats.count("st.global.v4"),
            4);
}
TEST_F(Knobs, ElementwiseThreads) {
  EXPECT_NE(
      kernel(kAdd, "elementwise", {{"threads", 128}}).ptx.find(".maxntid 128"),
      std::string::npos);
  EXPECT_EQ(kernel(kAdd, "elementwise", {{"threads", 128}}).kernel.grid[0],
            64 * 1024 / 4 / 128);
}

TEST_F(Knobs, TransposeShared) {
  CompiledKernel on = kernel(kTranspose, "transpose", {{"pad", 1}});
  EXPECT_GT(on.stats.count("st.shared"), 0);
  EXPECT_EQ(on.stats.staticSharedBytes, 32 * 33 * 4);
  CompiledKernel off =
      kernel(kTranspose, "transpose", {{"shared", 0}, {"pad", 0}});
  EXPECT_EQ(off.stats.count("st.shared"), 0);
  EXPECT_EQ(off.stats.staticSharedBytes, 0);
}
TEST_F(Knobs, TransposePadIsTheRowPitch) {
  EXPECT_EQ(
      kernel(kTranspose, "transpose", {{"pad", 0}}).stats.staticSharedBytes,
      32 * 32 * 4);
  EXPECT_EQ(
      kernel(kTranspose, "transpose", {{"pad", 4}}).stats.staticSharedBytes,
      32 * 36 * 4);
}
TEST_F(Knobs, TransposeTiles) {
  EXPECT_EQ(kernel(kTranspose, "transpose", {{"tile_in", 64}, {"pad", 0}})
                .stats.staticSharedBytes,
            32 * 64 * 4);
  EXPECT_EQ(kernel(kTranspose, "transpose", {{"tile_out", 64}, {"pad", 0}})
                .stats.staticSharedBytes,
            64 * 32 * 4);
  EXPECT_EQ(kernel(kTranspose, "transpose", {{"tile_in", 64}}).kernel.grid[0],
            128 / 64 * 256 / 32);
}
TEST_F(Knobs, TransposeVector) {
  EXPECT_EQ(kernel(kTranspose, "transpose", {{"vector", 4}})
                .stats.count("ld.global.v4"),
            1);
  EXPECT_EQ(kernel(kTranspose, "transpose", {{"vector", 1}})
                .stats.count("ld.global.v4"),
            0);
}

TEST_F(Knobs, ReductionVector) {
  EXPECT_EQ(
      kernel(kRowSum, "reduction", {{"vector", 4}}).stats.count("ld.global.v4"),
      1);
  EXPECT_EQ(
      kernel(kRowSum, "reduction", {{"vector", 1}}).stats.count("ld.global.v4"),
      0);
}
TEST_F(Knobs, ReductionUnroll) {
  EXPECT_EQ(
      kernel(kRowSum, "reduction", {{"unroll", 4}}).stats.count("ld.global.v4"),
      4);
}
TEST_F(Knobs, ReductionLanes) {
  CompiledKernel warp = kernel(kRowSum, "reduction", {{"lanes", 32}});
  EXPECT_EQ(warp.stats.count("shfl.sync.bfly"), 5);
  EXPECT_EQ(warp.stats.count("st.shared"), 0);
  EXPECT_EQ(warp.stats.count("bar.sync"), 0);
  CompiledKernel eight = kernel(kRowSum, "reduction", {{"lanes", 8}});
  EXPECT_EQ(eight.stats.count("shfl.sync.bfly"), 3);
  EXPECT_EQ(eight.kernel.grid[0], 64 / (256 / 8));
  CompiledKernel block = kernel(kRowSum, "reduction", {{"lanes", 256}});
  EXPECT_EQ(block.stats.count("shfl.sync.bfly"), 5 + 3);
  EXPECT_EQ(block.stats.count("bar.sync"), 1);
  EXPECT_EQ(block.stats.staticSharedBytes, 256 / 32 * 4);
}
TEST_F(Knobs, ColumnLanes) {
  CompiledKernel one = kernel(kColumnSum, "reduction",
                              {{"lanes", 1}, {"threads", 64}, {"vector", 1}});
  EXPECT_EQ(one.stats.count("st.shared"), 0);
  CompiledKernel eight =
      kernel(kColumnSum, "reduction", {{"lanes", 8}, {"vector", 2}});
  EXPECT_EQ(eight.stats.count("bar.sync"), 3);
  EXPECT_EQ(eight.stats.staticSharedBytes, 256 * 2 * 4);
  EXPECT_EQ(eight.stats.count("shfl.sync"), 0);
}

TEST_F(Knobs, WindowTilesAreRegisterTiles) {
  CompiledKernel four = kernel(kConv, "window", {{"tile_x", 4}, {"tile_y", 1}});
  EXPECT_EQ(four.stats.count("fma.rn.f32"), 4);
  EXPECT_EQ(four.stats.count("st.global.v4"), 1);
  EXPECT_EQ(kernel(kConv, "window", {{"tile_x", 4}, {"tile_y", 4}})
                .stats.count("fma.rn.f32"),
            16);
  EXPECT_EQ(kernel(kConv, "window", {{"tile_x", 8}, {"tile_y", 1}})
                .stats.count("st.global.v4"),
            2);
  CompiledKernel one = kernel(kConv, "window", {{"tile_x", 1}, {"tile_y", 1}});
  EXPECT_EQ(one.stats.count("fma.rn.f32"), 1);
  EXPECT_EQ(one.stats.count("st.global.v4"), 0);
}
// Outputs of a thread lie along loops that reuse different inputs: 4 pixels of
// the picture and 8 of the filter feed 32 multiply-adds, wherever channels are.
TEST_F(Knobs, WindowTileReusesBothInputs) {
  const char *channelsFirst =
      "func.func @kernel(%a: memref<1x16x34x34xf32>, %f: "
      "memref<32x16x3x3xf32>, "
      "%c: memref<1x32x32x32xf32>) {\n"
      "  linalg.conv_2d_nchw_fchw ins(%a, %f : memref<1x16x34x34xf32>, "
      "memref<32x16x3x3xf32>) outs(%c : memref<1x32x32x32xf32>)\n  return\n}";
  CompiledKernel first =
      kernel(channelsFirst, "window", {{"tile_x", 4}, {"tile_y", 8}});
  EXPECT_EQ(first.stats.count("fma.rn.f32"), 32);
  EXPECT_EQ(first.stats.count("ld.global.nc.b32"), 4 + 8);
  // Along the channels that are last, one access has four of the filter.
  CompiledKernel last = kernel(kConv, "window", {{"tile_x", 4}, {"tile_y", 8}});
  EXPECT_EQ(last.stats.count("fma.rn.f32"), 32);
  EXPECT_EQ(last.stats.count("ld.global.nc"), 8 + 1);
}
TEST_F(Knobs, WindowUnroll) {
  EXPECT_EQ(kernel(kConv, "window", {{"tile_x", 4}, {"unroll", 4}})
                .stats.count("fma.rn.f32"),
            16);
  EXPECT_EQ(kernel(kConv, "window", {{"tile_x", 4}, {"unroll", 8}})
                .stats.count("fma.rn.f32"),
            32);
}

TEST_F(Knobs, GenericUnrollAndPerThread) {
  EXPECT_EQ(
      kernel(kGather, "generic", {{"unroll", 4}}).stats.count("mul.rn.f32"), 4);
  CompiledKernel one = kernel(kGather, "generic", {{"threads", 32}}),
                 two = kernel(kGather, "generic",
                              {{"threads", 32}, {"per_thread", 2}});
  EXPECT_EQ(one.kernel.grid[0], 2);
  EXPECT_EQ(two.kernel.grid[0], 1);
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

/// Legal configurations by trying all combinations against `reject`.
uint64_t bruteForce(const Space &s) {
  uint64_t legal = 0, total = 1;
  for (const Knob &k : s.knobs)
    total *= k.values.size();
  for (uint64_t n = 0; n < total; ++n) {
    Config c(s.knobs.size());
    uint64_t rest = n;
    for (size_t i = s.knobs.size(); i-- > 0; rest /= s.knobs[i].values.size())
      c[i] = s.knobs[i].values[rest % s.knobs[i].values.size()];
    bool ok = true;
    for (const Constraint &constraint : s.constraints) {
      auto [needed, limit] = constraint.check(c);
      ok &= needed <= limit;
    }
    legal += ok;
  }
  return legal;
}

TEST(Spaces, CountsAreThoseOfBruteForce) {
  for (auto [text, schedule] : {std::pair(kAdd, "elementwise"),
                                {kTranspose, "transpose"},
                                {kRowSum, "reduction"},
                                {kColumnSum, "reduction"},
                                {kConv, "window"},
                                {kGather, "generic"}}) {
    Payload p = load(text);
    ASSERT_EQ(p.error, "");
    const Schedule *s = findSchedule(schedule);
    Space space = s->space(p.workload, testTarget());
    ASSERT_TRUE(space.check());
    SpaceCounts counts = space.count();
    EXPECT_EQ(counts.legal, bruteForce(space)) << schedule;
    EXPECT_GT(counts.legal, 10u) << schedule;
    uint64_t rejected = 0;
    for (auto &[kind, n] : counts.rejected)
      rejected += n;
    EXPECT_EQ(counts.legal + rejected, counts.product) << schedule;
  }
}

/// 72 legal of 120: threads 6 x vectors {1, 2, 4} of 5 x per_thread {1, 2, 4,
/// 8}, less what needs more than 255 registers (none here).
TEST(Spaces, ElementwiseByHand) {
  Payload p = load(kAdd);
  Space space = findSchedule("elementwise")->space(p.workload, testTarget());
  SpaceCounts counts = space.count();
  EXPECT_EQ(counts.product, 6u * 5 * 4);
  EXPECT_EQ(counts.legal, 6u * 3 * 4);
  EXPECT_EQ(counts.rejected.at("vector"), 6u * 2 * 4);
}

TEST(Spaces, RejectionsGiveBothNumbers) {
  Payload p = load(kAdd);
  const Schedule *s = findSchedule("elementwise");
  Space space = s->space(p.workload, testTarget());
  auto r = space.reject({256, 8, 1});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->message(), "elements of an access (16 bytes, rows and types "
                          "allow): needs 8, limit 4");
}

TEST(Spaces, MismatchSaysWhy) {
  Payload p = load(kAdd);
  EXPECT_EQ(findSchedule("transpose")->mismatch(p.workload),
            "it is no transpose: all loops parallel, an input and the output "
            "fastest along different ones");
  EXPECT_EQ(findSchedule("reduction")->mismatch(p.workload),
            "it does not combine one output by one associative operation");
  EXPECT_EQ(findSchedule("window")->mismatch(p.workload),
            "it is no convolution or pooling: one output, combined over a "
            "window of an input");
}

TEST(Features, ElementwiseByHand) {
  Payload p = load(kAdd);
  KernelFeatures f = findSchedule("elementwise")
                         ->features(p.workload, testTarget(), {256, 4, 2});
  EXPECT_EQ(f.blocks, 64 * 1024 / (256 * 8));
  EXPECT_EQ(f.fp32, 8);
  ASSERT_EQ(f.numStreams, 3);
  EXPECT_EQ(f.streams[0].loads, 2);
  EXPECT_EQ(f.streams[0].vectorBytes, 16);
  EXPECT_EQ(f.streams[0].sectors, 16);
  EXPECT_EQ(f.streams[0].lines, 4);
  EXPECT_EQ(f.streams[0].totalBytes, 64 * 1024 * 4);
  EXPECT_EQ(f.streams[2].stores, 2);
}

// 64 threads of 4x8 outputs: 8 lanes along the 32 output channels, 8 rows of
// them times 8 columns of the picture: two of its rows.
TEST(Features, WindowReuseByHand) {
  Payload p = load(kConv);
  KernelFeatures f =
      findSchedule("window")->features(p.workload, testTarget(), {64, 4, 8, 1});
  ASSERT_EQ(f.numStreams, 3);
  // Between two rows of the window: 2 x 34 pixels and a row of the filter.
  EXPECT_EQ(f.streams[0].uniqueBytes, 4 * 34 * 16 * 4);
  EXPECT_EQ(f.streams[0].reuseBytes, 2 * 34 * 16 * 4);
  EXPECT_EQ(f.streams[1].uniqueBytes, 9 * 16 * 32 * 4);
  EXPECT_EQ(f.streams[1].reuseBytes, 3 * 16 * 32 * 4);
  // Sums are loaded before the loops and stored after them.
  EXPECT_EQ(f.streams[2].reuseBytes, 64 * 16);
}

// Eight floats of a lane are two accesses of 16 bytes, 32 bytes apart: each
// quarter of a warp touches two lines in place of one.
TEST(Features, WavefrontsOfTilesBeyondOneAccess) {
  Payload p = load("func.func @kernel(%a: memref<1x34x34x16xf32>, %f: "
                   "memref<3x3x16x64xf32>, %c: memref<1x32x32x64xf32>) {\n"
                   "  linalg.conv_2d_nhwc_hwcf ins(%a, %f : "
                   "memref<1x34x34x16xf32>, memref<3x3x16x64xf32>) outs(%c : "
                   "memref<1x32x32x64xf32>)\n  return\n}");
  auto filter = [&](int64_t tileX) {
    return findSchedule("window")
        ->features(p.workload, testTarget(), {64, tileX, 1, 1})
        .streams[1];
  };
  EXPECT_EQ(filter(4).wavefronts, 4);
  EXPECT_EQ(filter(8).wavefronts, 8);
  EXPECT_EQ(filter(1).wavefronts, 1);
}

TEST(Features, TransposeShowsConflictsWithoutPadding) {
  Payload p = load(kTranspose);
  const Schedule *s = findSchedule("transpose");
  auto wavefronts = [&](int64_t pad) {
    KernelFeatures f =
        s->features(p.workload, testTarget(), {1, 32, 32, 256, 1, pad});
    return f.streams[f.numStreams - 1].wavefronts;
  };
  EXPECT_EQ(wavefronts(0), (1 + 32) / 2.0);
  EXPECT_EQ(wavefronts(1), 1);
}

} // namespace
