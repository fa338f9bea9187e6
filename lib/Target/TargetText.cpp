//===- TargetText.cpp - validation, JSON and table forms ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/File.h"
#include "hwtune/Support/Json.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

using namespace hwtune;

namespace {

constexpr const char *kSchemaKey = "schema";
constexpr int kSchema = 1;
constexpr const char *kDefaultBasisKey = "default_basis";
constexpr const char *kValueKey = "value";
constexpr const char *kBasisKey = "basis";
constexpr const char *kNoteKey = "note";
constexpr size_t kMaxTextBytes = 1 << 20;
constexpr size_t kMaxTextField = 256;
constexpr size_t kMaxNote = 1024;
constexpr size_t kMaxCarveouts = 64;

constexpr std::array<std::string_view, 3> kKinds = {"gpu", "mobile-gpu", "npu"};

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

bool isKebabCase(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text.front() != '-' &&
         text.back() != '-' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '.' || c == '_';
         });
}

Error fieldError(std::string_view field, const std::string &value,
                 std::string_view expected) {
  return Error{
      fmt::format("field `{}`: value {}, expected {}", field, value, expected),
      ""};
}

Status checkTexts(const TargetSpec &s) {
  if (!isKebabCase(s.id))
    return fieldError(
        "id", fmt::format("`{}`", s.id),
        "lower-case letters, digits and dashes, such as `my-gpu`");
  for (auto [name, text] :
       {std::pair<std::string_view, const std::string *>{"vendor", &s.vendor},
        {"arch", &s.arch}})
    if (text->empty())
      return fieldError(name, "``", findTargetField(name)->description);
  if (std::find(kKinds.begin(), kKinds.end(), s.kind) == kKinds.end())
    return fieldError("kind", fmt::format("`{}`", s.kind),
                      fmt::format("one of: {}", fmt::join(kKinds, ", ")));
  if (s.isNvidia() && s.computeCapability() == 0)
    return fieldError("arch", fmt::format("`{}`", s.arch),
                      "`sm_` and a number, since the vendor is nvidia");
  return success();
}

/// `small` must not exceed `large`.
struct AtMost {
  std::string_view small;
  int64_t smallValue;
  std::string_view large;
  int64_t largeValue;
};

Status checkRelations(const TargetSpec &s) {
  const AtMost relations[] = {
      {"max_threads_per_block", s.maxThreadsPerBlock, "max_threads_per_sm",
       s.maxThreadsPerSM},
      {"registers_per_block", s.registersPerBlock, "registers_per_sm",
       s.registersPerSM},
      {"shared_per_block", s.sharedPerBlock, "shared_per_block_optin",
       s.sharedPerBlockOptin},
      {"shared_per_block_optin", s.sharedPerBlockOptin, "shared_per_sm",
       s.sharedPerSM},
      {"shared_per_sm", s.sharedPerSM, "l1_plus_shared", s.l1PlusShared},
      {"sector_bytes", s.sectorBytes, "line_bytes", s.lineBytes},
      {"max_block_x", s.maxBlockX, "max_threads_per_block",
       s.maxThreadsPerBlock},
      {"max_threads_per_sm", s.maxThreadsPerSM, "max_warps_per_sm * warp_size",
       s.maxWarpsPerSM * s.warpSize},
  };
  for (const AtMost &r : relations)
    if (r.smallValue > r.largeValue)
      return fieldError(
          r.small, fmt::format("{}", r.smallValue),
          fmt::format("at most `{}` ({})", r.large, r.largeValue));
  if (s.lineBytes % s.sectorBytes != 0)
    return fieldError(
        "line_bytes", fmt::format("{}", s.lineBytes),
        fmt::format("a multiple of `sector_bytes` ({})", s.sectorBytes));
  if (s.sharedPerSM > 0 && s.sharedCarveouts.empty())
    return fieldError("shared_carveouts", "[]",
                      "at least one carve-out, the largest equal to "
                      "`shared_per_sm`");
  if (!std::is_sorted(s.sharedCarveouts.begin(), s.sharedCarveouts.end()) ||
      (!s.sharedCarveouts.empty() && s.sharedCarveouts.back() != s.sharedPerSM))
    return fieldError(
        "shared_carveouts",
        fmt::format("[{}]", fmt::join(s.sharedCarveouts, ", ")),
        fmt::format("ascending, the last equal to `shared_per_sm` ({})",
                    s.sharedPerSM));
  return success();
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

OrderedJson valueToJson(const TargetFieldValue &value) {
  if (auto *text = std::get_if<std::string>(&value))
    return *text;
  if (auto *i = std::get_if<int64_t>(&value))
    return *i;
  if (auto *d = std::get_if<double>(&value)) {
    // 1410 rather than 1410.0: what a person would write.
    if (*d == std::floor(*d) && std::fabs(*d) < 9e15)
      return static_cast<int64_t>(*d);
    return *d;
  }
  return std::get<std::vector<int64_t>>(value);
}

OrderedJson provenanceToJson(const Provenance &p) {
  OrderedJson result;
  result[kBasisKey] = std::string(toString(p.basis));
  if (!p.note.empty())
    result[kNoteKey] = p.note;
  return result;
}

Provenance readProvenance(const JsonReader &r) {
  Provenance p;
  std::string basis = r[kBasisKey].string(kMaxTextField);
  if (!r.ok())
    return p;
  if (auto parsed = parseBasis(basis))
    p.basis = *parsed;
  else
    r[kBasisKey].fail(fmt::format(
        "unknown basis `{}`, expected one of: measured, vendor-table, "
        "derived, proxy, family-default, unverified, user",
        basis));
  if (r.has(kNoteKey))
    p.note = r[kNoteKey].string(kMaxNote);
  return p;
}

TargetFieldValue readValue(const TargetField &field, const JsonReader &r) {
  const Json &v = r.json();
  if (v.is_string())
    return r.string(kMaxTextField);
  if (v.is_number_integer())
    return r.integer(INT64_MIN, INT64_MAX);
  if (v.is_number())
    return v.get<double>();
  if (v.is_array()) {
    std::vector<int64_t> list;
    for (const JsonReader &element : r.elements(kMaxCarveouts))
      list.push_back(element.integer(INT64_MIN, INT64_MAX));
    return list;
  }
  r.fail(fmt::format("expected a value for `{}` ({}), found {}", field.name,
                     field.description, r.found()));
  return {};
}

void readField(TargetSpec &spec, const TargetField &field,
               const JsonReader &r) {
  JsonReader value = r;
  if (r.json().is_object()) {
    r.onlyFields({kValueKey, kBasisKey, kNoteKey});
    value = r[kValueKey];
    if (r.ok())
      spec.basis[std::string(field.name)] = readProvenance(r);
  }
  if (!r.ok())
    return;
  TargetFieldValue read = readValue(field, value);
  if (!r.ok())
    return;
  if (Status s = setField(spec, field, read); !s)
    r.failBare(s.error().message);
}

} // namespace

Status hwtune::validate(const TargetSpec &spec) {
  if (Status s = checkTexts(spec); !s)
    return s;
  TargetSpec scratch;
  for (const TargetField &field : targetFields())
    if (Status s = setField(scratch, field, getField(spec, field)); !s)
      return s;
  return checkRelations(spec);
}

std::string hwtune::toJson(const TargetSpec &spec) {
  OrderedJson root;
  root[kSchemaKey] = kSchema;
  root[kDefaultBasisKey] = provenanceToJson(spec.defaultBasis);
  for (const TargetField &field : targetFields()) {
    TargetFieldValue value = getField(spec, field);
    if (std::holds_alternative<std::monostate>(value))
      continue;
    OrderedJson shown = valueToJson(value);
    auto own = spec.basis.find(std::string(field.name));
    if (own == spec.basis.end()) {
      root[std::string(field.name)] = shown;
      continue;
    }
    OrderedJson object;
    object[kValueKey] = shown;
    object.update(provenanceToJson(own->second));
    root[std::string(field.name)] = object;
  }
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Expected<TargetSpec> hwtune::targetFromJson(std::string_view text) {
  Expected<Json> root = parseJson(text, "target description", kMaxTextBytes);
  if (!root)
    return root.error();
  JsonReader r(*root, "");
  TargetSpec spec;
  if (!root->is_object())
    return Error{fmt::format("target description: expected an object, found {}",
                             r.found()),
                 ""};
  if (r.has(kSchemaKey))
    r[kSchemaKey].integer(kSchema, kSchema);
  if (r.has(kDefaultBasisKey))
    spec.defaultBasis = readProvenance(r[kDefaultBasisKey]);
  for (const auto &item : root->items()) {
    if (!r.ok())
      break;
    if (item.key() == kSchemaKey || item.key() == kDefaultBasisKey)
      continue;
    const TargetField *field = findTargetField(item.key());
    if (!field) {
      std::vector<std::string> names;
      for (const TargetField &f : targetFields())
        names.emplace_back(f.name);
      r.fail(fmt::format("unknown field `{}`{}", item.key(),
                         didYouMean(item.key(), names)));
      break;
    }
    readField(spec, *field, r[item.key().c_str()]);
  }
  if (!r.ok())
    return r.status().error();
  // What depends on other fields and was not written has one natural value.
  if (!root->contains("registers_per_block"))
    spec.registersPerBlock = spec.registersPerSM;
  if (!root->contains("shared_alloc_unit") && spec.sharedAllocUnit == 0)
    spec.sharedAllocUnit = 1;
  if (!root->contains("max_warps_per_sm") && spec.warpSize > 0)
    spec.maxWarpsPerSM =
        (spec.maxThreadsPerSM + spec.warpSize - 1) / spec.warpSize;
  if (Status s = validate(spec); !s)
    return s.error();
  return spec;
}

Expected<TargetSpec> hwtune::targetFromFile(const std::string &path) {
  Expected<std::string> text = readFile(path, kMaxTextBytes);
  if (!text)
    return text.error();
  Expected<TargetSpec> spec = targetFromJson(*text);
  if (!spec)
    return Error{spec.error().message, path};
  return spec;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

std::string hwtune::printTable(const TargetSpec &spec) {
  std::string out;
  for (const TargetField &field : targetFields()) {
    TargetFieldValue value = getField(spec, field);
    if (std::holds_alternative<std::monostate>(value))
      continue;
    const Provenance &p = provenanceOf(spec, field.name);
    std::string basis(toString(p.basis));
    if (!p.note.empty())
      basis += ": " + p.note;
    out += fmt::format("{:<26} {:>14} {:<15} {}\n", field.name, toText(value),
                       field.unit, basis);
  }
  return out;
}

std::string hwtune::basisSummary(const TargetSpec &spec) {
  constexpr std::array kOrder = {
      Basis::Measured,      Basis::VendorTable, Basis::Derived, Basis::Proxy,
      Basis::FamilyDefault, Basis::Unverified,  Basis::User};
  std::string out;
  for (Basis basis : kOrder) {
    int count = 0;
    for (const TargetField &field : targetFields()) {
      TargetFieldValue value = getField(spec, field);
      bool isNumber = !std::holds_alternative<std::monostate>(value) &&
                      !std::holds_alternative<std::string>(value);
      count += isNumber && provenanceOf(spec, field.name).basis == basis;
    }
    if (count)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count,
                         toString(basis));
  }
  return out;
}

int TargetSpec::computeCapability() const {
  constexpr std::string_view kPrefix = "sm_";
  if (arch.rfind(kPrefix, 0) != 0)
    return 0;
  // "sm_90a" and "sm_120f" are sm_90 and sm_120 with extra instructions.
  std::string_view digits = std::string_view(arch).substr(kPrefix.size());
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f'))
    digits.remove_suffix(1);
  if (digits.size() < 2 || digits.size() > 3)
    return 0;
  int number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return 0;
    number = 10 * number + (c - '0');
  }
  return number;
}
