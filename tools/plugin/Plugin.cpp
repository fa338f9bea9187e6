//===- Plugin.cpp - hwtune inside a stock mlir-opt ------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both entry points: `--load-dialect-plugin` registers dialect and passes, so
// that input which holds hwtune attributes parses; `--load-pass-plugin` the
// passes alone.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Registration.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
    mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HWTune", HWTUNE_VERSION,
          [](mlir::DialectRegistry *registry) {
            hwtune::registerDialects(*registry);
            hwtune::registerPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
    mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HWTune", HWTUNE_VERSION,
          []() { hwtune::registerPasses(); }};
}
