//===- ImportOthers.cpp - records of other tuners -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel Tuner caches, T4 and KTT results, field by field as their
// documentation says. Files are untrusted; what does not fit is an error with
// the entry's name, never a guess.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/Exchange.h"

#include "hwtune/Support/Sha256.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Support/TimeUnit.h"

#include <algorithm>
#include <cmath>

namespace hwtune {

namespace {

constexpr size_t kMaxFile = size_t(1) << 30;
constexpr double kNsPerMs = 1e6, kNsPerSecond = 1e9;

std::string word(const OrderedJson &json, const char *key) {
  if (!json.is_object() || !json.contains(key))
    return "";
  const OrderedJson &value = json[key];
  return value.is_string() ? value.get<std::string>() : dumpJson(value);
}

Error wrong(std::string_view name, const std::string &entry,
            const std::string &what) {
  return Error{fmt::format("entry '{}': {}", entry, what), std::string(name)};
}

RunRecord newRun(std::string_view text, const char *format) {
  RunRecord run;
  run.uid = sha256Hex(text).substr(0, 32);
  run.origin = std::string("imported:") + format;
  run.uuid = "unknown";
  run.key.toolchain = run.key.policy = format;
  run.seen = 0;
  return run;
}

TrialRecord newTrial(int64_t index, const RunRecord &run) {
  TrialRecord trial;
  trial.index = index;
  trial.schedule = run.opName;
  trial.origin = run.origin;
  trial.label = Label::Measured;
  return trial;
}

/// Other tuners measure; our own exports say what took the times.
void takeLabel(const OrderedJson &entry, TrialRecord &trial) {
  auto label = entry.find("label");
  if (label == entry.end() || !label->is_string())
    return;
  if (std::optional<Label> known = parseLabel(label->get<std::string>()))
    trial.label = *known;
}

/// "InvalidConfig" and the like; nothing where the text is no failure.
std::optional<TrialStatus> failureOf(const std::string &text) {
  if (text.find("InvalidConfig") != std::string::npos)
    return TrialStatus::Constraint;
  if (text.find("CompilationFailed") != std::string::npos)
    return TrialStatus::Compile;
  if (text.find("RuntimeFailed") != std::string::npos)
    return TrialStatus::Launch;
  return std::nullopt;
}

/// Milliseconds, each above 0; false where one is not.
bool takeTimes(const OrderedJson &times, TrialRecord &trial) {
  if (!times.is_array())
    return false;
  for (const OrderedJson &time : times) {
    if (!time.is_number() || !(time.get<double>() > 0) ||
        !std::isfinite(time.get<double>()))
      return false;
    trial.timesNs.push_back(time.get<double>() * kNsPerMs);
  }
  return true;
}

/// The winner, as the run of a tuner that stopped here would have it.
void finish(RunWithTrials &result) {
  auto &[run, trials] = result;
  run.trials = int64_t(trials.size());
  run.legal = run.seen = uint64_t(trials.size());
  const TrialRecord *best = nullptr;
  for (const TrialRecord &trial : trials)
    if (trial.ok() && (!best || *trial.medianNs < *best->medianNs))
      best = &trial;
  if (!best)
    return;
  run.label = best->label;
  run.tunedNs = best->medianNs;
  run.schedule = best->schedule;
  run.config = best->config;
}

/// A cache that is still open ends in a comma and lacks two brackets.
Expected<OrderedJson> parseCache(std::string_view text) {
  Expected<OrderedJson> json = parseOrderedJson(text, "cache", kMaxFile);
  std::string body(trim(text));
  if (json || body.empty())
    return json;
  if (body.back() == ',')
    body.pop_back();
  Expected<OrderedJson> closed =
      parseOrderedJson(body + "}\n}", "cache", kMaxFile);
  return closed ? std::move(closed) : std::move(json);
}

Status kernelTunerEntry(const OrderedJson &keys, const OrderedJson &entry,
                        TrialRecord &trial) {
  auto bad = [](const std::string &what) { return Status(Error{what, ""}); };
  if (!entry.is_object())
    return bad("it is no object");
  for (const OrderedJson &key : keys) {
    auto at = entry.find(key.get<std::string>());
    if (at == entry.end() || at->is_structured() || at->is_null())
      return bad(
          fmt::format("it has no value for '{}'", key.get<std::string>()));
    trial.config[key.get<std::string>()] = *at;
  }
  takeLabel(entry, trial);
  if (entry.contains("compile_time") && entry["compile_time"].is_number())
    trial.compileMs = entry["compile_time"].get<double>();
  if (!entry.contains("time"))
    return bad("it has no time");
  const OrderedJson &time = entry["time"];
  if (time.is_string()) {
    std::optional<TrialStatus> status = failureOf(time.get<std::string>());
    if (!status)
      return bad(fmt::format("its time is '{}'", time.get<std::string>()));
    trial.status = *status;
    trial.reason = time.get<std::string>();
    return success();
  }
  if (!time.is_number() || !(time.get<double>() > 0) ||
      !std::isfinite(time.get<double>()))
    return bad("its time is no number above 0");
  // Their own mean is what their searches compare.
  trial.medianNs = time.get<double>() * kNsPerMs;
  if (entry.contains("times") && !takeTimes(entry["times"], trial))
    return bad("one of its times is no number above 0");
  return success();
}

} // namespace

Expected<RunWithTrials> importKernelTuner(std::string_view text,
                                          std::string_view name) {
  Expected<OrderedJson> json = parseCache(text);
  if (!json)
    return Error{json.error().message, std::string(name)};
  if (!json->is_object() || !json->contains("cache") ||
      !(*json)["cache"].is_object() || !json->contains("tune_params_keys") ||
      !(*json)["tune_params_keys"].is_array())
    return Error{"no Kernel Tuner cache: `cache` and `tune_params_keys` are "
                 "expected",
                 std::string(name)};
  const OrderedJson &keys = (*json)["tune_params_keys"];
  for (const OrderedJson &key : keys)
    if (!key.is_string())
      return Error{"`tune_params_keys` holds something else than names",
                   std::string(name)};
  RunWithTrials result{newRun(text, "kernel-tuner"), {}};
  RunRecord &run = result.first;
  run.opName = word(*json, "kernel_name");
  run.shapes = word(*json, "problem_size");
  run.key.op = fmt::format("kernel-tuner:{}:{}", run.opName, run.shapes);
  run.key.gpu = word(*json, "device_name");
  run.objective = word(*json, "objective");
  const OrderedJson &cache = (*json)["cache"];
  for (const auto &[label, entry] : cache.items()) {
    TrialRecord trial = newTrial(int64_t(result.second.size()), run);
    if (Status status = kernelTunerEntry(keys, entry, trial); !status)
      return wrong(name, label, status.error().message);
    result.second.push_back(std::move(trial));
  }
  finish(result);
  return result;
}

static TrialStatus statusOfT4(const std::string &invalidity) {
  if (invalidity == "constraints")
    return TrialStatus::Constraint;
  if (invalidity == "compile")
    return TrialStatus::Compile;
  if (invalidity == "timeout")
    return TrialStatus::RunTimeout;
  if (invalidity == "correctness")
    return TrialStatus::Wrong;
  return invalidity == "correct" ? TrialStatus::Ok : TrialStatus::Launch;
}

/// Nanoseconds of the measurement `time`, which is in milliseconds where
/// neither it nor the file (`fileUnit`) names a unit.
static Status takeT4Time(const OrderedJson &measurements,
                         const std::string &fileUnit, TrialRecord &trial) {
  for (const OrderedJson &m : measurements) {
    if (word(m, "name") != "time" || !m.contains("value") ||
        !m["value"].is_number())
      continue;
    std::string unit = word(m, "unit");
    if (unit.empty())
      unit = fileUnit.empty() ? "ms" : fileUnit;
    std::optional<double> seconds = secondsPerUnit(unit);
    if (!seconds)
      return Error{fmt::format("its time is in '{}', expected seconds, "
                               "milliseconds, microseconds or nanoseconds",
                               unit),
                   ""};
    trial.medianNs = m["value"].get<double>() * *seconds * kNsPerSecond;
  }
  return success();
}

static Status t4Entry(const OrderedJson &entry, const std::string &fileUnit,
                      TrialRecord &trial) {
  auto bad = [](const char *what) { return Status(Error{what, ""}); };
  if (!entry.is_object() || !entry.contains("configuration") ||
      !entry["configuration"].is_object())
    return bad("it has no configuration");
  trial.config = entry["configuration"];
  for (const auto &[knob, value] : trial.config.items())
    if (value.is_structured() || value.is_null())
      return bad("a parameter is no number or word");
  takeLabel(entry, trial);
  trial.status = statusOfT4(word(entry, "invalidity"));
  trial.reason = trial.ok() ? "" : word(entry, "invalidity");
  if (entry.contains("times") && entry["times"].is_object()) {
    const OrderedJson &times = entry["times"];
    // Files and schema disagree on the name.
    for (const char *key : {"compilation", "compilation_time"})
      if (times.contains(key) && times[key].is_number())
        trial.compileMs = times[key].get<double>();
    if (trial.ok() && times.contains("runtimes") &&
        !takeTimes(times["runtimes"], trial))
      return bad("one of its times is no number above 0");
  }
  if (!trial.ok())
    return success();
  if (entry.contains("measurements") && entry["measurements"].is_array())
    if (Status status = takeT4Time(entry["measurements"], fileUnit, trial);
        !status)
      return status;
  if (!(trial.medianNs.value_or(0) > 0) || !std::isfinite(*trial.medianNs))
    return bad("it is correct, but has no time above 0");
  return success();
}

Expected<RunWithTrials> importT4(std::string_view text, std::string_view name,
                                 std::string_view gpu) {
  Expected<OrderedJson> json = parseOrderedJson(text, "results", kMaxFile);
  if (!json)
    return Error{json.error().message, std::string(name)};
  if (!json->is_object() || !json->contains("results") ||
      !(*json)["results"].is_array())
    return Error{"no T4 results: an array `results` is expected",
                 std::string(name)};
  RunWithTrials result{newRun(text, "t4"), {}};
  RunRecord &run = result.first;
  run.opName = "unknown";
  run.key.op = "t4:" + run.uid;
  run.key.gpu = gpu;
  run.objective = "time";
  std::string fileUnit =
      json->contains("metadata") ? word((*json)["metadata"], "timeunit") : "";
  for (const OrderedJson &entry : (*json)["results"]) {
    TrialRecord trial = newTrial(int64_t(result.second.size()), run);
    if (Status status = t4Entry(entry, fileUnit, trial); !status)
      return wrong(name, std::to_string(trial.index), status.error().message);
    result.second.push_back(std::move(trial));
  }
  finish(result);
  return result;
}

/// Nothing where the word is none of KTT's.
static std::optional<TrialStatus> statusOfKtt(const std::string &status) {
  if (status == "Ok")
    return TrialStatus::Ok;
  if (status == "ComputationFailed")
    return TrialStatus::Launch;
  if (status == "ValidationFailed")
    return TrialStatus::Wrong;
  if (status == "CompilationFailed")
    return TrialStatus::Compile;
  if (status == "DeviceLimitsExceeded")
    return TrialStatus::Constraint;
  return std::nullopt;
}

static Status kttEntry(const OrderedJson &entry, double secondsPerTime,
                       TrialRecord &trial) {
  auto bad = [](const std::string &what) { return Status(Error{what, ""}); };
  if (!entry.is_object() || !entry.contains("Configuration") ||
      !entry["Configuration"].is_array())
    return bad("it has no configuration");
  for (const OrderedJson &pair : entry["Configuration"]) {
    std::string knob = word(pair, "Name");
    if (knob.empty() || !pair.contains("Value") ||
        pair["Value"].is_structured() || pair["Value"].is_null())
      return bad("a parameter has no name, or no number or word");
    trial.config[knob] = pair["Value"];
  }
  std::string status = word(entry, "Status");
  std::optional<TrialStatus> known = statusOfKtt(status);
  if (!known)
    return bad(fmt::format("its status is '{}'", status));
  trial.status = *known;
  trial.reason = trial.ok() ? "" : status;
  if (!trial.ok())
    return success();
  if (!entry.contains("TotalDuration") || !entry["TotalDuration"].is_number())
    return bad("it is Ok, but has no TotalDuration");
  double ns =
      entry["TotalDuration"].get<double>() * secondsPerTime * kNsPerSecond;
  if (!(ns > 0) || !std::isfinite(ns))
    return bad("its TotalDuration is no number above 0");
  trial.medianNs = ns;
  trial.timesNs = {ns};
  return success();
}

Expected<RunWithTrials> importKtt(std::string_view text,
                                  std::string_view name) {
  Expected<OrderedJson> json = parseOrderedJson(text, "results", kMaxFile);
  if (!json)
    return Error{json.error().message, std::string(name)};
  if (!json->is_object() || !json->contains("Metadata") ||
      !json->contains("Results") || !(*json)["Results"].is_array())
    return Error{"no KTT results: `Metadata` and an array `Results` are "
                 "expected",
                 std::string(name)};
  const OrderedJson &metadata = (*json)["Metadata"];
  std::string unit = word(metadata, "TimeUnit");
  std::optional<double> seconds = secondsPerUnit(unit);
  if (!seconds)
    return Error{fmt::format("`TimeUnit` is '{}', expected Nanoseconds, "
                             "Microseconds, Milliseconds or Seconds",
                             unit),
                 std::string(name)};
  RunWithTrials result{newRun(text, "ktt"), {}};
  RunRecord &run = result.first;
  const OrderedJson &entries = (*json)["Results"];
  run.opName = entries.empty() ? "" : word(entries.front(), "KernelName");
  run.key.op = fmt::format("ktt:{}:{}", run.opName, run.uid);
  run.key.gpu = word(metadata, "Device");
  run.objective = "time";
  for (const OrderedJson &entry : entries) {
    TrialRecord trial = newTrial(int64_t(result.second.size()), run);
    if (Status status = kttEntry(entry, *seconds, trial); !status)
      return wrong(name, std::to_string(trial.index), status.error().message);
    result.second.push_back(std::move(trial));
  }
  finish(result);
  return result;
}

} // namespace hwtune
