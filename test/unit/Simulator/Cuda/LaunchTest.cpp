//===- LaunchTest.cpp - loading and launching through the driver API ------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Cuda/Types.h"
#include "CudaTest.h"

#include <cstring>
#include <thread>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
struct Launch : CudaTest {};

std::vector<float> iota(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i) * scale;
  return values;
}

TEST_F(Launch, VectorAddWithParameterPointers) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 1000;
  DevicePtr a = upload(iota(n, 1)), b = upload(iota(n, 0.5f)),
            c = upload(std::vector<float>(n + 1, 7));
  EXPECT_CUDA(Success, launch(add, 8, 128, {&a, &b, &c, &n}));
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
  std::vector<float> got = download(c, n + 1);
  for (unsigned i = 0; i < n; ++i)
    ASSERT_EQ(got[i], float(i) * 1.5f) << i;
  EXPECT_EQ(got[n], 7); // the tail is not touched
}

TEST_F(Launch, VectorAddWithParameterBuffer) {
  Function add = function(load(kVectorAdd), "vector_add");
  struct {
    DevicePtr a, b, c;
    unsigned n;
  } p{upload(iota(32, 1)), upload(iota(32, 1)), upload(iota(32, 0)), 32};
  size_t bytes = 28; // without the padding of the struct
  void *extra[] = {reinterpret_cast<void *>(1), &p, reinterpret_cast<void *>(2),
                   &bytes, nullptr};
  EXPECT_CUDA(Success, driver().cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0,
                                               nullptr, nullptr, extra));
  EXPECT_EQ(download(p.c, 32)[31], 62);
  EXPECT_CUDA(InvalidValue, driver().cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0,
                                                    nullptr, extra, extra));
}

TEST_F(Launch, Globals) {
  Module module = load(kVectorAdd);
  DevicePtr address = 0;
  size_t bytes = 0;
  EXPECT_CUDA(Success,
              driver().cuModuleGetGlobal(&address, &bytes, module, "launches"));
  EXPECT_EQ(bytes, 4u);
  unsigned value = 0;
  EXPECT_CUDA(Success, driver().cuMemcpyDtoH(&value, address, 4));
  EXPECT_EQ(value, 5u);
  EXPECT_CUDA(NotFound,
              driver().cuModuleGetGlobal(&address, &bytes, module, "nothing"));
}

TEST_F(Launch, ManagedVariablesAreReadInPlace) {
  Module module = load(R"(.version 8.0
.target sm_80
.address_size 64
.global .attribute(.managed) .align 4 .u32 counter[2] = {7, 9};
.visible .entry bump() {
  .reg .b32 %r;
  ld.global.u32 %r, [counter+4];
  add.u32 %r, %r, 1;
  st.global.u32 [counter+4], %r;
  ret;
})");
  DevicePtr address = 0;
  size_t bytes = 0;
  EXPECT_CUDA(Success,
              driver().cuModuleGetGlobal(&address, &bytes, module, "counter"));
  ASSERT_EQ(bytes, 8u);
  auto *counter = reinterpret_cast<volatile unsigned *>(address);
  EXPECT_EQ(counter[0], 7u);
  counter[1] = 41; // the host writes, the kernel reads, and back
  EXPECT_CUDA(Success, launch(function(module, "bump"), 1, 1, {}));
  EXPECT_EQ(counter[1], 42u);
}

struct Clusters : CudaTest {
  /// Launches a kernel with `directives`, and names clusters of `cluster`
  /// blocks where that is not 0; what it answers, and its words.
  std::pair<std::string, std::string> launchClusters(const char *directives,
                                                     unsigned cluster) {
    std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
                      ".visible .entry k() ";
    Function f = function(load((ptx + directives + " { ret; }").c_str()), "k");
    LaunchAttribute attribute{};
    attribute.id = kLaunchAttributeClusterDimension;
    attribute.value.clusterDim[0] = cluster;
    attribute.value.clusterDim[1] = attribute.value.clusterDim[2] = 1;
    LaunchConfig config{4, 1, 1, 32, 1, 1, 0, nullptr, &attribute, cluster > 0};
    auto *launchEx =
        entry<Result(const LaunchConfig *, Function, void **, void **)>(
            "cuLaunchKernelEx");
    testing::internal::CaptureStderr();
    Result result = launchEx(&config, f, nullptr, nullptr);
    return {resultName(result), testing::internal::GetCapturedStderr()};
  }
};

TEST_F(Clusters, AreRefusedByNameWhereTheyAreOfSeveralBlocks) {
  struct {
    const char *directives;
    unsigned cluster;
    const char *code, *words;
  } const cases[] = {
      {".reqnctapercluster 2, 1, 1", 0, "CUDA_ERROR_NOT_SUPPORTED",
       "kernel `k`: clusters of (2,1,1) blocks (.reqnctapercluster) are not "
       "supported"},
      {".maxclusterrank 8", 4, "CUDA_ERROR_NOT_SUPPORTED",
       "kernel `k`: clusters of (4,1,1) blocks (named by the launch) are not "
       "supported"},
      {".explicitcluster", 0, "CUDA_ERROR_INVALID_CLUSTER_SIZE",
       "kernel `k`: the launch does not name the size of its clusters "
       "(.explicitcluster)"},
      {".explicitcluster", 1, "CUDA_SUCCESS", ""},
      {".maxclusterrank 8", 0, "CUDA_SUCCESS", ""},
  };
  for (const auto &c : cases) {
    auto [code, words] = launchClusters(c.directives, c.cluster);
    EXPECT_EQ(code, c.code) << c.directives;
    if (std::string(c.words).empty())
      EXPECT_EQ(words, "");
    else
      EXPECT_NE(words.find(c.words), std::string::npos) << words;
    // Nothing ran: the context goes on.
    EXPECT_CUDA(Success, driver().cuCtxSynchronize());
  }
}

// Arenas that programs cut from one allocation keep the alignment they ask for.
TEST_F(Launch, LargeAllocationsBeginAtLargePages) {
  DevicePtr small = 0, large = 0;
  EXPECT_CUDA(Success, driver().cuMemAlloc(&small, 100));
  EXPECT_CUDA(Success, driver().cuMemAlloc(&large, 3 << 20));
  EXPECT_EQ(small % 512, 0u);
  EXPECT_EQ(large % (2 << 20), 0u);
}

TEST_F(Launch, DynamicSharedMemoryIsOptedIn) {
  Function f = function(load(kVectorAdd), "uses_shared");
  DevicePtr out = upload({0});
  int value = 0;
  EXPECT_CUDA(Success, driver().cuFuncGetAttribute(
                           &value, FunctionAttribute::SharedSizeBytes, f));
  EXPECT_EQ(value, 1024);
  EXPECT_CUDA(Success,
              driver().cuFuncGetAttribute(
                  &value, FunctionAttribute::MaxDynamicSharedSizeBytes, f));
  EXPECT_EQ(value, 48 * 1024 - 1024);
  // The architecture that the PTX is for, not the version of PTX.
  EXPECT_CUDA(Success, driver().cuFuncGetAttribute(
                           &value, FunctionAttribute::PtxVersion, f));
  EXPECT_EQ(value, 80);
  EXPECT_CUDA(Success, launch(f, 1, 32, {&out}, 47 * 1024));
  EXPECT_CUDA(InvalidValue, launch(f, 1, 32, {&out}, 47 * 1024 + 4));
  // A100: 163 KiB by opting in.
  EXPECT_CUDA(InvalidValue, driver().cuFuncSetAttribute(
                                f, FunctionAttribute::MaxDynamicSharedSizeBytes,
                                162 * 1024 + 4));
  EXPECT_CUDA(Success,
              driver().cuFuncSetAttribute(
                  f, FunctionAttribute::MaxDynamicSharedSizeBytes, 162 * 1024));
  EXPECT_CUDA(Success, launch(f, 1, 32, {&out}, 162 * 1024));
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
}

TEST_F(Launch, Occupancy) {
  Function f = function(load(kVectorAdd), "uses_shared");
  int blocks = 0;
  // 1 KiB static + 1 KiB reserved of 164 KiB, 32 threads: 32 blocks is the SM's
  // limit.
  EXPECT_CUDA(Success, driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                           &blocks, f, 32, 0));
  EXPECT_EQ(blocks, 32);
  EXPECT_CUDA(Success, driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                           &blocks, f, 1024, 0));
  EXPECT_EQ(blocks, 2);
  // 39 + 1 + 1 KiB: four times.
  EXPECT_CUDA(Success, driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
                           &blocks, f, 32, 39 * 1024));
  EXPECT_EQ(blocks, 4);
  int grid = 0, size = 0;
  auto *potential =
      entry<Result(int *, int *, Function, size_t (*)(int), size_t, int)>(
          "cuOccupancyMaxPotentialBlockSize");
  EXPECT_CUDA(Success, potential(&grid, &size, f, nullptr, 0, 0));
  EXPECT_EQ(size, 1024);
  EXPECT_EQ(grid, 2 * 108);
}

TEST_F(Launch, EventsHaveSimulatedTimes) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 1 << 16;
  DevicePtr a = upload(iota(n, 1)), b = upload(iota(n, 1)),
            c = upload(iota(n, 0));
  Event events[3];
  for (Event &e : events)
    EXPECT_CUDA(Success, driver().cuEventCreate(&e, 0));
  EXPECT_CUDA(Success, driver().cuEventRecord(events[0], nullptr));
  EXPECT_CUDA(Success, launch(add, n / 256, 256, {&a, &b, &c, &n}));
  EXPECT_CUDA(Success, driver().cuEventRecord(events[1], nullptr));
  EXPECT_CUDA(Success, launch(add, n / 256, 256, {&a, &b, &c, &n}));
  EXPECT_CUDA(Success, launch(add, n / 256, 256, {&a, &b, &c, &n}));
  EXPECT_CUDA(Success, driver().cuEventRecord(events[2], nullptr));
  EXPECT_CUDA(Success, driver().cuEventSynchronize(events[2]));
  float one = 0, two = 0;
  EXPECT_CUDA(Success, driver().cuEventElapsedTime(&one, events[0], events[1]));
  EXPECT_CUDA(Success, driver().cuEventElapsedTime(&two, events[1], events[2]));
  EXPECT_GT(one, 0);
  EXPECT_NEAR(two, 2 * one, one * 1e-3);
  Event untimed;
  EXPECT_CUDA(Success, driver().cuEventCreate(&untimed, kEventDisableTiming));
  EXPECT_CUDA(Success, driver().cuEventRecord(untimed, nullptr));
  EXPECT_CUDA(InvalidHandle,
              driver().cuEventElapsedTime(&one, events[0], untimed));
  Event unrecorded;
  EXPECT_CUDA(Success, driver().cuEventCreate(&unrecorded, 0));
  EXPECT_CUDA(InvalidHandle,
              driver().cuEventElapsedTime(&one, events[0], unrecorded));
}

TEST_F(Launch, StreamsAreOrderedByEventsInSimulatedTime) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 1 << 12;
  DevicePtr a = upload(iota(n, 1)), c = upload(iota(n, 0));
  Stream first, second;
  EXPECT_CUDA(Success, driver().cuStreamCreate(&first, kStreamNonBlocking));
  EXPECT_CUDA(Success, driver().cuStreamCreate(&second, kStreamNonBlocking));
  Event start, middle, end;
  for (Event *e : {&start, &middle, &end})
    EXPECT_CUDA(Success, driver().cuEventCreate(e, 0));
  EXPECT_CUDA(Success, driver().cuEventRecord(start, first));
  EXPECT_CUDA(Success, launch(add, 16, 256, {&a, &a, &c, &n}, 0, first));
  EXPECT_CUDA(Success, driver().cuEventRecord(middle, first));
  EXPECT_CUDA(Success, driver().cuStreamWaitEvent(second, middle, 0));
  EXPECT_CUDA(Success, driver().cuEventRecord(end, second));
  float before = 0, after = 0;
  EXPECT_CUDA(Success, driver().cuEventElapsedTime(&before, start, middle));
  EXPECT_CUDA(Success, driver().cuEventElapsedTime(&after, start, end));
  EXPECT_GT(before, 0);
  EXPECT_EQ(before, after);
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(second));
  EXPECT_CUDA(Success, driver().cuStreamDestroy(first));
  EXPECT_CUDA(InvalidHandle, driver().cuStreamSynchronize(first));
}

TEST_F(Launch, HostFunctionsRunInOrder) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 32;
  DevicePtr a = upload(iota(n, 1)), c = upload(iota(n, 0));
  auto *host =
      entry<Result(Stream, void (*)(void *), void *)>("cuLaunchHostFunc");
  struct Seen {
    DevicePtr c;
    float value = 0;
  } seen{c};
  EXPECT_CUDA(Success, launch(add, 1, 32, {&a, &a, &c, &n}));
  EXPECT_CUDA(Success, host(
                           nullptr,
                           [](void *data) {
                             auto *s = static_cast<Seen *>(data);
                             driver().cuMemcpyDtoH(&s->value, s->c + 124, 4);
                           },
                           &seen));
  EXPECT_EQ(seen.value, 62);
}

TEST_F(Launch, CallbacksAndPrioritiesOfStreams) {
  auto *create =
      entry<Result(Stream *, unsigned, int)>("cuStreamCreateWithPriority");
  auto *range = entry<Result(int *, int *)>("cuCtxGetStreamPriorityRange");
  int least = 7, greatest = 7, priority = 7;
  EXPECT_CUDA(Success, range(&least, &greatest));
  EXPECT_LE(greatest, least);
  // A priority outside the range is the nearest one inside.
  Stream stream = nullptr;
  EXPECT_CUDA(Success, create(&stream, 0, greatest - 5));
  EXPECT_CUDA(Success, (entry<Result(Stream, int *)>("cuStreamGetPriority")(
                           stream, &priority)));
  EXPECT_EQ(priority, greatest);
  struct Seen {
    Stream stream = nullptr;
    Result status = Result::Unknown;
  } seen;
  auto *callback =
      entry<Result(Stream, void (*)(Stream, Result, void *), void *, unsigned)>(
          "cuStreamAddCallback");
  auto note = [](Stream s, Result status, void *data) {
    *static_cast<Seen *>(data) = {s, status};
  };
  EXPECT_CUDA(Success, callback(stream, note, &seen, 0));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(stream));
  EXPECT_EQ(seen.stream, stream);
  EXPECT_CUDA(Success, seen.status);
  EXPECT_CUDA(InvalidValue, callback(stream, nullptr, &seen, 0));
  EXPECT_CUDA(InvalidValue, callback(stream, note, &seen, 1));
}

TEST_F(Launch, PinnedManagedAndRegisteredMemoryIsSeenByKernels) {
  Function add = function(load(kVectorAdd), "vector_add");
  unsigned n = 64;
  void *pinned = nullptr;
  DevicePtr managed = 0, registered = 0;
  std::vector<float> own = iota(n, 1);
  EXPECT_CUDA(Success, driver().cuMemAllocHost(&pinned, n * 4));
  EXPECT_CUDA(Success,
              driver().cuMemAllocManaged(&managed, n * 4, kMemAttachGlobal));
  EXPECT_CUDA(Success, driver().cuMemHostRegister(own.data(), n * 4, 0));
  EXPECT_CUDA(HostMemoryAlreadyRegistered,
              driver().cuMemHostRegister(own.data() + 4, 16, 0));
  EXPECT_CUDA(Success,
              driver().cuMemHostGetDevicePointer(&registered, own.data(), 0));
  std::memcpy(pinned, own.data(), n * 4);
  DevicePtr pinnedAddress = DevicePtr(uintptr_t(pinned));
  EXPECT_CUDA(Success,
              launch(add, 1, n, {&pinnedAddress, &registered, &managed, &n}));
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
  EXPECT_EQ(reinterpret_cast<float *>(managed)[63], 126);
  EXPECT_CUDA(Success, driver().cuMemHostUnregister(own.data()));
  EXPECT_CUDA(HostMemoryNotRegistered,
              driver().cuMemHostUnregister(own.data()));
  EXPECT_CUDA(Success, driver().cuMemFreeHost(pinned));
  EXPECT_CUDA(InvalidValue, driver().cuMemFreeHost(pinned));
  EXPECT_CUDA(Success, driver().cuMemFree(managed));
}

/// A barrier of all blocks made by hand: each counts itself, then waits until
/// all have. The A100 has 108 multiprocessors with 32 such blocks on each.
TEST_F(Launch, BlocksThatFitTheGpuWaitForEachOther) {
  Function barrier = function(load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry barrier(.param .u64 count, .param .u64 sum) {
  .reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .pred %p, %first;
  ld.param.u64 %rd0, [count]; ld.param.u64 %rd1, [sum];
  mov.u32 %r0, %nctaid.x; mov.u32 %r1, %tid.x;
  setp.ne.u32 %first, %r1, 0; @%first bra MEET;
  red.release.gpu.global.add.u32 [%rd0], 1;
WAIT:
  ld.acquire.gpu.global.u32 %r2, [%rd0];
  setp.lt.u32 %p, %r2, %r0; @%p bra WAIT;
MEET:
  bar.sync 0;
  ld.volatile.global.u32 %r2, [%rd0];
  setp.eq.u32 %p, %r2, %r0;
  @%p red.global.add.f32 [%rd1], 0f3F800000;
  ret;
})"),
                              "barrier");
  for (unsigned blocks : {33u, 108u, 432u}) {
    DevicePtr count = upload({0}), sum = upload({0});
    EXPECT_CUDA(Success, launch(barrier, blocks, 64, {&count, &sum}));
    EXPECT_CUDA(Success, driver().cuCtxSynchronize());
    EXPECT_EQ(download(sum, 1)[0], float(blocks * 64));
  }
}

TEST_F(Launch, ManyThreadsAtOnce) {
  Module module = load(kVectorAdd);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, -1);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      int bad = driver().cuCtxSetCurrent(context) != Result::Success;
      for (unsigned round = 0; round < 50; ++round) {
        Function add = nullptr;
        Stream stream = nullptr;
        DevicePtr a = 0, c = 0;
        unsigned n = 32;
        std::vector<float> in = iota(n, float(t + 1)), out(n);
        bad += driver().cuModuleGetFunction(&add, module, "vector_add") !=
               Result::Success;
        bad += driver().cuStreamCreate(&stream, 0) != Result::Success;
        bad += driver().cuMemAlloc(&a, n * 4) != Result::Success;
        bad += driver().cuMemAlloc(&c, n * 4) != Result::Success;
        bad += driver().cuMemcpyHtoDAsync(a, in.data(), n * 4, stream) !=
               Result::Success;
        void *params[] = {&a, &a, &c, &n};
        bad += driver().cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, stream,
                                       params, nullptr) != Result::Success;
        bad += driver().cuMemcpyDtoHAsync(out.data(), c, n * 4, stream) !=
               Result::Success;
        bad += driver().cuStreamSynchronize(stream) != Result::Success;
        for (unsigned i = 0; i < n; ++i)
          bad += out[i] != 2 * in[i];
        bad += driver().cuMemFree(a) != Result::Success;
        bad += driver().cuMemFree(c) != Result::Success;
        bad += driver().cuStreamDestroy(stream) != Result::Success;
      }
      wrong[t] = bad;
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}
} // namespace
