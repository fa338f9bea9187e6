//===- Launch.cpp - kernel launches ---------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "Load.h"

#include "hwtune/Simulator/Timing/Timing.h"
#include "hwtune/Target/Occupancy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Function;
using cuda::LaunchConfig;
using cuda::Stream;

namespace {
struct LaunchShape {
  exec::Dim3 grid, block;
  uint32_t dynamicShared = 0;
  Stream stream = nullptr;
  bool cooperative = false;
  std::optional<exec::Dim3> clusterBlocks = {}; ///< where the launch says it
};

uint64_t volume(const exec::Dim3 &d) { return uint64_t(d[0]) * d[1] * d[2]; }

/// Gathers the parameter block from `params` (a pointer per parameter) or from
/// the buffer that `extra` names.
Result gatherParams(const exec::FunctionInfo &info, void **params, void **extra,
                    std::vector<std::byte> &block) {
  if (params && extra)
    return Result::InvalidValue;
  block.assign(info.paramBytes, std::byte());
  if (extra) {
    const void *buffer = nullptr;
    const size_t *bytes = nullptr;
    for (; *extra != cuda::kLaunchEnd; extra += 2) {
      if (*extra == cuda::kLaunchBuffer)
        buffer = extra[1];
      else if (*extra == cuda::kLaunchBufferSize)
        bytes = static_cast<const size_t *>(extra[1]);
      else
        return Result::InvalidValue;
    }
    // A structure that holds the parameters may end in padding.
    constexpr size_t kPadding = 16;
    if (!buffer || !bytes || *bytes < block.size() ||
        *bytes >= block.size() + kPadding)
      return Result::InvalidValue;
    std::memcpy(block.data(), buffer, block.size());
    return Result::Success;
  }
  for (size_t i = 0; i < info.params.size(); ++i) {
    if (!params || !params[i])
      return Result::InvalidValue;
    std::memcpy(block.data() + info.params[i].offset, params[i],
                info.params[i].bytes);
  }
  return Result::Success;
}

/// Blocks of the launch that the whole GPU holds at once.
int64_t residentBlocks(const Driver &driver, const FunctionState &function,
                       const LaunchShape &shape) {
  BlockNeeds needs;
  needs.threads = int64_t(volume(shape.block));
  needs.registersPerThread = registersOf(driver, *function.info);
  needs.sharedBytes =
      int64_t(function.info->staticSharedBytes) + shape.dynamicShared;
  const TargetSpec &t = driver.config.target;
  return occupancy(t, needs).blocksPerSM * t.smCount;
}

/// Says by name why clusters do not run, which the code does not.
Result checkClusters(Driver &driver, const exec::FunctionInfo &info,
                     const LaunchShape &shape) {
  if (shape.clusterBlocks && std::ranges::count(*shape.clusterBlocks, 0u))
    return Result::InvalidValue;
  std::string why = exec::clusterObstacle(info, shape.clusterBlocks);
  if (why.empty())
    return Result::Success;
  driver.last.json = nlohmann::json{
      {"target", driver.config.target.id},
      {"kernel", info.name},
      {"status", "refused"},
      {"reason", why}}.dump();
  std::fprintf(stderr, "simulated GPU: kernel `%s`: %s\n", info.name.c_str(),
               why.c_str());
  bool isNamed = info.clusterBlocks || shape.clusterBlocks;
  return isNamed ? Result::NotSupported : Result::InvalidClusterSize;
}

/// The limits of the device and of the function, in the order in which the
/// driver's documentation gives the codes.
Result checkShape(Driver &driver, const FunctionState &function,
                  const LaunchShape &shape) {
  const TargetSpec &t = driver.config.target;
  const exec::FunctionInfo &info = *function.info;
  int64_t maxGrid[] = {t.maxGridX, t.maxGridY, t.maxGridZ};
  int64_t maxBlock[] = {t.maxBlockX, t.maxBlockY, t.maxBlockZ};
  for (int i = 0; i < 3; ++i)
    if (shape.grid[i] == 0 || shape.grid[i] > maxGrid[i] ||
        shape.block[i] == 0 || shape.block[i] > maxBlock[i])
      return Result::InvalidValue;
  int64_t threads = int64_t(volume(shape.block));
  if (threads > t.maxThreadsPerBlock ||
      int64_t(shape.dynamicShared) > function.maxDynamicShared)
    return Result::InvalidValue;
  if (Result r = checkClusters(driver, info, shape); r != Result::Success)
    return r;
  if (info.reqNTid && shape.block != *info.reqNTid)
    return Result::InvalidValue;
  if (info.maxNTid && threads > int64_t(volume(*info.maxNTid)))
    return Result::InvalidValue;
  int64_t resident = residentBlocks(driver, function, shape);
  if (resident < 1)
    return Result::LaunchOutOfResources;
  constexpr Result kCooperativeTooLarge = Result(720);
  if (shape.cooperative && int64_t(volume(shape.grid)) > resident)
    return kCooperativeTooLarge;
  return Result::Success;
}

/// The driver's code for how a launch ended.
Result codeOf(const exec::LaunchResult &result) {
  using S = exec::LaunchStatus;
  switch (result.status) {
  case S::Ok:
    return Result::Success;
  case S::IllegalAddress:
    return Result::IllegalAddress;
  case S::MisalignedAddress:
    return Result::MisalignedAddress;
  case S::IllegalInstruction:
    return Result::IllegalInstruction;
  case S::Unsupported:
    return Result::NotSupported;
  case S::Timeout:
  case S::Deadlock:
    return Result::LaunchTimeout;
  case S::OutOfResources:
    return Result::LaunchOutOfResources;
  case S::InvalidRequest:
    return Result::InvalidValue;
  case S::Trap:
    return result.diagnostic.text.find("assert") != std::string::npos
               ? Result::Assert
               : Result::LaunchFailed;
  case S::CheckFailed:
    return Result::LaunchFailed;
  }
  return Result::Unknown;
}

exec::LaunchOptions optionsFor(const Driver &driver, const LaunchShape &shape) {
  exec::LaunchOptions options;
  const TargetSpec &t = driver.config.target;
  options.check = driver.config.check;
  options.countEvents = driver.config.timed;
  options.instructionBudget = driver.config.watchdog;
  options.cooperative = shape.cooperative;
  options.smCount = uint32_t(t.smCount);
  options.clockMHz = t.clockMHz;
  options.maxThreadsPerBlock = uint32_t(t.maxThreadsPerBlock);
  options.maxSharedBytes = uint32_t(
      t.sharedPerBlockOptin ? t.sharedPerBlockOptin : t.sharedPerBlock);
  options.reservedSharedBytes = uint32_t(t.sharedReservedPerBlock);
  options.sharedUnitBytes = uint32_t(std::max<int64_t>(1, t.sharedAllocUnit));
  for (const auto &[x, y, z] : driver.config.blocks)
    options.blocks.push_back((uint64_t(z) * shape.grid[1] + y) * shape.grid[0] +
                             x);
  options.printf = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  return options;
}

void useLimits(ContextState &context, exec::GlobalMemory &memory,
               exec::LaunchOptions &options) {
  options.printfBytes = context.limits[kLimitPrintf];
  options.stackBytes =
      std::max<uint64_t>(options.stackBytes, context.limits[kLimitStack]);
  if (!context.heap || !context.heap->isUsed())
    context.heap =
        std::make_unique<exec::DeviceHeap>(memory, context.limits[kLimitHeap]);
  options.heap = context.heap.get();
}

/// Functional mode has no model of time: a launch takes its overhead and one
/// issue slot per warp instruction, all schedulers busy.
double functionalSeconds(const TargetSpec &t,
                         const exec::LaunchResult &result) {
  double slots =
      double(t.smCount) * double(t.schedulersPerSM) * t.clockMHz * 1e6;
  return t.launchUs.value_or(0) * 1e-6 +
         (slots > 0 ? double(result.warpInstructions) / slots : 0);
}

nlohmann::json describe(const Driver &driver, const exec::FunctionInfo &info,
                        const exec::LaunchResult &result, double seconds) {
  nlohmann::json j;
  j["target"] = driver.config.target.id;
  j["kernel"] = info.name;
  j["mode"] = driver.config.timed ? "timed" : "functional";
  j["status"] = std::string(exec::statusName(result.status));
  if (codeOf(result) != Result::Success)
    j["reason"] = result.diagnostic.str();
  j["seconds"] = seconds;
  j["warp_instructions"] = result.warpInstructions;
  j["blocks_run"] = result.blocksRun;
  if (!result.ok()) {
    const exec::Diagnostic &d = result.diagnostic;
    j["diagnostic"] = {{"kind", std::string(exec::diagnosticName(d.kind))},
                       {"line", d.line},
                       {"thread", d.thread},
                       {"block", d.block},
                       {"address", d.address},
                       {"text", d.str()}};
  }
  return j;
}

/// Runs the kernel and puts its time on the stream.
Result run(Call &call, const FunctionState &function, const LaunchShape &shape,
           std::span<const std::byte> params) {
  Driver &driver = call.driver;
  StreamState *stream = driver.stream(*call.context, shape.stream, call.result);
  if (!stream)
    return call.result;
  const exec::Program &program = *driver.modules.at(function.module).program;
  exec::LaunchRequest request;
  request.function = function.info;
  request.grid = shape.grid;
  request.block = shape.block;
  request.dynamicSharedBytes = shape.dynamicShared;
  request.clusterBlocks = shape.clusterBlocks;
  request.params = params;
  request.options = optionsFor(driver, shape);
  request.options.residentBlocks =
      uint32_t(residentBlocks(driver, function, shape));
  useLimits(*call.context, driver.memory, request.options);
  exec::LaunchResult result;
  nlohmann::json timing;
  double seconds;
  if (driver.config.timed) {
    timing::TimingOptions options;
    options.wholeGrid = driver.config.wholeGrid && driver.config.blocks.empty();
    options.instructionBudget = driver.config.watchdog;
    options.state = driver.config.state;
    options.facts.registers = driver.config.registers;
    options.facts.spillBytes = driver.config.spillBytes;
    options.facts.given = driver.config.registers != 0;
    timing::TimingReport report = timing::timeLaunch(
        program, driver.memory, request, driver.config.target, options);
    timing = nlohmann::json::parse(timing::toJson(report), nullptr, false);
    result = std::move(report.launch);
    seconds = report.seconds;
  } else {
    result = exec::launch(program, driver.memory, request);
    seconds = functionalSeconds(driver.config.target, result);
  }
  nlohmann::json report = describe(driver, *function.info, result, seconds);
  if (driver.config.timed)
    report["timing"] = std::move(timing);
  driver.last.json = report.dump();
  driver.schedule(*call.context, call.contextId, *stream, seconds * 1e9,
                  driver.computeEnd);
  Result code = codeOf(result);
  if (code == Result::Success)
    return code;
  std::fprintf(stderr, "simulated GPU: kernel `%s`: %s\n",
               function.info->name.c_str(), result.diagnostic.str().c_str());
  if (code == Result::InvalidValue || code == Result::LaunchOutOfResources)
    return code;
  // A fault is found while the kernel runs: the launch itself succeeded, and
  // from now on every call of this context answers the fault.
  call.context->sticky = code;
  return Result::Success;
}

Result launch(Function handle, const LaunchShape &shape, void **params,
              void **extra);

/// Checks a launch and gathers its parameters.
Result prepare(Call &call, Function handle, const LaunchShape &shape,
               void **params, void **extra, FunctionState *&function,
               std::vector<std::byte> &block) {
  function = functionOf(call.driver, handle);
  if (!function)
    return Result::InvalidHandle;
  // Of another context: libraries alone (0) belong to all.
  Id owner = call.driver.modules.at(function->module).context;
  if (owner && owner != call.contextId)
    return Result::InvalidHandle;
  if (Result r = checkShape(call.driver, *function, shape);
      r != Result::Success)
    return r;
  return gatherParams(*function->info, params, extra, block);
}

GraphOperation laterLaunch(Function handle, LaunchShape shape,
                           std::vector<std::byte> block) {
  return [=](Stream stream) {
    LaunchShape now = shape;
    now.stream = stream;
    std::vector<std::byte> bytes = block;
    size_t count = bytes.size();
    void *extra[] = {cuda::kLaunchBuffer, bytes.data(), cuda::kLaunchBufferSize,
                     &count, cuda::kLaunchEnd};
    return launch(handle, now, nullptr, count ? extra : nullptr);
  };
}

Result launch(Function handle, const LaunchShape &shape, void **params,
              void **extra) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  FunctionState *function;
  std::vector<std::byte> block;
  if (Result r = prepare(call, handle, shape, params, extra, function, block);
      r != Result::Success)
    return r;
  if (capture(call, shape.stream, laterLaunch(handle, shape, block)))
    return Result::Success;
  return run(call, *function, shape, block);
}
} // namespace

Result simcuda::kernelOperation(Call &call, Function handle, exec::Dim3 grid,
                                exec::Dim3 block, unsigned dynamicShared,
                                void **params, void **extra,
                                GraphOperation &operation) {
  LaunchShape shape{grid, block, dynamicShared, nullptr, false};
  FunctionState *function;
  std::vector<std::byte> bytes;
  Result result = prepare(call, handle, shape, params, extra, function, bytes);
  if (result == Result::Success)
    operation = laterLaunch(handle, shape, std::move(bytes));
  return result;
}

HWTUNE_CUDA_API Result cuLaunchKernel(Function function, unsigned gridX,
                                      unsigned gridY, unsigned gridZ,
                                      unsigned blockX, unsigned blockY,
                                      unsigned blockZ, unsigned sharedBytes,
                                      Stream stream, void **params,
                                      void **extra) {
  return launch(function,
                {{gridX, gridY, gridZ},
                 {blockX, blockY, blockZ},
                 sharedBytes,
                 stream,
                 false},
                params, extra);
}
HWTUNE_CUDA_ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel)

HWTUNE_CUDA_API Result cuLaunchCooperativeKernel(
    Function function, unsigned gridX, unsigned gridY, unsigned gridZ,
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
    Stream stream, void **params) {
  return launch(function,
                {{gridX, gridY, gridZ},
                 {blockX, blockY, blockZ},
                 sharedBytes,
                 stream,
                 true},
                params, nullptr);
}
HWTUNE_CUDA_ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel)

HWTUNE_CUDA_API Result cuLaunchKernelEx(const LaunchConfig *config,
                                        Function function, void **params,
                                        void **extra) {
  if (!config || (config->attributeCount && !config->attributes))
    return Result::InvalidValue;
  LaunchShape shape{{config->gridX, config->gridY, config->gridZ},
                    {config->blockX, config->blockY, config->blockZ},
                    config->sharedBytes,
                    config->stream,
                    false};
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const cuda::LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == cuda::kLaunchAttributeCooperative)
      shape.cooperative = attribute.value.cooperative != 0;
    const unsigned *cluster = attribute.value.clusterDim;
    if (attribute.id == cuda::kLaunchAttributeClusterDimension)
      shape.clusterBlocks = {cluster[0], cluster[1], cluster[2]};
    // The others are hints (priority, overlap, memory policies).
  }
  return launch(function, shape, params, extra);
}
HWTUNE_CUDA_ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx)

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

namespace {
int blocksPerSM(const Driver &driver, const FunctionState &function,
                int64_t threads, uint64_t dynamicShared) {
  if (threads > driver.config.target.maxThreadsPerBlock)
    return 0;
  BlockNeeds needs;
  needs.threads = threads;
  needs.registersPerThread = registersOf(driver, *function.info);
  needs.sharedBytes = int64_t(function.info->staticSharedBytes + dynamicShared);
  return int(occupancy(driver.config.target, needs).blocksPerSM);
}
} // namespace

HWTUNE_CUDA_API Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, Function handle, int threads, size_t dynamicShared,
    unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!blocks || threads <= 0 ||
      (flags & ~cuda::kOccupancyDisableCachingOverride))
    return Result::InvalidValue;
  FunctionState *function = functionOf(call.driver, handle);
  if (!function)
    return Result::InvalidHandle;
  if (dynamicShared > uint64_t(call.driver.config.target.sharedPerSM)) {
    *blocks = 0;
    return Result::Success;
  }
  *blocks = blocksPerSM(call.driver, *function, threads, dynamicShared);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, Function function, int threads, size_t dynamicShared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, dynamicShared, 0);
}

/// The block size with the most resident threads; of equal ones the largest.
HWTUNE_CUDA_API Result cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGrid, int *blockSize, Function handle, size_t (*sharedOfBlock)(int),
    size_t dynamicShared, int limit, unsigned flags) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!minGrid || !blockSize || limit < 0 ||
      (flags & ~cuda::kOccupancyDisableCachingOverride))
    return Result::InvalidValue;
  FunctionState *function = functionOf(call.driver, handle);
  if (!function)
    return Result::InvalidHandle;
  int most = 0;
  functionAttribute(call.driver, *function,
                    int(cuda::FunctionAttribute::MaxThreadsPerBlock), most);
  if (limit)
    most = std::min(most, limit);
  int warp = int(call.driver.config.target.warpSize);
  int64_t best = 0;
  *minGrid = *blockSize = 0;
  for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
    int threads = std::min(size, most);
    size_t shared = sharedOfBlock ? sharedOfBlock(threads) : dynamicShared;
    int blocks = blocksPerSM(call.driver, *function, threads, shared);
    if (int64_t(blocks) * threads <= best)
      continue;
    best = int64_t(blocks) * threads;
    *blockSize = threads;
    *minGrid = int(blocks * call.driver.config.target.smCount);
  }
  return Result::Success;
}

HWTUNE_CUDA_API Result cuOccupancyMaxPotentialBlockSize(
    int *minGrid, int *blockSize, Function function,
    size_t (*sharedOfBlock)(int), size_t dynamicShared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGrid, blockSize, function, sharedOfBlock, dynamicShared, limit, 0);
}

/// The largest dynamic shared memory that leaves `blocks` blocks resident.
HWTUNE_CUDA_API Result cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                               Function handle,
                                                               int blocks,
                                                               int threads) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!bytes || blocks <= 0 || threads <= 0)
    return Result::InvalidValue;
  FunctionState *function = functionOf(call.driver, handle);
  if (!function)
    return Result::InvalidHandle;
  const TargetSpec &t = call.driver.config.target;
  int64_t most =
      t.sharedPerBlockOptin ? t.sharedPerBlockOptin : t.sharedPerBlock;
  int64_t low = 0,
          high = std::max<int64_t>(most - function->info->staticSharedBytes, 0);
  if (blocksPerSM(call.driver, *function, threads, 0) < blocks)
    return Result::InvalidValue;
  while (low < high) {
    int64_t middle = (low + high + 1) / 2;
    if (blocksPerSM(call.driver, *function, threads, uint64_t(middle)) >=
        blocks)
      low = middle;
    else
      high = middle - 1;
  }
  *bytes = size_t(low);
  return Result::Success;
}
