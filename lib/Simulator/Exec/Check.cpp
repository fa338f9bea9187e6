//===- Check.cpp - uninitialised reads and shared-memory races ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds and alignment are checked by every launch. This adds shadows: which
// bytes were ever written, and for each byte of shared memory who touched it
// when. "When" is a vector clock of the warps, which barriers join; so partial
// and named barriers order what they order and no more. Atomics, and accesses
// that are volatile, relaxed, acquire or release, order all that the warp did
// before with all that the next such access's warp does after; a store of what
// is there already counts as none. That may miss a race, but reports none that
// is not there. A load is uninitialised if no byte of one of its elements was
// written, as copies of structures read padding; it is reported when its value
// is used, as compilers load early what they may then not select. Unoptimised
// code copies whole frames, so local memory has no shadow.
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "Ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace hwtune::exec {

void endCounting(Launch &launch);

/// Lanes of a register that were loaded from memory that nobody wrote.
struct UnwrittenValue {
  const Frame *frame = nullptr;
  uint32_t reg = 0; ///< of the function, as PTX numbers them
  uint32_t lanes = 0;
  const Inst *load = nullptr;
  uint64_t address = 0; ///< of the lane that came first
  std::string text;
};

/// The shadows of one block.
struct CheckState {
  using Clock = std::vector<uint32_t>; ///< by warp
  size_t warps = 0;
  /// While all accesses are of whole words, only the first byte of each word is
  /// kept; the first smaller access spreads it over the others.
  bool bytewise = false;
  std::vector<uint8_t> written;    ///< by byte of shared memory
  std::vector<uint32_t> writeTime; ///< of the writer's own clock, 0: never
  std::vector<uint8_t> writer;
  std::vector<uint32_t> readTime; ///< by byte and warp
  std::vector<Clock> clocks;
  std::array<Clock, kBarriers + 1> barriers;
  Clock atomics;
  std::vector<std::vector<UnwrittenValue>> unwritten; ///< by warp

  void spread() {
    bytewise = true;
    for (size_t b = 0; b < written.size(); ++b) {
      size_t from = b & ~size_t(3);
      written[b] = written[from];
      writeTime[b] = writeTime[from];
      writer[b] = writer[from];
      for (size_t w = 0; w < warps; ++w)
        readTime[b * warps + w] = readTime[from * warps + w];
    }
  }

  static void join(Clock &to, const Clock &from) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i)
      to[i] = std::max(to[i], from[i]);
  }
};

void beginModes(Launch &L) {
  if (L.mode & ModeCount)
    L.memos.resize(L.mem.size());
}

void startModes(Block &block) {
  const Launch &L = *block.launch;
  if (!(L.mode & ModeCheck))
    return;
  auto c = std::make_shared<CheckState>();
  c->warps = block.warps.size();
  size_t bytes = size_t(L.sharedBytes);
  c->written.resize(bytes);
  if (L.program->readsReservedShared) // given to the block as zeros
    std::fill(c->written.begin() + long(L.reservedShared), c->written.end(), 1);
  c->writeTime.resize(bytes);
  c->writer.resize(bytes);
  c->readTime.resize(bytes * c->warps);
  c->unwritten.resize(c->warps);
  c->clocks.assign(c->warps, CheckState::Clock(c->warps, 0));
  for (size_t w = 0; w < c->warps; ++w)
    c->clocks[w][w] = 1;
  block.check = std::move(c);
}

void endModes(Launch &L) {
  L.result.warpInstructions = L.sliced;
  if (L.mode & ModeCount)
    endCounting(L);
}

// --- what orders warps ------------------------------------------------------

void checkArrive(Block &block, uint32_t barrier, uint32_t warp) {
  if (CheckState *c = block.check.get()) {
    CheckState::join(c->barriers[barrier], c->clocks[warp]);
    ++c->clocks[warp][warp];
  }
}
void checkRelease(Block &block, uint32_t barrier, uint32_t warp) {
  if (CheckState *c = block.check.get())
    CheckState::join(c->clocks[warp], c->barriers[barrier]);
}
void checkBarrierEnd(Block &block, uint32_t barrier) {
  if (CheckState *c = block.check.get())
    c->barriers[barrier].clear();
}

void checkAsyncLanded(Warp *W, const std::byte *to, uint32_t bytes) {
  if (CheckState *c = W->block->check.get())
    memset(c->written.data() + (to - W->shared), 1, bytes);
}

// --- before an access -------------------------------------------------------

namespace {

struct Access {
  Warp *W;
  const Inst *I;
  const std::byte *R;
  const MemDesc &D;
  uint32_t mask;
  uint64_t addresses[kLanes];

  bool report(DiagnosticKind kind, uint32_t lane, uint64_t address,
              std::string text) {
    fault(W, LaunchStatus::CheckFailed, kind, I, lane, address,
          std::move(text));
    return false;
  }
  bool shared();
  bool global();

private:
  bool orders() const { return D.isAtomic || D.isStrong; }
  void acquire(CheckState &c) const;
  void release(CheckState &c) const;
  template <typename F>
  bool initialised(uint32_t lane, const char *space, F written);
  bool unwritten(uint32_t lane, size_t element, uint64_t at, std::string text);
  bool sharedBytes(CheckState &c, uint32_t lane, uint64_t step);
  bool race(CheckState &c, uint64_t byte, uint32_t lane);
  bool changes(uint32_t lane, uint64_t offset, uint64_t bytes) const;
  bool conflict();
};

std::string threadName(const Block &b, uint32_t warp) {
  return fmt::format("warp {} of the block", warp) +
         (b.warps.size() > warp ? "" : "?");
}

/// An earlier access of another warp that nothing orders before this one.
bool Access::race(CheckState &c, uint64_t byte, uint32_t lane) {
  uint32_t me = W->index;
  const auto &clock = c.clocks[me];
  auto describe = [&](const char *earlier, uint32_t other) {
    return report(DiagnosticKind::SharedRace, lane, addresses[lane],
                  fmt::format("{} of shared byte {:#x} races with a {} by {}: "
                              "no barrier lies between",
                              D.isStore ? "store" : "load", byte, earlier,
                              threadName(*W->block, other)));
  };
  uint32_t w = c.writer[byte];
  if (c.writeTime[byte] && w != me && c.writeTime[byte] > clock[w])
    return describe("store", w);
  if (D.isStore)
    for (uint32_t r = 0; r < c.warps; ++r)
      if (r != me && c.readTime[byte * c.warps + r] > clock[r])
        return describe("load", r);
  return true;
}

/// Two lanes of one store that give one byte different values.
bool Access::conflict() {
  if (!D.isStore || D.isAsync || D.elems * D.elemBytes != D.laneBytes)
    return true;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    for (uint32_t rest = left & (left - 1); rest; rest &= rest - 1) {
      uint32_t other = uint32_t(__builtin_ctz(rest));
      if (addresses[lane] != addresses[other])
        continue;
      uint32_t step = D.elemBytes == 8 ? 8 : 4;
      for (uint32_t n = 0; n < D.elems && D.elemBytes <= 8; ++n)
        if (memcmp(R + D.slots[n] + lane * step, R + D.slots[n] + other * step,
                   D.elemBytes))
          return report(DiagnosticKind::SharedRace, other, addresses[other],
                        fmt::format("two threads of the warp store different "
                                    "values to shared address {:#x}",
                                    addresses[other]));
    }
  }
  return true;
}

void Access::acquire(CheckState &c) const {
  if (orders())
    CheckState::join(c.clocks[W->index], c.atomics);
}
void Access::release(CheckState &c) const {
  if (!orders())
    return;
  CheckState::join(c.atomics, c.clocks[W->index]);
  ++c.clocks[W->index][W->index];
}

/// Whether a store gives the bytes from `offset` of its lane on other values
/// than they have; true where the values are not at hand.
bool Access::changes(uint32_t lane, uint64_t offset, uint64_t bytes) const {
  if (D.isAsync || D.halves || D.elems * D.elemBytes != D.laneBytes)
    return true;
  const std::byte *there = W->shared + addresses[lane];
  uint32_t step = D.elemBytes == 8 ? 8 : 4;
  for (uint64_t b = offset; b < offset + bytes; ++b)
    if (there[b] != R[D.slots[b / D.elemBytes] + lane * step + b % D.elemBytes])
      return true;
  return false;
}

/// Notes that a register gets what nobody wrote; false if that is a fault, as
/// where it is not known which register it is.
bool Access::unwritten(uint32_t lane, size_t element, uint64_t at,
                       std::string text) {
  const InstMeta &meta = W->launch->program->metas[D.meta];
  bool isPlain = meta.isLoad && !D.halves && meta.name.starts_with("ld") &&
                 meta.writes.size() == D.elems &&
                 D.elems * D.elemBytes == D.laneBytes;
  if (!isPlain)
    return report(DiagnosticKind::UninitializedRead, lane, addresses[lane],
                  std::move(text));
  auto &values = W->block->check->unwritten[W->index];
  uint32_t reg = meta.writes[element];
  for (UnwrittenValue &v : values)
    if (v.frame == W->frame && v.reg == reg) {
      v.lanes |= 1u << lane;
      return true;
    }
  values.push_back({W->frame, reg, 1u << lane, I, at, std::move(text)});
  return true;
}

/// Looks for elements of one lane's read of which `written` holds for no byte,
/// given by its distance from the lane's address.
template <typename F>
bool Access::initialised(uint32_t lane, const char *space, F written) {
  if (D.isStore || D.isInit)
    return true;
  uint64_t element =
      D.elems * D.elemBytes == D.laneBytes ? D.elemBytes : D.laneBytes;
  for (uint64_t from = 0; from < D.laneBytes; from += element) {
    bool any = false;
    for (uint64_t b = from; b < from + element && !any; ++b)
      any = written(b);
    uint64_t at = addresses[lane] + from;
    if (!any &&
        !unwritten(lane, from / element, at,
                   fmt::format("{} of {} {:#x}, which was never written",
                               D.isAtomic ? "atomic" : "load", space, at)))
      return false;
  }
  return true;
}

/// One lane's access, byte by byte or word by word.
bool Access::sharedBytes(CheckState &c, uint32_t lane, uint64_t step) {
  uint32_t me = W->index;
  uint64_t at = addresses[lane];
  if (!initialised(lane, "shared byte", [&](uint64_t b) {
        return c.written[(at + b) / step * step];
      }))
    return false;
  for (uint64_t b = at; b < at + D.laneBytes; b += step) {
    if (D.isStore && c.written[b] && !changes(lane, b - at, step))
      continue;
    if (!D.isAtomic && !race(c, b, lane))
      return false;
    if (D.isStore) {
      c.written[b] = !D.isAsync; // an asynchronous copy lands at its wait
      c.writeTime[b] = c.clocks[me][me];
      c.writer[b] = uint8_t(me);
    } else if (D.isInit) {
      c.written[b] = 1;
    } else if (!D.isAtomic) {
      c.readTime[b * c.warps + me] = c.clocks[me][me];
    }
  }
  return true;
}

bool Access::shared() {
  CheckState &c = *W->block->check;
  if (D.laneBytes % 4 && !c.bytewise)
    c.spread();
  acquire(c);
  if (!D.isAtomic && D.elemBytes <= 8 && !conflict())
    return false;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t at = addresses[lane];
    if (at > c.written.size() || D.laneBytes > c.written.size() - at)
      continue; // the access itself reports it
    if (!sharedBytes(c, lane, c.bytewise ? 1 : 4))
      return false;
  }
  release(c);
  return true;
}

bool Access::global() {
  // A lock in global memory orders accesses to shared memory.
  acquire(*W->block->check);
  release(*W->block->check);
  Allocation *a = nullptr;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t at = addresses[lane];
    if (!a || at - a->base >= a->bytes)
      a = W->launch->memory->find(at);
    if (!a || a->written.empty() || D.laneBytes > a->bytes - (at - a->base))
      continue;
    uint64_t first = at - a->base;
    if (!initialised(lane, "global address", [&](uint64_t b) {
          return (a->written[(first + b) / 64] >> ((first + b) % 64)) & 1;
        }))
      return false;
    if (D.isStore || D.isAtomic)
      for (uint64_t b = first; b < first + D.laneBytes; ++b)
        a->written[b / 64] |= 1ull << (b % 64);
  }
  return true;
}

/// c: memory descriptor.
void checkMemory(HWTUNE_HANDLER_ARGS) {
  const MemDesc *list[] = {&W->mem[I->c], nullptr};
  if (list[0]->partner != ~0u)
    list[1] = &W->mem[list[0]->partner];
  for (const MemDesc *D : list) {
    if (!D)
      continue;
    Access a{W, I, R, *D, mask & D->lanes, {}};
    ptx::Space space = laneAddresses(*D, R, a.mask, a.addresses);
    bool ok = space == ptx::Space::Shared   ? a.shared()
              : space == ptx::Space::Global ? a.global()
                                            : true;
    if (!ok)
      return;
  }
  HWTUNE_GO(I + 1);
}

// --- before an instruction --------------------------------------------------

/// What an instruction makes of values that nobody wrote: computations hand
/// them on, a guard, a branch, an access or whatever else needs them is a use.
class UseCheck {
public:
  UseCheck(Warp *W, const std::byte *R, const Inst *I, uint32_t mask)
      : W(W), R(R), operation(I[1]), meta(W->launch->program->metas[I->a]),
        values(W->block->check->unwritten[W->index]), mask(mask),
        on((predicate(I->b) ^ I->c) & mask) {}

  /// False after the report of a use.
  bool run() {
    if (meta.guarded && !unused(meta.reads[0], mask))
      return false;
    bool computes = meta.cls <= InstClass::Move && !meta.writes.empty();
    const UnwrittenValue *source = nullptr;
    for (uint32_t reg : operands()) {
      if (!computes && !unused(reg, on))
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
  const InstMeta &meta;
  std::vector<UnwrittenValue> &values;
  uint32_t mask, on;
};

/// a: instruction, b: guard, c: its negation; the second word: operands of the
/// instruction's operation.
void checkUse(HWTUNE_HANDLER_ARGS) {
  if (HWTUNE_LIKELY(W->block->check->unwritten[W->index].empty()))
    HWTUNE_GO(I + 2);
  if (!UseCheck(W, R, I, mask).run())
    return;
  HWTUNE_GO(I + 2);
}

} // namespace

void addCheckOps(Registry &r);
void addCheckOps(Registry &r) {
  addEntry(r, "check.memory", "", {&checkMemory, &checkMemory, ""});
  addEntry(r, "check.use", "", {&checkUse, &checkUse, ""});
}

} // namespace hwtune::exec
