//===- TextTable.cpp - aligned columns of text ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/TextTable.h"

#include <algorithm>
#include <cassert>

namespace hwtune {

size_t displayWidth(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) {
    return (uint8_t(c) & 0xc0) != 0x80; // not a continuation byte
  }));
}

void TextTable::column(std::string heading, Align align) {
  headings.push_back(std::move(heading));
  aligns.push_back(align);
}

void TextTable::row(std::vector<std::string> cells) {
  assert(cells.size() <= headings.size() && "more cells than columns");
  cells.resize(headings.size());
  rows.push_back(std::move(cells));
}

static std::string padded(const std::string &text, size_t width,
                          TextTable::Align align) {
  std::string space(width - std::min(width, displayWidth(text)), ' ');
  return align == TextTable::Align::Right ? space + text : text + space;
}

std::string TextTable::str() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < headings.size(); ++i) {
    widths.push_back(displayWidth(headings[i]));
    for (const std::vector<std::string> &row : rows)
      widths[i] = std::max(widths[i], displayWidth(row[i]));
  }
  std::string text;
  auto line = [&](const std::vector<std::string> &cells) {
    std::string one;
    for (size_t i = 0; i < cells.size(); ++i)
      one += (i ? "  " : "") + padded(cells[i], widths[i], aligns[i]);
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line(headings);
  std::vector<std::string> rule;
  for (size_t width : widths)
    rule.push_back(std::string(width, '-'));
  line(rule);
  for (const std::vector<std::string> &row : rows)
    line(row);
  return text;
}

/// A cell may hold neither the separator nor a line break.
static std::string escaped(const std::string &cell) {
  std::string text;
  for (char c : cell) {
    if (c == '|')
      text += "\\|";
    else
      text += c == '\n' ? ' ' : c;
  }
  return text;
}

std::string TextTable::markdown() const {
  std::string text = "|", rule = "|";
  for (size_t i = 0; i < headings.size(); ++i) {
    text += " " + escaped(headings[i]) + " |";
    rule += aligns[i] == Align::Right ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (const std::vector<std::string> &row : rows) {
    text += "|";
    for (const std::string &cell : row)
      text += " " + escaped(cell) + " |";
    text += "\n";
  }
  return text;
}

} // namespace hwtune
