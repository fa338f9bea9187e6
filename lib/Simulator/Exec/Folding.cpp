//===- Folding.cpp - what an assembler does away with ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace hwtune::exec {

static bool isCopy(const InstMeta &inst) {
  std::string_view name = inst.name;
  return name.starts_with("mov.") || name.starts_with("cvta") ||
         (inst.cls == InstClass::Convert &&
          name.find(".f") == std::string_view::npos &&
          name.find("bf16") == std::string_view::npos);
}

static bool isOffset(const InstMeta &inst) {
  std::string_view name = inst.name;
  return name.starts_with("add.s") || name.starts_with("add.u") ||
         name.starts_with("sub.s") || name.starts_with("or.b");
}

/// The register that holds the address of a memory access, if one does: it is
/// noted after the guard and before what is stored.
static uint32_t addressOf(const InstMeta &inst) {
  size_t at = inst.guarded ? 1 : 0;
  return at < inst.reads.size() ? inst.reads[at] : ptx::kNone;
}

bool Folding::vanishes(const InstMeta &inst) {
  return inst.reads.size() == 1 && inst.writes.size() == 1 && !inst.guarded &&
         (isCopy(inst) || isOffset(inst));
}

Folding::Folding(const FlowGraph &flow)
    : flow(flow), parent(flow.words.size()), defs(flow.words.size(), 0),
      weight(flow.words.begin(), flow.words.end()),
      constant(flow.words.size(), false) {
  std::iota(parent.begin(), parent.end(), 0u);
  for (const FlowBlock &block : flow.blocks)
    for (const InstMeta &inst : block.insts)
      for (uint32_t reg : inst.writes)
        ++defs[reg];
  halveSharedAddresses();
  // Twice: a copy may stand before what it copies.
  for (int round = 0; round < 2; ++round)
    for (const FlowBlock &block : flow.blocks)
      for (const InstMeta &inst : block.insts)
        fold(inst);
  for (size_t reg = 0; reg < parent.size(); ++reg)
    if (constant[reg])
      weight[reg] = 0;
}

void Folding::fold(const InstMeta &inst) {
  if (inst.writes.size() != 1 || inst.guarded)
    return;
  uint32_t to = inst.writes[0];
  bool isImmediate =
      inst.name.starts_with("mov.") && inst.reads.empty() && !inst.readsSpecial;
  if (inst.cls == InstClass::ParamLoad ||
      (inst.cls == InstClass::ConstLoad && inst.reads.empty()) || isImmediate) {
    constant[to] = defs[to] == 1;
    return;
  }
  if (!vanishes(inst))
    return;
  uint32_t from = inst.reads[0];
  if (constant[from] && defs[to] == 1) {
    constant[to] = true;
  } else if (!constant[from] && of(from) != of(to) &&
             (isCopy(inst) || defs[to] == 1)) {
    uint32_t a = of(from), b = of(to);
    weight[a] = std::max(weight[a], weight[b]);
    parent[b] = a;
  }
}

/// Whether a high word that is read was not known to be.
bool Folding::markHighWords(const InstMeta &inst,
                            std::vector<bool> &high) const {
  bool isShared = inst.isMemory && inst.space == ptx::Space::Shared;
  bool passes = isCopy(inst) || inst.cls == InstClass::Integer;
  bool needed =
      !passes ||
      std::any_of(inst.writes.begin(), inst.writes.end(), [&](uint32_t reg) {
        return flow.words[reg] == 2 && high[reg];
      });
  bool changed = false;
  for (uint32_t reg : inst.reads)
    if (needed && !high[reg] && !(isShared && reg == addressOf(inst)))
      high[reg] = changed = true;
  return changed;
}

/// An address in shared memory is one word, whatever PTX keeps it in.
void Folding::halveSharedAddresses() {
  std::vector<bool> high(flow.words.size(), false);
  bool changed = true;
  while (changed) {
    changed = false;
    for (const FlowBlock &block : flow.blocks)
      for (size_t i = block.insts.size(); i-- > 0;)
        changed |= markHighWords(block.insts[i], high);
  }
  for (size_t reg = 0; reg < weight.size(); ++reg)
    if (weight[reg] == 2 && !high[reg])
      weight[reg] = 1;
}

namespace {
constexpr uint32_t kMostSlots = 8;       ///< of the widest accesses
constexpr uint32_t kMostNarrowSlots = 4; ///< of narrower ones
constexpr uint32_t kWideAccess = 16;     ///< bytes

bool isLocalAccess(const InstMeta &inst) {
  return inst.isMemory && inst.space == ptx::Space::Local;
}

bool escapes(const InstMeta &inst) {
  return inst.name.starts_with("cvta.local") || inst.name.starts_with("call");
}
} // namespace

bool promoteLocalArrays(const FlowGraph &flow, const Folding &folding,
                        uint32_t localBytes, std::span<InstMeta> insts) {
  constexpr uint32_t kMostRegisters = 255;
  if (localBytes == 0 || localBytes > 4 * kMostRegisters)
    return false;
  auto slots = [&](const InstMeta &inst) {
    uint32_t address = addressOf(inst);
    bool indexed = address != ptx::kNone && !folding.isConstant(address);
    return indexed ? localBytes / std::max(4u, inst.bytesPerLane) : 1;
  };
  for (const FlowBlock &block : flow.blocks)
    for (const InstMeta &inst : block.insts) {
      uint32_t most =
          inst.bytesPerLane >= kWideAccess ? kMostSlots : kMostNarrowSlots;
      if (escapes(inst) || (isLocalAccess(inst) && slots(inst) > most))
        return false;
    }
  for (InstMeta &inst : insts)
    if (isLocalAccess(inst))
      inst.registerSlots = std::max(1u, slots(inst));
  return true;
}

} // namespace hwtune::exec
