//===- JoinAccesses.cpp - accesses that an assembler makes wider ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/JoinAccesses.h"

#include <algorithm>
#include <bit>
#include <string_view>

using namespace hwtune;
using namespace hwtune::timing;
using exec::InstClass;
using exec::InstMeta;

/// Of an address that is a multiple of 16 bytes: more helps no access.
static constexpr uint8_t kWidest = 4;

static Residue residue(unsigned bits, uint64_t value) {
  bits = std::min<unsigned>(bits, kWidest);
  return {uint8_t(bits), uint8_t(value & ((1u << bits) - 1))};
}

/// Zeros at the end of a known value, or of one with a known remainder.
static unsigned zeros(uint64_t value, unsigned most) {
  return value ? std::min(most, unsigned(std::countr_zero(value))) : most;
}

static Residue sum(Residue a, Residue b) {
  return residue(std::min(a.bits, b.bits), uint64_t(a.value) + b.value);
}

/// (a + i 2^m) (b + j 2^n): the unknown parts are multiples of what the other
/// factor is one of.
static Residue product(Residue a, Residue b) {
  unsigned bits = std::min(a.bits + zeros(b.value, b.bits),
                           b.bits + zeros(a.value, a.bits));
  return residue(bits, uint64_t(a.value) * b.value);
}

/// What is true of both.
static Residue common(Residue a, Residue b) {
  unsigned bits = std::min(a.bits, b.bits);
  return residue(zeros(uint64_t(a.value ^ b.value), bits), a.value);
}

Residues::Residues(std::span<const InstMeta> insts) {
  for (const InstMeta &inst : insts) {
    if (inst.function >= known.size())
      known.resize(inst.function + 1);
    auto &registers = known[inst.function];
    for (const auto *list : {&inst.reads, &inst.writes})
      for (uint32_t reg : *list)
        if (reg >= registers.size())
          registers.resize(reg + 1);
  }
  bool changed = true;
  while (changed) {
    changed = false;
    for (const InstMeta &inst : insts)
      for (uint32_t reg : inst.writes) {
        std::optional<Residue> &now = known[inst.function][reg];
        Residue found = result(inst);
        if (now)
          found = common(*now, found);
        changed |= now != found;
        now = found;
      }
  }
}

/// An immediate stands at an unknown place among the operands: of a * b + c
/// what either place gives.
Residue Residues::result(const InstMeta &inst) const {
  auto is = [&](std::string_view start) {
    return inst.name.starts_with(start);
  };
  std::vector<Residue> in;
  for (size_t i = inst.guarded; i < inst.reads.size(); ++i)
    in.push_back(of(inst.function, inst.reads[i]));
  if (is("mov.") && in.empty() && !inst.immediate) // the address of a variable
    return residue(inst.readsSpecial ? 0 : kWidest, 0);
  if (inst.readsSpecial || inst.isMemory || inst.cls == InstClass::Slow)
    return {};
  if (is("shl.") && in.size() == 1 && inst.immediate) {
    auto by = unsigned(*inst.immediate & 31);
    return residue(in[0].bits + by, uint64_t(in[0].value) << by);
  }
  if (inst.immediate)
    in.push_back(residue(kWidest, uint64_t(*inst.immediate)));
  bool isNarrow = inst.name.ends_with("16") || inst.name.ends_with("8");
  if (in.size() == 1 &&
      (is("mov.") || is("cvta.") || (is("cvt.") && !isNarrow)))
    return in[0];
  if (in.size() == 2 && is("add."))
    return sum(in[0], in[1]);
  if (in.size() == 2 && (is("mul.lo") || is("mul.wide")))
    return product(in[0], in[1]);
  if (in.size() == 2 && is("and.")) // of a mask the zeros
    return residue(std::max(zeros(in[0].value, in[0].bits),
                            zeros(in[1].value, in[1].bits)),
                   0);
  if (in.size() == 3 && (is("mad.lo") || is("mad.wide"))) {
    Residue last = sum(product(in[0], in[1]), in[2]);
    return inst.immediate ? common(last, sum(product(in[0], in[2]), in[1]))
                          : last;
  }
  return {};
}

static bool contains(const std::vector<uint32_t> &list, uint32_t reg) {
  return std::find(list.begin(), list.end(), reg) != list.end();
}

namespace {

/// Accesses of one base register to one aligned piece of memory.
struct Group {
  uint32_t base = 0; ///< register, or `ptx::kNone`
  bool isLoad = false;
  int64_t piece = 0;  ///< offset of its first byte
  unsigned bytes = 0; ///< of the piece
  std::vector<size_t> members;
  std::vector<uint32_t> touched; ///< registers, since the first member
};

class Joiner {
public:
  explicit Joiner(std::span<const InstMeta> insts)
      : insts(insts), residues(insts), out(withoutJoins(insts)) {}

  JoinedInsts run() {
    for (size_t i = 0; i < insts.size(); ++i) {
      const InstMeta &inst = insts[i];
      if (inst.isBlockStart || i == 0 || inst.function != insts[i - 1].function)
        closeAll();
      if (!isCandidate(inst) || !add(i))
        pass(inst);
    }
    closeAll();
    return std::move(out);
  }

private:
  static bool isCandidate(const InstMeta &inst) {
    std::string_view name = inst.name;
    return inst.isMemory && inst.space == ptx::Space::Shared && !inst.guarded &&
           !inst.isAtomic && !inst.bypassesL1 &&
           (inst.bytesPerLane == 4 || inst.bytesPerLane == 8) &&
           (name.starts_with("ld.") || name.starts_with("st."));
  }

  /// The base register comes first, before what is stored.
  static uint32_t baseOf(const InstMeta &inst) {
    auto isRegister = [](uint32_t reg) { return reg != ptx::kNone; };
    auto stored = size_t(
        std::count_if(inst.stored.begin(), inst.stored.end(), isRegister));
    return inst.reads.size() > stored ? inst.reads.front() : ptx::kNone;
  }

  bool add(size_t i);
  void pass(const InstMeta &inst);
  void touch(const InstMeta &inst);
  void close(const Group &group);
  void closeAll() {
    for (const Group &group : open)
      close(group);
    open.clear();
  }
  template <typename F> void closeIf(F f) {
    for (const Group &group : open)
      if (f(group))
        close(group);
    std::erase_if(open, f);
  }

  std::span<const InstMeta> insts;
  Residues residues;
  JoinedInsts out;
  std::vector<Group> open;
};

/// Puts instruction `i` into an open group, or a new one. False where its
/// address is not known to be aligned.
bool Joiner::add(size_t i) {
  const InstMeta &inst = insts[i];
  uint32_t base = baseOf(inst);
  Residue known = base == ptx::kNone ? Residue{kWidest, 0}
                                     : residues.of(inst.function, base);
  int64_t bytes = int64_t(1) << known.bits;
  bool losesBase = contains(inst.writes, base);
  if (bytes <= int64_t(inst.bytesPerLane) || losesBase)
    return false;
  int64_t piece = ((inst.offset + known.value) & -bytes) - known.value;
  auto isPlace = [&](const Group &g) {
    return g.base == base && g.piece == piece;
  };
  // Stores to different places are not moved past each other.
  closeIf([&](const Group &g) {
    return g.isLoad != inst.isLoad || (inst.isStore && !isPlace(g));
  });
  closeIf([&](const Group &g) { // its registers are in use until here
    return isPlace(g) && g.isLoad &&
           std::any_of(inst.writes.begin(), inst.writes.end(),
                       [&](uint32_t reg) { return contains(g.touched, reg); });
  });
  touch(inst);
  auto at = std::find_if(open.begin(), open.end(), isPlace);
  if (at == open.end())
    open.push_back({base, inst.isLoad, piece, unsigned(bytes), {i}, {}});
  else
    at->members.push_back(i);
  return true;
}

/// What an instruction that joins nothing means for the open groups.
void Joiner::pass(const InstMeta &inst) {
  bool waits = inst.cls == InstClass::Barrier || inst.name.starts_with("bar") ||
               inst.cls == InstClass::Control || inst.cls == InstClass::Other ||
               inst.cls == InstClass::AsyncCopy || inst.isAtomic;
  if (waits)
    return closeAll();
  if (inst.isMemory && exec::mayAlias(inst.space, ptx::Space::Shared))
    closeIf([&](const Group &g) { return inst.isStore || !g.isLoad; });
  touch(inst);
}

void Joiner::touch(const InstMeta &inst) {
  closeIf([&](const Group &g) { return contains(inst.writes, g.base); });
  for (Group &group : open)
    for (const auto *list : {&inst.reads, &inst.writes})
      group.touched.insert(group.touched.end(), list->begin(), list->end());
}

/// Makes one access of a group: a load where the first was, a store where the
/// last was. It covers half of the piece where that has all of it.
void Joiner::close(const Group &group) {
  if (group.members.size() < 2)
    return;
  int64_t low = group.piece + group.bytes, high = group.piece, covered = 0;
  for (size_t i : group.members) {
    low = std::min(low, insts[i].offset);
    high = std::max(high, insts[i].offset + int64_t(insts[i].bytesPerLane));
    covered += insts[i].bytesPerLane;
  }
  int64_t bytes = group.bytes, middle = group.piece + 8;
  if (bytes == 16 && (high <= middle || low >= middle))
    bytes = 8;
  if (!group.isLoad && covered != bytes) // a store writes nothing between
    return;
  size_t leader = group.isLoad ? group.members.front() : group.members.back();
  InstMeta &joined = out.insts[leader];
  for (size_t i : group.members) {
    if (i == leader)
      continue;
    InstMeta &gone = out.insts[i];
    joined.writes.insert(joined.writes.end(), gone.writes.begin(),
                         gone.writes.end());
    joined.reads.insert(joined.reads.end(), gone.reads.begin(),
                        gone.reads.end());
    gone.cls = InstClass::Move;
    gone.isMemory = gone.isLoad = gone.isStore = false;
    gone.reads.clear();
    gone.writes.clear();
    out.standsFor[i] = 0;
  }
  joined.bytesPerLane = uint32_t(bytes);
  out.standsFor[leader] = uint32_t(group.members.size());
}

} // namespace

JoinedInsts timing::withoutJoins(std::span<const InstMeta> insts) {
  JoinedInsts all;
  all.insts.assign(insts.begin(), insts.end());
  all.standsFor.assign(insts.size(), 1);
  for (const InstMeta &inst : insts)
    all.bytesApart.push_back(inst.bytesPerLane);
  return all;
}

JoinedInsts timing::joinAccesses(std::span<const InstMeta> insts) {
  return Joiner(insts).run();
}
