//===- PtxStats.cpp - what a PTX text contains ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/PtxStats.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

namespace hwtune {
namespace {

std::string_view trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos)
      return parts;
    text = text.substr(dot + 1);
  }
}

/// Whether `wanted` occurs in `parts` in this order, its first one first. Four
/// f32 may be two pairs, which LLVM packs from sm_100 on.
bool matches(const std::vector<std::string_view> &parts,
             const std::vector<std::string_view> &wanted) {
  if (parts.front() != wanted.front())
    return false;
  bool pairs = parts.back().ends_with("64");
  size_t next = 0;
  for (std::string_view part : parts)
    if (next < wanted.size() &&
        (part == wanted[next] ||
         (pairs && part == "v2" && wanted[next] == "v4")))
      ++next;
  return next == wanted.size();
}

/// Size in bytes of ".shared .align 16 .b8 name[N];".
int64_t sharedBytes(std::string_view line) {
  size_t open = line.find('[');
  int64_t size = 0;
  if (open != std::string_view::npos)
    std::from_chars(line.data() + open + 1, line.data() + line.size(), size);
  return size;
}

/// The name that `.extern .func (.param ...) name` declares.
std::string functionName(std::string_view line) {
  size_t at = line.find(".func") + 5;
  std::string_view rest = trim(line.substr(at));
  if (!rest.empty() && rest.front() == '(')
    rest = trim(rest.substr(rest.find(')') + 1));
  return std::string(rest.substr(0, rest.find_first_of(" (\t;")));
}

void readDirective(std::string_view line, PtxStats &stats) {
  if (line.find(".extern") != std::string_view::npos) {
    if (line.find(".func") != std::string_view::npos &&
        stats.externFunction.empty())
      stats.externFunction = functionName(line);
    if (line.find(".shared") != std::string_view::npos)
      stats.externShared = true;
    return;
  }
  if (line.starts_with(".shared"))
    stats.staticSharedBytes += sharedBytes(line);
}

} // namespace

PtxStats ptxStats(std::string_view ptx) {
  PtxStats stats;
  while (!ptx.empty()) {
    size_t end = ptx.find('\n');
    std::string_view line = trim(ptx.substr(0, end));
    ptx = end == std::string_view::npos ? std::string_view()
                                        : ptx.substr(end + 1);
    line = trim(line.substr(0, line.find("//")));
    if (line.empty())
      continue;
    if (line.front() == '.') {
      readDirective(line, stats);
      continue;
    }
    if (line.front() == '@') { // guard predicate
      size_t space = line.find_first_of(" \t");
      if (space == std::string_view::npos)
        continue;
      line = trim(line.substr(space));
    }
    if (line.front() < 'a' || line.front() > 'z') // a label or operands
      continue;
    size_t stop = line.find_first_of(" \t;");
    // Matrix instructions stand alone in a line, above their operands.
    if (stop == std::string_view::npos) {
      if (line.find('.') == std::string_view::npos || line.back() == ',')
        continue;
      stop = line.size();
    }
    std::string_view opcode = line.substr(0, stop);
    if (opcode.empty() || opcode.back() == ':')
      continue;
    ++stats.opcodes[std::string(opcode)];
    ++stats.instructions;
  }
  return stats;
}

int64_t PtxStats::count(std::string_view pattern) const {
  std::vector<std::string_view> wanted = split(pattern);
  int64_t total = 0;
  for (const auto &[opcode, n] : opcodes)
    if (matches(split(opcode), wanted))
      total += n;
  return total;
}

std::string brokenPromise(const PtxStats &stats,
                          std::span<const PtxPromise> promises) {
  for (const PtxPromise &promise : promises) {
    int64_t found = stats.count(promise.prefix);
    if (found < promise.atLeast)
      return fmt::format("{} {} in the PTX, expected at least {}: {}", found,
                         promise.prefix, promise.atLeast, promise.why);
    if (found > promise.atMost)
      return fmt::format("{} {} in the PTX, expected at most {}: {}", found,
                         promise.prefix, promise.atMost, promise.why);
  }
  return "";
}

} // namespace hwtune
