//===- Expression.h - arithmetic over named numbers --------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small, safe language for mapping files: numbers, names, `names with other
// characters`, 'text', + - * / %,
// comparisons, && || !, ?:, and a fixed list of functions. No loops, no side
// effects; depth and length are bounded, so untrusted text cannot do harm.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_EXPRESSION_H
#define HWTUNE_REPLAY_EXPRESSION_H

#include "hwtune/Support/Expected.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune::replay {

/// Index of a name in the variables given to `evaluate`, if it exists.
using NameLookup = std::function<std::optional<size_t>(std::string_view)>;
/// The number that stands for a text value.
using TextLookup = std::function<double(std::string_view)>;

class Expression {
public:
  /// Names are resolved here. Errors name the column and what was expected.
  static Expected<Expression> parse(std::string_view text,
                                    const NameLookup &names,
                                    const TextLookup &texts);
  /// Division by zero and the like give infinities or NaN, and so do
  /// arithmetic on a text, its order, and all that rests on one; the caller
  /// checks.
  double evaluate(const std::vector<double> &variables) const;
  const std::string &text() const { return source; }

private:
  friend class Parser;
  enum class Op : uint8_t {
    Number,
    Variable,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Neg,
    Not,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Select,
    Min,
    Max,
    Ceil,
    Floor,
    Round,
    Log2,
    Sqrt,
    Abs,
    Pow,
    CeilDiv,
    RoundUp,
    Wavefronts,
    Sectors,
    Lines,
    LineWavefronts
  };
  struct Node {
    Op op;
    double number = 0;
    uint32_t a = 0, b = 0, c = 0, d = 0; ///< operands, or the variable in `a`
  };
  double at(uint32_t node, const std::vector<double> &variables) const;

  std::string source;
  std::vector<Node> nodes; ///< operands before users; the last is the root
};

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_EXPRESSION_H
