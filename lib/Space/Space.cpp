//===- Space.cpp - checks and text form of a space ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Space/Space.h"

#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <set>

namespace hwtune {

static constexpr std::string_view kKnobCount = "knob-count";
static constexpr std::string_view kKnobValue = "knob-value";

std::string Rejection::message() const {
  // These two describe the configuration itself; there is no amount.
  if (kind == kKnobCount || kind == kKnobValue)
    return what;
  return fmt::format("{}: needs {}, limit {}", what, formatNumber(needed),
                     formatNumber(limit));
}

static bool isSnakeCase(std::string_view name) {
  if (name.empty() || !(name[0] >= 'a' && name[0] <= 'z'))
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

static Status checkKnob(const Knob &knob) {
  if (!isSnakeCase(knob.name))
    return Error{fmt::format("knob name '{}' is not snake_case", knob.name),
                 ""};
  if (knob.values.empty())
    return Error{fmt::format("knob '{}' has no value", knob.name), ""};
  std::set<int64_t> seen;
  for (int64_t value : knob.values)
    if (!seen.insert(value).second)
      return Error{
          fmt::format("knob '{}' lists the value {} twice", knob.name, value),
          ""};
  return success();
}

Status Space::check() const {
  std::set<std::string> names;
  // Counts are 64-bit: a larger product could not be reported truly.
  uint64_t product = 1;
  for (const Knob &knob : knobs) {
    if (Status status = checkKnob(knob); !status)
      return status;
    if (!names.insert(knob.name).second)
      return Error{fmt::format("two knobs are named '{}'", knob.name), ""};
    if (product > UINT64_MAX / knob.values.size())
      return Error{"the space has more than 2^64 combinations", ""};
    product *= knob.values.size();
  }
  for (const Constraint &constraint : constraints) {
    if (constraint.kind.empty() || constraint.what.empty())
      return Error{"a constraint has no kind or no description", ""};
    if (!constraint.check)
      return Error{fmt::format("constraint '{}' has no check", constraint.what),
                   ""};
    for (unsigned knob : constraint.knobs)
      if (knob >= knobs.size())
        return Error{fmt::format("constraint '{}' reads knob {}, but there are "
                                 "{} knobs",
                                 constraint.what, knob, knobs.size()),
                     ""};
  }
  return success();
}

std::optional<unsigned> Space::find(std::string_view knob) const {
  for (unsigned i = 0; i < knobs.size(); ++i)
    if (knobs[i].name == knob)
      return i;
  return std::nullopt;
}

int64_t Space::get(const Config &config, std::string_view knob) const {
  std::optional<unsigned> index = find(knob);
  assert(index && "no such knob");
  return config[*index];
}

/// "1, 2, 4" or the first eight and "...".
static std::string listValues(const Knob &knob) {
  std::vector<int64_t> shown(knob.values.begin(),
                             knob.values.begin() +
                                 std::min<size_t>(knob.values.size(), 8));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     knob.values.size() > 8 ? ", ..." : "");
}

/// A value written by hand may lie between the listed ones, but must stay in
/// the range for which the constraints' arithmetic is made.
static bool isAcceptable(const Knob &knob, int64_t value, bool anyValue) {
  if (std::find(knob.values.begin(), knob.values.end(), value) !=
      knob.values.end())
    return true;
  auto [least, most] =
      std::minmax_element(knob.values.begin(), knob.values.end());
  constexpr int64_t kLargestByHand = 1 << 20;
  return anyValue && !knob.categorical && value >= *least &&
         value <= std::max(*most, kLargestByHand);
}

std::optional<Rejection> Space::reject(const Config &config,
                                       bool anyValue) const {
  if (config.size() != knobs.size())
    return Rejection{std::string(kKnobCount),
                     fmt::format("the configuration has {} values, expected {}",
                                 config.size(), knobs.size()),
                     double(config.size()), double(knobs.size())};
  for (unsigned i = 0; i < knobs.size(); ++i)
    if (!isAcceptable(knobs[i], config[i], anyValue))
      return Rejection{std::string(kKnobValue),
                       fmt::format("{} = {} is not one of {}", knobs[i].name,
                                   config[i], listValues(knobs[i])),
                       double(config[i]), 0};
  // In the order of the enumeration, so that a check may rely on what those
  // before it have made sure of.
  std::vector<std::pair<unsigned, size_t>> order;
  for (size_t i = 0; i < constraints.size(); ++i)
    order.emplace_back(constraints[i].level(), i);
  std::sort(order.begin(), order.end());
  for (auto [level, i] : order) {
    const Constraint &constraint = constraints[i];
    auto [needed, limit] = constraint.check(config);
    if (!(needed <= limit))
      return Rejection{constraint.kind, constraint.what, needed, limit};
  }
  return std::nullopt;
}

unsigned Constraint::level() const {
  unsigned level = 0;
  for (unsigned knob : knobs)
    level = std::max(level, knob + 1);
  return level;
}

std::string Space::toText(const Config &config) const {
  assert(config.size() == knobs.size() && "one value per knob");
  std::string text = "{";
  for (unsigned i = 0; i < knobs.size(); ++i)
    text += fmt::format("{}{} = {}", i ? ", " : "", knobs[i].name, config[i]);
  return text + "}";
}

namespace {
/// Reads "{name = value, ...}" into a configuration of `space`.
class TextReader {
public:
  TextReader(const Space &space, std::string_view text)
      : space(space), text(text), values(space.knobs.size()) {}

  Expected<Config> read() {
    skipSpace();
    if (!take('{'))
      return expected("'{'");
    skipSpace();
    if (!take('}')) {
      do {
        if (Status status = readEntry(); !status)
          return status.error();
      } while (take(','));
      if (!take('}'))
        return expected("',' or '}'");
    }
    skipSpace();
    if (at != text.size())
      return expected("the end of the text");
    return finish();
  }

private:
  Status readEntry() {
    skipSpace();
    size_t begin = at;
    while (at < text.size() && (isalnum(uint8_t(text[at])) || text[at] == '_'))
      ++at;
    std::string name(text.substr(begin, at - begin));
    if (name.empty())
      return expected("a knob name");
    std::optional<unsigned> knob = space.find(name);
    if (!knob)
      return unknown(name);
    skipSpace();
    if (!take('='))
      return expected(fmt::format("'=' after '{}'", name));
    skipSpace();
    begin = at;
    while (at < text.size() && (isalnum(uint8_t(text[at])) || text[at] == '-'))
      ++at;
    std::string_view word = text.substr(begin, at - begin);
    std::optional<int64_t> value = parseInt(word);
    if (!value) {
      at = begin;
      return expected(fmt::format("an integer for '{}'", name));
    }
    if (values[*knob])
      return Error{fmt::format("knob '{}' is given twice", name), ""};
    values[*knob] = value;
    skipSpace();
    return success();
  }

  Expected<Config> finish() {
    std::vector<std::string> missing;
    Config config;
    for (unsigned i = 0; i < values.size(); ++i) {
      if (!values[i])
        missing.push_back("'" + space.knobs[i].name + "'");
      config.push_back(values[i].value_or(0));
    }
    if (!missing.empty())
      return Error{fmt::format("no value for knob{} {}",
                               missing.size() > 1 ? "s" : "",
                               fmt::join(missing, ", ")),
                   ""};
    return config;
  }

  Error unknown(const std::string &name) {
    std::vector<std::string> names;
    for (const Knob &knob : space.knobs)
      names.push_back(knob.name);
    return Error{fmt::format("unknown knob '{}', expected one of {}{}", name,
                             fmt::join(names, ", "), didYouMean(name, names)),
                 ""};
  }

  Error expected(std::string_view what) {
    std::string found =
        at < text.size() ? fmt::format("'{}'", text.substr(at, 16)) : "the end";
    return Error{fmt::format("expected {} at column {} of the configuration, "
                             "found {}",
                             what, at + 1, found),
                 ""};
  }

  void skipSpace() {
    while (at < text.size() && isspace(uint8_t(text[at])))
      ++at;
  }
  bool take(char c) {
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  const Space &space;
  std::string_view text;
  size_t at = 0;
  std::vector<std::optional<int64_t>> values;
};
} // namespace

Expected<Config> Space::fromText(std::string_view text) const {
  return TextReader(*this, text).read();
}

} // namespace hwtune
