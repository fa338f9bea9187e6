//===- Texts.cpp - text values as numbers ---------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Texts.h"

#include <fmt/format.h>

namespace hwtune::replay {

double Texts::code(std::string_view text) {
  auto [it, fresh] = codes.try_emplace(std::string(text),
                                       kFirst + kStep * double(known.size()));
  if (fresh)
    known.push_back(it->first);
  return it->second;
}

std::string Texts::show(double value) const {
  size_t index =
      isText(value) ? size_t((value - kFirst) / kStep) : known.size();
  return index < known.size() ? known[index] : fmt::format("{:g}", value);
}

} // namespace hwtune::replay
