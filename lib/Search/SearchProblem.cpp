//===- SearchProblem.cpp - shapes of a search ------------------------ ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Search/SearchProblem.h"

#include <cmath>
#include <fmt/format.h>

namespace hwtune {

Status SearchProblem::check() const {
  auto fail = [&](std::string message) {
    return Error{name.empty() ? message : name + ": " + message, ""};
  };
  if (size() == 0)
    return fail("the search has no candidates, expected at least one");
  if (parameters.data.size() != parameters.rows * parameters.columns)
    return fail(fmt::format("parameter table holds {} values, expected {} x {}",
                            parameters.data.size(), parameters.rows,
                            parameters.columns));
  if (!categorical.empty() && categorical.size() != parameters.columns)
    return fail(fmt::format("{} categorical flags, expected one per parameter "
                            "({})",
                            categorical.size(), parameters.columns));
  for (const Table *table : {&features, &logTime})
    if (!table->empty() && (table->rows != size() ||
                            table->data.size() != table->rows * table->columns))
      return fail(fmt::format("{} table has {} rows, expected {}",
                              table == &features ? "feature" : "log time",
                              table->rows, size()));
  if (!classes.empty() && classes.size() != size())
    return fail(
        fmt::format("{} class ids, expected {}", classes.size(), size()));
  for (size_t candidate : start)
    if (candidate >= size())
      return fail(fmt::format("start names candidate {}, there are {}",
                              candidate, size()));
  for (const Table *table : {&parameters, &features})
    for (size_t i = 0; i < table->data.size(); ++i)
      if (!std::isfinite(table->data[i]))
        return fail(fmt::format("{} {} of candidate {} is not finite",
                                table == &features ? "feature" : "parameter",
                                i % table->columns, i / table->columns));
  for (float value : logTime.data)
    if (std::isnan(value) || value == -INFINITY)
      return fail("a predicted log time is NaN or -infinity, expected finite "
                  "or +infinity");
  return success();
}

Table encodeParameters(const std::vector<std::vector<double>> &values,
                       const std::vector<bool> &categorical) {
  Table table(values.size(), values.empty() ? 0 : values.front().size());
  for (size_t i = 0; i < table.rows; ++i)
    for (size_t j = 0; j < table.columns; ++j) {
      double v = values[i][j];
      bool plain = j < categorical.size() && categorical[j];
      table.at(i, j) = static_cast<float>(
          plain ? v : std::copysign(std::log2(1 + std::abs(v)), v));
    }
  return table;
}

} // namespace hwtune
