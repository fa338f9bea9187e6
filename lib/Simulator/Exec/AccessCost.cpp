//===- AccessCost.cpp - what one memory access of a warp moves ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Exec/AccessCost.h"
#include "Machine.h"

#include <algorithm>
#include <bit>

namespace hwtune::exec {

/// Whether each lane of `mask` has the address of the lane whose number differs
/// from its own in the bits `apart`, where that one takes part.
static bool pairsAgree(const uint64_t *addresses, uint32_t mask,
                       uint32_t apart) {
  for (; mask; mask &= mask - 1) {
    auto lane = uint32_t(std::countr_zero(mask)), other = lane ^ apart;
    if ((mask >> other) & 1 && addresses[lane] != addresses[other])
      return false;
  }
  return true;
}

/// Lanes whose `laneBytes` are as wide as one register of a warp.
static uint32_t lanesOfRegister(uint32_t laneBytes) {
  constexpr uint32_t kRegisterBytes = 4 * kLanes;
  return std::clamp(kRegisterBytes / std::max(laneBytes, 1u), 1u, kLanes);
}

/// Calls `f` with the lanes of `mask` that are served together, phase by phase.
template <typename F>
static void forEachPhase(uint32_t mask, uint32_t group, F f) {
  for (uint32_t start = 0; start < kLanes; start += group)
    if (uint32_t part = mask & (kFullMask >> (kLanes - group)) << start)
      f(part);
}

/// The words of `lanes`, and how many turns a bank takes at most.
struct BankedWords {
  static constexpr uint32_t kMostBanks = 32;

  const uint64_t *addresses;
  uint32_t words; ///< of a lane
  uint32_t wordBits, bankMask;

  template <typename F> void forEach(uint32_t lanes, F f) const {
    for (; lanes; lanes &= lanes - 1) {
      uint64_t word = addresses[std::countr_zero(lanes)] >> wordBits;
      for (uint32_t w = 0; w < words; ++w, ++word)
        f(word, uint32_t(word) & bankMask);
    }
  }

  uint32_t turns(uint32_t lanes) const {
    std::array<uint8_t, kMostBanks> depth{};
    uint32_t deepest = 0;
    forEach(lanes, [&](uint64_t, uint32_t bank) {
      deepest = std::max<uint32_t>(deepest, ++depth[bank]);
    });
    return deepest;
  }

  /// A word that several lanes want takes one turn.
  uint32_t distinctTurns(uint32_t lanes) const {
    uint64_t seen[kMostBanks][kLanes];
    std::array<uint8_t, kMostBanks> depth{};
    uint32_t deepest = 0;
    forEach(lanes, [&](uint64_t word, uint32_t bank) {
      uint32_t n = depth[bank], k = 0;
      while (k < n && seen[bank][k] != word)
        ++k;
      if (k < n)
        return;
      seen[bank][n] = word;
      depth[bank] = uint8_t(++n);
      deepest = std::max(deepest, n);
    });
    return deepest;
  }
};

uint32_t sharedWavefronts(const uint64_t *addresses, uint32_t mask,
                          uint32_t laneBytes, SharedAccess kind,
                          const AccessUnits &units) {
  if (!(mask & (mask - 1))) // at most one lane, whose words are neighbours
    return mask != 0;
  uint32_t banks = std::min(1u << units.bankBits, BankedWords::kMostBanks);
  BankedWords at{addresses, std::max(1u, laneBytes >> units.wordBits),
                 units.wordBits, banks - 1};
  uint32_t group = lanesOfRegister(laneBytes), waves = 0;
  if (kind == SharedAccess::Load && group < kLanes &&
      (pairsAgree(addresses, mask, 1) || pairsAgree(addresses, mask, 2)))
    group *= 2;
  forEachPhase(mask, group, [&](uint32_t lanes) {
    waves += kind == SharedAccess::Atomic ? at.turns(lanes)
                                          : at.distinctTurns(lanes);
  });
  return waves;
}

uint32_t distinctAddresses(const uint64_t *addresses, uint32_t mask) {
  uint32_t count = 0;
  for (uint32_t left = mask; left; ++count) {
    uint64_t address = addresses[std::countr_zero(left)];
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      if (addresses[lane] == address)
        left &= ~(1u << lane);
  }
  return count;
}

namespace {

/// Adds lines to a `LineAccess`; lines that were there before `begin` are not
/// looked at.
class LineCollector {
public:
  LineCollector(const AccessUnits &units, LineAccess &out)
      : units(units), out(out), begin(out.numLines) {}

  void add(uint64_t first, uint64_t last) {
    for (uint64_t s = first >> units.sectorBits; s <= last >> units.sectorBits;
         ++s) {
      uint32_t sectorsOfLine = units.lineBits - units.sectorBits;
      auto bit = uint8_t(1u << (s & ((1u << sectorsOfLine) - 1)));
      uint32_t at = find(s >> sectorsOfLine);
      out.sectors += !(out.lines[at].sectors & bit);
      out.lines[at].sectors |= bit;
      inPhase |= uint64_t(1) << (at - begin);
    }
  }

  void endPhase() {
    out.lookups += uint32_t(std::popcount(inPhase));
    inPhase = 0;
  }

private:
  /// Consecutive lanes mostly touch the line of the lane before.
  uint32_t find(uint64_t line) {
    for (uint32_t i = out.numLines; i-- > begin;)
      if (out.lines[i].line == line)
        return i;
    out.lines[out.numLines] = {line, 0};
    return out.numLines++;
  }

  const AccessUnits &units;
  LineAccess &out;
  uint32_t begin;
  uint64_t inPhase = 0; ///< lines that the current phase touches
};

} // namespace

void coalesce(const uint64_t *addresses, uint32_t mask, uint32_t laneBytes,
              const AccessUnits &units, LineAccess &out) {
  out.numLines = out.sectors = out.lookups = 0;
  out.wavefronts =
      sharedWavefronts(addresses, mask, laneBytes, SharedAccess::Store, units);
  LineCollector collector(units, out);
  forEachPhase(mask, lanesOfRegister(laneBytes), [&](uint32_t part) {
    for (; part; part &= part - 1) {
      uint64_t a = addresses[std::countr_zero(part)];
      collector.add(a, a + std::max(laneBytes, 1u) - 1);
    }
    collector.endPhase();
  });
}

void coalesceLocal(const uint64_t *addresses, uint32_t mask, uint32_t laneBytes,
                   uint64_t frame, const AccessUnits &units, LineAccess &out) {
  out.numLines = out.sectors = out.lookups = 0;
  uint32_t words = std::max(1u, laneBytes >> units.wordBits);
  out.wavefronts = mask ? words : 0; // each lane has a bank of its own
  for (uint32_t word = 0; word < words; ++word) {
    LineCollector collector(units, out);
    for (uint32_t left = mask; left; left &= left - 1) {
      auto lane = uint32_t(std::countr_zero(left));
      uint64_t place = frame + (addresses[lane] >> units.wordBits) + word;
      uint64_t a = (place * kLanes + lane) << units.wordBits;
      collector.add(a, a);
    }
    collector.endPhase();
  }
}

/// Of lanes: as of the registers of a matrix of 8 rows, four lanes to each.
static constexpr uint32_t kTileRows = 8, kLanesOfRow = kLanes / kTileRows;

uint32_t FragmentShape::accesses() const {
  return isAcross ? runs / kLanesOfRow * (runElements / kTileRows)
                  : runs / kTileRows * (runElements / (kLanesOfRow * packed));
}

void FragmentShape::addresses(uint64_t base, uint64_t leading, uint32_t access,
                              uint64_t *out) const {
  uint32_t part = isAcross ? access % packed : 0; // of what a lane packs
  uint32_t tile = isAcross ? access / packed : access;
  uint32_t tileElements = isAcross ? kTileRows : kLanesOfRow * packed;
  uint32_t tilesOfRun = runElements / tileElements;
  uint32_t tileRuns = isAcross ? kLanesOfRow * packed : kTileRows;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    uint32_t row = lane / kLanesOfRow, inRow = lane % kLanesOfRow;
    uint64_t run =
        tile / tilesOfRun * tileRuns + (isAcross ? inRow * packed + part : row);
    uint64_t element =
        tile % tilesOfRun * tileElements + (isAcross ? row : inRow * packed);
    out[lane] = base + (run * leading + element) * elementBits / 8;
  }
}

} // namespace hwtune::exec
