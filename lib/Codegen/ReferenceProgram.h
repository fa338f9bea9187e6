//===- ReferenceProgram.h - the body of a linalg op as code -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_CODEGEN_REFERENCEPROGRAM_H
#define HWTUNE_LIB_CODEGEN_REFERENCEPROGRAM_H

#include "hwtune/Support/Expected.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <functional>
#include <span>
#include <vector>

namespace hwtune::reference {

/// A number and how far a correct kernel may be from it.
struct Number {
  long double value = 0;
  double error = 0;     ///< absolute, first order
  double magnitude = 0; ///< sum of |terms| where `value` is a sum
  int64_t integer = 0;  ///< of integer types, sign-extended

  static Number of(long double v) {
    return {v, 0, static_cast<double>(std::abs(v)), 0};
  }
  static Number ofInteger(int64_t i) { return {0, 0, 0, i}; }
};

/// Unit round-off of a floating-point type, 0 for integers.
double unitRoundoff(mlir::Type type);

/// Body of a linalg op, compiled once: slots hold the block's arguments, then
/// the values of its operations.
class Program {
public:
  static Expected<Program> compile(mlir::linalg::LinalgOp op);

  /// Runs the body. `arguments` are the block's, `loops` the indices of the
  /// loops. Yields are read with `result`.
  void run(std::span<const Number> arguments, std::span<const int64_t> loops);
  const Number &result(unsigned i) const { return slots[results[i]]; }

private:
  using Step =
      std::function<void(std::vector<Number> &, std::span<const int64_t>)>;
  std::vector<Number> slots;
  std::vector<Step> steps;
  std::vector<unsigned> results;
  unsigned numArguments = 0;
  friend class Compiler;
};

} // namespace hwtune::reference

#endif // HWTUNE_LIB_CODEGEN_REFERENCEPROGRAM_H
