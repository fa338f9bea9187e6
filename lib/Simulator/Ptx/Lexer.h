//===- Lexer.h - PTX tokens -------------------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_PTX_LEXER_H
#define HWTUNE_LIB_SIMULATOR_PTX_LEXER_H

#include "hwtune/Simulator/Ptx/Ast.h"

#include <string>
#include <string_view>

namespace hwtune::ptx {

enum class Tok : uint8_t {
  End,
  Error,      ///< `Lexer::error` says what
  Identifier, ///< `_` included
  Dot,        ///< `.name`; `text` is without the dot, may hold `::`
  Integer,    ///< `value`; `isUnsigned` where it has a U or needs 64 bits
  F32,        ///< `value`: the bits
  F64,        ///< `value`: the bits
  String,     ///< `text` is without the quotes
  Punct,      ///< `punct`: the character
  LessLess,
  GreaterGreater,
  LessEqual,
  GreaterEqual,
  EqualEqual,
  NotEqual,
  AndAnd,
  OrOr,
};

struct Token {
  Tok kind = Tok::End;
  char punct = 0;
  bool isUnsigned = false;
  bool spaceBefore = false; ///< white space or a comment stands before it
  std::string_view text;    ///< as written, less dot or quotes
  uint64_t value = 0;
  Loc loc;

  bool is(char c) const { return kind == Tok::Punct && punct == c; }
  bool isDot(std::string_view name) const {
    return kind == Tok::Dot && text == name;
  }
};

/// Splits a text into tokens, one at a time. The text must outlive it.
class Lexer {
public:
  explicit Lexer(std::string_view text);

  Token next();

  /// With `name` the token just read: appends the `.modifier`s that follow it
  /// without white space, as one text ("ld.global.v4.f32").
  std::string_view extendName(const Token &name);

  /// Position just behind the token just read, to be given to `rewind`.
  struct Position {
    const char *at;
    const char *lineStart;
    uint32_t line;
  };
  Position position() const { return {at, lineStart, line}; }
  void rewind(Position p) {
    at = p.at;
    lineStart = p.lineStart;
    line = p.line;
  }

  std::string error;

private:
  bool skipSpace(); ///< true where anything was skipped
  bool skipComment();
  void skipModifier();
  Token make(Tok kind, const char *begin);
  Token failed(Token token, std::string message);
  Token number();
  Token hexFloat(Token token, unsigned digits);
  Token decimal(Token token);
  Token integer(Token token, const char *digits, unsigned base);
  Token string();
  Token punct();
  Loc locOf(const char *p) const { return {line, uint32_t(p - lineStart) + 1}; }

  const char *at, *end, *lineStart;
  uint32_t line = 1;
  bool commentOpen = false;
};

} // namespace hwtune::ptx

#endif // HWTUNE_LIB_SIMULATOR_PTX_LEXER_H
