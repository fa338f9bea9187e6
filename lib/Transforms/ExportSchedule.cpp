//===- ExportSchedule.cpp - hw-export-schedule ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/ConfigConversion.h"
#include "hwtune/Transforms/Passes.h"
#include "hwtune/Transforms/Registration.h"
#include "hwtune/Transforms/ScheduleLibrary.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

#define DEBUG_TYPE "hw-export-schedule"

using namespace mlir;

namespace hwtune {
#define GEN_PASS_DEF_HWEXPORTSCHEDULE
#include "hwtune/Transforms/Passes.h.inc"
} // namespace hwtune

using namespace hwtune;

namespace {

class ExportSchedule final
    : public hwtune::impl::HWExportScheduleBase<ExportSchedule> {
public:
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (file.empty())
      return fail("option 'file' is empty, expected the file to write");
    FailureOr<TargetSpec> target = moduleTarget(module);
    if (failed(target))
      return signalPassFailure();
    Expected<UserSchedules> own = UserSchedules::read(getContext(), schedules);
    if (!own)
      return fail(own.error().str());
    Expected<std::string> library = scheduleLibrary(module, *target, *own);
    if (!library)
      return fail(library.error().str());
    std::string why;
    std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(file, &why);
    if (!output)
      return fail(why);
    output->os() << *library;
    output->os().flush();
    if (output->os().has_error())
      return fail("cannot write '" + file.getValue() +
                  "': " + output->os().error().message());
    output->keep();
    markAllAnalysesPreserved();
  }

private:
  void fail(const std::string &why) {
    emitError(getOperation().getLoc()) << why;
    signalPassFailure();
  }
};

} // namespace
