//===- hwtune-opt.cpp - the tuner as an opt tool --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Optimizer.h"

#include "hwtune/Transforms/Registration.h"

#include "mlir/InitAllPasses.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::InitLLVM initialised(argc, argv);
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
  auto completed = hwtune::withDefaults({argv, size_t(argc)});
  std::vector<char *> pointers;
  for (std::string &argument : completed.arguments)
    pointers.push_back(argument.data());
  return hwtune::runOptimizer(pointers, completed.note, registry, cancel);
}
