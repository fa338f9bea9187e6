//===- RunKernel.cpp - compile one op and run it --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

#include "hwtune/Codegen/Reference.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Simulator/Ptx/Parser.h"
#include "hwtune/Target/KnownTargets.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

namespace hwtune::test {

constexpr uint64_t kSeed = 1000; ///< of the first buffer

const TargetSpec &testTarget() {
  static const TargetSpec target = *knownTarget(kDefaultTargetId);
  return target;
}

Payload load(const std::string &text, std::vector<std::vector<int64_t>> shapes,
             std::vector<double> scalars) {
  Payload p;
  p.context = createCompilerContext();
  auto module = parseModule(*p.context, text);
  if (!module) {
    p.error = module.error().str();
    return p;
  }
  p.module = std::move(*module);
  p.module->walk([&](mlir::linalg::LinalgOp op) { p.op = op; });
  if (!p.op) {
    p.error = "no linalg op";
    return p;
  }
  p.op->setAttr("hwtune.op", mlir::UnitAttr::get(p.context.get()));
  auto workload = extractWorkload(p.op);
  if (!workload) {
    p.error = workload.error().str();
    return p;
  }
  p.workload = *workload;
  p.shapes = std::move(shapes);
  p.scalars = std::move(scalars);
  if (p.shapes.empty())
    for (mlir::Value argument : p.op->getBlock()->getArguments())
      if (auto type = llvm::dyn_cast<mlir::MemRefType>(argument.getType()))
        p.shapes.push_back(std::vector<int64_t>(type.getShape().begin(),
                                                type.getShape().end()));
  p.workload.wholeRows &= hasWholeRows(p.workload, p.shapes);
  return p;
}

Expected<CompiledKernel> compile(const Payload &p, const Schedule &s,
                                 const Config &c) {
  CompileOptions options;
  options.shapes = p.shapes;
  options.scalars = p.scalars;
  return compileKernel(*p.module, s, p.workload, testTarget(), c, options);
}

namespace {

struct Buffer {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  uint64_t seed = 0;
  bool initialised = true; ///< false: an output that nobody reads first
  exec::DeviceAddress address = 0;
  int64_t elements() const {
    int64_t n = 1;
    for (int64_t d : shape)
      n *= d;
    return n;
  }
};

/// The function's memref arguments; an output that is not read is poisoned.
std::vector<Buffer> buffersOf(const Payload &p) {
  std::vector<Buffer> out;
  auto op = llvm::cast<mlir::linalg::LinalgOp>(p.op);
  for (mlir::Value argument : p.op->getBlock()->getArguments()) {
    auto type = llvm::dyn_cast<mlir::MemRefType>(argument.getType());
    if (!type)
      continue;
    Buffer b{*elementTypeOf(type.getElementType()), p.shapes[out.size()],
             kSeed + out.size(), false, 0};
    for (mlir::OpOperand &use : p.op->getOpOperands())
      if (use.get() == argument)
        b.initialised |=
            !op.isDpsInit(&use) || op.payloadUsesValueFromOperand(&use);
    out.push_back(b);
  }
  return out;
}

void fill(exec::GlobalMemory &memory, Buffer &b) {
  uint64_t bytes = std::max<int64_t>(1, b.elements() * sizeInBytes(b.type));
  b.address = memory.allocate(bytes);
  std::byte *host = memory.host(b.address, bytes);
  memory.trackWrites(b.address);
  if (b.initialised) {
    generate(b.seed, b.type,
             std::span(host, b.elements() * sizeInBytes(b.type)));
    memory.markWritten(b.address, bytes);
  } else {
    std::memset(host, int(poisonByte(b.type)), bytes);
  }
}

std::vector<std::byte> parameters(const KernelDesc &kernel,
                                  const exec::FunctionInfo &f,
                                  const std::vector<Buffer> &buffers) {
  std::vector<std::byte> out(f.paramBytes);
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgDesc &arg = kernel.args[i];
    if (arg.kind == ArgDesc::Kind::Buffer) {
      uint64_t address = buffers[arg.buffer].address + arg.byteOffset;
      std::memcpy(out.data() + f.params[i].offset, &address, sizeof address);
    } else {
      encodeElement(arg.type, arg.scalar, out.data() + f.params[i].offset);
    }
  }
  return out;
}

std::string compare(const Payload &p, std::vector<Buffer> &buffers,
                    exec::GlobalMemory &memory) {
  ReferenceInputs inputs;
  std::vector<int> bufferOf;
  std::vector<mlir::Value> memrefs, scalars;
  for (mlir::Value a : p.op->getBlock()->getArguments())
    (llvm::isa<mlir::MemRefType>(a.getType()) ? memrefs : scalars).push_back(a);
  for (mlir::OpOperand &use : p.op->getOpOperands()) {
    auto it = std::find(memrefs.begin(), memrefs.end(), use.get());
    auto scalar = std::find(scalars.begin(), scalars.end(), use.get());
    bufferOf.push_back(it == memrefs.end() ? -1 : int(it - memrefs.begin()));
    inputs.buffers.push_back(
        it == memrefs.end() ? ReferenceBuffer()
                            : ReferenceBuffer{buffers[bufferOf.back()].shape,
                                              buffers[bufferOf.back()].seed});
    if (scalar != scalars.end())
      inputs.scalars[use.getOperandNumber()] =
          p.scalars[scalar - scalars.begin()];
  }
  auto outputs = computeReference(p.op, inputs);
  if (!outputs)
    return "reference: " + outputs.error().str();
  for (const ReferenceOutput &output : *outputs) {
    const Buffer &b = buffers[bufferOf[output.operand]];
    ExpectedDesc desc;
    desc.relative = kReferenceSlack;
    uint64_t bytes = b.elements() * sizeInBytes(b.type);
    Comparison c = compareElements(
        b.type,
        std::span<const std::byte>(memory.host(b.address, bytes), bytes),
        output.expected, desc);
    if (!c.ok())
      return c.describe("output");
    if (c.checked == 0 && b.elements() > 0)
      return "nothing was compared";
  }
  return "";
}

} // namespace

std::string run(const Payload &p, const CompiledKernel &kernel) {
  auto module = ptx::parse(kernel.ptx);
  if (!module)
    return "PTX: " + module.error().str();
  exec::GlobalMemory memory;
  exec::ProgramOptions options;
  auto program = exec::Program::create(*module, memory, options);
  if (!program)
    return "PTX: " + program.error().str();
  std::vector<Buffer> buffers = buffersOf(p);
  for (Buffer &b : buffers)
    fill(memory, b);
  exec::LaunchRequest request;
  request.function = (*program)->findFunction(kernel.kernel.entry);
  if (!request.function)
    return "no entry " + kernel.kernel.entry;
  for (int d = 0; d < 3; ++d) {
    request.grid[d] = uint32_t(kernel.kernel.grid[d]);
    request.block[d] = uint32_t(kernel.kernel.block[d]);
  }
  request.dynamicSharedBytes = uint32_t(kernel.kernel.dynamicSharedBytes);
  std::vector<std::byte> params =
      parameters(kernel.kernel, *request.function, buffers);
  request.params = params;
  request.options.check = true;
  request.options.instructionBudget = 200'000'000;
  exec::LaunchResult result = exec::launch(**program, memory, request);
  if (!result.ok())
    return "run: " + result.diagnostic.str();
  return compare(p, buffers, memory);
}

std::vector<Config> sample(const Payload &p, const Schedule &s, unsigned count,
                           unsigned seed) {
  Space space = s.space(p.workload, testTarget());
  std::vector<Config> all, out{s.generic(p.workload, testTarget())};
  space.forEach([&](const Config &c) {
    all.push_back(c);
    return true;
  });
  std::mt19937 g(seed);
  for (unsigned i = 0; i < count && !all.empty(); ++i)
    out.push_back(all[g() % all.size()]);
  return out;
}

} // namespace hwtune::test
