//===- Lexer.cpp - PTX tokens ---------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
enum : uint8_t { IdentStart = 1, IdentRest = 2, Digit = 4, White = 8 };

constexpr std::array<uint8_t, 256> makeClasses() {
  std::array<uint8_t, 256> c{};
  for (int ch = 'a'; ch <= 'z'; ++ch)
    c[ch] = c[ch - 32] = IdentStart | IdentRest;
  for (int ch = '0'; ch <= '9'; ++ch)
    c[ch] = IdentRest | Digit;
  c['_'] = c['$'] = IdentStart | IdentRest;
  c['%'] = IdentStart;
  c[' '] = c['\t'] = c['\r'] = c['\n'] = c['\f'] = c['\v'] = White;
  return c;
}
constexpr std::array<uint8_t, 256> kClasses = makeClasses();

bool is(char c, uint8_t what) { return kClasses[uint8_t(c)] & what; }

/// The value of hexadecimal digit `c`, or 16.
unsigned digitValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 16;
}

std::string describeByte(char c) {
  if (c > ' ' && c < 127)
    return fmt::format("`{}`", c);
  return fmt::format("byte 0x{:02x}", uint8_t(c));
}
} // namespace

Lexer::Lexer(std::string_view text)
    : at(text.data()), end(text.data() + text.size()), lineStart(text.data()) {}

Token Lexer::make(Tok kind, const char *begin) {
  Token token;
  token.kind = kind;
  token.text = {begin, size_t(at - begin)};
  token.loc = locOf(begin);
  return token;
}

Token Lexer::failed(Token token, std::string message) {
  token.kind = Tok::Error;
  if (error.empty())
    error = std::move(message);
  at = end; // nothing after an error is read
  return token;
}

bool Lexer::skipSpace() {
  const char *start = at;
  for (; at != end; ++at) {
    if (*at == '\n') {
      ++line;
      lineStart = at + 1;
    } else if (*at == '/' && end - at > 1 && (at[1] == '/' || at[1] == '*')) {
      if (!skipComment())
        return true;
      --at;
    } else if (*at == '#' && at == lineStart) {
      // `# 12 "file"`, left by a preprocessor: nothing of it is PTX.
      while (end - at > 1 && at[1] != '\n')
        ++at;
    } else if (!is(*at, White)) {
      break;
    }
  }
  return at != start;
}

/// Skips the comment at `at`; false where it does not end.
bool Lexer::skipComment() {
  bool block = at[1] == '*';
  const char *begin = at;
  for (at += 2; at != end; ++at) {
    if (!block && *at == '\n')
      return true;
    if (block && *at == '*' && end - at > 1 && at[1] == '/') {
      at += 2;
      return true;
    }
    if (*at == '\n') {
      ++line;
      lineStart = at + 1;
    }
  }
  if (!block)
    return true;
  at = begin;
  commentOpen = true;
  return false;
}

Token Lexer::next() {
  bool space = skipSpace();
  Token token;
  if (at == end) {
    token = make(Tok::End, at);
  } else if (commentOpen) {
    token = failed(make(Tok::Error, at), "comment does not end");
  } else if (is(*at, IdentStart)) {
    const char *begin = at++;
    while (at != end && is(*at, IdentRest))
      ++at;
    // A lone `%` is the remainder operator.
    if (at - begin == 1 && *begin == '%') {
      token = make(Tok::Punct, begin);
      token.punct = '%';
    } else {
      token = make(Tok::Identifier, begin);
    }
  } else if (is(*at, Digit)) {
    token = number();
  } else if (*at == '"') {
    token = string();
  } else {
    token = punct();
  }
  token.spaceBefore = space;
  return token;
}

/// Skips `shared::cta` and the like.
void Lexer::skipModifier() {
  while (at != end) {
    if (is(*at, IdentRest))
      ++at;
    else if (end - at > 2 && at[0] == ':' && at[1] == ':' &&
             is(at[2], IdentRest))
      at += 2;
    else
      break;
  }
}

std::string_view Lexer::extendName(const Token &name) {
  while (end - at > 1 && *at == '.' && is(at[1], IdentRest)) {
    ++at;
    skipModifier();
  }
  return {name.text.data(), size_t(at - name.text.data())};
}

Token Lexer::integer(Token token, const char *digits, unsigned base) {
  uint64_t value = 0;
  bool overflow = false;
  const char *p = digits;
  for (; p != end && digitValue(*p) < base; ++p) {
    overflow |= __builtin_mul_overflow(value, uint64_t(base), &value);
    overflow |= __builtin_add_overflow(value, uint64_t(digitValue(*p)), &value);
  }
  bool any = p != digits;
  bool suffix = p != end && (*p == 'U' || *p == 'u');
  at = p + suffix;
  // Whatever letters or digits touch the number make it something else.
  while (at != end && is(*at, IdentRest))
    ++at, any = false;
  token.text = {token.text.data(), size_t(at - token.text.data())};
  if (!any)
    return failed(
        token, fmt::format("`{}` is not a number", token.text.substr(0, 40)));
  if (overflow)
    return failed(token, fmt::format("integer `{}` does not fit 64 bits",
                                     token.text.substr(0, 40)));
  token.kind = Tok::Integer;
  token.value = value;
  token.isUnsigned = suffix || value > uint64_t(INT64_MAX);
  return token;
}

Token Lexer::hexFloat(Token token, unsigned digits) {
  const char *p = at + 2;
  uint64_t bits = 0;
  unsigned count = 0;
  for (; p != end && is(*p, IdentRest); ++p, ++count) {
    if (digitValue(*p) == 16)
      count = 100; // reported below
    bits = bits << 4 | (digitValue(*p) & 15);
  }
  token.text = {at, size_t(p - at)};
  at = p;
  if (count != digits)
    return failed(
        token, fmt::format("`{}` has not the {} hexadecimal digits of a float",
                           token.text.substr(0, 40), digits));
  token.kind = digits == 8 ? Tok::F32 : Tok::F64;
  token.value = bits;
  return token;
}

Token Lexer::decimal(Token token) {
  const char *p = at;
  while (p != end && is(*p, Digit))
    ++p;
  if (p != end && *p == '.')
    ++p;
  while (p != end && is(*p, Digit))
    ++p;
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && (*p == '+' || *p == '-'))
      ++p;
    while (p != end && is(*p, Digit))
      ++p;
  }
  token.text = {at, size_t(p - at)};
  at = p;
  char last = token.text.back();
  if ((at != end && is(*at, IdentRest)) || !(is(last, Digit) || last == '.'))
    return failed(
        token, fmt::format("`{}` is not a number", token.text.substr(0, 40)));
  token.kind = Tok::F64;
  double value = 0;
  if (std::from_chars(token.text.data(), at, value).ec != std::errc())
    return failed(token, fmt::format("`{}` does not fit a 64-bit float",
                                     token.text.substr(0, 40)));
  token.value = std::bit_cast<uint64_t>(value);
  return token;
}

Token Lexer::number() {
  Token token = make(Tok::Integer, at);
  const char *p = at;
  if (*p == '0' && end - p > 1) {
    switch (p[1]) {
    case 'x':
    case 'X':
      return integer(token, p + 2, 16);
    case 'b':
    case 'B':
      return integer(token, p + 2, 2);
    case 'f':
    case 'F':
      return hexFloat(token, 8);
    case 'd':
    case 'D':
      return hexFloat(token, 16);
    default:
      break;
    }
  }
  while (p != end && is(*p, Digit))
    ++p;
  if (p != end && (*p == '.' || *p == 'e' || *p == 'E'))
    return decimal(token);
  bool octal = *at == '0' && p - at > 1;
  return integer(token, at, octal ? 8 : 10);
}

Token Lexer::string() {
  const char *begin = at++;
  while (at != end && *at != '"' && *at != '\n')
    at += *at == '\\' && end - at > 1 && at[1] != '\n' ? 2 : 1;
  if (at == end || *at == '\n')
    return failed(make(Tok::Error, begin), "string does not end on its line");
  Token token = make(Tok::String, begin);
  token.text.remove_prefix(1);
  ++at;
  return token;
}

Token Lexer::punct() {
  const char *begin = at++;
  char c = *begin, d = at != end ? *at : 0;
  auto two = [&](Tok kind) {
    ++at;
    return make(kind, begin);
  };
  if (c == '.' && is(d, IdentRest)) {
    skipModifier();
    Token token = make(Tok::Dot, begin);
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '<' && (d == '<' || d == '='))
    return two(d == '<' ? Tok::LessLess : Tok::LessEqual);
  if (c == '>' && (d == '>' || d == '='))
    return two(d == '>' ? Tok::GreaterGreater : Tok::GreaterEqual);
  if ((c == '=' || c == '!') && d == '=')
    return two(c == '=' ? Tok::EqualEqual : Tok::NotEqual);
  if ((c == '&' || c == '|') && d == c)
    return two(c == '&' ? Tok::AndAnd : Tok::OrOr);
  Token token = make(Tok::Punct, begin);
  token.punct = c;
  if (!c || std::string_view(",;:[]{}()+-*/%!~<>&^|?@=").find(c) ==
                std::string_view::npos)
    return failed(token, fmt::format("unexpected {}", describeByte(c)));
  return token;
}
