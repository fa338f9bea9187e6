//===- GlobalMemory.h - device addresses and what is behind them -*- C++
//-*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The global memory of one simulated device: a table of allocations. Device
// addresses are given out from a fixed base, so that equal programs see equal
// addresses; host memory can be mapped at a device address of the caller's
// choice. Not thread-safe: the caller serialises changes with launches.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_EXEC_GLOBALMEMORY_H
#define HWTUNE_SIMULATOR_EXEC_GLOBALMEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace hwtune::exec {

using DeviceAddress = uint64_t;

/// Windows of the generic address space. Device allocations start above all
/// of them, so an address belongs to one space.
inline constexpr DeviceAddress kSharedWindow = 0x4'0000'0000;
inline constexpr uint64_t kSharedWindowBytes = 0x0100'0000;
inline constexpr DeviceAddress kLocalWindow = 0x5'0000'0000;
inline constexpr uint64_t kLocalWindowBytes = 0x1'0000'0000;
inline constexpr DeviceAddress kParamWindow = 0x7'0000'0000;
inline constexpr uint64_t kParamWindowBytes = 0x0001'0000;
inline constexpr DeviceAddress kFirstDeviceAddress = 0x10'0000'0000;

struct Allocation {
  DeviceAddress base = 0;
  uint64_t bytes = 0;
  std::byte *host = nullptr;
  bool readOnly = false; ///< constants: stores are illegal
  /// One bit per byte, set once written; empty: everything counts as written.
  std::vector<uint64_t> written;
};

class GlobalMemory {
public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(GlobalMemory &&) noexcept;
  GlobalMemory &operator=(GlobalMemory &&) noexcept;

  /// Zero-filled memory at a new address, a multiple of `align` (a power of
  /// two, raised to 256). 0 where the host refuses. `bytes` is at least 1.
  DeviceAddress allocate(uint64_t bytes, uint64_t align = 256);
  /// Maps memory that the caller owns at `address` (which may be equal to the
  /// host pointer). False where it overlaps an allocation or a window.
  bool map(DeviceAddress address, void *host, uint64_t bytes);
  /// Ends an allocation or mapping by its base address; false if there is none.
  bool release(DeviceAddress base);
  void setReadOnly(DeviceAddress base, bool readOnly);

  /// From now on reads of never-written bytes of `base` are seen in checked
  /// launches. Without this call an allocation counts as written.
  void trackWrites(DeviceAddress base);
  /// Marks bytes as written (host copies, memset).
  void markWritten(DeviceAddress address, uint64_t bytes);

  /// The allocation that holds `address`, or null.
  Allocation *find(DeviceAddress address);
  const Allocation *find(DeviceAddress address) const;
  /// Host memory of [address, address + bytes), or null where that is not
  /// within one allocation.
  std::byte *host(DeviceAddress address, uint64_t bytes);

  /// Makes large memory of this object zero again without touching it all;
  /// false where that cannot be done.
  bool discard(DeviceAddress address, uint64_t bytes);

  uint64_t bytesInUse() const { return inUse; }
  /// Whether `address` lies where allocations of this memory do or did.
  bool wasGiven(DeviceAddress address) const {
    return address >= kFirstDeviceAddress && address < next;
  }
  const std::map<DeviceAddress, Allocation> &allocations() const {
    return table;
  }

private:
  struct Owned;
  std::map<DeviceAddress, Allocation> table; ///< by base
  std::map<DeviceAddress, std::unique_ptr<Owned>> owned;
  DeviceAddress next = kFirstDeviceAddress;
  std::multimap<uint64_t, DeviceAddress> freeRanges; ///< by reserved bytes
  uint64_t inUse = 0;
};

} // namespace hwtune::exec

#endif // HWTUNE_SIMULATOR_EXEC_GLOBALMEMORY_H
