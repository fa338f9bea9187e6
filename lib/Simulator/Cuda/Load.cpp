//===- Load.cpp - modules and functions inside the driver -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Load.h"

#include "Image.h"
#include "hwtune/Simulator/Ptx/Parser.h"
#include "hwtune/Simulator/Timing/Registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

using namespace hwtune;
using namespace hwtune::simcuda;

//===----------------------------------------------------------------------===//
// JIT options and logs
//===----------------------------------------------------------------------===//

bool JitLog::read(JitLog &log, unsigned count, int *options, void **values) {
  using O = cuda::JitOption;
  constexpr int kOptionCount = 35;
  for (unsigned i = 0; i < count; ++i) {
    auto size = size_t(uintptr_t(values[i]) & UINT32_MAX);
    switch (O(options[i])) {
    case O::InfoLogBuffer:
      log.info = static_cast<char *>(values[i]);
      break;
    case O::InfoLogBufferSizeBytes:
      log.infoBytes = size, log.infoSize = &values[i];
      break;
    case O::ErrorLogBuffer:
      log.error = static_cast<char *>(values[i]);
      break;
    case O::ErrorLogBufferSizeBytes:
      log.errorBytes = size, log.errorSize = &values[i];
      break;
    default:
      if (options[i] < 0 || options[i] >= kOptionCount)
        return false;
    }
  }
  return true;
}

static void writeLog(char *buffer, size_t bytes, void **written,
                     std::string_view text) {
  size_t count = 0;
  if (buffer && bytes) {
    count = std::min(text.size(), bytes - 1);
    std::memcpy(buffer, text.data(), count);
    buffer[count] = 0;
  }
  if (written)
    *written = reinterpret_cast<void *>(uintptr_t(count ? count + 1 : 0));
}

void JitLog::writeInfo(std::string_view text) const {
  writeLog(info, infoBytes, infoSize, text);
}
void JitLog::writeError(std::string_view text) const {
  writeLog(error, errorBytes, errorSize, text);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Result simcuda::parsePtx(const std::string &text, int capability,
                         ptx::Module &module, std::string &message) {
  Expected<ptx::Module> parsed = ptx::parse(text);
  if (!parsed) {
    message = fmt::format("ptx:{}: error: {}", parsed.error().where,
                          parsed.error().message);
    bool isNew = parsed.error().message.starts_with("PTX version");
    return isNew ? Result::UnsupportedPtxVersion : Result::InvalidPtx;
  }
  if (!runsOn(parsed->targetSm, parsed->targetSuffix, capability)) {
    message = fmt::format("ptx: error: `.target {}` does not run on sm_{}",
                          parsed->target, capability);
    return Result::NoBinaryForGpu;
  }
  module = std::move(*parsed);
  return Result::Success;
}

Result simcuda::loadModule(Call &call, const std::string &text, Id &id,
                           std::string &message) {
  Driver &driver = call.driver;
  ptx::Module module;
  if (Result r = parsePtx(text, driver.capability(), module, message);
      r != Result::Success)
    return r;
  exec::ProgramOptions options;
  options.computeCapability = uint32_t(driver.capability());
  auto program = exec::Program::create(module, driver.memory, options);
  if (!program) {
    const Error &error = program.error();
    message = fmt::format("ptx:{}{}error: {}", error.where,
                          error.where.empty() ? " " : ": ", error.message);
    return Result::InvalidPtx;
  }
  ModuleState state;
  state.context = call.contextId;
  state.ptxVersion = module.targetSm;
  state.program = std::move(*program);
  id = driver.newId();
  driver.modules.emplace(id, std::move(state));
  return Result::Success;
}

/// The target, and what the module has that is not implemented.
static std::string loadedText(const Driver &driver, Id id) {
  std::string text = fmt::format("simulated on {}", driver.config.target.id);
  for (const exec::Refusal &r : driver.modules.at(id).program->refusals())
    text += fmt::format("\nptx:{}:{}: warning: {}; a thread that comes to it "
                        "ends its launch",
                        r.line, r.column, r.text);
  return text;
}

Result simcuda::loadImage(Call &call, const void *image, size_t bytes,
                          const JitLog &log, Id &id) {
  log.writeInfo("");
  log.writeError("");
  ImageText text = ptxOfImage(image, bytes, call.driver.capability());
  if (text.result == Result::Success)
    text.result = loadModule(call, text.text, id, text.message);
  if (text.result != Result::Success)
    log.writeError(text.message);
  else
    log.writeInfo(loadedText(call.driver, id));
  return text.result;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Result simcuda::findFunction(Driver &driver, Id module, std::string_view name,
                             Id &id) {
  ModuleState &state = driver.modules.at(module);
  if (auto it = state.functions.find(name); it != state.functions.end()) {
    id = it->second;
    return Result::Success;
  }
  const exec::FunctionInfo *info = state.program->findFunction(name);
  if (!info || !info->isEntry)
    return Result::NotFound;
  FunctionState function;
  function.module = module;
  function.info = info;
  int64_t rest =
      driver.config.target.sharedPerBlock - int64_t(info->staticSharedBytes);
  function.maxDynamicShared = int(std::max<int64_t>(rest, 0));
  id = driver.newId();
  driver.functions.emplace(id, function);
  state.functions.emplace(name, id);
  return Result::Success;
}

FunctionState *simcuda::functionOf(Driver &driver, cuda::Function handle) {
  auto it = driver.functions.find(idOf(handle));
  return it == driver.functions.end() ? nullptr : &it->second;
}

/// The assembler keeps to what a block of `.maxntid` threads can have, at the
/// price of spills.
uint32_t simcuda::registersOf(const Driver &driver,
                              const exec::FunctionInfo &info) {
  const TargetSpec &t = driver.config.target;
  if (!driver.config.registers)
    return timing::estimateRegisters(info, t).registers;
  return uint32_t(std::min<int64_t>(driver.config.registers,
                                    timing::registerLimit(info, t)));
}

/// Threads that fit a block: the target's limit, the kernel's bounds and the
/// registers.
static int maxThreads(const Driver &driver, const FunctionState &function) {
  const TargetSpec &t = driver.config.target;
  int64_t threads = t.maxThreadsPerBlock;
  const exec::FunctionInfo &info = *function.info;
  for (const auto &bound : {info.maxNTid, info.reqNTid})
    if (bound)
      threads =
          std::min(threads, int64_t((*bound)[0]) * (*bound)[1] * (*bound)[2]);
  uint32_t registers = std::max(registersOf(driver, info), 1u);
  int64_t perWarp =
      (int64_t(registers) * t.warpSize + t.registerAllocUnit - 1) /
      t.registerAllocUnit * t.registerAllocUnit;
  int64_t warps = t.registersPerBlock / perWarp / t.warpAllocGranularity *
                  t.warpAllocGranularity;
  return int(std::min(threads, warps * t.warpSize));
}

Result simcuda::functionAttribute(Driver &driver, const FunctionState &function,
                                  int attribute, int &value) {
  const exec::FunctionInfo &info = *function.info;
  using A = cuda::FunctionAttribute;
  constexpr int kAttributeCount = 16;
  switch (A(attribute)) {
  case A::MaxThreadsPerBlock:
    value = maxThreads(driver, function);
    break;
  case A::SharedSizeBytes:
    value = int(info.staticSharedBytes);
    break;
  case A::ConstSizeBytes:
    value = int(info.constBytes);
    break;
  case A::LocalSizeBytes:
    value = int(info.localBytes);
    break;
  case A::NumRegs:
    value = int(registersOf(driver, info));
    break;
  case A::PtxVersion:
    value = int(driver.modules.at(function.module).ptxVersion);
    break;
  case A::BinaryVersion:
    value = driver.capability();
    break;
  case A::CacheModeCa:
    value = 0;
    break;
  case A::MaxDynamicSharedSizeBytes:
    value = function.maxDynamicShared;
    break;
  case A::PreferredSharedMemoryCarveout:
    value = function.carveout;
    break;
  default:
    value = 0; // clusters, which are not simulated
    return attribute >= 0 && attribute < kAttributeCount ? Result::Success
                                                         : Result::InvalidValue;
  }
  return Result::Success;
}

Result simcuda::setFunctionAttribute(Driver &driver, FunctionState &function,
                                     int attribute, int value) {
  const TargetSpec &t = driver.config.target;
  switch (cuda::FunctionAttribute(attribute)) {
  case cuda::FunctionAttribute::MaxDynamicSharedSizeBytes: {
    int64_t most =
        t.sharedPerBlockOptin ? t.sharedPerBlockOptin : t.sharedPerBlock;
    if (value < 0 || value > most - int64_t(function.info->staticSharedBytes))
      return Result::InvalidValue;
    function.maxDynamicShared = value;
    return Result::Success;
  }
  case cuda::FunctionAttribute::PreferredSharedMemoryCarveout:
    if (value < -1 || value > 100)
      return Result::InvalidValue;
    function.carveout = value;
    return Result::Success;
  default:
    return Result::InvalidValue;
  }
}
