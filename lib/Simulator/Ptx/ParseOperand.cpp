//===- ParseOperand.cpp - operands of PTX instructions --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <bit>

using namespace hwtune;
using namespace hwtune::ptx;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Binds the special register `name` at the module's scope, or null.
const Binding *Parser::lookUpSpecial(StringId name) {
  std::string_view text = module.str(name);
  if (text.size() < 3 || text[0] != '%')
    return nullptr;
  Binding binding;
  binding.kind = BindKind::Special;
  binding.number = 0;
  constexpr unsigned count = unsigned(SpecialReg::CurrentGraphExec) + 1;
  for (unsigned i = 0; i < count; ++i)
    if (text == specialRegName(SpecialReg(i)))
      binding.index = i;
  // %envreg0..31, %pm0..7, %pm0_64, %reserved_smem_offset_0..1.
  bool is64 = text.starts_with("%pm") && text.ends_with("_64");
  std::string_view stem = is64 ? text.substr(0, text.size() - 3) : text;
  size_t digits = stem.find_last_not_of("0123456789") + 1;
  if (binding.index == kNone && digits < stem.size() &&
      stem.size() - digits <= 2) {
    unsigned number = 0;
    for (char c : stem.substr(digits))
      number = number * 10 + unsigned(c - '0');
    auto is = [&](SpecialReg reg, unsigned limit) {
      if (stem.substr(0, digits) == specialRegName(reg) && number < limit)
        binding.index = unsigned(reg), binding.number = uint8_t(number);
    };
    is(SpecialReg::EnvReg, 32);
    is(SpecialReg::Pm, 8);
    is(SpecialReg::ReservedSmemOffset, 2);
    if (is64 && binding.index == unsigned(SpecialReg::Pm))
      binding.index = unsigned(SpecialReg::Pm64);
  }
  bool numbered = binding.index == unsigned(SpecialReg::EnvReg) ||
                  binding.index == unsigned(SpecialReg::Pm) ||
                  binding.index == unsigned(SpecialReg::Pm64) ||
                  binding.index == unsigned(SpecialReg::ReservedSmemOffset);
  if (binding.index == kNone || (numbered && digits == stem.size()))
    return nullptr;
  names.bindAt(name, binding, 0);
  return names.find(name).binding;
}

/// What `name` means here. A register of a range comes to life.
const Binding *Parser::lookUp(StringId name) {
  Scopes::Found found = names.find(name);
  if (found.range) {
    RegisterRange range = *found.range;
    Binding binding;
    binding.kind = BindKind::Register;
    binding.vector = range.vector;
    binding.index = uint32_t(fn->registers.size());
    for (unsigned i = 0; i < range.vector; ++i)
      newRegister(name, range.type);
    names.bindAt(name, binding, range.depth);
    found = names.find(name);
  }
  return found.binding ? found.binding : lookUpSpecial(name);
}

/// A name that means nothing (yet): a label that may come later. Its id waits
/// in `value` until the operand has its place.
void Parser::labelOperand(Operand &operand, StringId name) {
  operand.kind = OperandKind::Label;
  operand.value = name;
}

bool Parser::bindOperand(Operand &operand, StringId name,
                         const Binding &binding) {
  operand.index = binding.index;
  switch (binding.kind) {
  case BindKind::Register:
    operand.kind = OperandKind::Register;
    return parseRegisterSuffix(operand, binding);
  case BindKind::Special:
    operand.kind = OperandKind::Special;
    operand.special = SpecialReg(binding.index);
    operand.number = binding.number;
    operand.index = kNone;
    return parseSpecialSuffix(operand);
  case BindKind::Symbol: {
    operand.kind = OperandKind::Symbol;
    operand.symbol = {binding.symbolKind, binding.index};
    operand.index = kNone;
    if (tok.is('+') || tok.is('-'))
      return parseConstInt("an offset", operand.value);
    if (!tok.is('['))
      return true;
    // `a[3]`: the address of an element.
    const Variable *variable = binding.symbolKind == SymbolKind::Global
                                   ? &module.variables[binding.index]
                               : binding.symbolKind == SymbolKind::Variable
                                   ? &fn->variables[binding.index]
                               : binding.symbolKind == SymbolKind::Param
                                   ? &fn->params[binding.index]
                                   : nullptr;
    int64_t element;
    if (!variable)
      return fail(operand.loc,
                  fmt::format("`{}` has no elements", module.str(name)));
    advance();
    if (!parseConstInt("the number of an element", element))
      return false;
    operand.value = int64_t(uint64_t(element) * typeBytes(variable->type) *
                            variable->vector);
    // A memory instruction accesses the element, `mov` takes its address.
    if (!isMove)
      operand.kind = OperandKind::Address;
    return expect(']', "after the number of the element");
  }
  case BindKind::BranchTargets:
    operand.kind = OperandKind::BranchTargets;
    return true;
  case BindKind::CallTargets:
    operand.kind = OperandKind::CallTargets;
    return true;
  case BindKind::Prototype:
    operand.kind = OperandKind::Prototype;
    return true;
  case BindKind::Label:
  case BindKind::None:
    break;
  }
  labelOperand(operand, name);
  return true;
}

/// After a register: `.x` of a vector register, `.b0`, `.h1` in video
/// instructions. A vector register without a suffix is a vector operand.
bool Parser::parseRegisterSuffix(Operand &operand, const Binding &binding) {
  unsigned vector = binding.vector;
  uint32_t first = binding.index;
  if (vector == 1) {
    if (tok.kind != Tok::Dot)
      return true;
    if (tok.text[0] != 'b' && tok.text[0] != 'h')
      return failExpected("`.b` or `.h` with its digits after the register");
    operand.selector = module.strings.intern(tok.text);
    return advance(), true;
  }
  if (tok.kind == Tok::Dot) {
    size_t element = tok.text.size() == 1
                         ? std::string_view("xyzwrgba").find(tok.text[0])
                         : std::string_view::npos;
    if (element == std::string_view::npos || element % 4 >= vector)
      return failExpected(fmt::format(
          "an element of a vector of {} after the register", vector));
    operand.index = first + uint32_t(element % 4);
    return advance(), true;
  }
  Operands elements(vector);
  for (unsigned i = 0; i < vector; ++i) {
    elements[i].kind = OperandKind::Register;
    elements[i].index = first + i;
    elements[i].loc = operand.loc;
  }
  operand.kind = OperandKind::Vector;
  operand.index = kNone;
  spread(operand, elements);
  return true;
}

bool Parser::parseSpecialSuffix(Operand &operand) {
  if (tok.kind != Tok::Dot)
    return true;
  static constexpr std::string_view letters = "xyzwrgba";
  size_t component =
      tok.text.size() == 1 ? letters.find(tok.text[0]) : std::string_view::npos;
  if (component == std::string_view::npos)
    return failExpected("`.x`, `.y`, `.z` or `.w` after the special register");
  operand.component = uint8_t(component % 4);
  return advance(), true;
}

bool Parser::parseNamed(Operand &operand, bool isBranch) {
  operand.loc = tok.loc;
  if (tok.text == "_") {
    operand.kind = OperandKind::Sink;
    return advance(), true;
  }
  if (tok.text == "generic") {
    Lexer::Position here = lexer.position();
    Token word = tok;
    advance();
    if (accept('(')) {
      StringId name;
      Loc loc;
      if (!expectIdentifier("a variable's name", name, loc))
        return false;
      const Binding *found = lookUp(name);
      if (!found || found->kind != BindKind::Symbol)
        return fail(loc,
                    fmt::format("`{}` is not a variable", module.str(name)));
      operand.generic = true;
      if (!bindOperand(operand, name, Binding(*found)) ||
          !expect(')', "after the name"))
        return false;
      int64_t more = 0;
      if ((tok.is('+') || tok.is('-')) && !parseConstInt("an offset", more))
        return false;
      operand.value = int64_t(uint64_t(operand.value) + uint64_t(more));
      return true;
    }
    lexer.rewind(here);
    tok = word;
  }
  StringId name = module.strings.intern(tok.text);
  advance();
  const Binding *found = isBranch ? nullptr : lookUp(name);
  if (found)
    return bindOperand(operand, name, Binding(*found));
  labelOperand(operand, name);
  return true;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Gives `operand` its elements, adjacent in the pool.
void Parser::spread(Operand &operand, const Operands &elements) {
  operand.first = uint32_t(fn->operands.size());
  operand.count = uint32_t(elements.size());
  fn->operands.insert(fn->operands.end(), elements.begin(), elements.end());
}

bool Parser::parseImmediate(Operand &operand) {
  operand.loc = tok.loc;
  ConstValue value;
  if (!parseConst(value))
    return false;
  operand.kind = OperandKind::Immediate;
  operand.value = int64_t(value.bits);
  if (!value.isFloat) {
    operand.type = value.isUnsigned ? Type::U64 : Type::S64;
  } else if (!value.isSingle) {
    operand.type = Type::F64;
  } else {
    operand.type = Type::F32;
    // Undoes the widening of the literal, NaN payloads included.
    uint64_t bits = value.bits;
    bool finite = (bits >> 52 & 0x7ff) != 0x7ff;
    operand.value =
        finite ? std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)))
               : uint32_t(bits >> 63 << 31 | 0x7f800000u |
                          (bits >> 29 & 0x7fffffu));
  }
  return true;
}

/// `{a, b, ...}`
bool Parser::parseVector(Operand &operand) {
  operand.kind = OperandKind::Vector;
  advance();
  Operands elements;
  do {
    Operand element;
    element.loc = tok.loc;
    if (tok.kind == Tok::Identifier && tok.text != "WARP_SZ") {
      std::string_view text = tok.text;
      if (!parseNamed(element, false))
        return false;
      if (element.kind == OperandKind::Label)
        return fail(element.loc,
                    fmt::format("undefined name `{}`", text.substr(0, 60)));
      if (element.kind == OperandKind::Vector)
        return fail(element.loc, fmt::format("`{}` is a vector inside a vector",
                                             text.substr(0, 60)));
    } else if (startsConst()) {
      if (!parseImmediate(element))
        return false;
    } else {
      return failExpected("an element of a vector");
    }
    elements.push_back(element);
  } while (accept(','));
  spread(operand, elements);
  return expect('}', "after the vector");
}

bool Parser::parseAddressBase(Operand &operand) {
  if (tok.kind == Tok::Identifier && tok.text != "WARP_SZ" && tok.text != "_") {
    std::string_view text = tok.text;
    Loc loc = tok.loc;
    if (!parseNamed(operand, false))
      return false;
    bool isBase = operand.kind == OperandKind::Register ||
                  operand.kind == OperandKind::Symbol ||
                  operand.kind == OperandKind::Address;
    if (operand.kind == OperandKind::Label)
      return fail(loc, fmt::format("undefined name `{}`", text.substr(0, 60)));
    if (!isBase || operand.selector != kNone)
      return fail(loc,
                  fmt::format("`{}` cannot be an address", text.substr(0, 60)));
    if (operand.kind == OperandKind::Register && (tok.is('+') || tok.is('-')))
      return parseConstInt("an offset", operand.value);
    return true;
  }
  return parseConstInt("an address", operand.value);
}

/// `[base + offset]`, `[base, coordinates...]`
bool Parser::parseAddress(Operand &operand) {
  advance();
  if (!parseAddressBase(operand))
    return false;
  operand.kind = OperandKind::Address;
  Operands rest;
  while (accept(',')) {
    Operand part;
    part.loc = tok.loc;
    if (tok.is('{')) {
      if (!parseVector(part))
        return false;
    } else if (tok.kind == Tok::Identifier) {
      std::string_view text = tok.text;
      if (!parseNamed(part, false))
        return false;
      if (part.kind == OperandKind::Label)
        return fail(part.loc,
                    fmt::format("undefined name `{}`", text.substr(0, 60)));
    } else if (startsConst()) {
      if (!parseImmediate(part))
        return false;
    } else {
      return failExpected("a coordinate of an address");
    }
    rest.push_back(part);
  }
  if (!rest.empty())
    spread(operand, rest);
  return expect(']', "after the address");
}

/// `|q` after `p`.
bool Parser::parsePairTail(Operand &operand) {
  Operands pair{operand, Operand()};
  advance();
  if (tok.kind != Tok::Identifier)
    return failExpected("a register after `|`");
  if (!parseNamed(pair[1], false))
    return false;
  for (const Operand &half : pair)
    if (half.kind != OperandKind::Register && half.kind != OperandKind::Sink)
      return fail(half.loc, "both sides of `|` must be registers");
  operand = Operand();
  operand.kind = OperandKind::Pair;
  operand.loc = pair[0].loc;
  spread(operand, pair);
  return true;
}

bool Parser::parseOperand(Operand &operand, bool isBranch) {
  operand.loc = tok.loc;
  if (tok.kind == Tok::Identifier && tok.text != "WARP_SZ") {
    if (!parseNamed(operand, isBranch))
      return false;
    return tok.is('|') ? parsePairTail(operand) : true;
  }
  if (tok.is('{'))
    return parseVector(operand);
  if (tok.is('['))
    return parseAddress(operand);
  // `!p` of a predicate, `-r` in `vmad`.
  if (tok.is('!') || tok.is('-')) {
    Lexer::Position here = lexer.position();
    Token bang = tok;
    advance();
    if (tok.kind == Tok::Identifier && tok.text != "WARP_SZ") {
      std::string_view text = tok.text;
      if (!parseNamed(operand, false))
        return false;
      if (operand.kind != OperandKind::Register)
        return fail(
            operand.loc,
            fmt::format("`{}` is not a register, so `{}` cannot negate it",
                        text.substr(0, 60), bang.text));
      operand.negated = true;
      return true;
    }
    lexer.rewind(here);
    tok = bang;
  }
  if (startsConst() && tok.kind != Tok::Dot)
    return parseImmediate(operand);
  return failExpected("an operand");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// `(a, b)`: registers, parameters, immediates.
bool Parser::parseList(Operand &operand) {
  operand.kind = OperandKind::List;
  operand.loc = tok.loc;
  advance();
  Operands elements;
  while (!tok.is(')')) {
    Operand element;
    if (!parseOperand(element, false))
      return false;
    if (element.kind == OperandKind::Label)
      return fail(element.loc,
                  fmt::format("undefined name `{}`",
                              module.str(StringId(element.value))));
    elements.push_back(element);
    if (!accept(','))
      break;
  }
  spread(operand, elements);
  return expect(')', "after the list of a call");
}

bool Parser::parseCallee(Operands &out) {
  Operand callee;
  if (tok.kind != Tok::Identifier)
    return failExpected("a function or a register to call");
  std::string_view text = tok.text;
  if (!parseNamed(callee, false))
    return false;
  bool isFunction = callee.kind == OperandKind::Symbol &&
                    callee.symbol.kind == SymbolKind::Function &&
                    callee.value == 0;
  if (callee.kind == OperandKind::Label)
    return fail(callee.loc,
                fmt::format("undefined name `{}`", text.substr(0, 60)));
  if (!isFunction && callee.kind != OperandKind::Register)
    return fail(callee.loc,
                fmt::format("`{}` is neither a function nor a register",
                            text.substr(0, 60)));
  out.push_back(callee);
  return true;
}

/// `[(returns),] callee [, (arguments)] [, prototype]`, always put as
/// returns, callee, arguments[, prototype].
bool Parser::parseCallOperands(Operands &out) {
  Operand returns, arguments;
  returns.kind = arguments.kind = OperandKind::List;
  if (tok.is('(') && (!parseList(returns) || !expect(',', "before the callee")))
    return false;
  out.push_back(returns);
  if (!parseCallee(out))
    return false;
  Operand last;
  bool hasLast = false;
  if (accept(',')) {
    if (tok.is('(')) {
      if (!parseList(arguments))
        return false;
      hasLast = accept(',');
    } else {
      hasLast = true;
    }
  }
  out.push_back(arguments);
  if (!hasLast)
    return true;
  if (tok.kind != Tok::Identifier)
    return failExpected("a prototype or a list of call targets");
  std::string_view text = tok.text;
  if (!parseNamed(last, false))
    return false;
  if (last.kind != OperandKind::Prototype &&
      last.kind != OperandKind::CallTargets)
    return fail(
        last.loc,
        fmt::format("`{}` is neither a prototype nor a list of call targets",
                    text.substr(0, 60)));
  out.push_back(last);
  return true;
}
