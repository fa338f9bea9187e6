//===- Record.cpp - records and their JSON form ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/Record.h"

#include <algorithm>
#include <limits>

namespace hwtune {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
template <typename E> struct Name {
  E value;
  std::string_view text;
};
constexpr Name<Label> kLabels[] = {{Label::Predicted, "predicted"},
                                   {Label::Simulated, "simulated"},
                                   {Label::Replayed, "replayed"},
                                   {Label::Measured, "measured"}};
constexpr Name<TrialStatus> kStatuses[] = {
    {TrialStatus::Ok, "ok"},
    {TrialStatus::Constraint, "constraint"},
    {TrialStatus::Compile, "compile"},
    {TrialStatus::CompileTimeout, "compile_timeout"},
    {TrialStatus::Launch, "launch"},
    {TrialStatus::RunTimeout, "run_timeout"},
    {TrialStatus::Sticky, "sticky"},
    {TrialStatus::Wrong, "wrong"},
    {TrialStatus::Noisy, "noisy"}};
constexpr Name<TrialRole> kRoles[] = {{TrialRole::Generic, "generic"},
                                      {TrialRole::Heuristic, "heuristic"},
                                      {TrialRole::Candidate, "candidate"},
                                      {TrialRole::Final, "final"}};

template <typename E, size_t N>
std::string_view nameOf(const Name<E> (&names)[N], E value) {
  for (const Name<E> &name : names)
    if (name.value == value)
      return name.text;
  return "unknown";
}
template <typename E, size_t N>
std::optional<E> valueOf(const Name<E> (&names)[N], std::string_view text) {
  for (const Name<E> &name : names)
    if (name.text == text)
      return name.value;
  return std::nullopt;
}
} // namespace

std::string_view toString(Label label) { return nameOf(kLabels, label); }
std::optional<Label> parseLabel(std::string_view text) {
  return valueOf(kLabels, text);
}
std::string_view toString(TrialStatus status) {
  return nameOf(kStatuses, status);
}
std::optional<TrialStatus> parseTrialStatus(std::string_view text) {
  return valueOf(kStatuses, text);
}
std::string_view toString(TrialRole role) { return nameOf(kRoles, role); }
std::optional<TrialRole> parseTrialRole(std::string_view text) {
  return valueOf(kRoles, text);
}

std::string_view launchStateOf(std::string_view policy) {
  for (std::string_view state : {kFromIdle, kBackToBack})
    if (policy.find(state) != policy.npos)
      return state;
  return "";
}

std::vector<std::string> differences(const RecordKey &a, const RecordKey &b) {
  std::vector<std::string> names;
  auto compare = [&](const char *name, const std::string &x,
                     const std::string &y) {
    if (x != y)
      names.push_back(name);
  };
  compare("op", a.op, b.op);
  compare("gpu", a.gpu, b.gpu);
  compare("arch", a.arch, b.arch);
  compare("toolchain", a.toolchain, b.toolchain);
  compare("policy", a.policy, b.policy);
  return names;
}

std::string TrialRecord::identity() const {
  // Sorted by name: the order of a file's fields means nothing.
  return schedule + " " + dumpJson(Json(config));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// Adds fields; absent and empty ones are left out.
class Writer {
public:
  OrderedJson json = OrderedJson::object();

  void put(const char *key, const std::string &value) {
    if (!value.empty())
      json[key] = value;
  }
  void put(const char *key, double value) { json[key] = value; }
  void put(const char *key, int64_t value) { json[key] = value; }
  void put(const char *key, uint64_t value) { json[key] = value; }
  void put(const char *key, bool value) { json[key] = value; }
  template <typename T>
  void put(const char *key, const std::optional<T> &value) {
    if (value)
      put(key, *value);
  }
};
} // namespace

OrderedJson toJson(const TrialRecord &trial) {
  Writer w;
  w.put("index", trial.index);
  w.put("role", std::string(toString(trial.role)));
  w.put("schedule", trial.schedule);
  w.json["config"] = trial.config;
  w.put("status", std::string(toString(trial.status)));
  w.put("reason", trial.reason);
  w.put("label", std::string(toString(trial.label)));
  w.put("origin", trial.origin);
  w.json["times_ns"] = trial.timesNs;
  w.put("n", int64_t(trial.timesNs.size()));
  w.put("median_ns", trial.medianNs);
  w.put("q20_ns", trial.q20Ns);
  w.put("q80_ns", trial.q80Ns);
  w.put("cold_ns", trial.coldNs);
  w.put("energy_mj", trial.energyMJ);
  w.put("power_w", trial.powerW);
  w.put("clock_mhz", trial.clockMHz);
  w.put("predicted_ns", trial.predictedNs);
  w.put("compile_ms", trial.compileMs);
  w.put("registers", trial.registers);
  w.put("spill_bytes", trial.spillBytes);
  w.put("shared_bytes", trial.sharedBytes);
  w.put("register_basis", trial.registerBasis);
  w.put("occupancy", trial.occupancy);
  if (trial.maxAbs || trial.maxRel || trial.checkedElements) {
    Writer verify;
    verify.put("max_abs", trial.maxAbs);
    verify.put("max_rel", trial.maxRel);
    verify.put("checked_elems", trial.checkedElements);
    w.json["verify"] = verify.json;
  }
  w.put("artifact", trial.artifact);
  w.put("lesson", trial.lesson);
  w.put("unix_time", trial.unixTime);
  return w.json;
}

static OrderedJson keyToJson(const RecordKey &key) {
  Writer w;
  w.json["op"] = key.op;
  w.json["gpu"] = key.gpu;
  w.json["arch"] = key.arch;
  w.json["toolchain"] = key.toolchain;
  w.json["policy"] = key.policy;
  return w.json;
}

OrderedJson toJson(const RunRecord &run) {
  Writer w;
  w.put("uid", run.uid);
  w.json["key"] = keyToJson(run.key);
  w.put("op_name", run.opName);
  w.put("op_kind", run.opKind);
  w.put("shapes", run.shapes);
  w.put("types", run.types);
  w.put("layout", run.layout);
  w.put("uuid", run.uuid);
  w.put("target", run.target);
  w.put("tool_version", run.toolVersion);
  w.put("seed", run.seed);
  w.put("strategy", run.strategy);
  w.put("objective", run.objective);
  w.put("budget_trials", run.budgetTrials);
  w.put("budget_seconds", run.budgetSeconds);
  w.put("origin", run.origin);
  w.put("started", run.started);
  w.put("finished", run.finished);
  w.put("seen", run.seen);
  w.put("legal", run.legal);
  w.json["rejected"] = OrderedJson::object();
  for (const auto &[kind, count] : run.rejected)
    w.json["rejected"][kind] = count;
  w.put("trials", run.trials);
  w.put("converged", run.converged);
  w.put("verified", run.verified);
  w.put("stop_reason", run.stopReason);
  if (run.label)
    w.put("label", std::string(toString(*run.label)));
  w.put("generic_ns", run.genericNs);
  w.put("heuristic_ns", run.heuristicNs);
  w.put("tuned_ns", run.tunedNs);
  w.put("generic_mj", run.genericMJ);
  w.put("tuned_mj", run.tunedMJ);
  if (!run.front.empty())
    w.json["front"] = OrderedJson::array();
  for (const FrontPoint &point : run.front)
    w.json["front"].push_back({{"config", point.config},
                               {"time_ns", point.timeNs},
                               {"energy_mj", point.energyMJ}});
  w.put("schedule", run.schedule);
  w.json["config"] = run.config;
  w.json["heuristic_config"] = run.heuristicConfig;
  w.put("tie_of", run.tieOf);
  w.put("registers", run.registers);
  w.put("spill_bytes", run.spillBytes);
  w.put("shared_bytes", run.sharedBytes);
  w.put("register_basis", run.registerBasis);
  w.put("occupancy", run.occupancy);
  w.put("artifact", run.artifact);
  if (!run.weights.empty())
    w.json["weights"] = OrderedJson::object();
  for (const auto &[term, eta] : run.weights)
    w.json["weights"][term] = eta;
  return w.json;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
constexpr double kHuge = std::numeric_limits<double>::max();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxText = 1 << 20; ///< a compiler's diagnostics
constexpr size_t kMaxSamples = 1 << 20;
constexpr size_t kMaxKnobs = 1024;
constexpr size_t kMaxFront = 1 << 16;

/// Absent fields keep what the struct has.
class Reader {
public:
  explicit Reader(const JsonReader &json) : json(json) {}

  void get(const char *key, std::string &value) {
    if (json.has(key))
      value = json[key].string(kMaxText);
  }
  void get(const char *key, bool &value) {
    if (json.has(key))
      value = json[key].boolean();
  }
  void get(const char *key, double &value) {
    if (json.has(key))
      value = json[key].number(-kHuge, kHuge);
  }
  void get(const char *key, int64_t &value) {
    if (json.has(key))
      value = json[key].integer(0, kMax);
  }
  void get(const char *key, uint64_t &value) {
    if (json.has(key))
      value = json[key].unsignedInteger();
  }
  template <typename T> void get(const char *key, std::optional<T> &value) {
    if (!json.has(key))
      return;
    T read{};
    get(key, read);
    value = read;
  }
  /// A name out of a list; required.
  template <typename E>
  void name(const char *key, E &value,
            std::optional<E> (*parse)(std::string_view)) {
    std::string text = json[key].string();
    if (std::optional<E> read = parse(text))
      value = *read;
    else
      json[key].fail(fmt::format("unknown value '{}'", text));
  }

private:
  const JsonReader &json;
};

/// An object of scalars.
void checkConfig(const JsonReader &json) {
  if (!json.json().is_object())
    return json.fail(fmt::format("expected an object, found {}", json.found()));
  if (json.json().size() > kMaxKnobs)
    return json.fail(fmt::format("{} knobs, expected at most {}",
                                 json.json().size(), kMaxKnobs));
  for (const auto &[knob, value] : json.json().items())
    if (value.is_structured() || value.is_null())
      return json.fail(fmt::format("knob `{}` is no number or word", knob));
}

/// The config object in the order of the file; `JsonReader` has lost it.
void takeConfig(const OrderedJson &json, const char *key, const JsonReader &r,
                OrderedJson &config) {
  if (!r.has(key))
    return;
  checkConfig(r[key]);
  if (r.ok())
    config = json.at(key);
}
} // namespace

Expected<TrialRecord> trialFromJson(const OrderedJson &json) {
  Json plain = json;
  JsonReader r(plain, "trial");
  r.onlyFields({"record",         "run",       "index",       "role",
                "schedule",       "config",    "status",      "reason",
                "label",          "origin",    "times_ns",    "n",
                "median_ns",      "q20_ns",    "q80_ns",      "cold_ns",
                "energy_mj",      "power_w",   "clock_mhz",   "predicted_ns",
                "compile_ms",     "registers", "spill_bytes", "shared_bytes",
                "register_basis", "occupancy", "verify",      "artifact",
                "lesson",         "unix_time"});
  TrialRecord trial;
  trial.index = r["index"].integer(0, kMax);
  Reader get(r);
  get.name("role", trial.role, parseTrialRole);
  get.get("schedule", trial.schedule);
  checkConfig(r["config"]);
  takeConfig(json, "config", r, trial.config);
  get.name("status", trial.status, parseTrialStatus);
  get.get("reason", trial.reason);
  get.name("label", trial.label, parseLabel);
  get.get("origin", trial.origin);
  if (r.has("times_ns"))
    for (const JsonReader &time : r["times_ns"].elements(kMaxSamples))
      trial.timesNs.push_back(time.number(0, kHuge));
  get.get("median_ns", trial.medianNs);
  get.get("q20_ns", trial.q20Ns);
  get.get("q80_ns", trial.q80Ns);
  get.get("cold_ns", trial.coldNs);
  get.get("energy_mj", trial.energyMJ);
  get.get("power_w", trial.powerW);
  get.get("clock_mhz", trial.clockMHz);
  get.get("predicted_ns", trial.predictedNs);
  get.get("compile_ms", trial.compileMs);
  get.get("registers", trial.registers);
  get.get("spill_bytes", trial.spillBytes);
  get.get("shared_bytes", trial.sharedBytes);
  get.get("register_basis", trial.registerBasis);
  get.get("occupancy", trial.occupancy);
  if (r.has("verify")) {
    JsonReader verify = r["verify"];
    verify.onlyFields({"max_abs", "max_rel", "checked_elems"});
    Reader inner(verify);
    inner.get("max_abs", trial.maxAbs);
    inner.get("max_rel", trial.maxRel);
    inner.get("checked_elems", trial.checkedElements);
  }
  get.get("artifact", trial.artifact);
  get.get("lesson", trial.lesson);
  get.get("unix_time", trial.unixTime);
  if (r.ok() && trial.ok() && !(trial.medianNs.value_or(0) > 0))
    r.fail("status is ok, but there is no median_ns above 0");
  if (!r.ok())
    return r.status().error();
  return trial;
}

static FrontPoint readPoint(const OrderedJson &json, const JsonReader &r) {
  r.onlyFields({"config", "time_ns", "energy_mj"});
  FrontPoint point;
  takeConfig(json, "config", r, point.config);
  point.timeNs = r["time_ns"].number(0, kHuge);
  point.energyMJ = r["energy_mj"].number(0, kHuge);
  return point;
}

static RecordKey keyFromJson(const JsonReader &r) {
  r.onlyFields({"op", "gpu", "arch", "toolchain", "policy"});
  return {r["op"].string(), r["gpu"].string(), r["arch"].string(),
          r["toolchain"].string(), r["policy"].string()};
}

Expected<RunRecord> runFromJson(const OrderedJson &json) {
  Json plain = json;
  JsonReader r(plain, "run");
  r.onlyFields({"record",         "uid",          "key",
                "op_name",        "op_kind",      "shapes",
                "types",          "layout",       "uuid",
                "target",         "tool_version", "seed",
                "strategy",       "objective",    "budget_trials",
                "budget_seconds", "origin",       "started",
                "finished",       "seen",         "legal",
                "rejected",       "trials",       "converged",
                "verified",       "stop_reason",  "label",
                "generic_ns",     "heuristic_ns", "tuned_ns",
                "schedule",       "config",       "heuristic_config",
                "tie_of",         "registers",    "spill_bytes",
                "shared_bytes",   "occupancy",    "register_basis",
                "artifact",       "weights",      "generic_mj",
                "tuned_mj",       "front"});
  RunRecord run;
  run.uid = r["uid"].string(128);
  run.key = keyFromJson(r["key"]);
  Reader get(r);
  get.get("op_name", run.opName);
  get.get("op_kind", run.opKind);
  get.get("shapes", run.shapes);
  get.get("types", run.types);
  get.get("layout", run.layout);
  get.get("uuid", run.uuid);
  get.get("target", run.target);
  get.get("tool_version", run.toolVersion);
  get.get("seed", run.seed);
  get.get("strategy", run.strategy);
  get.get("objective", run.objective);
  get.get("budget_trials", run.budgetTrials);
  get.get("budget_seconds", run.budgetSeconds);
  get.get("origin", run.origin);
  get.get("started", run.started);
  get.get("finished", run.finished);
  get.get("seen", run.seen);
  get.get("legal", run.legal);
  if (r.has("rejected")) {
    JsonReader rejected = r["rejected"];
    checkConfig(rejected); // names with one number each
    if (r.ok())
      for (const auto &entry : json.at("rejected").items())
        run.rejected.emplace_back(
            entry.key(), rejected[entry.key().c_str()].unsignedInteger());
  }
  get.get("trials", run.trials);
  get.get("converged", run.converged);
  get.get("verified", run.verified);
  get.get("stop_reason", run.stopReason);
  if (r.has("label")) {
    Label label{};
    get.name("label", label, parseLabel);
    run.label = label;
  }
  get.get("generic_ns", run.genericNs);
  get.get("heuristic_ns", run.heuristicNs);
  get.get("tuned_ns", run.tunedNs);
  get.get("generic_mj", run.genericMJ);
  get.get("tuned_mj", run.tunedMJ);
  if (r.has("front"))
    for (size_t i = 0; const JsonReader &point : r["front"].elements(kMaxFront))
      run.front.push_back(readPoint(json.at("front").at(i++), point));
  get.get("schedule", run.schedule);
  takeConfig(json, "config", r, run.config);
  takeConfig(json, "heuristic_config", r, run.heuristicConfig);
  get.get("tie_of", run.tieOf);
  get.get("registers", run.registers);
  get.get("spill_bytes", run.spillBytes);
  get.get("shared_bytes", run.sharedBytes);
  get.get("register_basis", run.registerBasis);
  get.get("occupancy", run.occupancy);
  get.get("artifact", run.artifact);
  if (r.has("weights")) {
    JsonReader weights = r["weights"];
    checkConfig(weights);
    if (r.ok())
      for (const auto &entry : json.at("weights").items())
        run.weights.emplace_back(
            entry.key(), weights[entry.key().c_str()].number(-kHuge, kHuge));
  }
  if (r.ok() && run.uid.empty())
    r.fail("the uid is empty");
  if (!r.ok())
    return r.status().error();
  return run;
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

OrderedJson configToJson(const Space &space, const Config &config) {
  OrderedJson json = OrderedJson::object();
  for (size_t i = 0; i < space.knobs.size(); ++i)
    json[space.knobs[i].name] = config[i];
  return json;
}

std::string configText(const OrderedJson &config) {
  std::string text = "{";
  for (const auto &[knob, value] : config.items())
    text += fmt::format("{}{} = {}", text.size() > 1 ? ", " : "", knob,
                        value.is_string() ? value.get<std::string>()
                                          : dumpJson(value));
  return text + "}";
}

Expected<Config> configFromJson(const Space &space, const OrderedJson &json) {
  return space.fromText(configText(json));
}

} // namespace hwtune
