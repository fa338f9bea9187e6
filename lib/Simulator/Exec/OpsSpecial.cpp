//===- OpsSpecial.cpp - lg2, sin, cos, tanh, f64 approximations -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computed in double and rounded: far inside the error that PTX allows, so no
// digit of a real unit's table is imitated.
//
//===----------------------------------------------------------------------===//

#define HWTUNE_ISA base
#include "Ops.h"
#include "Vec.h"

#include <cmath>

namespace hwtune::exec {

namespace {
using namespace base;

float flush(float v) {
  uint32_t raw = bits<uint32_t>(v);
  return raw & 0x7f800000 ? v : bits<float>(raw & 0x80000000u);
}
float finish(double v, bool ftz) {
  float f = float(v);
  if (f != f)
    return bits<float>(0x7fffffffu);
  return ftz ? flush(f) : f;
}

struct Log2 {
  double operator()(double v) const { return std::log2(v); }
};
struct Sin {
  double operator()(double v) const { return std::sin(v); }
};
struct Cos {
  double operator()(double v) const { return std::cos(v); }
};
struct Tanh {
  double operator()(double v) const { return std::tanh(v); }
};
template <class F> void addFunction(Registry &r, const char *op) {
  addEntry(r, op, ".f32",
           lop<F32, F32>([](auto a) { return finish(F{}(a), false); }));
  addEntry(r, op, ".ftz.f32",
           lop<F32, F32>([](auto a) { return finish(F{}(flush(a)), true); }));
}

/// The f64 approximations read and give the upper 32 bits only.
double upper(double v) {
  return bits<double>(bits<uint64_t>(v) & 0xffffffff00000000ull);
}
double flush64(double v) {
  uint64_t raw = bits<uint64_t>(v);
  return raw & 0x7ff0000000000000ull
             ? v
             : bits<double>(raw & 0x8000000000000000ull);
}

} // namespace

void addSpecialOps(Registry &r) {
  addFunction<Log2>(r, "lg2.approx");
  addFunction<Sin>(r, "sin.approx");
  addFunction<Cos>(r, "cos.approx");
  addEntry(r, "tanh.approx", ".f32", lop<F32, F32>([](auto a) {
             return finish(std::tanh(double(a)), false);
           }));
  addEntry(r, "rcp.approx", ".ftz.f64", lop<F64, F64>([](auto a) {
             return upper(flush64(1.0 / flush64(upper(a))));
           }));
  addEntry(r, "rsqrt.approx", ".f64",
           lop<F64, F64>([](auto a) { return 1.0 / std::sqrt(a); }));
  addEntry(r, "rsqrt.approx", ".ftz.f64", lop<F64, F64>([](auto a) {
             return upper(flush64(1.0 / std::sqrt(flush64(upper(a)))));
           }));
}

} // namespace hwtune::exec
