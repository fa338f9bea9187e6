//===- UserSchedules.cpp - schedules read from a file ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/UserSchedules.h"

#include "Internal.h"
#include "ScriptSchedule.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/Dialect.h"
#include "hwtune/Support/File.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"

#include <fmt/format.h>

using namespace mlir;

namespace hwtune {

UserSchedules::UserSchedules() = default;
UserSchedules::UserSchedules(UserSchedules &&) noexcept = default;
UserSchedules &UserSchedules::operator=(UserSchedules &&) noexcept = default;
UserSchedules::~UserSchedules() = default;

/// A matcher: takes one operation, gives it back, and changes nothing.
static bool isMatcher(ModuleOp library, FlatSymbolRefAttr name) {
  auto matcher =
      library.lookupSymbol<transform::NamedSequenceOp>(name.getValue());
  if (!matcher || matcher.isExternal())
    return false;
  FunctionType type = matcher.getFunctionType();
  Type handle = transform::AnyOpType::get(library.getContext());
  return type.getInputs() == ArrayRef(handle) &&
         type.getResults() == ArrayRef(handle) &&
         matcher.getArgAttr(0,
                            transform::TransformDialect::kArgReadOnlyAttrName);
}

static Status checkMatches(ModuleOp library, transform::NamedSequenceOp op,
                           Attribute matches) {
  auto names = dyn_cast<ArrayAttr>(matches);
  auto symbol = dyn_cast<FlatSymbolRefAttr>(matches);
  std::string name = op.getName().str(), where = locationText(op.getLoc());
  if (symbol && !isMatcher(library, symbol))
    return Error{fmt::format("schedule '{}': matcher '@{}' must be a named "
                             "sequence of this file that takes one "
                             "`!transform.any_op {{transform.readonly}}` and "
                             "returns it",
                             name, symbol.getValue().str()),
                 where};
  if (!symbol && !isa<StringAttr>(matches) &&
      !(names && !names.empty() &&
        llvm::all_of(names, llvm::IsaPred<StringAttr>)))
    return Error{fmt::format("schedule '{}': '{}' must be the name of an "
                             "operation, a list of names, or a matcher "
                             "(@sequence)",
                             name, HWTuneDialect::kMatchesAttrName.str()),
                 where};
  if (findSchedule(name) ||
      name == transform::TransformDialect::kTransformEntryPointSymbolName)
    return Error{fmt::format("schedule '{}' has a name that is taken, expected "
                             "another",
                             name),
                 where};
  return success();
}

Expected<UserSchedules> UserSchedules::read(MLIRContext &context,
                                            const std::string &file) {
  UserSchedules result;
  if (file.empty())
    return result;
  Expected<std::string> text = readFile(file);
  if (!text)
    return text.error();
  Expected<OwningOpRef<ModuleOp>> parsed = parseModule(context, *text, file);
  if (!parsed)
    return parsed.error();
  auto library = std::make_shared<OwningOpRef<ModuleOp>>(std::move(*parsed));
  ModuleOp module = library->get();
  // What a sequence is for is no part of what it does.
  std::vector<std::pair<transform::NamedSequenceOp, Attribute>> found;
  for (auto sequence : module.getOps<transform::NamedSequenceOp>())
    if (Attribute matches =
            sequence->removeAttr(HWTuneDialect::kMatchesAttrName))
      found.emplace_back(sequence, matches);
  if (found.empty())
    return Error{fmt::format("no named sequence has '{}', so there is no "
                             "schedule in it",
                             HWTuneDialect::kMatchesAttrName.str()),
                 file};
  for (auto [sequence, matches] : found) {
    if (Status good = checkMatches(module, sequence, matches); !good)
      return good.error();
    auto made = ScriptSchedule::create(library, sequence, matches);
    if (!made)
      return made.error();
    result.own.push_back(std::move(*made));
  }
  return result;
}

const Schedule *UserSchedules::scheduleFor(Operation *op,
                                           const Workload &w) const {
  for (const auto &schedule : own)
    if (schedule->takes(op))
      return schedule.get();
  return hwtune::scheduleFor(w);
}

const Schedule *UserSchedules::find(std::string_view name) const {
  for (const auto &schedule : own)
    if (schedule->name() == name)
      return schedule.get();
  return findSchedule(name);
}

std::string UserSchedules::mismatch(const Schedule &schedule, Operation *op,
                                    const Workload &w) const {
  for (const auto &mine : own)
    if (mine.get() == &schedule && !mine->takes(op))
      return fmt::format("its '{}' does not hold",
                         HWTuneDialect::kMatchesAttrName.str());
  return schedule.mismatch(w);
}

std::string UserSchedules::knownNames() const {
  std::vector<std::string_view> names;
  for (const auto &schedule : own)
    names.push_back(schedule->name());
  for (const auto &schedule : allSchedules())
    names.push_back(schedule->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace hwtune
