//===- WrongUseTest.cpp - the documented code for each wrong use ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <cstring>
#include <thread>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
struct WrongUse : CudaTest {};

template <typename T> T foreign() {
  return reinterpret_cast<T>(uintptr_t(0x1234560));
}

TEST_F(WrongUse, NullPointers) {
  const DriverTable &d = driver();
  Module module = load(kVectorAdd);
  EXPECT_CUDA(InvalidValue, d.cuDriverGetVersion(nullptr));
  EXPECT_CUDA(InvalidValue, d.cuDeviceGetCount(nullptr));
  EXPECT_CUDA(InvalidValue, d.cuDeviceGet(nullptr, 0));
  EXPECT_CUDA(InvalidValue, d.cuDeviceGetName(nullptr, 10, 0));
  EXPECT_CUDA(InvalidValue,
              d.cuDeviceGetAttribute(nullptr, DeviceAttribute::WarpSize, 0));
  EXPECT_CUDA(InvalidValue, d.cuModuleLoadData(nullptr, kVectorAdd));
  EXPECT_CUDA(InvalidValue, d.cuModuleLoadData(&module, nullptr));
  EXPECT_CUDA(InvalidValue,
              d.cuModuleGetFunction(nullptr, module, "vector_add"));
  Function f;
  EXPECT_CUDA(InvalidValue, d.cuModuleGetFunction(&f, module, nullptr));
  EXPECT_CUDA(InvalidValue, d.cuMemAlloc(nullptr, 4));
  EXPECT_CUDA(InvalidValue, d.cuStreamCreate(nullptr, 0));
  EXPECT_CUDA(InvalidValue, d.cuEventCreate(nullptr, 0));
  EXPECT_CUDA(InvalidValue, d.cuGetErrorName(Result::Success, nullptr));
  DevicePtr p = upload({1});
  EXPECT_CUDA(InvalidValue, d.cuMemcpyHtoD(p, nullptr, 4));
  EXPECT_CUDA(InvalidValue, d.cuMemcpyDtoH(nullptr, p, 4));
  EXPECT_CUDA(InvalidValue, d.cuMemcpyHtoD(0, &p, 4));
}

TEST_F(WrongUse, ForeignAndFreedHandles) {
  const DriverTable &d = driver();
  Module module = load(kVectorAdd);
  Function f = function(module, "vector_add"), g;
  EXPECT_CUDA(NotFound, d.cuModuleGetFunction(&g, module, "nothing"));
  EXPECT_CUDA(InvalidHandle,
              d.cuModuleGetFunction(&g, foreign<Module>(), "vector_add"));
  EXPECT_CUDA(Success, d.cuModuleUnload(module));
  EXPECT_CUDA(InvalidHandle, d.cuModuleUnload(module));
  EXPECT_CUDA(InvalidHandle, d.cuModuleGetFunction(&g, module, "vector_add"));
  // A function dies with its module.
  EXPECT_CUDA(InvalidHandle, launch(f, 1, 1, {}));
  EXPECT_CUDA(InvalidHandle, launch(foreign<Function>(), 1, 1, {}));
  Event event;
  EXPECT_CUDA(Success, d.cuEventCreate(&event, 0));
  EXPECT_CUDA(Success, d.cuEventDestroy(event));
  EXPECT_CUDA(InvalidHandle, d.cuEventDestroy(event));
  EXPECT_CUDA(InvalidHandle, d.cuEventRecord(event, nullptr));
  EXPECT_CUDA(InvalidHandle, d.cuStreamDestroy(foreign<Stream>()));
  EXPECT_CUDA(InvalidHandle, d.cuStreamWaitEvent(nullptr, event, 0));
  DevicePtr p = upload({1});
  EXPECT_CUDA(InvalidValue, d.cuMemFree(p + 4));
  EXPECT_CUDA(Success, d.cuMemFree(p));
  EXPECT_CUDA(InvalidValue, d.cuMemFree(p));
  EXPECT_CUDA(Success, d.cuMemFree(0));
}

TEST_F(WrongUse, CopiesPastAnAllocation) {
  const DriverTable &d = driver();
  std::vector<float> host(8);
  DevicePtr p = upload(std::vector<float>(4));
  EXPECT_CUDA(Success, d.cuMemcpyHtoD(p, host.data(), 16));
  EXPECT_CUDA(InvalidValue, d.cuMemcpyHtoD(p, host.data(), 17));
  EXPECT_CUDA(InvalidValue, d.cuMemcpyHtoD(p + 1, host.data(), 16));
  EXPECT_CUDA(InvalidValue, d.cuMemcpyDtoH(host.data(), p + 12, 8));
  EXPECT_CUDA(InvalidValue, d.cuMemcpyDtoD(p, p + 8, 12));
  EXPECT_CUDA(InvalidValue,
              d.cuMemcpy(p, DevicePtr(uintptr_t(host.data())), 32));
  EXPECT_CUDA(Success, d.cuMemcpy(p, DevicePtr(uintptr_t(host.data())), 16));
  EXPECT_CUDA(InvalidValue, d.cuMemsetD32(p, 1, 5));
  EXPECT_CUDA(InvalidValue, d.cuMemsetD32(p + 2, 1, 1));
  EXPECT_CUDA(Success, d.cuMemsetD32(p, 1, 4));
  EXPECT_CUDA(Success, d.cuMemcpyHtoD(p, host.data(), 0));
}

TEST_F(WrongUse, MemoryIsExhausted) {
  const DriverTable &d = driver();
  size_t free = 0, total = 0, bytes = 0;
  EXPECT_CUDA(Success, d.cuMemGetInfo(&free, &total));
  EXPECT_CUDA(Success, d.cuDeviceTotalMem(&bytes, 0));
  EXPECT_EQ(total, bytes);
  DevicePtr first = 0, second = 0;
  EXPECT_CUDA(OutOfMemory, d.cuMemAlloc(&first, total + 1));
  EXPECT_CUDA(Success, d.cuMemAlloc(&first, total / 2));
  EXPECT_CUDA(OutOfMemory, d.cuMemAlloc(&second, total / 2 + 1));
  EXPECT_EQ(first % 256, 0u);
  EXPECT_CUDA(Success, d.cuMemFree(first));
  EXPECT_CUDA(InvalidValue, d.cuMemAlloc(&first, 0));
  size_t after = 0;
  EXPECT_CUDA(Success, d.cuMemGetInfo(&after, &total));
  EXPECT_EQ(after, free);
}

TEST_F(WrongUse, LaunchesOutsideTheLimits) {
  Module module = load(kVectorAdd);
  Function bounded = function(module, "bounded"),
           add = function(module, "vector_add");
  const DriverTable &d = driver();
  DevicePtr p = upload({1});
  unsigned n = 0;
  std::vector<void *> params{&p, &p, &p, &n};
  EXPECT_CUDA(InvalidValue, launch(add, 1, 1025, params));
  EXPECT_CUDA(InvalidValue, launch(add, 0, 32, params));
  EXPECT_CUDA(InvalidValue, launch(add, 1, 0, params));
  EXPECT_CUDA(InvalidValue, d.cuLaunchKernel(add, 1, 65536, 1, 32, 1, 1, 0,
                                             nullptr, params.data(), nullptr));
  EXPECT_CUDA(InvalidValue, d.cuLaunchKernel(add, 1, 1, 1, 1, 1, 65, 0, nullptr,
                                             params.data(), nullptr));
  EXPECT_CUDA(InvalidValue, d.cuLaunchKernel(add, 1, 1, 1, 64, 32, 1, 0,
                                             nullptr, params.data(), nullptr));
  EXPECT_CUDA(InvalidValue, d.cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                             nullptr, nullptr));
  EXPECT_CUDA(InvalidValue, launch(add, 1, 32, {&p, &p, nullptr, &n}));
  EXPECT_CUDA(InvalidHandle, launch(add, 1, 32, params, 0, foreign<Stream>()));
  EXPECT_CUDA(Success, launch(bounded, 1, 64, {&p}));
  EXPECT_CUDA(InvalidValue, launch(bounded, 1, 65, {&p}));
  EXPECT_CUDA(Success, d.cuCtxSynchronize());
}

/// CU_CTX_SCHED_SPIN, _YIELD and _BLOCKING_SYNC exclude each other.
TEST_F(WrongUse, FlagsOfContexts) {
  auto *create = entry<Result(Context *, unsigned, Device)>("cuCtxCreate_v2");
  auto *destroy = entry<Result(Context)>("cuCtxDestroy_v2");
  for (unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u, 12u}) {
    Context other = nullptr;
    EXPECT_CUDA(Success, create(&other, flags, 0));
    EXPECT_CUDA(Success, destroy(other));
  }
  Context other = nullptr;
  for (unsigned flags : {3u, 7u, 0x100u})
    EXPECT_CUDA(InvalidValue, create(&other, flags, 0));
}

TEST_F(WrongUse, LaunchesThatDoNotFit) {
  Module module = load(kVectorAdd);
  Function add = function(module, "vector_add");
  DevicePtr p = upload({1});
  unsigned n = 0;
  std::vector<void *> params{&p, &p, &p, &n};
  auto *configure = entry<const char *(const char *)>("hwtuneSimConfigure");
  // 1024 threads of 128 registers need 131072; a block may have 65536.
  EXPECT_EQ(configure(R"({"registers":128})"), nullptr);
  EXPECT_CUDA(LaunchOutOfResources, launch(add, 1, 1024, params));
  int threads = 0;
  EXPECT_CUDA(Success,
              driver().cuFuncGetAttribute(
                  &threads, FunctionAttribute::MaxThreadsPerBlock, add));
  EXPECT_EQ(threads, 512);
  EXPECT_CUDA(Success, launch(add, 1, 512, params));
  EXPECT_EQ(configure(R"({"registers":0})"), nullptr);
  // All blocks of a cooperative launch are resident: 2 of 1024 threads on each
  // of 108 SMs.
  auto *cooperative =
      entry<Result(Function, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, Stream, void **)>(
          "cuLaunchCooperativeKernel");
  EXPECT_CUDA(Success, cooperative(add, 216, 1, 1, 1024, 1, 1, 0, nullptr,
                                   params.data()));
  constexpr int kCooperativeTooLarge = 720;
  EXPECT_EQ(
      int(cooperative(add, 217, 1, 1, 1024, 1, 1, 0, nullptr, params.data())),
      kCooperativeTooLarge);
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
}

TEST_F(WrongUse, NoContextOrADestroyedOne) {
  const DriverTable &d = driver();
  auto *create = entry<Result(Context *, unsigned, Device)>("cuCtxCreate_v2");
  auto *destroy = entry<Result(Context)>("cuCtxDestroy_v2");
  DevicePtr p;
  std::thread([&] { // a thread begins without a context
    EXPECT_CUDA(InvalidContext, d.cuMemAlloc(&p, 4));
    EXPECT_CUDA(InvalidContext, d.cuCtxSynchronize());
    EXPECT_CUDA(InvalidContext, d.cuCtxPopCurrent(nullptr));
    EXPECT_CUDA(InvalidContext, d.cuCtxSetCurrent(foreign<Context>()));
    EXPECT_CUDA(InvalidContext, d.cuCtxPushCurrent(foreign<Context>()));
    Context own, seen;
    EXPECT_CUDA(Success, create(&own, 0, 0));
    EXPECT_CUDA(Success, d.cuCtxGetCurrent(&seen));
    EXPECT_EQ(own, seen);
    EXPECT_CUDA(Success, d.cuMemAlloc(&p, 4));
    std::thread([&] { EXPECT_CUDA(Success, destroy(own)); }).join();
    EXPECT_CUDA(ContextIsDestroyed, d.cuMemAlloc(&p, 4));
    EXPECT_CUDA(InvalidContext, destroy(own));
  })
      .join();
  EXPECT_CUDA(InvalidDevice, create(&context, 0, 1));
  Context primary, again;
  EXPECT_CUDA(Success, d.cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT_CUDA(Success, d.cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(primary, again);
  EXPECT_CUDA(InvalidContext, destroy(primary));
  EXPECT_CUDA(Success, d.cuDevicePrimaryCtxRelease(0));
  EXPECT_CUDA(Success, d.cuDevicePrimaryCtxRelease(0));
  EXPECT_CUDA(InvalidContext, d.cuDevicePrimaryCtxRelease(0));
}

TEST_F(WrongUse, ImagesThatDoNotLoad) {
  const DriverTable &d = driver();
  struct Case {
    const char *image;
    Result code;
    const char *log;
  } cases[] = {
      {"", Result::InvalidImage, "image is empty"},
      {"nonsense", Result::InvalidPtx,
       "ptx:1:1: error: expected `.version` first, found `nonsense`"},
      {".version 8.0\n.target sm_80\n.entry k() { add.s32 1; }",
       Result::InvalidPtx,
       "ptx:3:14: error: `add.s32` has 1 operands, expected 3"},
      {".version 8.0\n.target sm_80\n.entry k() { no.such.thing; }",
       Result::InvalidPtx, "no.such.thing"},
      {".version 99.0\n.target sm_80\n", Result::UnsupportedPtxVersion,
       "PTX version 99.0"},
      {".version 10.0\n.target sm_80\n", Result::UnsupportedPtxVersion,
       "PTX version 10.0"},
      {".version 9.9\n.target sm_80\n", Result::Success, ""},
      {".version 8.0\n.target sm_90\n", Result::NoBinaryForGpu,
       "`.target sm_90` does not run on sm_80"},
      {".version 8.0\n.target sm_75\n", Result::Success, ""},
      {"\177ELF...", Result::NoBinaryForGpu, "image is machine code"},
  };
  for (const Case &c : cases) {
    char log[256] = "untouched";
    JitOption options[] = {JitOption::ErrorLogBuffer,
                           JitOption::ErrorLogBufferSizeBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    Module module = nullptr;
    Result got = d.cuModuleLoadDataEx(&module, c.image, 2, options, values);
    EXPECT_STREQ(resultName(got), resultName(c.code)) << c.image;
    EXPECT_NE(std::string(log).find(c.log), std::string::npos) << log;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(values[1]),
              *log ? std::strlen(log) + 1 : 0);
  }
  // A log that is too small is cut, and ends in its NUL.
  char log[5];
  JitOption options[] = {JitOption::ErrorLogBuffer,
                         JitOption::ErrorLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  Module module = nullptr;
  EXPECT_CUDA(InvalidPtx,
              d.cuModuleLoadDataEx(&module, "nonsense", 2, options, values));
  EXPECT_STREQ(log, "ptx:");
  EXPECT_CUDA(FileNotFound, entry<Result(Module *, const char *)>(
                                "cuModuleLoad")(&module, "/no/such/file"));
}

/// A kernel that faults: the launch succeeds, then the context answers nothing
/// but the fault, and another context is not touched.
TEST_F(WrongUse, FaultsAreSticky) {
  const DriverTable &d = driver();
  auto *create = entry<Result(Context *, unsigned, Device)>("cuCtxCreate_v2");
  auto *destroy = entry<Result(Context)>("cuCtxDestroy_v2");
  struct Case {
    const char *kernel;
    Result code;
  } cases[] = {{"store_null", Result::IllegalAddress},
               {"misaligned", Result::MisalignedAddress},
               {"traps", Result::LaunchFailed},
               {"forever", Result::LaunchTimeout}};
  auto *configure = entry<const char *(const char *)>("hwtuneSimConfigure");
  EXPECT_EQ(configure(R"({"watchdog":1000000})"), nullptr);
  for (const Case &c : cases) {
    SCOPED_TRACE(c.kernel);
    Context own;
    EXPECT_CUDA(Success, create(&own, 0, 0));
    Function f = function(load(kVectorAdd), c.kernel);
    DevicePtr p = upload({1, 2});
    testing::internal::CaptureStderr();
    EXPECT_CUDA(Success, launch(f, 1, 32, {&p}));
    std::string words = testing::internal::GetCapturedStderr();
    EXPECT_NE(words.find(std::string("kernel `") + c.kernel + "`"),
              std::string::npos)
        << words;
    EXPECT_STREQ(resultName(d.cuCtxSynchronize()), resultName(c.code));
    float value;
    EXPECT_STREQ(resultName(d.cuMemcpyDtoH(&value, p, 4)), resultName(c.code));
    EXPECT_STREQ(resultName(launch(f, 1, 32, {&p})), resultName(c.code));
    EXPECT_STREQ(resultName(d.cuMemAlloc(&p, 4)), resultName(c.code));
    EXPECT_TRUE(isSticky(c.code));
    EXPECT_CUDA(Success, destroy(own));
    EXPECT_CUDA(Success, d.cuMemAlloc(&p, 4)); // the test's own context
  }
  EXPECT_EQ(configure(R"({"watchdog":50000000000})"), nullptr);
}

TEST_F(WrongUse, ChecksFindWhatADeviceWouldNotTell) {
  auto *configure = entry<const char *(const char *)>("hwtuneSimConfigure");
  auto *report = entry<const char *()>("hwtuneSimLastReport");
  EXPECT_EQ(configure(R"({"check":true})"), nullptr);
  Function add = function(load(kVectorAdd), "vector_add");
  DevicePtr a = 0, c = 0;
  unsigned n = 32;
  EXPECT_CUDA(Success, driver().cuMemAlloc(&a, 128)); // never written
  EXPECT_CUDA(Success, driver().cuMemAlloc(&c, 128));
  testing::internal::CaptureStderr();
  EXPECT_CUDA(Success, launch(add, 1, 32, {&a, &a, &c, &n}));
  std::string words = testing::internal::GetCapturedStderr();
  EXPECT_CUDA(LaunchFailed, driver().cuCtxSynchronize());
  EXPECT_NE(words.find("line 22"), std::string::npos) << words;
  EXPECT_NE(std::string(report()).find("uninitialized-read"), std::string::npos)
      << report();
  EXPECT_EQ(configure(R"({"check":false})"), nullptr);
}
} // namespace
