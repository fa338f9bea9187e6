//===- Artifacts.cpp - from a request to files ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "Expectation.h"

#include "hwtune/Codegen/Compile.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/File.h"
#include "hwtune/Support/Sha256.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include <chrono>

#include <fmt/format.h>

using namespace mlir;

namespace hwtune {
namespace {

Expected<Subject> findSubject(ModuleOp module) {
  Subject subject;
  size_t marked = 0;
  module.walk([&](linalg::LinalgOp op) {
    if (!op->hasAttr("hwtune.op"))
      return;
    ++marked;
    subject.op = op;
  });
  if (marked != 1)
    return Error{fmt::format("{} ops are marked `hwtune.op`, expected 1: a "
                             "linalg op on memrefs in a function of its own",
                             marked),
                 ""};
  subject.function = subject.op->getParentOfType<func::FuncOp>();
  if (!subject.function || !subject.op.hasPureBufferSemantics())
    return Error{"the marked op is not on memrefs in a func.func", ""};
  return subject;
}

Expected<TargetSpec> readTarget(const std::string &text) {
  size_t first = text.find_first_not_of(" \t\n");
  if (first != std::string::npos && text[first] == '{')
    return targetFromJson(text);
  return targetFromIdOrFile(text);
}

/// Shape of the buffer behind memref argument `i`: its own, or all that it
/// spans where it is not packed.
std::vector<int64_t> bufferShape(MemRefType type, size_t i,
                                 const CompileOptions &options) {
  std::vector<int64_t> shape = shapeOf(type, i, options);
  BufferLayout layout = layoutOf(type);
  if (layout.strides.empty() && layout.offset == 0)
    return shape;
  return {spannedElements(shape, launchStrides(layout.strides, shape),
                          layout.offset)};
}

Expected<std::vector<BufferDesc>> describeBuffers(Subject subject,
                                                  const Workload &workload,
                                                  const CompileOptions &options,
                                                  uint64_t seed) {
  std::vector<BufferDesc> buffers;
  for (BlockArgument argument : subject.function.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    BufferDesc buffer;
    buffer.name = fmt::format("arg{}", argument.getArgNumber());
    std::optional<ElementType> element = elementTypeOf(type.getElementType());
    if (!element)
      return Error{fmt::format("argument {} has an element type that no device "
                               "buffer can have",
                               argument.getArgNumber()),
                   ""};
    buffer.type = *element;
    buffer.shape = bufferShape(type, buffers.size(), options);
    buffer.seed = seed + buffers.size();
    for (OpOperand &operand : subject.op->getOpOperands()) {
      if (operand.get() != argument || !subject.op.isDpsInit(&operand))
        continue;
      buffer.isOutput = true;
      buffer.readsInit =
          workload.operands[operand.getOperandNumber()].readsInit;
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

/// The kernel of a built-in schedule, and the tiles of its grid.
Expected<CompiledKernel> compileByName(const CompileRequest &request,
                                       ModuleOp module, Workload &workload,
                                       const TargetSpec &target,
                                       const CompileOptions &options,
                                       std::vector<int64_t> &tiles) {
  const Schedule *schedule = findSchedule(request.schedule);
  if (!schedule)
    return Error{fmt::format("unknown schedule `{}`", request.schedule), ""};
  if (std::string reason = schedule->mismatch(workload); !reason.empty())
    return Error{fmt::format("schedule `{}` cannot run this op: {}",
                             request.schedule, reason),
                 ""};
  // A launch of known sizes promises what they keep.
  workload.wholeRows &= hasWholeRows(workload, request.shapes);
  Space space = schedule->space(workload, target);
  Expected<Config> config =
      request.config.empty()
          ? Expected<Config>(schedule->generic(workload, target))
          : space.fromText(request.config);
  if (!config)
    return config.error();
  if (std::optional<Rejection> rejection =
          space.reject(*config, /*anyValue=*/true))
    return Error{"the configuration is not legal: " + rejection->message(), ""};
  tiles = schedule->gridTiles(workload, target, *config);
  return compileKernel(module, *schedule, workload, target, *config, options);
}

/// The kernel of a script that came with the request. Nothing has said before
/// whether its blocks fit.
Expected<CompiledKernel> compileText(const CompileRequest &request,
                                     ModuleOp module, const TargetSpec &target,
                                     CompileOptions options) {
  options.checkHandles = true;
  Expected<CompiledKernel> kernel =
      compileScript(module, request.script, target, options);
  if (!kernel)
    return kernel;
  const std::array<int64_t, 3> &block = kernel->kernel.block;
  int64_t threads = block[0] * block[1] * block[2];
  if (threads > target.maxThreadsPerBlock)
    return Error{fmt::format("the schedule launches blocks of {} threads, "
                             "limit {}",
                             threads, target.maxThreadsPerBlock),
                 ""};
  if (kernel->sharedBytes > target.sharedPerBlockOptin)
    return Error{fmt::format("the schedule needs {} bytes of shared memory a "
                             "block, limit {}",
                             kernel->sharedBytes, target.sharedPerBlockOptin),
                 ""};
  return kernel;
}

Expected<Compiled> compile(MLIRContext &context,
                           const CompileRequest &request) {
  Expected<TargetSpec> target = readTarget(request.target);
  if (!target)
    return target.error();
  Expected<OwningOpRef<ModuleOp>> module =
      parseModule(context, request.module, "<module>");
  if (!module)
    return module.error();
  Expected<Subject> subject = findSubject(**module);
  if (!subject)
    return subject.error();
  Expected<Workload> workload = extractWorkload(subject->op);
  if (!workload)
    return workload.error();
  CompileOptions options;
  options.shapes = request.shapes;
  options.ptxas = request.ptxas;
  options.scalars = scalarsOf(*subject, request.seed);
  std::vector<int64_t> tiles;
  Expected<CompiledKernel> kernel =
      request.script.empty()
          ? compileByName(request, **module, *workload, *target, options, tiles)
          : compileText(request, **module, *target, options);
  if (!kernel)
    return kernel.error();

  LaunchDescription launch;
  launch.target = target->id;
  launch.arch = target->arch;
  launch.ptxFile = "kernel.ptx";
  Expected<std::vector<BufferDesc>> buffers =
      describeBuffers(*subject, *workload, options, request.seed);
  if (!buffers)
    return buffers.error();
  launch.buffers = std::move(*buffers);
  launch.kernels.push_back(kernel->kernel);
  launch.kernels.back().registers = kernel->registers;
  launch.kernels.back().spillBytes = kernel->spillBytes;
  launch.flops = double(workload->body.flops);
  for (int64_t extent : launchExtents(*subject, *workload, options))
    launch.flops *= double(extent);
  Compiled compiled{std::move(*kernel), std::move(launch), ""};
  if (request.expected)
    if (Status done = computeExpected(*subject, *workload, options,
                                      request.seed, tiles, compiled);
        !done)
      return done.error();
  return compiled;
}

Status writeArtifacts(const Compiled &compiled, const std::string &folder) {
  if (Status done =
          writeFileAtomically(folder + "/kernel.ptx", compiled.kernel.ptx);
      !done)
    return done;
  if (!compiled.launch.expectedFile.empty())
    if (Status done =
            writeFileAtomically(folder + "/expected.bin", compiled.expected);
        !done)
      return done;
  return writeFileAtomically(folder + "/launch.json",
                             compiled.launch.toJson() + "\n");
}

} // namespace

CompileReply compileRequest(MLIRContext &context,
                            const CompileRequest &request) {
  auto start = std::chrono::steady_clock::now();
  CompileReply reply;
  reply.id = request.id;
  auto fail = [&](const Error &error) {
    reply.diagnostics = error.str();
    return reply;
  };
  Expected<Compiled> compiled = compile(context, request);
  if (!compiled)
    return fail(compiled.error());
  if (Status done = writeArtifacts(*compiled, request.folder); !done) {
    reply.fatal = true;
    return fail(done.error());
  }
  const CompiledKernel &kernel = compiled->kernel;
  reply.ok = true;
  reply.launchFile = request.folder + "/launch.json";
  reply.ptxFile = request.folder + "/kernel.ptx";
  reply.ptxHash = sha256Hex(kernel.ptx);
  reply.grid = kernel.kernel.grid;
  reply.block = kernel.kernel.block;
  reply.registers = kernel.registers;
  reply.spillBytes = kernel.spillBytes;
  reply.sharedBytes = kernel.sharedBytes;
  reply.registerBasis = kernel.registerBasis;
  reply.milliseconds = std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - start)
                           .count();
  return reply;
}

} // namespace hwtune
