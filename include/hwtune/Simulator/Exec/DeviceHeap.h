//===- DeviceHeap.h - malloc and free of device code ------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels allocate stays until a kernel frees it, or until the heap goes:
// a driver keeps one for each context. Each block is an allocation of its own
// in global memory, so that an access past its end is found.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_EXEC_DEVICEHEAP_H
#define HWTUNE_SIMULATOR_EXEC_DEVICEHEAP_H

#include "hwtune/Simulator/Exec/GlobalMemory.h"

#include <cstdint>
#include <unordered_map>

namespace hwtune::exec {

class DeviceHeap {
public:
  /// The size that CUDA documents as the default.
  static constexpr uint64_t kDefaultBytes = 8 << 20;

  /// A heap of `limit` bytes in `memory`, which must outlive it.
  explicit DeviceHeap(GlobalMemory &memory, uint64_t limit = kDefaultBytes)
      : memory(memory), limit(limit) {}
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap &) = delete;
  DeviceHeap &operator=(const DeviceHeap &) = delete;

  /// A block of at least `bytes`; 0 where the heap has no room, or for 0 bytes.
  DeviceAddress allocate(uint64_t bytes);
  /// Ends a block; false if `address` is none.
  bool release(DeviceAddress address);

  /// Whether a kernel has called `malloc` or `free`.
  bool isUsed() const { return used; }

private:
  GlobalMemory &memory;
  uint64_t limit, inUse = 0; ///< bytes
  bool used = false;
  std::unordered_map<DeviceAddress, uint64_t> blocks; ///< to bytes of the heap
};

} // namespace hwtune::exec

#endif // HWTUNE_SIMULATOR_EXEC_DEVICEHEAP_H
