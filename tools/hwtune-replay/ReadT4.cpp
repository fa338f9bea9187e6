//===- ReadT4.cpp - T4 results -------------------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include <cmath>
#include <fmt/format.h>

namespace hwtune::replay {

namespace {

/// Seconds per unit; real files write "miliseconds".
std::optional<double> unitScale(const std::string &unit) {
  if (unit == "s" || unit == "sec" || unit == "seconds")
    return 1;
  if (unit.empty() || unit == "ms" || unit == "milliseconds" ||
      unit == "miliseconds")
    return 1e-3;
  if (unit == "us" || unit == "microseconds")
    return 1e-6;
  if (unit == "ns" || unit == "nanoseconds")
    return 1e-9;
  return std::nullopt;
}

/// The measurement that the result is judged by.
const Json *objective(const Json &result) {
  const Json *names = member(result, "objectives");
  const Json *measurements = member(result, "measurements");
  if (!measurements || !measurements->is_array())
    return nullptr;
  std::string wanted = names && names->is_array() && !names->empty() &&
                               names->front().is_string()
                           ? names->front().get<std::string>()
                           : "time";
  for (const Json &m : *measurements)
    if (textMember(m, "name") == wanted)
      return &m;
  return nullptr;
}

} // namespace

Expected<Dataset> readT4(const std::string &path, const std::string &text) {
  Dataset data;
  Expected<Json> json = parseJson(path, text, {"runtimes"});
  if (!json)
    return json.error();
  const Json *results = member(*json, "results");
  if (!results || !results->is_array())
    return Error{"the list `results` is missing", path};
  std::string fileUnit;
  if (const Json *metadata = member(*json, "metadata"))
    fileUnit = textMember(*metadata, "timeunit");
  size_t index = 0;
  for (const Json &result : *results) {
    std::string where = fmt::format("{}: result {}", path, index++);
    const Json *config = member(result, "configuration");
    if (!config)
      return Error{"`configuration` is missing", where};
    Row row;
    std::string invalidity = textMember(result, "invalidity");
    const Json *m = objective(result);
    const Json *value = m ? member(*m, "value") : nullptr;
    if (value && value->is_number() &&
        (invalidity.empty() || invalidity == "correct")) {
      std::string unit = textMember(*m, "unit");
      std::optional<double> scale = unitScale(unit.empty() ? fileUnit : unit);
      if (!scale)
        return Error{fmt::format("time unit is `{}`, expected seconds, "
                                 "milliseconds, microseconds or nanoseconds",
                                 unit.empty() ? fileUnit : unit),
                     where};
      row.seconds = value->get<double>() * *scale;
      row.ok =
          std::isfinite(row.seconds) && row.seconds > 0 && row.seconds < 1e10;
      row.failure = row.ok ? "" : "invalid time";
    } else {
      row.failure = value && value->is_string() ? value->get<std::string>()
                    : invalidity.empty()        ? "no measurement"
                                                : invalidity;
    }
    if (Status status = addConfig(data, *config, std::move(row), where);
        !status)
      return status.error();
  }
  return data;
}

} // namespace hwtune::replay
