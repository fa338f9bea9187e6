//===- Printer.cpp - a PTX module as text ---------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Ptx/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
class Printer {
public:
  explicit Printer(const Module &module) : m(module) {}
  std::string run();

private:
  template <typename... Args>
  void put(fmt::format_string<Args...> f, Args &&...args) {
    fmt::format_to(std::back_inserter(out), f, std::forward<Args>(args)...);
  }
  void head(const Variable &v);
  void variable(const Variable &v, std::string_view indent);
  void initialiser(const Variable &v);
  void element(const Variable &v, uint64_t offset,
               const Relocation *relocation);
  void params(const std::vector<Variable> &list);
  void bounds(const Function &f);
  void signature(const Function &f);
  void body(const Function &f);
  void prologue(const Function &f);
  void labelled(const Function &f);
  void instruction(const Function &f, const Instruction &inst);
  void special(const Operand &o);
  void immediate(const Operand &o);
  void address(const Function &f, const Operand &o);
  void operand(const Function &f, const Operand &o);
  void operands(const Function &f, std::span<const Operand> list);
  void symbol(const Function *f, const Symbol &s);
  std::string_view linkage(Linkage l);

  const Module &m;
  std::string out;
};

std::string_view Printer::linkage(Linkage l) {
  static constexpr std::string_view names[] = {"", ".visible ", ".weak ",
                                               ".extern ", ".common "};
  return names[size_t(l)];
}

/// Space, alignment, type, name and dimensions.
void Printer::head(const Variable &v) {
  put(".{} ", spaceName(v.space));
  if (v.managed)
    put(".attribute(.managed) ");
  if (v.space != Space::Reg)
    put(".align {} ", v.align);
  if (v.vector > 1)
    put(".v{} ", v.vector);
  put(".{} ", typeName(v.type));
  if (v.isPtr) {
    put(".ptr ");
    if (v.ptrSpace != Space::None)
      put(".{} ", spaceName(v.ptrSpace));
    if (v.ptrAlign)
      put(".align {} ", v.ptrAlign);
  }
  put("{}", m.str(v.name));
  for (size_t i = 0; i < v.dims.size(); ++i) {
    if (i == 0 && v.unsized)
      put("[]");
    else
      put("[{}]", v.dims[i]);
  }
}

void Printer::symbol(const Function *f, const Symbol &s) {
  switch (s.kind) {
  case SymbolKind::Global:
    put("{}", m.str(m.variables[s.index].name));
    break;
  case SymbolKind::Function:
    put("{}", m.str(m.functions[s.index].name));
    break;
  case SymbolKind::Variable:
    put("{}", m.str(f->variables[s.index].name));
    break;
  case SymbolKind::Param:
    put("{}", m.str(f->params[s.index].name));
    break;
  case SymbolKind::Return:
    put("{}", m.str(f->returns[s.index].name));
    break;
  case SymbolKind::None:
    break;
  }
}

void Printer::element(const Variable &v, uint64_t offset, const Relocation *r) {
  if (r) {
    if (r->bytes < typeBytes(v.type) || r->shift)
      put("0x{:x}(", uint64_t(0xff) << r->shift);
    put("{}", r->generic ? "generic(" : "");
    symbol(nullptr, r->symbol);
    put("{}", r->generic ? ")" : "");
    if (r->addend)
      put("{:+}", r->addend);
    if (r->bytes < typeBytes(v.type) || r->shift)
      put(")");
    return;
  }
  uint64_t bits = 0;
  for (unsigned i = 0, n = std::min(typeBytes(v.type), 8u);
       i < n && offset + i < v.init.size(); ++i)
    bits |= uint64_t(v.init[offset + i]) << (8 * i);
  if (v.type == Type::F32)
    put("0f{:08X}", bits);
  else if (v.type == Type::F64)
    put("0d{:016X}", bits);
  else
    put("{}", bits);
}

void Printer::initialiser(const Variable &v) {
  if (v.init.empty())
    return;
  bool braces = v.isArray || v.vector > 1;
  put(" = {}", braces ? "{" : "");
  size_t next = 0;
  for (uint64_t at = 0; at < v.init.size(); at += typeBytes(v.type)) {
    bool here = next < v.relocations.size() && v.relocations[next].offset == at;
    put("{}", at ? ", " : "");
    element(v, at, here ? &v.relocations[next] : nullptr);
    next += here;
  }
  put("{}", braces ? "}" : "");
}

void Printer::variable(const Variable &v, std::string_view indent) {
  put("{}{}", indent, linkage(v.linkage));
  head(v);
  initialiser(v);
  put(";\n");
}

void Printer::params(const std::vector<Variable> &list) {
  put("(");
  for (size_t i = 0; i < list.size(); ++i) {
    put("{}", i ? ", " : "");
    head(list[i]);
  }
  put(")");
}

void Printer::bounds(const Function &f) {
  const LaunchBounds &b = f.bounds;
  auto three = [&](std::string_view name,
                   const std::optional<std::array<uint32_t, 3>> &value) {
    if (value)
      put(" .{} {}, {}, {}", name, (*value)[0], (*value)[1], (*value)[2]);
  };
  auto one = [&](std::string_view name, const std::optional<uint32_t> &value) {
    if (value)
      put(" .{} {}", name, *value);
  };
  three("maxntid", b.maxNTid);
  three("reqntid", b.reqNTid);
  three("reqnctapercluster", b.reqNCtaPerCluster);
  one("maxnreg", b.maxNReg);
  one("minnctapersm", b.minNCtaPerSm);
  one("maxnctapersm", b.maxNCtaPerSm);
  one("maxclusterrank", b.maxClusterRank);
  if (b.explicitCluster)
    put(" .explicitcluster");
  if (f.noreturn)
    put(" .noreturn");
}

void Printer::signature(const Function &f) {
  put("{}.{} ", linkage(f.linkage), f.isEntry ? "entry" : "func");
  if (!f.returns.empty()) {
    params(f.returns);
    put(" ");
  }
  put("{}", m.str(f.name));
  params(f.params);
  bounds(f);
}

void Printer::operands(const Function &f, std::span<const Operand> list) {
  for (size_t i = 0; i < list.size(); ++i) {
    put("{}", i ? ", " : "");
    operand(f, list[i]);
  }
}

void Printer::special(const Operand &o) {
  static constexpr std::string_view components[] = {".x", ".y", ".z", ".w"};
  put("{}", specialRegName(o.special));
  if (o.special == SpecialReg::Pm64) {
    out.resize(out.size() - 3); // %pm_64 is %pm3_64
    put("{}_64", o.number);
  } else if (o.special == SpecialReg::EnvReg || o.special == SpecialReg::Pm ||
             o.special == SpecialReg::ReservedSmemOffset) {
    put("{}", o.number);
  }
  if (o.component < 4)
    put("{}", components[o.component]);
}

void Printer::immediate(const Operand &o) {
  if (o.type == Type::F32)
    put("0f{:08X}", uint32_t(o.value));
  else if (o.type == Type::F64)
    put("0d{:016X}", uint64_t(o.value));
  else if (o.type == Type::U64)
    put("{}U", uint64_t(o.value));
  else if (o.value == INT64_MIN)
    put("(-9223372036854775807-1)"); // the literal would be unsigned
  else
    put("{}", o.value);
}

void Printer::address(const Function &f, const Operand &o) {
  put("[");
  if (o.index != kNone)
    put("{}", m.str(f.registers[o.index].name));
  symbol(&f, o.symbol);
  if (o.index == kNone && o.symbol.kind == SymbolKind::None)
    put("{}", o.value);
  else if (o.value)
    put("{:+}", o.value);
  put("{}", o.count ? ", " : "");
  operands(f, f.elements(o));
  put("]");
}

void Printer::operand(const Function &f, const Operand &o) {
  auto enclosed = [&](std::string_view open, std::string_view close) {
    put("{}", open);
    operands(f, f.elements(o));
    put("{}", close);
  };
  if (o.negated)
    put("{}", f.registers[o.index].type == Type::Pred ? "!" : "-");
  switch (o.kind) {
  case OperandKind::Register:
    put("{}", m.str(f.registers[o.index].name));
    if (o.selector != kNone)
      put(".{}", m.str(o.selector));
    break;
  case OperandKind::Special:
    return special(o);
  case OperandKind::Immediate:
    return immediate(o);
  case OperandKind::Symbol:
    put("{}", o.generic ? "generic(" : "");
    symbol(&f, o.symbol);
    if (o.value)
      put("{:+}", o.value);
    put("{}", o.generic ? ")" : "");
    break;
  case OperandKind::Address:
    return address(f, o);
  case OperandKind::Vector:
    return enclosed("{", "}");
  case OperandKind::List:
    return enclosed("(", ")");
  case OperandKind::Pair:
    operand(f, f.elements(o)[0]);
    put("|");
    operand(f, f.elements(o)[1]);
    break;
  case OperandKind::Label:
    put("{}", m.str(f.labels[o.index].name));
    break;
  case OperandKind::BranchTargets:
    put("$targets{}", o.index);
    break;
  case OperandKind::CallTargets:
    put("$callees{}", o.index);
    break;
  case OperandKind::Prototype:
    put("{}", m.str(f.prototypes[o.index].name));
    break;
  case OperandKind::Sink:
    put("_");
    break;
  }
}

void Printer::instruction(const Function &f, const Instruction &inst) {
  put("  ");
  if (inst.guard != kNone)
    put("@{}{} ", inst.guardNegated ? "!" : "",
        m.str(f.registers[inst.guard].name));
  std::span<const Operand> list = f.operandsOf(inst);
  put("{}", m.str(m.instructionNames[inst.name].full));
  // An empty list of results, and one of arguments, is not written.
  if (m.str(m.instructionNames[inst.name].opcode) == "call") {
    bool noArguments = list.size() == 3 && list[2].count == 0;
    if (list[0].count == 0)
      list = list.subspan(1);
    if (noArguments)
      list = list.first(list.size() - 1);
  }
  put("{}", list.empty() ? "" : " ");
  operands(f, list);
  put(";\n");
}

void Printer::prologue(const Function &f) {
  std::vector<bool> isParam(f.registers.size());
  for (const auto *list : {&f.params, &f.returns})
    for (const Variable &v : *list)
      if (v.reg != kNone)
        isParam[v.reg] = true;
  for (size_t i = 0; i < f.registers.size(); ++i)
    if (!isParam[i])
      put("  .reg .{} {};\n", typeName(f.registers[i].type),
          m.str(f.registers[i].name));
  for (const Variable &v : f.variables)
    variable(v, "  ");
  for (const std::string &pragma : f.pragmas)
    put("  .pragma \"{}\";\n", pragma);
}

/// Lists that stand at a label of their own.
void Printer::labelled(const Function &f) {
  for (const Prototype &p : f.prototypes) {
    put("  {}: .callprototype ", m.str(p.name));
    if (!p.returns.empty()) {
      params(p.returns);
      put(" ");
    }
    put("_ ");
    params(p.params);
    put("{};\n", p.noreturn ? " .noreturn" : "");
  }
  for (size_t i = 0; i < f.branchTargets.size(); ++i) {
    put("  $targets{}: .branchtargets ", i);
    for (size_t j = 0; j < f.branchTargets[i].size(); ++j)
      put("{}{}", j ? ", " : "", m.str(f.labels[f.branchTargets[i][j]].name));
    put(";\n");
  }
  for (size_t i = 0; i < f.callTargets.size(); ++i) {
    put("  $callees{}: .calltargets ", i);
    for (size_t j = 0; j < f.callTargets[i].size(); ++j)
      put("{}{}", j ? ", " : "", m.str(m.functions[f.callTargets[i][j]].name));
    put(";\n");
  }
}

void Printer::body(const Function &f) {
  put("{{\n");
  prologue(f);
  labelled(f);
  size_t label = 0; // labels are in the order of their instructions
  for (uint32_t i = 0; i <= f.body.size(); ++i) {
    for (; label < f.labels.size() && f.labels[label].instruction == i; ++label)
      put("{}:\n", m.str(f.labels[label].name));
    for (auto [place, mask] : f.usedBytes)
      if (place == i)
        put("  .pragma \"used_bytes_mask {:#x}\";\n", mask);
    if (i < f.body.size())
      instruction(f, f.body[i]);
  }
  put("}}\n");
}

std::string Printer::run() {
  put(".version {}.{}\n.target {}", m.versionMajor, m.versionMinor, m.target);
  for (const std::string &option : m.targetOptions)
    put(", {}", option);
  put("\n.address_size {}\n", m.addressSize);
  for (const Function &f : m.functions) {
    signature(f);
    put(";\n");
  }
  for (const Variable &v : m.variables)
    variable(v, "");
  for (const Function &f : m.functions)
    if (f.isDefined) {
      signature(f);
      put("\n");
      body(f);
    }
  for (auto [name, function] : m.aliases)
    put(".alias {}, {};\n", m.str(m.functions[name].name),
        m.str(m.functions[function].name));
  return std::move(out);
}
} // namespace

std::string ptx::print(const Module &module) { return Printer(module).run(); }
