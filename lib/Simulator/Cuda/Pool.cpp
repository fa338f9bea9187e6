//===- Pool.cpp - memory pools --------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A freed allocation goes back at once, so a pool never holds more than what is
// in use; its settings are kept and read back.
//
//===----------------------------------------------------------------------===//

#include "Load.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::MemoryPool;
using cuda::Stream;

namespace {
/// CUmemPool_attribute
enum Attribute {
  FollowEventDependencies = 1,
  AllowOpportunistic,
  AllowInternalDependencies,
  ReleaseThreshold,
  ReservedCurrent,
  ReservedHigh,
  UsedCurrent,
  UsedHigh
};

PoolState *poolOf(Driver &driver, MemoryPool handle) {
  auto it = driver.pools.find(idOf(handle));
  return it == driver.pools.end() ? nullptr : &it->second;
}

Id defaultPool(Driver &driver) {
  if (!driver.defaultPool) {
    driver.defaultPool = driver.newId();
    driver.pools.emplace(driver.defaultPool, PoolState());
  }
  return driver.defaultPool;
}

Result givePool(MemoryPool *pool, cuda::Device device, bool current) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!pool)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  Driver &driver = call.driver;
  Id id = defaultPool(driver);
  if (current && driver.pools.count(driver.currentPool))
    id = driver.currentPool;
  *pool = handleOf<MemoryPool>(id);
  return Result::Success;
}
} // namespace

HWTUNE_CUDA_API Result cuDeviceGetDefaultMemPool(MemoryPool *pool,
                                                 cuda::Device device) {
  return givePool(pool, device, false);
}
HWTUNE_CUDA_API Result cuDeviceGetMemPool(MemoryPool *pool,
                                          cuda::Device device) {
  return givePool(pool, device, true);
}
HWTUNE_CUDA_API Result cuDeviceSetMemPool(cuda::Device device,
                                          MemoryPool pool) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (device != 0)
    return Result::InvalidDevice;
  if (!poolOf(call.driver, pool))
    return Result::InvalidValue;
  call.driver.currentPool = idOf(pool);
  return Result::Success;
}

/// All pools are of device memory; the other properties do not matter.
HWTUNE_CUDA_API Result cuMemPoolCreate(MemoryPool *pool,
                                       const void *properties) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!pool || !properties)
    return Result::InvalidValue;
  Id id = call.driver.newId();
  call.driver.pools.emplace(id, PoolState());
  *pool = handleOf<MemoryPool>(id);
  return Result::Success;
}

/// Its allocations stay until they are freed.
HWTUNE_CUDA_API Result cuMemPoolDestroy(MemoryPool pool) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!poolOf(call.driver, pool) || idOf(pool) == call.driver.defaultPool)
    return Result::InvalidValue;
  call.driver.pools.erase(idOf(pool));
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemPoolTrimTo(MemoryPool pool, size_t) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  return poolOf(call.driver, pool) ? Result::Success : Result::InvalidValue;
}

HWTUNE_CUDA_API Result cuMemPoolSetAttribute(MemoryPool handle, int attribute,
                                             void *value) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  PoolState *pool = poolOf(call.driver, handle);
  if (!pool || !value)
    return Result::InvalidValue;
  switch (attribute) {
  case FollowEventDependencies:
  case AllowOpportunistic:
  case AllowInternalDependencies:
    pool->reuse[attribute - 1] = *static_cast<int *>(value);
    return Result::Success;
  case ReleaseThreshold:
    pool->releaseThreshold = *static_cast<uint64_t *>(value);
    return Result::Success;
  case ReservedHigh:
  case UsedHigh: // may only be reset
    if (*static_cast<uint64_t *>(value))
      return Result::InvalidValue;
    pool->usedHigh = pool->used;
    return Result::Success;
  default:
    return Result::InvalidValue;
  }
}

HWTUNE_CUDA_API Result cuMemPoolGetAttribute(MemoryPool handle, int attribute,
                                             void *value) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  PoolState *pool = poolOf(call.driver, handle);
  if (!pool || !value)
    return Result::InvalidValue;
  auto *number = static_cast<uint64_t *>(value);
  switch (attribute) {
  case FollowEventDependencies:
  case AllowOpportunistic:
  case AllowInternalDependencies:
    *static_cast<int *>(value) = pool->reuse[attribute - 1];
    return Result::Success;
  case ReleaseThreshold:
    *number = pool->releaseThreshold;
    return Result::Success;
  case ReservedCurrent:
  case UsedCurrent:
    *number = pool->used;
    return Result::Success;
  case ReservedHigh:
  case UsedHigh:
    *number = pool->usedHigh;
    return Result::Success;
  default:
    return Result::InvalidValue;
  }
}

HWTUNE_CUDA_API Result cuMemAllocFromPoolAsync(DevicePtr *address, size_t bytes,
                                               MemoryPool pool, Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!call.driver.stream(*call.context, stream, call.result))
    return call.result;
  if (!poolOf(call.driver, pool))
    return Result::InvalidValue;
  return allocateDevice(call, address, bytes, idOf(pool));
}
HWTUNE_CUDA_ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync)

HWTUNE_CUDA_API Result cuMemAllocAsync(DevicePtr *address, size_t bytes,
                                       Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!call.driver.stream(*call.context, stream, call.result))
    return call.result;
  Id pool = defaultPool(call.driver);
  if (call.driver.pools.count(call.driver.currentPool))
    pool = call.driver.currentPool;
  return allocateDevice(call, address, bytes, pool);
}
HWTUNE_CUDA_ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync)
