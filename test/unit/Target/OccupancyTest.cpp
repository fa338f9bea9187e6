//===- OccupancyTest.cpp --------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Target/Occupancy.h"
#include "hwtune/Target/KnownTargets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

using namespace hwtune;

namespace {

TargetSpec target(const char *id) {
  Expected<TargetSpec> spec = knownTarget(id);
  EXPECT_TRUE(bool(spec)) << id;
  return spec ? *spec : TargetSpec();
}

/// One GPU of each compute capability: occupancy depends on nothing else.
const std::map<std::string, std::string> kDeviceOf = {
    {"7.0", "v100-sxm2-16gb"},
    {"7.2", "jetson-agx-xavier"},
    {"7.5", "t4"},
    {"8.0", "a100-sxm4-80gb"},
    {"8.6", "a10"},
    {"8.7", "jetson-agx-orin-64gb"},
    {"8.9", "l4"},
    {"9.0", "h100-sxm"},
    {"10.0", "b200"},
    {"11.0", "jetson-thor-t5000"},
    {"12.0", "rtx-5090"}};

/// Compares every row of the calculator's output; the number of rows.
int compareAll(std::istream &in) {
  std::map<std::string, TargetSpec> specs;
  for (const auto &[capability, id] : kDeviceOf)
    specs[capability] = target(id.c_str());
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "cc,block_threads,regs_per_thread,dyn_smem_bytes,"
                  "blocks_per_sm,limiting,lim_regs,lim_smem,lim_warps,"
                  "lim_blocks");
  int rows = 0, wrong = 0;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string capability, field;
    std::getline(fields, capability, ',');
    std::array<int64_t, 9> v{};
    for (int64_t &value : v) {
      std::getline(fields, field, ',');
      value = std::atoll(field.c_str());
    }
    ++rows;
    auto spec = specs.find(capability);
    if (spec == specs.end()) {
      ADD_FAILURE() << "no GPU of compute capability " << capability;
      return rows;
    }
    Occupancy o = occupancy(spec->second, {v[0], v[1], v[2], 1, -1});
    // The calculator writes "no limit" as -1.
    auto limit = [](int64_t blocks) {
      return blocks == kNoLimit ? -1 : blocks;
    };
    std::array<int64_t, 9> got = {v[0],
                                  v[1],
                                  v[2],
                                  o.blocksPerSM,
                                  o.limiters,
                                  limit(o.byRegisters),
                                  limit(o.byShared),
                                  limit(o.byWarps),
                                  limit(o.byBlocks)};
    if (got != v && ++wrong <= 5)
      ADD_FAILURE() << line << "\ngot "
                    << fmt::format("{}", fmt::join(got, ","));
  }
  EXPECT_EQ(wrong, 0) << "of " << rows << " rows";
  return rows;
}

std::string gunzip(const std::string &path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file)
    return text;
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  gzclose(file);
  return text;
}

} // namespace

TEST(Occupancy, SampleOfTheCalculator) {
  std::ifstream in(HWTUNE_TEST_INPUTS "/occupancy-sample.csv");
  ASSERT_TRUE(in.good());
  EXPECT_EQ(compareAll(in), 660);
}

TEST(Occupancy, EveryCaseOfTheCalculator) {
  const char *shared = std::getenv("HWTUNE_TEST_SHARED");
  if (!shared || !*shared)
    GTEST_SKIP() << "HWTUNE_SHARED_DIR is not set: occupancy_vectors.csv.gz "
                    "is not here";
  std::istringstream in(
      gunzip(std::string(shared) + "/hardware/occupancy_vectors.csv.gz"));
  EXPECT_EQ(compareAll(in), 24388);
}

// 256 threads, 64 registers, 32 KiB: worked out by hand. A100: shared memory
// 33 KiB a block in 164 KiB = 4; registers 65536/4/2048 = 8 warps a part = 32
// warps = 4 blocks.
TEST(Occupancy, WorkedExample) {
  for (auto [id, blocks] : {std::pair{"v100-sxm2-16gb", 3},
                            {"t4", 2},
                            {"a100-sxm4-80gb", 4},
                            {"rtx-3090", 3},
                            {"rtx-4090", 3},
                            {"rtx-5090", 3},
                            {"h100-sxm", 4}})
    EXPECT_EQ(occupancy(target(id), {256, 64, 32768}).blocksPerSM, blocks)
        << id;
  Occupancy o = occupancy(target("a100-sxm4-80gb"), {256, 64, 32768});
  EXPECT_EQ(o.sharedPerBlock, 33792);
  EXPECT_EQ(o.registersPerWarp, 2048);
  EXPECT_EQ(o.warpsPerSM, 32);
  EXPECT_DOUBLE_EQ(o.occupancy, 0.5);
  EXPECT_EQ(limiterNames(o.limiters), "registers, shared memory");
  EXPECT_EQ(o.carveout, 164 * 1024);
  // Four blocks need 132 KiB, itself a carve-out; L1 keeps the other 60 KiB.
  EXPECT_EQ(o.smallestCarveout, 132 * 1024);
  EXPECT_EQ(o.l1Bytes, 60 * 1024);
}

TEST(Occupancy, PreferredCarveoutIsRaisedToHoldOneBlock) {
  TargetSpec a100 = target("a100-sxm4-80gb");
  BlockNeeds needs{128, 32, 10 * 1024, 1, 8 * 1024};
  Occupancy o = occupancy(a100, needs);
  EXPECT_EQ(o.carveout, 16 * 1024); // 11 KiB do not fit in 8
  EXPECT_EQ(o.blocksPerSM, 1);
  needs.preferredCarveout = 60 * 1024; // no such split: 64 KiB
  o = occupancy(a100, needs);
  EXPECT_EQ(o.carveout, 64 * 1024);
  EXPECT_EQ(o.blocksPerSM, 5);
}

TEST(Occupancy, SaysWhyNoBlockFits) {
  TargetSpec a100 = target("a100-sxm4-80gb");
  EXPECT_EQ(occupancy(a100, {2048, 32, 0}).whyNone,
            "threads of a block: needs 2048, limit 1024");
  EXPECT_EQ(occupancy(a100, {1024, 128, 0}).whyNone,
            "registers of a block: needs 131072, limit 65536");
  EXPECT_EQ(occupancy(a100, {32, 300, 0}).whyNone,
            "registers of a thread: needs 300, limit 255");
  EXPECT_EQ(occupancy(a100, {32, 32, 170000}).whyNone,
            "shared memory of a block (bytes): needs 170000, limit 166912");
  EXPECT_EQ(occupancy(a100, {0, 32, 0}).whyNone,
            "threads of a block: 0, expected 1 or more");
  EXPECT_EQ(occupancy(a100, {2048, 32, 0}).blocksPerSM, 0);
}

TEST(Occupancy, BarriersLimitFromHopperOn) {
  // 64 barriers of an H100's SM, 4 a block.
  Occupancy o = occupancy(target("h100-sxm"), {32, 16, 0, 4});
  EXPECT_EQ(o.byBarriers, 16);
  EXPECT_EQ(o.blocksPerSM, 16);
  EXPECT_EQ(limiterNames(o.limiters), "barriers");
  EXPECT_EQ(occupancy(target("a10"), {32, 16, 0, 4}).byBarriers, kNoLimit);
}

TEST(Occupancy, OtherVendorsUseTheSameRules) {
  // MI250X: 64 lanes a wave, 32 waves, 131072 registers, 64 KiB of LDS.
  Occupancy o = occupancy(target("amd-mi250x-gcd"), {256, 64, 16384});
  EXPECT_EQ(o.byWarps, 8);
  EXPECT_EQ(o.byShared, 4);
  EXPECT_EQ(o.byRegisters, 8); // 4096 a wave, 8 a SIMD
  EXPECT_EQ(o.blocksPerSM, 4);
  EXPECT_EQ(o.l1Bytes, 16 * 1024);
}
