//===- ScheduleLibrary.cpp - configurations as transform IR ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule's script finds its operation by the mark of an isolated one; in
// the library it finds it by the configuration instead, which is the
// operation's own annotation.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/ScheduleLibrary.h"

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/OpIsolation.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Transforms/ConfigConversion.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <set>

using namespace mlir;
using namespace hwtune;

namespace {

constexpr llvm::StringLiteral kMatchAttrs = "op_attrs";
constexpr llvm::StringLiteral kOwnPrefix = "transform.hwtune.";

struct Entry {
  std::string name;
  ConfigAttr config;
  std::string about; ///< for the comment above
  std::string made;  ///< the script as the schedule made it
  OwningOpRef<ModuleOp> script;
};

/// Replaces the mark by the configuration in every matcher of `script`.
void matchByConfig(ModuleOp script, ConfigAttr config) {
  Builder builder(script.getContext());
  script.walk([&](Operation *op) {
    auto attrs = op->getAttrOfType<DictionaryAttr>(kMatchAttrs);
    if (attrs && attrs.contains(kIsolatedOpMark))
      op->setAttr(kMatchAttrs, builder.getDictionaryAttr(builder.getNamedAttr(
                                   HWTuneDialect::kConfigAttrName, config)));
  });
}

/// What a stock mlir-opt needs to replay `script`.
std::string neededOf(ModuleOp script) {
  std::set<std::string> steps;
  script.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name.consume_front(kOwnPrefix))
      steps.insert(name.str());
  });
  // The annotation is ours always, but may stay text.
  if (steps.empty())
    return "Needs the plugin or --allow-unregistered-dialect.";
  return "Needs the plugin for: " + llvm::join(steps, ", ") + ".";
}

Expected<Entry> makeEntry(Operation *op, ConfigAttr config,
                          const TargetSpec &target,
                          const UserSchedules &schedules, size_t index) {
  Expected<Workload> w = extractWorkload(op);
  if (!w)
    return w.error();
  Expected<ResolvedConfig> resolved =
      resolveConfig(config, op, *w, target, schedules);
  if (!resolved)
    return resolved.error();
  Entry entry;
  entry.config = config;
  // Whoever replays it tests nothing before the launch.
  entry.made =
      resolved->schedule->script(withoutPromises(*w), target, resolved->config);
  auto script = parseModule(*op->getContext(), entry.made, "schedule");
  if (!script)
    return script.error();
  std::string schedule = config.getSchedule().str();
  std::replace_if(
      schedule.begin(), schedule.end(),
      [](char c) { return !llvm::isAlnum(c); }, '_');
  entry.name = fmt::format("hwtune_{}_{}", schedule, index);
  entry.about = fmt::format("// {}, tuned for {}. {}\n", w->opName, target.id,
                            neededOf(**script));
  matchByConfig(**script, config);
  entry.script = std::move(*script);
  return entry;
}

/// The named sequences of `entry` as text, under its name.
Expected<std::string> sequenceText(Entry &entry) {
  auto main = entry.script->lookupSymbol<transform::NamedSequenceOp>(
      transform::TransformDialect::kTransformEntryPointSymbolName);
  if (!main)
    return Error{"schedule has no '@__transform_main'", ""};
  std::string text = entry.about;
  llvm::raw_string_ostream stream(text);
  for (Operation &symbol : *entry.script->getBody()) {
    StringAttr name = SymbolTable::getSymbolName(&symbol);
    std::string own =
        &symbol == main ? entry.name : entry.name + "_" + name.str();
    if (failed(SymbolTable::replaceAllSymbolUses(
            name, StringAttr::get(name.getContext(), own), *entry.script)))
      return Error{"sequence '" + name.str() + "' cannot be renamed", ""};
    SymbolTable::setSymbolName(&symbol, own);
  }
  for (Operation &symbol : *entry.script->getBody()) {
    // No aliases: the text stands in another module.
    symbol.print(stream, OpPrintingFlags().useLocalScope());
    stream << "\n";
  }
  return text;
}

std::string mainText(const std::vector<Entry> &entries) {
  std::string text = "transform.named_sequence @__transform_main(%root: "
                     "!transform.any_op {transform.readonly}) {\n";
  for (const Entry &entry : entries) {
    std::string config;
    llvm::raw_string_ostream(config) << entry.config;
    text += fmt::format(
        "  %op_{0} = transform.structured.match attributes{{{1} = {2}}} in "
        "%root : (!transform.any_op) -> !transform.any_op\n"
        "  %function_{0} = transform.get_parent_op %op_{0} {{op_name = "
        "\"func.func\", deduplicate}} : (!transform.any_op) -> "
        "!transform.any_op\n"
        "  transform.foreach %function_{0} : !transform.any_op {{\n"
        "  ^bb0(%function: !transform.any_op):\n"
        "    transform.include @{0} failures(propagate) (%function) : "
        "(!transform.any_op) -> ()\n"
        "  }}\n",
        entry.name, HWTuneDialect::kConfigAttrName.str(), config);
  }
  return text + "  transform.yield\n}\n";
}

} // namespace

Expected<std::string> hwtune::scheduleLibrary(ModuleOp module,
                                              const TargetSpec &target,
                                              const UserSchedules &schedules) {
  std::vector<Entry> entries;
  std::optional<Error> failed;
  module.walk([&](Operation *op) {
    auto config = op->getAttrOfType<ConfigAttr>(HWTuneDialect::kConfigAttrName);
    if (!config || failed)
      return;
    Expected<Entry> entry =
        makeEntry(op, config, target, schedules, entries.size());
    if (!entry) {
      failed = entry.error();
      return;
    }
    // Replay finds operations by their configuration.
    auto same = llvm::find_if(
        entries, [&](const Entry &e) { return e.config == config; });
    if (same == entries.end())
      entries.push_back(std::move(*entry));
    else if (same->made != entry->made)
      failed = Error{"operations of different form have one configuration, "
                     "which no single schedule can replay",
                     "export them from modules of their own"};
  });
  if (failed)
    return *failed;
  if (entries.empty())
    return Error{"no operation has 'hwtune.config', nothing can be exported",
                 ""};
  std::string text =
      "// Made by hw-export-schedule. Replay on a bufferised module whose "
      "operations have\n// the configurations below, each in a function of its "
      "own:\n//   mlir-opt --load-dialect-plugin=HWTune.so\n//     "
      "--transform-preload-library=transform-library-paths=THIS_FILE\n//     "
      "--transform-interpreter INPUT\n"
      "module attributes {transform.with_named_sequence} {\n";
  for (Entry &entry : entries) {
    Expected<std::string> sequence = sequenceText(entry);
    if (!sequence)
      return sequence.error();
    text += *sequence;
  }
  return text + mainText(entries) + "}\n";
}
