//===- CheckUse.cpp - uses of values that nobody wrote --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Ops.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace hwtune::exec {

namespace {

/// What an instruction makes of values that nobody wrote: computations and
/// stores to local memory hand them on; a guard, a branch, an address, a store
/// to other memory or whatever else needs them is a use.
class UseCheck {
public:
  UseCheck(Warp *W, const std::byte *R, const Inst *I, uint32_t mask)
      : W(W), R(R), operation(I[1]), memory(I->d),
        meta(W->launch->program->metas[I->a]),
        values(W->block->check->unwritten[W->index]), mask(mask),
        on((predicate(I->b) ^ I->c) & mask) {}

  /// False after the report of a use.
  bool run() {
    if (meta.guarded && !unused(meta.reads[0], mask))
      return false;
    bool computes = meta.cls <= InstClass::Move && !meta.writes.empty();
    const UnwrittenValue *source = nullptr;
    for (uint32_t reg : operands()) {
      if (!computes && !isCopied(reg) && !unused(reg, on))
        return false;
      source = source ? source : find(reg);
    }
    uint32_t result = source ? inherited() & on : 0;
    UnwrittenValue given = source ? *source : UnwrittenValue();
    for (uint32_t reg : meta.writes)
      set(reg, result, given);
    std::erase_if(values, [](const UnwrittenValue &v) { return !v.lanes; });
    return true;
  }

private:
  uint32_t predicate(uint32_t slot) const {
    uint32_t word;
    memcpy(&word, R + slot, 4);
    return word;
  }
  std::span<const uint32_t> operands() const {
    return std::span(meta.reads).subspan(meta.guarded ? 1 : 0);
  }
  UnwrittenValue *find(uint32_t reg) {
    for (UnwrittenValue &v : values)
      if (v.frame == W->frame && v.reg == reg)
        return &v;
    return nullptr;
  }
  uint32_t lanesOf(uint32_t reg) {
    const UnwrittenValue *v = find(reg);
    return v ? v->lanes : 0;
  }

  /// Whether a store hands the value on: one to local memory does, and what was
  /// there may be copied byte by byte, with padding.
  bool isCopied(uint32_t reg) {
    bool isStored = std::find(meta.stored.begin(), meta.stored.end(), reg) !=
                    meta.stored.end();
    const UnwrittenValue *v = find(reg);
    if (!isStored || !v || memory == kNoMeta)
      return false;
    const MemDesc &D = W->mem[memory];
    uint64_t addresses[kLanes];
    ptx::Space space = laneAddresses(D, R, on, addresses);
    return space == ptx::Space::Local || (v->isLocal && D.elemBytes == 1);
  }

  bool unused(uint32_t reg, uint32_t lanes) {
    uint32_t used = lanesOf(reg) & lanes;
    if (!used)
      return true;
    const UnwrittenValue &v = *find(reg);
    fault(W, LaunchStatus::CheckFailed, DiagnosticKind::UninitializedRead,
          v.load, uint32_t(__builtin_ctz(used)), v.address, v.text);
    return false;
  }

  /// The lanes whose result depends on a value that nobody wrote.
  uint32_t inherited() {
    uint32_t all = 0;
    for (uint32_t reg : operands())
      all |= lanesOf(reg);
    if (!meta.choices)
      return all;
    uint32_t a = lanesOf((*meta.choices)[0]), b = lanesOf((*meta.choices)[1]);
    if (meta.name.starts_with("selp")) {
      uint32_t first = predicate(operation.c);
      return (a & first) | (b & ~first) | lanesOf(meta.reads.back());
    }
    // False and anything, true or anything are known.
    uint32_t known = meta.name.starts_with("and") ? 0 : kFullMask;
    uint32_t openA = a | (predicate(operation.a) ^ known),
             openB = b | (predicate(operation.b) ^ known);
    return (a & openB) | (b & openA);
  }

  void set(uint32_t reg, uint32_t lanes, const UnwrittenValue &source) {
    if (UnwrittenValue *v = find(reg)) {
      v->lanes = (v->lanes & ~on) | lanes;
    } else if (lanes) {
      values.push_back(source);
      values.back().reg = reg;
      values.back().lanes = lanes;
    }
  }

  Warp *W;
  const std::byte *R;
  const Inst &operation;
  uint32_t memory; ///< descriptor of its access, or kNoMeta
  const InstMeta &meta;
  std::vector<UnwrittenValue> &values;
  uint32_t mask, on;
};

/// d: memory descriptor or none, a: instruction, b: guard, c: its negation; the
/// second word: operands of the instruction's operation.
void checkUse(HWTUNE_HANDLER_ARGS) {
  if (HWTUNE_LIKELY(W->block->check->unwritten[W->index].empty()))
    HWTUNE_GO(I + 2);
  if (!UseCheck(W, R, I, mask).run())
    return;
  HWTUNE_GO(I + 2);
}

} // namespace

void addUseCheck(Registry &r);
void addUseCheck(Registry &r) {
  addEntry(r, "check.use", "", {&checkUse, &checkUse, ""});
}

} // namespace hwtune::exec
