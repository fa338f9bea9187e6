//===- PseudoSass.cpp - what a PTX instruction becomes --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Timing/PseudoSass.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

using namespace hwtune;
using namespace hwtune::timing;
using exec::InstClass;
using exec::InstMeta;

static bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

static bool isWide(std::string_view name) {
  return name.ends_with(".s64") || name.ends_with(".u64") ||
         name.ends_with(".b64");
}

/// m * n * k of ".m16n8k16" in a matrix instruction's name.
static double matrixFma(std::string_view name) {
  size_t at = name.find(".m");
  while (at != std::string_view::npos && at + 2 < name.size() &&
         !std::isdigit(static_cast<unsigned char>(name[at + 2])))
    at = name.find(".m", at + 1);
  if (at == std::string_view::npos)
    return 0;
  double product = 1;
  const char *p = name.data() + at + 2, *last = name.data() + name.size();
  for (char axis : {'n', 'k', '\0'}) {
    unsigned extent = 0;
    auto [end, error] = std::from_chars(p, last, extent);
    if (error != std::errc() || (axis && (end == last || *end != axis)))
      return 0;
    product *= extent;
    p = end + 1;
  }
  return product;
}

/// Sequences that stand for one PTX instruction: counts seen in disassembly of
/// the common case, without the slow path for denormals.
static SassCost slowCost(std::string_view name) {
  if (name.starts_with("div.rn.f32") || name.starts_with("div.rz.f32"))
    return {10, Pipe::Fp32, 8, 1, 8};
  if (name.starts_with("div.full") || name.starts_with("div.approx"))
    return {3, Pipe::Fp32, 2, 1, 3};
  if (name.starts_with("sqrt") || name.starts_with("rsqrt") ||
      name.starts_with("rcp"))
    return contains(name, "f64") ? SassCost{20, Pipe::Fp64, 12, 1, 14}
                                 : SassCost{8, Pipe::Fp32, 6, 1, 6};
  if (contains(name, "f64"))
    return {24, Pipe::Fp64, 14, 1, 16};
  if (name.starts_with("div.") || name.starts_with("rem."))
    return isWide(name) ? SassCost{70, Pipe::Integer, 60, 2, 40}
                        : SassCost{18, Pipe::Integer, 14, 1, 12};
  return {10, Pipe::Fp32, 8, 1, 8};
}

static SassCost integerCost(const InstMeta &inst) {
  std::string_view name = inst.name;
  if (inst.cls == InstClass::IntegerMul) {
    if (contains(name, ".wide"))
      return {1, Pipe::Integer, 2, 0, 1.25};
    if (isWide(name))
      return {4, Pipe::Integer, 5, 0, 3};
    return {1, Pipe::Integer, 1, 0, 1};
  }
  if (name.starts_with("and.pred") || name.starts_with("or.pred") ||
      name.starts_with("not.pred") || name.starts_with("xor.pred"))
    return {0, Pipe::None, 0, 0, 0};
  if (name.starts_with("popc") || name.starts_with("clz") ||
      name.starts_with("brev") || name.starts_with("bfind") ||
      name.starts_with("fns"))
    return {1, Pipe::Special, 1, 0, 1};
  if (isWide(name))
    return {2, Pipe::Integer, 2, 0, 2};
  return {1, Pipe::Integer, 1, 0, 1};
}

/// Between integer widths a conversion is a register name; to and from floats
/// it runs on the quarter-rate unit.
static SassCost convertCost(std::string_view name) {
  bool toFloat =
      contains(name, "f16") || contains(name, "f32") || contains(name, "f64");
  if (!toFloat)
    return {0, Pipe::None, 0, 0, 0};
  if (name.ends_with(".f16") || name.ends_with(".bf16") ||
      contains(name, ".f16.f32") || contains(name, ".bf16") ||
      contains(name, "x2"))
    return {1, Pipe::Fp32, 1, 0, 1};
  return {1, Pipe::Special, 1, 0, 1};
}

/// An array that the assembler keeps in registers is read and written by
/// predicated moves, one for each place that the index may mean; loads and
/// stores at one index share the comparisons.
static SassCost registerArrayCost(const InstMeta &inst) {
  double places = inst.registerSlots;
  if (places <= 1)
    return {0, Pipe::None, 0, 0, 0};
  double words = std::max(1.0, double(inst.bytesPerLane) / 4);
  double moves = words * places + places / 2;
  // The assembler balances them between the integer lanes and multiply-adds.
  constexpr double kMovesOnInteger = 0.6; // share seen in disassembly
  return {moves, Pipe::Integer, kMovesOnInteger * moves, 0, places};
}

/// A wmma.load or wmma.store is several accesses, and moves of matrices.
static SassCost memoryCost(const InstMeta &inst) {
  bool isMoved = inst.fragment && inst.fragment->isTransposed &&
                 inst.accesses == inst.fragment->accesses();
  return {inst.accesses * (isMoved ? 2.0 : 1.0), Pipe::Memory, 1, 0, 1};
}

SassCost timing::sassCost(const InstMeta &inst) {
  if (inst.registerSlots)
    return registerArrayCost(inst);
  switch (inst.cls) {
  case InstClass::FP32:
    return {1, Pipe::Fp32, 1, 0, 1};
  case InstClass::FP64:
    return {1, Pipe::Fp64, 1, 0, 1};
  case InstClass::FP16:
    return {1, Pipe::Fp16, 1, 0, 1};
  case InstClass::Integer:
  case InstClass::IntegerMul:
    return integerCost(inst);
  case InstClass::Special:
    // ex2 and friends without .ftz scale denormals: two more multiplies.
    return contains(inst.name, ".ftz") ? SassCost{1, Pipe::Special, 1, 0, 1}
                                       : SassCost{2, Pipe::Special, 1, 0, 1.5};
  case InstClass::Slow:
    return slowCost(inst.name);
  case InstClass::Convert:
    return convertCost(inst.name);
  case InstClass::Move:
  case InstClass::ParamLoad:
  case InstClass::ConstLoad:
    return {0, Pipe::None, 0, 0, 0};
  case InstClass::Control:
  case InstClass::Barrier:
  case InstClass::Other:
    return {1, Pipe::Control, 0, 0, 1};
  case InstClass::Matrix:
    return {1, Pipe::Matrix, 1, 0, 1, matrixFma(inst.name)};
  case InstClass::Warp:
    return contains(inst.name, "shfl") ? SassCost{1, Pipe::Memory, 1, 0, 1}
                                       : SassCost{1, Pipe::Integer, 1, 0, 2};
  default:
    return memoryCost(inst);
  }
}

std::vector<SassCost> timing::sassCosts(std::span<const InstMeta> insts) {
  std::vector<SassCost> costs;
  costs.reserve(insts.size());
  for (const InstMeta &inst : insts)
    costs.push_back(sassCost(inst));
  return costs;
}

namespace {

/// Registers that may differ between the lanes of a warp. Whether lanes come to
/// a write by different ways is not looked at.
class VaryingRegisters {
public:
  VaryingRegisters(std::span<const InstMeta> insts,
                   const std::vector<bool> &isEntry)
      : isEntry(isEntry), varying(isEntry.size()) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const InstMeta &inst : insts)
        if (!inst.writes.empty() && varies(inst))
          for (uint32_t reg : inst.writes)
            changed |= varying[inst.function].insert(reg).second;
    }
  }

  bool readsAny(const InstMeta &inst) const {
    return std::any_of(inst.reads.begin(), inst.reads.end(), [&](uint32_t reg) {
      return varying[inst.function].contains(reg);
    });
  }
  bool contains(uint32_t function, uint32_t reg) const {
    return varying[function].contains(reg);
  }

private:
  bool varies(const InstMeta &inst) const {
    bool isArgument =
        inst.cls == InstClass::ParamLoad && !isEntry[inst.function];
    bool isOwn = inst.space == ptx::Space::Local || isArgument;
    return inst.readsLane || inst.isAtomic || isOwn ||
           inst.cls == InstClass::Warp || inst.cls == InstClass::Control ||
           readsAny(inst);
  }

  const std::vector<bool> &isEntry;
  std::vector<std::unordered_set<uint32_t>> varying; ///< by function
};

bool isIntegerReduction(const InstMeta &inst) {
  auto has = [&](std::string_view part) { return contains(inst.name, part); };
  bool joins = has(".add") || has(".min") || has(".max") || has(".and") ||
               has(".or.") || has(".xor");
  return inst.isAtomic && joins && !has(".f") && !has(".bf");
}

} // namespace

std::vector<bool> timing::joinedAtomics(std::span<const InstMeta> insts,
                                        const std::vector<bool> &isEntry) {
  std::vector<bool> joined(insts.size());
  VaryingRegisters varying(insts, isEntry);
  for (const InstMeta &inst : insts) {
    if (!isIntegerReduction(inst) || inst.space != ptx::Space::Global)
      continue;
    // The base register comes after the guard; an absolute address has none.
    size_t base = inst.guarded;
    joined[inst.id] = base >= inst.reads.size() ||
                      !varying.contains(inst.function, inst.reads[base]);
  }
  return joined;
}

static bool overlap(const std::vector<uint32_t> &a,
                    const std::vector<uint32_t> &b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t reg) {
    return std::find(b.begin(), b.end(), reg) != b.end();
  });
}

/// Whether `inst`, a load or what computes its address, may move before
/// `above`.
static bool mayPass(const InstMeta &inst, const InstMeta &above) {
  if (above.isBranch || above.cls == InstClass::Control ||
      above.cls == InstClass::Barrier || above.cls == InstClass::Other)
    return false;
  if (inst.isMemory && (above.isAtomic || above.isLoad || above.isAsync))
    return false;
  if (inst.isMemory && above.isStore && !inst.isReadOnly &&
      exec::mayAlias(inst.space, above.space))
    return false;
  return !overlap(above.writes, inst.reads) &&
         !overlap(above.writes, inst.writes) &&
         !overlap(above.reads, inst.writes);
}

static bool isMovableLoad(const InstMeta &inst) {
  return inst.isMemory && inst.isLoad && !inst.isStore && !inst.isAtomic &&
         !inst.registerSlots;
}

/// Marks the loads of a basic block and what computes their addresses.
static std::vector<bool> findMovable(std::span<const InstMeta> block) {
  std::vector<bool> movable(block.size(), false);
  std::vector<uint32_t> wanted; // registers
  for (size_t i = block.size(); i-- > 0;) {
    const InstMeta &inst = block[i];
    bool computes =
        inst.cls == InstClass::Integer || inst.cls == InstClass::IntegerMul ||
        inst.cls == InstClass::Convert || inst.cls == InstClass::Move;
    movable[i] = isMovableLoad(inst) ||
                 (computes && !inst.guarded && overlap(inst.writes, wanted));
    if (movable[i])
      wanted.insert(wanted.end(), inst.reads.begin(), inst.reads.end());
  }
  return movable;
}

std::vector<uint8_t> timing::hoistDistances(std::span<const InstMeta> insts,
                                            unsigned distance) {
  std::vector<uint8_t> moves(insts.size(), 0);
  for (size_t begin = 0, end; begin < insts.size(); begin = end) {
    end = begin + 1;
    while (end < insts.size() && !insts[end].isBlockStart &&
           insts[end].function == insts[begin].function)
      ++end;
    std::vector<bool> movable = findMovable(insts.subspan(begin, end - begin));
    std::vector<size_t> order; // so far, with what has moved
    for (size_t i = begin; i < end; ++i) {
      unsigned moved = 0;
      while (movable[i - begin] &&
             moved < std::min<size_t>(distance, order.size()) &&
             mayPass(insts[i], insts[order[order.size() - 1 - moved]]))
        ++moved;
      order.insert(order.end() - moved, i);
      moves[i] = static_cast<uint8_t>(moved);
    }
  }
  return moves;
}

double timing::fetchClocks(double codeBytes, const TargetSpec &target) {
  if (!target.icacheL1Bytes || !target.icacheLineClocks)
    return 0;
  double near =
      double(target.icacheL0Bytes.value_or(0)) + double(*target.icacheL1Bytes);
  if (codeBytes <= near)
    return 0;
  return (1 - near / codeBytes) * *target.icacheLineClocks *
         kBytesPerHardwareInst / double(target.lineBytes);
}
