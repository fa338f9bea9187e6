//===- ParseBody.cpp - statements of a PTX function -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <algorithm>
#include <charconv>

using namespace hwtune;
using namespace hwtune::ptx;

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

bool Parser::openScope() {
  if (names.depth() >= kMaxNesting)
    return fail(tok.loc,
                fmt::format("scopes nest deeper than {}", kMaxNesting));
  names.open();
  labels.open();
  if (pending.size() <= names.depth())
    pending.resize(names.depth() + 1);
  return true;
}

/// Fills in the uses of labels that the closing scope has; the others wait for
/// the scope around it.
bool Parser::resolveLabels() {
  uint16_t depth = labels.depth();
  std::vector<PendingLabel> uses = std::move(pending[depth]);
  pending[depth].clear();
  for (PendingLabel &use : uses) {
    const Binding *label = labels.find(use.name).binding;
    if (label && label->depth == depth) {
      if (use.list != kNone)
        fn->branchTargets[use.list][use.place] = label->index;
      else
        fn->operands[use.operand].index = label->index;
    } else if (depth > 1) {
      pending[depth - 1].push_back(use);
    } else {
      return fail(use.loc,
                  fmt::format("undefined name `{}`", module.str(use.name)));
    }
  }
  return true;
}

bool Parser::closeScope() {
  if (!resolveLabels())
    return false;
  names.close();
  labels.close();
  return true;
}

bool Parser::parseBody() {
  Loc open = tok.loc;
  if (!openScope())
    return false;
  bindParams(fn->returns, SymbolKind::Return);
  bindParams(fn->params, SymbolKind::Param);
  if (failed)
    return false;
  advance(); // the brace
  for (;;) {
    if (tok.kind == Tok::End)
      return fail(tok.loc,
                  fmt::format("body of `{}` begun at {}:{} does not end",
                              module.str(fn->name), open.line, open.column));
    if (tok.is('{')) {
      if (!openScope())
        return false;
      advance();
    } else if (tok.is('}')) {
      bool last = names.depth() == 1;
      if (!closeScope())
        return false;
      advance();
      if (last)
        return true;
    } else if (!parseStatement()) {
      return false;
    }
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool Parser::parseGuard(Instruction &inst) {
  advance(); // `@`
  inst.guardNegated = accept('!');
  Operand guard;
  if (tok.kind != Tok::Identifier)
    return failExpected("a predicate register after `@`");
  Loc loc = tok.loc;
  std::string_view text = tok.text;
  if (!parseNamed(guard, false))
    return false;
  if (guard.kind != OperandKind::Register ||
      fn->registers[guard.index].type != Type::Pred)
    return fail(loc, fmt::format("`{}` is not a predicate register",
                                 text.substr(0, 60)));
  inst.guard = guard.index;
  return true;
}

bool Parser::parseStatement() {
  if (tok.kind == Tok::Dot)
    return parseBodyDirective();
  if (accept(';'))
    return true;
  Instruction inst;
  inst.loc = tok.loc;
  if (tok.is('@')) {
    if (!parseGuard(inst))
      return false;
    if (tok.kind != Tok::Identifier)
      return failExpected("an instruction after the guard");
    return readName(inst) && parseInstruction(inst);
  }
  if (tok.kind != Tok::Identifier)
    return failExpected("an instruction, a label or a directive");
  Token first = tok;
  std::string_view full = lexer.extendName(tok);
  Lexer::Position here = lexer.position();
  advance();
  if (tok.is(':') && full.size() == first.text.size()) {
    advance();
    return parseLabelled(module.strings.intern(full), first.loc);
  }
  tok = first;
  lexer.rewind(here);
  return readName(inst) && parseInstruction(inst);
}

/// Reads the name from `tok` on; modifiers may stand apart (`add .s32`).
bool Parser::readName(Instruction &inst) {
  inst.loc = tok.loc;
  std::string_view full = lexer.extendName(tok);
  advance();
  if (tok.kind != Tok::Dot) {
    inst.name = instructionName(full);
    return true;
  }
  std::string joined(full);
  for (; tok.kind == Tok::Dot; advance()) {
    joined += '.';
    joined += tok.text;
  }
  inst.name = instructionName(joined);
  return true;
}

uint32_t Parser::instructionName(std::string_view full) {
  StringId id = module.strings.intern(full);
  if (id >= nameIndex.size())
    nameIndex.resize(module.strings.size(), kNone);
  if (nameIndex[id] != kNone)
    return nameIndex[id];
  InstructionName name;
  name.full = id;
  for (size_t begin = 0; begin <= full.size();) {
    size_t end = std::min(full.find('.', begin), full.size());
    StringId part = module.strings.intern(full.substr(begin, end - begin));
    if (begin == 0)
      name.opcode = part;
    else
      name.modifiers.push_back(part);
    begin = end + 1;
  }
  uint32_t index = uint32_t(module.instructionNames.size());
  module.instructionNames.push_back(std::move(name));
  return nameIndex[id] = index;
}

bool Parser::parseInstruction(Instruction inst) {
  std::string_view opcode =
      module.str(module.instructionNames[inst.name].opcode);
  // Operands of this instruction are gathered apart: those of a vector or a
  // list must be adjacent in the pool, and so must these.
  isMove = opcode == "mov";
  Operands &operands = scratch;
  operands.clear();
  if (opcode == "call") {
    if (!parseCallOperands(operands))
      return false;
  } else if (!tok.is(';')) {
    do {
      Operand operand;
      if (!parseOperand(operand, opcode == "bra"))
        return false;
      operands.push_back(operand);
    } while (accept(','));
  }
  if (!expect(';', "after the instruction"))
    return false;
  inst.first = uint32_t(fn->operands.size());
  inst.count = uint32_t(operands.size());
  for (const Operand &operand : operands) {
    if (operand.kind == OperandKind::Label)
      pending[labels.depth()].push_back({StringId(operand.value),
                                         uint32_t(fn->operands.size()), kNone,
                                         0, operand.loc});
    fn->operands.push_back(operand);
    if (operand.kind == OperandKind::Label)
      fn->operands.back().value = 0;
  }
  fn->body.push_back(inst);
  return checkShape(inst);
}

//===----------------------------------------------------------------------===//
// Labels and what they may name
//===----------------------------------------------------------------------===//

bool Parser::parseLabelled(StringId name, Loc loc) {
  if (tok.isDot("branchtargets"))
    return parseBranchTargets(name, loc);
  if (tok.isDot("calltargets"))
    return parseCallTargets(name, loc);
  if (tok.isDot("callprototype"))
    return parseCallPrototype(name, loc);
  Binding binding;
  binding.kind = BindKind::Label;
  binding.index = uint32_t(fn->labels.size());
  if (!labels.declare(name, binding))
    return fail(loc, fmt::format("label `{}` is declared twice in one scope",
                                 module.str(name)));
  fn->labels.push_back({uniqueName(name), uint32_t(fn->body.size()), loc});
  return true;
}

bool Parser::parseBranchTargets(StringId name, Loc loc) {
  advance();
  Binding binding;
  binding.kind = BindKind::BranchTargets;
  binding.index = uint32_t(fn->branchTargets.size());
  if (!names.declare(name, binding))
    return fail(loc, fmt::format("`{}` is declared twice in one scope",
                                 module.str(name)));
  std::vector<uint32_t> targets;
  do {
    PendingLabel use;
    if (!expectIdentifier("a label", use.name, use.loc))
      return false;
    use.list = binding.index;
    use.place = uint32_t(targets.size());
    targets.push_back(kNone);
    pending[labels.depth()].push_back(use);
  } while (accept(','));
  fn->branchTargets.push_back(std::move(targets));
  return expect(';', "after the branch targets");
}

bool Parser::parseCallTargets(StringId name, Loc loc) {
  advance();
  Binding binding;
  binding.kind = BindKind::CallTargets;
  binding.index = uint32_t(fn->callTargets.size());
  if (!names.declare(name, binding))
    return fail(loc, fmt::format("`{}` is declared twice in one scope",
                                 module.str(name)));
  std::vector<uint32_t> targets;
  do {
    StringId callee;
    Loc where;
    if (!expectIdentifier("a function name", callee, where))
      return false;
    const Binding *binding = names.find(callee).binding;
    if (!binding || binding->symbolKind != SymbolKind::Function)
      return fail(where, fmt::format("`{}` is not a function declared before",
                                     module.str(callee)));
    targets.push_back(binding->index);
  } while (accept(','));
  fn->callTargets.push_back(std::move(targets));
  return expect(';', "after the call targets");
}

/// `.callprototype (returns) _ (params) [.noreturn];`
bool Parser::parseCallPrototype(StringId name, Loc loc) {
  advance();
  Binding binding;
  binding.kind = BindKind::Prototype;
  binding.index = uint32_t(fn->prototypes.size());
  if (!names.declare(name, binding))
    return fail(loc, fmt::format("`{}` is declared twice in one scope",
                                 module.str(name)));
  Prototype prototype;
  prototype.name = uniqueName(name);
  if (tok.is('(') && !parseParams(prototype.returns, false, true))
    return false;
  if (tok.kind != Tok::Identifier)
    return failExpected("`_` in the prototype");
  advance();
  if (tok.is('(') && !parseParams(prototype.params, false, true))
    return false;
  while (tok.kind == Tok::Dot) {
    prototype.noreturn |= tok.text == "noreturn";
    Function ignored;
    bool known;
    if (!parseFunctionDirective(ignored, known))
      return false;
    if (!known)
      return failExpected("`;` after the prototype");
  }
  fn->prototypes.push_back(std::move(prototype));
  return expect(';', "after the prototype");
}

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

/// `.loc file line column [, function_name label [+ n], inlined_at f l c]`
bool Parser::parseLoc() {
  uint32_t ignored;
  for (int i = 0; i < 3; ++i) {
    if (tok.kind != Tok::Integer)
      return failExpected("file, line and column after `.loc`");
    advance();
  }
  while (accept(',')) {
    if (tok.kind != Tok::Identifier)
      return failExpected("`function_name` or `inlined_at`");
    bool isName = tok.text == "function_name";
    advance();
    if (isName) {
      if (tok.kind != Tok::Identifier)
        return failExpected("a label after `function_name`");
      advance();
      if (tok.is('+') && !parseU32("an offset", ignored))
        return false;
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      if (tok.kind != Tok::Integer)
        return failExpected("file, line and column after `inlined_at`");
      advance();
    }
  }
  return true;
}

bool Parser::placeUsedBytes(std::vector<std::string> &pragmas) {
  constexpr std::string_view kName = "used_bytes_mask ";
  for (size_t i = 0; i < pragmas.size();) {
    std::string_view text = pragmas[i];
    if (!text.starts_with(kName)) {
      ++i;
      continue;
    }
    text.remove_prefix(kName.size());
    bool hex = text.starts_with("0x");
    if (hex)
      text.remove_prefix(2);
    uint32_t mask = 0;
    auto read = std::from_chars(text.data(), text.data() + text.size(), mask,
                                hex ? 16 : 10);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() ||
        mask == 0)
      return failExpected("a mask of 32 bits after `used_bytes_mask`");
    fn->usedBytes.emplace_back(uint32_t(fn->body.size()), mask);
    pragmas.erase(pragmas.begin() + ptrdiff_t(i));
  }
  return true;
}

bool Parser::parseBodyDirective() {
  std::string_view word = tok.text;
  if (word == "loc")
    return advance(), parseLoc();
  if (word == "pragma") {
    std::vector<std::string> pragmas;
    if (!(advance(), parsePragma(&pragmas)) || !placeUsedBytes(pragmas))
      return false;
    fn->pragmas.insert(fn->pragmas.end(), pragmas.begin(), pragmas.end());
    return true;
  }
  if (word == "reg")
    return advance(), parseRegisters();
  for (Space space :
       {Space::Local, Space::Shared, Space::Param, Space::Global, Space::Const})
    if (word == spaceName(space))
      return advance(), parseVariables(space, Linkage::Internal);
  if (word == "file")
    return advance(), parseFile();
  if (word == "extern" || word == "visible" || word == "weak") {
    Linkage linkage = word == "extern" ? Linkage::Extern : Linkage::Internal;
    advance();
    for (Space space : {Space::Shared, Space::Global, Space::Const})
      if (tok.isDot(spaceName(space)))
        return advance(), parseVariables(space, linkage);
    return failExpected("a variable's space after the linkage");
  }
  return failExpected("an instruction, a label or a directive of a body");
}
