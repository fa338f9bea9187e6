//===- JsonValues.cpp - JSON values as a data set wants them --------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace hwtune::replay {

namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxRows = 5'000'000;

std::pair<size_t, size_t> position(std::string_view text, size_t byte) {
  byte = std::min(byte, text.size());
  size_t line = 1 + size_t(std::count(text.begin(),
                                      text.begin() + ptrdiff_t(byte), '\n'));
  size_t start = text.substr(0, byte).rfind('\n');
  return {line, byte - (start == std::string_view::npos ? 0 : start + 1)};
}

} // namespace

Expected<Json> parseJson(const std::string &path, std::string_view text,
                         const std::vector<std::string> &skip,
                         size_t firstLine) {
  bool tooDeep = false;
  auto filter = [&](int depth, Json::parse_event_t event, Json &value) {
    tooDeep |= depth > kMaxDepth;
    if (event != Json::parse_event_t::key || skip.empty())
      return !tooDeep;
    const auto &key = value.get_ref<const std::string &>();
    return std::find(skip.begin(), skip.end(), key) == skip.end();
  };
  try {
    Json result = Json::parse(text.begin(), text.end(), filter);
    if (tooDeep)
      return Error{fmt::format("nested deeper than {} levels", kMaxDepth),
                   path};
    return result;
  } catch (const Json::parse_error &error) {
    auto [line, column] = position(text, error.byte ? error.byte - 1 : 0);
    std::string what = error.what();
    size_t colon = what.rfind("error while ");
    return Error{
        "not JSON: " + (colon == std::string::npos ? what : what.substr(colon)),
        fmt::format("{}:{}:{}", path, firstLine + line - 1, column + 1)};
  } catch (const Json::exception &error) {
    return Error{fmt::format("not JSON: {}", error.what()), path};
  }
}

std::optional<double> toNumber(Dataset &data, const Json &value) {
  if (value.is_boolean())
    return value.get<bool>() ? 1.0 : 0.0;
  if (value.is_number())
    return value.get<double>();
  if (value.is_string())
    return data.texts->code(value.get_ref<const std::string &>());
  return std::nullopt;
}

const Json *member(const Json &object, const char *name) {
  if (!object.is_object())
    return nullptr;
  auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

std::string textMember(const Json &object, const char *name) {
  const Json *value = member(object, name);
  return value && value->is_string() ? value->get<std::string>() : "";
}

Status addConfig(Dataset &data, const Json &config, Row row,
                 const std::string &where) {
  if (!config.is_object() || config.empty())
    return Error{"configuration is not an object of parameters", where};
  if (data.rows.size() >= kMaxRows)
    return Error{fmt::format("more than {} rows", kMaxRows), where};
  if (data.columns.empty())
    for (const auto &[name, value] : config.items())
      data.columns.push_back(name);
  row.values.assign(data.columns.size(), 0);
  size_t found = 0;
  for (size_t i = 0; i < data.columns.size(); ++i) {
    auto it = config.find(data.columns[i]);
    if (it == config.end())
      return Error{fmt::format("parameter `{}` is missing", data.columns[i]),
                   where};
    std::optional<double> number = toNumber(data, *it);
    if (!number || !(std::abs(*number) < Texts::kFirst || it->is_string()))
      return Error{
          fmt::format("parameter `{}` is {}, expected a number or text",
                      data.columns[i], it->dump().substr(0, 40)),
          where};
    row.values[i] = *number;
    ++found;
  }
  if (found != config.size())
    return Error{fmt::format("has {} parameters, expected the {} of the first "
                             "row",
                             config.size(), found),
                 where};
  data.rows.push_back(std::move(row));
  return success();
}

} // namespace hwtune::replay
