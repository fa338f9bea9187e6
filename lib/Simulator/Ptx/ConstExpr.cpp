//===- ConstExpr.cpp - constant expressions of PTX ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Constant expressions": C's operators on 64-bit integers, signed
// unless an operand is unsigned, or on f64. Wrap-around is defined here (two's
// complement); a shift counts modulo 64.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <bit>

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
/// Binary operators, with C's precedence from 1 (loosest).
enum Op {
  OpNone,
  OpOrOr,
  OpAndAnd,
  OpOr,
  OpXor,
  OpAnd,
  OpEq,
  OpNe,
  OpLt,
  OpLe,
  OpGt,
  OpGe,
  OpShl,
  OpShr,
  OpAdd,
  OpSub,
  OpMul,
  OpDiv,
  OpRem,
};

int precedence(int op) {
  static constexpr int table[] = {0, 1, 2, 3, 4, 5, 6,  6,  7, 7,
                                  7, 7, 8, 8, 9, 9, 10, 10, 10};
  return table[op];
}

int binaryOp(const Token &tok) {
  switch (tok.kind) {
  case Tok::LessLess:
    return OpShl;
  case Tok::GreaterGreater:
    return OpShr;
  case Tok::LessEqual:
    return OpLe;
  case Tok::GreaterEqual:
    return OpGe;
  case Tok::EqualEqual:
    return OpEq;
  case Tok::NotEqual:
    return OpNe;
  case Tok::AndAnd:
    return OpAndAnd;
  case Tok::OrOr:
    return OpOrOr;
  case Tok::Punct:
    break;
  default:
    return OpNone;
  }
  switch (tok.punct) {
  case '+':
    return OpAdd;
  case '-':
    return OpSub;
  case '*':
    return OpMul;
  case '/':
    return OpDiv;
  case '%':
    return OpRem;
  case '<':
    return OpLt;
  case '>':
    return OpGt;
  case '&':
    return OpAnd;
  case '|':
    return OpOr;
  case '^':
    return OpXor;
  default:
    return OpNone;
  }
}

double asDouble(const ConstValue &v) {
  if (v.isFloat)
    return std::bit_cast<double>(v.bits);
  return v.isUnsigned ? double(v.bits) : double(int64_t(v.bits));
}

bool isTrue(const ConstValue &v) {
  return v.isFloat ? asDouble(v) != 0 : v.bits != 0;
}

ConstValue integer(uint64_t bits, bool isUnsigned = false) {
  ConstValue v;
  v.bits = bits;
  v.isUnsigned = isUnsigned;
  return v;
}

template <typename T> bool compare(int op, T a, T b) {
  switch (op) {
  case OpEq:
    return a == b;
  case OpNe:
    return a != b;
  case OpLt:
    return a < b;
  case OpLe:
    return a <= b;
  case OpGt:
    return a > b;
  default:
    return a >= b;
  }
}

/// Integer arithmetic; the divisor is not 0.
uint64_t arithmetic(int op, uint64_t a, uint64_t b, bool isUnsigned) {
  switch (op) {
  case OpAdd:
    return a + b;
  case OpSub:
    return a - b;
  case OpMul:
    return a * b;
  case OpOr:
    return a | b;
  case OpXor:
    return a ^ b;
  case OpAnd:
    return a & b;
  case OpShl:
    return a << (b & 63);
  case OpShr:
    return isUnsigned ? a >> (b & 63) : uint64_t(int64_t(a) >> (b & 63));
  default:
    break;
  }
  bool divide = op == OpDiv;
  if (isUnsigned)
    return divide ? a / b : a % b;
  if (int64_t(b) == -1) // INT64_MIN / -1 traps
    return divide ? 0 - a : 0;
  return uint64_t(divide ? int64_t(a) / int64_t(b) : int64_t(a) % int64_t(b));
}
} // namespace

bool Parser::startsConst() const {
  switch (tok.kind) {
  case Tok::Integer:
  case Tok::F32:
  case Tok::F64:
  case Tok::Dot:
    return true;
  case Tok::Identifier:
    return tok.text == "WARP_SZ";
  case Tok::Punct:
    return tok.is('-') || tok.is('+') || tok.is('~') || tok.is('!') ||
           tok.is('(');
  default:
    return false;
  }
}

bool Parser::parseConst(ConstValue &value, unsigned depth) {
  if (!parseBinary(value, 1, depth))
    return false;
  if (!tok.is('?'))
    return true;
  if (depth > kMaxNesting)
    return fail(tok.loc,
                fmt::format("expression nests deeper than {}", kMaxNesting));
  advance();
  ConstValue yes, no;
  if (!parseConst(yes, depth + 1) ||
      !expect(':', "between the choices of `?`") || !parseConst(no, depth + 1))
    return false;
  value = isTrue(value) ? yes : no;
  return true;
}

bool Parser::parseBinary(ConstValue &value, int minimum, unsigned depth) {
  if (!parseUnary(value, depth))
    return false;
  for (;;) {
    int op = binaryOp(tok);
    if (op == OpNone || precedence(op) < minimum)
      return true;
    Loc loc = tok.loc;
    advance();
    ConstValue right;
    if (!parseBinary(right, precedence(op) + 1, depth) ||
        !applyBinary(value, right, op, loc))
      return false;
  }
}

bool Parser::applyBinary(ConstValue &left, const ConstValue &right, int op,
                         Loc loc) {
  if (op == OpAndAnd || op == OpOrOr) {
    bool a = isTrue(left), b = isTrue(right);
    left = integer(op == OpAndAnd ? a && b : a || b);
    return true;
  }
  bool isCompare = op >= OpEq && op <= OpGe;
  if (left.isFloat || right.isFloat) {
    double a = asDouble(left), b = asDouble(right), result;
    if (isCompare) {
      left = integer(compare(op, a, b));
      return true;
    }
    switch (op) {
    case OpAdd:
      result = a + b;
      break;
    case OpSub:
      result = a - b;
      break;
    case OpMul:
      result = a * b;
      break;
    case OpDiv:
      result = a / b;
      break;
    default:
      return fail(loc, "operator needs integers, found a float");
    }
    left.isFloat = true;
    left.isSingle = false;
    left.bits = std::bit_cast<uint64_t>(result);
    return true;
  }
  bool isShift = op == OpShl || op == OpShr;
  bool isUnsigned = left.isUnsigned || (!isShift && right.isUnsigned);
  if ((op == OpDiv || op == OpRem) && right.bits == 0)
    return fail(loc, "division by zero in a constant expression");
  if (isCompare)
    left = integer(isUnsigned
                       ? compare(op, left.bits, right.bits)
                       : compare(op, int64_t(left.bits), int64_t(right.bits)));
  else
    left =
        integer(arithmetic(op, left.bits, right.bits, isUnsigned), isUnsigned);
  return true;
}

bool Parser::parseUnary(ConstValue &value, unsigned depth) {
  if (depth > kMaxNesting)
    return fail(tok.loc,
                fmt::format("expression nests deeper than {}", kMaxNesting));
  char op = tok.kind == Tok::Punct ? tok.punct : 0;
  if (op != '-' && op != '+' && op != '~' && op != '!')
    return parsePrimary(value, depth);
  Loc loc = tok.loc;
  advance();
  if (!parseUnary(value, depth + 1))
    return false;
  if (op == '!') {
    value = integer(!isTrue(value));
  } else if (op == '-') {
    value.bits =
        value.isFloat ? value.bits ^ uint64_t(1) << 63 : 0 - value.bits;
  } else if (op == '~') {
    if (value.isFloat)
      return fail(loc, "operator `~` needs an integer, found a float");
    value.bits = ~value.bits;
  }
  return true;
}

bool Parser::parsePrimary(ConstValue &value, unsigned depth) {
  if (accept('(')) {
    if (tok.isDot("s64") || tok.isDot("u64")) {
      bool isUnsigned = tok.text == "u64";
      Loc loc = tok.loc;
      advance();
      if (!expect(')', "after the cast") || !parseUnary(value, depth + 1))
        return false;
      if (value.isFloat)
        return fail(loc, "cast needs an integer, found a float");
      value.isUnsigned = isUnsigned;
      return true;
    }
    return parseConst(value, depth + 1) && expect(')', "after the expression");
  }
  value = ConstValue();
  if (tok.kind == Tok::Integer) {
    value = integer(tok.value, tok.isUnsigned);
  } else if (tok.kind == Tok::F32) {
    value.isFloat = value.isSingle = true;
    // A signalling NaN must keep its bits: widen by hand what is no number.
    uint32_t bits = uint32_t(tok.value);
    value.bits =
        (bits & 0x7f800000u) == 0x7f800000u
            ? uint64_t(bits >> 31) << 63 | uint64_t(0x7ff) << 52 |
                  uint64_t(bits & 0x7fffffu) << 29
            : std::bit_cast<uint64_t>(double(std::bit_cast<float>(bits)));
  } else if (tok.kind == Tok::F64) {
    value.isFloat = true;
    value.bits = tok.value;
  } else if (tok.kind == Tok::Identifier && tok.text == "WARP_SZ") {
    value = integer(32);
  } else {
    return failExpected("a number");
  }
  advance();
  return true;
}

bool Parser::parseConstInt(std::string_view what, int64_t &value) {
  Loc loc = tok.loc;
  if (!startsConst() || tok.kind == Tok::Dot)
    return failExpected(what);
  ConstValue constant;
  if (!parseConst(constant))
    return false;
  if (constant.isFloat)
    return fail(loc, fmt::format("expected {}, found a float", what));
  value = int64_t(constant.bits);
  return true;
}
