//===- Registration.cpp - dialect and passes in one call ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Registration.h"

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/Dialect.h"
#include "hwtune/Transforms/Passes.h"

#include "mlir/IR/DialectRegistry.h"

void hwtune::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<HWTuneDialect>();
  registerCompilerDialects(registry);
}

void hwtune::registerPasses(const CancelToken &cancel) {
  // Of two registrations under one name the first counts.
  mlir::registerPass([cancel] { return createCancellableTune({}, cancel); });
  mlir::registerPass([cancel] { return createCancellableApply({}, cancel); });
  mlir::registerPass([cancel] { return createCancellableAwareTune(cancel); });
  registerHWTunePasses();
}
