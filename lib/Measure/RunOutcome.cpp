//===- RunOutcome.cpp -----------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

using namespace hwtune;

namespace {

constexpr int kSchema = 1;
constexpr size_t kMaxTextBytes = size_t(16) << 20;
constexpr size_t kMaxSamples = 1000000;
constexpr size_t kMaxReason = size_t(1) << 20;
constexpr int64_t kAnyCount = std::numeric_limits<int64_t>::max();
constexpr double kAnyNumber = std::numeric_limits<double>::max();

constexpr std::pair<RunStatus, std::string_view> kStatusNames[] = {
    {RunStatus::Ok, "ok"},
    {RunStatus::Constraint, "constraint"},
    {RunStatus::Compile, "compile"},
    {RunStatus::CompileTimeout, "compile_timeout"},
    {RunStatus::Launch, "launch"},
    {RunStatus::RunTimeout, "run_timeout"},
    {RunStatus::Sticky, "sticky"},
    {RunStatus::Wrong, "wrong"},
    {RunStatus::Noisy, "noisy"},
};

OrderedJson timingToJson(const TimingRecord &t) {
  OrderedJson j;
  j["median_s"] = t.median;
  j["q20_s"] = t.q20;
  j["q80_s"] = t.q80;
  j["spread"] = t.spread;
  j["samples_s"] = t.seconds;
  j["timer_resolution_s"] = t.resolution;
  j["warmups"] = t.warmups;
  j["launches_per_sample"] = t.launchesPerSample;
  j["cache"] = t.cache;
  j["flush_bytes"] = t.flushBytes;
  if (t.joules)
    j["energy_j"] = *t.joules;
  return j;
}

TimingRecord readTiming(const JsonReader &r) {
  TimingRecord t;
  t.median = r["median_s"].number(0, kAnyNumber);
  t.q20 = r["q20_s"].number(0, kAnyNumber);
  t.q80 = r["q80_s"].number(0, kAnyNumber);
  t.spread = r["spread"].number(0, kAnyNumber);
  for (const JsonReader &s : r["samples_s"].elements(kMaxSamples))
    t.seconds.push_back(s.number(0, kAnyNumber));
  t.resolution = r["timer_resolution_s"].number(0, kAnyNumber);
  t.warmups = static_cast<int>(r["warmups"].integer(0, INT32_MAX));
  t.launchesPerSample =
      static_cast<int>(r["launches_per_sample"].integer(1, INT32_MAX));
  t.cache = r["cache"].string();
  t.flushBytes = r["flush_bytes"].integer(0, kAnyCount);
  if (r.has("energy_j"))
    t.joules = r["energy_j"].number(0, kAnyNumber);
  return t;
}

OrderedJson verifyToJson(const VerifyRecord &v) {
  OrderedJson j;
  j["checked_elems"] = v.checked;
  j["bad_elems"] = v.bad;
  j["max_abs"] = v.maxAbs;
  j["max_rel"] = v.maxRel;
  j["complete"] = v.complete;
  return j;
}

VerifyRecord readVerify(const JsonReader &r) {
  VerifyRecord v;
  v.checked = r["checked_elems"].integer(0, kAnyCount);
  v.bad = r["bad_elems"].integer(0, kAnyCount);
  v.maxAbs = r["max_abs"].number(0, kAnyNumber);
  v.maxRel = r["max_rel"].number(0, kAnyNumber);
  v.complete = r["complete"].boolean();
  return v;
}

std::optional<int64_t> readCount(const JsonReader &r, const char *key) {
  if (!r.has(key))
    return std::nullopt;
  return r[key].integer(0, kAnyCount);
}

} // namespace

std::string_view hwtune::toString(RunStatus status) {
  for (auto [value, name] : kStatusNames)
    if (value == status)
      return name;
  return "launch";
}

std::optional<RunStatus> hwtune::parseRunStatus(std::string_view text) {
  for (auto [value, name] : kStatusNames)
    if (name == text)
      return value;
  return std::nullopt;
}

RunOutcome RunOutcome::failure(RunStatus status, std::string reason) {
  RunOutcome o;
  o.status = status;
  o.reason = std::move(reason);
  return o;
}

std::string RunOutcome::toJson() const {
  OrderedJson j;
  j["schema"] = kSchema;
  j["status"] = std::string(toString(status));
  if (!reason.empty())
    j["reason"] = reason;
  if (fatal)
    j["fatal"] = true;
  j["label"] = label;
  j["device"] = device;
  j["target"] = target;
  j["uuid"] = uuid;
  j["driver_version"] = driverVersion;
  if (registers)
    j["registers"] = *registers;
  if (localBytes)
    j["local_bytes"] = *localBytes;
  if (sharedBytes)
    j["static_shared_bytes"] = *sharedBytes;
  if (verify)
    j["verify"] = verifyToJson(*verify);
  if (timing)
    j["timing"] = timingToJson(*timing);
  j["wall_s"] = wallSeconds;
  return j.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Expected<RunOutcome> RunOutcome::fromJson(std::string_view text) {
  Expected<Json> root = parseJson(text, "run outcome", kMaxTextBytes);
  if (!root)
    return root.error();
  JsonReader r(*root, "");
  RunOutcome o;
  r["schema"].integer(kSchema, kSchema);
  std::string status = r["status"].string();
  if (auto parsed = parseRunStatus(status))
    o.status = *parsed;
  else
    r["status"].fail(fmt::format("unknown status `{}`", status));
  if (r.has("reason"))
    o.reason = r["reason"].string(kMaxReason);
  if (r.has("fatal"))
    o.fatal = r["fatal"].boolean();
  o.label = r["label"].string();
  o.device = r["device"].string();
  o.target = r["target"].string();
  o.uuid = r["uuid"].string();
  o.driverVersion = static_cast<int>(r["driver_version"].integer(0, INT32_MAX));
  o.registers = readCount(r, "registers");
  o.localBytes = readCount(r, "local_bytes");
  o.sharedBytes = readCount(r, "static_shared_bytes");
  if (r.has("verify"))
    o.verify = readVerify(r["verify"]);
  if (r.has("timing"))
    o.timing = readTiming(r["timing"]);
  o.wallSeconds = r["wall_s"].number(0, kAnyNumber);
  if (!r.ok())
    return r.status().error();
  return o;
}

std::string RunOutcome::summary() const {
  std::string out(toString(status));
  if (!reason.empty())
    out += ": " + reason;
  if (timing)
    out +=
        fmt::format("; {} ({}, {} sample{}, spread {:.1f} %, {} cache)",
                    formatTime(timing->median), label, timing->seconds.size(),
                    timing->seconds.size() == 1 ? "" : "s",
                    100 * timing->spread, timing->cache);
  if (verify)
    out += fmt::format("; {} elements checked, largest error {:.3g}",
                       verify->checked, verify->maxAbs);
  else if (ok())
    out += "; nothing was compared";
  if (!device.empty())
    out += fmt::format("; {} [{}]", device, target);
  return out;
}
