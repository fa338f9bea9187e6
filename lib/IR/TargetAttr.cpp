//===- TargetAttr.cpp - #hwtune.target and TargetSpec ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute's fields are the members of the JSON text form one to one, and
// conversion goes through that form: names, types, ranges and relations are
// checked in one place, and a new fact about a device needs no line here.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Dialect.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace hwtune;

/// A description with this field is complete; without it, the known device of
/// that id is the base.
static constexpr llvm::StringLiteral kInlineMark = "arch";
static constexpr llvm::StringLiteral kIdField = "id";
static constexpr llvm::StringLiteral kSchemaField = "schema";

//===----------------------------------------------------------------------===//
// Attribute <-> JSON value
//===----------------------------------------------------------------------===//

/// Null where JSON has no such value.
static std::optional<llvm::json::Value> toJsonValue(Attribute attr) {
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getValue().getSignificantBits() <= 64
               ? std::optional<llvm::json::Value>(
                     integer.getValue().getSExtValue())
               : std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attr))
    return llvm::json::Value(llvm::json::fixUTF8(text.getValue()));
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    llvm::json::Array elements;
    for (Attribute element : array) {
      auto value = toJsonValue(element);
      if (!value)
        return std::nullopt;
      elements.push_back(std::move(*value));
    }
    return elements;
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    llvm::json::Object members;
    for (NamedAttribute entry : dictionary) {
      auto value = toJsonValue(entry.getValue());
      if (!value)
        return std::nullopt;
      members[llvm::json::fixUTF8(entry.getName().getValue())] =
          std::move(*value);
    }
    return members;
  }
  return std::nullopt;
}

static Attribute toAttribute(Builder &builder, const llvm::json::Value &value) {
  if (auto integer = value.getAsInteger())
    return builder.getI64IntegerAttr(*integer);
  if (auto real = value.getAsNumber())
    return builder.getF64FloatAttr(*real);
  if (auto text = value.getAsString())
    return builder.getStringAttr(*text);
  if (const auto *array = value.getAsArray())
    return builder.getArrayAttr(llvm::map_to_vector(
        *array, [&](const auto &v) { return toAttribute(builder, v); }));
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, member] : *value.getAsObject())
    entries.emplace_back(builder.getStringAttr(StringRef(name)),
                         toAttribute(builder, member));
  return builder.getDictionaryAttr(entries);
}

static Attribute toAttribute(Builder &builder, const TargetFieldValue &value) {
  if (auto *integer = std::get_if<int64_t>(&value))
    return builder.getI64IntegerAttr(*integer);
  if (auto *real = std::get_if<double>(&value))
    return builder.getF64FloatAttr(*real);
  if (auto *text = std::get_if<std::string>(&value))
    return builder.getStringAttr(*text);
  if (auto *list = std::get_if<std::vector<int64_t>>(&value))
    return builder.getI64ArrayAttr(*list);
  return {};
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

static llvm::json::Object parseOwnJson(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  return std::move(*llvm::cantFail(std::move(value)).getAsObject());
}

static Expected<TargetSpec> specOf(StringRef id, DictionaryAttr fields) {
  llvm::json::Object json;
  bool isInline = fields.contains(kInlineMark);
  if (!isInline) {
    Expected<TargetSpec> known = knownTarget(id);
    if (!known || fields.empty())
      return known;
    json = parseOwnJson(toJson(*known));
  }
  json[kIdField] = llvm::json::fixUTF8(id);
  for (NamedAttribute entry : fields) {
    StringRef name = entry.getName().getValue();
    if (name == kIdField)
      return Error{"field `id`: given twice, expected before the fields only",
                   ""};
    std::optional<llvm::json::Value> value = toJsonValue(entry.getValue());
    if (!value) {
      std::string shown;
      llvm::raw_string_ostream(shown) << entry.getValue();
      return Error{"field `" + name.str() + "`: value " + shown +
                       ", expected a number, a string, a list of integers, or "
                       "a dictionary of value, basis and note",
                   ""};
    }
    // What replaces a number of the table is the user's, not the vendor's.
    if (!isInline && !value->getAsObject())
      value = llvm::json::Object{{"value", std::move(*value)},
                                 {"basis", std::string(toString(Basis::User))}};
    json[llvm::json::fixUTF8(name)] = std::move(*value);
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(json));
  return targetFromJson(text);
}

LogicalResult
TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   StringRef id, DictionaryAttr fields) {
  Expected<TargetSpec> spec = specOf(id, fields);
  if (!spec)
    return emitError() << spec.error().message;
  return llvm::success();
}

FailureOr<TargetSpec> TargetAttr::toSpec() const {
  Expected<TargetSpec> spec = specOf(getId(), getFields());
  if (!spec)
    return failure();
  return std::move(*spec);
}

TargetAttr TargetAttr::fromSpec(MLIRContext *context, const TargetSpec &spec) {
  Builder builder(context);
  std::string text = toJson(spec);
  Expected<TargetSpec> known = knownTarget(spec.id);
  if (known && toJson(*known) == text)
    return TargetAttr::get(context, spec.id);
  llvm::json::Object json = parseOwnJson(text);
  json.erase(kIdField);
  json.erase(kSchemaField);
  return TargetAttr::get(context, spec.id,
                         cast<DictionaryAttr>(toAttribute(
                             builder, llvm::json::Value(std::move(json)))));
}

FailureOr<Attribute> TargetAttr::query(DataLayoutEntryKey key) const {
  auto name = dyn_cast<StringAttr>(key);
  FailureOr<TargetSpec> spec = toSpec();
  if (!name || failed(spec))
    return failure();
  const TargetField *field = findTargetField(name.getValue());
  if (!field)
    return failure();
  Builder builder(getContext());
  if (Attribute value = toAttribute(builder, getField(*spec, *field)))
    return value;
  return failure();
}
