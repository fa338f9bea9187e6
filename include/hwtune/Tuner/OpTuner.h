//===- OpTuner.h - tune one operation on one device ----------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole method for one op: look for a record, collect candidates, search
// and measure through compile workers and `hwtune-run`, verify, store. The
// compiler storey gives it text and callbacks and gets a result.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_OPTUNER_H
#define HWTUNE_TUNER_OPTUNER_H

#include "hwtune/Measure/Device.h"
#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Model/Cost.h"
#include "hwtune/Target/TargetSpec.h"
#include "hwtune/Tuner/CompileProtocol.h"
#include "hwtune/Tuner/Tuner.h"
#include "hwtune/Tuner/WorkerPool.h"
#include "hwtune/Workload/Workload.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hwtune {

/// A launch that a winner is checked on beside its own.
struct TailCheck {
  std::string module; ///< as `OpTuneRequest::module`; "" = there is none
  std::vector<std::vector<int64_t>> shapes;
  /// Why there is none though it is wanted.
  std::string missing = {};
};

/// The op, as text and callbacks.
struct OpTuneRequest {
  Workload workload; ///< `key` must be set
  TargetSpec target;
  Space space;
  std::string schedule;
  Config generic;
  std::function<KernelFeatures(const Config &)> features;
  /// The script of a configuration, of a schedule that workers do not know by
  /// name (`CompileRequest::script`); empty for one that they know.
  std::function<std::string(const Config &)> script;
  /// One function with one op marked `hwtune.op`. May be empty for `model`.
  std::string module;
  /// Sizes of the launch where the module is dynamic.
  std::vector<std::vector<int64_t>> shapes;
  /// The same op on a small shape that the tiles of a configuration do not
  /// divide. May be empty.
  std::function<TailCheck(const Config &)> tail;
  /// "hwtune 0.1.0, llvm 22.1.8, ptxas none": part of the key.
  std::string toolchain;
};

struct OpTuneOptions {
  size_t trials = 48;  ///< 0 = no limit
  double seconds = 0;  ///< 0 = no limit
  size_t patience = 0; ///< trials without a gain until converged; 0 = never
  uint64_t seed = 0;
  std::string strategy = "auto";
  Objective objective = Objective::Latency;
  double weight = 0.5;     ///< of time against energy, for `Objective::Pareto`
  bool requireHit = false; ///< never measure; no record is an error
  bool allowOtherGpu = false;
  size_t keep = 2048; ///< candidates the search may choose from
};

/// What the machine has.
struct TuneEnvironment {
  DeviceName device;
  /// Of the device, for the records: its uuid, or its name as people know it;
  /// "" = `device`.
  std::string deviceId;
  /// Needed by every device but `model`.
  WorkerPool *workers = nullptr;
  std::string runProgram; ///< path of `hwtune-run`
  std::string ptxas;      ///< path, "" = not asked
  std::string workFolder; ///< existing; a folder per candidate is made in it
  /// Further options of `hwtune-run`.
  std::vector<std::string> runOptions;
  /// Measurements at once; used for simulated devices only, whose times do not
  /// suffer. 0 = one per core.
  unsigned parallelMeasures = 0;
  Database *database = nullptr;
  CancelToken cancel;
  TuneObserver *observer = nullptr;
  std::string toolVersion;
};

Expected<TuneResult> tuneOp(const OpTuneRequest &request,
                            const OpTuneOptions &options,
                            const TuneEnvironment &environment);

/// Seconds of one configuration there, timed as a search would time it (one
/// launch from idle for `Objective::Latency`), unverified and not recorded. An
/// error where it cannot run, with the reason.
Expected<double> timeOf(const OpTuneRequest &request, const Config &config,
                        const OpTuneOptions &options,
                        const TuneEnvironment &environment);

/// Label of the times that a device gives.
Label labelOf(const DeviceName &device);

/// What the last finished run of this kind of op on this GPU, launched in this
/// state (`launchStateOf`), corrected of the model (`RunRecord::weights`), of
/// those of this version of the features whose
/// times count for at least `least` and are no predictions. None: all 1.
CostWeights rememberedWeights(std::span<const Database::StoredRun> runs,
                              std::string_view opKind, std::string_view gpu,
                              std::string_view state, Label least);
/// What of the measuring must agree for two runs to be comparable.
std::string measuringPolicy(const OpTuneOptions &options);
/// Key of the records of this op here.
RecordKey recordKey(const OpTuneRequest &request, const OpTuneOptions &options);

// The pieces, for tests and other programs.

/// A worker's reply as an artifact; occupancy by the target's rules.
Artifact artifactFrom(const WorkerReply &reply, const TargetSpec &target);
/// What a run in a child gave.
Measurement measurementFrom(const RunOutcome &outcome, Label ofDevice);

} // namespace hwtune

#endif // HWTUNE_TUNER_OPTUNER_H
