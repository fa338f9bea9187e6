//===- CheckAccess.cpp - uninitialised reads and shared-memory races ------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a checked launch does before an access. A store of what is there already
// counts as none, and so no race with it is found; none is reported that is not
// there. A load is uninitialised if no byte of one of its elements was written,
// as copies of structures read padding; it is reported when its value is used
// (CheckUse.cpp), as compilers load early what they may then not select. Copies
// of whole frames read what no statement gave a value: a value that is stored
// to local memory leaves it as unwritten as it is itself.
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Ops.h"

#include <fmt/format.h>

#include <cstring>

namespace hwtune::exec {

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
  bool local();

private:
  bool orders() const { return D.isAtomic || D.isStrong; }
  /// The elements fill the access: what is not so comes in several registers
  /// of a lane, or from other lanes.
  bool isPlain() const { return D.elems * D.elemBytes == D.laneBytes; }
  void acquire(CheckState &c) const {
    if (orders())
      c.learn(W->index, c.atomics);
  }
  void release(CheckState &c) const {
    if (orders())
      c.tell(c.atomics, W->index);
  }
  bool isClean(CheckState &c, uint32_t lane);
  template <typename F>
  bool initialised(uint32_t lane, ptx::Space space, F written);
  bool unwritten(uint32_t lane, size_t element, uint64_t at, ptx::Space space);
  bool sharedUnits(CheckState &c, uint32_t lane);
  bool race(CheckState &c, size_t unit, uint32_t lane);
  bool changes(uint32_t lane, uint64_t offset, uint64_t bytes) const;
  bool storeAlike(uint32_t a, uint32_t b) const;
  bool conflict();
  bool globalLane(Allocation &a, uint32_t lane);
  bool storedUnwritten(uint32_t lane, size_t element) const;
};

std::string threadName(const Block &b, uint32_t warp) {
  return fmt::format("warp {} of the block", warp) +
         (b.warps.size() > warp ? "" : "?");
}

/// An earlier access of another warp that nothing orders before this one.
bool Access::race(CheckState &c, size_t unit, uint32_t lane) {
  uint32_t me = W->index;
  const auto &clock = c.clocks[me];
  auto describe = [&](const char *earlier, uint32_t other) {
    return report(DiagnosticKind::SharedRace, lane, addresses[lane],
                  fmt::format("{} of shared byte {:#x} races with a {} by {}: "
                              "no barrier lies between",
                              D.isStore ? "store" : "load", unit << c.unitBits,
                              earlier, threadName(*W->block, other)));
  };
  uint32_t w = c.writer[unit];
  if (c.writeTime[unit] && w != me && c.writeTime[unit] > clock[w])
    return describe("store", w);
  if (D.isStore && c.lastRead[unit] > c.known[me])
    for (uint32_t r = 0; r < c.warps; ++r)
      if (r != me && c.readTime[r * c.units() + unit] > clock[r])
        return describe("load", r);
  return true;
}

bool differ(const std::byte *a, const std::byte *b, uint64_t bytes) {
  if (bytes != 4)
    return memcmp(a, b, bytes) != 0;
  uint32_t x, y;
  memcpy(&x, a, 4), memcpy(&y, b, 4);
  return x != y;
}

/// Whether two lanes store the same values.
bool Access::storeAlike(uint32_t a, uint32_t b) const {
  uint32_t step = D.elemBytes == 8 ? 8 : 4;
  for (uint32_t n = 0; n < D.elems; ++n)
    if (differ(R + D.slots[n] + a * step, R + D.slots[n] + b * step,
               D.elemBytes))
      return false;
  return true;
}

/// Two lanes of one store that give one address different values.
bool Access::conflict() {
  if (!D.isStore || D.isAsync || !isPlain())
    return true;
  // The first lane at each address, by a hash of it, from 1 on.
  constexpr uint32_t kPlaces = 2 * kLanes;
  uint8_t firsts[kPlaces] = {};
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t at = addresses[lane];
    uint32_t place = uint32_t(at * 0x9e3779b97f4a7c15 >> 58); // golden ratio
    while (firsts[place] && addresses[firsts[place] - 1] != at)
      place = (place + 1) % kPlaces;
    if (!firsts[place])
      firsts[place] = uint8_t(lane + 1);
    else if (!storeAlike(firsts[place] - 1, lane))
      return report(DiagnosticKind::SharedRace, lane, at,
                    fmt::format("two threads of the warp store different "
                                "values to shared address {:#x}",
                                at));
  }
  return true;
}

/// Whether a store gives the bytes from `offset` of its lane on other values
/// than they have; true where the values are not at hand.
bool Access::changes(uint32_t lane, uint64_t offset, uint64_t bytes) const {
  if (D.isAsync || D.halves || !isPlain())
    return true;
  const std::byte *there = W->shared + addresses[lane];
  uint32_t step = D.elemBytes == 8 ? 8 : 4;
  uint64_t piece = std::min<uint64_t>(bytes, D.elemBytes);
  for (uint64_t b = offset; b < offset + bytes; b += piece) {
    uint32_t element = uint32_t(b) / D.elemBytes,
             in = uint32_t(b) % D.elemBytes;
    if (differ(there + b, R + D.slots[element] + lane * step + in, piece))
      return true;
  }
  return false;
}

/// Notes that a register gets what nobody wrote; false if that is a fault, as
/// where it is not known which register it is.
bool Access::unwritten(uint32_t lane, size_t element, uint64_t at,
                       ptx::Space space) {
  const InstMeta &meta = W->launch->program->metas[D.meta];
  bool isKnown = meta.isLoad && !D.halves && meta.name.starts_with("ld") &&
                 meta.writes.size() == D.elems && isPlain();
  auto &values = W->block->check->unwritten[W->index];
  uint32_t reg = isKnown ? meta.writes[element] : 0;
  if (isKnown)
    for (UnwrittenValue &v : values)
      if (v.frame == W->frame && v.reg == reg) {
        v.lanes |= 1u << lane;
        return true;
      }
  const char *where = space == ptx::Space::Shared  ? "shared byte"
                      : space == ptx::Space::Local ? "local byte"
                                                   : "global address";
  std::string text = fmt::format("{} of {} {:#x}, which was never written",
                                 D.isAtomic ? "atomic" : "load", where, at);
  if (!isKnown)
    return report(DiagnosticKind::UninitializedRead, lane, addresses[lane],
                  std::move(text));
  values.push_back({W->frame, reg, 1u << lane, I, at,
                    space == ptx::Space::Local, std::move(text)});
  return true;
}

/// Looks for elements of one lane's read of which `written` holds for no byte,
/// given by its distance from the lane's address.
template <typename F>
bool Access::initialised(uint32_t lane, ptx::Space space, F written) {
  if (D.isStore || D.isInit)
    return true;
  uint64_t element = isPlain() ? D.elemBytes : D.laneBytes;
  for (uint64_t from = 0; from < D.laneBytes; from += element) {
    bool any = false;
    for (uint64_t b = from; b < from + element && !any; ++b)
      any = written(b);
    if (!any && !unwritten(lane, from / element, addresses[lane] + from, space))
      return false;
  }
  return true;
}

/// Whether a load of the `Count` units from `first` is of what was written, and
/// of what other warps wrote before; it is then noted.
template <size_t Count>
bool cleanLoad(CheckState &c, uint32_t me, size_t first) {
  uint32_t known = c.known[me], now = c.now(me);
  const uint8_t *written = &c.written[first], *writer = &c.writer[first];
  uint32_t *time = &c.writeTime[first], *last = &c.lastRead[first],
           *read = &c.readTime[me * c.units() + first];
  bool clean = true;
  for (size_t u = 0; u < Count; ++u)
    clean &= (written[u] != 0) & ((time[u] <= known) | (writer[u] == me));
  if (clean)
    for (size_t u = 0; u < Count; ++u) {
      read[u] = now;
      last[u] = std::max(last[u], now);
    }
  return clean;
}

/// The same of a lane's load, where it is of words.
bool Access::isClean(CheckState &c, uint32_t lane) {
  uint64_t at = addresses[lane];
  if (!c.unitBits || at % 4)
    return false;
  switch (D.laneBytes) {
  case 4:
    return cleanLoad<1>(c, W->index, at / 4);
  case 8:
    return cleanLoad<2>(c, W->index, at / 4);
  case 16:
    return cleanLoad<4>(c, W->index, at / 4);
  default:
    return false;
  }
}

/// One lane's access, byte by byte or word by word.
bool Access::sharedUnits(CheckState &c, uint32_t lane) {
  uint32_t me = W->index;
  uint64_t at = addresses[lane];
  if (!initialised(lane, ptx::Space::Shared, [&](uint64_t b) {
        return c.written[(at + b) >> c.unitBits];
      }))
    return false;
  for (uint64_t b = 0; b < D.laneBytes; b += c.unit()) {
    size_t u = (at + b) >> c.unitBits;
    if (D.isStore && c.written[u] && !changes(lane, b, c.unit()))
      continue;
    if (!D.isAtomic && !race(c, u, lane))
      return false;
    if (D.isStore) {
      c.written[u] = !D.isAsync; // an asynchronous copy lands at its wait
      c.writeTime[u] = c.now(me);
      c.writer[u] = uint8_t(me);
    } else if (D.isInit) {
      c.written[u] = 1;
    } else if (!D.isAtomic) {
      c.readTime[me * c.units() + u] = c.now(me);
      c.lastRead[u] = std::max(c.lastRead[u], c.now(me));
    }
  }
  return true;
}

bool Access::shared() {
  CheckState &c = *W->block->check;
  if (D.laneBytes % 4 && c.unitBits)
    c.useBytes();
  acquire(c);
  if (!D.isAtomic && D.elemBytes <= 8 && !conflict())
    return false;
  bool isLoad = !D.isStore && !D.isInit && !D.isAtomic;
  auto size = uint64_t(W->sharedBytes);
  uint32_t clean = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t at = addresses[lane];
    if (at > size || D.laneBytes > size - at)
      continue; // the access itself reports it
    // Often neighbours, or the halves of the warp, read the same.
    auto isLike = [&](uint32_t distance) {
      return lane >= distance && (clean >> (lane - distance)) & 1 &&
             addresses[lane - distance] == at;
    };
    if (isLoad && (isLike(1) || isLike(16) || isClean(c, lane)))
      clean |= 1u << lane;
    else if (!sharedUnits(c, lane))
      return false;
  }
  release(c);
  return true;
}

bool Access::globalLane(Allocation &a, uint32_t lane) {
  uint64_t first = addresses[lane] - a.base;
  uint64_t &word = a.written[first / 64];
  if (first % 64 + D.laneBytes <= 64) { // inside the word
    uint64_t bits = ((uint64_t(1) << D.laneBytes) - 1) << (first % 64);
    bool reads = !D.isStore && !D.isInit;
    if (!reads || (word & bits) == bits) {
      if (D.isStore || D.isAtomic)
        word |= bits;
      return true;
    }
  }
  auto isWritten = [&](uint64_t b) {
    return (a.written[(first + b) / 64] >> ((first + b) % 64)) & 1;
  };
  if (!initialised(lane, ptx::Space::Global, isWritten))
    return false;
  if (D.isStore || D.isAtomic)
    for (uint64_t b = first; b < first + D.laneBytes; ++b)
      a.written[b / 64] |= 1ull << (b % 64);
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
    if (!globalLane(*a, lane))
      return false;
  }
  return true;
}

/// Whether a store's element is itself a value that nobody wrote.
bool Access::storedUnwritten(uint32_t lane, size_t element) const {
  const InstMeta &meta = W->launch->program->metas[D.meta];
  if (element >= meta.stored.size())
    return false;
  for (const UnwrittenValue &v : W->block->check->unwritten[W->index])
    if (v.frame == W->frame && v.reg == meta.stored[element])
      return (v.lanes >> lane) & 1;
  return false;
}

bool Access::local() {
  CheckState &c = *W->block->check;
  bool mayStoreUnwritten =
      D.isStore && isPlain() && !c.unwritten[W->index].empty();
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t at = addresses[lane];
    if (at > W->localStride || D.laneBytes > W->localStride - at)
      continue; // the access itself reports it
    if (!initialised(lane, ptx::Space::Local, [&](uint64_t b) {
          return c.localWritten(W->index, lane, at + b);
        }))
      return false;
    if (D.isStore || D.isAtomic)
      c.setLocal(W->index, lane, at, D.laneBytes, true);
    for (uint32_t n = 0; mayStoreUnwritten && n < D.elems; ++n)
      if (storedUnwritten(lane, n))
        c.setLocal(W->index, lane, at + n * D.elemBytes, D.elemBytes, false);
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
              : space == ptx::Space::Local  ? a.local()
                                            : true;
    if (!ok)
      return;
  }
  HWTUNE_GO(I + 1);
}

} // namespace

void addAccessCheck(Registry &r);
void addAccessCheck(Registry &r) {
  addEntry(r, "check.memory", "", {&checkMemory, &checkMemory, ""});
}

} // namespace hwtune::exec
