//===- ConvertAny.h - a conversion between scalar types ---------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_CONVERTANY_H
#define HWTUNE_LIB_SIMULATOR_EXEC_CONVERTANY_H

#include "SoftFloat.h"

#include <optional>
#include <string_view>

namespace hwtune::exec {

enum class Scalar : uint8_t {
  U8,
  S8,
  U16,
  S16,
  U32,
  S32,
  U64,
  S64,
  F16,
  BF16,
  TF32,
  F32,
  F64
};

constexpr bool isInteger(Scalar t) { return t <= Scalar::S64; }
constexpr bool isSigned(Scalar t) { return isInteger(t) && uint8_t(t) % 2; }
constexpr unsigned scalarBits(Scalar t) {
  constexpr unsigned bits[] = {8,  8,  16, 16, 32, 32, 64,
                               64, 16, 16, 32, 32, 64};
  return bits[size_t(t)];
}
/// Of a PTX type ("bf16"), or nothing.
std::optional<Scalar> scalarOf(std::string_view type);

/// cvt{.rounding}{.ftz}{.sat}{.relu}{.satfinite}.to.from
struct ConvertDesc {
  Scalar to{}, from{};
  Rounding rounding = Rounding::Nearest;
  bool integral = false; ///< .rni, .rzi, ...: to a whole number
  bool ftz = false, saturate = false, relu = false, saturateFinite = false;

  /// False on a modifier that cvt does not have.
  bool addModifier(std::string_view modifier);

  uint32_t pack() const {
    return uint32_t(to) | uint32_t(from) << 4 | uint32_t(rounding) << 8 |
           uint32_t(integral) << 12 | uint32_t(ftz) << 13 |
           uint32_t(saturate) << 14 | uint32_t(relu) << 15 |
           uint32_t(saturateFinite) << 16;
  }
  static ConvertDesc unpack(uint32_t code) {
    ConvertDesc d;
    d.to = Scalar(code & 15);
    d.from = Scalar(code >> 4 & 15);
    d.rounding = Rounding(code >> 8 & 15);
    d.integral = code >> 12 & 1;
    d.ftz = code >> 13 & 1;
    d.saturate = code >> 14 & 1;
    d.relu = code >> 15 & 1;
    d.saturateFinite = code >> 16 & 1;
    return d;
  }
};

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_CONVERTANY_H
