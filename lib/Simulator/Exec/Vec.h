//===- Vec.h - 32 lanes as vectors, and handlers from lambdas ---*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by the files that are compiled once per vector unit, each time with
// another HWTUNE_ISA. Nothing here may be shared between them: no standard
// containers or other inline functions that the linker merges.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_VEC_H
#define HWTUNE_LIB_SIMULATOR_EXEC_VEC_H

#include "Machine.h"

#include <cstring>

#ifndef HWTUNE_ISA
#error "HWTUNE_ISA names the vector unit: avx2, avx512 or plain"
#endif

#pragma clang diagnostic ignored "-Wpsabi"

namespace hwtune::exec::HWTUNE_ISA {

#define HWTUNE_INLINE static inline __attribute__((always_inline))

template <typename T, int N> struct VecOf {
  typedef T type __attribute__((ext_vector_type(N)));
};
using VU32 = VecOf<uint32_t, 32>::type;
using VS32 = VecOf<int32_t, 32>::type;
using VF32 = VecOf<float, 32>::type;
using VU64 = VecOf<uint64_t, 32>::type;
using VS64 = VecOf<int64_t, 32>::type;
using VF64 = VecOf<double, 32>::type;
using VB = VecOf<bool, 32>::type;

template <typename V> HWTUNE_INLINE V loadRaw(const std::byte *p) {
  // Frames are aligned to 64 bytes, but a plain vector type would ask for its
  // own size.
  typedef V __attribute__((aligned(64))) Aligned;
  return *reinterpret_cast<const Aligned *>(p);
}
template <typename V> HWTUNE_INLINE void storeRaw(std::byte *p, V v) {
  typedef V __attribute__((aligned(64))) Aligned;
  *reinterpret_cast<Aligned *>(p) = v;
}
template <typename To, typename From> HWTUNE_INLINE To bits(From v) {
  return __builtin_bit_cast(To, v);
}
template <typename To, typename From> HWTUNE_INLINE To convert(From v) {
  return __builtin_convertvector(v, To);
}

/// All ones in the lanes of `mask`.
HWTUNE_INLINE VS32 expand32(uint32_t mask) {
  return -convert<VS32>(bits<VB>(mask));
}
HWTUNE_INLINE VS64 expand64(uint32_t mask) {
  return -convert<VS64>(bits<VB>(mask));
}
/// The lanes whose element is not 0 (comparisons give -1).
HWTUNE_INLINE uint32_t compress(VS32 v) {
  return bits<uint32_t>(convert<VB>(v != 0));
}
HWTUNE_INLINE uint32_t compress(VS64 v) {
  return bits<uint32_t>(convert<VB>(v != 0));
}
HWTUNE_INLINE uint32_t compress(uint32_t v) { return v; }

/// `yes` where `cond` is -1, `no` where it is 0.
HWTUNE_INLINE VU32 pick(VS32 cond, VU32 yes, VU32 no) {
  return cond ? yes : no;
}
HWTUNE_INLINE VS32 pick(VS32 cond, VS32 yes, VS32 no) {
  return cond ? yes : no;
}
HWTUNE_INLINE VF32 pick(VS32 cond, VF32 yes, VF32 no) {
  return cond ? yes : no;
}
HWTUNE_INLINE VU64 pick(VS64 cond, VU64 yes, VU64 no) {
  return cond ? yes : no;
}
HWTUNE_INLINE VS64 pick(VS64 cond, VS64 yes, VS64 no) {
  return cond ? yes : no;
}
HWTUNE_INLINE VF64 pick(VS64 cond, VF64 yes, VF64 no) {
  return cond ? yes : no;
}

// --- operand tags -----------------------------------------------------------

template <typename V_, typename Raw_, char Code> struct PlainTag {
  using V = V_;                       ///< what the lambda sees
  using Scalar = __typeof__(V_{}[0]); ///< the same for one lane
  static constexpr char code = Code;
  HWTUNE_INLINE V load(const std::byte *p) { return bits<V>(loadRaw<Raw_>(p)); }
  HWTUNE_INLINE Raw_ raw(V v) { return bits<Raw_>(v); }
};
/// 16-bit values live zero-extended in 32-bit lanes.
struct U16 {
  using V = VU32;
  static constexpr char code = 'h';
  HWTUNE_INLINE V load(const std::byte *p) { return loadRaw<VU32>(p); }
  HWTUNE_INLINE VU32 raw(VU32 v) { return v & 0xffffu; }
};
struct S16 {
  using V = VS32;
  static constexpr char code = 'h';
  HWTUNE_INLINE V load(const std::byte *p) {
    return bits<VS32>(loadRaw<VU32>(p) << 16) >> 16;
  }
  HWTUNE_INLINE VU32 raw(VS32 v) { return bits<VU32>(v) & 0xffffu; }
};
struct U32 : PlainTag<VU32, VU32, 'w'> {};
struct S32 : PlainTag<VS32, VU32, 'w'> {};
struct F32 : PlainTag<VF32, VU32, 'f'> {};
struct U64 : PlainTag<VU64, VU64, 'q'> {};
struct S64 : PlainTag<VS64, VU64, 'q'> {};
struct F64 : PlainTag<VF64, VU64, 'd'> {};
/// A predicate as one word.
struct P {
  using V = uint32_t;
  static constexpr char code = 'p';
  HWTUNE_INLINE uint32_t load(const std::byte *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
  }
};
/// A predicate as a source, spread over the lanes.
struct P32 {
  using V = VS32;
  static constexpr char code = 'p';
  HWTUNE_INLINE VS32 load(const std::byte *p) { return expand32(P::load(p)); }
};
struct P64 {
  using V = VS64;
  static constexpr char code = 'p';
  HWTUNE_INLINE VS64 load(const std::byte *p) { return expand64(P::load(p)); }
};

HWTUNE_INLINE void storePredicate(std::byte *p, uint32_t v) {
  memcpy(p, &v, 4);
}

template <class D, bool Masked, typename V>
HWTUNE_INLINE void store(std::byte *p, V v, uint32_t mask) {
  if constexpr (D::code == 'p') {
    uint32_t word = compress(v);
    storePredicate(p, Masked ? (P::load(p) & ~mask) | (word & mask) : word);
  } else {
    auto raw = D::raw(v);
    if constexpr (Masked) {
      if constexpr (sizeof(raw) == 128)
        raw = pick(expand32(mask), raw, loadRaw<VU32>(p));
      else
        raw = pick(expand64(mask), raw, loadRaw<VU64>(p));
    }
    storeRaw(p, raw);
  }
}

// --- handlers from lambdas --------------------------------------------------

/// Slot of source `i`: three in the instruction, further ones in the next.
template <int i> HWTUNE_INLINE uint32_t slot(const Inst *I) {
  if constexpr (i == 0)
    return I->a;
  else if constexpr (i == 1)
    return I->b;
  else if constexpr (i == 2)
    return I->c;
  else if constexpr (i == 3)
    return I[1].d;
  else if constexpr (i == 4)
    return I[1].a;
  else
    return I[1].b;
}

template <int... i> struct Seq {};
template <int N, int... i> struct MakeSeq : MakeSeq<N - 1, N - 1, i...> {};
template <int... i> struct MakeSeq<0, i...> {
  using type = Seq<i...>;
};

template <bool Masked, class F, class D, class... S> struct VectorOp {
  static constexpr int length = sizeof...(S) > 3 ? 2 : 1;
  template <int... i>
  HWTUNE_INLINE void body(const Inst *I, std::byte *R, uint32_t mask,
                          Seq<i...>) {
    store<D, Masked>(R + I->d, F{}(S::load(R + slot<i>(I))...), mask);
  }
  static void run(HWTUNE_HANDLER_ARGS) {
    body(I, R, mask, typename MakeSeq<sizeof...(S)>::type{});
    if constexpr (Masked)
      HWTUNE_GO_MASKED(I + length);
    else
      HWTUNE_GO_FULL(I + length);
  }
};

template <class D, class... S>
inline constexpr char kSig[] = {D::code, S::code..., 0};

/// An instruction of a whole-vector lambda: vop<Dst, Src...>(lambda).
template <class D, class... S, class F> static Entry vop(F) {
  return {&VectorOp<false, F, D, S...>::run, &VectorOp<true, F, D, S...>::run,
          kSig<D, S...>};
}

// Lane-wise form: the lambda sees scalars. Slower; for what has no vector form.
template <class T> struct LaneOf;
template <> struct LaneOf<U16> {
  using T = uint32_t;
  using Mem = uint32_t;
};
template <> struct LaneOf<S16> {
  using T = int32_t;
  using Mem = uint32_t;
};
template <> struct LaneOf<U32> {
  using T = uint32_t;
  using Mem = uint32_t;
};
template <> struct LaneOf<S32> {
  using T = int32_t;
  using Mem = uint32_t;
};
template <> struct LaneOf<F32> {
  using T = float;
  using Mem = uint32_t;
};
template <> struct LaneOf<U64> {
  using T = uint64_t;
  using Mem = uint64_t;
};
template <> struct LaneOf<S64> {
  using T = int64_t;
  using Mem = uint64_t;
};
template <> struct LaneOf<F64> {
  using T = double;
  using Mem = uint64_t;
};
template <> struct LaneOf<P> {
  using T = bool;
  using Mem = uint32_t;
};

template <class T>
HWTUNE_INLINE typename LaneOf<T>::T laneLoad(const std::byte *p,
                                             uint32_t lane) {
  typename LaneOf<T>::Mem raw;
  if constexpr (T::code == 'p') {
    memcpy(&raw, p, 4);
    return (raw >> lane) & 1;
  } else {
    memcpy(&raw, p + lane * sizeof(raw), sizeof(raw));
    if constexpr (__is_same(T, S16))
      return int16_t(raw);
    else
      return bits<typename LaneOf<T>::T>(raw);
  }
}
template <class T>
HWTUNE_INLINE void laneStore(std::byte *p, uint32_t lane,
                             typename LaneOf<T>::T v) {
  if constexpr (T::code == 'p') {
    uint32_t word = P::load(p);
    storePredicate(p, (word & ~(1u << lane)) | (uint32_t(v) << lane));
  } else {
    auto raw = bits<typename LaneOf<T>::Mem>(v);
    if constexpr (T::code == 'h')
      raw &= 0xffff;
    memcpy(p + lane * sizeof(raw), &raw, sizeof(raw));
  }
}

template <class F, class D, class... S> struct LaneOp {
  static constexpr int length = sizeof...(S) > 3 ? 2 : 1;
  template <int... i>
  HWTUNE_INLINE void body(const Inst *I, std::byte *R, uint32_t mask,
                          Seq<i...>) {
    for (uint32_t left = mask; left; left &= left - 1) {
      uint32_t lane = __builtin_ctz(left);
      laneStore<D>(R + I->d, lane, F{}(laneLoad<S>(R + slot<i>(I), lane)...));
    }
  }
  static void run(HWTUNE_HANDLER_ARGS) {
    body(I, R, mask, typename MakeSeq<sizeof...(S)>::type{});
    HWTUNE_GO(I + length);
  }
};
template <class D, class... S, class F> static Entry lop(F) {
  return {&LaneOp<F, D, S...>::run, &LaneOp<F, D, S...>::run, kSig<D, S...>};
}

} // namespace hwtune::exec::HWTUNE_ISA

#endif // HWTUNE_LIB_SIMULATOR_EXEC_VEC_H
