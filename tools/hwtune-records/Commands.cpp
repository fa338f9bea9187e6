//===- Commands.cpp - what hwtune-records can do --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "hwtune/Records/Exchange.h"
#include "hwtune/Records/PackedFile.h"
#include "hwtune/Support/File.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Support/TextTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>

namespace hwtune {

namespace {

using StoredRun = Database::StoredRun;
using Align = TextTable::Align;

CommandResult failed(const Error &error) { return {"", error.str(), 1}; }
CommandResult badLine(const std::string &message) { return {"", message, 2}; }

std::string speedupText(const RunRecord &run) {
  if (!run.genericNs || !(run.tunedNs.value_or(0) > 0))
    return "-";
  return fmt::format("{:.2f}x", *run.genericNs / *run.tunedNs);
}

std::string stateText(const RunRecord &run) {
  if (!run.finished)
    return "unfinished";
  if (!run.verified)
    return "not verified";
  return run.converged ? "converged" : "done";
}

/// Runs that `--op` and `--gpu` leave.
Expected<std::vector<StoredRun>> selected(Database &db,
                                          const Arguments &arguments) {
  Expected<std::vector<StoredRun>> runs = db.runs();
  if (!runs)
    return runs;
  std::string op = arguments.get("op"), gpu = arguments.get("gpu");
  std::erase_if(*runs, [&](const StoredRun &stored) {
    const RunRecord &run = stored.run;
    bool named = run.opName.find(op) != std::string::npos ||
                 run.key.op.rfind(op, 0) == 0;
    return !named || (!gpu.empty() && run.key.gpu != gpu);
  });
  return runs;
}

std::string runTable(const std::vector<StoredRun> &runs) {
  TextTable table;
  table.column("run", Align::Right);
  for (const char *heading : {"began (UTC)", "operation", "shapes", "gpu"})
    table.column(heading);
  for (const char *heading : {"generic", "tuned", "speed-up", "trials"})
    table.column(heading, Align::Right);
  for (const char *heading : {"label", "state", "origin"})
    table.column(heading);
  for (const StoredRun &stored : runs) {
    const RunRecord &run = stored.run;
    table.row({std::to_string(stored.id),
               formatUtc(run.started, "%Y-%m-%d %H:%M"), run.opName, run.shapes,
               run.key.gpu, formatNanoseconds(run.genericNs),
               formatNanoseconds(run.tunedNs), speedupText(run),
               std::to_string(stored.storedTrials),
               run.label ? std::string(toString(*run.label)) : "-",
               stateText(run), run.origin});
  }
  return table.str();
}

CommandResult list(Database &db, const Arguments &arguments) {
  Expected<std::vector<StoredRun>> runs = selected(db, arguments);
  if (!runs)
    return failed(runs.error());
  if (runs->empty())
    return {"no run\n", "", 0};
  return {runTable(*runs), "", 0};
}

/// The run numbered `text` among all.
Expected<StoredRun> findRun(Database &db, const std::string &text) {
  std::optional<int64_t> id = parseInt(text);
  Expected<std::vector<StoredRun>> runs = db.runs();
  if (!runs)
    return runs.error();
  for (StoredRun &run : *runs)
    if (id == run.id || run.run.uid == text)
      return std::move(run);
  return Error{
      fmt::format("there is no run '{}', expected a number or uid that "
                  "list or export shows",
                  text),
      ""};
}

std::string trialTable(const std::vector<TrialRecord> &trials) {
  TextTable table;
  table.column("trial", Align::Right);
  table.column("role");
  table.column("status");
  for (const char *heading : {"time", "predicted", "registers"})
    table.column(heading, Align::Right);
  table.column("configuration");
  table.column("lesson or reason");
  for (const TrialRecord &trial : trials)
    table.row({std::to_string(trial.index), std::string(toString(trial.role)),
               std::string(toString(trial.status)),
               formatNanoseconds(trial.medianNs),
               formatNanoseconds(trial.predictedNs),
               trial.registers ? std::to_string(*trial.registers) : "",
               configText(trial.config),
               trial.ok() ? trial.lesson
                          : trial.reason.substr(0, trial.reason.find('\n'))});
  return table.str();
}

CommandResult show(Database &db, const Arguments &arguments) {
  if (arguments.positional.size() != 2)
    return badLine("show needs one run");
  Expected<StoredRun> stored = findRun(db, arguments.positional[1]);
  if (!stored)
    return failed(stored.error());
  Expected<std::vector<TrialRecord>> trials = db.trials(stored->id);
  if (!trials)
    return failed(trials.error());
  RunRecord run = stored->run;
  run.target.clear(); // the report prints it as a table
  std::string text;
  OrderedJson fields = toJson(run);
  for (const auto &[key, value] : fields.items())
    text += fmt::format("{}: {}\n", key,
                        value.is_string()   ? value.get<std::string>()
                        : value.is_object() ? configText(value)
                                            : dumpJson(value));
  return {text + "\n" + trialTable(*trials), "", 0};
}

constexpr double kSecondsPerDay = 86400;

/// Of each key the best finished run.
std::map<std::string, StoredRun> bestRuns(const std::vector<StoredRun> &runs) {
  std::map<std::string, StoredRun> best;
  for (const StoredRun &stored : runs) {
    const RunRecord &run = stored.run;
    if (!run.finished || !run.tunedNs || !run.label)
      continue;
    std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", run.key.op, run.key.gpu, run.key.arch,
                    run.key.toolchain, run.key.policy);
    auto [at, isNew] = best.emplace(key, stored);
    if (!isNew && isBetter(run, at->second.run))
      at->second = stored;
  }
  return best;
}

CommandResult best(Database &db, const Arguments &arguments) {
  Expected<std::vector<StoredRun>> runs = selected(db, arguments);
  if (!runs)
    return failed(runs.error());
  std::vector<StoredRun> chosen;
  for (auto &[key, run] : bestRuns(*runs))
    chosen.push_back(run);
  if (chosen.empty())
    return {"no finished run\n", "", 0};
  std::sort(chosen.begin(), chosen.end(),
            [](const StoredRun &a, const StoredRun &b) { return a.id < b.id; });
  std::string text = runTable(chosen) + "\n";
  for (const StoredRun &stored : chosen)
    text += fmt::format("{}: {} {}\n", stored.id, stored.run.schedule,
                        configText(stored.run.config));
  return {text, "", 0};
}

//===----------------------------------------------------------------------===//
// Export, import
//===----------------------------------------------------------------------===//

Expected<std::vector<RunWithTrials>> runsToExport(Database &db,
                                                  const Arguments &arguments) {
  std::vector<StoredRun> runs;
  if (arguments.positional.size() > 1) {
    for (size_t i = 1; i < arguments.positional.size(); ++i) {
      Expected<StoredRun> run = findRun(db, arguments.positional[i]);
      if (!run)
        return run.error();
      runs.push_back(std::move(*run));
    }
  } else {
    Expected<std::vector<StoredRun>> all = selected(db, arguments);
    if (!all)
      return all.error();
    runs = std::move(*all);
  }
  std::vector<RunWithTrials> result;
  for (StoredRun &run : runs) {
    Expected<std::vector<TrialRecord>> trials = db.trials(run.id);
    if (!trials)
      return trials.error();
    result.emplace_back(std::move(run.run), std::move(*trials));
  }
  return result;
}

/// Also what is read only.
bool isFormat(const std::string &format) {
  return format == "jsonl" || format == "kernel-tuner" || format == "t4" ||
         format == "ktt";
}
std::string unknownFormat(const std::string &format) {
  return fmt::format("unknown format '{}', expected jsonl, kernel-tuner, t4 or "
                     "ktt",
                     format);
}

CommandResult exportRuns(Database &db, const Arguments &arguments) {
  std::string format = arguments.get("format", "jsonl");
  if (!isFormat(format))
    return badLine(unknownFormat(format));
  if (format == "ktt")
    return badLine("format ktt can be imported, not exported");
  Expected<std::vector<RunWithTrials>> runs = runsToExport(db, arguments);
  if (!runs)
    return failed(runs.error());
  if (format != "jsonl" && runs->size() != 1)
    return badLine(fmt::format("format {} holds one run, {} are selected",
                               format, runs->size()));
  std::string text = format == "jsonl"
                         ? exportJsonLines(*runs, "hwtune " HWTUNE_VERSION)
                     : format == "t4" ? exportT4((*runs)[0])
                                      : exportKernelTuner((*runs)[0]);
  if (!arguments.has("out"))
    return {text, "", 0};
  if (Status status = writeFileAtomically(arguments.get("out"), text); !status)
    return failed(status.error());
  return {fmt::format("{} runs written to {}\n", runs->size(),
                      arguments.get("out")),
          "", 0};
}

Expected<std::vector<RunWithTrials>> readRuns(const std::string &format,
                                              const std::string &text,
                                              const std::string &name,
                                              const std::string &gpu) {
  if (format == "jsonl")
    return importJsonLines(text, name);
  Expected<RunWithTrials> run = format == "t4" ? importT4(text, name, gpu)
                                : format == "ktt"
                                    ? importKtt(text, name)
                                    : importKernelTuner(text, name);
  if (!run)
    return run.error();
  return std::vector<RunWithTrials>{std::move(*run)};
}

/// Every file is read before the database is opened, and made: one that cannot
/// be read leaves nothing behind.
CommandResult importFiles(const std::string &path, const Arguments &arguments) {
  if (arguments.positional.size() < 2)
    return badLine("import needs a file");
  std::string format = arguments.get("format", "jsonl");
  if (!isFormat(format))
    return badLine(unknownFormat(format));
  std::span<const std::string> names =
      std::span(arguments.positional).subspan(1);
  std::vector<std::vector<RunWithTrials>> files;
  for (const std::string &name : names) {
    Expected<std::string> text = readPackedFile(name);
    if (!text)
      return failed(text.error());
    Expected<std::vector<RunWithTrials>> runs =
        readRuns(format, *text, name, arguments.get("gpu"));
    if (!runs)
      return failed(runs.error());
    files.push_back(std::move(*runs));
  }
  Expected<std::unique_ptr<Database>> db =
      Database::open(path, Database::Mode::Create);
  if (!db)
    return failed(db.error());
  CommandResult result;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string &name = names[i];
    Expected<Database::ImportCounts> counts = (*db)->insert(files[i]);
    if (!counts)
      return failed(counts.error());
    result.text +=
        fmt::format("{}: {} runs with {} trials are new, {} were "
                    "known\n",
                    name, counts->runs, counts->trials, counts->known);
    for (const std::string &uid : counts->conflicts) {
      result.text += fmt::format("{}: run {} differs from the one in the "
                                 "database, which was kept\n",
                                 name, uid);
      result.code = 1;
      result.error = "some runs are in conflict";
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Prune
//===----------------------------------------------------------------------===//

Expected<std::set<int64_t>> condemned(Database &db, const Arguments &arguments,
                                      const std::vector<StoredRun> &runs) {
  std::set<int64_t> ids;
  if (arguments.has("run")) {
    Expected<StoredRun> run = findRun(db, arguments.get("run"));
    if (!run)
      return run.error();
    ids.insert(run->id);
  }
  Expected<std::optional<int64_t>> days = arguments.integer("older-than", 0);
  if (!days)
    return days.error();
  double now = std::chrono::duration<double>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count();
  auto isSuperseded = [&](const StoredRun &old) {
    return old.run.finished &&
           std::any_of(runs.begin(), runs.end(), [&](const StoredRun &kept) {
             return supersedes(kept.run, old.run);
           });
  };
  for (const StoredRun &stored : runs) {
    bool old =
        *days && stored.run.started < now - double(**days) * kSecondsPerDay;
    // One that began today may still be running.
    bool unfinished = arguments.has("unfinished") && !stored.run.finished &&
                      stored.run.started < now - kSecondsPerDay;
    bool superseded = arguments.has("superseded") && isSuperseded(stored);
    if (old || unfinished || superseded)
      ids.insert(stored.id);
  }
  return ids;
}

CommandResult prune(Database &db, const Arguments &arguments) {
  bool any = false;
  for (const char *condition :
       {"run", "older-than", "unfinished", "superseded"})
    any |= arguments.has(condition);
  if (!any)
    return badLine("prune needs --run, --older-than, --unfinished or "
                   "--superseded");
  Expected<std::vector<StoredRun>> runs = selected(db, arguments);
  if (!runs)
    return failed(runs.error());
  Expected<std::set<int64_t>> ids = condemned(db, arguments, *runs);
  if (!ids)
    return failed(ids.error());
  std::string numbers = fmt::format("{}", fmt::join(*ids, " "));
  if (ids->empty())
    return {"nothing to remove\n", "", 0};
  if (arguments.has("dry-run"))
    return {fmt::format("would remove: {}\n", numbers), "", 0};
  Status status = db.remove({ids->begin(), ids->end()});
  if (!status)
    return failed(status.error());
  return {fmt::format("removed: {}\n", numbers), "", 0};
}

} // namespace

CommandResult runCommand(const Arguments &arguments, const std::string &path) {
  struct Command {
    const char *name;
    CommandResult (*run)(Database &, const Arguments &); ///< null: import
    Database::Mode mode;
    size_t most; ///< positional arguments, the command included
  };
  static const Command commands[] = {
      {"list", list, Database::Mode::ReadOnly, 1},
      {"show", show, Database::Mode::ReadOnly, 2},
      {"best", best, Database::Mode::ReadOnly, 1},
      {"export", exportRuns, Database::Mode::ReadOnly, SIZE_MAX},
      {"import", nullptr, Database::Mode::Create, SIZE_MAX},
      {"prune", prune, Database::Mode::Existing, 1}};
  std::vector<std::string> names;
  for (const Command &command : commands) {
    names.push_back(command.name);
    if (arguments.positional[0] != command.name)
      continue;
    if (arguments.positional.size() > command.most)
      return badLine(fmt::format("{} takes no argument '{}'", command.name,
                                 arguments.positional[command.most]));
    if (path.empty())
      return badLine("neither HOME nor XDG_CACHE_HOME is set: say --db=PATH");
    if (!command.run)
      return importFiles(path, arguments);
    Expected<std::unique_ptr<Database>> db = Database::open(path, command.mode);
    if (!db)
      return failed(db.error());
    return command.run(**db, arguments);
  }
  return badLine(fmt::format("unknown command '{}', expected one of {}{}",
                             arguments.positional[0], fmt::join(names, ", "),
                             didYouMean(arguments.positional[0], names)));
}

} // namespace hwtune
