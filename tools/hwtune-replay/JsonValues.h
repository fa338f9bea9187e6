//===- JsonValues.h - JSON values as a data set wants them -*- C++ -*- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_REPLAY_JSONVALUES_H
#define HWTUNE_REPLAY_JSONVALUES_H

#include "Dataset.h"

#include <nlohmann/json.hpp>

namespace hwtune::replay {

using Json = nlohmann::ordered_json;

/// Parses, leaving out the members in `skip` wherever they occur (they are
/// large and unused). The error names the file, line and column.
Expected<Json> parseJson(const std::string &path, std::string_view text,
                         const std::vector<std::string> &skip = {},
                         size_t firstLine = 1);
/// A number, bool or text as a number; nothing for anything else.
std::optional<double> toNumber(Dataset &data, const Json &value);
/// Member of an object, or null.
const Json *member(const Json &object, const char *name);
std::string textMember(const Json &object, const char *name);
/// A row from an object name -> value. The first row decides the columns;
/// later ones must have the same.
Status addConfig(Dataset &data, const Json &config, Row row,
                 const std::string &where);

/// Calls `visit(line, number)` for each line that is not empty, until an error.
template <typename Visit>
Status forEachLine(std::string_view text, Visit visit) {
  size_t number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (line.empty())
      continue;
    if (Status status = visit(line, number); !status)
      return status;
  }
  return success();
}

} // namespace hwtune::replay

#endif // HWTUNE_REPLAY_JSONVALUES_H
