//===- RecordedTimes.cpp - measurements somebody made before --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/RecordedTimes.h"

#include "hwtune/Records/Exchange.h"
#include "hwtune/Records/PackedFile.h"
#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <fstream>
#include <set>

namespace hwtune {
namespace {

constexpr size_t kHeadBytes = 65536; // what tells the format of a log
constexpr std::string_view kDatabaseMark = "SQLite format 3";

struct Recording {
  std::vector<RunWithTrials> runs;
  bool own = true; ///< keys are ours; else one operation of another tuner
};

Expected<Recording> readDatabase(const std::string &path) {
  auto database = Database::open(path, Database::Mode::ReadOnly);
  if (!database)
    return database.error();
  Expected<std::vector<Database::StoredRun>> runs = (*database)->runs();
  if (!runs)
    return runs.error();
  Recording recording;
  for (Database::StoredRun &stored : *runs) {
    Expected<std::vector<TrialRecord>> trials = (*database)->trials(stored.id);
    if (!trials)
      return trials.error();
    recording.runs.emplace_back(std::move(stored.run), std::move(*trials));
  }
  return recording;
}

std::string knobsOf(const Space &space) {
  std::vector<std::string> names;
  for (const Knob &knob : space.knobs)
    names.push_back(knob.name);
  return join(names, ", ");
}

/// A log of transform steps: what it times cannot be told in knobs.
bool isStepLog(std::string_view text) {
  for (std::string_view line : split(text.substr(0, kHeadBytes), '\n')) {
    line = trim(line);
    if (line.empty() || line.starts_with('#'))
      continue;
    if (!line.starts_with('{'))
      return false;
    line = trim(line.substr(1));
    return line.starts_with("\"i\"") || line.starts_with("\"input\"");
  }
  return false;
}

/// A format is known by what only it has on its first level.
Expected<Recording> readText(const std::string &text, const std::string &path,
                             const std::string &gpu, const Space &space) {
  if (text.find("\"record\"") < text.find('\n')) {
    Expected<std::vector<RunWithTrials>> runs = importJsonLines(text, path);
    if (!runs)
      return runs.error();
    return Recording{std::move(*runs)};
  }
  if (isStepLog(text))
    return Error{fmt::format("it is a log of TVM, whose steps do not name the "
                             "knobs {}; hwtune-replay reads it with a mapping",
                             knobsOf(space)),
                 path};
  auto has = [&](const char *member) {
    return text.find(member) != std::string::npos;
  };
  if (!has("\"cache\"") && !has("\"Results\"") && !has("\"results\""))
    return Error{
        trim(text).empty()
            ? "it is empty"
            : "format not recognised, expected a tuning database or "
              "its JSON lines, a Kernel Tuner cache, KTT or T4 results",
        path};
  Expected<RunWithTrials> run = has("\"cache\"") ? importKernelTuner(text, path)
                                : has("\"Results\"")
                                    ? importKtt(text, path)
                                    : importT4(text, path, gpu);
  if (!run)
    return run.error();
  return Recording{{std::move(*run)}, /*own=*/false};
}

bool isDatabase(const std::string &path) {
  std::string head(kDatabaseMark.size(), 0);
  std::ifstream(path, std::ios::binary)
      .read(head.data(), std::streamsize(head.size()));
  return head == kDatabaseMark;
}

Expected<Recording> read(const std::string &path, const std::string &gpu,
                         const Space &space) {
  if (isDatabase(path))
    return readDatabase(path);
  Expected<std::string> text = readPackedFile(path);
  if (!text)
    return text.error();
  return readText(*text, path, gpu, space);
}

std::string listOf(const std::set<std::string> &names) {
  return join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

} // namespace

Expected<RecordedTimes> readRecordedTimes(const std::string &path,
                                          const RecordedTimesQuery &query,
                                          const Space &space) {
  Expected<Recording> recording = read(path, query.gpu, space);
  if (!recording)
    return recording.error();
  RecordedTimes times;
  std::set<std::string> otherGpus, otherStates;
  size_t misfits = 0;
  std::string misfit;
  for (auto &[run, trials] : recording->runs) {
    if (recording->own && run.key.op != query.op)
      continue;
    if (recording->own && !query.anyGpu && run.key.gpu != query.gpu) {
      otherGpus.insert(run.key.gpu);
      continue;
    }
    if (recording->own && launchStateOf(run.key.policy) != query.state) {
      otherStates.insert(std::string(launchStateOf(run.key.policy)));
      continue;
    }
    for (TrialRecord &trial : trials) {
      Expected<Config> config = configFromJson(space, trial.config);
      if (!config || (recording->own && trial.schedule != query.schedule)) {
        ++misfits;
        misfit = config ? "it is of schedule " + trial.schedule
                        : config.error().message;
        continue;
      }
      // Others tell one time, of a launch whatever its state.
      if (!recording->own && !trial.coldNs)
        trial.coldNs = trial.medianNs;
      times.emplace(std::move(*config), std::move(trial));
    }
  }
  if (!times.empty())
    return times;
  if (misfits)
    return Error{fmt::format("none of its {} configurations is one of schedule "
                             "{}: {}",
                             misfits, query.schedule, misfit),
                 path};
  if (!otherStates.empty())
    return Error{fmt::format("it holds this operation launched {}, expected {} "
                             "(`objective`)",
                             listOf(otherStates), query.state),
                 path};
  if (!otherGpus.empty())
    return Error{fmt::format("it holds this operation for {}, expected {}, or "
                             "'allow-other-gpu'",
                             listOf(otherGpus), query.gpu),
                 path};
  return Error{"it holds no time of this operation", path};
}

} // namespace hwtune
