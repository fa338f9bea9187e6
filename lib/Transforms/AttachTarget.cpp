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

#include "hwtune/Driver/DriverTable.h"
#include "hwtune/IR/Dialect.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/LiveDevice.h"
#include "hwtune/Transforms/Passes.h"

#define DEBUG_TYPE "hw-attach-target"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWATTACHTARGET
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

/// What the driver says of `device` ("cuda:N").
static Expected<TargetSpec> detectTarget(StringRef device) {
  unsigned ordinal = 0;
  StringRef rest = device;
  if (!rest.consume_front("cuda:") || rest.getAsInteger(10, ordinal))
    return Error{"device '" + device.str() +
                     "' cannot be asked for its description, expected 'cuda:' "
                     "and a number",
                 ""};
  Expected<std::unique_ptr<DriverTable>> driver = DriverTable::load("");
  if (!driver)
    return driver.error();
  Expected<LiveDevice> live = readLiveDevice(**driver, ordinal);
  if (!live)
    return live.error();
  return live->spec;
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
    warnOfConfigs(spec->id);
    module->setAttr(HWTuneDialect::kTargetAttrName,
                    TargetAttr::fromSpec(&getContext(), *spec));
  }

private:
  /// Configurations stay when the module gets another target.
  void warnOfConfigs(const std::string &id) {
    ModuleOp module = getOperation();
    auto before =
        module->getAttrOfType<TargetAttr>(HWTuneDialect::kTargetAttrName);
    if (!before || before.getId() == id)
      return;
    unsigned count = 0;
    module.walk([&](Operation *op) {
      count += op->hasAttr(HWTuneDialect::kConfigAttrName);
    });
    if (count)
      emitWarning(module.getLoc())
          << count << " configurations were chosen for '" << before.getId()
          << "', the target is now '" << id << "'";
  }

  Expected<TargetSpec> choose() {
    if (!target.empty())
      return targetFromIdOrFile(target);
    if (!device.empty())
      return detectTarget(device.getValue());
    Expected<TargetSpec> live = detectTarget("cuda:0");
    if (live)
      emitRemark(getOperation().getLoc())
          << "target is '" << live->id << "', the GPU that was found";
    if (live || fallback.empty())
      return live;
    emitRemark(getOperation().getLoc())
        << "no GPU found (" << live.error().str() << "), target is '"
        << fallback << "'";
    return knownTarget(fallback);
  }
};

} // namespace
