//===- Scopes.cpp - nested name scopes of a PTX function ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scopes.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::ptx;

Scopes::Name &Scopes::at(StringId name) {
  if (name >= names.size())
    names.resize(std::max(strings.size(), size_t(name) + 1));
  return names[name];
}

void Scopes::close() {
  if (level < hidden.size()) {
    auto &undo = hidden[level];
    for (; !undo.empty(); undo.pop_back())
      names[undo.back().name].binding = undo.back().binding;
  }
  while (!ranges.empty() && ranges.back().depth == level) {
    names[ranges.back().prefix].range = ranges.back().outer;
    ranges.pop_back();
  }
  --level;
}

void Scopes::bindAt(StringId name, Binding binding, uint16_t depth) {
  binding.depth = depth;
  Name &entry = at(name);
  if (hidden.size() <= depth)
    hidden.resize(depth + 1);
  hidden[depth].push_back({name, entry.binding});
  entry.binding = binding;
}

bool Scopes::declare(StringId name, Binding binding) {
  Found found = find(name);
  if (found.binding && found.binding->depth == level)
    return false;
  if (found.range && found.range->depth == level)
    return false;
  bindAt(name, binding, level);
  return true;
}

bool Scopes::declareRange(RegisterRange range) {
  range.depth = level;
  range.outer = at(range.prefix).range;
  if (range.outer != kNone && ranges[range.outer].depth == level)
    return false;
  at(range.prefix).range = uint32_t(ranges.size());
  ranges.push_back(range);
  return true;
}

/// Finds the trailing digits of a name. "%r07" is no part of `%r<N>`.
void Scopes::splitName(StringId id) {
  std::string_view text = strings[id];
  size_t digits = text.size();
  while (digits > 1 && text[digits - 1] >= '0' && text[digits - 1] <= '9')
    --digits;
  size_t count = text.size() - digits;
  Name &entry = at(id);
  entry.split = true;
  if (count == 0 || count > 10 || (count > 1 && text[digits] == '0'))
    return;
  for (size_t i = digits; i < text.size(); ++i)
    entry.number = entry.number * 10 + uint64_t(text[i] - '0');
  StringId prefix = strings.find(text.substr(0, digits));
  // A prefix that nobody wrote has no range now; it may get one later.
  entry.split = prefix != kNone;
  entry.prefix = prefix;
  if (prefix == kNone)
    entry.number = 0;
}

const RegisterRange *Scopes::rangeOf(StringId name) {
  if (!at(name).split)
    splitName(name);
  Name &entry = at(name);
  if (entry.prefix == kNone)
    return nullptr;
  uint32_t range = at(entry.prefix).range;
  // Few nest: a range that is too short leaves the name to the outer one.
  while (range != kNone && ranges[range].count <= at(name).number)
    range = ranges[range].outer;
  return range == kNone ? nullptr : &ranges[range];
}

Scopes::Found Scopes::find(StringId name) {
  const RegisterRange *range = ranges.empty() ? nullptr : rangeOf(name);
  Name &entry = at(name);
  bool bound = entry.binding.kind != BindKind::None;
  if (range && (!bound || entry.binding.depth < range->depth))
    return {nullptr, range};
  return {bound ? &entry.binding : nullptr, nullptr};
}
