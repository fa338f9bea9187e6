//===- Arguments.h - command lines of small programs ---------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_ARGUMENTS_H
#define HWTUNE_SUPPORT_ARGUMENTS_H

#include "hwtune/Support/Expected.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// What a program takes: "--db=" takes a value (`--db=X` or `--db X`),
/// "--dry-run" takes none.
struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string, std::string> options; ///< without the dashes

  bool has(const std::string &name) const { return options.count(name) != 0; }
  std::string get(const std::string &name,
                  const std::string &fallback = {}) const {
    auto at = options.find(name);
    return at == options.end() ? fallback : at->second;
  }
  /// The option as an integer of at least `least`, if it was given.
  Expected<std::optional<int64_t>> integer(const std::string &name,
                                           int64_t least) const;
};

/// Unknown options, missing and unwanted values, and one given twice are
/// errors. "--" ends the options.
Expected<Arguments> parseArguments(int argc, const char *const *argv,
                                   const std::vector<std::string> &known);

/// Writes `text` to the standard output. Returns `code`, or 1 after a complaint
/// in the name of `program` where that cannot be written.
int printResult(std::string_view program, std::string_view text, int code = 0);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_ARGUMENTS_H
