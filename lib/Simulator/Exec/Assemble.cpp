//===- Assemble.cpp - operations to threaded code -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counting, checking and tracing are further instructions put before those
// they watch, so that the plain code pays nothing for them.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

namespace hwtune::exec {

namespace {

class Assembler {
public:
  Assembler(const Program::Impl &P, const DecodedFunction &F, uint32_t mode)
      : P(P), F(F), mode(mode) {}

  Code run() {
    for (uint32_t b = 0; b < F.blocks.size(); ++b)
      block(b);
    fix();
    return std::move(code);
  }

private:
  struct Fixup {
    uint32_t inst;
    int32_t target, recon;
  };

  void put(const char *name, uint32_t d, uint32_t a, uint32_t b, uint32_t c,
           uint32_t meta) {
    const Entry *e = P.registry->find(name);
    code.insts.push_back({e->full, e->masked, d, a, b, c});
    code.metaOf.push_back(meta);
  }

  void block(uint32_t b) {
    const OpBlock &block = F.blocks[b];
    start.push_back(uint32_t(code.insts.size()));
    uint32_t meta = block.firstMeta;
    if (block.isReconvergence)
      put("reconverge", 0, 0, 0, 0, meta);
    if ((mode & ModeCount) && block.numMetas)
      put("count.block", F.firstBlock + b, 0, 0, 0, meta);
    std::vector<uint32_t> at;      // first instruction of each operation
    std::vector<uint32_t> opInsts; // the instruction itself
    for (const Op &op : block.ops) {
      at.push_back(uint32_t(code.insts.size()));
      if (op.meta != kNoMeta)
        meta = op.meta;
      if (op.meta != kNoMeta) {
        traceOp(block, op, meta);
        if (mode & ModeCheck) // the second word: operands of the operation
          put("check.use", memOf(block, op), meta, op.guard, op.guardXor, meta),
              put("check.use", op.d, op.a, op.b, op.c, meta);
      }
      if (op.mem != kNoMeta && op.entry) {
        if (mode & ModeCheck)
          put("check.memory", 0, 0, 0, op.mem, meta);
        if (mode & ModeCount)
          countMemory(op.mem, meta);
      }
      opInsts.push_back(uint32_t(code.insts.size()));
      emit(op, meta);
    }
    at.push_back(uint32_t(code.insts.size()));
    for (size_t i = 0; i < block.ops.size(); ++i)
      if (block.ops[i].skip)
        code.insts[opInsts[i]].a = at[i + block.ops[i].skip] - opInsts[i];
  }

  void traceOp(const OpBlock &block, const Op &op, uint32_t meta) {
    uint32_t mem = memOf(block, op);
    if ((mode & ModeTrace) || ((mode & ModeTraceAccesses) && mem != kNoMeta))
      put("trace", mem, meta, op.guard, op.guardXor, meta);
  }

  void countMemory(uint32_t mem, uint32_t meta) {
    const MemDesc &d = P.mem[mem];
    bool fast = d.lanes == kFullMask && !d.isFragment &&
                d.space != AddrSpace::Generic && d.space != AddrSpace::Local;
    bool shared = d.space == AddrSpace::Shared;
    put(!fast ? "count.memory.slow"
        : d.wideBase
            ? (shared ? "count.memory.shared.q" : "count.memory.global.q")
            : (shared ? "count.memory.shared.w" : "count.memory.global.w"),
        0, d.base, 0, mem, meta);
    if (d.partner != kNoMeta)
      countMemory(d.partner, meta);
  }

  /// The memory access of the instruction that starts with `op`.
  uint32_t memOf(const OpBlock &block, const Op &op) const {
    for (const Op *o = &op; o != block.ops.data() + block.ops.size(); ++o) {
      if (o != &op && o->meta != kNoMeta)
        break;
      if (o->mem != kNoMeta)
        return o->mem;
    }
    return kNoMeta;
  }

  void emit(const Op &op, uint32_t meta) {
    const Entry *e = op.entry;
    if ((mode & ModeCount) && op.skip)
      e = P.registry->find("guard.count");
    uint32_t at = uint32_t(code.insts.size());
    code.insts.push_back({e->full, e->masked, op.d, op.a, op.b, op.c});
    code.metaOf.push_back(meta);
    if (op.target >= 0)
      fixups.push_back({at, op.target, op.recon});
    if (op.hasExt) {
      code.insts.push_back(
          {e->full, e->masked, op.ext[0], op.ext[1], op.ext[2], op.ext[3]});
      code.metaOf.push_back(meta);
    }
  }

  void fix() {
    for (const Fixup &f : fixups) {
      Inst &inst = code.insts[f.inst];
      inst.a = start[uint32_t(f.target)] - f.inst;
      // A displacement of 0 stands for none; no branch meets at itself.
      inst.d = f.recon >= 0 ? start[uint32_t(f.recon)] - f.inst : 0;
    }
  }

  const Program::Impl &P;
  const DecodedFunction &F;
  uint32_t mode;
  Code code;
  std::vector<uint32_t> start;
  std::vector<Fixup> fixups;
};

} // namespace

const std::vector<Code> &Program::Impl::code(uint32_t mode) const {
  std::lock_guard lock(mutex);
  auto &slot = codes[mode];
  if (!slot) {
    slot = std::make_unique<std::vector<Code>>();
    for (const DecodedFunction &f : functions)
      slot->push_back(f.defined ? Assembler(*this, f, mode).run() : Code());
  }
  return *slot;
}

} // namespace hwtune::exec
