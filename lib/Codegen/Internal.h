//===- Internal.h - shared inside Codegen -----------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_CODEGEN_INTERNAL_H
#define HWTUNE_LIB_CODEGEN_INTERNAL_H

#include "hwtune/Support/Expected.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <string>

namespace hwtune {

/// "file:line:column", "" where there is none.
std::string locationText(mlir::Location loc);

/// Keeps the errors of a step while it lives; nothing reaches stderr.
class DiagnosticCapture {
public:
  explicit DiagnosticCapture(mlir::MLIRContext &context);
  /// `what`, then the first errors' text, at the first one's location.
  Error error(const std::string &what) const;

private:
  static constexpr int kKept = 2; ///< further errors whose text is kept
  std::string first, where;
  int count = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hwtune

#endif // HWTUNE_LIB_CODEGEN_INTERNAL_H
