//===- Runtime.cpp - what MLIR's GPU lowering calls -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `mgpu*` entry points that `gpu-to-llvm` and `gpu.binary` emit in MLIR 22,
// over the driver table. The callers cannot be told of an error, so what fails
// is printed and the process ends: going on would print wrong results.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace hwtune;
using namespace hwtune::runtime;
using cuda::DevicePtr;
using cuda::Event;
using cuda::Function;
using cuda::Module;
using cuda::Stream;

#define MGPU_API extern "C" __attribute__((visibility("default")))
/// Calls a driver function in the context; ends the process if it fails.
#define CHECK(name, ...)                                                       \
  session.check(session.driver().name(__VA_ARGS__), #name)

static DevicePtr deviceAddress(void *p) { return DevicePtr(uintptr_t(p)); }

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

MGPU_API Module mgpuModuleLoad(void *image, size_t bytes) {
  ScopedContext session;
  Module module = nullptr;
  CHECK(cuModuleLoadData, &module, image);
  return module;
}

/// PTX as text, compiled (or simulated) by the driver. MLIR 22 passes two
/// arguments, and ends the text in a NUL.
MGPU_API Module mgpuModuleLoadJIT(void *text, int optimisation) {
  ScopedContext session;
  char log[4096] = "";
  cuda::JitOption options[] = {cuda::JitOption::ErrorLogBuffer,
                               cuda::JitOption::ErrorLogBufferSizeBytes,
                               cuda::JitOption::OptimizationLevel};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof log)),
                    reinterpret_cast<void *>(uintptr_t(optimisation))};
  Module module = nullptr;
  cuda::Result result =
      session.driver().cuModuleLoadDataEx(&module, text, 3, options, values);
  session.check(result, "cuModuleLoadDataEx", log);
  return module;
}

MGPU_API void mgpuModuleUnload(Module module) {
  ScopedContext session;
  CHECK(cuModuleUnload, module);
}

MGPU_API Function mgpuModuleGetFunction(Module module, const char *name) {
  ScopedContext session;
  Function function = nullptr;
  session.check(session.driver().cuModuleGetFunction(&function, module, name),
                "cuModuleGetFunction", name);
  return function;
}

/// Shared memory beyond the default limit has to be asked for.
static void allowShared(ScopedContext &session, Function function,
                        int32_t bytes) {
  if (bytes > 0)
    CHECK(cuFuncSetAttribute, function,
          cuda::FunctionAttribute::MaxDynamicSharedSizeBytes, bytes);
}

MGPU_API void mgpuLaunchKernel(Function function, intptr_t gridX,
                               intptr_t gridY, intptr_t gridZ, intptr_t blockX,
                               intptr_t blockY, intptr_t blockZ,
                               int32_t sharedBytes, Stream stream,
                               void **params, void **extra, size_t paramCount) {
  ScopedContext session;
  allowShared(session, function, sharedBytes);
  CHECK(cuLaunchKernel, function, unsigned(gridX), unsigned(gridY),
        unsigned(gridZ), unsigned(blockX), unsigned(blockY), unsigned(blockZ),
        unsigned(sharedBytes), stream, params, extra);
}

namespace {
/// CUlaunchConfig with room for the one attribute that is used.
struct ClusterLaunch {
  struct Attribute {
    int id;
    char pad[4];
    unsigned cluster[16];
  };
  unsigned grid[3], block[3], sharedBytes;
  Stream stream;
  Attribute *attributes;
  unsigned attributeCount;
};
constexpr int kClusterDimension = 4; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
} // namespace

MGPU_API void
mgpuLaunchClusterKernel(Function function, intptr_t clusterX, intptr_t clusterY,
                        intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                        intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                        intptr_t blockZ, int32_t sharedBytes, Stream stream,
                        void **params, void **extra, size_t paramCount) {
  ScopedContext session;
  using LaunchEx =
      cuda::Result (*)(const ClusterLaunch *, Function, void **, void **);
  auto launch =
      reinterpret_cast<LaunchEx>(session.driver().symbol("cuLaunchKernelEx"));
  if (!launch)
    session.fail(
        "this driver has no cuLaunchKernelEx, which block clusters need");
  allowShared(session, function, sharedBytes);
  ClusterLaunch::Attribute attribute{
      kClusterDimension,
      {},
      {unsigned(clusterX), unsigned(clusterY), unsigned(clusterZ)}};
  ClusterLaunch config{{unsigned(gridX), unsigned(gridY), unsigned(gridZ)},
                       {unsigned(blockX), unsigned(blockY), unsigned(blockZ)},
                       unsigned(sharedBytes),
                       stream,
                       &attribute,
                       1};
  session.check(launch(&config, function, params, extra), "cuLaunchKernelEx");
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

MGPU_API Stream mgpuStreamCreate() {
  ScopedContext session;
  Stream stream = nullptr;
  CHECK(cuStreamCreate, &stream, cuda::kStreamNonBlocking);
  return stream;
}

MGPU_API void mgpuStreamDestroy(Stream stream) {
  ScopedContext session;
  CHECK(cuStreamDestroy, stream);
}

MGPU_API void mgpuStreamSynchronize(Stream stream) {
  ScopedContext session;
  CHECK(cuStreamSynchronize, stream);
}

MGPU_API void mgpuStreamWaitEvent(Stream stream, Event event) {
  ScopedContext session;
  CHECK(cuStreamWaitEvent, stream, event, 0);
}

MGPU_API Event mgpuEventCreate() {
  ScopedContext session;
  Event event = nullptr;
  CHECK(cuEventCreate, &event, cuda::kEventDisableTiming);
  return event;
}

MGPU_API void mgpuEventDestroy(Event event) {
  ScopedContext session;
  CHECK(cuEventDestroy, event);
}

MGPU_API void mgpuEventSynchronize(Event event) {
  ScopedContext session;
  CHECK(cuEventSynchronize, event);
}

MGPU_API void mgpuEventRecord(Event event, Stream stream) {
  ScopedContext session;
  CHECK(cuEventRecord, event, stream);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// `bytes` may be 0 (an empty memref), for which the driver has no memory.
MGPU_API void *mgpuMemAlloc(uint64_t bytes, Stream stream, bool isHostShared) {
  ScopedContext session;
  DevicePtr address = 0;
  if (bytes == 0)
    return nullptr;
  if (!isHostShared) {
    CHECK(cuMemAlloc, &address, bytes);
  } else {
    if (!session.driver().cuMemAllocManaged)
      session.fail(
          "this driver has no managed memory, which `host_shared` needs");
    CHECK(cuMemAllocManaged, &address, bytes, cuda::kMemAttachGlobal);
  }
  return reinterpret_cast<void *>(uintptr_t(address));
}

MGPU_API void mgpuMemFree(void *address, Stream stream) {
  ScopedContext session;
  CHECK(cuMemFree, deviceAddress(address));
}

MGPU_API void mgpuMemcpy(void *to, void *from, size_t bytes, Stream stream) {
  ScopedContext session;
  if (bytes)
    CHECK(cuMemcpyAsync, deviceAddress(to), deviceAddress(from), bytes, stream);
}

MGPU_API void mgpuMemset32(void *to, unsigned value, size_t count,
                           Stream stream) {
  ScopedContext session;
  if (session.driver().cuMemsetD32Async)
    CHECK(cuMemsetD32Async, deviceAddress(to), value, count, stream);
  else
    CHECK(cuMemsetD32, deviceAddress(to), value, count);
}

MGPU_API void mgpuMemset16(void *to, unsigned short value, size_t count,
                           Stream stream) {
  ScopedContext session;
  if (!session.driver().cuMemsetD16Async)
    session.fail("this driver has no cuMemsetD16Async, which filling a 16-bit "
                 "memref needs");
  CHECK(cuMemsetD16Async, deviceAddress(to), value, count, stream);
}

//===----------------------------------------------------------------------===//
// Host memory that kernels use in place
//===----------------------------------------------------------------------===//

MGPU_API void mgpuMemHostRegister(void *address, uint64_t bytes) {
  ScopedContext session;
  if (!session.driver().cuMemHostRegister)
    session.fail("this driver cannot register host memory");
  cuda::Result result = session.driver().cuMemHostRegister(address, bytes, 0);
  // Several memrefs may view one buffer; each is registered.
  if (result != cuda::Result::HostMemoryAlreadyRegistered)
    session.check(result, "cuMemHostRegister");
}

MGPU_API void mgpuMemHostUnregister(void *address) {
  ScopedContext session;
  if (!session.driver().cuMemHostUnregister)
    session.fail("this driver cannot register host memory");
  cuda::Result result = session.driver().cuMemHostUnregister(address);
  if (result != cuda::Result::HostMemoryNotRegistered)
    session.check(result, "cuMemHostUnregister");
}

namespace {
/// A memref descriptor: pointers, offset, then `rank` sizes and strides.
struct MemRef {
  char *allocated, *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];
};

/// Registers can hold only a contiguous block: checks that the strides say so.
uint64_t contiguousBytes(ScopedContext &session, int64_t rank,
                         const MemRef &memref, int64_t elementBytes) {
  const int64_t *sizes = memref.sizesAndStrides, *strides = sizes + rank;
  int64_t elements = 1;
  for (int64_t i = rank; i-- > 0;) {
    if (strides[i] != elements && sizes[i] > 1)
      session.fail(
          "a host memref with gaps between its elements cannot be registered");
    elements *= sizes[i];
  }
  return uint64_t(elements * elementBytes);
}
} // namespace

MGPU_API void mgpuMemHostRegisterMemRef(int64_t rank, MemRef *memref,
                                        int64_t elementBytes) {
  uint64_t bytes;
  {
    ScopedContext session;
    bytes = contiguousBytes(session, rank, *memref, elementBytes);
  }
  if (bytes)
    mgpuMemHostRegister(memref->aligned + memref->offset * elementBytes, bytes);
}

MGPU_API void mgpuMemHostUnregisterMemRef(int64_t rank, MemRef *memref,
                                          int64_t elementBytes) {
  mgpuMemHostUnregister(memref->aligned + memref->offset * elementBytes);
}

MGPU_API void mgpuSetDefaultDevice(int32_t ordinal) {
  setDefaultDevice(ordinal);
}

MGPU_API void *mgpuTensorMapEncodeTiledMemref(int64_t, void *, int, int, int,
                                              int, int, int64_t *) {
  ScopedContext session;
  session.fail(
      "tensor maps (mgpuTensorMapEncodeTiledMemref) are not supported");
}
