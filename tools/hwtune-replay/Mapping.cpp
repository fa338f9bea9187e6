//===- Mapping.cpp - reading mapping files --------------------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mapping.h"

#include "JsonValues.h"

#include "hwtune/Records/PackedFile.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwtune::replay {

namespace {

constexpr int kSchema = 1;

/// Expressions may be written as numbers or booleans too.
std::optional<std::string> expressionText(const Json &value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean())
    return value.get<bool>() ? "1" : "0";
  if (value.is_number())
    return value.dump();
  return std::nullopt;
}

/// An object name -> expression, in order.
Expected<std::vector<FieldText>> fieldTexts(const Json *object,
                                            const std::string &what,
                                            const std::string &path) {
  std::vector<FieldText> result;
  if (!object)
    return result;
  if (!object->is_object())
    return Error{fmt::format("`{}` is not an object of expressions", what),
                 path};
  for (const auto &[name, value] : object->items()) {
    std::optional<std::string> text = expressionText(value);
    if (!text)
      return Error{fmt::format("`{}` of `{}` is {}, expected an expression",
                               name, what, value.dump().substr(0, 40)),
                   path};
    result.push_back({name, *text});
  }
  return result;
}

/// An error that names the first member of `object` that is not in `known`.
Status onlyMembers(const Json &object, const std::string &of,
                   std::initializer_list<std::string_view> known,
                   const std::string &path) {
  for (const auto &[name, value] : object.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{fmt::format("unknown member `{}`{}, expected one of {}",
                               name, of, fmt::join(known, ", ")),
                   path};
  return success();
}

Error notA(const std::string &member, const Json &value, const char *expected,
           const std::string &path) {
  return {fmt::format("{} is {}, expected {}", member,
                      value.dump().substr(0, 40), expected),
          path};
}

Status readParameter(const Json &item, Mapping &mapping, Parameter &p) {
  p.name =
      item.is_string() ? item.get<std::string>() : textMember(item, "name");
  if (p.name.empty())
    return Error{"a parameter is neither a name nor an object with `name`",
                 mapping.file};
  std::string of = " of parameter `" + p.name + "`";
  if (item.is_object())
    if (Status known = onlyMembers(
            item, of, {"name", "categorical", "inert_if"}, mapping.file);
        !known)
      return known;
  if (const Json *flag = member(item, "categorical")) {
    if (!flag->is_boolean())
      return notA("`categorical`" + of, *flag, "true or false", mapping.file);
    p.categorical = flag->get<bool>();
  }
  if (const Json *inert = member(item, "inert_if")) {
    std::optional<std::string> text = expressionText(*inert);
    if (!text)
      return notA("`inert_if`" + of, *inert, "an expression", mapping.file);
    p.inertIf = *text;
  }
  for (const Parameter &other : mapping.parameters)
    if (other.name == p.name)
      return Error{"parameter `" + p.name + "` stands twice", mapping.file};
  return success();
}

Status readParameters(const Json &json, Mapping &mapping) {
  const Json *list = member(json, "parameters");
  if (!list || !list->is_array() || list->empty())
    return Error{"`parameters` is missing or not a list", mapping.file};
  for (const Json &item : *list) {
    Parameter p;
    if (Status read = readParameter(item, mapping, p); !read)
      return read;
    mapping.parameters.push_back(std::move(p));
  }
  return success();
}

Status readStreams(const Json &json, Mapping &mapping) {
  const Json *list = member(json, "streams");
  if (!list)
    return success();
  if (!list->is_array() || list->size() > size_t(kMaxStreams))
    return Error{
        fmt::format("`streams` is not a list of at most {}", kMaxStreams),
        mapping.file};
  for (const Json &item : *list) {
    Expected<std::vector<FieldText>> fields =
        fieldTexts(&item, "streams", mapping.file);
    if (!fields)
      return fields.error();
    StreamText stream;
    for (FieldText &field : *fields)
      if (field.field == "if")
        stream.condition = field.text;
      else if (field.field != "name")
        stream.fields.push_back(std::move(field));
    mapping.streams.push_back(std::move(stream));
  }
  return success();
}

/// `workload`: {"mlir": FILE beside the mapping, "op": N, "knobs": {...}}.
Status readWorkload(const Json &json, const WorkloadReader &reader,
                    Mapping &mapping) {
  const Json *object = member(json, "workload");
  if (!object)
    return success();
  auto fail = [&](std::string message) {
    return Status(Error{std::move(message), mapping.file});
  };
  std::string name = textMember(*object, "mlir");
  if (name.empty())
    return fail("`workload` is no object with `mlir`, the name of a file");
  if (Status known = onlyMembers(*object, " of `workload`",
                                 {"mlir", "op", "knobs"}, mapping.file);
      !known)
    return known;
  if (!mapping.features.empty() || !mapping.streams.empty())
    return fail("`workload` stands instead of `features` and `streams`, and "
                "the mapping has both");
  if (!reader)
    return fail("`workload` needs a program that reads MLIR");
  Expected<std::vector<FieldText>> knobs =
      fieldTexts(member(*object, "knobs"), "knobs", mapping.file);
  if (!knobs)
    return knobs.error();
  std::filesystem::path path =
      std::filesystem::path(mapping.file).parent_path() / name;
  Expected<std::vector<Workload>> all = reader(path.string());
  if (!all)
    return all.error();
  const Json *op = member(*object, "op");
  size_t index = op && op->is_number_unsigned() ? op->get<size_t>() : 0;
  if (all->empty())
    return fail(fmt::format("`workload` needs a linalg operation, and {} has "
                            "none",
                            name));
  if (index >= all->size() || (op && !op->is_number_unsigned()))
    return fail(fmt::format("`op` of `workload` is {}, expected less than the "
                            "{} linalg operations of {}",
                            op ? op->dump() : "missing", all->size(), name));
  mapping.knobs = {std::move((*all)[index]), std::move(*knobs)};
  return success();
}

std::string targetText(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Which rows belong together, and of which device they are.
Status readRows(const Json &json, Mapping &m) {
  if (const Json *keep = member(json, "keep_if")) {
    std::optional<std::string> text = expressionText(*keep);
    if (!text)
      return notA("`keep_if`", *keep, "an expression", m.file);
    m.keepIf = *text;
  }
  if (const Json *target = member(json, "target"))
    m.defaultTarget = targetText(*target);
  if (const Json *targets = member(json, "targets")) {
    if (!targets->is_object())
      return notA("`targets`", *targets, "an object device name -> target",
                  m.file);
    for (const auto &[device, value] : targets->items())
      m.targets[device] = targetText(value);
  }
  if (const Json *group = member(json, "group_by"))
    for (const Json &column : *group) {
      if (!column.is_string())
        return notA("a column of `group_by`", column, "its name", m.file);
      m.groupBy.push_back(column.get<std::string>());
    }
  return success();
}

Status checkMembers(const Json &json, const std::string &path) {
  if (Status known =
          onlyMembers(json, "",
                      {"schema", "name", "notes", "target", "targets",
                       "constants", "parameters", "group_by", "keep_if", "let",
                       "valid", "features", "streams", "workload"},
                      path);
      !known)
    return known;
  const Json *schema = member(json, "schema");
  if (!schema || !schema->is_number_integer() || *schema != kSchema)
    return Error{fmt::format("`schema` is {}, expected {}",
                             schema ? schema->dump() : "missing", kSchema),
                 path};
  return success();
}

} // namespace

Expected<TargetSpec> targetFromText(const std::string &text,
                                    const std::string &where) {
  if (!text.starts_with("{"))
    return targetFromIdOrFile(text);
  Expected<Json> json = parseJson(where, text);
  if (!json)
    return json.error();
  std::string base = textMember(*json, "base");
  if (base.empty())
    return Error{"a target object needs `base`, the id that it differs from",
                 where};
  Expected<TargetSpec> spec = targetFromIdOrFile(base);
  if (!spec)
    return spec;
  for (const auto &[name, value] : json->items()) {
    if (name == "base")
      continue;
    const TargetField *field = findTargetField(name);
    if (!field)
      return Error{fmt::format("unknown target field `{}`", name), where};
    TargetFieldValue v;
    if (value.is_string())
      v = value.get<std::string>();
    else if (value.is_number_integer())
      v = value.get<int64_t>();
    else if (value.is_number())
      v = value.get<double>();
    else if (!value.is_null())
      return Error{fmt::format("target field `{}` is {}, expected a number, "
                               "text or null",
                               name, value.dump()),
                   where};
    if (Status status = setField(*spec, *field, v); !status)
      return Error{status.error().message, where};
    spec->basis[std::string(name)] = {Basis::User, ""};
  }
  return spec;
}

const FieldText *Mapping::feature(std::string_view name) const {
  auto it = std::ranges::find(features, name, &FieldText::field);
  return it == features.end() ? nullptr : &*it;
}

Expected<TargetSpec> Mapping::target(const std::string &device) const {
  auto it = targets.find(device);
  const std::string &text = it == targets.end() ? defaultTarget : it->second;
  if (text.empty())
    return Error{fmt::format("no target for device `{}`; name it under "
                             "`targets`, or give --target",
                             device),
                 file};
  return targetFromText(text, file);
}

Expected<Mapping> readMapping(const std::string &path,
                              const WorkloadReader &reader) {
  Expected<std::string> text = readPackedFile(path);
  if (!text)
    return text.error();
  Expected<Json> json = parseJson(path, *text);
  if (!json)
    return json.error();
  if (!json->is_object())
    return Error{"is not a JSON object", path};
  Mapping m;
  m.file = path;
  if (Status status = checkMembers(*json, path); !status)
    return status.error();
  m.name = textMember(*json, "name");
  if (Status status = readRows(*json, m); !status)
    return status.error();
  if (Status status = readParameters(*json, m); !status)
    return status.error();
  struct Section {
    const char *name;
    std::vector<FieldText> &out;
  };
  for (Section section :
       {Section{"constants", m.constants}, Section{"let", m.lets},
        Section{"valid", m.valid}, Section{"features", m.features}}) {
    Expected<std::vector<FieldText>> fields =
        fieldTexts(member(*json, section.name), section.name, path);
    if (!fields)
      return fields.error();
    section.out = std::move(*fields);
  }
  if (Status status = readStreams(*json, m); !status)
    return status.error();
  if (Status status = readWorkload(*json, reader, m); !status)
    return status.error();
  if (!m.streams.empty() && m.features.empty())
    return Error{"`streams` without `features`: the model needs both", path};
  return m;
}

} // namespace hwtune::replay
