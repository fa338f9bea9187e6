//===- GlobalMemory.cpp - device addresses and what is behind them --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Exec/GlobalMemory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace hwtune::exec {

/// Memory that this object obtained from the host.
struct GlobalMemory::Owned {
  void *host = nullptr;
  uint64_t mapped = 0; ///< bytes of a mapping, 0 for the heap
  ~Owned() {
    if (mapped)
      munmap(host, mapped);
    else
      free(host);
  }
};

GlobalMemory::GlobalMemory() = default;
GlobalMemory::~GlobalMemory() = default;
GlobalMemory::GlobalMemory(GlobalMemory &&) noexcept = default;
GlobalMemory &GlobalMemory::operator=(GlobalMemory &&) noexcept = default;

// Allocations lie apart, so that a small overrun hits none.
static constexpr uint64_t kGap = 512;
static constexpr uint64_t kMapFrom = 1 << 20, kPage = 4096;

static uint64_t roundUp(uint64_t n, uint64_t align) {
  return (n + align - 1) / align * align;
}

DeviceAddress GlobalMemory::allocate(uint64_t bytes, uint64_t align) {
  bytes = std::max<uint64_t>(bytes, 1);
  align = std::max<uint64_t>(align, 256);
  if (bytes > (1ull << 46))
    return 0;
  auto memory = std::make_unique<Owned>();
  if (bytes >= kMapFrom) {
    uint64_t size = roundUp(bytes, kPage);
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
      return 0;
    madvise(p, size, MADV_HUGEPAGE);
    memory->host = p;
    memory->mapped = size;
  } else {
    memory->host = aligned_alloc(256, roundUp(bytes, 256));
    if (!memory->host)
      return 0;
    std::fill_n(static_cast<std::byte *>(memory->host), roundUp(bytes, 256),
                std::byte(0));
  }
  uint64_t reserved = roundUp(bytes, 256) + kGap;
  DeviceAddress base = 0;
  for (auto [it, end] = freeRanges.equal_range(reserved); it != end; ++it)
    if (it->second % align == 0) {
      base = it->second;
      freeRanges.erase(it);
      break;
    }
  if (!base) {
    base = roundUp(next, align);
    next = base + reserved;
  }
  Allocation a;
  a.base = base;
  a.bytes = bytes;
  a.host = static_cast<std::byte *>(memory->host);
  table[base] = std::move(a);
  owned[base] = std::move(memory);
  inUse += bytes;
  return base;
}

bool GlobalMemory::map(DeviceAddress address, void *host, uint64_t bytes) {
  if (!bytes || address + bytes < address)
    return false;
  struct {
    uint64_t base, bytes;
  } windows[] = {{kSharedWindow, kSharedWindowBytes},
                 {kLocalWindow, kLocalWindowBytes},
                 {kParamWindow, kParamWindowBytes}};
  for (auto w : windows)
    if (address < w.base + w.bytes && w.base < address + bytes)
      return false;
  auto after = table.upper_bound(address);
  if (after != table.end() && after->first < address + bytes)
    return false;
  if (after != table.begin() &&
      std::prev(after)->second.base + std::prev(after)->second.bytes > address)
    return false;
  Allocation a;
  a.base = address;
  a.bytes = bytes;
  a.host = static_cast<std::byte *>(host);
  table[address] = std::move(a);
  return true;
}

bool GlobalMemory::release(DeviceAddress base) {
  auto it = table.find(base);
  if (it == table.end())
    return false;
  if (auto o = owned.find(base); o != owned.end()) {
    inUse -= it->second.bytes;
    freeRanges.emplace(roundUp(it->second.bytes, 256) + kGap, base);
    owned.erase(o);
  }
  table.erase(it);
  return true;
}

void GlobalMemory::setReadOnly(DeviceAddress base, bool readOnly) {
  if (auto it = table.find(base); it != table.end())
    it->second.readOnly = readOnly;
}

void GlobalMemory::trackWrites(DeviceAddress base) {
  if (auto it = table.find(base); it != table.end())
    it->second.written.assign((it->second.bytes + 63) / 64, 0);
}

void GlobalMemory::markWritten(DeviceAddress address, uint64_t bytes) {
  Allocation *a = find(address);
  if (!a || a->written.empty())
    return;
  uint64_t begin = address - a->base, end = std::min(begin + bytes, a->bytes);
  for (uint64_t i = begin; i < end;) {
    if (i % 64 == 0 && i + 64 <= end) {
      a->written[i / 64] = ~0ull;
      i += 64;
    } else {
      a->written[i / 64] |= 1ull << (i % 64);
      ++i;
    }
  }
}

Allocation *GlobalMemory::find(DeviceAddress address) {
  auto after = table.upper_bound(address);
  if (after == table.begin())
    return nullptr;
  Allocation &a = std::prev(after)->second;
  return address - a.base < a.bytes ? &a : nullptr;
}
const Allocation *GlobalMemory::find(DeviceAddress address) const {
  return const_cast<GlobalMemory *>(this)->find(address);
}

std::byte *GlobalMemory::host(DeviceAddress address, uint64_t bytes) {
  Allocation *a = find(address);
  if (!a || bytes > a->bytes - (address - a->base))
    return nullptr;
  return a->host + (address - a->base);
}

bool GlobalMemory::discard(DeviceAddress address, uint64_t bytes) {
  std::byte *from = host(address, bytes);
  const Allocation *a = find(address);
  auto mapping = a ? owned.find(a->base) : owned.end();
  if (!from || bytes < kMapFrom || mapping == owned.end() ||
      !mapping->second->mapped)
    return false;
  uint64_t offset = address - a->base, end = offset + bytes;
  uint64_t first = roundUp(offset, kPage), last = end / kPage * kPage;
  if (madvise(a->host + first, last - first, MADV_DONTNEED) != 0)
    return false;
  std::fill(from, a->host + first, std::byte(0));
  std::fill(a->host + last, a->host + end, std::byte(0));
  return true;
}

} // namespace hwtune::exec
