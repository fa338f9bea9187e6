//===- AttachTarget.cpp - hw-attach-target --------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the description of a device on the module. A description that comes
// from a live device or a file is checked when the attribute is built, so what
// is attached is always one that the verifier accepts.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Dialect.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Transforms/Passes.h"

#define DEBUG_TYPE "hw-attach-target"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWATTACHTARGET
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

static Expected<TargetSpec> detectTarget(const std::string &device) {
  return Error{"device '" + device + "' cannot be asked", ""};
}

namespace {

class AttachTarget final
    : public hwtune::impl::HWAttachTargetBase<AttachTarget> {
public:
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (target.empty() && device.empty() &&
        module->hasAttr(HWTuneDialect::kTargetAttrName))
      return;
    Expected<TargetSpec> spec = choose();
    if (!spec) {
      emitError(module.getLoc()) << spec.error().str();
      return signalPassFailure();
    }
    module->setAttr(HWTuneDialect::kTargetAttrName,
                    TargetAttr::fromSpec(&getContext(), *spec));
  }

private:
  Expected<TargetSpec> choose() {
    if (!target.empty())
      return targetFromIdOrFile(target);
    if (!device.empty())
      return detectTarget(device);
    Expected<TargetSpec> live = detectTarget("cuda:0");
    if (live || fallback.empty())
      return live;
    emitRemark(getOperation().getLoc())
        << "no GPU found (" << live.error().str() << "), target is '"
        << fallback << "'";
    return knownTarget(fallback);
  }
};

} // namespace
