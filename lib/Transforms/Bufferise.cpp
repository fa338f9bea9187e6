//===- Bufferise.cpp - tensors become the buffers they will be ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bufferise.h"

#include "hwtune/Transforms/Normalise.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

hwtune::FirstError::FirstError(MLIRContext *context)
    : location(UnknownLoc::get(context)),
      handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            text.empty()) {
          text = StringRef(diagnostic.str()).split('\n').first.str();
          location = diagnostic.getLocation();
        }
        return llvm::success();
      }) {}

std::optional<hwtune::NotBufferised> hwtune::bufferise(ModuleOp module) {
  FirstError first(module.getContext());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // A loop may carry another buffer into each turn.
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  PassManager pm(module.getContext());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  if (failed(pm.run(module)))
    return NotBufferised{first.location, first.text};
  liftCaptures(module);
  return std::nullopt;
}

void hwtune::makeStridedCopiesKernels(func::FuncOp function) {
  auto isPacked = [](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return !type || type.getLayout().isIdentity();
  };
  function.walk([&](memref::CopyOp copy) {
    if (llvm::all_of(copy->getOperands(), isPacked))
      return;
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  });
}
