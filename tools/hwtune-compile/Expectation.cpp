//===- Expectation.cpp - what the outputs must be -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expectation.h"

#include "hwtune/Codegen/BlockSample.h"
#include "hwtune/Codegen/ProjectedReference.h"
#include "hwtune/Codegen/Reference.h"
#include "hwtune/IR/WorkloadExtraction.h"
#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/Random.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

using namespace mlir;
using namespace hwtune;

std::vector<int64_t> hwtune::shapeOf(MemRefType type, size_t i,
                                     const CompileOptions &options) {
  if (i < options.shapes.size())
    return options.shapes[i];
  return std::vector<int64_t>(type.getShape().begin(), type.getShape().end());
}

/// Shape of each operand of the op in this launch; none where it is no memref
/// argument.
static std::vector<std::vector<int64_t>>
operandShapes(Subject subject, const CompileOptions &options) {
  llvm::DenseMap<Value, std::vector<int64_t>> shapes;
  for (BlockArgument argument : subject.function.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      size_t i = shapes.size();
      shapes[argument] = shapeOf(type, i, options);
    }
  std::vector<std::vector<int64_t>> result;
  for (Value operand : subject.op->getOperands())
    result.push_back(shapes.lookup(operand));
  return result;
}

std::vector<int64_t> hwtune::launchExtents(Subject subject,
                                           const Workload &workload,
                                           const CompileOptions &options) {
  std::vector<std::vector<int64_t>> shapes = operandShapes(subject, options);
  std::vector<int64_t> extents;
  for (size_t l = 0; l < workload.loops.size(); ++l) {
    int64_t extent = workload.loops[l].extent;
    // Some dimension is the loop itself: a linalg op's maps have an inverse.
    for (size_t o = 0; extent == kDynamic && o < shapes.size(); ++o)
      for (size_t d = 0; d < shapes[o].size(); ++d)
        if (isLoop(workload.operands[o].index[d], l))
          extent = shapes[o][d];
    extents.push_back(std::max<int64_t>(extent, 1));
  }
  return extents;
}

std::vector<double> hwtune::scalarsOf(Subject subject, uint64_t seed) {
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

namespace {

/// Iterations of the op beyond which not every element is computed.
constexpr double kMostReferencePoints = double(int64_t(1) << 27);

/// Elements of a product that are computed beside its sums.
constexpr uint64_t kExactElements = 4096;
/// Fewest elements of a sample.
constexpr uint64_t kLeastElements = 64;

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

/// Writes what is expected of one launch, section by section.
class Expectation {
public:
  Expectation(Subject subject, const Workload &workload,
              const CompileOptions &options, uint64_t seed, Compiled &compiled)
      : subject(subject), workload(workload), seed(seed), compiled(compiled),
        inputs(
            referenceInputs(subject, options, compiled.launch, seed, bufferOf)),
        extents(launchExtents(subject, workload, options)) {
    for (int64_t extent : extents)
      points *= double(extent);
  }

  Status write(std::span<const int64_t> tiles);

private:
  using Indices = std::vector<std::vector<uint64_t>>; ///< one list per output

  /// Elements of each output; an empty list means all.
  Status elements(const Indices &indices, bool wholeGrid);
  /// Sums of the one output of a plain product. False where it is none.
  Expected<bool> sums(bool wholeGrid);
  /// Whether `values` begin and end as the reference of the operation itself
  /// says: its body may be none of a product.
  Expected<bool> agrees(const ProjectedReference &reference, unsigned buffer);
  /// This share of the elements of each output, and at least so many, spread
  /// over all of it.
  Indices spread(double share, uint64_t least);
  /// Appends a section with the tolerances of this operation.
  void append(const ExpectedValues &values, ExpectedDesc desc);

  Subject subject;
  const Workload &workload;
  uint64_t seed;
  Compiled &compiled;
  std::map<unsigned, unsigned> bufferOf; ///< operand -> buffer
  ReferenceInputs inputs;
  std::vector<int64_t> extents;
  double points = 1;
};

Status Expectation::write(std::span<const int64_t> tiles) {
  compiled.launch.expectedFile = "expected.bin";
  if (points <= kMostReferencePoints)
    return elements({}, false);
  // Elements of a sample are counted without gaps.
  bool packed = std::all_of(
      workload.operands.begin(), workload.operands.end(),
      [](const Operand &o) { return !o.isOutput || o.strides.empty(); });
  std::optional<BlockSample> sample;
  if (packed)
    sample = sampleBlocks(workload, extents, tiles, compiled.kernel.kernel.grid,
                          seed);
  if (sample) {
    compiled.launch.sampleBlocks = std::move(sample->blocks);
    if (Status done = elements(sample->elements, false); !done)
      return done;
  }
  Expected<bool> folded = sums(sample.has_value());
  if (!folded)
    return folded.error();
  return elements(*folded
                      ? spread(0, kExactElements)
                      : spread(kMostReferencePoints / points, kLeastElements),
                  sample.has_value());
}

Status Expectation::elements(const Indices &indices, bool wholeGrid) {
  Expected<std::vector<ReferenceOutput>> outputs =
      computeReference(subject.op, inputs, indices);
  if (!outputs)
    return outputs.error();
  for (const ReferenceOutput &output : *outputs) {
    ExpectedDesc desc;
    desc.buffer = bufferOf[output.operand];
    desc.relative = kReferenceSlack;
    desc.absolute = lostToUnderflow(workload.accumulator);
    desc.wholeGrid = wholeGrid;
    append(output.expected, desc);
  }
  return hwtune::success();
}

Expected<bool> Expectation::agrees(const ProjectedReference &reference,
                                   unsigned buffer) {
  const Projection &projection = reference.projection;
  const std::vector<int64_t> &shape = compiled.launch.buffers[buffer].shape;
  for (size_t sum : {size_t(0), reference.sums.values.size() - 1}) {
    Expected<std::vector<ReferenceOutput>> outputs = computeReference(
        subject.op, inputs, {summedElements(projection, shape, sum)});
    if (!outputs)
      return outputs.error();
    const std::vector<double> &values = outputs->front().expected.values;
    uint64_t first = firstPosition(projection, shape, sum);
    double total = 0;
    for (size_t i = 0; i < values.size(); ++i)
      total += projectionSign(projection.seed, first + i) * values[i];
    if (!(std::fabs(total - reference.sums.values[sum]) <=
          reference.sums.bounds[sum]))
      return false;
  }
  return true;
}

Expected<bool> Expectation::sums(bool wholeGrid) {
  std::vector<uint64_t> seeds;
  for (const ReferenceBuffer &buffer : inputs.buffers)
    seeds.push_back(buffer.seed);
  std::optional<ProjectedReference> reference =
      projectContraction(workload, extents, seeds, seed);
  if (!reference)
    return false;
  ExpectedDesc desc;
  desc.buffer = bufferOf[unsigned(workload.operands.size()) - 1];
  Expected<bool> same = agrees(*reference, desc.buffer);
  if (!same || !*same)
    return same;
  desc.projection = reference->projection;
  desc.relative = 1;
  desc.absolute = lostToUnderflow(workload.accumulator) *
                  double(reference->projection.group);
  desc.wholeGrid = wholeGrid;
  append(reference->sums, desc);
  return true;
}

Expectation::Indices Expectation::spread(double share, uint64_t least) {
  Indices indices;
  for (OpOperand &operand : subject.op.getDpsInitsMutable()) {
    uint64_t elements =
        uint64_t(compiled.launch.buffers[bufferOf[operand.getOperandNumber()]]
                     .elements());
    uint64_t count = uint64_t(double(elements) * share);
    indices.push_back(sampleElements(elements, std::max(count, least), seed));
  }
  return indices;
}

void Expectation::append(const ExpectedValues &values, ExpectedDesc desc) {
  appendExpected(compiled.expected, values, desc);
  compiled.launch.expected.push_back(desc);
}

} // namespace

Status hwtune::computeExpected(Subject subject, const Workload &workload,
                               const CompileOptions &options, uint64_t seed,
                               std::span<const int64_t> tiles,
                               Compiled &compiled) {
  return Expectation(subject, workload, options, seed, compiled).write(tiles);
}
