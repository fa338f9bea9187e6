//===- TargetFields.h - the fields of a TargetSpec, as data -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of fields drives everything that goes over a description field by
// field: the text form, validation, comparison, printing, the mirror in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TARGET_TARGETFIELDS_H
#define HWTUNE_TARGET_TARGETFIELDS_H

#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hwtune {

/// Where a field lives in a given description.
using TargetFieldRef =
    std::variant<std::string *, int64_t *, double *, std::vector<int64_t> *,
                 std::optional<int64_t> *, std::optional<double> *>;

/// A field's value; `monostate` for an optional one that is absent.
using TargetFieldValue = std::variant<std::monostate, std::string, int64_t,
                                      double, std::vector<int64_t>>;

struct TargetField {
  std::string_view name; ///< snake_case, as in the text form
  std::string_view unit; ///< "bytes", "MHz", ...; "" for text
  std::string_view description;
  TargetFieldRef (*ref)(TargetSpec &);
  /// Bounds of a number (of each element of a list); text has none.
  double least = 0, most = 0;
};

/// All fields, in the order of the text form.
std::span<const TargetField> targetFields();
const TargetField *findTargetField(std::string_view name);

bool isOptional(const TargetField &field);
bool isInteger(const TargetField &field); ///< integers and lists of integers

TargetFieldValue getField(const TargetSpec &spec, const TargetField &field);
/// Fails where the value is of the wrong kind or out of bounds: the message
/// names field, value and what was expected. `monostate` clears an optional
/// field. An integer is taken for a real field.
Status setField(TargetSpec &spec, const TargetField &field,
                const TargetFieldValue &value);

/// "164 KiB"-free plain text: "167936", "0.871", "[0, 8192]", "" if absent.
std::string toText(const TargetFieldValue &value);

/// Basis of one field: its own, else the whole description's.
const Provenance &provenanceOf(const TargetSpec &spec, std::string_view field);

std::string_view toString(Basis basis);
std::optional<Basis> parseBasis(std::string_view text);

/// Every field within its bounds, and the relations between fields that
/// occupancy and the model rely on. The first violation, as one line.
Status validate(const TargetSpec &spec);

/// Names of the fields in which two descriptions differ (value, not basis).
std::vector<std::string_view> differingFields(const TargetSpec &a,
                                              const TargetSpec &b);

/// Field, value, unit, basis and note, one line each, aligned.
std::string printTable(const TargetSpec &spec);

/// How many present numeric fields rest on each basis: "61 vendor-table, 9
/// measured, 4 proxy".
std::string basisSummary(const TargetSpec &spec);

/// Canonical JSON text: fields in order, absent ones left out, a number as
/// such where its basis is the description's own, else
/// `{"value": ..., "basis": ..., "note": ...}`.
std::string toJson(const TargetSpec &spec);
/// Reads and validates. The text is untrusted; every error names the field.
Expected<TargetSpec> targetFromJson(std::string_view text);
/// The same from a file; errors carry its name.
Expected<TargetSpec> targetFromFile(const std::string &path);

} // namespace hwtune

#endif // HWTUNE_TARGET_TARGETFIELDS_H
