//===- AccessCost.h - what one memory access of a warp moves ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of an access of up to 4 bytes each are served together, of 8 bytes by
// half warps, of 16 by quarters: a phase moves at most 128 bytes. This holds
// for shared memory and for the data stage of L1 alike.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_EXEC_ACCESSCOST_H
#define HWTUNE_SIMULATOR_EXEC_ACCESSCOST_H

#include <array>
#include <cstdint>

namespace hwtune::exec {

/// The granules that memories work in, each as the power of two of its size.
/// The defaults are those that profilers count in: sectors of 32 bytes, lines
/// of 128, 32 banks of 4 bytes.
struct AccessUnits {
  uint8_t lineBits = 7, sectorBits = 5, bankBits = 5, wordBits = 2;
};

enum class SharedAccess : uint8_t { Load, Store, Atomic };

/// Wavefronts of a shared-memory access: in each phase as many as the most
/// distinct words that fall into one bank, of atomics as the most lanes: those
/// on one word take turns. `addresses` has 32 entries, valid for the lanes of
/// `mask`; 0 without lanes.
///
/// A phase moves one register of a warp: lanes of 8 bytes go in halves of the
/// warp, of 16 bytes in quarters. Loads get two registers at once where all
/// lanes n read what lanes n ^ 1 read, or all what lanes n ^ 2 read. (NVIDIA of
/// compute capability 7.x:
/// forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228;
/// measured matrix products fit it for shared memory, not for L1.)
uint32_t sharedWavefronts(const uint64_t *addresses, uint32_t mask,
                          uint32_t laneBytes, SharedAccess kind,
                          const AccessUnits &units = {});

/// How many addresses the lanes of `mask` have: a load from constant memory is
/// split into as many requests (CUDA C++ programming guide, device memory
/// accesses).
uint32_t distinctAddresses(const uint64_t *addresses, uint32_t mask);

/// A touched line: its number (address / line bytes) and its sectors.
struct LineRecord {
  uint64_t line;
  uint8_t sectors; ///< bit mask
};

/// The lines of an access to global or local memory, in the order of lanes.
struct LineAccess {
  /// An element crosses a line at most once, a local one has up to eight words.
  static constexpr uint32_t kMostLines = 256;

  uint32_t numLines = 0;
  uint32_t sectors = 0;    ///< of all lines
  uint32_t lookups = 0;    ///< lines of each phase, summed
  uint32_t wavefronts = 0; ///< passes of L1's banks, as those of shared memory
  std::array<LineRecord, kMostLines> lines;
};

/// What an access to global memory touches.
void coalesce(const uint64_t *addresses, uint32_t mask, uint32_t laneBytes,
              const AccessUnits &units, LineAccess &out);

/// What an access to local memory touches. It is interleaved by lane, so that
/// a word of all lanes is one line; `addresses` are offsets in a lane's frame,
/// `frame` is the number of the warp's first word.
void coalesceLocal(const uint64_t *addresses, uint32_t mask, uint32_t laneBytes,
                   uint64_t frame, const AccessUnits &units, LineAccess &out);

/// How the lanes of a warp go to the matrix of a `wmma.load` or `wmma.store`:
/// in runs of elements side by side, a leading dimension apart. Each access
/// covers a tile of the matrix. Where the elements that a lane holds in one
/// register are neighbours in memory, four lanes share a run, and the next four
/// go to the next run; else eight lanes share a run, each with one element.
/// (`ptxas` 13.0 for sm_75 to sm_90, by its code; sm_70 differs.)
struct FragmentShape {
  uint16_t runs = 0, runElements = 0;
  uint8_t elementBits = 0;
  uint8_t packed = 1; ///< elements of a lane that go together
  bool isAcross = false;
  uint8_t matricesAtOnce = 1; ///< of shared memory: 1, or as `ldmatrix` does
  bool isTransposed = false;  ///< by a `movmatrix` for each access

  uint32_t laneBytes() const {
    return uint32_t(elementBits) * (isAcross ? 1u : packed) / 8;
  }
  uint32_t accesses() const;
  /// Load or store instructions of a warp.
  uint32_t instructions(bool isShared) const {
    uint32_t atOnce = isShared ? matricesAtOnce : 1;
    return (accesses() + atOnce - 1) / atOnce;
  }
  /// Fills the 32 addresses of one access; `leading` is in elements.
  void addresses(uint64_t base, uint64_t leading, uint32_t access,
                 uint64_t *out) const;
};

} // namespace hwtune::exec

#endif // HWTUNE_SIMULATOR_EXEC_ACCESSCOST_H
