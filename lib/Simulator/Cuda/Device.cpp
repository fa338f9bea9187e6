//===- Device.cpp - devices, their attributes, error words ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstring>
#include <optional>

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

using Attribute = cuda::DeviceAttribute;

/// What the API can do: that of this library, whatever it simulates.
std::optional<double> abilityOf(Attribute attribute) {
  switch (attribute) {
  case Attribute::TotalConstantMemory:
    return 65536; // fixed by the PTX ISA
  case Attribute::AsyncEngineCount:
    return 2;
  // No texture can be made, but programs align by these and divide by them;
  // every GPU since sm_30 has the same.
  case Attribute::TextureAlignment:
  case Attribute::SurfaceAlignment:
    return 512;
  case Attribute::TexturePitchAlignment:
    return 32;
  case Attribute::MaxPitch:
    return INT32_MAX;
  case Attribute::GpuOverlap:
  case Attribute::CanMapHostMemory:
  case Attribute::ConcurrentKernels:
  case Attribute::UnifiedAddressing:
  case Attribute::ManagedMemory:
  case Attribute::ConcurrentManagedAccess:
  case Attribute::CooperativeLaunch:
  case Attribute::MemoryPoolsSupported:
  case Attribute::VirtualMemoryManagement:
    return 1;
  default:
    return std::nullopt;
  }
}

std::optional<double> gridLimitOf(const TargetSpec &t, Attribute attribute) {
  switch (attribute) {
  case Attribute::MaxThreadsPerBlock:
    return t.maxThreadsPerBlock;
  case Attribute::MaxBlockDimX:
    return t.maxBlockX;
  case Attribute::MaxBlockDimY:
    return t.maxBlockY;
  case Attribute::MaxBlockDimZ:
    return t.maxBlockZ;
  case Attribute::MaxGridDimX:
    return t.maxGridX;
  case Attribute::MaxGridDimY:
    return t.maxGridY;
  case Attribute::MaxGridDimZ:
    return t.maxGridZ;
  default:
    return std::nullopt;
  }
}

/// kHz, as given or as bandwidth and bus need it: 2 bits a clock and line.
double memoryClockOf(const TargetSpec &t) {
  if (t.memoryClockMHz)
    return *t.memoryClockMHz * 1000;
  double bits = t.dramBusBits.value_or(0);
  return bits > 0 ? t.dramGBs * 8e6 / (2 * bits) : 0;
}

std::optional<double> hardwareOf(const TargetSpec &t, Attribute attribute) {
  switch (attribute) {
  case Attribute::MaxSharedMemoryPerBlock:
    return t.sharedPerBlock;
  case Attribute::WarpSize:
    return t.warpSize;
  case Attribute::MaxRegistersPerBlock:
    return t.registersPerBlock;
  case Attribute::ClockRate:
    return t.clockMHz * 1000;
  case Attribute::MultiprocessorCount:
    return t.smCount;
  case Attribute::MemoryClockRate:
    return memoryClockOf(t);
  case Attribute::GlobalMemoryBusWidth:
    return t.dramBusBits.value_or(0);
  case Attribute::L2CacheSize:
    return t.l2Bytes;
  case Attribute::MaxThreadsPerMultiprocessor:
    return t.maxThreadsPerSM;
  case Attribute::ComputeCapabilityMajor:
    return t.computeCapability() / 10;
  case Attribute::ComputeCapabilityMinor:
    return t.computeCapability() % 10;
  case Attribute::MaxSharedMemoryPerMultiprocessor:
    return t.sharedPerSM;
  case Attribute::MaxRegistersPerMultiprocessor:
    return t.registersPerSM;
  case Attribute::MaxSharedMemoryPerBlockOptin:
    return t.sharedPerBlockOptin ? t.sharedPerBlockOptin : t.sharedPerBlock;
  case Attribute::MaxBlocksPerMultiprocessor:
    return t.maxBlocksPerSM;
  case Attribute::ReservedSharedMemoryPerBlock:
    return t.sharedReservedPerBlock;
  case Attribute::Integrated:
    return t.kind == "mobile-gpu";
  default:
    return std::nullopt;
  }
}

/// False where no driver of this version knows the attribute. What a device of
/// ours has not (textures, peers, clusters, ...) is 0, as of hardware without.
bool attributeOf(const TargetSpec &t, int number, int &value) {
  constexpr int kKnownAttributes = 148;
  auto attribute = Attribute(number);
  std::optional<double> found = abilityOf(attribute);
  if (!found)
    found = gridLimitOf(t, attribute);
  if (!found)
    found = hardwareOf(t, attribute);
  value = clampInt(found.value_or(0));
  return number >= 1 && number < kKnownAttributes;
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
  p->textureAlign = int(*abilityOf(Attribute::TextureAlignment));
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
