//===- DeviceSession.h - one module and its buffers -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run holds on the device. Each step returns false once it failed; why
// is in the outcome then. Private to this directory.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_MEASURE_DEVICESESSION_H
#define HWTUNE_LIB_MEASURE_DEVICESESSION_H

#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Runner.h"

#include "hwtune/Support/Json.h"
#include <array>

#include <cstddef>
#include <optional>
#include <vector>

namespace hwtune {

class DeviceSession {
public:
  DeviceSession(const DriverTable &driver, const TargetSpec &target,
                const RunInput &input, const RunPolicy &policy,
                RunOutcome &outcome)
      : driver(driver), target(target), launch(input.launch), input(input),
        policy(policy), outcome(outcome) {}
  DeviceSession(const DeviceSession &) = delete;
  ~DeviceSession();

  bool open(int ordinal);
  bool checkLimits();
  bool loadModule();
  bool allocate();
  /// Inputs as generated, outputs poisoned or at their initial value.
  bool fill();
  /// Only the outputs whose initial value a kernel reads, from a copy that
  /// `fill` made: cheap enough to precede every timed launch.
  bool restoreInitial();
  bool launchAll();
  bool synchronize();
  /// Outputs against the expected values, inputs unchanged, guards intact.
  bool verify();

  /// Records a failure unless `result` is a success.
  bool check(cuda::Result result, const char *call,
             RunStatus otherwise = RunStatus::Launch);
  bool fail(RunStatus status, std::string reason);
  /// A simulated device executes for the check, every block or those that the
  /// description names, and estimates for the time.
  bool setTimed(bool timed);
  /// Joules of the last `launchAll`, where the device can tell.
  std::optional<double> joules() const { return launchJoules; }

  const DriverTable &driver;
  const TargetSpec &target;

private:
  struct Buffer {
    cuda::DevicePtr allocation = 0, data = 0;
    cuda::DevicePtr initial = 0; ///< copy of what `fill` wrote
  };
  struct Kernel {
    cuda::Function function = nullptr;
    std::vector<std::array<std::byte, 8>> slots; ///< one per argument
    std::vector<void *> params;
  };

  bool loadKernel(const KernelDesc &desc);
  bool configureLaunch(size_t kernel);
  bool configure(const Json &settings);
  void addEnergy();
  /// What the simulated GPU says of its last launch; an empty object on others.
  Json simulatedReport() const;
  bool fillBuffer(size_t index);
  bool compareOutput(const ExpectedDesc &desc, VerifyRecord &record);
  bool inputsUnchanged();
  bool guardsIntact();
  bool guardIntact(size_t index, cuda::DevicePtr at, const char *side);
  void bindArguments();

  const LaunchDescription &launch;
  const RunInput &input;
  const RunPolicy &policy;
  RunOutcome &outcome;

  cuda::Device device = 0;
  bool hasContext = false;
  cuda::Module module = nullptr;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  bool timed = false;
  std::optional<double> launchJoules;
};

} // namespace hwtune

#endif // HWTUNE_LIB_MEASURE_DEVICESESSION_H
