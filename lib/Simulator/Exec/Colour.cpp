//===- Colour.cpp - virtual registers to slots of the frame ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small frame stays in the first-level cache. Liveness over blocks, then
// intervals in program order, then the lowest free slot for each. Lanes that
// are elsewhere in the program do not matter: a slot is free or taken per lane,
// and writes touch active lanes only.
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include <algorithm>
#include <queue>

namespace hwtune::exec {

namespace {

using Bits = std::vector<uint64_t>;

struct Interval {
  uint32_t reg = 0, begin = ~0u, end = 0;
};

/// Registers live at the start of each block, by backward iteration.
class Liveness {
public:
  Liveness(const std::vector<VBlock> &blocks, size_t numRegs)
      : blocks(blocks), words((numRegs + 63) / 64),
        in(blocks.size(), Bits(words)), out(blocks.size(), Bits(words)) {
    std::vector<Bits> use(blocks.size(), Bits(words)),
        def(blocks.size(), Bits(words));
    for (size_t b = 0; b < blocks.size(); ++b)
      for (const VOp &op : blocks[b].ops)
        collect(op, use[b], def[b]);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks.size(); b-- > 0;)
        changed |= propagate(b, use[b], def[b]);
    }
  }
  static bool test(const Bits &b, uint32_t r) {
    return (b[r / 64] >> (r % 64)) & 1;
  }
  static void set(Bits &b, uint32_t r) { b[r / 64] |= 1ull << (r % 64); }

  std::vector<Interval> intervals(size_t numRegs) const {
    std::vector<Interval> all(numRegs);
    for (uint32_t r = 0; r < numRegs; ++r)
      all[r].reg = r;
    auto touch = [&](uint32_t r, uint32_t at) {
      all[r].begin = std::min(all[r].begin, at);
      all[r].end = std::max(all[r].end, at);
    };
    auto touchSet = [&](const Bits &b, uint32_t at) {
      for (size_t w = 0; w < words; ++w)
        for (uint64_t left = b[w]; left; left &= left - 1)
          touch(uint32_t(w * 64 + size_t(__builtin_ctzll(left))), at);
    };
    uint32_t at = 0;
    for (size_t b = 0; b < blocks.size(); ++b) {
      touchSet(in[b], at);
      for (const VOp &op : blocks[b].ops) {
        // Sources end before results begin, so they may share a slot, unless
        // the operation writes one result before it reads all sources.
        for (uint32_t r : op.uses)
          touch(r, at + 1);
        for (uint32_t r : op.defs)
          touch(r, op.defs.size() > 1 || op.matrix != kNoMeta ||
                           op.mem != kNoMeta || op.call != kNoMeta
                       ? at + 1
                       : at + 2);
        at += 2;
      }
      touchSet(out[b], at + 1);
      at += 2;
    }
    return all;
  }

private:
  /// Adds what `op` reads before the block has written it, and writes.
  static void collect(const VOp &op, Bits &use, Bits &def) {
    auto read = [&](uint32_t r) {
      if (!test(def, r))
        set(use, r);
    };
    for (uint32_t r : op.uses)
      read(r);
    for (uint32_t r : op.defs)
      if (op.conditional)
        read(r);
      else
        set(def, r);
  }
  bool propagate(size_t b, const Bits &use, const Bits &def) {
    bool changed = false;
    for (uint32_t s : blocks[b].succs)
      for (size_t w = 0; w < words; ++w)
        out[b][w] |= in[s][w];
    for (size_t w = 0; w < words; ++w) {
      uint64_t v = use[w] | (out[b][w] & ~def[w]);
      changed |= v != in[b][w];
      in[b][w] = v;
    }
    return changed;
  }

  const std::vector<VBlock> &blocks;
  size_t words;
  std::vector<Bits> in, out;
};

/// Lowest free slot first, so that the frame stays small.
class SlotPool {
public:
  SlotPool(uint32_t bytes) : bytes(bytes) {}
  uint32_t take() {
    if (free.empty())
      return count++;
    uint32_t s = free.top();
    free.pop();
    return s;
  }
  void give(uint32_t s) { free.push(s); }
  uint32_t bytes, count = 0;

private:
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free;
};

/// Where each register and constant of a function lies in its frame.
class FrameLayout {
public:
  FrameLayout(const std::vector<VBlock> &blocks,
              const std::vector<RegClass> &classes);
  /// Gives each constant its slot; the frame's size.
  uint32_t layOut(std::vector<DecodedFunction::Constant> &constants);
  uint32_t place(Val v) const;

private:
  const std::vector<RegClass> &classes;
  std::vector<uint32_t> slot, constantSlot; ///< by register, by constant
  SlotPool pools[4] = {SlotPool(4), SlotPool(128), SlotPool(256),
                       SlotPool(512)};
  uint32_t base[4] = {kFirstPredicate, 0, 0, 0};
};

FrameLayout::FrameLayout(const std::vector<VBlock> &blocks,
                         const std::vector<RegClass> &classes)
    : classes(classes), slot(classes.size(), 0) {
  std::vector<Interval> all =
      Liveness(blocks, classes.size()).intervals(classes.size());
  std::erase_if(all, [](const Interval &i) { return i.begin == ~0u; });
  std::sort(all.begin(), all.end(), [](const Interval &x, const Interval &y) {
    return std::pair(x.begin, x.reg) < std::pair(y.begin, y.reg);
  });
  using Active = std::pair<uint32_t, uint32_t>; // end, register
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
  for (const Interval &i : all) {
    while (!active.empty() && active.top().first < i.begin) {
      uint32_t r = active.top().second;
      if (classes[r] != RegClass::Pred)
        pools[size_t(classes[r])].give(slot[r]);
      active.pop();
    }
    slot[i.reg] = pools[size_t(classes[i.reg])].take();
    active.push({i.end, i.reg});
  }
}

/// Predicates, then the wide classes, then words, then constants.
uint32_t
FrameLayout::layOut(std::vector<DecodedFunction::Constant> &constants) {
  uint32_t top = kFirstPredicate + 4 * pools[0].count;
  top = (top + 63) & ~63u;
  for (size_t c : {size_t(1), size_t(2), size_t(3)}) {
    base[c] = top;
    top += pools[c].bytes * pools[c].count;
  }
  for (auto &c : constants) {
    constantSlot.push_back(c.slot = top);
    top += c.wide ? 256 : 128;
  }
  // A little more: a 64-bit store to the last 32-bit slot stays inside.
  return top + 256;
}

uint32_t FrameLayout::place(Val v) const {
  switch (v.kind) {
  case Val::Raw:
    return v.index;
  case Val::Const:
    return constantSlot[v.index];
  case Val::Reg: {
    size_t c = size_t(classes[v.index]);
    return base[c] + pools[c].bytes * slot[v.index];
  }
  }
  return 0;
}

Op placedOp(const VOp &v, const FrameLayout &frame) {
  Op op;
  op.entry = v.entry;
  op.d = frame.place(v.d);
  op.a = frame.place(v.a);
  op.b = frame.place(v.b);
  op.c = frame.place(v.c);
  for (int i = 0; i < 4; ++i)
    op.ext[i] = frame.place(v.ext[i]);
  op.hasExt = v.hasExt;
  op.target = v.target;
  op.recon = v.recon;
  op.meta = v.meta;
  op.skip = v.skip;
  op.mem = v.kernelParam && v.matrix == kNoMeta ? kNoMeta : v.mem;
  op.guard = frame.place(v.guard);
  op.guardXor = v.guardXor;
  return op;
}

void placeMatrix(const VOp &v, const FrameLayout &frame, MatrixDesc &m) {
  size_t at = 0;
  for (auto [slots, count] :
       {std::pair(m.slotsA, m.numA), std::pair(m.slotsB, m.numB),
        std::pair(m.slotsC, m.numC), std::pair(m.slotsD, m.numD)})
    for (size_t i = 0; i < count; ++i)
      slots[i] = frame.place(v.memSlots[at++]);
  m.stride = frame.place(v.b);
}

/// Register values of a call were recorded as indices of memSlots.
void placeCall(const VOp &v, const FrameLayout &frame, CallDesc &call) {
  for (auto *list : {&call.args, &call.returns})
    for (CallValue &value : *list)
      if (value.inRegister && !value.placed) {
        value.caller = frame.place(v.memSlots[value.caller]);
        value.placed = true;
      }
  if (call.function < 0 && !call.placed) {
    call.slot = frame.place(v.memSlots[call.slot]);
    call.placed = true;
  }
}

/// The descriptors of `v` that stand beside the operations.
void placeDescriptors(const VOp &v, const FrameLayout &frame,
                      Program::Impl &P) {
  if (v.mem != kNoMeta) {
    MemDesc &m = P.mem[v.mem];
    m.base = frame.place(v.a);
    if (m.isFragment)
      m.leading = frame.place(v.b);
  }
  if (v.matrix != kNoMeta) {
    placeMatrix(v, frame, P.matrices[v.matrix]);
  } else if (v.mem != kNoMeta) {
    MemDesc &m = P.mem[v.mem];
    for (size_t i = 0; i < v.memSlots.size(); ++i)
      m.slots[i] = frame.place(v.memSlots[i]) + (m.halves && i % 2 ? 256 : 0);
    if (m.partner != kNoMeta)
      P.mem[m.partner].base = frame.place(v.b);
  }
  if (v.call != kNoMeta)
    placeCall(v, frame, P.calls[v.call]);
}

} // namespace

void FunctionDecoder::colour() {
  FrameLayout frame(blocks, classes);
  D.frameBytes = frame.layOut(constants);
  D.constants = constants;
  for (VBlock &vb : blocks) {
    OpBlock out;
    out.isReconvergence = vb.isReconvergence;
    out.firstMeta = vb.firstMeta;
    out.numMetas = vb.numMetas;
    for (VOp &v : vb.ops) {
      placeDescriptors(v, frame, B.P);
      out.ops.push_back(placedOp(v, frame));
    }
    D.blocks.push_back(std::move(out));
  }
}

} // namespace hwtune::exec
