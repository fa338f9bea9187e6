//===- Print.h - lines on the standard output -------------*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_PRINT_H
#define HWTUNE_REPLAY_PRINT_H

#include <cstdio>
#include <fmt/format.h>

namespace hwtune::replay {

/// As `fmt::print`, which throws when the disk is full; here the stream keeps
/// the failure until the end.
template <typename... T>
void say(fmt::format_string<T...> format, T &&...values) {
  std::string text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_PRINT_H
