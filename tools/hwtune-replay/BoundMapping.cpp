//===- BoundMapping.cpp - a mapping on the columns of a data set ----- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mapping.h"

#include "hwtune/Schedule/Schedule.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwtune::replay {

namespace {

constexpr double kMostKnob = 1e9; // far beyond any, and exact as an integer

constexpr std::string_view kTensorType = "tensor_type";
constexpr int kLastTensorType = int(TensorType::F4);

using Setter = void (*)(KernelFeatures &, AccessStream &, double);
struct FieldEntry {
  std::string_view name;
  Setter set;
};

#define FEATURE(name, member)                                                  \
  {name, [](KernelFeatures &f, AccessStream &, double v) { f.member = v; }}
#define STREAM(name, member)                                                   \
  {name, [](KernelFeatures &, AccessStream &s, double v) { s.member = v; }}

constexpr FieldEntry kFeatureFields[] = {
    FEATURE("threads_per_block", threadsPerBlock),
    FEATURE("blocks", blocks),
    FEATURE("shared_bytes", sharedBytes),
    FEATURE("registers", registers),
    FEATURE("spill_bytes", spillBytes),
    FEATURE("fma32", fma32),
    FEATURE("fp32", fp32),
    FEATURE("fp64", fp64),
    FEATURE("fp16", fp16),
    FEATURE("integer", integer),
    FEATURE("special", special),
    FEATURE("tensor_fma", tensorFma),
    FEATURE("mma_insts", mmaInsts),
    FEATURE("tensor_efficiency", tensorEfficiency),
    FEATURE("other_insts", otherInsts),
    FEATURE("shuffles", shuffles),
    FEATURE("barriers", barriers),
    FEATURE("atomics", atomics),
    FEATURE("accumulators", accumulators),
    FEATURE("fragments", fragments),
    FEATURE("ilp", ilp),
    FEATURE("loop_turns", loopTurns),
    FEATURE("unrolled_body", unrolledBody),
    FEATURE("code_bytes", codeBytes),
    FEATURE("stages", stages),
    FEATURE("copy_phases", copyPhases),
    FEATURE("copies", copies),
    FEATURE("load_waits", loadWaits),
    FEATURE("vector_width", vectorWidth),
    FEATURE("flops", flops),
    FEATURE("host_bytes", hostBytes),
    FEATURE("launches", launches),
    {"registers_known", [](KernelFeatures &f, AccessStream &,
                           double v) { f.registersKnown = v != 0; }},
    {"guarded_copies", [](KernelFeatures &f, AccessStream &,
                          double v) { f.guardedCopies = v != 0; }},
    {kTensorType, [](KernelFeatures &f, AccessStream &,
                     double v) { f.tensorType = TensorType(int(v)); }},
};

constexpr FieldEntry kStreamFields[] = {
    STREAM("loads", loads),
    STREAM("stores", stores),
    STREAM("vector_bytes", vectorBytes),
    STREAM("wavefronts", wavefronts),
    STREAM("sectors", sectors),
    STREAM("lines", lines),
    STREAM("unique_bytes", uniqueBytes),
    STREAM("total_bytes", totalBytes),
    STREAM("sharing_blocks", sharingBlocks),
    STREAM("reuse_bytes", reuseBytes),
    {"shared",
     [](KernelFeatures &, AccessStream &s, double v) { s.isShared = v != 0; }},
    {"async",
     [](KernelFeatures &, AccessStream &s, double v) { s.isAsync = v != 0; }},
    {"copy",
     [](KernelFeatures &, AccessStream &s, double v) { s.isCopy = v != 0; }},
};

#undef FEATURE
#undef STREAM

/// Names of TensorType, usable in `tensor_type` as constants.
constexpr std::string_view kTensorNames[] = {
    "NONE", "F16_ACC_F32", "F16_ACC_F16", "BF16", "TF32",
    "F64",  "I8",          "I4",          "F8",   "F4"};

template <size_t N>
Expected<Setter> find(const FieldEntry (&table)[N], const std::string &name,
                      std::string_view what, const std::string &file) {
  std::vector<std::string_view> names;
  for (const FieldEntry &entry : table) {
    if (entry.name == name)
      return entry.set;
    names.push_back(entry.name);
  }
  return Error{fmt::format("unknown {} field `{}`, expected one of {}", what,
                           name, fmt::join(names, ", ")),
               file};
}

/// Names visible so far.
struct Scope {
  std::vector<std::string> names;
  std::optional<size_t> find(std::string_view name) const {
    for (size_t i = names.size(); i-- > 0;)
      if (names[i] == name)
        return i;
    return std::nullopt;
  }
};

} // namespace

/// Binds section by section; each sees the names of those before it.
class BoundMapping::Binder {
public:
  Binder(const Mapping &mapping, const Dataset &data, const TargetSpec &target)
      : mapping(mapping), data(data), target(target), scope{data.columns} {
    b.mapping = &mapping;
    b.texts = data.texts;
    b.dataFile = data.file;
  }

  Expected<BoundMapping> run() {
    for (Status (Binder::*section)() :
         {&Binder::constants, &Binder::lets, &Binder::rules, &Binder::features,
          &Binder::streams, &Binder::knobs, &Binder::parameters})
      if (Status status = (this->*section)(); !status)
        return status.error();
    return std::move(b);
  }

private:
  Expected<Expression> parse(const std::string &text, const std::string &what) {
    auto names = [&](std::string_view name) { return scope.find(name); };
    auto texts = [&](std::string_view t) { return data.texts->code(t); };
    Expected<Expression> e = Expression::parse(text, names, texts);
    if (!e)
      return Error{
          fmt::format("for {}: {}: {}", data.file, what, e.error().message),
          mapping.file};
    return e;
  }
  Status parseTo(std::vector<Expression> &out, const std::string &text,
                 const std::string &what) {
    Expected<Expression> e = parse(text, what);
    if (!e)
      return e.error();
    out.push_back(std::move(*e));
    return success();
  }
  Status parseTo(std::optional<Expression> &out, const std::string &text,
                 const std::string &what) {
    if (text.empty())
      return success();
    Expected<Expression> e = parse(text, what);
    if (!e)
      return e.error();
    out = std::move(*e);
    return success();
  }

  Status constants() {
    for (size_t i = 0; i < std::size(kTensorNames); ++i) {
      b.constantValues.push_back(double(i));
      scope.names.emplace_back(kTensorNames[i]);
    }
    for (const FieldText &constant : mapping.constants) {
      if (std::ranges::find(data.columns, constant.field) != data.columns.end())
        return Error{fmt::format("constant `{}` is a column of {} as well; a "
                                 "`let` may replace it",
                                 constant.field, data.file),
                     mapping.file};
      Expected<Expression> e =
          parse(constant.text, "constant `" + constant.field + "`");
      if (!e)
        return e.error();
      // Columns are not known yet; what rests on them is no constant.
      std::vector<double> known(data.columns.size(), NAN);
      known.insert(known.end(), b.constantValues.begin(),
                   b.constantValues.end());
      b.constantValues.push_back(e->evaluate(known));
      if (!std::isfinite(b.constantValues.back()))
        return Error{fmt::format("constant `{}` is `{}`, expected a number",
                                 constant.field, constant.text),
                     mapping.file};
      scope.names.push_back(constant.field);
    }
    return success();
  }

  Status lets() {
    if (Status s = parseTo(b.keepExpression, mapping.keepIf, "`keep_if`"); !s)
      return s;
    for (const FieldText &let : mapping.lets) {
      if (Status s = parseTo(b.lets, let.text, "let `" + let.field + "`"); !s)
        return s;
      scope.names.push_back(let.field);
    }
    return success();
  }

  Status rules() {
    for (const FieldText &rule : mapping.valid)
      if (Status s = parseTo(b.valid, rule.text, "valid `" + rule.field + "`");
          !s)
        return s;
    return success();
  }

  template <size_t N>
  Status field(const FieldEntry (&table)[N], const FieldText &text,
               std::string_view kind, const std::string &label,
               const std::string &place, std::vector<Field> &out) {
    Expected<Setter> set = find(table, text.field, kind, mapping.file);
    if (!set)
      return set.error();
    Expected<Expression> e = parse(text.text, place);
    if (!e)
      return e.error();
    out.push_back({*set, label, std::move(*e)});
    return success();
  }

  Status features() {
    for (std::string_view needed : {"threads_per_block", "blocks"})
      if (!mapping.features.empty() && !mapping.feature(needed))
        return Error{
            fmt::format("`features` has no `{}`, which the model needs",
                        needed),
            mapping.file};
    if (mapping.feature("mma_insts") && !mapping.feature(kTensorType))
      return Error{fmt::format("`features` has `mma_insts` and no "
                               "`tensor_type`, expected one of {}",
                               fmt::join(kTensorNames, ", ")),
                   mapping.file};
    for (const FieldText &f : mapping.features)
      if (Status s = field(kFeatureFields, f, "feature", f.field,
                           "feature `" + f.field + "`", b.featureFields);
          !s)
        return s;
    return success();
  }

  Status streams() {
    for (size_t i = 0; i < mapping.streams.size(); ++i) {
      const StreamText &text = mapping.streams[i];
      Stream stream;
      std::string what = fmt::format("stream {}", i);
      if (Status s = parseTo(stream.condition, text.condition, what + " `if`");
          !s)
        return s;
      for (const FieldText &f : text.fields)
        if (Status s = field(kStreamFields, f, "stream", what + " " + f.field,
                             what + " `" + f.field + "`", stream.fields);
            !s)
          return s;
      b.streams.push_back(std::move(stream));
    }
    return success();
  }

  Status knobs() {
    if (!mapping.knobs)
      return success();
    const auto &[workload, texts] = *mapping.knobs;
    const Schedule &schedule = *scheduleFor(workload);
    b.space = schedule.space(workload, target);
    b.knobFeatures = schedule.boundFeatures(workload, target);
    std::vector<std::string_view> names;
    for (const Knob &knob : b.space.knobs)
      names.push_back(knob.name);
    for (const FieldText &text : texts)
      if (!b.space.find(text.field))
        return Error{fmt::format("schedule `{}` has no knob `{}`, expected one "
                                 "of {}",
                                 schedule.name(), text.field,
                                 fmt::join(names, ", ")),
                     mapping.file};
    for (const Knob &knob : b.space.knobs) {
      auto text =
          std::find_if(texts.begin(), texts.end(), [&](const FieldText &t) {
            return t.field == knob.name;
          });
      if (Status s = parseTo(b.knobValues,
                             text == texts.end() ? knob.name : text->text,
                             "knob `" + knob.name + "`");
          !s)
        return s;
    }
    return success();
  }

  Status column(const std::string &name, std::vector<size_t> &out) {
    if (std::optional<size_t> i = scope.find(name)) {
      out.push_back(*i);
      return success();
    }
    return Error{
        fmt::format("`{}` is no column of {} and no `let`; its columns "
                    "are {}",
                    name, data.file, fmt::join(data.columns, ", ")),
        mapping.file};
  }

  Status parameters() {
    for (const Parameter &p : mapping.parameters) {
      if (Status s = column(p.name, b.parameterIndex); !s)
        return s;
      b.inert.emplace_back();
      if (Status s = parseTo(b.inert.back(), p.inertIf,
                             "`inert_if` of `" + p.name + "`");
          !s)
        return s;
    }
    for (const std::string &name : mapping.groupBy)
      if (Status s = column(name, b.groupIndex); !s)
        return s;
    return success();
  }

  const Mapping &mapping;
  const Dataset &data;
  const TargetSpec &target;
  Scope scope;
  BoundMapping b;
};

Expected<BoundMapping> BoundMapping::bind(const Mapping &mapping,
                                          const Dataset &data,
                                          const TargetSpec &target) {
  return Binder(mapping, data, target).run();
}

std::string BoundMapping::rowName(size_t index) const {
  return fmt::format("row {} of {}", index + 1, dataFile);
}

Expected<double> BoundMapping::number(const Expression &expression,
                                      const std::vector<double> &variables,
                                      std::string_view what,
                                      size_t index) const {
  double value = expression.evaluate(variables);
  if (!std::isfinite(value) || Texts::isText(value))
    return Error{fmt::format("{} `{}` is {} for {}, expected a finite "
                             "number{}",
                             what, expression.text(), texts->show(value),
                             rowName(index),
                             std::isnan(value) ? "; no text has one" : ""),
                 mapping->file};
  return value;
}

Expected<bool> BoundMapping::holds(const Expression &condition,
                                   const std::vector<double> &variables,
                                   std::string_view what, size_t index) const {
  Expected<double> value = number(condition, variables, what, index);
  if (!value)
    return value.error();
  return *value != 0;
}

Expected<std::vector<double>> BoundMapping::variables(const Row &row,
                                                      size_t index) const {
  std::vector<double> v = row.values;
  v.reserve(v.size() + constantValues.size() + lets.size());
  v.insert(v.end(), constantValues.begin(), constantValues.end());
  // Lets are evaluated only where the row counts: they may divide by what a
  // row left out does not have.
  v.resize(v.size() + lets.size(), 0);
  if (keepExpression) {
    Expected<bool> kept = holds(*keepExpression, v, "`keep_if`", index);
    if (!kept)
      return kept.error();
    if (!*kept)
      return v;
  }
  size_t first = row.values.size() + constantValues.size();
  for (size_t i = 0; i < lets.size(); ++i) {
    v[first + i] = lets[i].evaluate(v);
    if (Texts::isText(v[first + i]))
      continue;
    Expected<double> value = number(lets[i], v, mapping->lets[i].field, index);
    if (!value)
      return value.error();
  }
  return v;
}

bool BoundMapping::keep(const std::vector<double> &variables) const {
  return !keepExpression || keepExpression->evaluate(variables) != 0;
}

Expected<std::string>
BoundMapping::whyRuledOut(const std::vector<double> &variables,
                          size_t index) const {
  for (size_t i = 0; i < valid.size(); ++i) {
    const std::string &reason = mapping->valid[i].field;
    Expected<bool> legal =
        holds(valid[i], variables, "valid `" + reason + "`", index);
    if (!legal)
      return legal.error();
    if (!*legal)
      return reason;
  }
  if (!mapping->knobs)
    return std::string();
  Expected<Config> c = config(variables, index);
  if (!c)
    return c.error();
  std::optional<Rejection> rejected = space.reject(*c, /*anyValue=*/true);
  return rejected ? rejected->kind : std::string();
}

Expected<Config> BoundMapping::config(const std::vector<double> &variables,
                                      size_t index) const {
  Config c;
  for (size_t i = 0; i < knobValues.size(); ++i) {
    double value = knobValues[i].evaluate(variables);
    if (value != std::floor(value) || std::abs(value) > kMostKnob)
      return Error{fmt::format("knob `{}` `{}` is {} for {}, "
                               "expected an integer",
                               space.knobs[i].name, knobValues[i].text(),
                               texts->show(value), rowName(index)),
                   mapping->file};
    c.push_back(int64_t(value));
  }
  return c;
}

Status BoundMapping::set(const Field &field,
                         const std::vector<double> &variables, size_t index,
                         KernelFeatures &features, AccessStream &stream) const {
  Expected<double> value =
      number(field.expression, variables, field.name, index);
  if (!value)
    return value.error();
  auto fail = [&](std::string_view expected) {
    return Error{fmt::format("{} `{}` is {} for {}, expected {}", field.name,
                             field.expression.text(), *value, rowName(index),
                             expected),
                 mapping->file};
  };
  // Beyond, products of a few and their cubes are no numbers any more.
  constexpr double kMost = 1e18;
  if (*value < 0 || *value > kMost)
    return fail("a number from 0 to 1e18");
  if (field.name == kTensorType &&
      (*value > kLastTensorType || *value != std::floor(*value)))
    return fail(fmt::format("one of {}", fmt::join(kTensorNames, ", ")));
  field.set(features, stream, *value);
  return success();
}

Expected<KernelFeatures>
BoundMapping::features(const std::vector<double> &variables,
                       size_t index) const {
  if (mapping->knobs) {
    Expected<Config> c = config(variables, index);
    if (!c)
      return c.error();
    return knobFeatures(*c);
  }
  KernelFeatures f;
  AccessStream unused;
  for (const Field &field : featureFields)
    if (Status s = set(field, variables, index, f, unused); !s)
      return s.error();
  if (!featureFields.empty() && (f.threadsPerBlock < 1 || f.blocks < 1))
    return Error{fmt::format("{} has {} threads in a block and {} "
                             "blocks, expected at least 1",
                             rowName(index), f.threadsPerBlock, f.blocks),
                 mapping->file};
  for (const Stream &stream : streams) {
    if (stream.condition) {
      Expected<bool> there =
          holds(*stream.condition, variables, "a stream's `if`", index);
      if (!there)
        return there.error();
      if (!*there)
        continue;
    }
    AccessStream &s = f.streams[size_t(f.numStreams++)];
    for (const Field &field : stream.fields)
      if (Status status = set(field, variables, index, f, s); !status)
        return status.error();
  }
  return f;
}

Expected<std::vector<double>>
BoundMapping::classKey(const std::vector<double> &variables,
                       size_t index) const {
  std::vector<double> key = parameters(variables);
  for (size_t i = 0; i < key.size(); ++i) {
    if (!inert[i])
      continue;
    Expected<bool> isInert = holds(*inert[i], variables, "`inert_if`", index);
    if (!isInert)
      return isInert.error();
    if (*isInert)
      key[i] = 0;
  }
  return key;
}

std::vector<double>
BoundMapping::parameters(const std::vector<double> &variables) const {
  std::vector<double> result;
  for (size_t i : parameterIndex)
    result.push_back(variables[i]);
  return result;
}

std::vector<double>
BoundMapping::group(const std::vector<double> &variables) const {
  std::vector<double> result;
  for (size_t i : groupIndex)
    result.push_back(variables[i]);
  return result;
}

} // namespace hwtune::replay
