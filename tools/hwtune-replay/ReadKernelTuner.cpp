//===- ReadKernelTuner.cpp - Kernel Tuner caches --------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace hwtune::replay {

namespace {

/// A cache that can still be appended to ends with a comma and lacks its last
/// two braces.
void close(std::string &text) {
  size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos)
    return;
  text.resize(end + 1);
  std::string tail;
  for (size_t i = text.size(); i-- > 0 && tail.size() < 3;)
    if (!std::strchr(" \t\r\n", text[i]))
      tail += text[i];
  if (tail.starts_with("}}}") ||
      (tail.starts_with("}}") && text.back() == '}' && text.size() > 1 &&
       text[text.size() - 2] != '}'))
    return;
  if (text.back() == ',')
    text.pop_back();
  text += "}\n}";
}

} // namespace

Expected<Dataset> readKernelTuner(const std::string &path, std::string text) {
  Dataset data;
  Expected<Json> json = parseJson(path, text, {"times"});
  if (!json) { // perhaps one that was left open
    close(text);
    Expected<Json> closed = parseJson(path, text, {"times"});
    if (!closed)
      return json.error();
    json = std::move(closed);
  }
  data.device = textMember(*json, "device_name");
  data.kernel = textMember(*json, "kernel_name");
  const Json *keys = member(*json, "tune_params_keys");
  const Json *cache = member(*json, "cache");
  if (!keys || !keys->is_array() || keys->empty())
    return Error{"`tune_params_keys` is missing or not a list of names", path};
  if (!cache || !cache->is_object())
    return Error{"`cache` is missing or not an object", path};
  for (const Json &key : *keys) {
    if (!key.is_string())
      return Error{"`tune_params_keys` holds something other than names", path};
    data.columns.push_back(key.get<std::string>());
  }
  for (const auto &[key, entry] : cache->items()) {
    std::string where = fmt::format("{}: entry `{}`", path, key);
    Json config = Json::object();
    for (const std::string &name : data.columns) {
      const Json *value = member(entry, name.c_str());
      if (!value)
        return Error{fmt::format("parameter `{}` is missing", name), where};
      config[name] = *value;
    }
    Row row;
    const Json *time = member(entry, "time");
    if (time && time->is_number()) {
      row.seconds = time->get<double>() * 1e-3;
      row.ok = std::isfinite(row.seconds) && row.seconds > 0 &&
               row.seconds < 1e10; // older versions write 1e20 for a failure
      row.failure = row.ok ? "" : "invalid time";
    } else if (time && time->is_string()) {
      row.failure = time->get<std::string>();
    } else if (const Json *error = member(entry, "__error__")) {
      row.failure = error->is_string() ? error->get<std::string>() : "error";
    } else {
      return Error{"`time` is missing, expected milliseconds or the name of a "
                   "failure",
                   where};
    }
    if (Status status = addConfig(data, config, std::move(row), where); !status)
      return status.error();
  }
  return data;
}

} // namespace hwtune::replay
