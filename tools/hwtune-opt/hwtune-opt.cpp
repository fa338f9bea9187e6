//===- hwtune-opt.cpp - the tuner as an opt tool --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "hwtune/Transforms/Registration.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  hwtune::CancelToken cancel;
  mlir::DialectRegistry registry;
  hwtune::registerDialects(registry); // with all upstream ones
  mlir::registerAllPasses();
  hwtune::registerPasses(cancel);
  if (auto complaint = hwtune::findUnknownHelpLikeFlag({argv, size_t(argc)})) {
    llvm::errs() << argv[0] << ": " << *complaint << '\n';
    return 1;
  }
  hwtune::cancelOnSignal(cancel);
  auto arguments = hwtune::withDefaults({argv, size_t(argc)});
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, pointers.data(), "hwtune optimizer driver\n", registry));
}
