//===- Copy.cpp - copies and fills ----------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>
#include <cstring>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Memcpy2D;
using cuda::Memcpy3D;
using cuda::MemoryType;
using cuda::Stream;

namespace {
/// What is known of a pointer that a caller gave.
enum class Side { Host, Device, Any };

/// Device allocations lie from the first window up to here; what is beyond is
/// host memory, whether registered or not.
constexpr DeviceAddress kLastDeviceAddress = DeviceAddress(1) << 46;

bool inDeviceRange(DeviceAddress address) {
  return address >= exec::kSharedWindow && address < kLastDeviceAddress;
}

/// Host memory behind `bytes` at `address`, or null. `isDevice` tells where it
/// lies: of an address of unknown kind, the table of allocations decides.
std::byte *resolve(Driver &driver, DeviceAddress address, uint64_t bytes,
                   Side side, bool &isDevice) {
  exec::Allocation *allocation = driver.memory.find(address);
  auto known = allocation ? driver.allocations.find(allocation->base)
                          : driver.allocations.end();
  isDevice = allocation && (known == driver.allocations.end() ||
                            isDeviceMemory(known->second.kind));
  if (side == Side::Host ||
      (side == Side::Any && !allocation && !inDeviceRange(address))) {
    // Nothing can be said of pageable memory, but neither null nor what is or
    // was an allocation of the device is of it.
    return driver.memory.wasGiven(address)
               ? nullptr
               : reinterpret_cast<std::byte *>(uintptr_t(address));
  }
  return driver.memory.host(address, bytes);
}

/// Simulated ns that a copy takes; `engine` is the one it keeps busy.
double copyTime(const TargetSpec &t, uint64_t bytes, bool fromDevice,
                bool toDevice) {
  double gbs = t.dramGBs / 2; // read and written
  if (fromDevice != toDevice)
    gbs = t.hostCopyGBs.value_or(t.dramGBs);
  double launch = t.launchUs.value_or(0) * 1000;
  return launch + (gbs > 0 ? double(bytes) / gbs : 0);
}

struct Rows {
  DeviceAddress address = 0;
  Side side = Side::Any;
  uint64_t pitch = 0, slice = 0; ///< bytes from row to row, plane to plane
};

/// Copies `depth` planes of `height` rows of `width` bytes.
Result copy(Call &call, const Rows &to, const Rows &from, uint64_t width,
            uint64_t height, uint64_t depth, Stream stream) {
  Driver &driver = call.driver;
  StreamState *state = driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  if (!width || !height || !depth)
    return Result::Success;
  auto span = [&](const Rows &r, uint64_t &bytes) {
    uint64_t rows, planes;
    return !__builtin_mul_overflow(r.pitch, height - 1, &rows) &&
           !__builtin_mul_overflow(r.slice, depth - 1, &planes) &&
           !__builtin_add_overflow(rows, planes, &bytes) &&
           !__builtin_add_overflow(bytes, width, &bytes);
  };
  uint64_t toBytes, fromBytes;
  bool toDevice, fromDevice;
  if (!to.address || !from.address || !span(to, toBytes) ||
      !span(from, fromBytes))
    return Result::InvalidValue;
  std::byte *target = resolve(driver, to.address, toBytes, to.side, toDevice);
  std::byte *source =
      resolve(driver, from.address, fromBytes, from.side, fromDevice);
  if (!target || !source)
    return Result::InvalidValue;
  for (uint64_t z = 0; z < depth; ++z)
    for (uint64_t y = 0; y < height; ++y) {
      uint64_t t = z * to.slice + y * to.pitch;
      std::memmove(target + t, source + z * from.slice + y * from.pitch, width);
      if (toDevice)
        driver.memory.markWritten(to.address + t, width);
    }
  double &engine =
      fromDevice && !toDevice ? driver.copyOutEnd : driver.copyInEnd;
  double ns = copyTime(driver.config.target, width * height * depth, fromDevice,
                       toDevice);
  driver.schedule(*call.context, call.contextId, *state, ns, engine);
  return Result::Success;
}

Result copyLinear(DevicePtr to, Side toSide, DevicePtr from, Side fromSide,
                  size_t bytes, Stream stream, bool wait) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!wait && capture(call, stream, [=](Stream s) {
        return copyLinear(to, toSide, from, fromSide, bytes, s, false);
      }))
    return Result::Success;
  Result result = copy(call, {to, toSide, 0, 0}, {from, fromSide, 0, 0}, bytes,
                       1, 1, stream);
  if (result == Result::Success && wait)
    call.driver.synchronise(
        *call.driver.stream(*call.context, stream, call.result));
  return result;
}

DevicePtr hostAddress(const void *p) { return DevicePtr(uintptr_t(p)); }
} // namespace

//===----------------------------------------------------------------------===//
// Linear copies
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuMemcpy(DevicePtr to, DevicePtr from, size_t bytes) {
  return copyLinear(to, Side::Any, from, Side::Any, bytes, nullptr, true);
}
HWTUNE_CUDA_ALIAS(cuMemcpy_ptds, cuMemcpy)

HWTUNE_CUDA_API Result cuMemcpyAsync(DevicePtr to, DevicePtr from, size_t bytes,
                                     Stream stream) {
  return copyLinear(to, Side::Any, from, Side::Any, bytes, stream, false);
}
HWTUNE_CUDA_ALIAS(cuMemcpyAsync_ptsz, cuMemcpyAsync)

static bool areContexts(cuda::Context a, cuda::Context b) {
  Call call(Need::Context);
  return !call.ok() || (call.driver.contexts.count(idOf(a)) &&
                        call.driver.contexts.count(idOf(b)));
}

/// One device: between its contexts as within one.
HWTUNE_CUDA_API Result cuMemcpyPeer(DevicePtr to, cuda::Context toContext,
                                    DevicePtr from, cuda::Context fromContext,
                                    size_t bytes) {
  return areContexts(toContext, fromContext) ? cuMemcpy(to, from, bytes)
                                             : Result::InvalidContext;
}
HWTUNE_CUDA_ALIAS(cuMemcpyPeer_ptds, cuMemcpyPeer)
HWTUNE_CUDA_API Result cuMemcpyPeerAsync(DevicePtr to, cuda::Context toContext,
                                         DevicePtr from,
                                         cuda::Context fromContext,
                                         size_t bytes, Stream stream) {
  return areContexts(toContext, fromContext)
             ? cuMemcpyAsync(to, from, bytes, stream)
             : Result::InvalidContext;
}
HWTUNE_CUDA_ALIAS(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync)

HWTUNE_CUDA_API Result cuMemcpyHtoD_v2(DevicePtr to, const void *from,
                                       size_t bytes) {
  return copyLinear(to, Side::Device, hostAddress(from), Side::Host, bytes,
                    nullptr, true);
}
HWTUNE_CUDA_ALIAS(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2)

HWTUNE_CUDA_API Result cuMemcpyDtoH_v2(void *to, DevicePtr from, size_t bytes) {
  return copyLinear(hostAddress(to), Side::Host, from, Side::Device, bytes,
                    nullptr, true);
}
HWTUNE_CUDA_ALIAS(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2)

HWTUNE_CUDA_API Result cuMemcpyDtoD_v2(DevicePtr to, DevicePtr from,
                                       size_t bytes) {
  return copyLinear(to, Side::Device, from, Side::Device, bytes, nullptr, true);
}
HWTUNE_CUDA_ALIAS(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2)

HWTUNE_CUDA_API Result cuMemcpyHtoDAsync_v2(DevicePtr to, const void *from,
                                            size_t bytes, Stream stream) {
  return copyLinear(to, Side::Device, hostAddress(from), Side::Host, bytes,
                    stream, false);
}
HWTUNE_CUDA_ALIAS(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2)

HWTUNE_CUDA_API Result cuMemcpyDtoHAsync_v2(void *to, DevicePtr from,
                                            size_t bytes, Stream stream) {
  return copyLinear(hostAddress(to), Side::Host, from, Side::Device, bytes,
                    stream, false);
}
HWTUNE_CUDA_ALIAS(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2)

HWTUNE_CUDA_API Result cuMemcpyDtoDAsync_v2(DevicePtr to, DevicePtr from,
                                            size_t bytes, Stream stream) {
  return copyLinear(to, Side::Device, from, Side::Device, bytes, stream, false);
}
HWTUNE_CUDA_ALIAS(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2)

//===----------------------------------------------------------------------===//
// Copies of rectangles and boxes
//===----------------------------------------------------------------------===//

namespace {
/// One side of a 2D or 3D copy; false where it is an array or overflows.
bool rowsOf(Rows &rows, MemoryType type, const void *host, DevicePtr device,
            uint64_t pitch, uint64_t height, uint64_t x, uint64_t y, uint64_t z,
            uint64_t width) {
  if (type == MemoryType::Host) {
    rows.address = hostAddress(host);
    rows.side = Side::Host;
  } else if (type == MemoryType::Device || type == MemoryType::Unified) {
    rows.address = device;
    rows.side = type == MemoryType::Device ? Side::Device : Side::Any;
  } else {
    return false;
  }
  rows.pitch = pitch ? pitch : width;
  if (!rows.address || __builtin_mul_overflow(rows.pitch, height, &rows.slice))
    return false;
  uint64_t offset, plane;
  return !__builtin_mul_overflow(rows.pitch, y, &offset) &&
         !__builtin_mul_overflow(rows.slice, z, &plane) &&
         !__builtin_add_overflow(offset, plane, &offset) &&
         !__builtin_add_overflow(offset, x, &offset) &&
         !__builtin_add_overflow(rows.address, offset, &rows.address);
}

Result copyBox(const Memcpy3D *c, Stream stream, bool wait) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!c)
    return Result::InvalidValue;
  if (c->srcType == MemoryType::Array || c->dstType == MemoryType::Array)
    return Result::NotSupported;
  Rows from, to;
  uint64_t srcHeight = c->srcHeight ? c->srcHeight : c->height;
  uint64_t dstHeight = c->dstHeight ? c->dstHeight : c->height;
  if ((c->srcPitch && c->srcPitch < c->srcX + c->width) ||
      (c->dstPitch && c->dstPitch < c->dstX + c->width) ||
      !rowsOf(from, c->srcType, c->srcHost, c->srcDevice, c->srcPitch,
              srcHeight, c->srcX, c->srcY, c->srcZ, c->width) ||
      !rowsOf(to, c->dstType, c->dstHost, c->dstDevice, c->dstPitch, dstHeight,
              c->dstX, c->dstY, c->dstZ, c->width))
    return Result::InvalidValue;
  if (!wait && capture(call, stream, [box = *c](Stream s) {
        return copyBox(&box, s, false);
      }))
    return Result::Success;
  Result result = copy(call, to, from, c->width, c->height, c->depth, stream);
  if (result == Result::Success && wait)
    call.driver.synchronise(
        *call.driver.stream(*call.context, stream, call.result));
  return result;
}

Result copyRectangle(const Memcpy2D *c, Stream stream, bool wait) {
  if (!c)
    return copyBox(nullptr, stream, wait);
  Memcpy3D box{};
  box.srcX = c->srcX;
  box.srcY = c->srcY;
  box.srcType = c->srcType;
  box.srcHost = c->srcHost;
  box.srcDevice = c->srcDevice;
  box.srcPitch = c->srcPitch;
  box.dstX = c->dstX;
  box.dstY = c->dstY;
  box.dstType = c->dstType;
  box.dstHost = c->dstHost;
  box.dstDevice = c->dstDevice;
  box.dstPitch = c->dstPitch;
  box.width = c->width;
  box.height = c->height;
  box.depth = 1;
  return copyBox(&box, stream, wait);
}
} // namespace

HWTUNE_CUDA_API Result cuMemcpy2D_v2(const Memcpy2D *c) {
  return copyRectangle(c, nullptr, true);
}
HWTUNE_CUDA_ALIAS(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2)
HWTUNE_CUDA_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2)
HWTUNE_CUDA_ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2)

HWTUNE_CUDA_API Result cuMemcpy2DAsync_v2(const Memcpy2D *c, Stream stream) {
  return copyRectangle(c, stream, false);
}
HWTUNE_CUDA_ALIAS(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2)

HWTUNE_CUDA_API Result cuMemcpy3D_v2(const Memcpy3D *c) {
  return copyBox(c, nullptr, true);
}
HWTUNE_CUDA_ALIAS(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2)

HWTUNE_CUDA_API Result cuMemcpy3DAsync_v2(const Memcpy3D *c, Stream stream) {
  return copyBox(c, stream, false);
}
HWTUNE_CUDA_ALIAS(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2)

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

namespace {
template <typename T>
Result fill(DevicePtr to, uint64_t pitch, T value, uint64_t width,
            uint64_t height, Stream stream) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  Driver &driver = call.driver;
  StreamState *state = driver.stream(*call.context, stream, call.result);
  if (!state)
    return call.result;
  if (!width || !height)
    return Result::Success;
  if (capture(call, stream, [=](Stream s) {
        return fill<T>(to, pitch, value, width, height, s);
      }))
    return Result::Success;
  uint64_t row, bytes;
  if (to % sizeof(T) || pitch % sizeof(T) ||
      __builtin_mul_overflow(width, uint64_t(sizeof(T)), &row) ||
      (height > 1 && pitch < row) ||
      __builtin_mul_overflow(pitch, height - 1, &bytes) ||
      __builtin_add_overflow(bytes, row, &bytes))
    return Result::InvalidValue;
  bool isDevice;
  std::byte *target =
      to ? resolve(driver, to, bytes, Side::Device, isDevice) : nullptr;
  if (!target)
    return Result::InvalidValue;
  bool isDone = !value && height == 1 && driver.memory.discard(to, row);
  for (uint64_t y = 0; y < height && !isDone; ++y)
    if constexpr (sizeof(T) == 1)
      std::memset(target + y * pitch, int(value), width);
    else
      std::fill_n(reinterpret_cast<T *>(target + y * pitch), width, value);
  for (uint64_t y = 0; y < height; ++y)
    driver.memory.markWritten(to + y * pitch, row);
  const TargetSpec &t = driver.config.target;
  double ns = t.launchUs.value_or(0) * 1000 +
              (t.dramGBs > 0 ? double(row * height) / t.dramGBs : 0);
  driver.schedule(*call.context, call.contextId, *state, ns, driver.computeEnd);
  return Result::Success;
}
} // namespace

#define HWTUNE_FILL(bits, type)                                                \
  HWTUNE_CUDA_API Result cuMemsetD##bits##_v2(DevicePtr to, type value,        \
                                              size_t count) {                  \
    return fill<type>(to, 0, value, count, 1, nullptr);                        \
  }                                                                            \
  HWTUNE_CUDA_ALIAS(cuMemsetD##bits##_v2_ptds, cuMemsetD##bits##_v2)           \
  HWTUNE_CUDA_API Result cuMemsetD##bits##Async(DevicePtr to, type value,      \
                                                size_t count, Stream stream) { \
    return fill<type>(to, 0, value, count, 1, stream);                         \
  }                                                                            \
  HWTUNE_CUDA_ALIAS(cuMemsetD##bits##Async_ptsz, cuMemsetD##bits##Async)       \
  HWTUNE_CUDA_API Result cuMemsetD2D##bits##_v2(                               \
      DevicePtr to, size_t pitch, type value, size_t width, size_t height) {   \
    return fill<type>(to, pitch, value, width, height, nullptr);               \
  }                                                                            \
  HWTUNE_CUDA_ALIAS(cuMemsetD2D##bits##_v2_ptds, cuMemsetD2D##bits##_v2)       \
  HWTUNE_CUDA_API Result cuMemsetD2D##bits##Async(                             \
      DevicePtr to, size_t pitch, type value, size_t width, size_t height,     \
      Stream stream) {                                                         \
    return fill<type>(to, pitch, value, width, height, stream);                \
  }                                                                            \
  HWTUNE_CUDA_ALIAS(cuMemsetD2D##bits##Async_ptsz, cuMemsetD2D##bits##Async)

HWTUNE_FILL(8, unsigned char)
HWTUNE_FILL(16, unsigned short)
HWTUNE_FILL(32, unsigned)
