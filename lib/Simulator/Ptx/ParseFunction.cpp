//===- ParseFunction.cpp - heads of PTX kernels and functions -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::ptx;

/// One parameter: `.param .align 8 .b8 name[32]`, or `.reg .b32 name`.
/// In a prototype the name may be `_`.
bool Parser::parseParam(Variable &param, bool isEntry) {
  DeclHead head;
  if (tok.isDot("param"))
    head.space = Space::Param;
  else if (tok.isDot("reg") && !isEntry)
    head.space = Space::Reg;
  else
    return failExpected(isEntry ? "`.param`" : "`.param` or `.reg`");
  advance();
  if (!parseDeclHead(head))
    return false;
  if (tok.kind == Tok::Identifier && tok.text == "_")
    tok.text = "_param"; // any name; nothing refers to it
  if (!parseDeclarator(head, param))
    return false;
  // `.param .b8 rest[]` last of all: variable arguments.
  if (param.unsized)
    param.bytes = 0;
  return true;
}

bool Parser::parseParams(std::vector<Variable> &params, bool isEntry,
                         bool prototype) {
  if (!expect('(', "before the parameters"))
    return false;
  if (accept(')'))
    return true;
  do {
    // `_` alone stands for "no parameter" in some compilers' prototypes.
    if (prototype && tok.kind == Tok::Identifier && tok.text == "_") {
      advance();
      continue;
    }
    Variable param;
    if (!parseParam(param, isEntry))
      return false;
    params.push_back(std::move(param));
  } while (accept(','));
  return expect(')', "after the parameters");
}

bool Parser::parseBound3(std::optional<std::array<uint32_t, 3>> &bound) {
  std::array<uint32_t, 3> values{1, 1, 1};
  for (unsigned i = 0; i < 3; ++i) {
    if (i && !accept(','))
      break;
    if (!parseU32("a number of threads", values[i]))
      return false;
  }
  bound = values;
  return true;
}

bool Parser::parseBound(std::optional<uint32_t> &bound) {
  uint32_t value;
  if (!parseU32("a number", value))
    return false;
  bound = value;
  return true;
}

bool Parser::parseFunctionDirective(Function &function, bool &known) {
  std::string_view word = tok.text;
  LaunchBounds &bounds = function.bounds;
  known = true;
  if (word == "maxntid")
    return advance(), parseBound3(bounds.maxNTid);
  if (word == "reqntid")
    return advance(), parseBound3(bounds.reqNTid);
  if (word == "reqnctapercluster")
    return advance(), parseBound3(bounds.reqNCtaPerCluster);
  if (word == "maxnreg")
    return advance(), parseBound(bounds.maxNReg);
  if (word == "minnctapersm")
    return advance(), parseBound(bounds.minNCtaPerSm);
  if (word == "maxnctapersm")
    return advance(), parseBound(bounds.maxNCtaPerSm);
  if (word == "maxclusterrank")
    return advance(), parseBound(bounds.maxClusterRank);
  if (word == "explicitcluster" || word == "blocksareclusters")
    return advance(), bounds.explicitCluster = true;
  if (word == "noreturn")
    return advance(), function.noreturn = true;
  if (word == "pragma")
    return advance(), parsePragma(&function.pragmas);
  if (word == "attribute") {
    DeclHead ignored;
    return advance(), parseAttribute(ignored);
  }
  // What only tunes the ABI of separate compilation.
  if (word == "abi_preserve" || word == "abi_preserve_control") {
    std::optional<uint32_t> ignored;
    return advance(), parseBound(ignored);
  }
  known = false;
  return true;
}

bool Parser::parseFunctionDirectives(Function &function) {
  while (tok.kind == Tok::Dot) {
    bool known;
    if (!parseFunctionDirective(function, known))
      return false;
    if (!known)
      return failExpected("a directive of a function, `{` or `;`");
  }
  return true;
}

/// The natural layout of a parameter block.
void Parser::layOutParams(Function &function) {
  uint64_t offset = 0;
  for (Variable &param : function.params) {
    offset = (offset + param.align - 1) / param.align * param.align;
    param.offset = uint32_t(std::min<uint64_t>(offset, UINT32_MAX));
    offset += param.bytes;
    if (offset > kMaxParamBytes && function.isEntry) {
      fail(param.loc,
           fmt::format("parameters of `{}` need {} bytes, expected at most {}",
                       module.str(function.name), offset, kMaxParamBytes));
      return;
    }
  }
  function.paramBytes = uint32_t(std::min<uint64_t>(offset, UINT32_MAX));
}

/// Puts a new head into the module: a function of its own, or the same as an
/// earlier declaration.
bool Parser::placeFunction(Function &&function, uint32_t &index) {
  bool isDefinition = tok.is('{');
  const Binding *old = names.find(function.name).binding;
  if (!old) {
    Binding binding;
    binding.kind = BindKind::Symbol;
    binding.symbolKind = SymbolKind::Function;
    binding.index = index = uint32_t(module.functions.size());
    names.declare(function.name, binding);
    uniqueName(function.name);
    module.functions.push_back(std::move(function));
    return true;
  }
  std::string_view name = module.str(function.name);
  if (old->symbolKind != SymbolKind::Function)
    return fail(function.loc,
                fmt::format("`{}` is declared twice in one scope", name));
  index = old->index;
  Function &earlier = module.functions[index];
  if (earlier.isDefined && isDefinition)
    return fail(function.loc,
                fmt::format("function `{}` has two bodies", name));
  auto bytes = [](const std::vector<Variable> &list) {
    std::vector<uint64_t> sizes;
    for (const Variable &v : list)
      sizes.push_back(v.bytes);
    return sizes;
  };
  if (earlier.isEntry != function.isEntry ||
      bytes(earlier.params) != bytes(function.params) ||
      bytes(earlier.returns) != bytes(function.returns))
    return fail(function.loc,
                fmt::format("`{}` was declared with other parameters", name));
  if (isDefinition)
    earlier = std::move(function);
  return true;
}

void Parser::bindParams(std::vector<Variable> &params, SymbolKind kind) {
  for (uint32_t i = 0; i < params.size(); ++i) {
    Variable &param = params[i];
    Binding binding;
    binding.index = i;
    binding.kind = BindKind::Symbol;
    binding.symbolKind = kind;
    if (param.space == Space::Reg) {
      binding.kind = BindKind::Register;
      binding.index = param.reg = newRegister(param.name, param.type);
    }
    StringId written = param.name;
    param.name = param.space == Space::Reg ? fn->registers[param.reg].name
                                           : uniqueName(written);
    if (!names.declare(written, binding)) {
      fail(param.loc, fmt::format("`{}` is declared twice in one scope",
                                  module.str(written)));
      return;
    }
  }
}

bool Parser::parseFunction(bool isEntry, Linkage linkage) {
  Function function;
  function.isEntry = isEntry;
  function.linkage = linkage;
  if (!isEntry && !parseFunctionDirectives(function))
    return false;
  if (!isEntry && tok.is('(') && !parseParams(function.returns, false, false))
    return false;
  if (!expectIdentifier(isEntry ? "the kernel's name" : "the function's name",
                        function.name, function.loc))
    return false;
  if (tok.is('(') && !parseParams(function.params, isEntry, false))
    return false;
  if (!parseFunctionDirectives(function))
    return false;
  layOutParams(function);
  if (failed)
    return false;
  bool hasBody = tok.is('{');
  if (!hasBody && !tok.is(';'))
    return failExpected("`{` or `;` after the function's head");
  uint32_t index;
  if (!placeFunction(std::move(function), index))
    return false;
  if (!hasBody)
    return accept(';');
  // A body is parsed apart: the module's list may grow only between bodies,
  // but a pointer into it is not worth the risk.
  Function body = std::move(module.functions[index]);
  body.isDefined = true;
  fn = &body;
  ++functionSerial;
  bool ok = parseBody();
  fn = nullptr;
  module.functions[index] = std::move(body);
  return ok;
}
