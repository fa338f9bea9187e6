//===- OpsCompare.cpp - setp, selp, slct ----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ops.h"
#include "VecFloat.h"

namespace hwtune::exec::HWTUNE_ISA {
namespace {

#define COMPARE(op, T, expr)                                                   \
  addEntry(r, "setp." op, type,                                                \
           vop<P, T, T>([](auto a, auto b) { return expr; }))

template <class T> void addEquality(Registry &r, const char *type) {
  COMPARE("eq", T, a == b);
  COMPARE("ne", T, a != b);
}
template <class T> void addOrder(Registry &r, const char *type) {
  addEquality<T>(r, type);
  COMPARE("lt", T, a < b);
  COMPARE("le", T, a <= b);
  COMPARE("gt", T, a > b);
  COMPARE("ge", T, a >= b);
}
/// lo, ls, hi, hs: the unsigned orders under their older names.
template <class T> void addUnsignedNames(Registry &r, const char *type) {
  COMPARE("lo", T, a < b);
  COMPARE("ls", T, a <= b);
  COMPARE("hi", T, a > b);
  COMPARE("hs", T, a >= b);
}
#undef COMPARE

#define COMPARE(op, expr)                                                      \
  addEntry(r, "setp." op, type, vop<P, T, T>([](auto x, auto y) {              \
             auto a = in<Ftz>(x), b = in<Ftz>(y);                              \
             return expr;                                                      \
           }))
template <class T, bool Ftz> void addFloatOrder(Registry &r, const char *type) {
  COMPARE("eq", a == b);
  COMPARE("ne", (a < b) | (a > b)); // ordered: false for NaN
  COMPARE("lt", a < b);
  COMPARE("le", a <= b);
  COMPARE("gt", a > b);
  COMPARE("ge", a >= b);
  COMPARE("equ", ~((a < b) | (a > b)));
  COMPARE("neu", a != b);
  COMPARE("ltu", ~(a >= b));
  COMPARE("leu", ~(a > b));
  COMPARE("gtu", ~(a <= b));
  COMPARE("geu", ~(a < b));
  COMPARE("num", (a == a) & (b == b));
  COMPARE("nan", (a != a) | (b != b));
}
#undef COMPARE

void addSelects(Registry &r) {
  addEntry(r, "selp", ".b16",
           vop<U16, U16, U16, P32>(
               [](auto a, auto b, auto c) { return pick(c, a, b); }));
  addEntry(r, "selp", ".b32",
           vop<U32, U32, U32, P32>(
               [](auto a, auto b, auto c) { return pick(c, a, b); }));
  addEntry(r, "selp", ".b64",
           vop<U64, U64, U64, P64>(
               [](auto a, auto b, auto c) { return pick(c, a, b); }));
  addEntry(r, "selp", ".pred", vop<P, P, P, P>([](auto a, auto b, auto c) {
             return (a & c) | (b & ~c);
           }));
}

/// By the sign of the third operand.
void addSignSelects(Registry &r) {
  addEntry(r, "slct.b16", ".s32",
           vop<U16, U16, U16, S32>(
               [](auto a, auto b, auto c) { return pick(c >= 0, a, b); }));
  addEntry(r, "slct.b32", ".s32",
           vop<U32, U32, U32, S32>(
               [](auto a, auto b, auto c) { return pick(c >= 0, a, b); }));
  addEntry(r, "slct.b64", ".s32",
           vop<U64, U64, U64, S32>([](auto a, auto b, auto c) {
             return pick(convert<VS64>(c) >= 0, a, b);
           }));
  addEntry(r, "slct.b16", ".f32",
           vop<U16, U16, U16, F32>(
               [](auto a, auto b, auto c) { return pick(c >= 0.0f, a, b); }));
  addEntry(r, "slct.b32", ".f32",
           vop<U32, U32, U32, F32>(
               [](auto a, auto b, auto c) { return pick(c >= 0.0f, a, b); }));
  addEntry(r, "slct.b64", ".f32",
           vop<U64, U64, U64, F32>([](auto a, auto b, auto c) {
             return pick(convert<VS64>(c >= 0.0f) != 0, a, b);
           }));
  addEntry(r, "slct.ftz.b16", ".f32",
           vop<U16, U16, U16, F32>([](auto a, auto b, auto c) {
             return pick(flush(c) >= 0.0f, a, b);
           }));
  addEntry(r, "slct.ftz.b32", ".f32",
           vop<U32, U32, U32, F32>([](auto a, auto b, auto c) {
             return pick(flush(c) >= 0.0f, a, b);
           }));
  addEntry(r, "slct.ftz.b64", ".f32",
           vop<U64, U64, U64, F32>([](auto a, auto b, auto c) {
             return pick(convert<VS64>(flush(c) >= 0.0f) != 0, a, b);
           }));
}

} // namespace

void addCompareOps(Registry &r) {
  addOrder<U16>(r, ".u16");
  addOrder<S16>(r, ".s16");
  addOrder<U32>(r, ".u32");
  addOrder<S32>(r, ".s32");
  addOrder<U64>(r, ".u64");
  addOrder<S64>(r, ".s64");
  addEquality<U16>(r, ".b16");
  addEquality<U32>(r, ".b32");
  addEquality<U64>(r, ".b64");
  addUnsignedNames<U16>(r, ".u16");
  addUnsignedNames<U32>(r, ".u32");
  addUnsignedNames<U64>(r, ".u64");
  addFloatOrder<F32, false>(r, ".f32");
  addFloatOrder<F32, true>(r, ".ftz.f32");
  addFloatOrder<F64, false>(r, ".f64");
  addSelects(r);
  addSignSelects(r);
}

} // namespace hwtune::exec::HWTUNE_ISA
