//===- ConfigConversion.cpp - configurations to and from the IR -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/ConfigConversion.h"

#include "mlir/IR/Builders.h"

#include <fmt/format.h>

using namespace mlir;
using namespace hwtune;

ConfigAttr hwtune::toConfigAttr(MLIRContext *context, std::string_view schedule,
                                const Space &space, const Config &config) {
  Builder builder(context);
  SmallVector<NamedAttribute> knobs;
  for (auto [knob, value] : llvm::zip_equal(space.knobs, config))
    knobs.push_back(
        builder.getNamedAttr(knob.name, builder.getI64IntegerAttr(value)));
  return ConfigAttr::get(context, StringRef(schedule.data(), schedule.size()),
                         builder.getDictionaryAttr(knobs));
}

static std::string knobNames(const Space &space) {
  std::string names;
  for (const Knob &knob : space.knobs)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", knob.name);
  return names;
}

Expected<ResolvedConfig> hwtune::resolveConfig(ConfigAttr attr, Operation *op,
                                               const Workload &w,
                                               const TargetSpec &target,
                                               const UserSchedules &schedules) {
  std::string name = attr.getSchedule().str();
  ResolvedConfig resolved;
  resolved.schedule = schedules.find(name);
  if (!resolved.schedule)
    return Error{fmt::format("schedule '{}' is not known, expected one of: {} "
                             "(or one of a file given as `schedules=`)",
                             name, schedules.knownNames()),
                 ""};
  if (std::string why = schedules.mismatch(*resolved.schedule, op, w);
      !why.empty())
    return Error{fmt::format("schedule '{}' does not fit: {}", name, why), ""};

  Space space = resolved.schedule->space(w, target);
  for (NamedAttribute entry : attr.getKnobs())
    if (!space.find(entry.getName().getValue().str()))
      return Error{fmt::format("schedule '{}' has no knob '{}', expected: {}",
                               name, entry.getName().getValue().str(),
                               knobNames(space)),
                   ""};
  for (const Knob &knob : space.knobs) {
    auto value = attr.getKnobs().getAs<IntegerAttr>(knob.name);
    if (!value)
      return Error{
          fmt::format("knob '{}' of schedule '{}' is missing", knob.name, name),
          ""};
    resolved.config.push_back(value.getInt());
  }
  if (std::optional<Rejection> why = space.reject(resolved.config))
    return Error{why->message(), ""};
  return resolved;
}

FailureOr<TargetSpec> hwtune::moduleTarget(ModuleOp module) {
  auto attr = module->getAttrOfType<TargetAttr>(HWTuneDialect::kTargetAttrName);
  if (!attr)
    return emitError(module.getLoc(),
                     "module has no 'hwtune.target', expected one; run "
                     "'hw-attach-target' first");
  return attr.toSpec();
}

DictionaryAttr
hwtune::toNumbersAttr(MLIRContext *context,
                      std::span<const std::pair<std::string, double>> numbers) {
  Builder builder(context);
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, value] : numbers)
    entries.push_back(
        builder.getNamedAttr(name, builder.getF64FloatAttr(value)));
  return builder.getDictionaryAttr(entries);
}
