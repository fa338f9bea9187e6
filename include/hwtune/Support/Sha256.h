//===- Sha256.h - the hash of canonical keys ------------------ -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FIPS 180-4 SHA-256, so that a key is the same on every platform and in every
// release. Not for secrets: keys name operations.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_SHA256_H
#define HWTUNE_SUPPORT_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hwtune {

/// Incremental SHA-256.
class Sha256 {
public:
  void update(std::string_view bytes);
  /// The digest of everything seen; the object must not be used afterwards.
  std::array<uint8_t, 32> finish();

private:
  void block(const uint8_t *data);
  std::array<uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> buffer{};
  uint64_t length = 0; ///< bytes seen
};

/// Lower-case hex digest of `bytes`.
std::string sha256Hex(std::string_view bytes);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_SHA256_H
