//===- ParseModule.cpp - directives of a PTX module -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "hwtune/Simulator/Ptx/Parser.h"

#include <limits>

using namespace hwtune;
using namespace hwtune::ptx;

Expected<Module> ptx::parse(std::string_view text) {
  if (text.size() >= std::numeric_limits<int32_t>::max())
    return Error{fmt::format("PTX text has {} bytes, expected less than 2^31",
                             text.size()),
                 ""};
  Parser parser(text);
  if (!parser.parseModule())
    return parser.takeError();
  return std::move(parser.module);
}

Parser::Parser(std::string_view text)
    : lexer(text), names(module.strings), labels(module.strings) {
  advance();
}

//===----------------------------------------------------------------------===//
// Tokens and errors
//===----------------------------------------------------------------------===//

bool Parser::fail(Loc loc, std::string message) {
  if (failed)
    return false;
  failed = true;
  // What the lexer could not read is the cause of whatever followed.
  if (tok.kind == Tok::Error) {
    loc = tok.loc;
    message = lexer.error;
  }
  error = {std::move(message), fmt::format("{}:{}", loc.line, loc.column)};
  return false;
}

std::string Parser::foundText() const {
  switch (tok.kind) {
  case Tok::End:
    return "end of text";
  case Tok::Dot:
    return fmt::format("`.{}`", tok.text.substr(0, 60));
  case Tok::String:
    return "a string";
  default:
    return fmt::format("`{}`", tok.text.substr(0, 60));
  }
}

bool Parser::failExpected(std::string_view what) {
  return fail(tok.loc, fmt::format("expected {}, found {}", what, foundText()));
}

bool Parser::accept(char c) {
  if (!tok.is(c))
    return false;
  advance();
  return true;
}

bool Parser::expect(char c, std::string_view context) {
  if (accept(c))
    return true;
  return failExpected(fmt::format("`{}` {}", c, context));
}

bool Parser::expectIdentifier(std::string_view what, StringId &name, Loc &loc) {
  if (tok.kind != Tok::Identifier || tok.text == "_")
    return failExpected(what);
  name = module.strings.intern(tok.text);
  loc = tok.loc;
  advance();
  return true;
}

bool Parser::parseU32(std::string_view what, uint32_t &value) {
  Loc loc = tok.loc;
  int64_t wide;
  if (!parseConstInt(what, wide))
    return false;
  if (wide < 0 || wide > int64_t(UINT32_MAX))
    return fail(loc,
                fmt::format("{} is {}, expected 0 to 4294967295", what, wide));
  value = uint32_t(wide);
  return true;
}

/// A name that is used once in this function and hides nothing of the module:
/// `name`, or `name$1`, `name$2`, ... where it is taken.
StringId Parser::uniqueName(StringId name) {
  StringId unique = name;
  for (;;) {
    if (takenBy.size() <= unique || suffixes.size() <= name) {
      takenBy.resize(module.strings.size());
      suffixes.resize(module.strings.size());
    }
    // A name of the module is taken in all functions.
    if (takenBy[unique] != functionSerial && takenBy[unique] != kNone)
      break;
    // Suffixes are never tried twice, or many scopes would cost their square.
    unique = module.strings.intern(
        fmt::format("{}${}", module.strings[name], ++suffixes[name]));
  }
  takenBy[unique] = fn ? functionSerial : kNone;
  return unique;
}

//===----------------------------------------------------------------------===//
// Head of the module
//===----------------------------------------------------------------------===//

bool Parser::parseVersion() {
  if (!tok.isDot("version"))
    return failExpected("`.version` first");
  advance();
  // The lexer reads "8.10" as a float; the digits are what counts.
  std::string_view text = tok.text;
  size_t dot = text.find('.');
  if (tok.kind != Tok::F64 || dot == std::string_view::npos || dot > 3 ||
      text.size() - dot > 4 ||
      text.find_first_not_of("0123456789.") != std::string_view::npos)
    return failExpected("a version as in `8.0`");
  auto number = [](std::string_view digits) {
    uint32_t value = 0;
    for (char c : digits)
      value = value * 10 + uint32_t(c - '0');
    return value;
  };
  module.versionMajor = number(text.substr(0, dot));
  module.versionMinor = number(text.substr(dot + 1));
  if (module.versionMajor < 1 || module.versionMajor > 9)
    return fail(
        tok.loc,
        fmt::format("PTX version {} is not known, expected 1.0 to 9.x", text));
  advance();
  return true;
}

bool Parser::parseTarget() {
  if (!tok.isDot("target"))
    return failExpected("`.target` after `.version`");
  advance();
  for (;;) {
    if (tok.kind != Tok::Identifier)
      return failExpected("a target as in `sm_80`");
    std::string_view text = tok.text;
    if (text.starts_with("sm_") || text.starts_with("compute_")) {
      if (!module.target.empty())
        return fail(tok.loc, fmt::format("second target `{}` after `{}`", text,
                                         module.target));
      size_t digit = text.find('_') + 1;
      while (digit < text.size() && text[digit] >= '0' && text[digit] <= '9' &&
             module.targetSm < 1000)
        module.targetSm = module.targetSm * 10 + uint32_t(text[digit++] - '0');
      if (digit + 1 == text.size() &&
          (text[digit] == 'a' || text[digit] == 'f'))
        module.targetSuffix = text[digit++];
      if (digit != text.size() || module.targetSm < 10)
        return fail(
            tok.loc,
            fmt::format("`{}` is not a target, expected one as in `sm_80`",
                        text.substr(0, 60)));
      module.target = text;
    } else {
      module.targetOptions.emplace_back(text);
    }
    advance();
    if (!accept(','))
      break;
  }
  if (module.target.empty())
    return fail(tok.loc,
                "`.target` names no architecture, expected one as in `sm_80`");
  return true;
}

bool Parser::parseAddressSize() {
  Loc loc = tok.loc;
  if (!parseU32("the address size", module.addressSize))
    return false;
  if (module.addressSize != 64 && module.addressSize != 32)
    return fail(loc, fmt::format("address size is {}, expected 32 or 64",
                                 module.addressSize));
  return true;
}

bool Parser::parseModule() {
  if (!parseVersion() || !parseTarget())
    return false;
  while (tok.kind != Tok::End)
    if (!parseModuleItem())
      return false;
  return !failed;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

bool Parser::parseModuleItem() {
  if (accept(';')) // stray, as after a body
    return true;
  if (tok.is('@')) {
    // `@@DWARF ...`: debug information of old compilers, to the line's end.
    uint32_t line = tok.loc.line;
    Loc loc = tok.loc;
    advance();
    if (!tok.is('@'))
      return fail(loc, "expected a directive, found `@` outside a function");
    while (tok.kind != Tok::End && tok.kind != Tok::Error &&
           tok.loc.line == line)
      advance();
    return tok.kind != Tok::Error || fail(loc, "");
  }
  if (tok.kind != Tok::Dot)
    return failExpected("a directive");
  std::string_view word = tok.text;
  if (word == "address_size")
    return advance(), parseAddressSize();
  if (word == "file")
    return advance(), parseFile();
  if (word == "section")
    return advance(), parseSection();
  if (word == "alias")
    return advance(), parseAlias();
  if (word == "pragma")
    return advance(), parsePragma(nullptr);
  if (word == "loc")
    return advance(), parseLoc();
  return parseLinked();
}

/// What may have a linkage: functions and variables.
bool Parser::parseLinked() {
  Linkage linkage = Linkage::Internal;
  bool has = true;
  if (tok.isDot("visible"))
    linkage = Linkage::Visible;
  else if (tok.isDot("extern"))
    linkage = Linkage::Extern;
  else if (tok.isDot("weak"))
    linkage = Linkage::Weak;
  else if (tok.isDot("common"))
    linkage = Linkage::Common;
  else
    has = false;
  if (has)
    advance();
  if (tok.isDot("entry"))
    return advance(), parseFunction(true, linkage);
  if (tok.isDot("func"))
    return advance(), parseFunction(false, linkage);
  for (Space space : {Space::Global, Space::Const, Space::Shared})
    if (tok.isDot(spaceName(space)))
      return advance(), parseVariables(space, linkage);
  if (tok.isDot("local") || tok.isDot("reg") || tok.isDot("param") ||
      tok.isDot("tex"))
    return fail(tok.loc, fmt::format("`.{}` is not allowed outside a function",
                                     tok.text));
  if (has)
    return failExpected(
        "`.entry`, `.func` or a variable's space after the linkage");
  return failExpected("a directive of a module");
}

/// `.file 1 "name" [, time, size]`: debug information, not kept.
bool Parser::parseFile() {
  uint32_t index;
  if (!parseU32("the file index", index))
    return false;
  if (tok.kind != Tok::String)
    return failExpected("a file name");
  advance();
  while (accept(',')) {
    int64_t ignored;
    if (!parseConstInt("a number", ignored))
      return false;
  }
  return true;
}

/// `.section name { ... }`: debug information, not kept.
bool Parser::parseSection() {
  if (tok.kind != Tok::Dot && tok.kind != Tok::Identifier)
    return failExpected("a section name");
  advance();
  Loc open = tok.loc;
  if (!expect('{', "to begin the section"))
    return false;
  while (!tok.is('}')) {
    if (tok.kind == Tok::End)
      return fail(open, "section does not end");
    if (tok.kind == Tok::Error)
      return failExpected("`}`");
    advance();
  }
  advance();
  return true;
}

/// `.alias a, b;`: `a` is another name of the function `b`.
bool Parser::parseAlias() {
  uint32_t functions[2];
  for (uint32_t &function : functions) {
    StringId name;
    Loc loc;
    if (&function != functions && !expect(',', "between the names of an alias"))
      return false;
    if (!expectIdentifier("a function name", name, loc))
      return false;
    const Binding *binding = names.find(name).binding;
    if (!binding || binding->symbolKind != SymbolKind::Function)
      return fail(loc, fmt::format("`{}` is not a function declared before",
                                   module.str(name)));
    function = binding->index;
  }
  module.aliases.push_back({functions[0], functions[1]});
  return expect(';', "after the alias");
}

bool Parser::parsePragma(std::vector<std::string> *pragmas) {
  do {
    if (tok.kind != Tok::String)
      return failExpected("a string after `.pragma`");
    if (pragmas)
      pragmas->emplace_back(tok.text);
    advance();
  } while (accept(','));
  return expect(';', "after the pragma");
}
