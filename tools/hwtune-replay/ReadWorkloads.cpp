//===- ReadWorkloads.cpp - workloads of an MLIR file ----------------- ===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadWorkloads.h"

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Records/PackedFile.h"

namespace hwtune::replay {

Expected<std::vector<Workload>> readWorkloads(const std::string &path) {
  Expected<std::string> text = readPackedFile(path);
  if (!text)
    return text.error();
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
      parseModule(*context, *text, path);
  if (!module)
    return module.error();
  std::vector<Workload> workloads;
  for (TunableOp &found : collectLinalgOps(module->get())) {
    if (!found.workload)
      return Error{found.workload.error().message, path};
    workloads.push_back(std::move(*found.workload));
  }
  return workloads;
}

} // namespace hwtune::replay
