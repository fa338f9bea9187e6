//===- Runner.h - a folder that runs one kernel by itself -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TRANSFORMS_RUNNER_H
#define HWTUNE_TRANSFORMS_RUNNER_H

#include "hwtune/Measure/LaunchDescription.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"
#include "hwtune/Transforms/Kernelize.h"
#include "hwtune/Tuner/WorkerPool.h"

#include <memory>
#include <string>

namespace hwtune {

/// Text of a C++ program that loads the PTX of `launch` through the CUDA driver
/// API, runs it on the input files, compares with the expected values and
/// prints its times. It needs a C++17 compiler and nothing else.
std::string runnerProgram(const LaunchDescription &launch);

/// Writes runner folders. Kernels and expected values come from
/// `hwtune-compile`, in `toolDir` or beside this library.
class RunnerWriter {
public:
  static Expected<std::unique_ptr<RunnerWriter>>
  open(const TargetSpec &target, const std::string &toolDir,
       const CancelToken &cancel = {});

  /// Fills `folder`/<name of the kernel> with kernel.ptx, launch.json,
  /// expected.bin, the input buffers and run.cpp. A folder that it made and
  /// cannot fill is removed.
  Status write(const KernelSite &site, const std::string &folder);

private:
  RunnerWriter() = default;
  Status fill(const KernelSite &site, const std::string &own);
  std::unique_ptr<WorkerPool> pool;
  TargetSpec target;
  std::string targetText;
};

} // namespace hwtune

#endif // HWTUNE_TRANSFORMS_RUNNER_H
