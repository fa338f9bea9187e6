//===- MathLoweringTest.cpp - every math op reaches PTX -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/MathLowering.h"

#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace {

class MathLowering : public testing::Test {
protected:
  static void SetUpTestSuite() { registerAllPasses(); }

  MathLowering() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerAllToLLVMIRTranslations(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    handler = context.getDiagEngine().registerHandler(
        [this](Diagnostic &d) { errors += d.str() + "\n"; });
  }

  /// A kernel that loads `types`' operands, applies `op` and stores the result.
  std::string kernel(std::string_view op, std::vector<std::string> types,
                     std::string_view result) {
    std::string params, body, names, all;
    for (size_t i = 0; i < types.size(); ++i) {
      params += fmt::format("%p{}: memref<64x{}>, ", i, types[i]);
      body += fmt::format("  %x{} = memref.load %p{}[%t] : memref<64x{}>\n", i,
                          i, types[i]);
    }
    auto apply = std::string(op);
    return fmt::format(
        "module attributes {{gpu.container_module}} {{ gpu.module @m {{\n"
        "gpu.func @k({}%out: memref<64x{}>) kernel {{\n"
        "  %t = gpu.thread_id x\n{}  {}\n"
        "  memref.store %r, %out[%t] : memref<64x{}>\n  gpu.return }} }} }}\n",
        params, result, body, apply, result);
  }

  std::string ptx(const std::string &text, std::string_view chip) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return "";
    PassManager pm(&context);
    auto &kernels = pm.nest<gpu::GPUModuleOp>();
    kernels.addPass(hwtune::createLowerMathPass());
    if (failed(parsePassPipeline(
            "canonicalize,cse,convert-scf-to-cf,convert-gpu-to-nvvm{use-bare-"
            "ptr-memref-call-conv=1},canonicalize,reconcile-unrealized-casts",
            kernels)) ||
        failed(parsePassPipeline(
            fmt::format("nvvm-attach-target{{chip={} "
                        "O=3}},gpu-module-to-binary{{format=isa}}",
                        chip),
            pm)) ||
        failed(pm.run(*module)))
      return "";
    std::string out;
    module->walk([&](gpu::BinaryOp binary) {
      out = cast<gpu::ObjectAttr>(binary.getObjects()[0])
                .getObject()
                .getValue()
                .str();
    });
    return out;
  }

  void expectSelfContained(const std::string &text, const std::string &what) {
    for (const char *chip : {"sm_75", "sm_90"}) {
      std::string p = ptx(text, chip);
      EXPECT_NE(p.find(".visible .entry k"), std::string::npos)
          << what << " " << chip << "\n"
          << errors << text;
      EXPECT_EQ(p.find(".extern"), std::string::npos) << what << " " << chip;
      EXPECT_EQ(p.find("call"), std::string::npos) << what << " " << chip << p;
    }
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  DiagnosticEngine::HandlerID handler;
  std::string errors;
};

TEST_F(MathLowering, UnaryFloatOpsCallNothing) {
  for (std::string op :
       {"absf",  "acos",  "acosh", "asin",  "asinh",     "atan",
        "atanh", "cbrt",  "ceil",  "cos",   "cosh",      "erf",
        "erfc",  "exp",   "exp2",  "expm1", "floor",     "log",
        "log10", "log1p", "log2",  "round", "roundeven", "rsqrt",
        "sin",   "sinh",  "sqrt",  "tan",   "tanh",      "trunc"})
    for (std::string type : {"f16", "bf16", "f32", "f64"})
      expectSelfContained(
          kernel(fmt::format("%r = math.{} %x0 : {}", op, type), {type}, type),
          op + " " + type);
}

TEST_F(MathLowering, BinaryFloatOpsCallNothing) {
  for (std::string op : {"math.atan2", "math.copysign", "math.powf",
                         "arith.remf", "arith.maxnumf", "arith.minnumf",
                         "arith.maximumf", "arith.minimumf", "arith.divf"})
    for (std::string type : {"f16", "bf16", "f32", "f64"})
      expectSelfContained(kernel(fmt::format("%r = {} %x0, %x1 : {}", op, type),
                                 {type, type}, type),
                          op + " " + type);
}

TEST_F(MathLowering, TernaryAndClassOpsCallNothing) {
  for (std::string type : {"f16", "bf16", "f32", "f64"}) {
    expectSelfContained(
        kernel(fmt::format("%r = math.fma %x0, %x1, %x2 : {}", type),
               {type, type, type}, type),
        "fma " + type);
    expectSelfContained(
        kernel(fmt::format("%r = math.clampf %x0 to [%x1, %x2] : {}", type),
               {type, type, type}, type),
        "clampf " + type);
    expectSelfContained(
        kernel(fmt::format("%s, %r = math.sincos %x0 : {}", type), {type},
               type),
        "sincos " + type);
    for (std::string op : {"isnan", "isinf", "isfinite", "isnormal"})
      expectSelfContained(
          kernel(fmt::format(
                     "%c = math.{} %x0 : {}\n  %r = arith.extui %c : i1 to i32",
                     op, type),
                 {type}, "i32"),
          op + " " + type);
  }
}

TEST_F(MathLowering, IntegerOpsCallNothing) {
  for (std::string type : {"i8", "i16", "i32", "i64"}) {
    for (std::string op : {"absi", "ctlz", "cttz", "ctpop"})
      expectSelfContained(
          kernel(fmt::format("%r = math.{} %x0 : {}", op, type), {type}, type),
          op + " " + type);
    expectSelfContained(
        kernel(fmt::format("%r = math.ipowi %x0, %x1 : {}", type), {type, type},
               type),
        "ipowi " + type);
    for (std::string f : {"f16", "f32", "f64"})
      expectSelfContained(
          kernel(fmt::format("%r = math.fpowi %x0, %x1 : {}, {}", f, type),
                 {f, type}, f),
          "fpowi " + f + type);
  }
}

TEST_F(MathLowering, VectorsAreTakenApart) {
  auto module = parseSourceString<ModuleOp>(
      "func.func @f(%x: vector<2x4xf32>) -> vector<2x4xf32> {\n"
      "  %r = math.absf %x : vector<2x4xf32>\n  return %r : vector<2x4xf32> }",
      &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(hwtune::lowerMath(*module)));
  int intrinsics = 0;
  module->walk([&](LLVM::CallIntrinsicOp op) {
    intrinsics += op.getIntrin() == "llvm.fabs.f32";
  });
  EXPECT_EQ(intrinsics, 8);
}

TEST_F(MathLowering, UnsupportedTypeIsNamed) {
  auto module =
      parseSourceString<ModuleOp>("func.func @f(%x: f80) -> f80 {\n  %r = "
                                  "math.exp %x : f80\n  return %r : f80 }",
                                  &context);
  ASSERT_TRUE(module);
  EXPECT_TRUE(failed(hwtune::lowerMath(*module)));
  EXPECT_EQ(errors, "'math.exp' on 'f80' has no lowering for a GPU; f16, bf16, "
                    "f32, f64 and integers of up to 64 bits have\n");
}

/// The same text whether or not a CUDA toolkit can be found.
TEST_F(MathLowering, DoesNotDependOnTheEnvironment) {
  std::string text = kernel(
      "%e = math.exp %x0 : f32\n  %r = math.tanh %e : f32", {"f32"}, "f32");
  unsetenv("CUDA_HOME");
  std::string without = ptx(text, "sm_80");
  setenv("CUDA_HOME", "/usr/local/cuda", 1);
  std::string with = ptx(text, "sm_80");
  unsetenv("CUDA_HOME");
  EXPECT_FALSE(without.empty());
  EXPECT_EQ(without, with);
}

} // namespace
