//===- Device.cpp - devices, their attributes, error words ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstring>

using namespace hwtune;
using namespace hwtune::simcuda;

HWTUNE_CUDA_API Result cuDriverGetVersion(int *version) {
  if (!version)
    return Result::InvalidValue;
  *version = kDriverVersion;
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {
struct ErrorWords {
  int code;
  const char *name, *text;
};
constexpr ErrorWords kErrors[] = {
#define HWTUNE_ERROR(name, code, text) {code, "CUDA_" #name, text},
#include "Errors.def"
};

const ErrorWords *findError(Result code) {
  for (const ErrorWords &e : kErrors)
    if (e.code == int(code))
      return &e;
  return nullptr;
}
} // namespace

HWTUNE_CUDA_API Result cuGetErrorName(Result error, const char **text) {
  if (!text)
    return Result::InvalidValue;
  const ErrorWords *words = findError(error);
  *text = words ? words->name : nullptr;
  return words ? Result::Success : Result::InvalidValue;
}

HWTUNE_CUDA_API Result cuGetErrorString(Result error, const char **text) {
  if (!text)
    return Result::InvalidValue;
  const ErrorWords *words = findError(error);
  *text = words ? words->text : nullptr;
  return words ? Result::Success : Result::InvalidValue;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuDeviceGetCount(int *count) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!count)
    return Result::InvalidValue;
  *count = 1;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDeviceGet(cuda::Device *device, int ordinal) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!device)
    return Result::InvalidValue;
  if (ordinal != 0)
    return Result::InvalidDevice;
  *device = 0;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDeviceGetName(char *name, int length,
                                       cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!name || length <= 0)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  const std::string &text = call.driver.config.target.name;
  size_t count = std::min(text.size(), size_t(length) - 1);
  std::memcpy(name, text.data(), count);
  name[count] = 0;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDeviceTotalMem_v2(size_t *bytes, cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!bytes)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  *bytes = size_t(call.driver.config.target.dramBytes);
  return Result::Success;
}

/// Sixteen bytes that differ between targets and are the same in each run.
HWTUNE_CUDA_API Result cuDeviceGetUuid_v2(cuda::Uuid *uuid,
                                          cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!uuid)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  std::memset(uuid, 0, sizeof *uuid);
  const std::string &id = call.driver.config.target.id;
  std::memcpy(uuid->bytes, id.data(), std::min(id.size(), sizeof uuid->bytes));
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2)

HWTUNE_CUDA_API Result cuDeviceComputeCapability(int *major, int *minor,
                                                 cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!major || !minor)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  *major = call.driver.capability() / 10;
  *minor = call.driver.capability() % 10;
  return Result::Success;
}

namespace {
int clampInt(double value) { return int(std::min(value, double(INT32_MAX))); }

/// The value of an attribute of `t`; attributes that only say what the API can
/// do are those of this library.
bool attributeOf(const TargetSpec &t, int attribute, int &value) {
  auto set = [&](double v) {
    value = clampInt(v);
    return true;
  };
  using A = cuda::DeviceAttribute;
  switch (A(attribute)) {
  case A::MaxThreadsPerBlock:
    return set(t.maxThreadsPerBlock);
  case A::MaxBlockDimX:
    return set(t.maxBlockX);
  case A::MaxBlockDimY:
    return set(t.maxBlockY);
  case A::MaxBlockDimZ:
    return set(t.maxBlockZ);
  case A::MaxGridDimX:
    return set(t.maxGridX);
  case A::MaxGridDimY:
    return set(t.maxGridY);
  case A::MaxGridDimZ:
    return set(t.maxGridZ);
  case A::MaxSharedMemoryPerBlock:
    return set(t.sharedPerBlock);
  case A::TotalConstantMemory:
    return set(65536); // fixed by the PTX ISA
  case A::WarpSize:
    return set(t.warpSize);
  case A::MaxRegistersPerBlock:
    return set(t.registersPerBlock);
  case A::ClockRate:
    return set(t.clockMHz * 1000);
  case A::MultiprocessorCount:
    return set(t.smCount);
  case A::CanMapHostMemory:
    return set(1);
  case A::ConcurrentKernels:
    return set(1);
  case A::MemoryClockRate:
    return set(t.memoryClockMHz.value_or(0) * 1000);
  case A::GlobalMemoryBusWidth:
    return set(double(t.dramBusBits.value_or(0)));
  case A::L2CacheSize:
    return set(t.l2Bytes);
  case A::MaxThreadsPerMultiprocessor:
    return set(t.maxThreadsPerSM);
  case A::AsyncEngineCount:
    return set(2);
  case A::UnifiedAddressing:
    return set(1);
  case A::ComputeCapabilityMajor:
    return set(t.computeCapability() / 10);
  case A::ComputeCapabilityMinor:
    return set(t.computeCapability() % 10);
  case A::MaxSharedMemoryPerMultiprocessor:
    return set(t.sharedPerSM);
  case A::MaxRegistersPerMultiprocessor:
    return set(t.registersPerSM);
  case A::ManagedMemory:
    return set(1);
  case A::ConcurrentManagedAccess:
    return set(1);
  case A::CooperativeLaunch:
  case A::MemoryPoolsSupported:
  case A::VirtualMemoryManagement:
    return set(1);
  case A::MaxSharedMemoryPerBlockOptin:
    return set(double(t.sharedPerBlockOptin ? t.sharedPerBlockOptin
                                            : t.sharedPerBlock));
  case A::MaxBlocksPerMultiprocessor:
    return set(t.maxBlocksPerSM);
  case A::ReservedSharedMemoryPerBlock:
    return set(t.sharedReservedPerBlock);
  case A::Integrated:
    return set(t.kind == "mobile-gpu");
  default:
    break;
  }
  // What a device of ours has not (textures, peers, clusters, ...)
  // answers 0, as hardware without it does. What no driver of this version
  // knows is an error.
  constexpr int kKnownAttributes = 148;
  value = 0;
  return attribute >= 1 && attribute < kKnownAttributes;
}
} // namespace

HWTUNE_CUDA_API Result cuDeviceGetAttribute(int *value,
                                            cuda::DeviceAttribute attribute,
                                            cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!value)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  return attributeOf(call.driver.config.target, int(attribute), *value)
             ? Result::Success
             : Result::InvalidValue;
}

HWTUNE_CUDA_API Result cuDeviceGetProperties(cuda::DeviceProperties *p,
                                             cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!p)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  const TargetSpec &t = call.driver.config.target;
  *p = {};
  p->maxThreadsPerBlock = clampInt(t.maxThreadsPerBlock);
  int64_t block[] = {t.maxBlockX, t.maxBlockY, t.maxBlockZ};
  int64_t grid[] = {t.maxGridX, t.maxGridY, t.maxGridZ};
  for (int i = 0; i < 3; ++i) {
    p->maxThreadsDim[i] = clampInt(block[i]);
    p->maxGridSize[i] = clampInt(grid[i]);
  }
  p->sharedMemPerBlock = clampInt(t.sharedPerBlock);
  p->totalConstantMemory = 65536;
  p->simdWidth = clampInt(t.warpSize);
  p->memPitch = INT32_MAX;
  p->regsPerBlock = clampInt(t.registersPerBlock);
  p->clockRate = clampInt(t.clockMHz * 1000);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDeviceGetPCIBusId(char *text, int length,
                                           cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  constexpr const char *kBusId = "0000:00:00.0";
  if (!text || length <= int(std::strlen(kBusId)))
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  std::strcpy(text, kBusId);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDeviceGetByPCIBusId(cuda::Device *device,
                                             const char *text) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!device || !text)
    return Result::InvalidValue;
  if (std::strcmp(text, "0000:00:00.0") != 0 &&
      std::strcmp(text, "00:00.0") != 0)
    return Result::InvalidDevice;
  *device = 0;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuDeviceCanAccessPeer(int *can, cuda::Device device,
                                             cuda::Device peer) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!can)
    return Result::InvalidValue;
  if (device != 0 || peer != 0)
    return Result::InvalidDevice;
  *can = 0;
  return Result::Success;
}
