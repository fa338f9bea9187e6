//===- Context.cpp - dialects and contexts of the compiler ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/LaunchOps.h"
#include "hwtune/IR/TransformOps.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

#include <mutex>

using namespace mlir;

namespace hwtune {

void registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  registerTransformExtension(registry);
  registerLaunchExtension(registry);
}

std::unique_ptr<MLIRContext> createCompilerContext() {
  // Scripts name passes; the pass registry is MLIR's own global.
  static std::once_flag passes;
  std::call_once(passes, [] { registerAllPasses(); });
  DialectRegistry registry;
  registerCompilerDialects(registry);
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

Expected<OwningOpRef<ModuleOp>> parseModule(MLIRContext &context,
                                            std::string_view text,
                                            std::string_view name) {
  DiagnosticCapture capture(context);
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      llvm::StringRef(text.data(), text.size()), config,
      llvm::StringRef(name.data(), name.size()));
  if (!module)
    return capture.error("the text is no module");
  return module;
}

//===----------------------------------------------------------------------===//
// DiagnosticCapture
//===----------------------------------------------------------------------===//

std::string locationText(Location loc) {
  if (auto file = llvm::dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
            ":" + llvm::Twine(file.getColumn()))
        .str();
  return "";
}

DiagnosticCapture::DiagnosticCapture(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return mlir::success();
        std::string text = diagnostic.str();
        // One line: an op printed into a message is not for people.
        text = text.substr(0, text.find('\n'));
        if (first.empty()) {
          first = text;
          where = locationText(diagnostic.getLocation());
        } else if (++count <= kKept) {
          first += "; " + text;
        }
        return mlir::success();
      }) {}

Error DiagnosticCapture::error(const std::string &what) const {
  return Error{first.empty() ? what : what + ": " + first, where};
}

} // namespace hwtune
