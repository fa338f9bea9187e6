//===- Trace.h - decoded instructions and what warps did --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A timing model reads `InstMeta` once per instruction and is called once per
// executed warp instruction. Warps of a block run one after the other up to
// each barrier: a hook that wants them side by side records and replays.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_EXEC_TRACE_H
#define HWTUNE_SIMULATOR_EXEC_TRACE_H

#include "hwtune/Simulator/Exec/AccessCost.h"
#include "hwtune/Simulator/Exec/EventCounts.h"
#include "hwtune/Simulator/Ptx/Ast.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hwtune::exec {

/// One decoded PTX instruction.
struct InstMeta {
  uint32_t id = 0;       ///< index in `Program::instructions()`
  uint32_t function = 0; ///< index of the function
  uint32_t line = 0;     ///< of the PTX
  InstClass cls = InstClass::Other;
  std::string name; ///< "fma.rn.f32"
  /// Virtual registers of the function (dense ids of the AST), predicates and
  /// the guard included.
  std::vector<uint32_t> writes, reads;
  std::optional<int64_t> immediate; ///< the last one of its operands
  bool guarded = false;
  bool isBranch = false;
  bool isBlockStart = false; ///< first of a basic block
  // --- memory ---
  bool isMemory = false;               ///< `TraceEvent::addresses` is filled
  ptx::Space space = ptx::Space::None; ///< None: generic
  uint32_t bytesPerLane = 0;           ///< vector elements included
  int64_t offset = 0;                  ///< added to the base register
  bool isLoad = false, isStore = false, isAtomic = false, isAsync = false;
  /// Of wmma.load and wmma.store: how they go to memory.
  std::optional<FragmentShape> fragment;
  uint32_t accesses = 1; ///< load or store instructions of hardware
  /// Of `st`: the registers it stores by element, or `ptx::kNone`.
  std::vector<uint32_t> stored;
  /// cp.async.commit_group, or wait_all, which is that and wait_group 0.
  bool commitsGroup = false;
  std::optional<uint32_t> groupsLeft; ///< in flight by cp.async.wait_group
  bool bypassesL1 = false;            ///< .cg, .cv, .volatile, .relaxed, ...
  bool isReadOnly = false;            ///< .nc
  bool readsSpecial = false;          ///< %tid, %clock, ...
  bool readsLane = false; ///< of these, one that differs by lane: %tid, ...
  /// The operands of what may ignore one of them (`selp`, `and.pred`,
  /// `or.pred`): registers, or `ptx::kNone`.
  std::optional<std::array<uint32_t, 2>> choices;
  /// Of an access to local memory that an assembler keeps in registers: among
  /// how many places it selects. 0: it goes to memory.
  uint32_t registerSlots = 0;
};

/// Whether accesses to these state spaces can meet; a generic one with any.
inline bool mayAlias(ptx::Space a, ptx::Space b) {
  return a == b || a == ptx::Space::None || b == ptx::Space::None;
}

struct TraceEvent {
  uint64_t block = 0;  ///< linear index in the grid
  uint32_t warp = 0;   ///< in the block
  uint32_t inst = 0;   ///< `InstMeta::id`
  uint32_t mask = 0;   ///< lanes at this instruction
  uint32_t predOn = 0; ///< those of `mask` whose guard holds
  /// 32 entries, valid for lanes of `predOn`; null for non-memory
  /// instructions. Shared and local addresses are offsets in their window.
  const uint64_t *addresses = nullptr;
  ptx::Space space = ptx::Space::None; ///< of this access, generic resolved
  uint64_t leading = 0; ///< of a fragment: elements from run to run
};

/// Calls `f` with 32 addresses and the bytes of a lane for each access that
/// `event` makes to memory.
template <typename F>
void forEachAccess(const InstMeta &inst, const TraceEvent &event, F f) {
  if (!inst.fragment)
    return f(event.addresses, inst.bytesPerLane);
  uint64_t addresses[32];
  for (uint32_t i = 0; i < inst.fragment->accesses(); ++i) {
    inst.fragment->addresses(event.addresses[0], event.leading, i, addresses);
    f(static_cast<const uint64_t *>(addresses), inst.fragment->laneBytes());
  }
}

class TraceHook {
public:
  virtual ~TraceHook() = default;
  /// Whether `instruction` is called for memory accesses alone; asked once a
  /// launch.
  virtual bool accessesOnly() const { return false; }
  /// Whether the rest of this block need not run. Asked now and then: a warp
  /// runs on to its next barrier, or some thousand instructions.
  virtual bool hasEnough(uint64_t /*block*/) const { return false; }
  virtual void blockStart(uint64_t /*block*/) {}
  virtual void blockEnd(uint64_t /*block*/) {}
  /// Before the instruction executes.
  virtual void instruction(const TraceEvent &event) = 0;
  /// All warps of the block (or the `threads` of a partial one) met.
  virtual void barrier(uint64_t /*block*/, uint32_t /*id*/,
                       uint32_t /*threads*/) {}
};

} // namespace hwtune::exec

#endif // HWTUNE_SIMULATOR_EXEC_TRACE_H
