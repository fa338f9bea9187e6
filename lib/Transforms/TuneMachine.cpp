//===- TuneMachine.cpp - the device and programs of a tuning run ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneMachine.h"

#include "hwtune/Codegen/PtxStats.h"
#include "hwtune/Support/File.h"
#include "hwtune/Target/LiveDevice.h"
#include "hwtune/Target/TargetFields.h"
#include "hwtune/Tuner/Progress.h"

#include "llvm/Config/llvm-config.h"

#include <fmt/format.h>

#include <unistd.h>

using namespace hwtune;

static constexpr const char *kCompileProgram = "hwtune-compile";
static constexpr const char *kRunProgram = "hwtune-run";
/// Value of `db=` and `ptxas=` that switches them off.
static constexpr const char *kNone = "none";

/// The GPU of this machine that is `target`, as "cuda:N"; "" if there is none.
static std::string findOwnGpu(const TargetSpec &target) {
  Expected<std::unique_ptr<DriverTable>> driver = DriverTable::load("");
  if (!driver)
    return "";
  for (int ordinal = 0;; ++ordinal) {
    Expected<LiveDevice> live = readLiveDevice(**driver, ordinal);
    if (!live)
      return "";
    if (live->spec.id == target.id)
      return fmt::format("cuda:{}", ordinal);
  }
}

/// Why `target` cannot be simulated here, "" if it can.
static std::string whyNoSimulation(const TargetSpec &target,
                                   const std::string &toolDir) {
  if (!target.isNvidia())
    return "only NVIDIA's are simulated";
  for (const char *part : {kSimLibrary, kCompileProgram, kRunProgram})
    if (Expected<std::string> found = findTool(part, toolDir); !found)
      return found.error().str();
  return "";
}

Status TuneMachine::openDatabase(const TuneModuleOptions &options) {
  if (options.db.empty() || options.db == kNone)
    return success();
  // A hit is only read.
  auto opened =
      Database::open(options.db, options.requireHit ? Database::Mode::ReadOnly
                                                    : Database::Mode::Create);
  if (!opened)
    return opened.error();
  database = std::move(*opened);
  parts.database = database.get();
  return success();
}

Status TuneMachine::chooseDevice(const TargetSpec &target,
                                 const TuneModuleOptions &options,
                                 std::vector<std::string> &notes) {
  shownDevice = options.device;
  if (shownDevice.empty() && target.isNvidia())
    shownDevice = findOwnGpu(target);
  if (!shownDevice.empty()) {
    observer->activity(
        fmt::format("tuning for `{}` on device `{}`", target.id, shownDevice));
  } else {
    std::string why = whyNoSimulation(target, options.toolDir);
    shownDevice = why.empty() ? "sim:" + target.id : "model";
    notes.push_back(fmt::format(
        "no GPU of target `{}` here: times are {}", target.id,
        why.empty() ? "simulated" : "predicted by the model (" + why + ")"));
  }
  Expected<DeviceName> name = parseDeviceName(shownDevice);
  if (!name)
    return name.error();
  parts.device = *name;
  return success();
}

/// What is asked decides the key of the records, also where nothing is measured
/// now: what `ptxas` says changes simulated times.
Status TuneMachine::openPtxas(const TargetSpec &target,
                              const TuneModuleOptions &options,
                              std::vector<std::string> &notes) {
  std::string version = kNone;
  if (!options.ptxas.empty() && options.ptxas != kNone && target.isNvidia()) {
    Expected<std::string> found = ptxasVersion(options.ptxas);
    if (!found)
      return found.error();
    if (ptxasKnows(options.ptxas, target.arch)) {
      version = *found;
      parts.ptxas = options.ptxas;
    } else {
      notes.push_back(fmt::format("ptxas {} does not assemble for {}: "
                                  "registers and spills are estimates",
                                  *found, target.arch));
    }
  }
  shownToolchain = fmt::format("hwtune {}, llvm {}, ptxas {}", HWTUNE_VERSION,
                               LLVM_VERSION_STRING, version);
  return success();
}

Status TuneMachine::openPrograms(const TargetSpec &target,
                                 const TuneModuleOptions &options) {
  Expected<std::string> run = findTool(kRunProgram, options.toolDir);
  if (!run)
    return run.error();
  parts.runProgram = *run;
  Expected<std::string> compiler = findTool(kCompileProgram, options.toolDir);
  if (!compiler)
    return compiler.error();
  auto made = TemporaryFolder::make("hwtune");
  if (!made)
    return made.error();
  folder = std::move(*made);
  parts.workFolder = folder->path();
  // The simulated device gets the module's own description, which need not be
  // one of the table.
  bool isOwnDescription = parts.device.kind == DeviceName::Kind::Sim &&
                          parts.device.argument == target.id;
  if (isOwnDescription) {
    parts.device.argument = parts.workFolder + "/target.json";
    if (Status s = writeFileAtomically(parts.device.argument, toJson(target));
        !s)
      return s;
  }
  OpenOptions open;
  if (parts.device.kind == DeviceName::Kind::Sim) {
    Expected<std::string> library = findTool(kSimLibrary, options.toolDir);
    if (!library)
      return library.error();
    open.simLibrary = *library;
    parts.runOptions.push_back("--sim-library=" + *library);
  }
  // The simulated driver is one GPU for the life of a process, and another
  // module may be for another: where it is the module's own there is nothing
  // to ask it.
  std::string id = target.id;
  parts.deviceId = shownDevice;
  if (!isOwnDescription) {
    Expected<OpenDevice> opened = openDevice(parts.device, open);
    if (!opened)
      return opened.error();
    id = opened->spec.id;
    if (parts.device.kind != DeviceName::Kind::Sim && !opened->uuid.empty())
      parts.deviceId = opened->uuid;
  }
  if (id != target.id && !options.allowOtherGpu)
    return Error{fmt::format("device `{}` is `{}`, but the module is for `{}`; "
                             "set the target to the device's, or "
                             "'allow-other-gpu'",
                             shownDevice, id, target.id),
                 ""};
  WorkerOptions pool;
  pool.program = *compiler;
  auto started = WorkerPool::start(pool, options.cancel);
  if (!started)
    return started.error();
  workers = std::move(*started);
  parts.workers = workers.get();
  return success();
}

Expected<std::unique_ptr<TuneMachine>>
TuneMachine::open(const TargetSpec &target, const TuneModuleOptions &options,
                  std::vector<std::string> &notes) {
  std::unique_ptr<TuneMachine> made(new TuneMachine);
  made->observer = makeProgressPrinter(stderr, isatty(fileno(stderr)) != 0);
  made->parts.observer = made->observer.get();
  made->parts.cancel = options.cancel;
  made->parts.toolVersion = HWTUNE_VERSION;
  if (Status s = made->openDatabase(options); !s)
    return s.error();
  if (Status s = made->chooseDevice(target, options, notes); !s)
    return s.error();
  if (Status s = made->openPtxas(target, options, notes); !s)
    return s.error();
  if (made->parts.device.runs())
    if (Status s = made->openPrograms(target, options); !s)
      return s.error();
  return made;
}
