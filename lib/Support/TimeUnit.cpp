//===- TimeUnit.cpp - units of time by name --------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/TimeUnit.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace hwtune {

std::optional<double> secondsPerUnit(std::string_view unit) {
  std::string name(unit);
  for (char &c : name)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  auto is = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is({"s", "sec", "second", "seconds"}))
    return 1;
  if (is({"ms", "millisecond", "milliseconds", "miliseconds"}))
    return 1e-3;
  if (is({"us", "microsecond", "microseconds"}))
    return 1e-6;
  if (is({"ns", "nanosecond", "nanoseconds"}))
    return 1e-9;
  return std::nullopt;
}

} // namespace hwtune
