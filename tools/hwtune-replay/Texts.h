//===- Texts.h - text values as numbers --------------------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions and searches know numbers only. A text stands in them as a number
// that no data set may hold, so that "8", `8` and `full` of one column stay
// apart; data sets that are compared share one table, so that a text is the
// same in both.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_TEXTS_H
#define HWTUNE_REPLAY_TEXTS_H

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hwtune::replay {

class Texts {
public:
  /// Numbers of a data set and of a mapping lie below (1.07e301); the codes are
  /// the doubles that follow one another from here.
  static constexpr double kFirst = 0x1p1000, kStep = 0x1p948;
  static bool isText(double value) {
    return value >= kFirst && value < 2 * kFirst;
  }

  /// The number that stands for `text`, new where it was never met.
  double code(std::string_view text);
  /// The text of a code, and numbers as they are.
  std::string show(double value) const;

private:
  std::unordered_map<std::string, double> codes;
  std::vector<std::string> known;
};

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_TEXTS_H
