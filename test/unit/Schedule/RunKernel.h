//===- RunKernel.h - compile one op and run it --------------------*- C++ -*-=//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the text of a module with one function and one op to a verdict: schedule
// and configuration to PTX, executed by the simulator with all its checks,
// every output element compared with the CPU reference.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_SCHEDULE_RUNKERNEL_H
#define HWTUNE_TEST_UNIT_SCHEDULE_RUNKERNEL_H

#include "hwtune/Codegen/Compile.h"
#include "hwtune/Schedule/Schedule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace hwtune::test {

/// A parsed module, its op and what the engine sees of it.
struct Payload {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *op = nullptr;
  Workload workload;
  std::vector<std::vector<int64_t>> shapes; ///< of the function's memrefs
  std::vector<double> scalars;
  std::string error;
};
/// `text` is the function; `shapes` may be empty where all sizes are static.
Payload load(const std::string &text,
             std::vector<std::vector<int64_t>> shapes = {},
             std::vector<double> scalars = {});

const TargetSpec &testTarget();

Expected<CompiledKernel> compile(const Payload &p, const Schedule &s,
                                 const Config &c);

/// "" where the kernel ran without a diagnostic and all elements are right.
std::string run(const Payload &p, const CompiledKernel &kernel);

/// Legal configurations: the generic one, then `count` by `seed`.
std::vector<Config> sample(const Payload &p, const Schedule &s, unsigned count,
                           unsigned seed);

} // namespace hwtune::test

#endif // HWTUNE_TEST_UNIT_SCHEDULE_RUNKERNEL_H
