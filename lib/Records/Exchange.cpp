//===- Exchange.cpp - records as text files -------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/Exchange.h"

#include "hwtune/Support/Text.h"

#include <cmath>
#include <ctime>
#include <map>
#include <set>

namespace hwtune {

//===----------------------------------------------------------------------===//
// JSON lines
//===----------------------------------------------------------------------===//

static constexpr std::string_view kFormat = "hwtune-records";
static constexpr size_t kMaxLine = 64 << 20;

/// `fields` behind the field that says what the line is.
static std::string line(const char *record, const OrderedJson &fields) {
  OrderedJson json = {{"record", record}};
  json.update(fields);
  return dumpJson(json) + "\n";
}

std::string exportJsonLines(const std::vector<RunWithTrials> &runs,
                            std::string_view toolVersion) {
  std::string text = line(
      "header",
      {{"format", kFormat}, {"schema", kRecordSchema}, {"tool", toolVersion}});
  for (const auto &[run, trials] : runs) {
    text += line("run", toJson(run));
    for (const TrialRecord &trial : trials) {
      OrderedJson fields = {{"run", run.uid}};
      fields.update(toJson(trial));
      text += line("trial", fields);
    }
  }
  return text;
}

namespace {
class LineReader {
public:
  Status take(const OrderedJson &json) {
    std::string record = json.is_object() && json.contains("record") &&
                                 json["record"].is_string()
                             ? json["record"].get<std::string>()
                             : "";
    if (!seenHeader)
      return header(json, record);
    if (record == "run")
      return run(json);
    if (record == "trial")
      return trial(json);
    return Error{
        fmt::format("field `record` is '{}', expected run or trial", record),
        ""};
  }

  bool seenHeader = false;
  std::vector<RunWithTrials> runs;

private:
  Status header(const OrderedJson &json, const std::string &record) {
    Json plain = json;
    JsonReader r(plain, "header");
    if (record != "header" || !r.has("format") ||
        r["format"].string() != kFormat)
      return Error{
          fmt::format("no header of a '{}' export in the first line", kFormat),
          ""};
    int64_t schema = r["schema"].integer(0, INT32_MAX);
    if (r.ok() && schema != kRecordSchema)
      r.fail(fmt::format("schema {}, this program reads {}: export again with "
                         "a program of the same version",
                         schema, kRecordSchema));
    seenHeader = r.ok();
    return r.status();
  }

  Status run(const OrderedJson &json) {
    Expected<RunRecord> read = runFromJson(json);
    if (!read)
      return read.error();
    if (!byUid.emplace(read->uid, runs.size()).second)
      return Error{fmt::format("a second run '{}'", read->uid), ""};
    imported(read->origin);
    runs.emplace_back(std::move(*read), std::vector<TrialRecord>());
    return success();
  }

  Status trial(const OrderedJson &json) {
    Expected<TrialRecord> read = trialFromJson(json);
    if (!read)
      return read.error();
    std::string uid = json.contains("run") && json["run"].is_string()
                          ? json["run"].get<std::string>()
                          : "";
    auto at = byUid.find(uid);
    if (at == byUid.end())
      return Error{fmt::format("trial of run '{}', which does not stand before "
                               "it",
                               uid),
                   ""};
    if (!indices.emplace(at->second, read->index).second)
      return Error{
          fmt::format("a second trial {} of run '{}'", read->index, uid), ""};
    imported(read->origin);
    runs[at->second].second.push_back(std::move(*read));
    return success();
  }

  static void imported(std::string &origin) {
    if (origin == "own")
      origin = "imported:hwtune";
  }

  std::map<std::string, size_t> byUid;
  std::set<std::pair<size_t, int64_t>> indices;
};
} // namespace

Expected<std::vector<RunWithTrials>> importJsonLines(std::string_view text,
                                                     std::string_view name) {
  LineReader reader;
  unsigned number = 0;
  while (!text.empty()) {
    ++number;
    size_t end = text.find('\n');
    std::string_view one = trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (one.empty())
      continue;
    std::string where = fmt::format("{}:{}", name, number);
    Expected<OrderedJson> json = parseOrderedJson(one, "record", kMaxLine);
    if (!json)
      return Error{json.error().message, where};
    if (Status status = reader.take(*json); !status)
      return Error{status.error().message, where};
  }
  if (!reader.seenHeader)
    return Error{"the file is empty, expected a header and records",
                 std::string(name)};
  return std::move(reader.runs);
}

//===----------------------------------------------------------------------===//
// Other tools
//===----------------------------------------------------------------------===//

/// "2023-01-24 01:03:17+00:00".
static std::string isoTime(double unixTime) {
  return formatUtc(unixTime, "%Y-%m-%d %H:%M:%S+00:00");
}

static std::string kernelTunerFailure(TrialStatus status) {
  switch (status) {
  case TrialStatus::Constraint:
    return "InvalidConfig";
  case TrialStatus::Compile:
  case TrialStatus::CompileTimeout:
    return "CompilationFailedConfig";
  default:
    return "RuntimeFailedConfig";
  }
}

/// Trials of candidates that name the same knobs as the first; a table of
/// configurations has one set of columns.
static std::vector<const TrialRecord *> candidates(const RunWithTrials &run) {
  std::vector<const TrialRecord *> result;
  std::set<std::string> seen;
  for (const TrialRecord &trial : run.second) {
    if (trial.role == TrialRole::Final || trial.config.empty())
      continue;
    bool sameKnobs = true;
    if (!result.empty()) {
      const OrderedJson &first = result[0]->config;
      sameKnobs = first.size() == trial.config.size();
      for (const auto &entry : first.items())
        sameKnobs &= trial.config.contains(entry.key());
    }
    if (sameKnobs && seen.insert(trial.identity()).second)
      result.push_back(&trial);
  }
  return result;
}

std::string exportKernelTuner(const RunWithTrials &run) {
  std::vector<const TrialRecord *> trials = candidates(run);
  OrderedJson keys = OrderedJson::array(), params = OrderedJson::object();
  if (!trials.empty())
    for (const auto &entry : trials[0]->config.items())
      keys.push_back(entry.key());
  OrderedJson cache = OrderedJson::object();
  for (const TrialRecord *trial : trials) {
    OrderedJson one = trial->config;
    std::string name;
    for (const OrderedJson &key : keys) {
      const OrderedJson &value = trial->config[key.get<std::string>()];
      name += (name.empty() ? "" : ",") +
              (value.is_string() ? value.get<std::string>() : dumpJson(value));
      OrderedJson &values = params[key.get<std::string>()];
      if (std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(value);
    }
    if (trial->ok()) {
      one["time"] = *trial->medianNs * 1e-6;
      OrderedJson times = OrderedJson::array();
      for (double time : trial->timesNs)
        times.push_back(time * 1e-6);
      one["times"] = times;
    } else {
      one["time"] = kernelTunerFailure(trial->status);
    }
    one["compile_time"] = trial->compileMs.value_or(0);
    one["verification_time"] = 0;
    one["benchmark_time"] = 0;
    one["strategy_time"] = 0;
    one["framework_time"] = 0;
    one["timestamp"] = isoTime(trial->unixTime);
    one["label"] = toString(trial->label);
    cache[name] = one;
  }
  OrderedJson json = {{"device_name", run.first.key.gpu},
                      {"kernel_name", run.first.opName},
                      {"problem_size", run.first.shapes},
                      {"tune_params_keys", keys},
                      {"tune_params", params},
                      {"objective", "time"},
                      {"cache", cache}};
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

static std::string t4Invalidity(TrialStatus status) {
  switch (status) {
  case TrialStatus::Ok:
    return "correct";
  case TrialStatus::Constraint:
    return "constraints";
  case TrialStatus::Compile:
    return "compile";
  case TrialStatus::CompileTimeout:
  case TrialStatus::RunTimeout:
    return "timeout";
  case TrialStatus::Wrong:
    return "correctness";
  default:
    return "runtime";
  }
}

std::string exportT4(const RunWithTrials &run) {
  OrderedJson results = OrderedJson::array();
  for (const TrialRecord *trial : candidates(run)) {
    OrderedJson times = {{"compilation_time", trial->compileMs.value_or(0)},
                         {"framework", 0},
                         {"search_algorithm", 0},
                         {"validation", 0}};
    OrderedJson value = kernelTunerFailure(trial->status);
    if (trial->ok()) {
      OrderedJson runtimes = OrderedJson::array();
      for (double time : trial->timesNs)
        runtimes.push_back(time * 1e-6);
      times["runtimes"] = runtimes;
      value = *trial->medianNs * 1e-6;
    }
    OrderedJson measurement = {
        {"name", "time"}, {"value", value}, {"unit", trial->ok() ? "ms" : ""}};
    results.push_back({{"timestamp", isoTime(trial->unixTime)},
                       {"configuration", trial->config},
                       {"objectives", OrderedJson::array({"time"})},
                       {"times", times},
                       {"invalidity", t4Invalidity(trial->status)},
                       {"correctness", trial->ok() ? 1 : 0},
                       {"label", toString(trial->label)},
                       {"measurements", OrderedJson::array({measurement})}});
  }
  OrderedJson json = {
      {"schema_version", "1.0.0"},
      {"metadata",
       {{"timeunit", "milliseconds"}, {"hardware", run.first.key.gpu}}},
      {"results", results}};
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

} // namespace hwtune
