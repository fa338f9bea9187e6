//===- Virtual.cpp - address ranges and the memory mapped into them -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reservation is a range of this process's own addresses, and device memory
// is at the same ones. Physical memory is an anonymous file, so that one piece
// can be seen at several places. To kernels and copies, pieces that lie side
// by side are one allocation.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace hwtune;
using namespace hwtune::simcuda;

namespace {

constexpr uint64_t kGranularity = 2 << 20;
constexpr int kOnDevice = 1; ///< of `type` and of the location's type
enum Access { None = 0, Read = 1, ReadWrite = 3 };

struct Location {
  int type, id;
};
/// CUmemAllocationProp
struct AllocationProperties {
  int type; ///< 1: pinned, the only one
  int handleTypes;
  Location location;
  void *windows;
  unsigned char flags[8];
};
/// CUmemAccessDesc
struct AccessDescription {
  Location location;
  int access;
};
using Handle = unsigned long long;

bool isPiece(uint64_t n) { return n && n % kGranularity == 0; }

bool isOurs(const Location &location) {
  return location.type == kOnDevice && location.id == 0;
}

PhysicalState *physicalOf(Driver &driver, Handle handle) {
  auto it = driver.physical.find(Id(handle));
  return it == driver.physical.end() ? nullptr : &it->second;
}

/// The last handle and the last mapping take the memory with them.
void drop(Driver &driver, Id id) {
  auto it = driver.physical.find(id);
  if (it == driver.physical.end() || --it->second.references)
    return;
  close(it->second.file);
  driver.physical.erase(it);
}

/// The reservation that holds a range, or null.
ReservationState *reservationOf(Driver &driver, DeviceAddress address,
                                uint64_t bytes) {
  auto it = driver.reservations.upper_bound(address);
  if (it == driver.reservations.begin())
    return nullptr;
  --it;
  uint64_t offset = address - it->first;
  bool within =
      offset <= it->second.bytes && bytes <= it->second.bytes - offset;
  return within ? &it->second : nullptr;
}

/// The mappings that make up exactly the range; empty where there are holes or
/// one reaches out of it.
std::vector<DeviceAddress> mappingsIn(const ReservationState &reservation,
                                      DeviceAddress address, uint64_t bytes) {
  std::vector<DeviceAddress> found;
  DeviceAddress at = address;
  while (at < address + bytes) {
    auto it = reservation.mappings.find(at);
    if (it == reservation.mappings.end())
      return {};
    found.push_back(at);
    at += it->second.bytes;
  }
  return at == address + bytes ? found : std::vector<DeviceAddress>();
}

/// Tells kernels and copies what can be accessed now.
void publish(Driver &driver, const ReservationState &reservation) {
  auto first = driver.allocations.lower_bound(reservation.base);
  auto last =
      driver.allocations.lower_bound(reservation.base + reservation.bytes);
  for (auto it = first; it != last; ++it)
    driver.memory.release(it->first);
  driver.allocations.erase(first, last);
  for (auto it = reservation.mappings.begin();
       it != reservation.mappings.end();) {
    DeviceAddress begin = it->first, end = begin;
    for (; it != reservation.mappings.end() && it->first == end &&
           it->second.accessible;
         ++it)
      end += it->second.bytes;
    if (end == begin) {
      ++it;
      continue;
    }
    MemoryState state;
    state.kind = MemoryKind::Mapped;
    state.bytes = end - begin;
    state.host = reinterpret_cast<void *>(begin);
    driver.memory.map(begin, state.host, state.bytes);
    driver.allocations.emplace(begin, state);
  }
}

} // namespace

HWTUNE_CUDA_API Result cuMemGetAllocationGranularity(size_t *granularity,
                                                     const void *properties,
                                                     int option) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!granularity || !properties || option < 0 || option > 1)
    return Result::InvalidValue;
  *granularity = kGranularity;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemAddressReserve(DevicePtr *address, size_t bytes,
                                           size_t alignment, DevicePtr /*hint*/,
                                           unsigned long long flags) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!address || !isPiece(bytes) || flags || (alignment & (alignment - 1)))
    return Result::InvalidValue;
  uint64_t align = std::max<uint64_t>(alignment, kGranularity);
  if (bytes > (uint64_t(1) << 46) || align > bytes + (uint64_t(1) << 40))
    return Result::OutOfMemory;
  void *range = mmap(nullptr, bytes + align, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return Result::OutOfMemory;
  auto raw = uint64_t(reinterpret_cast<uintptr_t>(range));
  uint64_t base = (raw + align - 1) / align * align;
  if (base > raw)
    munmap(range, base - raw);
  munmap(reinterpret_cast<void *>(base + bytes), raw + align - base);
  call.driver.reservations.emplace(base, ReservationState{base, bytes, {}});
  *address = base;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemAddressFree(DevicePtr address, size_t bytes) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  auto it = call.driver.reservations.find(address);
  if (it == call.driver.reservations.end() || it->second.bytes != bytes ||
      !it->second.mappings.empty())
    return Result::InvalidValue;
  munmap(reinterpret_cast<void *>(address), bytes);
  call.driver.reservations.erase(it);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemCreate(Handle *handle, size_t bytes,
                                   const AllocationProperties *properties,
                                   unsigned long long flags) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!handle || !properties || !isPiece(bytes) || flags)
    return Result::InvalidValue;
  if (properties->type != kOnDevice || !isOurs(properties->location))
    return Result::InvalidDevice;
  if (properties->handleTypes) // nobody else can be given the memory
    return Result::NotSupported;
  if (bytes > call.driver.bytesLeft())
    return Result::OutOfMemory;
  int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(bytes)) != 0) {
    if (file >= 0)
      close(file);
    return Result::OutOfMemory;
  }
  Id id = call.driver.newId();
  call.driver.physical.emplace(id, PhysicalState{file, bytes, 1, 1});
  *handle = id;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemRelease(Handle handle) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  PhysicalState *physical = physicalOf(call.driver, handle);
  if (!physical || !physical->handles)
    return Result::InvalidValue;
  --physical->handles;
  drop(call.driver, Id(handle));
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemRetainAllocationHandle(Handle *handle,
                                                   void *address) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  auto at = DeviceAddress(reinterpret_cast<uintptr_t>(address));
  ReservationState *reservation = reservationOf(call.driver, at, 1);
  if (!handle || !reservation)
    return Result::InvalidValue;
  auto it = reservation->mappings.upper_bound(at);
  if (it == reservation->mappings.begin() ||
      at - std::prev(it)->first >= std::prev(it)->second.bytes)
    return Result::InvalidValue;
  PhysicalState &physical = call.driver.physical[std::prev(it)->second.memory];
  ++physical.handles;
  ++physical.references;
  *handle = std::prev(it)->second.memory;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemGetAllocationPropertiesFromHandle(
    AllocationProperties *properties, Handle handle) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!properties || !physicalOf(call.driver, handle))
    return Result::InvalidValue;
  *properties = {kOnDevice, 0, {kOnDevice, 0}, nullptr, {}};
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemMap(DevicePtr address, size_t bytes, size_t offset,
                                Handle handle, unsigned long long flags) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  PhysicalState *physical = physicalOf(call.driver, handle);
  ReservationState *reservation = reservationOf(call.driver, address, bytes);
  // An offset is not supported by the driver, either.
  if (!physical || !reservation || !isPiece(bytes) || offset || flags ||
      address % kGranularity || bytes > physical->bytes)
    return Result::InvalidValue;
  auto next = reservation->mappings.lower_bound(address);
  if ((next != reservation->mappings.end() && next->first < address + bytes) ||
      (next != reservation->mappings.begin() &&
       std::prev(next)->first + std::prev(next)->second.bytes > address))
    return Result::InvalidValue;
  if (mmap(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, physical->file, 0) == MAP_FAILED)
    return Result::OutOfMemory;
  ++physical->references;
  reservation->mappings.emplace(address,
                                VirtualMapping{bytes, Id(handle), false});
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemUnmap(DevicePtr address, size_t bytes) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  ReservationState *reservation = reservationOf(call.driver, address, bytes);
  if (!reservation)
    return Result::InvalidValue;
  std::vector<DeviceAddress> found = mappingsIn(*reservation, address, bytes);
  if (found.empty())
    return Result::InvalidValue;
  mmap(reinterpret_cast<void *>(address), bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  for (DeviceAddress at : found) {
    Id memory = reservation->mappings[at].memory;
    reservation->mappings.erase(at);
    drop(call.driver, memory);
  }
  publish(call.driver, *reservation);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemSetAccess(DevicePtr address, size_t bytes,
                                      const AccessDescription *descriptions,
                                      size_t count) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  ReservationState *reservation = reservationOf(call.driver, address, bytes);
  if (!reservation || !descriptions || !count)
    return Result::InvalidValue;
  std::vector<DeviceAddress> found = mappingsIn(*reservation, address, bytes);
  if (found.empty())
    return Result::InvalidValue;
  for (size_t i = 0; i < count; ++i) {
    int access = descriptions[i].access;
    if (!isOurs(descriptions[i].location))
      return Result::InvalidDevice;
    if (access == Read) // not offered for device memory
      return Result::NotSupported;
    if (access != None && access != ReadWrite)
      return Result::InvalidValue;
    for (DeviceAddress at : found)
      reservation->mappings[at].accessible = access == ReadWrite;
  }
  publish(call.driver, *reservation);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuMemGetAccess(unsigned long long *access,
                                      const Location *location,
                                      DevicePtr address) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  ReservationState *reservation = reservationOf(call.driver, address, 1);
  if (!access || !location || !reservation)
    return Result::InvalidValue;
  auto it = reservation->mappings.upper_bound(address);
  bool accessible =
      it != reservation->mappings.begin() &&
      address - std::prev(it)->first < std::prev(it)->second.bytes &&
      std::prev(it)->second.accessible;
  *access = isOurs(*location) && accessible ? ReadWrite : None;
  return Result::Success;
}
