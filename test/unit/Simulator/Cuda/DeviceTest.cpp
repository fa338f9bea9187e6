//===- DeviceTest.cpp - what the device and its contexts are --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Cuda/Types.h"
#include "CudaTest.h"

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
/// The default target, compared with what its description says.
using DeviceTest = CudaTest;

int attribute(DeviceAttribute which) {
  int value = -1;
  EXPECT_CUDA(Success, driver().cuDeviceGetAttribute(&value, which, 0));
  return value;
}

TEST_F(DeviceTest, PropertiesAreTheAttributes) {
  DeviceProperties p;
  EXPECT_CUDA(Success, invoke("cuDeviceGetProperties", &p, Device(0)));
  EXPECT_EQ(p.maxThreadsPerBlock,
            attribute(DeviceAttribute::MaxThreadsPerBlock));
  EXPECT_EQ(p.maxThreadsDim[2], attribute(DeviceAttribute::MaxBlockDimZ));
  EXPECT_EQ(p.maxGridSize[1], attribute(DeviceAttribute::MaxGridDimY));
  EXPECT_EQ(p.sharedMemPerBlock,
            attribute(DeviceAttribute::MaxSharedMemoryPerBlock));
  EXPECT_EQ(p.totalConstantMemory, 65536);
  EXPECT_EQ(p.simdWidth, 32);
  EXPECT_EQ(p.regsPerBlock, attribute(DeviceAttribute::MaxRegistersPerBlock));
  EXPECT_EQ(p.clockRate, attribute(DeviceAttribute::ClockRate));
  EXPECT_EQ(p.textureAlign, attribute(DeviceAttribute::TextureAlignment));
  EXPECT_CUDA(InvalidDevice, invoke("cuDeviceGetProperties", &p, Device(1)));
  int major = 0, minor = 0;
  EXPECT_CUDA(Success,
              invoke("cuDeviceComputeCapability", &major, &minor, Device(0)));
  EXPECT_EQ(major, attribute(DeviceAttribute::ComputeCapabilityMajor));
  EXPECT_EQ(minor, attribute(DeviceAttribute::ComputeCapabilityMinor));
}

/// Programs divide by these.
TEST_F(DeviceTest, NothingToDivideByIsZero) {
  for (DeviceAttribute which :
       {DeviceAttribute::TextureAlignment, DeviceAttribute::SurfaceAlignment,
        DeviceAttribute::TexturePitchAlignment, DeviceAttribute::MaxPitch,
        DeviceAttribute::MemoryClockRate, DeviceAttribute::GlobalMemoryBusWidth,
        DeviceAttribute::ClockRate, DeviceAttribute::L2CacheSize,
        DeviceAttribute::AsyncEngineCount})
    EXPECT_GT(attribute(which), 0) << int(which);
}

TEST_F(DeviceTest, IsFoundByItsPlaceOnTheBus) {
  char place[32];
  EXPECT_CUDA(Success, invoke("cuDeviceGetPCIBusId", place, 32, Device(0)));
  Device found = 7;
  EXPECT_CUDA(Success, invoke("cuDeviceGetByPCIBusId", &found,
                              static_cast<const char *>(place)));
  EXPECT_EQ(found, 0);
  EXPECT_CUDA(InvalidDevice,
              invoke("cuDeviceGetByPCIBusId", &found, "0000:17:00.0"));
  EXPECT_CUDA(InvalidValue, invoke("cuDeviceGetPCIBusId", place, 4, Device(0)));
  Uuid first{}, again{};
  EXPECT_CUDA(Success, invoke("cuDeviceGetUuid", &first, Device(0)));
  EXPECT_CUDA(Success, invoke("cuDeviceGetUuid_v2", &again, Device(0)));
  EXPECT_EQ(std::memcmp(&first, &again, sizeof first), 0);
  EXPECT_NE(first.bytes[0], 0);
  int can = 1;
  EXPECT_CUDA(Success,
              invoke("cuDeviceCanAccessPeer", &can, Device(0), Device(0)));
  EXPECT_EQ(can, 0);
  EXPECT_CUDA(InvalidDevice,
              invoke("cuDeviceCanAccessPeer", &can, Device(0), Device(1)));
}

TEST_F(DeviceTest, ContextsSayWhatTheyWereMadeWith) {
  constexpr unsigned kBlockingSync = 4;
  Context other = nullptr;
  EXPECT_CUDA(Success,
              invoke("cuCtxCreate_v2", &other, kBlockingSync, Device(0)));
  unsigned flags = 0, version = 0;
  EXPECT_CUDA(Success, invoke("cuCtxGetFlags", &flags));
  EXPECT_EQ(flags, kBlockingSync);
  unsigned long long mine = 0, others = 0;
  EXPECT_CUDA(Success, invoke("cuCtxGetId", context, &mine));
  EXPECT_CUDA(Success, invoke("cuCtxGetId", Context(nullptr), &others));
  EXPECT_NE(mine, others); // null asks for the current one
  EXPECT_CUDA(Success, invoke("cuCtxGetApiVersion", other, &version));
  EXPECT_EQ(version, 3020u);
  Device device = 7;
  EXPECT_CUDA(Success, invoke("cuCtxGetDevice", &device));
  EXPECT_EQ(device, 0);
  EXPECT_CUDA(Success, invoke("cuCtxDestroy_v2", other));
  EXPECT_CUDA(InvalidContext, invoke("cuCtxGetApiVersion", other, &version));
  EXPECT_CUDA(ContextIsDestroyed, invoke("cuCtxGetId", other, &others));
}

TEST_F(DeviceTest, PreferencesOfCachesAreKept) {
  constexpr int kPreferShared = 1, kPreferL1 = 2, kFourByteBanks = 1;
  int config = 9;
  EXPECT_CUDA(Success, invoke("cuCtxSetCacheConfig", kPreferL1));
  EXPECT_CUDA(Success, invoke("cuCtxGetCacheConfig", &config));
  EXPECT_EQ(config, kPreferL1);
  EXPECT_CUDA(InvalidValue, invoke("cuCtxSetCacheConfig", 4));
  EXPECT_CUDA(Success, invoke("cuCtxSetSharedMemConfig", 2));
  EXPECT_CUDA(Success, invoke("cuCtxGetSharedMemConfig", &config));
  EXPECT_EQ(config, kFourByteBanks); // there are no others since sm_50
  EXPECT_CUDA(InvalidValue, invoke("cuCtxSetSharedMemConfig", 3));
  Function f = function(load(kVectorAdd), "vector_add");
  EXPECT_CUDA(Success, invoke("cuFuncSetCacheConfig", f, kPreferShared));
  EXPECT_CUDA(InvalidValue, invoke("cuFuncSetCacheConfig", f, -1));
  EXPECT_CUDA(Success, invoke("cuFuncSetSharedMemConfig", f, 1));
  EXPECT_CUDA(InvalidHandle,
              invoke("cuFuncSetCacheConfig", Function(nullptr), 0));
}

TEST_F(DeviceTest, ResetEmptiesThePrimaryContext) {
  constexpr unsigned kYield = 2;
  Context primary = nullptr;
  unsigned flags = 0;
  int active = -1;
  auto state = [&] {
    return invoke("cuDevicePrimaryCtxGetState", Device(0), &flags, &active);
  };
  EXPECT_CUDA(Success, state());
  EXPECT_EQ(active, 0);
  EXPECT_CUDA(Success,
              invoke("cuDevicePrimaryCtxSetFlags_v2", Device(0), kYield));
  EXPECT_CUDA(InvalidValue,
              invoke("cuDevicePrimaryCtxSetFlags_v2", Device(0), 7u));
  EXPECT_CUDA(Success, driver().cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_CUDA(Success, driver().cuCtxPushCurrent(primary));
  EXPECT_CUDA(Success, state());
  EXPECT_EQ(active, 1);
  EXPECT_EQ(flags, kYield);
  // A fault is sticky until the reset, which also frees what was allocated.
  DevicePtr memory = upload({1, 2});
  EXPECT_CUDA(Success, launch(function(load(kVectorAdd), "traps"), 1, 1, {}));
  EXPECT_CUDA(LaunchFailed, driver().cuCtxSynchronize());
  EXPECT_CUDA(Success, invoke("cuDevicePrimaryCtxReset_v2", Device(0)));
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
  EXPECT_CUDA(InvalidValue, driver().cuMemFree(memory));
  EXPECT_CUDA(Success, driver().cuCtxPopCurrent(&primary));
  EXPECT_CUDA(Success, driver().cuDevicePrimaryCtxRelease(0));
  EXPECT_CUDA(Success, invoke("cuDevicePrimaryCtxSetFlags", Device(0), 0u));
}

/// There is no profiler, and switching it on and off is no error.
TEST_F(DeviceTest, ProfilersAreSwitchedOnAndOff) {
  EXPECT_CUDA(Success, invoke("cuProfilerStart"));
  EXPECT_CUDA(Success, invoke("cuProfilerStop"));
  EXPECT_CUDA(NotSupported, invoke("cuProfilerInitialize", "a", "b", 0));
}

/// A child of an initialised process has no driver, as documented for fork;
/// it must not wait for a lock that was held while it was made.
TEST_F(DeviceTest, AForkHasNoDriver) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    int count = 0;
    bool right = driver().cuInit(0) == Result::NotInitialized &&
                 driver().cuDeviceGetCount(&count) == Result::NotInitialized &&
                 driver().cuCtxSynchronize() == Result::NotInitialized;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
}
} // namespace
