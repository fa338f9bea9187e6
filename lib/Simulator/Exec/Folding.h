//===- Folding.h - what an assembler does away with -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before registers are allocated, copies take over the register of their
// source, parameters and constants become operands, `base + constant` becomes
// an address's offset, and small arrays of a thread's own move from local
// memory into registers.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_FOLDING_H
#define HWTUNE_LIB_SIMULATOR_EXEC_FOLDING_H

#include "hwtune/Simulator/Exec/Trace.h"

#include <span>
#include <vector>

namespace hwtune::exec {

/// A basic block of a function.
struct FlowBlock {
  std::span<const InstMeta> insts;
  std::vector<uint32_t> successors;
};

struct FlowGraph {
  std::vector<FlowBlock> blocks;
  /// 32-bit words of each PTX register; 0 for predicates.
  std::vector<uint8_t> words;
};

class Folding {
public:
  explicit Folding(const FlowGraph &flow);

  /// The register that stands for all those folded into one.
  uint32_t of(uint32_t reg) const {
    while (parent[reg] != reg)
      reg = parent[reg];
    return reg;
  }
  /// Words that a representative occupies; 0: none.
  unsigned words(uint32_t representative) const {
    return weight[representative];
  }
  /// Whether the address of a local access is known when compiling.
  bool isConstant(uint32_t reg) const { return constant[reg]; }
  /// Whether the instruction is gone when its registers are folded into one.
  static bool vanishes(const InstMeta &inst);

private:
  void fold(const InstMeta &inst);
  void halveSharedAddresses();
  bool markHighWords(const InstMeta &inst, std::vector<bool> &high) const;

  const FlowGraph &flow;
  std::vector<uint32_t> parent, defs;
  std::vector<unsigned> weight;
  std::vector<bool> constant;
};

/// Whether the arrays of a function (`localBytes` in all) live in registers;
/// then sets `InstMeta::registerSlots` of the accesses among `insts`. An
/// access at an index that is known when compiling is a register; another one
/// selects among all places of its width. Counted in what `ptxas` 13.0 leaves
/// on the stack of kernels that index an array of 2 to 32 words.
bool promoteLocalArrays(const FlowGraph &flow, const Folding &folding,
                        uint32_t localBytes, std::span<InstMeta> insts);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_FOLDING_H
