//===- ReadCsv.cpp - tables of choices and their times -------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row a measurement: a column `feedback` (or `time_ms`, `seconds`) holds
// the time, `inf` or nothing where it failed. A text column whose values look
// like "a_B=1_C=2" also gives the columns B and C (dashes become underscores).
// Lines before the header that start with { or # are skipped.
//
//===----------------------------------------------------------------------===//

#include "JsonValues.h"

#include "hwtune/Support/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace hwtune::replay {

namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (size_t start = 0;;) {
    size_t comma = line.find(',', start);
    cells.push_back(line.substr(start, comma - start));
    if (comma == line.npos)
      return cells;
    start = comma + 1;
  }
}

/// Also infinite ones and those that are none: files have them for failures.
std::optional<double> parseNumber(std::string_view cell) {
  std::string_view text = trim(cell);
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// "type=triton_BLOCK-M=16_numwarps=2": NAME=NUMBER pairs.
void embedded(std::string_view cell, std::map<std::string, double> &out) {
  for (size_t start = 0; start < cell.size();) {
    size_t end = std::min(cell.find('_', start), cell.size());
    std::string_view part = cell.substr(start, end - start);
    size_t equal = part.find('=');
    if (equal != part.npos)
      if (std::optional<double> value = parseNumber(part.substr(equal + 1))) {
        std::string name(part.substr(0, equal));
        for (char &c : name)
          c = c == '-' ? '_' : c;
        out[name] = *value;
      }
    start = end + 1;
  }
}

double timeScale(std::string_view column) {
  return column == "seconds"                           ? 1
         : column == "feedback" || column == "time_ms" ? 1e-3
                                                       : 0;
}

struct Reader {
  const std::string &path;
  Dataset data;
  std::vector<std::string> header;
  size_t timeColumn = 0;
  double scale = 0;
  std::vector<std::map<std::string, double>> extra;
  std::map<std::string, double> extraNames;

  Status readHeader(std::string_view line, const std::string &where) {
    for (std::string_view cell : split(line)) {
      cell = trim(cell);
      if (std::find(header.begin(), header.end(), cell) != header.end() ||
          (scale > 0 && timeScale(cell) > 0))
        return Error{fmt::format("the header names `{}` beside another column "
                                 "of that name or time",
                                 cell),
                     where};
      if (double s = timeScale(cell); s > 0) {
        timeColumn = header.size();
        scale = s;
      } else {
        data.columns.emplace_back(cell);
      }
      header.emplace_back(cell);
    }
    if (scale == 0)
      return Error{"the header names no time column, expected one of "
                   "feedback, time_ms, seconds",
                   where};
    return success();
  }

  Status readRow(std::string_view line, const std::string &where) {
    std::vector<std::string_view> cells = split(line);
    if (cells.size() != header.size())
      return Error{fmt::format("has {} cells, expected the {} of the header",
                               cells.size(), header.size()),
                   where};
    Row row;
    std::map<std::string, double> found;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::optional<double> number = parseNumber(cells[i]);
      if (i == timeColumn) {
        row.seconds = number.value_or(NAN) * scale;
        row.ok = std::isfinite(row.seconds) && row.seconds > 0;
        row.failure = row.ok ? "" : "no time";
        continue;
      }
      row.values.push_back(number && std::abs(*number) < Texts::kFirst
                               ? *number
                               : data.texts->code(cells[i]));
      if (!number)
        embedded(cells[i], found);
    }
    extraNames.insert(found.begin(), found.end());
    extra.push_back(std::move(found));
    data.rows.push_back(std::move(row));
    return success();
  }
};

} // namespace

Expected<Dataset> readCsv(const std::string &path, std::string_view text) {
  Reader reader{path, {}, {}, 0, 0, {}, {}};
  Status status = forEachLine(text, [&](std::string_view line, size_t number) {
    std::string where = fmt::format("{}:{}", path, number);
    if (!reader.header.empty())
      return reader.readRow(line, where);
    if (line.front() == '{' || line.front() == '#')
      return success();
    return reader.readHeader(line, where);
  });
  if (!status)
    return status.error();
  for (const auto &[name, value] : reader.extraNames)
    reader.data.columns.push_back(name);
  for (size_t i = 0; i < reader.extra.size(); ++i)
    for (const auto &[name, value] : reader.extraNames) {
      auto it = reader.extra[i].find(name);
      reader.data.rows[i].values.push_back(
          it == reader.extra[i].end() ? 0 : it->second);
    }
  return std::move(reader.data);
}

} // namespace hwtune::replay
