//===- DeviceBuffers.cpp - what a session does with its buffers -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceSession.h"

#include "hwtune/Measure/Generator.h"

#include <fmt/format.h>

#include <algorithm>

using namespace hwtune;
using cuda::Result;

namespace {

/// Inputs go up and come back in pieces that stay in a core's cache, so that
/// the host needs no copy. A multiple of every element size.
constexpr int64_t kPieceBytes = int64_t(512) << 10;
constexpr std::byte kGuard{0xa5};

/// Calls `step(offset, bytes)` for each piece until it returns false.
template <typename Fn> bool forEachPiece(int64_t bytes, Fn step) {
  for (int64_t at = 0; at < bytes; at += kPieceBytes)
    if (!step(at, std::min(kPieceBytes, bytes - at)))
      return false;
  return true;
}

bool isGenerated(const BufferDesc &b) { return !b.isOutput || b.readsInit; }

} // namespace

bool DeviceSession::allocate() {
  int64_t guard = policy.guardBytes, total = 0;
  for (const BufferDesc &b : launch.buffers)
    total += b.bytes() + 2 * guard + (b.readsInit ? b.bytes() : 0);
  size_t free = 0, all = 0;
  if (!check(driver.cuMemGetInfo(&free, &all), "cuMemGetInfo"))
    return false;
  if (static_cast<uint64_t>(total) > free)
    return fail(RunStatus::Launch,
                fmt::format("out of device memory: needs {} bytes, {} of {} "
                            "are free",
                            total, free, all));
  for (const BufferDesc &b : launch.buffers) {
    Buffer &buffer = buffers.emplace_back();
    // An empty buffer still has an address; kernels must not touch it.
    size_t bytes = static_cast<size_t>(std::max<int64_t>(b.bytes(), 1));
    if (!check(driver.cuMemAlloc(&buffer.allocation,
                                 bytes + 2 * static_cast<size_t>(guard)),
               "cuMemAlloc"))
      return false;
    buffer.data = buffer.allocation + static_cast<cuda::DevicePtr>(guard);
    if (b.readsInit &&
        !check(driver.cuMemAlloc(&buffer.initial, bytes), "cuMemAlloc"))
      return false;
    if (guard &&
        !check(driver.cuMemsetD8(buffer.allocation,
                                 static_cast<unsigned char>(kGuard),
                                 bytes + 2 * static_cast<size_t>(guard)),
               "cuMemsetD8"))
      return false;
  }
  return true;
}

bool DeviceSession::fillBuffer(size_t index) {
  const BufferDesc &desc = launch.buffers[index];
  const Buffer &buffer = buffers[index];
  if (desc.bytes() == 0)
    return true;
  if (!isGenerated(desc))
    return check(
        driver.cuMemsetD8(buffer.data,
                          static_cast<unsigned char>(poisonByte(desc.type)),
                          static_cast<size_t>(desc.bytes())),
        "cuMemsetD8");
  std::vector<std::byte> piece;
  int64_t size = sizeInBytes(desc.type);
  bool ok = forEachPiece(desc.bytes(), [&](int64_t at, int64_t bytes) {
    piece.resize(static_cast<size_t>(bytes));
    generate(desc.seed, desc.type, piece, static_cast<uint64_t>(at / size));
    return check(
        driver.cuMemcpyHtoD(buffer.data + static_cast<cuda::DevicePtr>(at),
                            piece.data(), piece.size()),
        "cuMemcpyHtoD");
  });
  return ok && (!buffer.initial ||
                check(driver.cuMemcpyDtoD(buffer.initial, buffer.data,
                                          static_cast<size_t>(desc.bytes())),
                      "cuMemcpyDtoD"));
}

bool DeviceSession::fill() {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!fillBuffer(i))
      return false;
  return true;
}

bool DeviceSession::restoreInitial() {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].initial && launch.buffers[i].bytes() > 0 &&
        !check(
            driver.cuMemcpyDtoD(buffers[i].data, buffers[i].initial,
                                static_cast<size_t>(launch.buffers[i].bytes())),
            "cuMemcpyDtoD"))
      return false;
  return true;
}

bool DeviceSession::verify() {
  VerifyRecord record;
  record.complete = true;
  bool someBlocks = driver.simConfigure && !launch.sampleBlocks.empty();
  auto counts = [&](const ExpectedDesc &e) {
    return !e.wholeGrid || !someBlocks;
  };
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    bool covered = !launch.buffers[i].isOutput;
    for (const ExpectedDesc &e : launch.expected)
      covered |= e.buffer == i && !e.partial && counts(e);
    record.complete &= covered;
  }
  bool right = true;
  for (const ExpectedDesc &e : launch.expected)
    if (counts(e))
      right &= compareOutput(e, record);
  if (!launch.expected.empty())
    outcome.verify = record;
  return right && inputsUnchanged() && guardsIntact();
}

bool DeviceSession::compareOutput(const ExpectedDesc &desc,
                                  VerifyRecord &record) {
  const BufferDesc &buffer = launch.buffers[desc.buffer];
  Expected<ExpectedValues> values =
      readExpected(input.expected, desc, expectedCount(desc, buffer));
  if (!values) // `loadRunInput` has looked: only for other callers
    return fail(RunStatus::Wrong, values.error().message);
  std::vector<std::byte> got(static_cast<size_t>(buffer.bytes()));
  if (!got.empty() &&
      !check(driver.cuMemcpyDtoH(got.data(), buffers[desc.buffer].data,
                                 got.size()),
             "cuMemcpyDtoH"))
    return false;
  Comparison c = desc.projection
                     ? compareSums(buffer, got, *values, desc)
                     : compareElements(buffer.type, got, *values, desc);
  record.checked += c.checked;
  record.bad += c.bad;
  record.maxAbs = std::max(record.maxAbs, c.maxAbs);
  record.maxRel = std::max(record.maxRel, c.maxRel);
  return c.ok() || fail(RunStatus::Wrong, c.describe(buffer.name));
}

bool DeviceSession::inputsUnchanged() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const BufferDesc &desc = launch.buffers[i];
    if (desc.isOutput)
      continue;
    int64_t size = sizeInBytes(desc.type);
    std::vector<std::byte> got, want;
    bool same = forEachPiece(desc.bytes(), [&](int64_t at, int64_t bytes) {
      got.resize(static_cast<size_t>(bytes));
      want.resize(static_cast<size_t>(bytes));
      generate(desc.seed, desc.type, want, static_cast<uint64_t>(at / size));
      if (!check(driver.cuMemcpyDtoH(got.data(),
                                     buffers[i].data +
                                         static_cast<cuda::DevicePtr>(at),
                                     got.size()),
                 "cuMemcpyDtoH"))
        return false;
      auto [g, w] = std::mismatch(got.begin(), got.end(), want.begin());
      return g == got.end() ||
             fail(RunStatus::Wrong,
                  fmt::format("the kernel wrote to its input `{}`, element {}",
                              desc.name, (at + (g - got.begin())) / size));
    });
    if (!same)
      return false;
  }
  return true;
}

bool DeviceSession::guardsIntact() {
  if (policy.guardBytes == 0)
    return true;
  for (size_t i = 0; i < buffers.size(); ++i) {
    int64_t bytes = std::max<int64_t>(launch.buffers[i].bytes(), 1);
    if (!guardIntact(i, buffers[i].allocation, "before") ||
        !guardIntact(i, buffers[i].data + static_cast<cuda::DevicePtr>(bytes),
                     "after"))
      return false;
  }
  return true;
}

bool DeviceSession::guardIntact(size_t index, cuda::DevicePtr at,
                                const char *side) {
  std::vector<std::byte> got(static_cast<size_t>(policy.guardBytes));
  if (!check(driver.cuMemcpyDtoH(got.data(), at, got.size()), "cuMemcpyDtoH"))
    return false;
  auto bad = std::find_if(got.begin(), got.end(),
                          [](std::byte b) { return b != kGuard; });
  if (bad == got.end())
    return true;
  int64_t offset = bad - got.begin();
  // How far from the buffer: the guard before it counts backwards.
  if (side == std::string_view("before"))
    offset = policy.guardBytes - offset;
  return fail(RunStatus::Wrong,
              fmt::format("the kernel wrote {} bytes {} buffer `{}`", offset,
                          side, launch.buffers[index].name));
}
