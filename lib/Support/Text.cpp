//===- Text.cpp - small text helpers --------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

namespace hwtune {

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(std::span<const std::string> parts,
                 std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::optional<int64_t> parseInt(std::string_view text) {
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<double> parseDouble(std::string_view text) {
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::vector<std::string> nearestNames(std::string_view text,
                                      std::span<const std::string> names,
                                      unsigned count) {
  std::vector<std::pair<size_t, size_t>> ranked;
  size_t limit = text.size() / 3 + 1;
  for (size_t i = 0; i < names.size(); ++i)
    if (size_t d = editDistance(text, names[i]); d <= limit)
      ranked.emplace_back(d, i);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> nearest;
  for (size_t i = 0; i < ranked.size() && i < count; ++i)
    nearest.push_back(names[ranked[i].second]);
  return nearest;
}

std::string didYouMean(std::string_view text,
                       std::span<const std::string> names) {
  std::vector<std::string> nearest = nearestNames(text, names);
  if (nearest.empty())
    return {};
  return fmt::format("; did you mean '{}'?", fmt::join(nearest, "' or '"));
}

std::string formatNumber(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return fmt::format("{}", int64_t(value));
  return fmt::format("{:.6g}", value);
}

/// `value` with `digits` significant digits and no exponent.
static std::string significant(double value, int digits) {
  if (value == 0)
    return "0";
  int before = int(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value,
                     std::max(0, digits - std::max(before, 1)));
}

std::string formatTime(double seconds) {
  if (!std::isfinite(seconds))
    return "-";
  struct Unit {
    double scale;
    const char *name;
  };
  // 999.95 rounds up to 1000.0, so the next unit begins there.
  for (Unit unit : {Unit{1e-9, "ns"}, Unit{1e-6, "us"}, Unit{1e-3, "ms"}})
    if (std::abs(seconds) < unit.scale * 999.95)
      return significant(seconds / unit.scale, 4) + " " + unit.name;
  return significant(seconds, 4) + " s";
}

std::string formatNanoseconds(const std::optional<double> &ns) {
  return ns ? formatTime(*ns * 1e-9) : "-";
}

std::string formatUtc(double unixSeconds, const char *format) {
  constexpr double kLast = 253402300799; // the last second of 9999
  // A time that is no number is shown as the first.
  double inside = unixSeconds > 0 ? std::min(unixSeconds, kLast) : 0;
  std::time_t seconds = std::time_t(inside);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char buffer[64];
  return std::string(buffer,
                     std::strftime(buffer, sizeof(buffer), format, &utc));
}

std::string shortened(std::string text, size_t most) {
  if (text.size() <= most)
    return text;
  size_t end = most;
  while (end > 0 && (uint8_t(text[end]) & 0xc0) == 0x80)
    --end;
  size_t left = text.size() - end;
  text.resize(end);
  return text + fmt::format(" ... ({} bytes more)", left);
}

std::string formatBytes(double bytes) {
  if (std::abs(bytes) < 1024)
    return formatNumber(bytes) + " B";
  const char *names[] = {"KiB", "MiB", "GiB", "TiB"};
  int unit = -1;
  do
    bytes /= 1024;
  while (++unit < 3 && std::abs(bytes) >= 1023.95);
  return fmt::format("{:.1f} {}", bytes, names[unit]);
}

std::string formatRate(double perSecond, std::string_view unit) {
  const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  int prefix = 0;
  while (prefix < 5 && std::abs(perSecond) >= 999.5) {
    perSecond /= 1000;
    ++prefix;
  }
  return significant(perSecond, 3) + " " + prefixes[prefix] + std::string(unit);
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    return "-";
  int64_t s = std::llround(seconds);
  if (s >= 3600)
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

} // namespace hwtune
