//===- Image.cpp - PTX out of what cuModuleLoad is given ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fat binary's layout is not documented; this is what `fatbinary` of CUDA
// 13.0 writes, looked at with a hex viewer: a header, then one entry per
// architecture and kind, each with a header of its own.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <vector>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Result;

namespace {
constexpr uint32_t kFatMagic = 0xba55ed50, kWrapperMagic = 0x466243b1;
constexpr uint16_t kKindPtx = 1;
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
/// Larger than any PTX that a compiler wrote, small enough to allocate.
constexpr uint64_t kMaxText = uint64_t(1) << 30;

struct FatHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; ///< of all entries
};
struct FatEntry {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t bytes; ///< of the payload, padded
  uint32_t compressedBytes, optionsOffset;
  uint16_t minor, major; ///< of the PTX version
  uint32_t arch;         ///< 80 for sm_80
  uint64_t name;
  uint64_t flags;
  uint64_t reserved;
  uint64_t textBytes; ///< uncompressed, where it is compressed
};
struct Wrapper {
  uint32_t magic, version;
  const void *data;
  const void *unused;
};

ImageText failure(Result result, std::string message) {
  return {result, "", std::move(message)};
}

ImageText unpack(const FatEntry &entry, const std::byte *payload) {
  const char *data = reinterpret_cast<const char *>(payload);
  bool lz4 = entry.flags & kFlagLz4, zstd = entry.flags & kFlagZstd;
  if (!lz4 && !zstd) {
    ImageText plain;
    plain.text.assign(data, strnlen(data, entry.bytes));
    return plain;
  }
  if (entry.textBytes > kMaxText || entry.compressedBytes > entry.bytes)
    return failure(
        Result::InvalidImage,
        fmt::format("fat binary has {} bytes of PTX in {} of {} bytes",
                    entry.textBytes, entry.compressedBytes, entry.bytes));
  ImageText out;
  out.text.resize(entry.textBytes);
  bool ok;
  if (lz4) {
    int got =
        LZ4_decompress_safe(data, out.text.data(), int(entry.compressedBytes),
                            int(entry.textBytes));
    ok = got >= 0 && uint64_t(got) == entry.textBytes;
  } else {
    size_t got = ZSTD_decompress(out.text.data(), entry.textBytes, data,
                                 entry.compressedBytes);
    ok = !ZSTD_isError(got) && got == entry.textBytes;
  }
  if (!ok)
    return failure(Result::InvalidImage,
                   "compressed PTX in the fat binary is damaged");
  out.text.resize(strnlen(out.text.data(), out.text.size()));
  return out;
}

/// The suffix of the `.target` that `text` names, if it can be told cheaply.
char targetSuffix(std::string_view text) {
  size_t at = text.find(".target");
  if (at == text.npos)
    return 0;
  at = text.find("sm_", at);
  if (at == text.npos)
    return 0;
  at = text.find_first_not_of("0123456789", at + 3);
  return at != text.npos && (text[at] == 'a' || text[at] == 'f') ? text[at] : 0;
}

ImageText fromFatBinary(const std::byte *image, size_t known, int capability) {
  FatHeader header;
  if (known && known < sizeof header)
    return failure(Result::InvalidImage,
                   "fat binary is shorter than its header");
  std::memcpy(&header, image, sizeof header);
  if (header.headerBytes < sizeof header || header.bytes > kMaxText ||
      (known && header.headerBytes + header.bytes > known))
    return failure(Result::InvalidImage, "fat binary is longer than its image");
  const std::byte *at = image + header.headerBytes, *end = at + header.bytes;
  ImageText best = failure(Result::NoBinaryForGpu, "");
  unsigned bestArch = 0;
  std::string seen;
  while (size_t(end - at) >= sizeof(FatEntry)) {
    FatEntry entry;
    std::memcpy(&entry, at, sizeof entry);
    size_t left = size_t(end - at);
    if (entry.headerBytes < sizeof entry || entry.headerBytes > left ||
        entry.bytes > left - entry.headerBytes)
      return failure(Result::InvalidImage,
                     "entry of the fat binary is longer than the rest of it");
    const std::byte *payload = at + entry.headerBytes;
    at = payload + entry.bytes;
    bool isPtx = entry.kind == kKindPtx;
    seen += fmt::format("{}{} for sm_{}", seen.empty() ? "" : ", ",
                        isPtx ? "PTX" : "machine code", entry.arch);
    if (!isPtx || int(entry.arch) > capability || entry.arch <= bestArch)
      continue;
    ImageText text = unpack(entry, payload);
    if (text.result != Result::Success)
      return text;
    if (!runsOn(entry.arch, targetSuffix(text.text), capability))
      continue;
    best = std::move(text);
    bestArch = entry.arch;
  }
  if (!bestArch)
    best.message =
        fmt::format("fat binary has {}; expected PTX for sm_{} or older",
                    seen.empty() ? "nothing" : seen, capability);
  return best;
}
} // namespace

bool simcuda::runsOn(unsigned sm, char suffix, int capability) {
  unsigned device = unsigned(capability);
  if (suffix == 'a') // this architecture alone
    return sm == device;
  if (suffix == 'f') // this family: the same major version
    return sm <= device && sm / 10 == device / 10;
  return sm <= device;
}

ImageText simcuda::ptxOfImage(const void *image, size_t bytes, int capability) {
  uint32_t magic = 0;
  auto *text = static_cast<const char *>(image);
  size_t shortest = bytes ? std::min<size_t>(bytes, 4) : strnlen(text, 4);
  std::memcpy(&magic, text, shortest);
  if (magic == kWrapperMagic && (!bytes || bytes >= sizeof(Wrapper))) {
    Wrapper wrapper;
    std::memcpy(&wrapper, image, sizeof wrapper);
    if (!wrapper.data)
      return failure(Result::InvalidImage,
                     "fat binary wrapper points to nothing");
    std::memcpy(&magic, wrapper.data, 4);
    if (magic != kFatMagic)
      return failure(Result::InvalidImage,
                     "fat binary wrapper does not point to a fat binary");
    return fromFatBinary(static_cast<const std::byte *>(wrapper.data), 0,
                         capability);
  }
  if (magic == kFatMagic)
    return fromFatBinary(static_cast<const std::byte *>(image), bytes,
                         capability);
  if (shortest == 4 && std::memcmp(text, "\177ELF", 4) == 0)
    return failure(Result::NoBinaryForGpu,
                   "image is machine code (a cubin); the simulated GPU runs "
                   "PTX, so compile to PTX");
  if (std::string_view(text, shortest) == "!<ar")
    return failure(Result::NoBinaryForGpu,
                   "image is a library of machine code; the simulated GPU runs "
                   "PTX, so compile to PTX");
  ImageText plain;
  plain.text.assign(text, bytes ? strnlen(text, bytes) : std::strlen(text));
  if (plain.text.empty())
    return failure(Result::InvalidImage, "image is empty");
  return plain;
}
