//===- Runner.cpp - a folder that runs one kernel by itself ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are written as files, so that the program in the folder needs to know
// nothing of how they are generated.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Runner.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/Measure/Device.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/File.h"
#include "hwtune/Target/TargetFields.h"
#include "hwtune/Tuner/CompileProtocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>

using namespace hwtune;

static constexpr const char *kCompileProgram = "hwtune-compile";
/// Stands for every extent that is not known until run time.
static constexpr int64_t kAssumedExtent = 1024;
/// Small ones that no tile divides, by loop.
static constexpr int64_t kTailExtents[] = {67, 37, 75, 19, 13, 5, 3};

/// Elements that the extent of `loop` must be a multiple of for whole rows.
static int64_t rowMultipleOf(const Workload &w, size_t loop) {
  int64_t multiple = 1;
  for (const Operand &op : w.operands)
    if (!op.shape.empty() && op.shape.back() == kDynamic && op.isLinear &&
        op.index.back().coefficients[loop] != 0)
      multiple = std::max(multiple, rowMultiple(w, op));
  return multiple;
}

/// Elements of one operand in a launch of assumed sizes, at most: tuning is to
/// fit the memory of any machine.
static constexpr int64_t kMostAssumed = int64_t(1) << 22;
/// Iterations of such a launch, at most: those of a matmul of the assumed
/// extent, so that a window of many dynamic loops takes no longer.
static constexpr double kMostIterations =
    double(kAssumedExtent) * kAssumedExtent * kAssumedExtent;
/// Assumed extents are not cut below this.
static constexpr int64_t kLeastAssumed = 8;

/// Elements of dimension `d` of `operand` that loops of `extents` reach.
static int64_t reached(const Operand &operand, size_t d,
                       std::span<const int64_t> extents) {
  int64_t last = operand.index[d].constant;
  for (size_t i = 0; i < extents.size(); ++i)
    last += std::max<int64_t>(0, operand.index[d].coefficients[i]) *
            (extents[i] - 1);
  return last + 1;
}

static bool fitsAssumed(const Workload &w, std::span<const int64_t> extents) {
  double iterations = 1;
  for (int64_t extent : extents)
    iterations *= double(extent);
  if (iterations > kMostIterations)
    return false;
  return std::all_of(w.operands.begin(), w.operands.end(),
                     [&](const Operand &operand) {
                       double elements = 1;
                       for (size_t d = 0; d < operand.shape.size(); ++d)
                         elements *= double(reached(operand, d, extents));
                       return elements <= double(kMostAssumed);
                     });
}

/// Cuts assumed extents to what dimensions of known size hold: another operand
/// or a window may bound a loop whose own operand is of any size.
static void keepWithinStaticSizes(const Workload &w,
                                  std::vector<int64_t> &extents) {
  for (const Operand &operand : w.operands)
    for (size_t d = 0; d < operand.shape.size(); ++d)
      for (size_t i = 0; i < extents.size(); ++i) {
        int64_t step = operand.index[d].coefficients[i];
        int64_t excess = reached(operand, d, extents) - operand.shape[d];
        if (operand.shape[d] == kDynamic || excess <= 0 || step <= 0 ||
            w.loops[i].extent != kDynamic)
          continue;
        extents[i] =
            std::max<int64_t>(1, extents[i] - (excess + step - 1) / step);
      }
}

/// Iterations of every loop in a launch. Outer dynamic ones are cut first.
static std::vector<int64_t> launchExtents(const Workload &w,
                                          LaunchSizes sizes) {
  std::vector<int64_t> extents;
  std::vector<size_t> assumed;
  for (size_t i = 0; i < w.loops.size(); ++i) {
    int64_t extent = w.loops[i].extent;
    if (extent == kDynamic && sizes == LaunchSizes::Usual) {
      extent = kAssumedExtent;
      assumed.push_back(i);
    } else if (extent == kDynamic) {
      int64_t multiple = rowMultipleOf(w, i);
      int64_t tail = kTailExtents[i % std::size(kTailExtents)];
      extent = (tail + multiple - 1) / multiple * multiple;
    }
    extents.push_back(extent);
  }
  for (size_t i : assumed)
    while (extents[i] > kLeastAssumed && !fitsAssumed(w, extents))
      extents[i] /= 2;
  keepWithinStaticSizes(w, extents);
  return extents;
}

std::vector<std::vector<int64_t>> hwtune::launchShapes(const Workload &w,
                                                       LaunchSizes sizes) {
  std::vector<std::vector<int64_t>> shapes;
  std::vector<int64_t> extents = launchExtents(w, sizes);
  for (const Operand &operand : w.operands) {
    if (operand.isScalar)
      continue;
    std::vector<int64_t> shape = operand.shape;
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == kDynamic)
        shape[d] = reached(operand, d, extents);
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Expected<std::unique_ptr<RunnerWriter>>
RunnerWriter::open(const TargetSpec &target, const std::string &toolDir,
                   const CancelToken &cancel) {
  Expected<std::string> compiler = findTool(kCompileProgram, toolDir);
  if (!compiler)
    return compiler.error();
  WorkerOptions options;
  options.program = *compiler;
  options.workers = 1;
  auto pool = WorkerPool::start(options, cancel);
  if (!pool)
    return pool.error();
  std::unique_ptr<RunnerWriter> writer(new RunnerWriter);
  writer->pool = std::move(*pool);
  writer->target = target;
  writer->targetText = toJson(target);
  return writer;
}

/// Name of the file that holds buffer `index`.
static std::string bufferFile(size_t index) {
  return fmt::format("buffer_{}.bin", index);
}

static Status writeBuffers(const LaunchDescription &launch,
                           const std::string &folder) {
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const BufferDesc &buffer = launch.buffers[i];
    std::string bytes(size_t(buffer.bytes()), '\0');
    if (buffer.isOutput && !buffer.readsInit)
      std::memset(bytes.data(), int(poisonByte(buffer.type)), bytes.size());
    else
      generate(buffer.seed, buffer.type,
               {reinterpret_cast<std::byte *>(bytes.data()), bytes.size()});
    if (Status s = writeFileAtomically(folder + "/" + bufferFile(i), bytes); !s)
      return s;
  }
  return success();
}

Status RunnerWriter::write(const KernelSite &site, const std::string &folder) {
  std::string own = folder + "/" + site.name;
  std::error_code error;
  std::filesystem::create_directories(own, error);
  if (error)
    return Error{
        fmt::format("cannot make the folder `{}`: {}", own, error.message()),
        ""};
  CompileRequest request;
  request.module = isolatedText(site.op);
  request.target = targetText;
  request.schedule = std::string(site.schedule->name());
  Space space = site.schedule->space(site.workload, target);
  request.config = space.toText(site.config);
  if (!site.schedule->sourceHash().empty())
    request.script = site.schedule->script(site.workload, target, site.config);
  request.folder = own;
  request.shapes = launchShapes(site.workload);
  request.expected = true;
  WorkerReply answer =
      pool->submit(request.toJson(), kReferenceLimitSeconds).get();
  if (answer.status != WorkerReply::Status::Answered)
    return Error{answer.reason, ""};
  Expected<CompileReply> reply = CompileReply::fromJson(answer.body);
  if (!reply)
    return reply.error();
  if (!reply->ok)
    return Error{reply->diagnostics, ""};
  Expected<std::string> text = readFile(reply->launchFile);
  if (!text)
    return text.error();
  Expected<LaunchDescription> launch = LaunchDescription::fromJson(*text);
  if (!launch)
    return launch.error();
  if (Status s = writeBuffers(*launch, own); !s)
    return s;
  return writeFileAtomically(own + "/run.cpp", runnerProgram(*launch));
}
