//===- HostMachine.h - basic operations on the CPU --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine of MathFunctions.h that computes: each operation rounds exactly
// as the PTX instruction that IrMachine's counterpart becomes.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_CODEGEN_HOSTMACHINE_H
#define HWTUNE_LIB_CODEGEN_HOSTMACHINE_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace hwtune::math {

template <class T> struct HostMachine {
  static constexpr bool wide = sizeof(T) == 8;
  using F = T;
  using I = std::conditional_t<wide, uint64_t, uint32_t>;
  using J = uint64_t;
  using C = bool;
  using S = std::make_signed_t<I>;

  F c(double x) { return static_cast<F>(x); }
  I i(int64_t x) { return static_cast<I>(x); }
  J j(uint64_t x) { return x; }
  F fma(F x, F y, F z) { return std::fma(x, y, z); }
  F trunc(F x) { return std::trunc(x); }
  F sqrt(F x) { return std::sqrt(x); }
  /// Relative error of rsqrt.approx.f32 that a test wants to see.
  double rsqrtError = 0;
  F rsqrtApprox(F x) {
    return static_cast<F>((1 + rsqrtError) / std::sqrt(static_cast<double>(x)));
  }
  F select(C c, F x, F y) { return c ? x : y; }
  I iselect(C c, I x, I y) { return c ? x : y; }
  J jselect(C c, J x, J y) { return c ? x : y; }
  I bits(F x) { return std::bit_cast<I>(x); }
  F fromBits(I x) { return std::bit_cast<F>(x); }
  C isNegative(F x) { return std::signbit(x); }
  I sar(I x, int by) { return static_cast<I>(static_cast<S>(x) >> by); }
  J jsar(J x, int by) { return static_cast<J>(static_cast<int64_t>(x) >> by); }
  I udiv(I x, int by) { return x / static_cast<I>(by); }
  C slt(J x, J y) { return static_cast<int64_t>(x) < static_cast<int64_t>(y); }
  F toFloat(I x) { return static_cast<F>(static_cast<S>(x)); }
  F fromSigned(J x) { return static_cast<F>(static_cast<int64_t>(x)); }
  J widen(I x) { return x; }
  I narrow(J x) { return static_cast<I>(x); }
  J bits64(F x) { return std::bit_cast<uint64_t>(static_cast<double>(x)); }
  J mulHigh(J x, J y) {
    return static_cast<J>((static_cast<unsigned __int128>(x) * y) >> 64);
  }
  F quarterTurns(J hi, J lo) {
    double h = static_cast<double>(static_cast<int64_t>(hi));
    double l = static_cast<double>(lo);
    return static_cast<F>((h * 0x1p-62 + l * 0x1p-126) * 0x1.921fb54442d18p+0);
  }
  template <class Then, class Else>
  std::pair<I, F> branch(C c, Then then, Else otherwise) {
    return c ? then() : otherwise();
  }
  J modShifted(J x, J y, J steps, int chunk) {
    J r = x % y;
    while (static_cast<int64_t>(steps) > 0) {
      J take = std::min<J>(steps, static_cast<J>(chunk));
      r = (r << take) % y;
      steps -= take;
    }
    return r;
  }
};

} // namespace hwtune::math

#endif // HWTUNE_LIB_CODEGEN_HOSTMACHINE_H
