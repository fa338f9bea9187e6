//===- Types.h - structures of the driver API beyond Driver/ ----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an exported function takes and `hwtune/Driver/CudaApi.h` does not
// declare. The layouts are those of `cuda.h`; a test compares sizes and values
// where that header exists.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_TYPES_H
#define HWTUNE_LIB_SIMULATOR_CUDA_TYPES_H

#include "hwtune/Driver/CudaApi.h"

namespace hwtune::cuda {

using LinkState = struct LinkImpl *;
using Library = struct LibraryImpl *;
using Kernel = struct KernelImpl *;
using MemoryPool = struct MemoryPoolImpl *;

enum class MemoryType : unsigned {
  Host = 1,
  Device = 2,
  Array = 3,
  Unified = 4
};

/// CUDA_MEMCPY2D_v2
struct Memcpy2D {
  size_t srcX, srcY;
  MemoryType srcType;
  const void *srcHost;
  DevicePtr srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstX, dstY;
  MemoryType dstType;
  void *dstHost;
  DevicePtr dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t width, height;
};

/// CUDA_MEMCPY3D_v2
struct Memcpy3D {
  size_t srcX, srcY, srcZ, srcLod;
  MemoryType srcType;
  const void *srcHost;
  DevicePtr srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstX, dstY, dstZ, dstLod;
  MemoryType dstType;
  void *dstHost;
  DevicePtr dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t width, height, depth;
};

/// CUlaunchAttribute; the value is a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    unsigned clusterDim[3];
    int programmaticSerialization;
  } value;
};
inline constexpr int kLaunchAttributeCooperative = 2;
inline constexpr int kLaunchAttributeClusterDimension = 4;

/// CUlaunchConfig
struct LaunchConfig {
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUdevprop_v1, for cuDeviceGetProperties.
struct DeviceProperties {
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock,
      totalConstantMemory, simdWidth, memPitch, regsPerBlock, clockRate,
      textureAlign;
};

/// Markers in the `extra` list of a launch.
inline void *const kLaunchEnd = nullptr;
inline void *const kLaunchBuffer = reinterpret_cast<void *>(1);
inline void *const kLaunchBufferSize = reinterpret_cast<void *>(2);

/// Stream handles that name a default stream.
inline const Stream kStreamNull = nullptr;
inline const Stream kStreamLegacy = reinterpret_cast<Stream>(1);
inline const Stream kStreamPerThread = reinterpret_cast<Stream>(2);

inline constexpr unsigned kEventInterprocess = 4;
inline constexpr unsigned kMemHostAllocDeviceMap = 2;
inline constexpr unsigned kOccupancyDisableCachingOverride = 1;

} // namespace hwtune::cuda

/// An exported entry point: the only visible symbols of the library.
#define HWTUNE_CUDA_API extern "C" __attribute__((visibility("default")))
/// A further exported name of a function defined before in this file.
#define HWTUNE_CUDA_ALIAS(other, function)                                     \
  HWTUNE_CUDA_API decltype(function) other __attribute__((alias(#function)));

#endif // HWTUNE_LIB_SIMULATOR_CUDA_TYPES_H
