//===- AttributesFuzz.cpp - any text as an attribute of ours --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// People write and edit annotations by hand. What is accepted prints to a text
// that is accepted and is the same attribute.
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Dialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

using namespace mlir;

/// Attributes live as long as their context.
static constexpr unsigned kUsesOfContext = 2000;

static MLIRContext &contextForNext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % kUsesOfContext == 0) {
    context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
    context->loadDialect<hwtune::HWTuneDialect>();
  }
  return *context;
}

static std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// LLVM's allocators poison what they hold, and the packages' libraries, which
/// are not instrumented, hand it out poisoned.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static constexpr const char *kNames[] = {"config", "target", "result",
                                           "candidate"};
  MLIRContext &context = contextForNext();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  std::string text = std::string("#hwtune.") + kNames[data[0] % 4] + "<" +
                     std::string(data + 1, data + size) + ">";
  Attribute attribute = parseAttribute(text, &context);
  if (!attribute)
    return 0;
  if (parseAttribute(print(attribute), &context) != attribute) {
    std::fprintf(stderr, "printed text is another attribute:\n%s\n%s\n",
                 text.c_str(), print(attribute).c_str());
    std::abort();
  }
  return 0;
}
