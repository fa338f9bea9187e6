//===- ResultTable.cpp - the final table ----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Text.h"
#include "hwtune/Support/TextTable.h"
#include "hwtune/Tuner/Candidates.h"
#include "hwtune/Tuner/Progress.h"

#include <fmt/format.h>

namespace hwtune {

static std::string timeOf(const std::optional<TunePoint> &point) {
  return point ? formatTime(point->seconds) : "-";
}

static std::string opText(const TuneResult &result) {
  std::string name = result.run.opName.empty() ? "op" : result.run.opName;
  for (const std::string *part : {&result.run.shapes, &result.run.types})
    if (!part->empty())
      name += " " + *part;
  return name;
}

static std::vector<std::string> cells(const TuneResult &result) {
  std::string label, registers, shared, occupancy;
  if (result.tuned) {
    const TrialRecord &trial = result.tuned->trial;
    label = toString(trial.label);
    if (trial.registers)
      registers = fmt::format("{}{}", *trial.registers,
                              trial.registerBasis == "estimate" ? " est." : "");
    if (trial.sharedBytes)
      shared = formatBytes(double(*trial.sharedBytes));
    if (trial.occupancy)
      occupancy = fmt::format("{:.0f} %", *trial.occupancy * 100);
  }
  return {opText(result),
          timeOf(result.generic),
          timeOf(result.heuristic),
          timeOf(result.tuned),
          label,
          result.speedup ? fmt::format("{:.2f}x", *result.speedup) : "-",
          registers,
          shared,
          occupancy};
}

static std::string energyText(double milliJoules) {
  return fmt::format("{:.4g} mJ", milliJoules);
}

/// "energy of a launch: 12.3 mJ generic, 8.1 mJ tuned, mean power 180 W", with
/// the label of the times.
static std::string energyNote(const TuneResult &result) {
  const std::optional<double> &tuned = result.run.tunedMJ;
  std::string text = "energy of a launch: ";
  if (result.run.genericMJ)
    text += fmt::format("{} generic, ", energyText(*result.run.genericMJ));
  text += fmt::format("{} tuned", energyText(*tuned));
  if (result.run.genericMJ && *tuned > 0)
    text += fmt::format(" ({:.2f}x)", *result.run.genericMJ / *tuned);
  if (result.tuned->seconds > 0)
    text += fmt::format(", mean power {:.0f} W",
                        *tuned * 1e-3 / result.tuned->seconds);
  return text + fmt::format(", {}", toString(result.tuned->trial.label));
}

/// What stands below the table, one line each.
static std::string notes(const TuneResult &result) {
  std::string text = opText(result) + "\n";
  auto note = [&](const std::string &line) { text += "  " + line + "\n"; };
  if (result.tuned)
    note(fmt::format("{} {}{}", result.tuned->trial.schedule,
                     configText(result.tuned->trial.config),
                     result.keptGeneric ? " (the generic schedule)" : ""));
  if (result.tuned && result.tuned->trial.registerBasis == "ptxas")
    note(fmt::format("registers and shared memory as ptxas reports them, {} "
                     "bytes spilled",
                     result.tuned->trial.spillBytes.value_or(0)));
  else if (result.tuned && result.tuned->trial.registers)
    note("registers are the schedule's estimate");
  note("objective " + result.run.objective +
       (result.run.objective == toString(Objective::Latency)
            ? ": one launch from idle, nothing in L2"
            : ": launches back to back"));
  if (result.tuned && result.run.tunedMJ)
    note(energyNote(result));
  for (const FrontPoint &point : result.run.front)
    note(fmt::format("front: {}, {}, {} {}", formatTime(point.timeNs * 1e-9),
                     energyText(point.energyMJ),
                     toString(result.tuned->trial.label),
                     configText(point.config)));
  if (result.fromRecords)
    note(fmt::format("from the records (run {}, {}): nothing was measured",
                     result.run.uid, result.run.key.gpu));
  if (!result.prior.empty())
    note(result.prior);
  note(describeCounts(result.counts));
  std::string tried = fmt::format("{} tried", result.tried);
  if (result.resumed)
    tried += fmt::format(", {} of them from records", result.resumed);
  std::string failures;
  for (const auto &[status, count] : result.failures)
    failures += fmt::format("{}{} {}", failures.empty() ? "" : ", ", count,
                            toString(status));
  if (!failures.empty())
    tried += ", failed: " + failures;
  note(tried + "; " + result.stopReason);
  if (result.tieOf > 1)
    note(fmt::format("tie of {}: the lowest predicted cost was taken",
                     result.tieOf));
  if (result.tuned && !result.verified)
    note("NOT VERIFIED: the output of this schedule was not compared with a "
         "reference");
  if (result.interrupted)
    note("interrupted: the best so far");
  for (const std::string &warning : result.warnings)
    note("warning: " + warning);
  for (const auto &[status, reason] : result.firstFailure)
    note(fmt::format("first {} failure: {}", toString(status), reason));
  return text;
}

std::string resultTable(std::span<const TuneResult> results) {
  using Align = TextTable::Align;
  TextTable table;
  table.column("op");
  for (const char *heading : {"generic", "heuristic", "tuned"})
    table.column(heading, Align::Right);
  table.column("label");
  for (const char *heading : {"speed-up", "registers", "shared", "occupancy"})
    table.column(heading, Align::Right);
  for (const TuneResult &result : results)
    table.row(cells(result));
  std::string text = table.str();
  for (const TuneResult &result : results)
    text += "\n" + notes(result);
  return text;
}

} // namespace hwtune
