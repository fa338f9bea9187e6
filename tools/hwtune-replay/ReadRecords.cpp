//===- ReadRecords.cpp - our own records, as JSON lines -------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include "hwtune/Records/Record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <tuple>

namespace hwtune::replay {

namespace {

/// Nanoseconds of a trial: its median, else the median of its times.
std::optional<double> nanoseconds(const Json &trial) {
  for (const char *name : {"median_ns", "median"})
    if (const Json *value = member(trial, name); value && value->is_number())
      return value->get<double>();
  const Json *times = member(trial, "times_ns");
  if (!times || !times->is_array() || times->empty())
    return std::nullopt;
  std::vector<double> all;
  for (const Json &time : *times)
    if (time.is_number())
      all.push_back(time.get<double>());
  if (all.empty())
    return std::nullopt;
  std::sort(all.begin(), all.end());
  size_t middle = all.size() / 2;
  return all.size() % 2 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
}

/// What a file may hold one of: runs of one operation on one GPU, launched
/// alike.
class OneSearch {
public:
  void add(const Json &run) {
    const Json *key = member(run, "key");
    if (!key)
      return;
    std::string gpu = textMember(*key, "gpu");
    std::string_view state = launchStateOf(textMember(*key, "policy"));
    auto [it, fresh] = keys.try_emplace({textMember(*key, "op"), gpu, state});
    if (fresh)
      it->second =
          fmt::format("{} {} on {}{}{} (run {})", textMember(run, "op_name"),
                      textMember(run, "shapes"), gpu, state.empty() ? "" : " ",
                      state, textMember(run, "uid"));
  }
  Status check(const std::string &path) const {
    if (keys.size() < 2)
      return success();
    std::vector<std::string> names;
    for (const auto &[key, name] : keys)
      names.push_back(name);
    return Error{fmt::format("holds the runs of {} searches, expected one "
                             "(`hwtune-records export RUN`): {}",
                             names.size(), fmt::join(names, "; ")),
                 path};
  }

private:
  /// By operation, GPU and what came before the launches.
  std::map<std::tuple<std::string, std::string, std::string_view>, std::string>
      keys;
};

} // namespace

Expected<Dataset> readRecords(const std::string &path, std::string_view text) {
  Dataset data;
  OneSearch runs;
  Status status = forEachLine(text, [&](std::string_view line, size_t number) {
    Expected<Json> json = parseJson(path, line, {}, number);
    if (!json)
      return Status(json.error());
    std::string where = fmt::format("{}:{}", path, number);
    if (textMember(*json, "record") == "run") { // what came out of the trials
      runs.add(*json);
      if (const Json *key = member(*json, "key"); key && data.device.empty())
        data.device = textMember(*key, "gpu");
      return success();
    }
    const Json *config = member(*json, "config");
    if (!config) // the header
      return number == 1 ? success()
                         : Status(Error{"`config` is missing, expected a trial",
                                        where});
    if (const Json *gpu = member(*json, "gpu"); gpu && data.device.empty())
      data.device =
          gpu->is_string() ? gpu->get<std::string>() : textMember(*gpu, "name");
    Row row;
    row.failure = textMember(*json, "status");
    if (row.failure.empty())
      return Status(Error{"`status` is missing", where});
    if (row.failure == "ok") {
      std::optional<double> time = nanoseconds(*json);
      if (!time)
        return Status(
            Error{"an `ok` trial without `median_ns` or `times_ns`", where});
      row.seconds = *time * 1e-9;
      row.ok = std::isfinite(row.seconds) && row.seconds > 0;
      row.failure = row.ok ? "" : "invalid time";
    }
    return addConfig(data, *config, std::move(row), where);
  });
  if (!status)
    return status.error();
  if (Status one = runs.check(path); !one)
    return one.error();
  return data;
}

} // namespace hwtune::replay
