//===- DeviceHeap.cpp - malloc and free of device code --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Exec/DeviceHeap.h"

namespace hwtune::exec {

DeviceHeap::~DeviceHeap() {
  for (const auto &[address, bytes] : blocks)
    memory.release(address);
}

DeviceAddress DeviceHeap::allocate(uint64_t bytes) {
  used = true;
  constexpr uint64_t kAlignment = 16;
  if (bytes == 0 || bytes > limit)
    return 0;
  uint64_t taken = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (taken > limit - inUse)
    return 0;
  DeviceAddress address = memory.allocate(bytes);
  if (!address)
    return 0;
  blocks.emplace(address, taken);
  inUse += taken;
  return address;
}

bool DeviceHeap::release(DeviceAddress address) {
  used = true;
  auto it = blocks.find(address);
  if (it == blocks.end())
    return false;
  inUse -= it->second;
  blocks.erase(it);
  return memory.release(address);
}

} // namespace hwtune::exec
