//===- Kernels.h - small kernels that differ in one thing -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_SIMULATOR_TIMING_KERNELS_H
#define HWTUNE_TEST_UNIT_SIMULATOR_TIMING_KERNELS_H

#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Simulator/Ptx/Parser.h"
#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Target/KnownTargets.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace hwtune::timing {

/// One entry `k(.u64 p)` around `body`, which may use registers declared in
/// `regs`; %rd0 is the parameter, %r0 tid.x, %r1 the linear thread of the grid.
inline std::string kernel(std::string regs, std::string body,
                          std::string decls = "") {
  return fmt::format(R"(.version 7.0
.target sm_70
.address_size 64
{2}
.visible .entry k(.param .u64 p)
{{
  .reg .b64 %rd<32>;
  .reg .b32 %r<256>;
  .reg .f32 %f<256>;
  .reg .f64 %d<64>;
  .reg .pred %p<8>;
  {0}
  ld.param.u64 %rd0, [p];
  mov.u32 %r0, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.s32 %r1, %r2, %r3, %r0;
  {1}
  ret;
}}
)",
                     regs, body, decls);
}

inline std::string repeat(int count,
                          const std::function<std::string(int)> &one) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += one(i) + "\n";
  return text;
}

struct Launch {
  uint32_t blocks = 1, threads = 128, dynamicShared = 0;
  uint64_t bytes = 64 << 20;
};

inline TimingReport time(const std::string &ptxText, Launch launch,
                         const TimingOptions &options = {},
                         const char *targetId = "a100-sxm4-80gb",
                         const TargetSpec *custom = nullptr) {
  auto module = ptx::parse(ptxText);
  EXPECT_TRUE(module) << module.error().str();
  exec::GlobalMemory memory;
  exec::DeviceAddress buffer = memory.allocate(launch.bytes);
  auto program = exec::Program::create(*module, memory);
  EXPECT_TRUE(program) << program.error().str();
  std::array<std::byte, 8> params;
  std::memcpy(params.data(), &buffer, 8);
  exec::LaunchRequest request;
  request.function = (*program)->findFunction("k");
  request.grid = {launch.blocks, 1, 1};
  request.block = {launch.threads, 1, 1};
  request.dynamicSharedBytes = launch.dynamicShared;
  request.params = params;
  TargetSpec target = custom ? *custom : *knownTarget(targetId);
  TimingReport report = timeLaunch(**program, memory, request, target, options);
  EXPECT_TRUE(report.launch.ok()) << report.launch.diagnostic.str();
  return report;
}

inline TimingOptions without(bool Mechanisms::*mechanism) {
  TimingOptions options;
  options.mechanisms.*mechanism = false;
  return options;
}

/// The ratio of the times of two kernels, formula and simulation.
struct Ratio {
  double formula, simulation;
};
inline Ratio ratio(const std::string &slow, const std::string &fast,
                   Launch launch, const TimingOptions &options = {},
                   const TargetSpec *target = nullptr) {
  TimingReport a = time(slow, launch, options, "a100-sxm4-80gb", target);
  TimingReport b = time(fast, launch, options, "a100-sxm4-80gb", target);
  return {a.formula.cycles / b.formula.cycles,
          a.simulation.cycles / b.simulation.cycles};
}

} // namespace hwtune::timing

#endif // HWTUNE_TEST_UNIT_SIMULATOR_TIMING_KERNELS_H
