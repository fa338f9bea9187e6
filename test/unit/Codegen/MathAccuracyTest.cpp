//===- MathAccuracyTest.cpp - measured error of lowered functions ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the very operations that the lowering emits, on the CPU, against the C
// library in long double, and holds the worst error against the stated bound.
//
//===----------------------------------------------------------------------===//

#include "HostMachine.h"
#include "MathFunctions.h"
#include "hwtune/Codegen/MathLowering.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <random>

using namespace hwtune;

namespace {

constexpr double kWrong = 1e30; ///< NaN, infinity or a finite value misplaced
constexpr int kSamples = 30000; ///< of each of the five kinds

/// Distance from the true value in units in the last place of T.
template <class T> double ulps(T got, long double want) {
  if (std::isnan(want))
    return std::isnan(got) ? 0 : kWrong;
  long double top = std::numeric_limits<T>::max();
  if (std::fabs(want) > top)
    return std::isinf(got) && std::signbit(got) == std::signbit(want) ? 0
                                                                      : kWrong;
  if (std::isnan(got) || std::isinf(got))
    return kWrong;
  int e;
  std::frexp(want, &e);
  e = std::max(e, std::numeric_limits<T>::min_exponent);
  return static_cast<double>(std::fabs(
      (got - want) / std::ldexp(1.0L, e - std::numeric_limits<T>::digits)));
}

template <class T> std::vector<T> specials() {
  using L = std::numeric_limits<T>;
  std::vector<T> v;
  for (T x : {T(0), T(0.5), T(1), T(2), T(3), T(1e30), L::infinity(), L::min(),
              L::max(), L::denorm_min()}) {
    v.push_back(x);
    v.push_back(-x);
  }
  v.push_back(L::quiet_NaN());
  return v;
}

template <class T> mlir::Type typeOf(mlir::MLIRContext &c) {
  return sizeof(T) == 8 ? mlir::Type(mlir::Float64Type::get(&c))
                        : mlir::Type(mlir::Float32Type::get(&c));
}

template <class T> double bound(const char *op) {
  mlir::MLIRContext context;
  auto b = mathUlpBound(op, typeOf<T>(context));
  EXPECT_TRUE(b.has_value()) << op;
  return b.value_or(0);
}

/// Worst error over bit patterns, the range [lo, hi], powers of two, and the
/// neighbourhoods of 1, -1 and 0.
template <class T, class Fn, class Ref>
void checkUnary(const char *op, Fn fn, Ref ref, double lo, double hi) {
  constexpr unsigned seed = 1;
  SCOPED_TRACE(testing::Message()
               << op << " f" << 8 * sizeof(T) << " seed " << seed);
  math::HostMachine<T> m;
  std::mt19937_64 g(seed);
  double worst = 0;
  T at = 0;
  auto test = [&](T x) {
    double u = ulps<T>(fn(m, x), ref(static_cast<long double>(x)));
    if (u > worst) {
      worst = u;
      at = x;
    }
  };
  for (T x : specials<T>())
    test(x);
  std::uniform_real_distribution<> range(lo, hi), exponent(-30, 10);
  for (int i = 0; i < kSamples; ++i) {
    test(std::bit_cast<T>(static_cast<typename math::HostMachine<T>::I>(g())));
    test(static_cast<T>(range(g)));
    T p = static_cast<T>(std::exp2(exponent(g)));
    for (T x : {p, -p, 1 + p * T(0.001), 1 - p * T(0.0001)})
      test(x);
  }
  EXPECT_LE(worst, bound<T>(op)) << "at " << at;
  // The test sees errors at all, so that a bound can fail.
  EXPECT_GT(worst, 0.25);
}

template <class T, class Fn, class Ref>
double worstBinary(Fn fn, Ref ref, T &atX, T &atY) {
  math::HostMachine<T> m;
  std::mt19937_64 g(3);
  double worst = 0;
  auto test = [&](T x, T y) {
    double u = ulps<T>(fn(m, x, y), ref(static_cast<long double>(x),
                                        static_cast<long double>(y)));
    if (u > worst) {
      worst = u;
      atX = x;
      atY = y;
    }
  };
  for (T a : specials<T>())
    for (T b : specials<T>())
      test(a, b);
  using I = typename math::HostMachine<T>::I;
  std::uniform_real_distribution<> unit(0, 1);
  for (int i = 0; i < 2 * kSamples; ++i) {
    test(std::bit_cast<T>(static_cast<I>(g())),
         std::bit_cast<T>(static_cast<I>(g())));
    T x = static_cast<T>(std::exp2(unit(g) * 60 - 30));
    test(x, static_cast<T>((unit(g) - 0.5) * 80));
    test(static_cast<T>(1 + (unit(g) - 0.5) * 0.01),
         static_cast<T>((unit(g) - 0.5) * 20000));
    test(static_cast<T>((unit(g) - 0.5) * 10),
         static_cast<T>(std::rint((unit(g) - 0.5) * 40)));
    test(x, static_cast<T>(std::exp2(unit(g) * 60 - 30)));
  }
  return worst;
}

#define UNARY_TEST(NAME, REFERENCE, LO, HI)                                    \
  TEST(MathAccuracy, NAME) {                                                   \
    auto fn = [](auto &m, auto x) { return math::NAME(m, x); };                \
    auto ref = [](long double x) -> long double { return REFERENCE; };         \
    checkUnary<float>("math." #NAME, fn, ref, LO, HI);                         \
    checkUnary<double>("math." #NAME, fn, ref, LO, HI);                        \
  }
UNARY_TEST(exp, expl(x), -110, 95)
UNARY_TEST(exp2, exp2l(x), -160, 130)
UNARY_TEST(expm1, expm1l(x), -25, 95)
UNARY_TEST(log, logl(x), 0, 3)
UNARY_TEST(log2, log2l(x), 0, 3)
UNARY_TEST(log10, log10l(x), 0, 3)
UNARY_TEST(log1p, log1pl(x), -1, 2)
UNARY_TEST(cbrt, cbrtl(x), -3, 3)
UNARY_TEST(sin, sinl(x), -100, 100)
UNARY_TEST(cos, cosl(x), -100, 100)
UNARY_TEST(tan, tanl(x), -100, 100)
UNARY_TEST(asin, asinl(x), -1, 1)
UNARY_TEST(acos, acosl(x), -1, 1)
UNARY_TEST(atan, atanl(x), -5, 5)
UNARY_TEST(tanh, tanhl(x), -10, 10)
UNARY_TEST(sinh, sinhl(x), -95, 95)
UNARY_TEST(cosh, coshl(x), -95, 95)
UNARY_TEST(asinh, asinhl(x), -10, 10)
UNARY_TEST(acosh, acoshl(x), 1, 10)
UNARY_TEST(atanh, atanhl(x), -1, 1)
UNARY_TEST(erf, erfl(x), -5, 5)
UNARY_TEST(erfc, erfcl(x), -10, 11)

/// PTX ISA: rsqrt.approx.f32 has a relative error of at most 2^-22.9.
TEST(MathAccuracy, rsqrt) {
  for (double error : {-0x1p-22, 0.0, 0x1p-22}) { // a little more than 2^-22.9
    double stated = error / 1.8661;               // 2^0.9
    auto fn = [&](auto &m, auto x) {
      if constexpr (sizeof(x) == 4)
        m.rsqrtError = stated;
      return math::rsqrt(m, x);
    };
    auto ref = [](long double x) { return 1.0L / sqrtl(x); };
    checkUnary<float>("math.rsqrt", fn, ref, 0, 3);
    checkUnary<double>("math.rsqrt", fn, ref, 0, 3);
  }
}

template <class T, class Fn, class Ref>
void checkBinary(const char *op, Fn fn, Ref ref) {
  T x = 0, y = 0;
  double worst = worstBinary<T>(fn, ref, x, y);
  EXPECT_LE(worst, bound<T>(op))
      << op << " f" << 8 * sizeof(T) << " at " << x << ", " << y;
}

TEST(MathAccuracy, powf) {
  auto fn = [](auto &m, auto x, auto y) { return math::pow(m, x, y); };
  auto ref = [](long double x, long double y) { return powl(x, y); };
  checkBinary<float>("math.powf", fn, ref);
  checkBinary<double>("math.powf", fn, ref);
}
TEST(MathAccuracy, fpowi) {
  auto whole = [](long double y) {
    return static_cast<int64_t>(
        std::isnan(y) ? 0 : std::fmax(std::fmin(y, 1e9L), -1e9L));
  };
  auto fn = [&](auto &m, auto x, auto y) {
    return math::powInteger(m, x, static_cast<uint64_t>(whole(y)));
  };
  auto ref = [&](long double x, long double y) { return powl(x, whole(y)); };
  checkBinary<float>("math.fpowi", fn, ref);
  checkBinary<double>("math.fpowi", fn, ref);
}
TEST(MathAccuracy, atan2) {
  auto fn = [](auto &m, auto x, auto y) { return math::atan2(m, x, y); };
  auto ref = [](long double x, long double y) { return atan2l(x, y); };
  checkBinary<float>("math.atan2", fn, ref);
  checkBinary<double>("math.atan2", fn, ref);
}
TEST(MathAccuracy, remf) {
  auto fn = [](auto &m, auto x, auto y) { return math::remainder(m, x, y); };
  auto ref = [](long double x, long double y) { return fmodl(x, y); };
  checkBinary<float>("arith.remf", fn, ref);
  checkBinary<double>("arith.remf", fn, ref);
}

TEST(MathAccuracy, SignedZerosAreKept) {
  math::HostMachine<float> m;
  EXPECT_TRUE(std::signbit(math::sin(m, -0.0f)));
  EXPECT_TRUE(std::signbit(math::tan(m, -0.0f)));
  EXPECT_TRUE(std::signbit(math::expm1(m, -0.0f)));
  EXPECT_TRUE(std::signbit(math::log1p(m, -0.0f)));
  EXPECT_TRUE(std::signbit(math::tanh(m, -0.0f)));
  EXPECT_TRUE(std::signbit(math::remainder(m, -4.0f, 2.0f)));
  EXPECT_FALSE(std::signbit(math::remainder(m, 4.0f, -2.0f)));
  EXPECT_EQ(math::atan2(m, -0.0f, -1.0f), -0x1.921fb6p+1f);
}

} // namespace
