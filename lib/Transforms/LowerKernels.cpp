//===- LowerKernels.cpp - hw-lower-kernels --------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Kernelize.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"

#define DEBUG_TYPE "hw-lower-kernels"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWLOWERKERNELS
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class LowerKernels final
    : public hwtune::impl::HWLowerKernelsBase<LowerKernels> {
public:
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  void runOnOperation() override {
    // On a copy, so that a kernel that fails leaves the others as they were.
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    if (Status done =
            emitBinaries(llvm::to_vector(copy->getOps<gpu::GPUModuleOp>()));
        !done) {
      emitError(getOperation().getLoc()) << done.error().str();
      return signalPassFailure();
    }
    getOperation().getBodyRegion().takeBody(copy->getBodyRegion());
    getOperation()->removeAttr(kLoweringAttrName);
  }
};

} // namespace
