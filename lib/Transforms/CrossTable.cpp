//===- CrossTable.cpp - winners of one target on another ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works on what tuning left on the operations: the winner, its time, its label.
//
//===----------------------------------------------------------------------===//

#include "CrossTable.h"

#include "TuneMachine.h"
#include "TuneRequest.h"

#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Support/TextTable.h"
#include "hwtune/Transforms/ConfigConversion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

using namespace mlir;
using namespace hwtune;

namespace {

/// One target: its machine, and its operations in the module's order.
struct Column {
  const TargetSpec *target = nullptr;
  std::unique_ptr<TuneMachine> machine;
  std::vector<TunableOp> ops;

  ConfigAttr winner(size_t op) const {
    return ops[op].op->getAttrOfType<ConfigAttr>(
        HWTuneDialect::kConfigAttrName);
  }
  ResultAttr result(size_t op) const {
    return ops[op].op->getAttrOfType<ResultAttr>(
        HWTuneDialect::kResultAttrName);
  }
};

std::string shownName(const Workload &w) {
  std::vector<std::string> extents;
  for (const Loop &loop : w.loops)
    extents.push_back(loop.extent == kDynamic ? "?"
                                              : std::to_string(loop.extent));
  return fmt::format("{} {}", w.opName, fmt::join(extents, "x"));
}

/// Seconds of `winner` for operation `op` of `column`.
Expected<double> secondsOn(const Column &column, size_t op, ConfigAttr winner,
                           const UserSchedules &schedules,
                           const OpTuneOptions &options) {
  const TunableOp &tunable = column.ops[op];
  const Workload &w = *tunable.workload;
  Expected<ResolvedConfig> resolved =
      resolveConfig(winner, tunable.op, w, *column.target, schedules);
  if (!resolved)
    return resolved.error();
  OpTuneRequest request =
      tuneRequest(tunable.op, w, *resolved->schedule, *column.target,
                  column.machine->toolchain());
  return timeOf(request, resolved->config, options,
                column.machine->environment());
}

/// Seconds of the column's own winner; none where it has no time there.
std::optional<double> bestOf(const Column &column, size_t op,
                             const UserSchedules &schedules,
                             const OpTuneOptions &options) {
  ResultAttr own = column.result(op);
  if (!own)
    return std::nullopt;
  // A result from the records can be of another kind than the device's times.
  Label label = labelOf(column.machine->environment().device);
  if (stringifyTimeLabel(own.getLabel()) == std::string(toString(label)))
    return cast<FloatAttr>(own.getNumbers().get("time_us")).getValueAsDouble() *
           1e-6;
  Expected<double> again =
      secondsOn(column, op, column.winner(op), schedules, options);
  return again ? std::optional(*again) : std::nullopt;
}

/// A ratio below is more than the noise of two times.
constexpr double kFaster = 0.97;

/// The cell of `row`'s winner, "-" with a note where it has no time there;
/// `best`: that of the column's own winner.
std::string ratioOn(const Column &row, const Column &column, size_t op,
                    std::optional<double> best, const UserSchedules &schedules,
                    const OpTuneOptions &options,
                    std::vector<std::string> &notes) {
  ConfigAttr winner = row.winner(op);
  if (!winner || !column.result(op))
    return "-";
  if (winner == column.winner(op))
    return "1.000";
  Expected<double> seconds = secondsOn(column, op, winner, schedules, options);
  if (!seconds) {
    notes.push_back(fmt::format("{}, winner of {} on {}: {}",
                                column.ops[op].workload->opName, row.target->id,
                                column.target->id, seconds.error().message));
    return "-";
  }
  if (!best)
    return "-";
  double ratio = *seconds / *best;
  if (ratio < kFaster)
    notes.push_back(fmt::format(
        "{}: the winner of {} is faster on {} than what was found there; more "
        "`trials` would find it, or a better one",
        column.ops[op].workload->opName, row.target->id, column.target->id));
  return fmt::format("{:.3f}", ratio);
}

Expected<std::vector<Column>> open(std::span<const TunedFor> tuned,
                                   const TuneModuleOptions &options) {
  std::vector<Column> columns;
  for (const TunedFor &one : tuned) {
    std::vector<std::string> said; // when it was tuned
    auto machine = TuneMachine::open(
        one.target, optionsFor(options, columns.empty()), said);
    if (!machine)
      return machine.error();
    columns.push_back(
        {&one.target, std::move(*machine), collectLinalgOps(one.module)});
  }
  return columns;
}

} // namespace

Expected<std::string> hwtune::crossTable(std::span<const TunedFor> tuned,
                                         const UserSchedules &schedules,
                                         const TuneModuleOptions &options) {
  Expected<OpTuneOptions> opTuning = opTuneOptions(options);
  if (!opTuning)
    return opTuning.error();
  Expected<std::vector<Column>> columns = open(tuned, options);
  if (!columns)
    return columns.error();
  TextTable table;
  table.column("operation");
  table.column("winner of");
  std::set<std::string> labels;
  for (const Column &column : *columns)
    table.column("on " + column.target->id, TextTable::Align::Right);
  std::vector<std::string> notes;
  std::set<std::string> shown;
  for (size_t op = 0; op < columns->front().ops.size(); ++op) {
    const TunableOp &tunable = columns->front().ops[op];
    if (!tunable.workload || !shown.insert(tunable.workload->key).second)
      continue;
    std::string name = shownName(*tunable.workload);
    std::vector<std::optional<double>> best;
    for (const Column &column : *columns)
      best.push_back(bestOf(column, op, schedules, *opTuning));
    for (const Column &row : *columns) {
      labels.insert(
          std::string(toString(labelOf(row.machine->environment().device))));
      std::vector<std::string> cells = {std::exchange(name, ""),
                                        row.target->id};
      for (size_t i = 0; i < columns->size(); ++i)
        cells.push_back(ratioOn(row, (*columns)[i], op, best[i], schedules,
                                *opTuning, notes));
      table.row(std::move(cells));
    }
  }
  std::string text = fmt::format(
      "each target's winner on each target, time over that of the column's own "
      "winner ({})\n{}",
      fmt::join(labels, ", "), table.str());
  for (const std::string &note : notes)
    text += "  " + note + "\n";
  return text;
}
