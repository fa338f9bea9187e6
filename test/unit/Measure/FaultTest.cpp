//===- FaultTest.cpp - bad candidates, through the child process ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `hwtune-run` on a driver that fails, hangs, crashes, runs out of memory or
// returns wrong results at chosen calls: every outcome is a value, and a wrong
// candidate is never ok.
//
//===----------------------------------------------------------------------===//

#include "FaultyCandidate.h"

using namespace hwtune;

namespace {

using FaultTest = FaultyCandidate;

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(FaultTest, GoodCandidate) {
  RunOutcome o = run("");
  ASSERT_TRUE(o.ok()) << o.reason;
  EXPECT_EQ(o.label, "measured");
  EXPECT_EQ(o.device, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(o.target, "a100-sxm4-80gb");
  EXPECT_EQ(o.driverVersion, 12080);
  EXPECT_EQ(o.registers, 32);
  ASSERT_TRUE(o.verify);
  EXPECT_EQ(o.verify->checked, kElements);
  EXPECT_TRUE(o.verify->complete);
  EXPECT_EQ(o.verify->maxAbs, 0);
  ASSERT_TRUE(o.timing);
  EXPECT_NEAR(o.timing->median, 0.25e-3, 1e-9);
  EXPECT_EQ(o.timing->seconds.size(), 20u);
  EXPECT_EQ(o.timing->warmups, 3);
  EXPECT_EQ(o.timing->cache, "cold");
  EXPECT_EQ(o.timing->flushBytes, 2 * (4 << 20));
}

TEST_F(FaultTest, CheckOnlyAndTimeOnly) {
  options = {"--check-only"};
  RunOutcome o = run("");
  EXPECT_TRUE(o.ok() && o.verify && !o.timing);
  options = {"--time-only", "--samples=5", "--warm"};
  o = run(fault("cuLaunchKernel", "wrong", 0));
  EXPECT_TRUE(o.ok() && !o.verify && o.timing) << o.reason;
  EXPECT_EQ(o.timing->seconds.size(), 5u);
  EXPECT_EQ(o.timing->cache, "warm");
}

// What the driver answers at each call, and what becomes of the candidate.
TEST_F(FaultTest, EveryFaultIsAValue) {
  struct Case {
    std::string faults;
    RunStatus status;
    std::string reason;
    bool fatal = false;
  };
  const Case cases[] = {
      {fault("cuInit", "fail", 0, 100), RunStatus::Launch,
       "`cuInit` failed: CUDA_ERROR_NO_DEVICE: injected fault", true},
      {fault("cuDeviceGetCount", "fail", 0, 999), RunStatus::Launch,
       "`cuDeviceGetCount` failed: CUDA_ERROR_UNKNOWN", true},
      {fault("cuDevicePrimaryCtxRetain", "fail", 1, 2), RunStatus::Launch,
       "`cuDevicePrimaryCtxRetain` failed: CUDA_ERROR_OUT_OF_MEMORY"},
      {fault("cuDevicePrimaryCtxRetain", "fail", 1, 46), RunStatus::Launch,
       "CUDA_ERROR_DEVICE_UNAVAILABLE", true},
      {fault("cuModuleLoadDataEx", "fail", 1, 218), RunStatus::Compile,
       "`cuModuleLoadDataEx` failed: CUDA_ERROR_INVALID_PTX: injected fault: "
       "ptxas : error : line 7: injected"},
      {fault("cuModuleLoadDataEx", "fail", 1, 2), RunStatus::Launch,
       "CUDA_ERROR_OUT_OF_MEMORY"},
      {fault("cuModuleGetFunction", "fail", 1, 500), RunStatus::Compile,
       "the module has no kernel `kernel`"},
      {fault("cuMemAlloc", "fail", 2, 2), RunStatus::Launch,
       "`cuMemAlloc` failed: CUDA_ERROR_OUT_OF_MEMORY"},
      {fault("cuMemcpyHtoD", "fail", 1, 1), RunStatus::Launch,
       "`cuMemcpyHtoD` failed: CUDA_ERROR_INVALID_VALUE"},
      {fault("cuLaunchKernel", "fail", 1, 701), RunStatus::Launch,
       "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {fault("cuLaunchKernel", "fail", 1, 1), RunStatus::Launch,
       "`cuLaunchKernel` failed: CUDA_ERROR_INVALID_VALUE"},
      {fault("cuCtxSynchronize", "fail", 1, 700), RunStatus::Sticky,
       "`cuCtxSynchronize` failed: CUDA_ERROR_ILLEGAL_ADDRESS"},
      {fault("cuCtxSynchronize", "fail", 1, 702), RunStatus::RunTimeout,
       "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {fault("cuCtxSynchronize", "fail", 1, 9999), RunStatus::Launch,
       "CUDA_ERROR_9999"},
      {fault("cuMemcpyDtoH", "fail", 1, 716), RunStatus::Sticky,
       "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {fault("cuEventCreate", "fail", 1, 2), RunStatus::Launch,
       "`cuEventCreate` failed"},
      {fault("cuEventElapsedTime", "fail", 1, 600), RunStatus::Launch,
       "`cuEventElapsedTime` failed: CUDA_ERROR_NOT_READY"},
      // After the check has passed, in the middle of timing.
      {fault("cuLaunchKernel", "fail", 9, 700), RunStatus::Sticky,
       "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {fault("cuLaunchKernel", "crash", 9), RunStatus::Sticky,
       "killed by signal 11 (Segmentation fault)"},
      {fault("cuModuleLoadDataEx", "crash"), RunStatus::Sticky,
       "killed by signal 11 (Segmentation fault)"},
      {fault("cuLaunchKernel", "abort"), RunStatus::Sticky,
       "killed by signal 6 (Aborted)"},
      // Ends as if all were well, without an answer.
      {fault("cuLaunchKernel", "exit"), RunStatus::Launch,
       "exited with code 0"},
      {fault("cuLaunchKernel", "wrong"), RunStatus::Wrong,
       "element 1023 of `C`: got "},
      {fault("cuLaunchKernel", "skip"), RunStatus::Wrong,
       "element 0 of `C`: never written, expected 0"},
      {fault("cuLaunchKernel", "overrun"), RunStatus::Wrong,
       "the kernel wrote 3 bytes after buffer `C`"},
      {fault("cuLaunchKernel", "input"), RunStatus::Wrong,
       "the kernel wrote to its input `A`, element 1"},
      // Right at first, wrong after 3 warm-ups and 20 samples.
      {fault("cuLaunchKernel", "wrong", 25), RunStatus::Wrong,
       "element 1023 of `C`: got "},
      // A driver that talks on standard output does not hide the answer.
      {fault("cuLaunchKernel", "flood"), RunStatus::Ok, ""},
  };
  for (const Case &c : cases) {
    RunOutcome o = run(c.faults);
    EXPECT_EQ(o.status, c.status) << c.faults << "\n" << o.reason;
    EXPECT_TRUE(contains(o.reason, c.reason)) << c.faults << "\n" << o.reason;
    EXPECT_EQ(o.fatal, c.fatal) << c.faults;
  }
}

TEST_F(FaultTest, HangsAreKilledAndToldApart) {
  RunOutcome o = run(fault("cuCtxSynchronize", "hang"), 2);
  EXPECT_EQ(o.status, RunStatus::RunTimeout);
  EXPECT_EQ(o.reason, "the run did not end in 2 s");
  EXPECT_LT(o.wallSeconds, 10);
  o = run(fault("cuModuleLoadDataEx", "hang"), 2);
  EXPECT_EQ(o.status, RunStatus::CompileTimeout);
  EXPECT_EQ(o.reason, "compiling the module did not end in 2 s");
}

TEST_F(FaultTest, NoisyTimes) {
  RunOutcome o = run("", 20, R"(,"jitter":10)");
  EXPECT_EQ(o.status, RunStatus::Noisy);
  EXPECT_TRUE(contains(o.reason, "samples spread by ")) << o.reason;
  EXPECT_TRUE(o.timing.has_value());
  o = run("", 20, R"(,"kernel_ms":0)");
  EXPECT_EQ(o.status, RunStatus::Noisy);
  EXPECT_EQ(o.reason, "the event timer gave 0 s for a launch");
}

// 0.4 us against a resolution of 0.5 us: a sample covers more launches when
// warm, and there are more samples when cold.
TEST_F(FaultTest, ShortKernelsGetMoreLaunches) {
  options = {"--warm"};
  RunOutcome o = run("", 20, R"(,"kernel_ms":0.0004)");
  ASSERT_TRUE(o.ok()) << o.reason;
  EXPECT_EQ(o.timing->launchesPerSample, 50);
  EXPECT_NEAR(o.timing->median, 0.4e-6, 1e-8);
  options = {};
  o = run("", 20, R"(,"kernel_ms":0.0004)");
  ASSERT_TRUE(o.ok()) << o.reason;
  EXPECT_EQ(o.timing->launchesPerSample, 1);
  EXPECT_EQ(o.timing->seconds.size(), 100u);
}

TEST_F(FaultTest, ModulesForOtherGpusAreRefused) {
  save("kernel.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n");
  RunOutcome o = run("");
  EXPECT_EQ(o.status, RunStatus::Constraint);
  EXPECT_EQ(o.reason,
            "the module is for `sm_90`, the device is `sm_80` "
            "(`a100-sxm4-80gb`); compile for it, or allow other GPUs");
  options = {"--allow-other-gpu"};
  EXPECT_TRUE(run("").ok());
}

TEST_F(FaultTest, LimitsOfTheDevice) {
  launch.kernels[0].block = {1024, 2, 1};
  save("launch.json", launch.toJson());
  RunOutcome o = run("");
  EXPECT_EQ(o.status, RunStatus::Constraint);
  EXPECT_EQ(o.reason, "kernel `kernel`: threads of a block: needs 2048, limit "
                      "1024");
  launch.kernels[0].block = {128, 1, 1};
  launch.kernels[0].dynamicSharedBytes = 170000;
  save("launch.json", launch.toJson());
  o = run("");
  EXPECT_EQ(o.status, RunStatus::Constraint);
  EXPECT_EQ(o.reason, "kernel `kernel`: dynamic shared memory of a block "
                      "(bytes): needs 170000, limit 166912");
  // Above 48 KiB the kernel is opted in; where that fails, it is said.
  launch.kernels[0].dynamicSharedBytes = 65536;
  save("launch.json", launch.toJson());
  EXPECT_TRUE(run("").ok());
  o = run(fault("cuFuncSetAttribute", "fail"));
  EXPECT_TRUE(contains(o.reason, "`cuFuncSetAttribute` failed")) << o.reason;
}

TEST_F(FaultTest, BadInputIsSaid) {
  save("launch.json", "{}");
  RunOutcome o = run("");
  EXPECT_EQ(o.status, RunStatus::Launch);
  EXPECT_TRUE(contains(o.reason, "launch.json: field `schema` is missing"))
      << o.reason;
  save("launch.json", launch.toJson());
  save("expected.bin", "short");
  o = run("");
  EXPECT_TRUE(contains(o.reason, "expected.bin: expected values of buffer 1"))
      << o.reason;
  std::filesystem::remove(folder + "/kernel.ptx");
  o = run("");
  EXPECT_TRUE(contains(o.reason, "kernel.ptx")) << o.reason;
  EXPECT_FALSE(o.fatal);
}

TEST_F(FaultTest, MissingRunnerIsFatal) {
  ChildRunRequest r;
  r.program = "/nonexistent/hwtune-run";
  RunOutcome o = runInChild(r);
  EXPECT_EQ(o.status, RunStatus::Launch);
  EXPECT_TRUE(o.fatal);
  EXPECT_EQ(
      o.reason,
      "cannot start `/nonexistent/hwtune-run`: No such file or directory");
}

// A whole search over bad candidates goes on, and only the good one wins.
TEST_F(FaultTest, NoBadCandidateEndsARun) {
  std::vector<std::string> candidates;
  for (const char *call : {"cuModuleLoadDataEx", "cuMemAlloc", "cuLaunchKernel",
                           "cuCtxSynchronize"})
    for (const char *what : {"fail", "crash", "abort", "exit"})
      candidates.push_back(fault(call, what));
  for (const char *what : {"wrong", "skip", "overrun", "input"})
    candidates.push_back(fault("cuLaunchKernel", what));
  candidates.push_back("");
  int good = 0;
  for (const std::string &candidate : candidates) {
    RunOutcome o = run(candidate);
    EXPECT_EQ(o.ok(), candidate.empty()) << candidate;
    EXPECT_FALSE(o.fatal) << candidate;
    good += o.ok();
  }
  EXPECT_EQ(good, 1);
}
