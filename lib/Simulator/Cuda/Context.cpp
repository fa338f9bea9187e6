//===- Context.cpp - primary and created contexts -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <bit>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Context;
using cuda::Device;

/// `CUctx_flags`: one way of waiting at most, and others that are free.
static bool areContextFlags(unsigned flags) {
  constexpr unsigned kAll = 0xff, kWaiting = 0x7;
  return !(flags & ~kAll) && std::popcount(flags & kWaiting) <= 1;
}

//===----------------------------------------------------------------------===//
// The primary context
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuDevicePrimaryCtxRetain(Context *context,
                                                Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!context)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  Driver &driver = call.driver;
  if (!driver.primary)
    driver.primary = driver.createContext(true, driver.primaryFlags);
  ++driver.primaryCount;
  *context = handleOf<Context>(driver.primary);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDevicePrimaryCtxRelease_v2(Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (device != 0)
    return Result::InvalidDevice;
  Driver &driver = call.driver;
  if (driver.primaryCount == 0)
    return Result::InvalidContext;
  if (--driver.primaryCount == 0)
    driver.destroyContext(driver.primary);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)

HWTUNE_CUDA_API Result cuDevicePrimaryCtxReset_v2(Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (device != 0)
    return Result::InvalidDevice;
  Driver &driver = call.driver;
  if (driver.primary) {
    // The handle stays; what was in the context, and its error, do not.
    Id id = driver.primary;
    unsigned flags = driver.contexts.at(id).flags;
    driver.destroyContext(id);
    ContextState fresh;
    fresh.primary = true;
    fresh.flags = flags;
    driver.contexts.emplace(id, std::move(fresh));
    driver.primary = id;
  }
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)

HWTUNE_CUDA_API Result cuDevicePrimaryCtxSetFlags_v2(Device device,
                                                     unsigned flags) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (device != 0)
    return Result::InvalidDevice;
  if (!areContextFlags(flags))
    return Result::InvalidValue;
  call.driver.primaryFlags = flags;
  if (call.driver.primary)
    call.driver.contexts.at(call.driver.primary).flags = flags;
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)

HWTUNE_CUDA_API Result cuDevicePrimaryCtxGetState(Device device,
                                                  unsigned *flags,
                                                  int *active) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!flags || !active)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  *flags = call.driver.primaryFlags;
  *active = call.driver.primary != 0;
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Created contexts
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuCtxCreate_v2(Context *context, unsigned flags,
                                      Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!context || !areContextFlags(flags))
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  Id id = call.driver.createContext(false, flags);
  contextStack().push_back(id);
  *context = handleOf<Context>(id);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuCtxCreate, cuCtxCreate_v2)

namespace {
/// CUctxCreateParams
struct CreateParams {
  void *affinity;
  int affinityCount;
  void *graphics;
};
} // namespace

/// The parameters that came with CUDA 12.5 and 11.4 ask for things of other
/// devices; only their absence is supported.
HWTUNE_CUDA_API Result cuCtxCreate_v4(Context *context,
                                      const CreateParams *params,
                                      unsigned flags, Device device) {
  bool asks = params && (params->affinityCount || params->graphics);
  return asks ? Result::NotSupported : cuCtxCreate_v2(context, flags, device);
}

HWTUNE_CUDA_API Result cuCtxCreate_v3(Context *context, void *affinity,
                                      int count, unsigned flags,
                                      Device device) {
  (void)affinity;
  return count ? Result::NotSupported : cuCtxCreate_v2(context, flags, device);
}

HWTUNE_CUDA_API Result cuCtxDestroy_v2(Context context) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  Id id = idOf(context);
  auto it = call.driver.contexts.find(id);
  if (it == call.driver.contexts.end() || it->second.primary)
    return Result::InvalidContext;
  call.driver.destroyContext(id);
  auto &stack = contextStack();
  if (!stack.empty() && stack.back() == id)
    stack.pop_back();
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuCtxDestroy, cuCtxDestroy_v2)

//===----------------------------------------------------------------------===//
// The thread's stack
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuCtxPushCurrent_v2(Context context) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!call.driver.contexts.count(idOf(context)))
    return Result::InvalidContext;
  contextStack().push_back(idOf(context));
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2)

HWTUNE_CUDA_API Result cuCtxPopCurrent_v2(Context *context) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  auto &stack = contextStack();
  if (stack.empty())
    return Result::InvalidContext;
  if (context)
    *context = handleOf<Context>(stack.back());
  stack.pop_back();
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2)

HWTUNE_CUDA_API Result cuCtxSetCurrent(Context context) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  auto &stack = contextStack();
  if (!context) {
    if (!stack.empty())
      stack.pop_back();
    return Result::Success;
  }
  if (!call.driver.contexts.count(idOf(context)))
    return Result::InvalidContext;
  if (stack.empty())
    stack.push_back(0);
  stack.back() = idOf(context);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetCurrent(Context *context) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!context)
    return Result::InvalidValue;
  auto &stack = contextStack();
  *context = stack.empty() ? nullptr : handleOf<Context>(stack.back());
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Queries and settings
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuCtxGetDevice(Device *device) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!device)
    return Result::InvalidValue;
  *device = 0;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxSynchronize() {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  call.driver.synchroniseContext(call.contextId, *call.context);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetFlags(unsigned *flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!flags)
    return Result::InvalidValue;
  *flags = call.context->flags;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetId(Context context, unsigned long long *id) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!id)
    return Result::InvalidValue;
  Id which = context                  ? idOf(context)
             : contextStack().empty() ? 0
                                      : contextStack().back();
  if (!call.driver.contexts.count(which))
    return context ? Result::ContextIsDestroyed : Result::InvalidContext;
  *id = which;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetApiVersion(Context context, unsigned *version) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!version)
    return Result::InvalidValue;
  if (context && !call.driver.contexts.count(idOf(context)))
    return Result::InvalidContext;
  constexpr unsigned kContextApi = 3020; // of cuCtxCreate_v2
  *version = kContextApi;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetLimit(size_t *value, int limit) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!value)
    return Result::InvalidValue;
  if (limit < 0 || limit >= kLimitCount)
    return Result::InvalidValue;
  *value = call.context->limits[limit];
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxSetLimit(int limit, size_t value) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (limit < 0 || limit >= kLimitCount)
    return Result::InvalidValue;
  // The heap cannot grow once a kernel has used it.
  if (limit == kLimitHeap && call.context->heap && call.context->heap->isUsed())
    return Result::InvalidValue;
  call.context->limits[limit] = value;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetCacheConfig(int *config) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!config)
    return Result::InvalidValue;
  *config = call.context->cacheConfig;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxSetCacheConfig(int config) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (config < 0 || config > 3)
    return Result::InvalidValue;
  call.context->cacheConfig = config;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetSharedMemConfig(int *config) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!config)
    return Result::InvalidValue;
  *config = 1; // four-byte banks: no GPU since sm_50 has others
  return Result::Success;
}

HWTUNE_CUDA_API Result cuCtxSetSharedMemConfig(int config) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  return config < 0 || config > 2 ? Result::InvalidValue : Result::Success;
}

HWTUNE_CUDA_API Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (least)
    *least = 0;
  if (greatest)
    *greatest = 0;
  return Result::Success;
}
