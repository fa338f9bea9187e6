//===- Report.cpp - a tuning run, for people ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "hwtune/Support/Text.h"
#include "hwtune/Support/TextTable.h"
#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hwtune {

namespace {

using StoredRun = Database::StoredRun;
using Align = TextTable::Align;

/// One run's text; headings and tables by the format.
class Writer {
public:
  Writer(const StoredRun &stored, const std::vector<TrialRecord> &trials,
         bool markdown)
      : stored(stored), run(stored.run), trials(trials), markdown(markdown) {}

  std::string write() {
    heading(1, fmt::format("Run {}: {} {} on {}", stored.id, run.opName,
                           run.shapes, run.key.gpu));
    summary();
    hardware();
    candidates();
    log();
    final();
    return text;
  }

private:
  void heading(int level, const std::string &title) {
    if (markdown)
      text += std::string(size_t(level), '#') + " " + title + "\n\n";
    else
      text += title + "\n" +
              std::string(displayWidth(title), level == 1 ? '=' : '-') + "\n\n";
  }
  void table(const TextTable &t) {
    text += (markdown ? t.markdown() : t.str()) + "\n";
  }
  void block(const std::string &lines) {
    text += markdown ? "```\n" + lines + "```\n\n" : lines + "\n";
  }
  void line(const std::string &sentence) { text += sentence + "\n\n"; }

  void summary();
  void hardware();
  void candidates();
  void log();
  void final();

  const StoredRun &stored;
  const RunRecord &run;
  const std::vector<TrialRecord> &trials;
  bool markdown;
  std::string text;
};

void Writer::summary() {
  TextTable t;
  t.column("what");
  t.column("value");
  auto row = [&](const char *name, const std::string &value) {
    if (!value.empty())
      t.row({name, value});
  };
  row("operation", run.opName + " (" + run.opKind + ")");
  row("shapes", run.shapes);
  row("element types", run.types);
  row("operation key", run.key.op);
  row("toolchain", run.key.toolchain);
  row("measuring", run.key.policy);
  row("device", run.uuid);
  row("strategy", fmt::format("{}, seed {}", run.strategy, run.seed));
  row("budget",
      fmt::format(
          "{} trials, {} seconds",
          run.budgetTrials ? std::to_string(run.budgetTrials) : "no limit of",
          run.budgetSeconds ? formatNumber(run.budgetSeconds) : "no limit of"));
  row("came to", run.finished ? run.stopReason : "it was interrupted");
  row("origin", run.origin);
  table(t);
}

void Writer::hardware() {
  heading(2, "Hardware as read");
  if (run.target.empty())
    return line("The run holds no description of its target.");
  Expected<TargetSpec> spec = targetFromJson(run.target);
  if (!spec)
    return line("The description cannot be read: " + spec.error().str());
  block(printTable(*spec));
}

/// Trials of candidates by predicted time, each with the rank of its measured
/// time beside it: where the model orders wrongly, the two differ.
void Writer::candidates() {
  heading(2, "Candidates and their scores");
  uint64_t out = 0;
  std::string reasons;
  for (const auto &[kind, count] : run.rejected) {
    out += count;
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", count, kind);
  }
  line(fmt::format("{} configurations, {} legal, {} rejected{}.", run.seen,
                   run.legal, out,
                   reasons.empty() ? "" : " (" + reasons + ")"));
  std::vector<const TrialRecord *> known;
  for (const TrialRecord &trial : trials)
    if (trial.role != TrialRole::Final && trial.role != TrialRole::Generic)
      known.push_back(&trial);
  auto byTime = known;
  std::erase_if(byTime, [](const TrialRecord *t) { return !t->ok(); });
  std::sort(byTime.begin(), byTime.end(), [](auto *a, auto *b) {
    return std::pair(*a->medianNs, a->index) <
           std::pair(*b->medianNs, b->index);
  });
  std::map<const TrialRecord *, size_t> rank;
  for (size_t i = 0; i < byTime.size(); ++i)
    rank[byTime[i]] = i + 1;
  std::sort(known.begin(), known.end(), [](auto *a, auto *b) {
    double x = a->predictedNs.value_or(1e300),
           y = b->predictedNs.value_or(1e300);
    return std::pair(x, a->index) < std::pair(y, b->index);
  });
  TextTable t;
  for (const char *name : {"rank predicted", "rank measured", "predicted"})
    t.column(name, Align::Right);
  t.column(run.label ? std::string(toString(*run.label)) : "time",
           Align::Right);
  t.column("score (-log10 t)", Align::Right);
  t.column("configuration");
  for (size_t i = 0; i < known.size(); ++i) {
    const TrialRecord &trial = *known[i];
    std::string score = "-";
    if (trial.predictedNs && *trial.predictedNs > 0)
      score = fmt::format("{:.3f}", -std::log10(*trial.predictedNs * 1e-9));
    t.row({trial.predictedNs ? std::to_string(i + 1) : "-",
           rank.count(&trial) ? std::to_string(rank[&trial])
                              : std::string(toString(trial.status)),
           formatNanoseconds(trial.predictedNs),
           formatNanoseconds(trial.medianNs), score, configText(trial.config)});
  }
  if (known.empty())
    return line("No candidate was tried.");
  table(t);
}

void Writer::log() {
  heading(2, "Trials, and what each taught the model");
  TextTable t;
  t.column("trial", Align::Right);
  t.column("role");
  t.column("time", Align::Right);
  t.column("label");
  t.column("configuration");
  t.column("lesson");
  for (const TrialRecord &trial : trials) {
    std::string lesson = trial.lesson;
    if (!trial.ok())
      lesson += (lesson.empty() ? "" : ": ") +
                trial.reason.substr(0, trial.reason.find('\n'));
    t.row({std::to_string(trial.index), std::string(toString(trial.role)),
           trial.ok() ? formatNanoseconds(trial.medianNs)
                      : std::string(toString(trial.status)),
           std::string(toString(trial.label)), configText(trial.config),
           lesson});
  }
  if (trials.empty())
    return line("There is no trial.");
  table(t);
  std::string etas;
  for (const auto &[term, eta] : run.weights)
    if (std::string text = fmt::format("{:.3f}", eta); text != "1.000")
      etas += fmt::format("{}{} {}", etas.empty() ? "" : ", ", term, text);
  if (!etas.empty())
    line("Efficiency factors of the model's terms, and of the whole time as "
         "its scale, after these trials (1 = as "
         "predicted, as the others are): " +
         etas + ".");
}

void Writer::final() {
  heading(2, "Final schedule");
  if (!run.tunedNs)
    return line("None: the run did not come to an end.");
  block(fmt::format("{} {}\n", run.schedule, configText(run.config)));
  TextTable t;
  t.column("schedule");
  t.column("time", Align::Right);
  t.column("against generic", Align::Right);
  auto row = [&](const char *name, const std::optional<double> &ns) {
    std::string ratio = "-";
    if (run.genericNs && ns.value_or(0) > 0)
      ratio = fmt::format("{:.2f}x", *run.genericNs / *ns);
    t.row({name, formatNanoseconds(ns), ratio});
  };
  row("generic", run.genericNs);
  row("heuristic (the model's pick)", run.heuristicNs);
  row("tuned", run.tunedNs);
  table(t);
  std::string facts = fmt::format(
      "All times are {}.", run.label ? toString(*run.label) : "of no label");
  facts += run.verified ? " The output was verified against a reference."
                        : " The output was NOT verified.";
  if (run.tieOf > 1)
    facts += fmt::format(" Tie of {} within noise; the lowest predicted cost "
                         "was taken.",
                         run.tieOf);
  if (run.registers)
    facts += fmt::format(" {} registers a thread.", *run.registers);
  if (run.sharedBytes)
    facts += fmt::format(" {} of shared memory a block.",
                         formatBytes(double(*run.sharedBytes)));
  if (run.occupancy)
    facts += fmt::format(" Occupancy {:.0f} %.", *run.occupancy * 100);
  line(facts);
}

} // namespace

Expected<std::string> report(Database &db, const ReportFilter &filter,
                             bool markdown) {
  Expected<std::vector<StoredRun>> runs = db.runs();
  if (!runs)
    return runs.error();
  std::string text;
  for (const StoredRun &stored : *runs) {
    const RunRecord &run = stored.run;
    bool asked = filter.run.empty() ? run.finished.has_value()
                                    : filter.run == run.uid ||
                                          parseInt(filter.run) == stored.id;
    if (!asked || run.opName.find(filter.op) == std::string::npos ||
        (!filter.gpu.empty() && filter.gpu != run.key.gpu))
      continue;
    Expected<std::vector<TrialRecord>> trials = db.trials(stored.id);
    if (!trials)
      return trials.error();
    text += Writer(stored, *trials, markdown).write();
  }
  if (text.empty())
    return Error{fmt::format("no run of '{}' fits, of {} there", db.path(),
                             runs->size()),
                 ""};
  return text;
}

} // namespace hwtune
