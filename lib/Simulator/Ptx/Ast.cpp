//===- Ast.cpp - names and types of a PTX module --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Ptx/Ast.h"

using namespace hwtune;
using namespace hwtune::ptx;

StringId StringTable::intern(std::string_view text) {
  if (auto it = ids.find(text); it != ids.end())
    return it->second;
  StringId id = StringId(strings.size());
  strings.emplace_back(text);
  ids.emplace(strings.back(), id);
  return id;
}

StringId StringTable::find(std::string_view text) const {
  auto it = ids.find(text);
  return it == ids.end() ? kNone : it->second;
}

namespace {
struct TypeInfo {
  std::string_view name;
  unsigned bytes;
};
/// In the order of `Type`.
constexpr TypeInfo kTypes[] = {
    {"", 0},        {"pred", 1},  {"b8", 1},   {"b16", 2},    {"b32", 4},
    {"b64", 8},     {"b128", 16}, {"u8", 1},   {"u16", 2},    {"u32", 4},
    {"u64", 8},     {"s8", 1},    {"s16", 2},  {"s32", 4},    {"s64", 8},
    {"f16", 2},     {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4},
    {"f32", 4},     {"f32x2", 8}, {"f64", 8},  {"texref", 8}, {"samplerref", 8},
    {"surfref", 8},
};
static_assert(std::size(kTypes) == size_t(Type::SurfRef) + 1);

/// In the order of `SpecialReg`.
constexpr std::string_view kSpecialRegs[] = {
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%pm",
    "%pm_64",
    "%envreg",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};
static_assert(std::size(kSpecialRegs) ==
              size_t(SpecialReg::CurrentGraphExec) + 1);

constexpr std::string_view kSpaces[] = {"",      "reg",   "const", "global",
                                        "local", "param", "shared"};
} // namespace

std::optional<Type> ptx::typeFromName(std::string_view name) {
  for (size_t i = 1; i < std::size(kTypes); ++i)
    if (kTypes[i].name == name)
      return Type(i);
  return std::nullopt;
}

std::string_view ptx::typeName(Type type) { return kTypes[size_t(type)].name; }
unsigned ptx::typeBytes(Type type) { return kTypes[size_t(type)].bytes; }
std::string_view ptx::spaceName(Space space) { return kSpaces[size_t(space)]; }
std::string_view ptx::specialRegName(SpecialReg reg) {
  return kSpecialRegs[size_t(reg)];
}

const Function *Module::findFunction(std::string_view name) const {
  StringId id = strings.find(name);
  for (const Function &function : functions)
    if (id != kNone && function.name == id)
      return &function;
  return nullptr;
}

const Variable *Module::findVariable(std::string_view name) const {
  StringId id = strings.find(name);
  for (const Variable &variable : variables)
    if (id != kNone && variable.name == id)
      return &variable;
  return nullptr;
}
