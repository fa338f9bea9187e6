//===- AccessCostTest.cpp - wavefronts, sectors and lines -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Exec/AccessCost.h"

#include <functional>
#include <gtest/gtest.h>

using namespace hwtune::exec;

namespace {

using Lanes = std::array<uint64_t, 32>;
constexpr uint32_t kAll = 0xffffffffu;

Lanes lanes(const std::function<uint64_t(uint64_t)> &address) {
  Lanes at;
  for (uint64_t lane = 0; lane < 32; ++lane)
    at[lane] = address(lane);
  return at;
}

uint32_t waves(const Lanes &at, uint32_t bytes, uint32_t mask = kAll,
               SharedAccess kind = SharedAccess::Load) {
  return sharedWavefronts(at.data(), mask, bytes, kind);
}

TEST(AccessCost, BanksQueueDistinctWords) {
  EXPECT_EQ(waves(lanes([](auto l) { return 4 * l; }), 4), 1u);
  EXPECT_EQ(waves(lanes([](auto) { return 64; }), 4), 1u); // one word for all
  EXPECT_EQ(waves(lanes([](auto l) { return 8 * l; }), 4), 2u);
  EXPECT_EQ(waves(lanes([](auto l) { return 128 * l; }), 4), 32u);
  // Bytes of one word are one word.
  EXPECT_EQ(waves(lanes([](auto l) { return l; }), 1), 1u);
  // Two words of bank 0, each asked for by 16 lanes.
  EXPECT_EQ(waves(lanes([](auto l) { return 128 * (l % 2); }), 4), 2u);
  EXPECT_EQ(waves(lanes([](auto l) { return 128 * l; }), 4, 0x7), 3u);
  EXPECT_EQ(waves(lanes([](auto l) { return 4 * l; }), 4, 0), 0u);
}

TEST(AccessCost, AtomicsOnOneWordTakeTurns) {
  auto atomics = [](const Lanes &at, uint32_t bytes, uint32_t mask = kAll) {
    return waves(at, bytes, mask, SharedAccess::Atomic);
  };
  EXPECT_EQ(atomics(lanes([](auto l) { return 4 * l; }), 4), 1u);
  EXPECT_EQ(atomics(lanes([](auto) { return 64; }), 4), 32u);
  EXPECT_EQ(atomics(lanes([](auto) { return 64; }), 4, 0x7), 3u);
  // Bank 0 by 16 lanes on either of two words, and by 16 on one of them.
  EXPECT_EQ(atomics(lanes([](auto l) { return 128 * (l % 2); }), 4), 32u);
  EXPECT_EQ(atomics(lanes([](auto l) { return l < 16 ? 0 : 4 * l; }), 4), 16u);
  // Two halves of the warp, each of 16 turns.
  EXPECT_EQ(atomics(lanes([](auto) { return 64; }), 8), 32u);
}

TEST(AccessCost, WideAccessesGoByPhases) {
  EXPECT_EQ(waves(lanes([](auto l) { return 8 * l; }), 8), 2u);
  EXPECT_EQ(waves(lanes([](auto l) { return 16 * l; }), 16), 4u);
  EXPECT_EQ(waves(lanes([](auto l) { return 32 * l; }), 32), 8u);
  // Lanes of another half do not conflict: 8 lanes 32 bytes apart do, twice.
  EXPECT_EQ(waves(lanes([](auto l) { return 32 * l; }), 16), 8u);
  EXPECT_EQ(waves(lanes([](auto l) { return 16 * l; }), 16, 0xff), 1u);
}

TEST(AccessCost, LoadsThatAgreeInPairsTakeHalfThePhases) {
  auto one = lanes([](auto) { return 256; });
  auto next = lanes([](auto l) { return l / 2 * 16; });
  auto nextButOne = lanes([](auto l) { return (l / 4 * 2 + l % 2) * 16; });
  auto fours = lanes([](auto l) { return l % 8 * 16; }); // agree with n ^ 8
  for (const Lanes &pairs : {one, next, nextButOne}) {
    EXPECT_EQ(waves(pairs, 16), 2u);
    EXPECT_EQ(waves(pairs, 16, kAll, SharedAccess::Store), 4u);
  }
  EXPECT_EQ(waves(lanes([](auto l) { return l / 2 * 8; }), 8), 1u);
  EXPECT_EQ(waves(fours, 16), 4u);
  // Of one lane of each pair there is nothing to agree with.
  EXPECT_EQ(waves(fours, 16, 0x55555555), 2u);
  // Half of the warp at once: 8 pairs whose words share banks in twos.
  EXPECT_EQ(waves(lanes([](auto l) { return l / 2 * 32; }), 16), 4u);
}

struct Touched {
  uint32_t lines, sectors, lookups, wavefronts;
  bool operator==(const Touched &) const = default;
};
Touched touched(const Lanes &at, uint32_t bytes, uint32_t mask = kAll) {
  LineAccess access;
  coalesce(at.data(), mask, bytes, {}, access);
  return {access.numLines, access.sectors, access.lookups, access.wavefronts};
}

TEST(AccessCost, SectorsAndLinesOfGlobalMemory) {
  EXPECT_EQ(touched(lanes([](auto l) { return 4 * l; }), 4),
            (Touched{1, 4, 1, 1}));
  // Shifted by a word: one more sector, in the next line, but all banks once.
  EXPECT_EQ(touched(lanes([](auto l) { return 4 * l + 4; }), 4),
            (Touched{2, 5, 2, 1}));
  EXPECT_EQ(touched(lanes([](auto l) { return 128 * l; }), 4),
            (Touched{32, 32, 32, 32}));
  EXPECT_EQ(touched(lanes([](auto l) { return 132 * l; }), 4),
            (Touched{32, 32, 32, 1}));
  EXPECT_EQ(touched(lanes([](auto l) { return 16 * l; }), 16),
            (Touched{4, 16, 4, 4}));
  // One address for all, but each quarter is served by itself.
  EXPECT_EQ(touched(lanes([](auto) { return 256; }), 16),
            (Touched{1, 1, 4, 4}));
  EXPECT_EQ(touched(lanes([](auto l) { return 4 * l; }), 4, 0),
            (Touched{0, 0, 0, 0}));
}

TEST(AccessCost, LinesKnowTheirSectors) {
  LineAccess access;
  Lanes at = lanes([](auto l) { return 1024 + 64 * (l % 4); });
  coalesce(at.data(), kAll, 4, {}, access);
  ASSERT_EQ(access.numLines, 2u);
  EXPECT_EQ(access.lines[0].line, 8u);
  EXPECT_EQ(access.lines[0].sectors, 0b0101);
  EXPECT_EQ(access.lines[1].line, 9u);
  EXPECT_EQ(access.lines[1].sectors, 0b0101);
}

TEST(AccessCost, LocalMemoryIsInterleavedByLane) {
  LineAccess access;
  Lanes same = lanes([](auto) { return 8; });
  coalesceLocal(same.data(), kAll, 4, 100, {}, access);
  ASSERT_EQ(access.numLines, 1u);
  EXPECT_EQ(access.lines[0].line, 102u); // the frame's third word
  EXPECT_EQ(access.sectors, 4u);
  coalesceLocal(same.data(), kAll, 16, 0, {}, access);
  EXPECT_EQ(access.numLines, 4u);
  EXPECT_EQ(access.lookups, 4u);
  EXPECT_EQ(access.wavefronts, 4u);
  // Each lane at another place of its array.
  Lanes own = lanes([](auto l) { return 4 * l; });
  coalesceLocal(own.data(), kAll, 4, 0, {}, access);
  EXPECT_EQ(access.numLines, 32u);
  EXPECT_EQ(access.lookups, 32u);
  EXPECT_EQ(access.wavefronts, 1u); // a bank for each lane
}

TEST(AccessCost, ConstantsAreOneRequestForEachAddress) {
  auto requests = [](const Lanes &at, uint32_t mask = kAll) {
    return distinctAddresses(at.data(), mask);
  };
  EXPECT_EQ(requests(lanes([](auto) { return 64; })), 1u);
  EXPECT_EQ(requests(lanes([](auto l) { return 4 * l; })), 32u);
  EXPECT_EQ(requests(lanes([](auto l) { return 4 * (l / 8); })), 4u);
  EXPECT_EQ(requests(lanes([](auto l) { return 4 * l; }), 0x7), 3u);
  EXPECT_EQ(requests(lanes([](auto l) { return l; }), 0), 0u);
}

/// 16 x 16 elements in 16 runs.
FragmentShape square(uint8_t bits, uint8_t packed, bool isAcross) {
  FragmentShape shape;
  shape.runs = shape.runElements = 16;
  shape.elementBits = bits;
  shape.packed = packed;
  shape.isAcross = isAcross;
  return shape;
}

TEST(AccessCost, FragmentsAreTilesOfTheMatrix) {
  Lanes at;
  FragmentShape halves = square(16, 2, false); // of A by rows
  EXPECT_EQ(halves.laneBytes(), 4u);
  EXPECT_EQ(halves.accesses(), 4u);
  halves.addresses(1000, 100, 3, at.data()); // rows 8.., elements 8..
  EXPECT_EQ(at[0], 1000u + 2 * (8 * 100 + 8));
  EXPECT_EQ(at[3], at[0] + 12);
  EXPECT_EQ(at[4], at[0] + 2 * 100);
  FragmentShape bytes = square(8, 4, true); // of A by columns
  EXPECT_EQ(bytes.laneBytes(), 1u);
  EXPECT_EQ(bytes.accesses(), 8u);
  bytes.addresses(0, 100, 1, at.data()); // the second of four in a register
  EXPECT_EQ(at[0], 100u);
  EXPECT_EQ(at[1], 500u);
  EXPECT_EQ(at[4], 101u);
  bytes.addresses(0, 100, 4, at.data()); // the upper half of the runs
  EXPECT_EQ(at[0], 8u);
  EXPECT_EQ(square(32, 2, false).accesses(), 4u); // sums by rows: 64 bits
  EXPECT_EQ(square(32, 2, true).accesses(), 8u);
  halves.matricesAtOnce = 4;
  EXPECT_EQ(halves.instructions(true), 1u);
  EXPECT_EQ(halves.instructions(false), 4u);
}

} // namespace
