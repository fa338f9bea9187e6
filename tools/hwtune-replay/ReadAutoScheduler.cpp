//===- ReadAutoScheduler.cpp - TVM auto_scheduler logs --------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A configuration is a list of transform steps. Its columns: `arg0`, `arg1`, …
// are the numbers of the workload key; the k-th split (SP) gives `sp<k>_stage`,
// `sp<k>_extent` and `sp<k>_0`, `sp<k>_1`, … (innermost last); `unroll` is the
// pragma's number; `steps` the number of steps; `cache_<n>` are 1 for a step
// CHR of the n-th stage. A column that a configuration lacks is 0.
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include "hwtune/Support/Text.h"

#include <fmt/format.h>
#include <map>

namespace hwtune::replay {

namespace {

using Columns = std::map<std::string, double>;

constexpr double kFailedCost = 1e9; // seconds; what the tuner writes

void readWorkload(Dataset &data, const Json &key, Columns &columns) {
  Json list = Json::parse(key.is_string() ? key.get<std::string>() : "[]",
                          nullptr, /*allow_exceptions=*/false);
  if (!list.is_array())
    return;
  size_t index = 0;
  for (const Json &item : list) {
    if (item.is_string() && data.kernel.empty())
      data.kernel = item.get<std::string>();
    if (std::optional<double> number = toNumber(data, item);
        number && &item != &list.front())
      columns[fmt::format("arg{}", index++)] = *number;
  }
}

void readStep(const Json &step, size_t &splits, Columns &columns) {
  std::string tag = step[0].is_string() ? step[0].get<std::string>() : "";
  if (tag == "SP" && step.size() >= 5 && step[1].is_number() &&
      step[4].is_array()) {
    std::string name = fmt::format("sp{}_", splits++);
    columns[name + "stage"] = step[1].get<double>();
    columns[name + "extent"] = step[3].is_number() ? step[3].get<double>() : 0;
    for (size_t i = 0; i < step[4].size() && i < 16; ++i)
      if (step[4][i].is_number())
        columns[fmt::format("{}{}", name, i)] = step[4][i].get<double>();
  } else if (tag == "PR" && step.size() >= 4 && step[3].is_string()) {
    std::string pragma = step[3].get<std::string>();
    size_t dollar = pragma.find('$');
    if (dollar != pragma.npos)
      columns["unroll"] = parseDouble(pragma.substr(dollar + 1)).value_or(0);
  } else if (tag == "CHR" && step.size() >= 2 && step[1].is_number()) {
    columns[fmt::format("cache_{}", step[1].get<double>())] = 1;
  }
}

} // namespace

Expected<Dataset> readAutoScheduler(const std::string &path,
                                    std::string_view text) {
  Dataset data;
  std::vector<Columns> all;
  Status status = forEachLine(text, [&](std::string_view line, size_t number) {
    if (line.starts_with('#'))
      return success();
    Expected<Json> json = parseJson(path, line, {}, number);
    if (!json)
      return Status(json.error());
    std::string where = fmt::format("{}:{}", path, number);
    const Json *input = member(*json, "i"), *result = member(*json, "r");
    if (!input || !result || !input->is_array() || input->size() < 2 ||
        !result->is_array() || result->size() < 2 || !(*result)[0].is_array() ||
        !(*result)[1].is_number())
      return Status(Error{"expected \"i\": [task, state] and \"r\": [costs, "
                          "error, …]",
                          where});
    const Json &task = (*input)[0], &state = (*input)[1];
    if (!task.is_array() || task.empty() || !state.is_array() ||
        state.size() < 2 || !state[1].is_array())
      return Status(Error{"the state holds no list of steps", where});
    Columns columns;
    readWorkload(data, task[0], columns);
    size_t splits = 0;
    for (const Json &step : state[1])
      if (step.is_array() && !step.empty())
        readStep(step, splits, columns);
    columns["steps"] = double(state[1].size());
    Row row;
    double sum = 0;
    for (const Json &cost : (*result)[0])
      sum += cost.is_number() ? cost.get<double>() : kFailedCost;
    row.seconds = (*result)[0].empty() ? 0 : sum / double((*result)[0].size());
    int code = (*result)[1].get<int>();
    row.ok = code == 0 && row.seconds > 0 && row.seconds < kFailedCost;
    row.failure = row.ok ? "" : fmt::format("error {}", code);
    data.rows.push_back(std::move(row));
    all.push_back(std::move(columns));
    return success();
  });
  if (!status)
    return status.error();
  Columns every;
  for (const Columns &columns : all)
    every.insert(columns.begin(), columns.end());
  for (const auto &[name, value] : every)
    data.columns.push_back(name);
  for (size_t i = 0; i < all.size(); ++i)
    for (const std::string &name : data.columns) {
      auto it = all[i].find(name);
      data.rows[i].values.push_back(it == all[i].end() ? 0 : it->second);
    }
  return data;
}

} // namespace hwtune::replay
