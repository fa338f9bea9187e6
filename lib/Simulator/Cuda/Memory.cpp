//===- Memory.cpp - device, pinned, managed and registered memory ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Load.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace hwtune;
using namespace hwtune::simcuda;

namespace {
constexpr uint64_t kAlignment = 512, kPage = 4096;
/// Allocations of this size and more have pages of this size to themselves.
constexpr uint64_t kLargePage = 2 << 20;

/// What the address of an allocation is a multiple of. The driver promises 256
/// bytes; programs that make arenas of their own rely on what it does.
uint64_t alignmentOf(uint64_t bytes) {
  return bytes >= kLargePage ? kLargePage : kAlignment;
}
} // namespace

uint64_t Driver::bytesLeft() const {
  uint64_t used = 0, all = uint64_t(config.target.dramBytes);
  for (const auto &[base, state] : allocations)
    if (state.kind == MemoryKind::Device || state.kind == MemoryKind::Managed)
      used += (state.bytes + kAlignment - 1) / kAlignment * kAlignment;
  for (const auto &[id, state] : physical)
    used += state.bytes;
  return used < all ? all - used : 0;
}

Result simcuda::allocateDevice(Call &call, DevicePtr *address, size_t bytes,
                               Id pool) {
  if (!address || bytes == 0)
    return Result::InvalidValue;
  if (bytes > call.driver.bytesLeft())
    return Result::OutOfMemory;
  DeviceAddress base = call.driver.memory.allocate(bytes, alignmentOf(bytes));
  if (!base)
    return Result::OutOfMemory;
  if (call.driver.config.check)
    call.driver.memory.trackWrites(base);
  MemoryState state;
  state.context = call.contextId;
  state.bytes = bytes;
  state.pool = pool;
  if (auto it = call.driver.pools.find(pool); it != call.driver.pools.end()) {
    it->second.used += bytes;
    it->second.usedHigh = std::max(it->second.usedHigh, it->second.used);
  }
  call.driver.allocations.emplace(base, state);
  *address = base;
  return Result::Success;
}

namespace {
Result allocate(Call &call, DevicePtr *address, size_t bytes) {
  return allocateDevice(call, address, bytes, 0);
}

/// Host memory that kernels see at the same address.
Result allocateHost(Call &call, void **address, size_t bytes, MemoryKind kind,
                    unsigned flags) {
  if (!address || bytes == 0)
    return Result::InvalidValue;
  if (kind == MemoryKind::Managed && bytes > call.driver.bytesLeft())
    return Result::OutOfMemory;
  if (bytes > SIZE_MAX / 2)
    return Result::OutOfMemory;
  void *host = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (!host)
    return Result::OutOfMemory;
  if (!call.driver.memory.map(DeviceAddress(uintptr_t(host)), host, bytes)) {
    std::free(host);
    return Result::OutOfMemory;
  }
  MemoryState state;
  state.context = call.contextId;
  state.kind = kind;
  state.bytes = bytes;
  state.host = host;
  state.flags = flags;
  call.driver.allocations.emplace(DeviceAddress(uintptr_t(host)), state);
  *address = host;
  return Result::Success;
}

/// The allocation that holds `address`, or the end.
auto containing(Driver &driver, DeviceAddress address) {
  auto it = driver.allocations.upper_bound(address);
  if (it == driver.allocations.begin())
    return driver.allocations.end();
  --it;
  return address - it->first < it->second.bytes ? it : driver.allocations.end();
}

/// An allocation, or a variable of a module.
struct Known {
  DeviceAddress base = 0;
  MemoryState state;
};
std::optional<Known> knownAt(Driver &driver, DeviceAddress address) {
  auto it = containing(driver, address);
  if (it != driver.allocations.end())
    return Known{it->first, it->second};
  for (const auto &[id, module] : driver.modules)
    for (const exec::GlobalInfo &info : module.program->globals()) {
      if (info.isExtern || address - info.address >= info.bytes)
        continue;
      Known known{info.address, {}};
      known.state.context = module.context;
      known.state.bytes = info.bytes;
      if (info.managed) {
        known.state.kind = MemoryKind::Managed;
        known.state.host = reinterpret_cast<void *>(uintptr_t(info.address));
      }
      return known;
    }
  return std::nullopt;
}
} // namespace

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!free || !total)
    return Result::InvalidValue;
  *total = size_t(call.driver.config.target.dramBytes);
  *free = call.driver.bytesLeft();
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemAlloc_v2(DevicePtr *address, size_t bytes) {
  Call call(Need::Context);
  return call.ok() ? allocate(call, address, bytes) : call.result;
}

HWTUNE_CUDA_API Result cuMemAllocPitch_v2(DevicePtr *address, size_t *pitch,
                                          size_t width, size_t height,
                                          unsigned element) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!address || !pitch || !width || !height ||
      (element != 4 && element != 8 && element != 16))
    return Result::InvalidValue;
  constexpr size_t kPitch = 512;
  size_t bytes;
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  if (*pitch < width || __builtin_mul_overflow(*pitch, height, &bytes))
    return Result::InvalidValue;
  return allocate(call, address, bytes);
}

HWTUNE_CUDA_API Result cuMemFree_v2(DevicePtr address) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!address)
    return Result::Success;
  auto it = call.driver.allocations.find(address);
  bool ours = it != call.driver.allocations.end() &&
              (it->second.kind == MemoryKind::Device ||
               it->second.kind == MemoryKind::Managed);
  if (!ours)
    return Result::InvalidValue;
  call.driver.synchroniseContext(call.contextId, *call.context);
  call.driver.releaseMemory(address);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemFreeAsync(DevicePtr address, cuda::Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!call.driver.stream(*call.context, stream, call.result))
    return call.result;
  auto it = call.driver.allocations.find(address);
  if (it == call.driver.allocations.end() ||
      it->second.kind != MemoryKind::Device)
    return Result::InvalidValue;
  // Memory of a graph stays, so that the graph can be launched again.
  if (!capture(call, stream, [](cuda::Stream) { return Result::Success; }))
    call.driver.releaseMemory(address);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync)

HWTUNE_CUDA_API Result cuMemGetAddressRange_v2(DevicePtr *base, size_t *bytes,
                                               DevicePtr address) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  std::optional<Known> known = knownAt(call.driver, address);
  if (!known)
    return Result::NotFound;
  if (base)
    *base = known->base;
  if (bytes)
    *bytes = known->state.bytes;
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuMemHostAlloc(void **address, size_t bytes,
                                      unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  constexpr unsigned kAll = 7; // portable, device map, write-combined
  if (flags & ~kAll)
    return Result::InvalidValue;
  return allocateHost(call, address, bytes, MemoryKind::Pinned, flags);
}

HWTUNE_CUDA_API Result cuMemAllocHost_v2(void **address, size_t bytes) {
  return cuMemHostAlloc(address, bytes, 0);
}
HWTUNE_CUDA_ALIAS(cuMemAllocHost, cuMemAllocHost_v2)

HWTUNE_CUDA_API Result cuMemFreeHost(void *address) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  auto it = call.driver.allocations.find(DeviceAddress(uintptr_t(address)));
  if (it == call.driver.allocations.end() ||
      it->second.kind != MemoryKind::Pinned)
    return Result::InvalidValue;
  call.driver.releaseMemory(it->first);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemAllocManaged(DevicePtr *address, size_t bytes,
                                         unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!address ||
      (flags != cuda::kMemAttachGlobal && flags != cuda::kMemAttachHost))
    return Result::InvalidValue;
  void *host = nullptr;
  Result result = allocateHost(call, &host, bytes, MemoryKind::Managed, flags);
  if (result == Result::Success)
    *address = DevicePtr(uintptr_t(host));
  return result;
}

HWTUNE_CUDA_API Result cuMemHostRegister_v2(void *address, size_t bytes,
                                            unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  constexpr unsigned kAll = 15; // portable, device map, I/O, read-only
  if (!address || !bytes || (flags & ~kAll) ||
      bytes > SIZE_MAX - uintptr_t(address))
    return Result::InvalidValue;
  DeviceAddress base = DeviceAddress(uintptr_t(address));
  if (!call.driver.memory.map(base, address, bytes))
    return Result::HostMemoryAlreadyRegistered;
  MemoryState state;
  state.context = call.contextId;
  state.kind = MemoryKind::Registered;
  state.bytes = bytes;
  state.host = address;
  state.flags = flags;
  call.driver.allocations.emplace(base, state);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuMemHostRegister, cuMemHostRegister_v2)

HWTUNE_CUDA_API Result cuMemHostUnregister(void *address) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!address)
    return Result::InvalidValue;
  auto it = call.driver.allocations.find(DeviceAddress(uintptr_t(address)));
  if (it == call.driver.allocations.end() ||
      it->second.kind != MemoryKind::Registered)
    return Result::HostMemoryNotRegistered;
  call.driver.releaseMemory(it->first);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemHostGetDevicePointer_v2(DevicePtr *device,
                                                    void *host,
                                                    unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!device || !host || flags)
    return Result::InvalidValue;
  auto it = containing(call.driver, DeviceAddress(uintptr_t(host)));
  if (it == call.driver.allocations.end() ||
      it->second.kind == MemoryKind::Device ||
      it->second.kind == MemoryKind::Mapped)
    return Result::InvalidValue;
  *device = DevicePtr(uintptr_t(host));
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemHostGetFlags(unsigned *flags, void *host) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!flags || !host)
    return Result::InvalidValue;
  auto it = containing(call.driver, DeviceAddress(uintptr_t(host)));
  if (it == call.driver.allocations.end() ||
      it->second.kind != MemoryKind::Pinned)
    return Result::InvalidValue;
  *flags = it->second.flags | cuda::kMemHostAllocDeviceMap;
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Hints and attributes
//===----------------------------------------------------------------------===//

namespace {
Result managedRange(Call &call, DevicePtr address, size_t bytes) {
  std::optional<Known> known = knownAt(call.driver, address);
  bool fits = known && known->state.kind == MemoryKind::Managed &&
              bytes <= known->state.bytes - (address - known->base);
  return fits && bytes ? Result::Success : Result::InvalidValue;
}
} // namespace

namespace {
/// CUmemLocation
struct MemoryLocation {
  int type, id;
};
} // namespace

/// Managed memory is in one place here, so hints are checked and forgotten.
HWTUNE_CUDA_API Result cuMemPrefetchAsync(DevicePtr address, size_t bytes,
                                          cuda::Device device,
                                          cuda::Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!call.driver.stream(*call.context, stream, call.result))
    return call.result;
  return managedRange(call, address, bytes);
}
HWTUNE_CUDA_ALIAS(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync)
HWTUNE_CUDA_API Result cuMemPrefetchAsync_v2(DevicePtr address, size_t bytes,
                                             MemoryLocation location, unsigned,
                                             cuda::Stream stream) {
  return cuMemPrefetchAsync(address, bytes, location.id, stream);
}
HWTUNE_CUDA_ALIAS(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2)

HWTUNE_CUDA_API Result cuMemAdvise(DevicePtr address, size_t bytes, int advice,
                                   cuda::Device device) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  constexpr int kLastAdvice = 6;
  if (advice < 1 || advice > kLastAdvice)
    return Result::InvalidValue;
  return managedRange(call, address, bytes);
}
HWTUNE_CUDA_API Result cuMemAdvise_v2(DevicePtr address, size_t bytes,
                                      int advice, MemoryLocation location) {
  return cuMemAdvise(address, bytes, advice, location.id);
}

namespace {
/// Values of `CUpointer_attribute` that are answered.
enum PointerAttribute {
  PointerContext = 1,
  PointerMemoryType = 2,
  PointerDevicePointer = 3,
  PointerHostPointer = 4,
  PointerIsManaged = 8,
  PointerDeviceOrdinal = 9,
  PointerRangeStart = 11,
  PointerRangeSize = 12,
  PointerMapped = 13,
};
/// CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE of CUDA 13
constexpr int kLastPointerAttribute = 21;

template <typename T> void put(void *data, T value) {
  std::memcpy(data, &value, sizeof value);
}

Result pointerAttribute(void *data, int attribute, DeviceAddress base,
                        const MemoryState &state, DevicePtr address) {
  bool isDevice = isDeviceMemory(state.kind);
  switch (attribute) {
  case PointerContext:
    put(data, handleOf<cuda::Context>(state.context));
    break;
  case PointerMemoryType:
    put(data, isDevice ? cuda::MemoryType::Device : cuda::MemoryType::Host);
    break;
  case PointerDevicePointer:
    put(data, address);
    break;
  case PointerHostPointer:
    if (!state.host || state.kind == MemoryKind::Mapped)
      return Result::InvalidValue;
    put(data, reinterpret_cast<void *>(uintptr_t(address)));
    break;
  case PointerIsManaged:
    put(data, unsigned(state.kind == MemoryKind::Managed));
    break;
  case PointerDeviceOrdinal:
    put(data, 0);
    break;
  case PointerRangeStart:
    put(data, DevicePtr(base));
    break;
  case PointerRangeSize:
    put(data, size_t(state.bytes));
    break;
  case PointerMapped:
    put(data, unsigned(1));
    break;
  default:
    return attribute >= PointerContext && attribute <= kLastPointerAttribute
               ? Result::NotSupported
               : Result::InvalidValue;
  }
  return Result::Success;
}
} // namespace

HWTUNE_CUDA_API Result cuPointerGetAttribute(void *data, int attribute,
                                             DevicePtr address) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!data)
    return Result::InvalidValue;
  std::optional<Known> known = knownAt(call.driver, address);
  if (!known)
    return Result::InvalidValue;
  return pointerAttribute(data, attribute, known->base, known->state, address);
}

HWTUNE_CUDA_API Result cuPointerGetAttributes(unsigned count, int *attributes,
                                              void **data, DevicePtr address) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!attributes || !data || !count)
    return Result::InvalidValue;
  std::optional<Known> known = knownAt(call.driver, address);
  for (unsigned i = 0; i < count; ++i) {
    // A pointer that is nobody's is an answer, not an error, in this call.
    Result result = known ? pointerAttribute(data[i], attributes[i],
                                             known->base, known->state, address)
                          : Result::Success;
    if (!known && attributes[i] == PointerMemoryType)
      put(data[i], 0u);
    if (result == Result::NotSupported)
      return result;
  }
  return Result::Success;
}
