//===- hwtune-opt.cpp - the tuner as an opt tool --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "hwtune/Transforms/Registration.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  hwtune::registerDialects(registry);
  mlir::registerAllPasses();
  hwtune::registerPasses();
  if (auto complaint = hwtune::findUnknownHelpLikeFlag({argv, size_t(argc)})) {
    llvm::errs() << argv[0] << ": " << *complaint << '\n';
    return 1;
  }
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "hwtune optimizer driver\n", registry));
}
