//===- VecFloat.h - PTX rules for f32 lanes ---------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_VECFLOAT_H
#define HWTUNE_LIB_SIMULATOR_EXEC_VECFLOAT_H

#include "Vec.h"

namespace hwtune::exec::HWTUNE_ISA {

/// Every f32 arithmetic result that is a NaN is 0x7fffffff. Chosen among
/// integers: to the compiler one NaN is as good as another.
HWTUNE_INLINE VF32 canonical(VF32 v) {
  return bits<VF32>(pick(v != v, VU32(0x7fffffffu), bits<VU32>(v)));
}
HWTUNE_INLINE VF64 canonical(VF64 v) { return v; }

/// Subnormals become zeros of the same sign.
HWTUNE_INLINE VF32 flush(VF32 v) {
  VU32 raw = bits<VU32>(v);
  return pick((raw & 0x7f800000u) == 0u, bits<VF32>(raw & 0x80000000u), v);
}
HWTUNE_INLINE VF64 flush(VF64 v) { return v; }

/// To [0, 1]; NaN and -0 give +0.
template <typename V> HWTUNE_INLINE V saturate01(V v) {
  v = pick(v > 0, v, V(0));
  return pick(v < 1, v, V(1));
}

template <bool Ftz, typename V> HWTUNE_INLINE V in(V v) {
  return Ftz ? flush(v) : v;
}
template <bool Ftz, bool Sat, typename V> HWTUNE_INLINE V out(V v) {
  if constexpr (Sat)
    return saturate01(Ftz ? flush(v) : v);
  else
    return canonical(Ftz ? flush(v) : v);
}

} // namespace hwtune::exec::HWTUNE_ISA

#endif // HWTUNE_LIB_SIMULATOR_EXEC_VECFLOAT_H
