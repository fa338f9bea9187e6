//===- Artifacts.cpp - from a request to files ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"

#include "hwtune/Codegen/BlockSample.h"
#include "hwtune/Codegen/Compile.h"
#include "hwtune/Codegen/Reference.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/File.h"
#include "hwtune/Support/Random.h"
#include "hwtune/Support/Sha256.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <chrono>
#include <span>

#include <fmt/format.h>
#include <limits>

using namespace mlir;

namespace hwtune {
namespace {

/// The function of a request and its marked op.
struct Subject {
  func::FuncOp function;
  linalg::LinalgOp op;
};

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

/// Shape of memref argument `i` in this launch.
std::vector<int64_t> shapeOf(MemRefType type, size_t i,
                             const CompileOptions &options) {
  if (i < options.shapes.size())
    return options.shapes[i];
  return std::vector<int64_t>(type.getShape().begin(), type.getShape().end());
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

/// One value for each scalar argument, from the generator like buffers.
std::vector<double> scalarsOf(Subject subject, uint64_t seed) {
  std::vector<double> scalars;
  for (BlockArgument argument : subject.function.getArguments()) {
    if (isa<MemRefType>(argument.getType()))
      continue;
    ElementType type =
        elementTypeOf(argument.getType()).value_or(ElementType::I64);
    scalars.push_back(generatedValue(seed + argument.getArgNumber(), 0, type));
  }
  return scalars;
}

/// Iterations of each loop of the op for buffers of these sizes.
std::vector<int64_t> loopExtents(const Workload &workload,
                                 const ReferenceInputs &inputs) {
  std::vector<int64_t> extents;
  for (size_t l = 0; l < workload.loops.size(); ++l) {
    int64_t extent = workload.loops[l].extent;
    for (size_t o = 0; extent == kDynamic && o < workload.operands.size(); ++o)
      for (size_t d = 0; d < workload.operands[o].index.size(); ++d)
        if (workload.operands[o].index[d].coefficients[l] == 1 &&
            d < inputs.buffers[o].shape.size())
          extent = inputs.buffers[o].shape[d];
    extents.push_back(std::max<int64_t>(extent, 1));
  }
  return extents;
}

struct Compiled {
  CompiledKernel kernel;
  LaunchDescription launch;
  std::string expected; ///< of expected.bin; "" where not asked for
};

/// Iterations of the op beyond which only a sample of it is checked: all that
/// some blocks write, or, where it is not known which block writes what, as
/// many elements as this allows.
constexpr double kMostReferencePoints = double(int64_t(1) << 27);

/// Ascending, first and last included, one at random in each of equal parts.
std::vector<uint64_t> sampleElements(uint64_t elements, uint64_t count,
                                     uint64_t seed) {
  std::vector<uint64_t> indices;
  if (count >= elements)
    return indices; // all
  Random random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    // Parts differ by one where `count` does not divide: all is covered.
    auto edge = [&](uint64_t k) {
      return uint64_t((unsigned __int128)k * elements / count);
    };
    uint64_t from = edge(i), at = from + random.next() % (edge(i + 1) - from);
    indices.push_back(i == 0 ? 0 : i + 1 == count ? elements - 1 : at);
  }
  return indices;
}

/// What the reference reads, and which buffer each operand is.
ReferenceInputs referenceInputs(Subject subject, const CompileOptions &options,
                                const LaunchDescription &launch, uint64_t seed,
                                std::map<unsigned, unsigned> &bufferOf) {
  ReferenceInputs inputs;
  llvm::DenseMap<Value, unsigned> bufferAt;
  std::vector<double> scalars = scalarsOf(subject, seed);
  llvm::DenseMap<Value, double> scalarAt;
  for (BlockArgument argument : subject.function.getArguments()) {
    if (isa<MemRefType>(argument.getType()))
      bufferAt.try_emplace(argument, bufferAt.size());
    else
      scalarAt.try_emplace(argument, scalars[scalarAt.size()]);
  }
  for (OpOperand &operand : subject.op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    ReferenceBuffer buffer;
    if (auto it = bufferAt.find(operand.get()); it != bufferAt.end()) {
      const BufferDesc &desc = launch.buffers[it->second];
      buffer = {shapeOf(cast<MemRefType>(operand.get().getType()), it->second,
                        options),
                desc.seed};
      bufferOf[number] = it->second;
    } else if (auto scalar = scalarAt.find(operand.get());
               scalar != scalarAt.end()) {
      inputs.scalars[number] = scalar->second;
    }
    inputs.buffers.push_back(std::move(buffer));
  }
  return inputs;
}

/// Largest value that a kernel may take for zero: numbers below the smallest
/// normal one may be flushed, f16 keeps its subnormal ones.
double lostToUnderflow(ElementType accumulator) {
  switch (accumulator) {
  case ElementType::F64:
    return std::numeric_limits<double>::min();
  case ElementType::F32:
  case ElementType::BF16:
    return std::numeric_limits<float>::min();
  case ElementType::F16:
    return 0x1p-24;
  default:
    return 0;
  }
}

/// Fills the expected section of `compiled`. `tiles`: `Schedule::gridTiles`.
Status computeExpected(Subject subject, const Workload &workload,
                       const CompileOptions &options, uint64_t seed,
                       std::span<const int64_t> tiles, Compiled &compiled) {
  std::map<unsigned, unsigned> bufferOf; // operand -> buffer
  ReferenceInputs inputs =
      referenceInputs(subject, options, compiled.launch, seed, bufferOf);
  std::vector<int64_t> extents = loopExtents(workload, inputs);
  double points = 1;
  for (int64_t extent : extents)
    points *= double(extent);
  std::vector<std::vector<uint64_t>> indices; // empty lists: all elements
  // Elements of a sample are counted without gaps.
  bool packed = std::all_of(
      workload.operands.begin(), workload.operands.end(),
      [](const Operand &o) { return !o.isOutput || o.strides.empty(); });
  if (points > kMostReferencePoints) {
    std::optional<BlockSample> sample;
    if (packed)
      sample = sampleBlocks(workload, extents, tiles,
                            compiled.kernel.kernel.grid, seed);
    if (sample) {
      compiled.launch.sampleBlocks = std::move(sample->blocks);
      indices = std::move(sample->elements);
    } else {
      for (OpOperand &operand : subject.op.getDpsInitsMutable()) {
        uint64_t elements = uint64_t(
            compiled.launch.buffers[bufferOf[operand.getOperandNumber()]]
                .elements());
        auto count = uint64_t(double(elements) * kMostReferencePoints / points);
        indices.push_back(
            sampleElements(elements, std::max<uint64_t>(64, count), seed));
      }
    }
  }
  Expected<std::vector<ReferenceOutput>> outputs =
      computeReference(subject.op, inputs, indices);
  if (!outputs)
    return outputs.error();
  for (const ReferenceOutput &output : *outputs) {
    ExpectedDesc desc;
    desc.buffer = bufferOf[output.operand];
    desc.relative = kReferenceSlack;
    desc.absolute = lostToUnderflow(workload.accumulator);
    appendExpected(compiled.expected, output.expected, desc);
    compiled.launch.expected.push_back(desc);
  }
  compiled.launch.expectedFile = "expected.bin";
  return success();
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
  launch.flops = workload->flops();
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
  if (Status done = writeArtifacts(*compiled, request.folder); !done)
    return fail(done.error());
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
