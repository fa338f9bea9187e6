//===- Record.h - what is kept of a tuning run ---------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs with a JSON form (the field names in snake_case), so that a
// record outlives the program that wrote it. Times are in nanoseconds, as in
// every export.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_RECORDS_RECORD_H
#define HWTUNE_RECORDS_RECORD_H

#include "hwtune/Space/Space.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Support/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// Version of the database and of the export; a file of another one is refused.
inline constexpr int kRecordSchema = 1;

/// Where a time comes from, by rising rank.
enum class Label { Predicted, Simulated, Replayed, Measured };
std::string_view toString(Label label);
std::optional<Label> parseLabel(std::string_view text);

/// The outcome of one trial: a value, never the end of a run.
enum class TrialStatus {
  Ok,
  Constraint,     ///< not a legal configuration for this device
  Compile,        ///< the compiler refused it, or died
  CompileTimeout, ///< the compiler did not end
  Launch,         ///< the device refused it, or failed without lasting harm
  RunTimeout,     ///< the kernel did not end in its time limit
  Sticky,         ///< it broke its device context (illegal access, ...)
  Wrong,          ///< its output is wrong
  Noisy,          ///< no time could be told from its samples
};
std::string_view toString(TrialStatus status);
std::optional<TrialStatus> parseTrialStatus(std::string_view text);
inline constexpr TrialStatus kTrialStatuses[] = {
    TrialStatus::Ok,      TrialStatus::Constraint,
    TrialStatus::Compile, TrialStatus::CompileTimeout,
    TrialStatus::Launch,  TrialStatus::RunTimeout,
    TrialStatus::Sticky,  TrialStatus::Wrong,
    TrialStatus::Noisy};

/// Why something was measured.
enum class TrialRole {
  Generic,   ///< the fixed default: the base of every speed-up
  Heuristic, ///< the model's own pick, which is a candidate too
  Candidate,
  Final, ///< the winner once more, against the default
};
std::string_view toString(TrialRole role);
std::optional<TrialRole> parseTrialRole(std::string_view text);

/// What makes two runs comparable. All of it must agree for a hit.
struct RecordKey {
  std::string op;        ///< SHA-256 of the canonical op text
  std::string gpu;       ///< target id, "a100-sxm4-80gb"
  std::string arch;      ///< "sm_80"
  std::string toolchain; ///< "hwtune 0.1.0, llvm 22.1.8, ptxas 13.0"
  std::string policy;    ///< objective, cache state, repeats: see `Measure`

  bool operator==(const RecordKey &) const = default;
};
/// What came before the launches of a run, as its policy says it: times of
/// different states are different quantities.
inline constexpr std::string_view kFromIdle = "from idle, cold cache",
                                  kBackToBack = "back to back";
/// One of them; "" where the policy says neither (others' records).
std::string_view launchStateOf(std::string_view policy);
/// Names of the fields in which two keys differ.
std::vector<std::string> differences(const RecordKey &a, const RecordKey &b);

inline constexpr size_t kMaxReasonBytes = 64 << 10;

struct TrialRecord {
  int64_t index = 0; ///< in the order of the run
  TrialRole role = TrialRole::Candidate;
  std::string schedule;
  OrderedJson config = OrderedJson::object(); ///< {knob: value}, in knob order
  TrialStatus status = TrialStatus::Ok;
  /// Of a failure, in the failing part's own words; at most
  /// `kMaxReasonBytes` and a note of what was left out.
  std::string reason;
  Label label = Label::Measured;
  std::string origin = "own"; ///< "own", "transferred", "imported:FORMAT"
  std::vector<double> timesNs;
  /// Of `timesNs`, or as the source states them.
  std::optional<double> medianNs, q20Ns, q80Ns;
  std::optional<double> coldNs;                     ///< one launch from idle
  std::optional<double> energyMJ, powerW, clockMHz; ///< energy: millijoules
  std::optional<double> predictedNs;                ///< by the model, before
  std::optional<double> compileMs;
  std::optional<int64_t> registers, spillBytes, sharedBytes;
  std::string registerBasis;       ///< "ptxas" or "estimate"
  std::optional<double> occupancy; ///< 0..1
  // what was checked of the output; absent = nothing was
  std::optional<double> maxAbs, maxRel;
  std::optional<int64_t> checkedElements;
  std::string artifact; ///< SHA-256 of the PTX that ran
  std::string lesson;   ///< what it taught the model, in plain words
  double unixTime = 0;

  bool ok() const { return status == TrialStatus::Ok; }
  /// Canonical text of schedule and configuration: equal for equal kernels.
  std::string identity() const;
};

/// A schedule that no other measured one beats in time without losing in
/// energy.
struct FrontPoint {
  OrderedJson config = OrderedJson::object();
  double timeNs = 0, energyMJ = 0;
};

/// One tuning run of one op. `finished` is absent while it runs, and for ever
/// when it was killed; its trials can still be resumed.
struct RunRecord {
  std::string uid; ///< names the run in every database it is copied to
  RecordKey key;
  // the op, for people
  std::string opName, opKind, shapes, types, layout;
  /// Of the device; its name where it has none; or "model-only".
  std::string uuid;
  std::string target; ///< JSON text of the hardware as it was read
  std::string toolVersion;
  uint64_t seed = 0;
  std::string strategy, objective;
  int64_t budgetTrials = 0; ///< 0 = none
  double budgetSeconds = 0; ///< 0 = none
  std::string origin = "own";
  double started = 0;
  std::optional<double> finished;
  // how the space was
  uint64_t seen = 0, legal = 0;
  std::vector<std::pair<std::string, uint64_t>> rejected; ///< by reason
  // what came out
  int64_t trials = 0;
  bool converged = false;
  bool verified = false;
  std::string stopReason;
  std::optional<Label> label; ///< of the times below
  std::optional<double> genericNs, heuristicNs, tunedNs;
  /// Millijoules of a launch, where the device can tell.
  std::optional<double> genericMJ, tunedMJ;
  std::vector<FrontPoint> front; ///< of objective `pareto`, the fastest first
  std::string schedule;
  OrderedJson config = OrderedJson::object(); ///< of the winner
  OrderedJson heuristicConfig = OrderedJson::object();
  int64_t tieOf = 1; ///< configurations within noise of the winner
  // of the winner, as in its trial
  std::optional<int64_t> registers, spillBytes, sharedBytes;
  std::string registerBasis;
  std::optional<double> occupancy;
  std::string artifact; ///< SHA-256 of the PTX
  /// What the trials correct of the model: eta of each term, 1 = as it was,
  /// then the scale of the whole time.
  std::vector<std::pair<std::string, double>> weights;
};

OrderedJson toJson(const TrialRecord &trial);
OrderedJson toJson(const RunRecord &run);
Expected<TrialRecord> trialFromJson(const OrderedJson &json);
Expected<RunRecord> runFromJson(const OrderedJson &json);

/// {knob: value} of a configuration, and back; errors name the knob.
OrderedJson configToJson(const Space &space, const Config &config);
Expected<Config> configFromJson(const Space &space, const OrderedJson &json);
/// "{block_m = 128, vector = 4}".
std::string configText(const OrderedJson &config);

} // namespace hwtune

#endif // HWTUNE_RECORDS_RECORD_H
