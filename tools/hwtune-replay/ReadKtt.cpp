//===- ReadKtt.cpp - KTT results ------------------------------------ ===//
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

Expected<Dataset> readKtt(const std::string &path, const std::string &text) {
  Dataset data;
  Expected<Json> json = parseJson(path, text, {"ProfilingData"});
  if (!json)
    return json.error();
  const Json *metadata = member(*json, "Metadata");
  const Json *results = member(*json, "Results");
  if (!metadata || !results || !results->is_array())
    return Error{"`Metadata` or the list `Results` is missing", path};
  data.device = textMember(*metadata, "Device");
  std::string unit = textMember(*metadata, "TimeUnit");
  std::optional<double> scale = secondsPerUnit(unit);
  if (!scale)
    return Error{fmt::format("time unit is `{}`, expected Nanoseconds, "
                             "Microseconds, Milliseconds or Seconds",
                             unit),
                 path};
  size_t index = 0;
  for (const Json &result : *results) {
    std::string where = fmt::format("{}: result {}", path, index++);
    const Json *pairs = member(result, "Configuration");
    if (!pairs || !pairs->is_array())
      return Error{"`Configuration` is missing or not a list", where};
    Json config = Json::object();
    for (const Json &pair : *pairs) {
      const Json *value = member(pair, "Value");
      std::string name = textMember(pair, "Name");
      if (name.empty() || !value)
        return Error{"a parameter lacks `Name` or `Value`", where};
      config[name] = *value;
    }
    if (data.kernel.empty())
      data.kernel = textMember(result, "KernelName");
    Row row;
    row.failure = textMember(result, "Status");
    if (row.failure == "Ok") {
      const Json *total = member(result, "TotalDuration");
      if (!total || !total->is_number())
        return Error{"`TotalDuration` is missing or not a number", where};
      row.seconds = total->get<double>() * *scale;
      row.ok = std::isfinite(row.seconds) && row.seconds > 0;
      row.failure = row.ok ? "" : "invalid time";
    } else if (row.failure.empty()) {
      return Error{"`Status` is missing", where};
    }
    if (Status status = addConfig(data, config, std::move(row), where); !status)
      return status.error();
  }
  return data;
}

} // namespace hwtune::replay
