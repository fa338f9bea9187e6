//===- KnownTargets.cpp - looking devices up ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Target/TargetFields.h"

#include "TargetTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace hwtune;
using namespace hwtune::table;

namespace {

constexpr size_t kSuggestions = 3;
/// Longer text is cut before it is compared or shown.
constexpr size_t kLongestId = 64;

std::vector<const Row *> allRows() {
  std::vector<const Row *> rows;
  for (const Row &row : nvidiaRows())
    rows.push_back(&row);
  for (const Row &row : amdRows())
    rows.push_back(&row);
  return rows;
}

TargetFieldValue toValue(const Literal &literal) {
  switch (literal.kind) {
  case Literal::Text:
    return std::string(literal.text);
  case Literal::Sizes:
    return std::vector<int64_t>(literal.list.begin(), literal.list.end());
  default:
    return literal.number;
  }
}

Status apply(std::span<const Entry> entries, TargetSpec &spec) {
  for (const Entry &entry : entries) {
    const TargetField *field = findTargetField(entry.field);
    if (!field)
      return Error{
          fmt::format("known target `{}`: no field `{}`", spec.id, entry.field),
          ""};
    if (Status s = setField(spec, *field, toValue(entry.value)); !s)
      return s;
    auto source =
        std::find_if(sources().begin(), sources().end(),
                     [&](const Source &s) { return s.key == entry.source; });
    if (source == sources().end())
      return Error{fmt::format("known target `{}`: no source `{}`", spec.id,
                               entry.source),
                   ""};
    spec.basis[std::string(entry.field)] = {source->basis,
                                            std::string(source->note)};
  }
  return success();
}

Expected<TargetSpec> build(const Row &row) {
  TargetSpec spec;
  spec.id = row.id;
  spec.vendor = row.vendor;
  spec.arch = row.arch;
  spec.kind = row.kind;
  spec.defaultBasis = {Basis::VendorTable, ""};
  for (auto entries : {row.common, row.family, row.own})
    if (Status s = apply(entries, spec); !s)
      return s.error();
  if (Status s = validate(spec); !s)
    return Error{
        fmt::format("known target `{}`: {}", row.id, s.error().message), ""};
  return spec;
}

/// Lower case, without the vendor's prefixes, only letters and digits: "NVIDIA
/// A100-SXM4-80GB" and "a100-sxm4-80gb" meet.
std::string simplified(std::string_view name) {
  std::string out;
  for (unsigned char c : name)
    if (std::isalnum(c))
      out += static_cast<char>(std::tolower(c));
  for (const char *word : {"nvidia", "tesla", "geforce", "quadro"})
    if (size_t at = out.find(word); at != std::string::npos)
      out.erase(at, std::string_view(word).size());
  return out;
}

/// Names by which drivers know table rows, beside the id and the table's name.
struct Alias {
  std::string_view driverName, id;
};
constexpr Alias kAliases[] = {
    {"NVIDIA H100 PCIe", "h100-pcie"},
    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
    {"NVIDIA H200", "h200"},
    {"NVIDIA B200", "b200"},
    {"Xavier", "jetson-agx-xavier"},
    {"Orin", "jetson-agx-orin-64gb"},
    {"NVIDIA Thor", "jetson-thor-t5000"},
};

bool isNamed(const Row &row, const TargetSpec &spec,
             const std::string &wanted) {
  if (simplified(row.id) == wanted || simplified(spec.name) == wanted)
    return true;
  for (const Alias &alias : kAliases)
    if (alias.id == row.id && simplified(alias.driverName) == wanted)
      return true;
  return false;
}

/// Ids that contain `text` first, then by edit distance; ties by order.
std::vector<std::string> nearestIds(std::string_view text) {
  text = text.substr(0, kLongestId);
  const std::vector<std::string> &ids = knownTargetIds();
  std::vector<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < ids.size(); ++i) {
    // Two letters are part of too much to mean anything.
    bool contains = text.size() > 2 && ids[i].find(text) != std::string::npos;
    order.emplace_back(contains ? size_t{0} : editDistance(text, ids[i]), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < kSuggestions && i < order.size(); ++i)
    result.push_back(ids[order[i].second]);
  return result;
}

} // namespace

const std::vector<std::string> &hwtune::knownTargetIds() {
  static const std::vector<std::string> ids = [] {
    std::vector<std::string> result;
    for (const Row *row : allRows())
      result.emplace_back(row->id);
    return result;
  }();
  return ids;
}

Expected<TargetSpec> hwtune::knownTarget(std::string_view id) {
  for (const Row *row : allRows())
    if (row->id == id)
      return build(*row);
  return Error{
      fmt::format("unknown target `{}`, did you mean one of: {} (list all with "
                  "`hwtune-run --list-targets`; a description file works too)",
                  id.substr(0, kLongestId), fmt::join(nearestIds(id), ", ")),
      ""};
}

Expected<TargetSpec> hwtune::targetFromIdOrFile(const std::string &text) {
  bool isFile = text.find('/') != std::string::npos || text.ends_with(".json");
  return isFile ? targetFromFile(text) : knownTarget(text);
}

std::string hwtune::knownTargetIdFor(std::string_view deviceName,
                                     int capability, int64_t dramBytes) {
  std::string wanted = simplified(deviceName), best;
  double bestDistance = INFINITY;
  for (const Row *row : allRows()) {
    Expected<TargetSpec> spec = build(*row);
    if (!spec || spec->computeCapability() != capability ||
        !isNamed(*row, *spec, wanted))
      continue;
    // Drivers report a little less than the nominal memory.
    double distance = std::fabs(std::log(static_cast<double>(spec->dramBytes) /
                                         std::max<double>(1, dramBytes)));
    if (distance < bestDistance) {
      bestDistance = distance;
      best = row->id;
    }
  }
  return best;
}

std::string hwtune::knownTargetIdLike(int capability) {
  for (const Row *row : allRows())
    if (Expected<TargetSpec> spec = build(*row);
        spec && capability != 0 && spec->computeCapability() == capability)
      return std::string(row->id);
  return {};
}

std::string hwtune::whyNoPtx(const TargetSpec &spec) {
  if (spec.isNvidia() && spec.computeCapability() > 0)
    return {};
  return fmt::format("target `{}` ({} {}, {}) cannot run PTX: only NVIDIA GPUs "
                     "can; it can be attached, enumerated and scored",
                     spec.id, spec.vendor, spec.arch, spec.kind);
}
