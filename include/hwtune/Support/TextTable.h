//===- TextTable.h - aligned columns of text ------------------ -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_TEXTTABLE_H
#define HWTUNE_SUPPORT_TEXTTABLE_H

#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// Rows of text under headings. Numbers go right: a column is right-aligned
/// where asked.
class TextTable {
public:
  enum class Align { Left, Right };
  void column(std::string heading, Align align = Align::Left);
  /// Missing cells are empty; more cells than columns are an error of the
  /// caller.
  void row(std::vector<std::string> cells);
  bool empty() const { return rows.empty(); }

  /// Headings, a rule, rows; two spaces between columns, no trailing space.
  std::string str() const;
  /// The same as a GitHub-flavoured Markdown table.
  std::string markdown() const;

private:
  std::vector<std::string> headings;
  std::vector<Align> aligns;
  std::vector<std::vector<std::string>> rows;
};

/// Columns that `text` takes on a terminal, one per UTF-8 code point.
size_t displayWidth(std::string_view text);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_TEXTTABLE_H
