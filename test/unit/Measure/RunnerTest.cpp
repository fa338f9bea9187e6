//===- RunnerTest.cpp - parts of the runner that need no device -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Runner.h"
#include "hwtune/Measure/Device.h"
#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Measure/Statistics.h"
#include "hwtune/Target/LiveDevice.h"

#include <gtest/gtest.h>

#include <array>

using namespace hwtune;

TEST(Statistics, Quantiles) {
  std::array<double, 5> samples = {5, 1, 4, 2, 3};
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.2), 1.8);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.8), 4.2);
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 5);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(PtxTarget, FirstWordOfTheDirective) {
  EXPECT_EQ(ptxTarget(".version 8.0\n.target sm_80\n"), "sm_80");
  EXPECT_EQ(ptxTarget("// .target sm_70\n\t.target sm_90a, debug\n"), "sm_90a");
  EXPECT_EQ(ptxTarget(".target sm_75// x"), "sm_75");
  EXPECT_EQ(ptxTarget(".version 8.0\n"), "");
  EXPECT_EQ(ptxTarget(""), "");
  EXPECT_EQ(ptxTarget(".target"), "");
}

TEST(RunOutcome, RoundTrip) {
  RunOutcome o = RunOutcome::failure(RunStatus::Noisy, "too \"noisy\"\n");
  o.label = "measured";
  o.device = "GPU";
  o.target = "t4";
  o.fatal = true;
  o.driverVersion = 12080;
  o.registers = 40;
  o.localBytes = 0;
  o.verify = VerifyRecord{10, 1, 0.5, 0.25, true};
  TimingRecord t;
  t.seconds = {1e-3, 2e-3};
  t.median = 1.5e-3;
  t.launchesPerSample = 7;
  t.cache = "warm";
  o.timing = t;
  std::string text = o.toJson();
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
  auto again = RunOutcome::fromJson(text);
  ASSERT_TRUE(bool(again)) << again.error().message;
  EXPECT_EQ(again->toJson(), text);
  EXPECT_EQ(again->status, RunStatus::Noisy);
  EXPECT_EQ(again->verify->bad, 1);
  EXPECT_EQ(again->timing->seconds[1], 2e-3);
  EXPECT_FALSE(again->sharedBytes);
}

TEST(RunOutcome, StatusNamesAreThoseOfTheRecords) {
  for (const char *name :
       {"ok", "constraint", "compile", "compile_timeout", "launch",
        "run_timeout", "sticky", "wrong", "noisy"}) {
    auto status = parseRunStatus(name);
    ASSERT_TRUE(status) << name;
    EXPECT_EQ(toString(*status), name);
  }
  EXPECT_FALSE(parseRunStatus("good"));
}

TEST(RunOutcome, Garbage) {
  for (const char *text : {"", "{}", "[1]", "{\"schema\":1,\"status\":\"x\"}"})
    EXPECT_FALSE(RunOutcome::fromJson(text)) << text;
}

TEST(DeviceName, Forms) {
  auto kind = [](const char *text) {
    auto name = parseDeviceName(text);
    EXPECT_TRUE(bool(name)) << text;
    EXPECT_EQ(name->str(), text);
    return name->kind;
  };
  EXPECT_EQ(kind("cuda:0"), DeviceName::Kind::Cuda);
  EXPECT_EQ(kind("sim:t4"), DeviceName::Kind::Sim);
  EXPECT_EQ(kind("sim:a/b.json"), DeviceName::Kind::Sim);
  EXPECT_EQ(kind("replay:x.jsonl"), DeviceName::Kind::Replay);
  EXPECT_EQ(kind("model"), DeviceName::Kind::Model);
  EXPECT_EQ(kind("/usr/lib/libcuda.so.1"), DeviceName::Kind::Library);
  EXPECT_EQ(parseDeviceName("cuda:3")->ordinal, 3);
  for (const char *text : {"", "cuda", "cuda:", "cuda:-1", "cuda:x", "gpu",
                           "sim:", "replay:", "cuda:99999999999"})
    EXPECT_FALSE(parseDeviceName(text)) << text;
  EXPECT_EQ(parseDeviceName("gpu").error().message,
            "device `gpu`: expected `cuda:N`, `sim:<target id or file>`, "
            "`replay:<file>`, `model` or the path of a driver library");
}

TEST(OpenDevice, Refusals) {
  auto error = [](const char *text, OpenOptions options = {}) {
    auto device = openDevice(*parseDeviceName(text), options);
    return device ? "no error" : device.error().str();
  };
  EXPECT_EQ(error("model"), "device `model`: runs no kernels");
  EXPECT_EQ(error("sim:amd-w6600"),
            "target `amd-w6600` (amd gfx1032, gpu) cannot run PTX: only NVIDIA "
            "GPUs can; it can be attached, enumerated and scored");
  EXPECT_EQ(error("sim:t4", {HWTUNE_FAULTY_DRIVER, "", true}),
            "`" HWTUNE_FAULTY_DRIVER "` is no simulated driver: it lacks the "
            "symbol `hwtuneSimConfigure`");
  OpenOptions bad;
  bad.driverConfig = "{\"x\": 1}";
  EXPECT_NE(error(HWTUNE_FAULTY_DRIVER, bad).find("unknown field `x`"),
            std::string::npos);
  EXPECT_NE(findTool("no-such-tool")
                .error()
                .message.find("cannot find `no-such-tool`; looked in `"),
            std::string::npos);
}

// What the driver does not tell comes from the table, or from a relative.
TEST(LiveDevice, KnownAndUnknownDevices) {
  OpenOptions options;
  auto known = openDevice(*parseDeviceName(HWTUNE_FAULTY_DRIVER), options);
  ASSERT_TRUE(bool(known)) << known.error().message;
  EXPECT_EQ(known->spec.id, "a100-sxm4-80gb");
  EXPECT_EQ(known->spec.smCount, 108);
  EXPECT_DOUBLE_EQ(known->spec.clockMHz, 1410);
  EXPECT_EQ(known->spec.basis.at("sm_count").note, "read from the driver");
  EXPECT_DOUBLE_EQ(known->spec.dramGBs, 2039);
  EXPECT_EQ(known->spec.basis.at("l2_latency").basis, Basis::Measured);
}

TEST(LiveDevice, UnknownDeviceBorrowsFromARelative) {
  OpenOptions options;
  options.driverConfig = R"({"name": "NVIDIA Secret 9000"})";
  auto device = openDevice(*parseDeviceName(HWTUNE_FAULTY_DRIVER), options);
  ASSERT_TRUE(bool(device)) << device.error().message;
  EXPECT_EQ(device->spec.id, "nvidia-secret-9000");
  EXPECT_EQ(device->spec.arch, "sm_80");
  EXPECT_EQ(device->spec.basis.at("sm_count").basis, Basis::VendorTable);
  EXPECT_EQ(device->spec.basis.at("l2_latency").basis, Basis::Proxy);
  EXPECT_EQ(device->spec.basis.at("l2_latency").note, "a100-sxm4-40gb");
}

TEST(LiveDevice, ContradictionsAreSaid) {
  // 163 KiB of shared memory a block do not go with compute capability 8.6.
  OpenOptions options;
  options.driverConfig = R"({"name": "NVIDIA Secret 9000", "minor": 6})";
  auto device = openDevice(*parseDeviceName(HWTUNE_FAULTY_DRIVER), options);
  ASSERT_FALSE(device);
  EXPECT_EQ(
      device.error().message,
      "device `NVIDIA Secret 9000` (compute capability 8.6) cannot be "
      "described: field `shared_per_block_optin`: value 166912, expected "
      "at most `shared_per_sm` (102400); write a description file for it");
}
