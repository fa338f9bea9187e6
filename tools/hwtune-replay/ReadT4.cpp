//===- ReadT4.cpp - T4 results -------------------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include "hwtune/Support/TimeUnit.h"

#include <cmath>
#include <fmt/format.h>

namespace hwtune::replay {

namespace {

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

/// Seconds of one unit of a measurement. A time's unit is its own, else the
/// file's, else milliseconds; anything else must have one of time.
Expected<double> secondsOf(const Json &measurement, const std::string &fileUnit,
                           const std::string &where) {
  std::string name = textMember(measurement, "name");
  std::string unit = textMember(measurement, "unit");
  if (unit.empty() && name == "time")
    unit = fileUnit.empty() ? "ms" : fileUnit;
  if (std::optional<double> scale = secondsPerUnit(unit))
    return *scale;
  return Error{fmt::format("the objective `{}` has the unit `{}`, expected a "
                           "time: seconds, milliseconds, microseconds or "
                           "nanoseconds",
                           name, unit),
               where};
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
      Expected<double> scale = secondsOf(*m, fileUnit, where);
      if (!scale)
        return scale.error();
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
