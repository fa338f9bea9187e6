//===- TargetTable.h - form of the table of known devices -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is: an id, an architecture, the entries of its family, its own entries
// (which win). An entry is: a field of `TargetFields.h` (which has the unit), a
// value, and the key of a source (which has the basis and a note). Private to
// this directory.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_TARGET_TARGETTABLE_H
#define HWTUNE_LIB_TARGET_TARGETTABLE_H

#include "hwtune/Target/TargetSpec.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace hwtune::table {

inline constexpr int64_t KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30;

/// A list of sizes; what it refers to must be a constant of static lifetime.
struct List {
  std::span<const int64_t> values;
};

struct Literal {
  double number = 0; ///< every integer of the table is exact as a double
  std::string_view text;
  std::span<const int64_t> list;
  enum { Number, Text, Sizes } kind = Number;

  constexpr Literal(double value) : number(value) {}
  constexpr Literal(int value) : number(value) {}
  constexpr Literal(int64_t value) : number(static_cast<double>(value)) {}
  constexpr Literal(const char *value) : text(value), kind(Text) {}
  constexpr Literal(List value) : list(value.values), kind(Sizes) {}
};

struct Entry {
  std::string_view field;
  Literal value;
  std::string_view source;
};

struct Source {
  std::string_view key;
  Basis basis;
  std::string_view note;
};

struct Row {
  std::string_view id, vendor, arch, kind;
  std::span<const Entry> common, family, own;
};

std::span<const Source> sources();
std::span<const Row> nvidiaRows();
std::span<const Row> amdRows();

/// Entries of every NVIDIA GPU, and of one architecture (sm_XY without "sm_").
std::span<const Entry> everyNvidia();
std::span<const Entry> nvidiaFamily(int capability);

} // namespace hwtune::table

#endif // HWTUNE_LIB_TARGET_TARGETTABLE_H
