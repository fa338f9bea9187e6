//===- ConfigTest.cpp - choosing the simulated GPU ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "hwtune/Target/KnownTargets.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
struct Configure : CudaTest {
  std::string words(const char *json) {
    const char *why = driver().simConfigure(json);
    return why ? why : "";
  }
};

TEST_F(Configure, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(words("5"), "settings of the simulated GPU are not a JSON object");
  EXPECT_EQ(words("{"), "settings of the simulated GPU are not a JSON object");
  EXPECT_EQ(words(nullptr), "settings of the simulated GPU are null");
  EXPECT_EQ(words(R"({"colour":1})"),
            "`colour` is not a setting of the simulated GPU, expected target, "
            "mode, check, blocks, "
            "whole_grid, watchdog, registers, spill_bytes or launch");
  EXPECT_EQ(words(R"({"launch":"hot"})"),
            "`launch` is \"hot\", expected \"stream\", \"cold\" or \"warm\"");
  EXPECT_EQ(words(R"({"launch":"stream"})"), "");
  EXPECT_EQ(words(R"({"mode":"fast"})"),
            "`mode` is \"fast\", expected \"functional\" or \"timed\"");
  EXPECT_EQ(words(R"({"check":1})"), "`check` is 1, expected true or false");
  EXPECT_EQ(words(R"({"watchdog":-1})"),
            "`watchdog` is -1, expected an integer of 0 or more");
  EXPECT_EQ(words(R"({"registers":5000000000})"),
            "`registers` is 5000000000, expected an integer of 0 or more");
  EXPECT_EQ(words(R"({"blocks":[[1,2]]})"),
            "`blocks` is [[1,2]], expected a list of [x, y, z]");
  EXPECT_EQ(words(R"({"blocks":[[1,2,-3]]})"),
            "`blocks` is [[1,2,-3]], expected a list of [x, y, z]");
  EXPECT_EQ(words(R"({"target":7})"),
            "`target` is 7, expected an id or a file name");
  // The driver has been initialised.
  EXPECT_EQ(words(R"({"target":"h100-sxm"})"),
            "`target` is `h100-sxm`, but the driver is already initialised as "
            "`a100-sxm4-80gb`");
  EXPECT_EQ(words(R"({"target":"a100-sxm4-80gb"})"), "");
}

TEST_F(Configure, AttributesAreTheTargets) {
  TargetSpec a100 = *knownTarget("a100-sxm4-80gb");
  auto attribute = [](DeviceAttribute which) {
    int value = -1;
    EXPECT_CUDA(Success, driver().cuDeviceGetAttribute(&value, which, 0));
    return value;
  };
  EXPECT_EQ(attribute(DeviceAttribute::MultiprocessorCount), 108);
  EXPECT_EQ(attribute(DeviceAttribute::ComputeCapabilityMajor), 8);
  EXPECT_EQ(attribute(DeviceAttribute::ComputeCapabilityMinor), 0);
  EXPECT_EQ(attribute(DeviceAttribute::MaxSharedMemoryPerBlock), 49152);
  EXPECT_EQ(attribute(DeviceAttribute::MaxSharedMemoryPerBlockOptin),
            163 * 1024);
  EXPECT_EQ(attribute(DeviceAttribute::MaxThreadsPerMultiprocessor), 2048);
  EXPECT_EQ(attribute(DeviceAttribute::WarpSize), 32);
  EXPECT_EQ(attribute(DeviceAttribute::L2CacheSize), a100.l2Bytes);
  EXPECT_EQ(attribute(DeviceAttribute::ClockRate), int(a100.clockMHz * 1000));
  int unused = 0;
  EXPECT_CUDA(InvalidValue,
              driver().cuDeviceGetAttribute(&unused, DeviceAttribute(9999), 0));
  EXPECT_CUDA(InvalidDevice, driver().cuDeviceGetAttribute(
                                 &unused, DeviceAttribute::WarpSize, 1));
  char name[64];
  EXPECT_CUDA(Success, driver().cuDeviceGetName(name, sizeof name, 0));
  EXPECT_EQ(name, a100.name);
  EXPECT_CUDA(Success, driver().cuDeviceGetName(name, 4, 0));
  EXPECT_EQ(name, a100.name.substr(0, 3));
}

TEST_F(Configure, OnlyTheBlocksThatWereAskedForRun) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 128;
  DevicePtr a = upload(std::vector<float>(n, 2)),
            c = upload(std::vector<float>(n, 0));
  EXPECT_EQ(words(R"({"blocks":[[2,0,0]]})"), "");
  EXPECT_CUDA(Success, launch(add, 4, 32, {&a, &a, &c, &n}));
  EXPECT_EQ(words(R"({"blocks":[]})"), "");
  std::vector<float> got = download(c, n);
  for (unsigned i = 0; i < n; ++i)
    ASSERT_EQ(got[i], i / 32 == 2 ? 4 : 0) << i;
}

TEST_F(Configure, TimedLaunchesTakeTheModelsTime) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 1 << 16;
  DevicePtr a = upload(std::vector<float>(n, 2)),
            c = upload(std::vector<float>(n, 0));
  auto *report = entry<const char *()>("hwtuneSimLastReport");
  EXPECT_EQ(words(R"({"mode":"timed","whole_grid":true})"), "");
  Event begin, end;
  EXPECT_CUDA(Success, driver().cuEventCreate(&begin, 0));
  EXPECT_CUDA(Success, driver().cuEventCreate(&end, 0));
  EXPECT_CUDA(Success, driver().cuEventRecord(begin, nullptr));
  EXPECT_CUDA(Success, launch(add, n / 256, 256, {&a, &a, &c, &n}));
  EXPECT_CUDA(Success, driver().cuEventRecord(end, nullptr));
  EXPECT_EQ(words(R"({"mode":"functional"})"), "");
  float ms = 0;
  EXPECT_CUDA(Success, driver().cuEventElapsedTime(&ms, begin, end));
  // More than the launch alone, less than a hundred times what DRAM needs.
  double dramMs = 3.0 * n * 4 / (knownTarget("a100-sxm4-80gb")->dramGBs * 1e6);
  EXPECT_GT(ms, dramMs / 3);
  EXPECT_LT(ms, 100 * dramMs);
  EXPECT_NE(std::string(report()).find("\"mode\":\"timed\""), std::string::npos)
      << report();
  EXPECT_EQ(download(c, n)[n - 1], 4); // the whole grid ran
}
} // namespace
