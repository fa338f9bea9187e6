//===- ParseVariable.cpp - PTX variables, registers, initial values -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <algorithm>
#include <bit>

using namespace hwtune;
using namespace hwtune::ptx;

//===----------------------------------------------------------------------===//
// Heads: `.align 8 .v2 .f32`
//===----------------------------------------------------------------------===//

bool Parser::parseAlign(uint32_t &align) {
  Loc loc = tok.loc;
  if (!parseU32("an alignment", align))
    return false;
  if (!std::has_single_bit(align) || align > 65536)
    return fail(
        loc, fmt::format("alignment is {}, expected a power of two up to 65536",
                         align));
  return true;
}

/// `.attribute(.managed)`, `.attribute(.unified(a, b))`.
bool Parser::parseAttribute(DeclHead &head) {
  if (!expect('(', "after `.attribute`"))
    return false;
  do {
    if (tok.kind != Tok::Dot)
      return failExpected("an attribute");
    head.managed |= tok.text == "managed";
    advance();
    if (!accept('('))
      continue;
    int64_t ignored;
    do
      if (!parseConstInt("a number", ignored))
        return false;
    while (accept(','));
    if (!expect(')', "after the attribute's values"))
      return false;
  } while (accept(','));
  return expect(')', "after the attributes");
}

/// `.ptr [.space] [.align N]` of a kernel parameter.
bool Parser::parsePtr(DeclHead &head) {
  head.isPtr = true;
  for (Space space : {Space::Const, Space::Global, Space::Local, Space::Shared})
    if (tok.isDot(spaceName(space))) {
      head.ptrSpace = space;
      advance();
      break;
    }
  if (!tok.isDot("align"))
    return true;
  advance();
  return parseAlign(head.ptrAlign);
}

bool Parser::parseDeclWord(DeclHead &head, bool &known) {
  std::string_view word = tok.text;
  Loc loc = tok.loc;
  known = true;
  if (word == "align")
    return advance(), parseAlign(head.align);
  if (word == "attribute")
    return advance(), parseAttribute(head);
  if (word == "ptr")
    return advance(), parsePtr(head);
  if (word == "v2" || word == "v4" || word == "v8") {
    if (head.vector != 1)
      return fail(loc, "second vector size in one declaration");
    head.vector = uint8_t(word[1] - '0');
    return advance(), true;
  }
  std::optional<Type> type = typeFromName(word);
  if (!type) {
    known = false;
    return true;
  }
  if (head.type != Type::None)
    return fail(loc, fmt::format("second type `.{}` after `.{}`", word,
                                 typeName(head.type)));
  head.type = *type;
  return advance(), true;
}

bool Parser::parseDeclHead(DeclHead &head) {
  while (tok.kind == Tok::Dot) {
    bool known;
    if (!parseDeclWord(head, known))
      return false;
    if (!known)
      return failExpected("a type, `.align` or a vector size");
  }
  if (head.type == Type::None)
    return failExpected("a type");
  if (head.type == Type::Pred && head.space != Space::Reg)
    return fail(tok.loc,
                fmt::format("`.pred` is a type of registers, not of `.{}`",
                            spaceName(head.space)));
  return true;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint32_t Parser::newRegister(StringId name, Type type) {
  fn->registers.push_back({uniqueName(name), type});
  return uint32_t(fn->registers.size() - 1);
}

/// A register, or the elements of a vector register.
bool Parser::declareRegister(StringId name, const DeclHead &head, Loc loc) {
  Binding binding;
  binding.kind = BindKind::Register;
  binding.vector = head.vector;
  binding.index = uint32_t(fn->registers.size());
  for (unsigned i = 0; i < head.vector; ++i)
    newRegister(name, head.type);
  if (!names.declare(name, binding))
    return fail(loc, fmt::format("`{}` is declared twice in one scope",
                                 module.str(name)));
  return true;
}

bool Parser::parseRegisters() {
  DeclHead head;
  head.space = Space::Reg;
  if (!parseDeclHead(head))
    return false;
  do {
    StringId name;
    Loc loc;
    if (!expectIdentifier("a register name", name, loc))
      return false;
    if (!accept('<')) {
      if (!declareRegister(name, head, loc))
        return false;
      continue;
    }
    // A literal: in an expression, `>` would be an operator.
    if (tok.kind != Tok::Integer)
      return failExpected("the number of registers");
    uint64_t count = tok.value;
    advance();
    if (!expect('>', "after the number of registers"))
      return false;
    RegisterRange range;
    range.prefix = name;
    range.count = count;
    range.type = head.type;
    range.vector = head.vector;
    if (!names.declareRange(range))
      return fail(
          loc, fmt::format("registers `{}<>` are declared twice in one scope",
                           module.str(name)));
  } while (accept(','));
  return expect(';', "after the registers");
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// A name with its dimensions; sets the size.
bool Parser::parseDeclarator(const DeclHead &head, Variable &variable) {
  if (!expectIdentifier("a name", variable.name, variable.loc))
    return false;
  variable.space = head.space;
  variable.linkage = head.linkage;
  variable.type = head.type;
  variable.vector = head.vector;
  variable.managed = head.managed;
  variable.isPtr = head.isPtr;
  variable.ptrSpace = head.ptrSpace;
  variable.ptrAlign = head.ptrAlign;
  uint64_t bytes = uint64_t(typeBytes(head.type)) * head.vector;
  variable.align = std::max(head.align, uint32_t(head.align ? 1 : bytes));
  while (accept('[')) {
    uint64_t count = 0;
    Loc loc = tok.loc;
    if (tok.is(']')) {
      if (variable.isArray)
        return failExpected("the size of an inner dimension");
      variable.unsized = true;
    } else {
      int64_t written;
      if (!parseConstInt("the size of a dimension", written))
        return false;
      if (written < 0)
        return fail(
            loc, fmt::format("dimension is {}, expected 0 or more", written));
      count = uint64_t(written);
      if (!variable.unsized || variable.isArray)
        if (__builtin_mul_overflow(bytes, count, &bytes) ||
            bytes > kMaxVariableBytes)
          return fail(loc,
                      fmt::format("variable `{}` is larger than 2^40 bytes",
                                  module.str(variable.name)));
    }
    variable.isArray = true;
    variable.dims.push_back(count);
    if (!expect(']', "after the dimension"))
      return false;
    if (variable.dims.size() > 16)
      return fail(loc, "variable has more than 16 dimensions");
  }
  // Of an unsized array this is one element of its first dimension.
  variable.bytes = bytes;
  return true;
}

bool Parser::parseVariables(Space space, Linkage linkage) {
  DeclHead head;
  head.space = space;
  head.linkage = linkage;
  if (!parseDeclHead(head))
    return false;
  do {
    Variable variable;
    if (!parseDeclarator(head, variable))
      return false;
    bool hasInit = tok.is('=');
    if (variable.unsized && !hasInit) {
      if (space != Space::Shared && linkage != Linkage::Extern)
        return fail(
            variable.loc,
            fmt::format("array `{}` has neither a size nor initial values",
                        module.str(variable.name)));
      variable.bytes = 0;
    }
    Variable *placed = nullptr;
    if (!declareVariable(std::move(variable), placed))
      return false;
    if (!hasInit)
      continue;
    if (space != Space::Global && space != Space::Const)
      return fail(tok.loc,
                  fmt::format("`.{}` variables cannot have initial values",
                              spaceName(space)));
    advance();
    if (!parseInitialiser(*placed))
      return false;
  } while (accept(','));
  return expect(';', "after the variable");
}

/// `.extern` and `.weak` names may be declared again.
bool Parser::redeclareVariable(Variable &&variable, uint32_t index,
                               Variable *&placed) {
  Variable &old = module.variables[index];
  bool weak = old.linkage == Linkage::Weak || old.linkage == Linkage::Common;
  bool again = old.linkage == Linkage::Extern ||
               variable.linkage == Linkage::Extern || weak;
  if (!again)
    return fail(variable.loc, fmt::format("`{}` is declared twice in one scope",
                                          module.str(variable.name)));
  if (old.space != variable.space || old.type != variable.type)
    return fail(variable.loc,
                fmt::format("`{}` was declared as `.{} .{}`",
                            module.str(variable.name), spaceName(old.space),
                            typeName(old.type)));
  placed = &old;
  if (variable.linkage != Linkage::Extern) {
    variable.name = old.name;
    old = std::move(variable);
  }
  return true;
}

bool Parser::declareVariable(Variable &&variable, Variable *&placed) {
  bool hoisted =
      variable.space == Space::Global || variable.space == Space::Const;
  bool inModule = !fn || hoisted;
  Loc loc = variable.loc;
  StringId written = variable.name;
  if (!fn)
    if (const Binding *old = names.find(written).binding;
        old && old->symbolKind == SymbolKind::Global)
      return redeclareVariable(std::move(variable), old->index, placed);
  auto &list = inModule ? module.variables : fn->variables;
  Binding binding;
  binding.kind = BindKind::Symbol;
  binding.symbolKind = inModule ? SymbolKind::Global : SymbolKind::Variable;
  binding.index = uint32_t(list.size());
  if (!names.declare(written, binding))
    return fail(loc, fmt::format("`{}` is declared twice in one scope",
                                 module.str(written)));
  variable.name = uniqueName(written);
  // What moves from a body to the module must hide nothing there either.
  if (fn && hoisted)
    takenBy[variable.name] = kNone;
  list.push_back(std::move(variable));
  placed = &list.back();
  return true;
}

//===----------------------------------------------------------------------===//
// Initial values
//===----------------------------------------------------------------------===//

bool Parser::parseInitialiser(Variable &variable) {
  uint64_t element = typeBytes(variable.type);
  if (!tok.is('{')) {
    if (variable.isArray || variable.vector != 1)
      return failExpected("`{` before the initial values of an array");
    return parseInitElement(variable, 0);
  }
  if (!variable.isArray && variable.vector == 1) {
    // `= {5}` of a scalar.
    advance();
    return parseInitElement(variable, 0) &&
           expect('}', "after the initial value");
  }
  if (!variable.unsized)
    return parseInitLevel(variable, 0, 0, variable.bytes);
  uint64_t row = std::max(variable.bytes, element);
  if (!parseInitLevel(variable, 0, 0, kMaxVariableBytes))
    return false;
  uint64_t used = variable.init.size();
  for (const Relocation &r : variable.relocations)
    used = std::max(used, r.offset + r.bytes);
  variable.dims[0] = (used + row - 1) / row;
  variable.bytes = variable.dims[0] * row;
  variable.unsized = false;
  return true;
}

/// One `{ ... }` that fills `bytes` bytes from `begin`. As in C, values may
/// stand flat at any level, and what is missing is zero.
bool Parser::parseInitLevel(Variable &variable, unsigned level, uint64_t begin,
                            uint64_t bytes) {
  Loc loc = tok.loc;
  if (!expect('{', "before the initial values"))
    return false;
  uint64_t element = typeBytes(variable.type), row = element;
  for (size_t i = variable.dims.size(); i > level + 1; --i)
    row *= variable.dims[i - 1];
  if (level < variable.dims.size())
    row *= variable.vector;
  uint64_t at = 0;
  while (!tok.is('}')) {
    if (at >= bytes)
      return fail(tok.loc,
                  fmt::format("more initial values than `{}` has elements",
                              module.str(variable.name)));
    if (tok.is('{')) {
      if (level + 1 >= variable.dims.size() + (variable.vector > 1))
        return fail(tok.loc, "more nested braces than dimensions");
      if (row == 0 || at % row != 0)
        return fail(tok.loc, "braces begin in the middle of a row");
      if (!parseInitLevel(variable, level + 1, begin + at, row))
        return false;
      at += row;
    } else {
      if (!parseInitElement(variable, begin + at))
        return false;
      at += element;
    }
    if (!accept(','))
      break;
  }
  if (!tok.is('}'))
    return fail(tok.loc, fmt::format("expected `,` or `}}` in the initial "
                                     "values begun at {}:{}, found {}",
                                     loc.line, loc.column, foundText()));
  advance();
  return true;
}

bool Parser::putInit(Variable &variable, uint64_t offset, uint64_t value) {
  unsigned bytes = typeBytes(variable.type);
  uint64_t need = offset + bytes;
  if (variable.init.size() < need) {
    initBytes += need - variable.init.size();
    if (initBytes > kMaxInitBytes)
      return fail(tok.loc,
                  fmt::format("initial values are larger than {} bytes",
                              kMaxInitBytes));
    variable.init.resize(need);
  }
  for (unsigned i = 0; i < bytes && i < 8; ++i)
    variable.init[offset + i] = uint8_t(value >> (8 * i));
  return true;
}

/// The address of a symbol, `mask` 0 for the whole of it.
bool Parser::parseInitSymbol(Variable &variable, uint64_t offset,
                             uint64_t mask) {
  Relocation relocation;
  relocation.offset = offset;
  relocation.bytes = uint8_t(typeBytes(variable.type));
  if (mask) {
    relocation.shift = uint8_t(std::countr_zero(mask));
    if (relocation.shift % 8 || mask >> relocation.shift != 0xff)
      return fail(
          tok.loc,
          fmt::format("mask is {:#x}, expected one byte, as in 0xff00", mask));
    relocation.bytes = 1;
  }
  relocation.generic = tok.kind == Tok::Identifier && tok.text == "generic";
  if (relocation.generic) {
    advance();
    if (!expect('(', "after `generic`"))
      return false;
  }
  StringId name;
  Loc loc;
  if (!expectIdentifier("an initial value", name, loc))
    return false;
  if (relocation.generic && !expect(')', "after the name"))
    return false;
  const Binding *binding = names.find(name).binding;
  bool isAddress = binding && binding->kind == BindKind::Symbol &&
                   (binding->symbolKind == SymbolKind::Global ||
                    binding->symbolKind == SymbolKind::Function);
  if (!isAddress)
    return fail(loc, fmt::format("undefined name `{}` in an initial value",
                                 module.str(name)));
  relocation.symbol = {binding->symbolKind, binding->index};
  if ((tok.is('+') || tok.is('-')) &&
      !parseConstInt("an offset", relocation.addend))
    return false;
  if (!putInit(variable, offset, 0))
    return false;
  variable.relocations.push_back(relocation);
  return true;
}

bool Parser::parseInitElement(Variable &variable, uint64_t offset) {
  if (tok.kind == Tok::Identifier && tok.text != "WARP_SZ")
    return parseInitSymbol(variable, offset, 0);
  Loc loc = tok.loc;
  if (tok.kind == Tok::Integer) {
    uint64_t mask = tok.value;
    Lexer::Position here = lexer.position();
    Token number = tok;
    advance();
    if (accept('(')) {
      if (mask == 0)
        return fail(loc, "mask is 0, expected one byte, as in 0xff00");
      return parseInitSymbol(variable, offset, mask) &&
             expect(')', "after the masked name");
    }
    lexer.rewind(here);
    tok = number;
  }
  ConstValue value;
  if (!startsConst())
    return failExpected("an initial value");
  if (!parseConst(value))
    return false;
  bool floating = variable.type >= Type::F16 && variable.type <= Type::F64;
  double number = value.isFloat      ? std::bit_cast<double>(value.bits)
                  : value.isUnsigned ? double(value.bits)
                                     : double(int64_t(value.bits));
  if (variable.type == Type::F64)
    return putInit(variable, offset,
                   value.isFloat ? value.bits
                                 : std::bit_cast<uint64_t>(number));
  if (variable.type == Type::F32)
    return putInit(variable, offset, std::bit_cast<uint32_t>(float(number)));
  if (value.isFloat && floating)
    return fail(loc,
                fmt::format("initial values of `.{}` are written as integers",
                            typeName(variable.type)));
  if (value.isFloat)
    return fail(loc, fmt::format("initial value of a `.{}` is a float",
                                 typeName(variable.type)));
  return putInit(variable, offset, value.bits);
}
