//===- ReferenceProgram.cpp - the body of a linalg op as code -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running error analysis (Higham, Accuracy and Stability of Numerical
// Algorithms, 3.3): each operation adds its own rounding, u times the size of
// its result, to what its operands bring. An addition charges the magnitudes
// of all terms below it, which covers every order in which they can be added.
// Where a comparison or a rounding to integer could fall either way, the error
// covers both outcomes; where nothing bounds it (a pole, or the largest number
// of the type, lies within), it is infinite.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "hwtune/Codegen/MathLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace hwtune::reference {

double unitRoundoff(Type type) {
  auto f = dyn_cast<FloatType>(type);
  return f ? std::ldexp(1.0, -static_cast<int>(f.getFPMantissaWidth())) : 0;
}

namespace {

using Real = long double;
using UnaryFn = Real (*)(Real);
using BinaryFn = Real (*)(Real, Real);
using Args = std::vector<Number> &;

/// `v` rounded to `type`.
Real roundTo(Real v, Type type) {
  if (type.isF64())
    return static_cast<double>(v);
  if (type.isF32())
    return static_cast<float>(v);
  // A double holds every sum that can matter for a tie of a narrow type.
  llvm::APFloat f(static_cast<double>(v));
  bool lost;
  f.convert(cast<FloatType>(type).getFloatSemantics(),
            llvm::APFloat::rmNearestTiesToEven, &lost);
  f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
            &lost);
  return f.convertToDouble();
}

int64_t wrap(int64_t v, unsigned width) {
  return width >= 64
             ? v
             : static_cast<int64_t>(static_cast<uint64_t>(v) << (64 - width)) >>
                   (64 - width);
}
uint64_t unsignedOf(int64_t v, unsigned width) {
  return width >= 64 ? static_cast<uint64_t>(v)
                     : static_cast<uint64_t>(v) & ((uint64_t(1) << width) - 1);
}
unsigned widthOf(Type t) {
  return t.isIndex() ? 64 : t.getIntOrFloatBitWidth();
}

double size(Real v) { return static_cast<double>(std::abs(v)); }

/// A result whose own rounding is `ulps` half-units, `error` from operands.
Number rounded(Real v, double error, double magnitude, double u) {
  return {v, error + u * magnitude, magnitude, 0};
}

Number addition(const Number &a, const Number &b, Real v, double u) {
  return rounded(v, a.error + b.error, a.magnitude + b.magnitude, u);
}
Number product(const Number &a, const Number &b, double u) {
  Real v = a.value * b.value;
  double error =
      size(a.value) * b.error + size(b.value) * a.error + a.error * b.error;
  return {v, error + u * size(v), size(v), 0};
}
Number quotient(const Number &a, const Number &b, double u) {
  Real v = a.value / b.value;
  double error =
      (a.error + size(v) * b.error) / std::max(size(b.value) - b.error, 1e-300);
  return {v, (a.error > 0 || b.error > 0 ? error : 0) + u * size(v), size(v),
          0};
}

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// How far a function is at an end of its argument's interval; a NaN there,
/// and none at the value, means that the interval leaves its domain.
double apart(Real end, Real v) {
  return std::isnan(end) && !std::isnan(v) ? kUnbounded : size(end - v);
}

/// f at the value and at the ends of its interval; steep or broken functions
/// show as a large difference.
Number applied(UnaryFn f, const Number &a, double u, double ulp) {
  Real v = f(a.value);
  double error = 0;
  if (a.error > 0)
    for (Real end : {a.value - a.error, a.value + a.error})
      error = std::max(error, apart(f(end), v));
  return {v, error + 2 * u * ulp * size(v), size(v), 0};
}
Number applied(BinaryFn f, const Number &a, const Number &b, double u,
               double ulp) {
  Real v = f(a.value, b.value);
  double error = 0;
  if (a.error > 0 || b.error > 0)
    for (Real x : {a.value - a.error, a.value + a.error})
      for (Real y : {b.value - b.error, b.value + b.error})
        error = std::max(error, apart(f(x, y), v));
  return {v, error + 2 * u * ulp * size(v), size(v), 0};
}

/// sin and cos turn inside an interval; they are never steeper than 1.
Number wave(UnaryFn f, const Number &a, double u, double ulp) {
  Real v = f(a.value);
  return {v, std::min(2.0, a.error) + 2 * u * ulp * size(v), size(v), 0};
}

/// tan, with a pole wherever x/pi - 1/2 is whole.
Number tangent(const Number &a, double u, double ulp) {
  Number r = applied(tanl, a, u, ulp);
  auto branch = [](Real x) {
    return std::floor(x / std::numbers::pi_v<Real> + 0.5L);
  };
  if (branch(a.value - a.error) != branch(a.value + a.error))
    r.error = kUnbounded;
  return r;
}

/// `r` in a type in which what reaches `overflow` is infinite.
Number limited(Number r, Real overflow) {
  if (std::isnan(r.error))
    r.error = kUnbounded;
  Real v = std::abs(r.value);
  if (!(v + r.error >= overflow) || r.error == kUnbounded)
    return r;
  if (v - r.error >= overflow)
    return {std::copysign(static_cast<Real>(INFINITY), r.value), 0, 0, 0};
  r.error = kUnbounded;
  return r;
}
/// Half way from the largest number of `type` to what would be the next one.
Real overflowOf(Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  Real largest = llvm::APFloat::getLargest(semantics).convertToDouble();
  return largest * (1 + unitRoundoff(type) / 2);
}

Real maximum(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
Real minimum(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}
Real rsqrt(Real a) { return 1 / std::sqrt(a); }

const llvm::StringMap<UnaryFn> &unaryFunctions() {
  static const llvm::StringMap<UnaryFn> table = {
      {"math.absf", fabsl},   {"math.ceil", ceill},   {"math.floor", floorl},
      {"math.trunc", truncl}, {"math.round", roundl}, {"math.roundeven", rintl},
      {"math.sqrt", sqrtl},   {"math.rsqrt", rsqrt},  {"math.cbrt", cbrtl},
      {"math.exp", expl},     {"math.exp2", exp2l},   {"math.expm1", expm1l},
      {"math.log", logl},     {"math.log2", log2l},   {"math.log10", log10l},
      {"math.log1p", log1pl}, {"math.asin", asinl},   {"math.acos", acosl},
      {"math.atan", atanl},   {"math.sinh", sinhl},   {"math.cosh", coshl},
      {"math.tanh", tanhl},   {"math.asinh", asinhl}, {"math.acosh", acoshl},
      {"math.atanh", atanhl}, {"math.erf", erfl},     {"math.erfc", erfcl}};
  return table;
}
const llvm::StringMap<BinaryFn> &binaryFunctions() {
  static const llvm::StringMap<BinaryFn> table = {
      {"arith.maximumf", maximum}, {"arith.minimumf", minimum},
      {"arith.maxnumf", fmaxl},    {"arith.minnumf", fminl},
      {"arith.remf", fmodl},       {"math.powf", powl},
      {"math.atan2", atan2l},      {"math.copysign", copysignl}};
  return table;
}

using IntFn = int64_t (*)(int64_t, int64_t, unsigned width);
template <class F> int64_t divided(int64_t a, int64_t b, F f) {
  return b == 0 ? 0 : f(a, b);
}
int64_t power(int64_t x, int64_t n, unsigned width) {
  if (n < 0)
    return x == 1 ? 1 : x == -1 ? (n & 1 ? -1 : 1) : 0;
  uint64_t r = 1, b = static_cast<uint64_t>(x);
  for (; n > 0; n >>= 1, b *= b)
    if (n & 1)
      r *= b;
  return wrap(static_cast<int64_t>(r), width);
}
#define INT(EXPR)                                                              \
  [](int64_t a, int64_t b, unsigned w) -> int64_t {                            \
    (void)w;                                                                   \
    (void)a;                                                                   \
    (void)b;                                                                   \
    return EXPR;                                                               \
  }
#define UNSIGNED(EXPR)                                                         \
  [](int64_t sa, int64_t sb, unsigned w) -> int64_t {                          \
    uint64_t a = unsignedOf(sa, w), b = unsignedOf(sb, w);                     \
    (void)a;                                                                   \
    (void)b;                                                                   \
    return static_cast<int64_t>(EXPR);                                         \
  }
int64_t floorDivide(int64_t a, int64_t b) {
  return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t ceilDivide(int64_t a, int64_t b) {
  return b == 0 ? 0 : a / b + (a % b != 0 && (a < 0) == (b < 0));
}
const llvm::StringMap<IntFn> &intFunctions() {
  static const llvm::StringMap<IntFn> table = {
      {"arith.addi", UNSIGNED(a + b)},
      {"arith.subi", UNSIGNED(a - b)},
      {"arith.muli", UNSIGNED(a * b)},
      {"arith.divsi", INT(b == 0    ? 0
                          : b == -1 ? -a
                                    : a / b)},
      {"arith.remsi", INT(b == 0 || b == -1 ? 0 : a % b)},
      {"arith.divui", UNSIGNED(b == 0 ? 0 : a / b)},
      {"arith.remui", UNSIGNED(b == 0 ? 0 : a % b)},
      {"arith.floordivsi", INT(floorDivide(a, b))},
      {"arith.ceildivsi", INT(ceilDivide(a, b))},
      {"arith.ceildivui", UNSIGNED(b == 0 ? 0 : a / b + (a % b != 0))},
      {"arith.andi", INT(a & b)},
      {"arith.ori", INT(a | b)},
      {"arith.xori", INT(a ^ b)},
      {"arith.shli", UNSIGNED(b < 64 ? a << b : 0)},
      {"arith.shrui", UNSIGNED(b < 64 ? a >> b : 0)},
      {"arith.shrsi", INT(b >= 0 && b < 64 ? a >> b : 0)},
      {"arith.maxsi", INT(std::max(a, b))},
      {"arith.minsi", INT(std::min(a, b))},
      {"arith.maxui", UNSIGNED(std::max(a, b))},
      {"arith.minui", UNSIGNED(std::min(a, b))},
      {"math.ipowi", power},
      {"math.absi", INT(a < 0 ? -a : a)},
      {"math.ctlz", UNSIGNED(std::countl_zero(a) - (64 - int(w)))},
      {"math.cttz", UNSIGNED(a == 0 ? w : unsigned(std::countr_zero(a)))},
      {"math.ctpop", UNSIGNED(std::popcount(a))}};
  return table;
}

bool compareInts(arith::CmpIPredicate p, int64_t a, int64_t b, unsigned w) {
  uint64_t ua = unsignedOf(a, w), ub = unsignedOf(b, w);
  switch (p) {
  case arith::CmpIPredicate::eq:
    return ua == ub;
  case arith::CmpIPredicate::ne:
    return ua != ub;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  return false;
}

bool compareFloats(arith::CmpFPredicate p, Real a, Real b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (p) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b; // true of NaNs in C++ too
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

/// A truth value whose `error` is 1 where it could be either.
Number truth(bool v, bool doubtful) {
  return {0, doubtful ? 1.0 : 0.0, 0, v ? -1 : 0};
}

/// All integers of `width` bits that `a` could be; empty: too many to try.
std::vector<int64_t> candidates(const Number &a, unsigned width) {
  constexpr double kMost = 8; // each way
  if (a.error > kMost)
    return {};
  std::vector<int64_t> result;
  for (auto d = -int64_t(a.error); d <= int64_t(a.error); ++d)
    result.push_back(
        wrap(static_cast<int64_t>(uint64_t(a.integer) + d), width));
  return result;
}

double apart(int64_t a, int64_t b) {
  return std::abs(static_cast<double>(a) - static_cast<double>(b));
}

/// `f(a, b)` of integers of `width` bits, for all that the two could be.
template <class F>
Number applied(F f, const Number &a, const Number &b, unsigned width) {
  Number r = Number::ofInteger(f(a.integer, b.integer));
  if (a.error == 0 && b.error == 0)
    return r;
  std::vector<int64_t> left = candidates(a, width),
                       right = candidates(b, width);
  if (left.empty() || right.empty())
    r.error = kUnbounded;
  for (int64_t x : left)
    for (int64_t y : right)
      r.error = std::max(r.error, apart(f(x, y), r.integer));
  return r;
}

Number selected(const Number &c, const Number &a, const Number &b) {
  Number r = c.integer ? a : b;
  if (c.error > 0) // either side would be right
    r.error = std::max(a.error, b.error) + size(a.value - b.value) +
              apart(a.integer, b.integer);
  return r;
}

/// How far apart the values are that a correct kernel may have here.
Number toInteger(const Number &a, unsigned width) {
  Number r = Number::ofInteger(wrap(static_cast<int64_t>(a.value), width));
  r.error =
      a.error > 0
          ? size(std::trunc(a.value + a.error) - std::trunc(a.value - a.error))
          : 0;
  return r;
}

/// Whether `a` compared with `b` could come out the other way.
bool isDoubtful(const Number &a, const Number &b) {
  double doubt = a.error + b.error;
  return doubt == kUnbounded || (doubt > 0 && size(a.value - b.value) <= doubt);
}

/// The bits of a number of `type`, and back.
llvm::APInt bitsOf(const Number &a, Type type) {
  auto f = dyn_cast<FloatType>(type);
  if (!f)
    return llvm::APInt(64, static_cast<uint64_t>(a.integer))
        .sextOrTrunc(widthOf(type));
  llvm::APFloat v(static_cast<double>(a.value));
  bool lost;
  v.convert(f.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return v.bitcastToAPInt();
}
Number ofBits(const llvm::APInt &bits, Type type) {
  auto f = dyn_cast<FloatType>(type);
  if (!f)
    return Number::ofInteger(bits.getSExtValue());
  llvm::APFloat v(f.getFloatSemantics(), bits);
  bool lost;
  v.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
            &lost);
  return Number::of(v.convertToDouble());
}

} // namespace

/// Operations to steps.
class Compiler {
public:
  explicit Compiler(linalg::LinalgOp op) : op(op) {}
  Expected<Program> run();

private:
  using Step = Program::Step;
  unsigned slotOf(Value v);
  Step compile(Operation &inner);
  Step compileFloat(Operation &inner, StringRef name, unsigned out, double u);
  Step compileCast(Operation &inner, StringRef name, unsigned out, double u);
  Step compileOther(Operation &inner, StringRef name, unsigned out, double u);
  Step compilePair(Operation &inner, StringRef name);
  unsigned operand(Operation &o, unsigned i) { return slotOf(o.getOperand(i)); }

  linalg::LinalgOp op;
  Program program;
  llvm::DenseMap<Value, unsigned> slots;
};

static Number constantOf(Attribute value) {
  if (auto f = dyn_cast<FloatAttr>(value))
    return Number::of(f.getValueAsDouble());
  return Number::ofInteger(cast<IntegerAttr>(value).getValue().getSExtValue());
}

unsigned Compiler::slotOf(Value v) {
  auto [it, isNew] = slots.try_emplace(v, program.slots.size());
  if (isNew) {
    program.slots.emplace_back();
    if (auto c = v.getDefiningOp<arith::ConstantOp>())
      program.slots.back() = constantOf(c.getValue());
  }
  return it->second;
}

Compiler::Step Compiler::compileFloat(Operation &inner, StringRef name,
                                      unsigned out, double u) {
  unsigned a = operand(inner, 0),
           b = inner.getNumOperands() > 1 ? operand(inner, 1) : a;
  if (name == "arith.addf")
    return [=](Args s, auto) {
      s[out] = addition(s[a], s[b], s[a].value + s[b].value, u);
    };
  if (name == "arith.subf")
    return [=](Args s, auto) {
      s[out] = addition(s[a], s[b], s[a].value - s[b].value, u);
    };
  if (name == "arith.mulf")
    return [=](Args s, auto) { s[out] = product(s[a], s[b], u); };
  if (name == "arith.divf")
    return [=](Args s, auto) { s[out] = quotient(s[a], s[b], u); };
  if (name == "arith.negf")
    return [=](Args s, auto) {
      s[out] = s[a];
      s[out].value = -s[a].value;
    };
  if (name == "math.fma") {
    unsigned c = operand(inner, 2);
    return [=](Args s, auto) {
      Number p = product(s[a], s[b], u);
      s[out] = addition(p, s[c], p.value + s[c].value, u);
    };
  }
  if (name == "math.clampf") {
    unsigned c = operand(inner, 2);
    return [=](Args s, auto) {
      Real v = std::min(std::max(s[a].value, s[b].value), s[c].value);
      s[out] = {v, std::max({s[a].error, s[b].error, s[c].error}), size(v), 0};
    };
  }
  double ulp = mathUlpBound(name, inner.getResult(0).getType()).value_or(0);
  if (name == "math.tan")
    return [=](Args s, auto) { s[out] = tangent(s[a], u, ulp); };
  if (name == "math.sin" || name == "math.cos") {
    UnaryFn f = name == "math.sin" ? sinl : cosl;
    return [=](Args s, auto) { s[out] = wave(f, s[a], u, ulp); };
  }
  if (auto it = unaryFunctions().find(name); it != unaryFunctions().end()) {
    UnaryFn f = it->second;
    return [=](Args s, auto) { s[out] = applied(f, s[a], u, ulp); };
  }
  if (auto it = binaryFunctions().find(name); it != binaryFunctions().end()) {
    BinaryFn f = it->second;
    return [=](Args s, auto) { s[out] = applied(f, s[a], s[b], u, ulp); };
  }
  return {};
}

Compiler::Step Compiler::compileCast(Operation &inner, StringRef name,
                                     unsigned out, double u) {
  unsigned a = operand(inner, 0);
  Type from = inner.getOperand(0).getType(), to = inner.getResult(0).getType();
  if (name == "arith.extf")
    return [=](Args s, auto) { s[out] = s[a]; };
  if (auto truncate = dyn_cast<arith::TruncFOp>(inner);
      truncate && truncate.getRoundingmode().value_or(
                      arith::RoundingMode::to_nearest_even) !=
                      arith::RoundingMode::to_nearest_even)
    return {}; // nor does the code generator
  if (name == "arith.truncf")
    return [=](Args s, auto) {
      Number r = s[a];
      // An exact value has one rounding; another one can fall either way.
      if (r.error == 0)
        r.value = roundTo(r.value, to);
      else
        r.error += u * size(r.value);
      r.magnitude = size(r.value);
      s[out] = r;
    };
  if (name == "arith.sitofp" || name == "arith.uitofp") {
    bool isSigned = name == "arith.sitofp";
    unsigned w = widthOf(from);
    return [=](Args s, auto) {
      Real v = isSigned ? static_cast<Real>(s[a].integer)
                        : static_cast<Real>(unsignedOf(s[a].integer, w));
      s[out] = Number::of(roundTo(v, to));
      s[out].error = s[a].error;
    };
  }
  if (name == "arith.fptosi" || name == "arith.fptoui")
    return [=, w = widthOf(to)](Args s, auto) { s[out] = toInteger(s[a], w); };
  if (name == "arith.extsi" || name == "arith.index_cast" ||
      name == "arith.trunci" || name == "arith.index_castui" ||
      name == "arith.extui") {
    bool zero = name == "arith.extui" || name == "arith.index_castui";
    return [=, w = widthOf(from), n = widthOf(to)](Args s, auto) {
      auto cast = [&](int64_t v, int64_t) {
        return wrap(zero ? static_cast<int64_t>(unsignedOf(v, w)) : v, n);
      };
      s[out] = applied(cast, s[a], Number(), w);
    };
  }
  if (name == "arith.bitcast")
    return [=](Args s, auto) {
      double error = s[a].error;
      s[out] = ofBits(bitsOf(s[a], from), to);
      s[out].error = error > 0 ? kUnbounded : 0;
    };
  return {};
}

Compiler::Step Compiler::compileOther(Operation &inner, StringRef name,
                                      unsigned out, double u) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return [=, d = index.getDim()](Args s, std::span<const int64_t> loops) {
      s[out] = Number::ofInteger(loops[d]);
    };
  unsigned a = operand(inner, 0),
           b = inner.getNumOperands() > 1 ? operand(inner, 1) : a;
  if (auto it = intFunctions().find(name); it != intFunctions().end()) {
    IntFn f = it->second;
    return [=, w = widthOf(inner.getResult(0).getType())](Args s, auto) {
      auto wrapped = [&](int64_t x, int64_t y) { return wrap(f(x, y, w), w); };
      s[out] = applied(wrapped, s[a], s[b], w);
    };
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(inner))
    return [=, p = compare.getPredicate(),
            w = widthOf(compare.getLhs().getType())](Args s, auto) {
      auto holds = [&](int64_t x, int64_t y) -> int64_t {
        return compareInts(p, x, y, w) ? -1 : 0;
      };
      s[out] = applied(holds, s[a], s[b], w);
      s[out].error = std::min(s[out].error, 1.0);
    };
  if (auto compare = dyn_cast<arith::CmpFOp>(inner))
    return [=, p = compare.getPredicate()](Args s, auto) {
      s[out] = truth(compareFloats(p, s[a].value, s[b].value),
                     isDoubtful(s[a], s[b]));
    };
  if (isa<arith::SelectOp>(inner))
    return [=, c = operand(inner, 2)](Args s, auto) {
      s[out] = selected(s[a], s[b], s[c]);
    };
  if (name == "math.fpowi") {
    double ulp = mathUlpBound(name, inner.getResult(0).getType()).value_or(0);
    return [=](Args s, auto) {
      Number n = Number::of(static_cast<Real>(s[b].integer));
      s[out] = applied(powl, s[a], n, u, ulp);
    };
  }
  if (name.starts_with("math.is")) {
    char kind = name[7]; // is[n]an, is[i]nf, is[f]inite, is[n]ormal
    bool nan = name == "math.isnan";
    double least =
        std::ldexp(1.0, llvm::APFloat::semanticsMinExponent(
                            cast<FloatType>(inner.getOperand(0).getType())
                                .getFloatSemantics()));
    return [=](Args s, auto) {
      Real v = s[a].value;
      bool r = nan           ? std::isnan(v)
               : kind == 'i' ? std::isinf(v)
               : kind == 'f' ? std::isfinite(v)
                             : std::isfinite(v) && size(v) >= least;
      s[out] = truth(r, false);
    };
  }
  return {};
}

/// Operations with two results.
Compiler::Step Compiler::compilePair(Operation &inner, StringRef name) {
  unsigned first = slotOf(inner.getResult(0)),
           second = slotOf(inner.getResult(1));
  unsigned a = operand(inner, 0);
  Type type = inner.getResult(0).getType();
  if (name == "math.sincos") {
    double ulp = mathUlpBound(name, type).value_or(0), u = unitRoundoff(type);
    return [=](Args s, auto) {
      Number x = s[a];
      s[first] = wave(sinl, x, u, ulp);
      s[second] = wave(cosl, x, u, ulp);
    };
  }
  unsigned b = operand(inner, 1), w = widthOf(type);
  if (name == "arith.addui_extended")
    return [=](Args s, auto) {
      auto sum = [&](int64_t x, int64_t y) {
        return wrap(static_cast<int64_t>(uint64_t(x) + uint64_t(y)), w);
      };
      auto carry = [&](int64_t x, int64_t y) -> int64_t {
        return unsignedOf(sum(x, y), w) < unsignedOf(x, w) ? -1 : 0;
      };
      Number x = s[a], y = s[b];
      s[first] = applied(sum, x, y, w);
      s[second] = applied(carry, x, y, w);
    };
  bool isSigned = name == "arith.mulsi_extended";
  if (!isSigned && name != "arith.mului_extended")
    return {};
  return [=](Args s, auto) {
    auto product = [&](int64_t x, int64_t y) {
      return isSigned ? static_cast<unsigned __int128>(__int128(x) * y)
                      : static_cast<unsigned __int128>(unsignedOf(x, w)) *
                            unsignedOf(y, w);
    };
    auto low = [&](int64_t x, int64_t y) {
      return wrap(static_cast<int64_t>(product(x, y)), w);
    };
    auto high = [&](int64_t x, int64_t y) {
      return wrap(static_cast<int64_t>(product(x, y) >> w), w);
    };
    Number x = s[a], y = s[b];
    s[first] = applied(low, x, y, w);
    s[second] = applied(high, x, y, w);
  };
}

Compiler::Step Compiler::compile(Operation &inner) {
  StringRef name = inner.getName().getStringRef();
  if (inner.getNumResults() == 2 && inner.getNumRegions() == 0)
    return compilePair(inner, name);
  if (inner.getNumResults() != 1 || inner.getNumRegions() != 0)
    return {};
  unsigned out = slotOf(inner.getResult(0));
  if (isa<arith::ConstantOp>(inner))
    return [](Args, auto) {};
  Type type = inner.getResult(0).getType();
  double u = unitRoundoff(type);
  if (inner.getNumOperands() > 0 && isa<FloatType>(type))
    if (Step s = compileFloat(inner, name, out, u))
      return [=, most = overflowOf(type)](Args slots, auto loops) {
        s(slots, loops);
        slots[out] = limited(slots[out], most);
      };
  if (inner.getNumOperands() > 0)
    if (Step s = compileCast(inner, name, out, u))
      return s;
  return compileOther(inner, name, out, u);
}

Expected<Program> Compiler::run() {
  for (BlockArgument argument : op.getBlock()->getArguments())
    slotOf(argument);
  program.numArguments = program.slots.size();
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Step step = compile(inner);
    if (!step)
      return Error{"the reference does not know '" +
                       inner.getName().getStringRef().str() +
                       "'; it runs arith, math and linalg.index ops on numbers",
                   ""};
    program.steps.push_back(std::move(step));
  }
  for (Value v : op.getBlock()->getTerminator()->getOperands())
    program.results.push_back(slotOf(v));
  return std::move(program);
}

Expected<Program> Program::compile(linalg::LinalgOp op) {
  return Compiler(op).run();
}

void Program::run(std::span<const Number> arguments,
                  std::span<const int64_t> loops) {
  std::copy(arguments.begin(), arguments.end(), slots.begin());
  for (const Step &step : steps)
    step(slots, loops);
}

} // namespace hwtune::reference
