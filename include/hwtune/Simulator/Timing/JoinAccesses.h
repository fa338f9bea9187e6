//===- JoinAccesses.h - accesses that an assembler makes wider --*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `ptxas` joins loads, and stores, of neighbouring words of shared memory to
// accesses of 8 or 16 bytes (13.0 for sm_75 to sm_90, by its code): of one base
// register within a basic block, where it can prove that the address is a
// multiple of as many bytes, and nothing between them may write to shared
// memory or waits. It does not join accesses to global memory, whose pointers
// it knows nothing of, nor volatile ones, nor parts of words.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_TIMING_JOINACCESSES_H
#define HWTUNE_SIMULATOR_TIMING_JOINACCESSES_H

#include "hwtune/Simulator/Exec/Trace.h"

#include <optional>
#include <span>
#include <vector>

namespace hwtune::timing {

/// The instructions of a program with the joined accesses in place of those
/// that they stand for. One of them has the registers and the bytes of all; the
/// others do nothing any more.
struct JoinedInsts {
  std::vector<exec::InstMeta> insts; ///< by `InstMeta::id`
  std::vector<uint32_t> bytesApart;  ///< of a lane, before it was joined
  /// Accesses of PTX that an access stands for: 0 where another does, 1 where
  /// nothing was joined.
  std::vector<uint32_t> standsFor;
};

JoinedInsts joinAccesses(std::span<const exec::InstMeta> insts);
/// The same where no access is joined.
JoinedInsts withoutJoins(std::span<const exec::InstMeta> insts);

/// What is known of an address for certain: its remainder by a power of two,
/// 16 at most.
struct Residue {
  uint8_t bits = 0; ///< the power
  uint8_t value = 0;
  bool operator==(const Residue &) const = default;
};

/// By register of each function.
class Residues {
public:
  explicit Residues(std::span<const exec::InstMeta> insts);
  Residue of(uint32_t function, uint32_t reg) const {
    return known[function][reg].value_or(Residue());
  }

private:
  Residue result(const exec::InstMeta &inst) const;
  /// By function and register; none: never written.
  std::vector<std::vector<std::optional<Residue>>> known;
};

} // namespace hwtune::timing

#endif // HWTUNE_SIMULATOR_TIMING_JOINACCESSES_H
