//===- DeviceSession.cpp - context, module, launches ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceSession.h"

#include "hwtune/Measure/Elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

using namespace hwtune;
using cuda::Result;

namespace {

constexpr size_t kLogBytes = 16384;
/// Entry of the simulated driver that describes its last launch as JSON.
constexpr const char *kSimReportSymbol = "hwtuneSimLastReport";

/// After these no other candidate can run in any process either.
bool isFatal(Result result) {
  switch (result) {
  case Result::NoDevice:
  case Result::InvalidDevice:
  case Result::DeviceUnavailable:
  case Result::SystemNotReady:
  case Result::SystemDriverMismatch:
  case Result::NotInitialized:
  case Result::Deinitialized:
  case Result::StubLibrary:
    return true;
  default:
    return false;
  }
}

std::string trimmed(std::string text) {
  while (!text.empty() &&
         (text.back() == '\0' || text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

} // namespace

DeviceSession::~DeviceSession() {
  // Errors do not matter any more: the process ends, and the driver frees what
  // a broken context still holds.
  for (const Buffer &buffer : buffers) {
    if (buffer.initial)
      driver.cuMemFree(buffer.initial);
    if (buffer.allocation)
      driver.cuMemFree(buffer.allocation);
  }
  if (module)
    driver.cuModuleUnload(module);
  if (hasContext)
    driver.cuDevicePrimaryCtxRelease(device);
}

bool DeviceSession::fail(RunStatus status, std::string reason) {
  // The first failure is the cause of those that follow.
  if (outcome.status == RunStatus::Ok) {
    outcome.status = status;
    outcome.reason = std::move(reason);
  }
  return false;
}

bool DeviceSession::check(Result result, const char *call,
                          RunStatus otherwise) {
  if (result == Result::Success)
    return true;
  RunStatus status = otherwise;
  if (result == Result::LaunchTimeout)
    status = RunStatus::RunTimeout;
  else if (cuda::isSticky(result))
    status = RunStatus::Sticky;
  outcome.fatal |= isFatal(result);
  std::string reason =
      fmt::format("`{}` failed: {}", call, driver.describe(result));
  // The API has a number for it; the simulated GPU knows instruction and line.
  if (Json last = simulatedReport(); last.contains("reason"))
    reason += ": " + last["reason"].get<std::string>();
  return fail(status, std::move(reason));
}

Json DeviceSession::simulatedReport() const {
  using Report = const char *(*)();
  auto report = reinterpret_cast<Report>(
      reinterpret_cast<uintptr_t>(driver.symbol(kSimReportSymbol)));
  Json last = report ? Json::parse(report(), nullptr, false) : Json::object();
  return last.is_object() ? last : Json::object();
}

bool DeviceSession::open(int ordinal) {
  cuda::Context context = nullptr;
  if (!check(driver.cuInit(0), "cuInit") ||
      !check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet") ||
      !check(driver.cuDevicePrimaryCtxRetain(&context, device),
             "cuDevicePrimaryCtxRetain"))
    return false;
  hasContext = true;
  return check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

bool DeviceSession::checkLimits() {
  for (const KernelDesc &k : launch.kernels) {
    int64_t threads = k.block[0] * k.block[1] * k.block[2];
    struct {
      const char *what;
      int64_t needs, limit;
    } limits[] = {
        {"threads of a block", threads, target.maxThreadsPerBlock},
        {"block dimension x", k.block[0], target.maxBlockX},
        {"block dimension y", k.block[1], target.maxBlockY},
        {"block dimension z", k.block[2], target.maxBlockZ},
        {"grid dimension x", k.grid[0], target.maxGridX},
        {"grid dimension y", k.grid[1], target.maxGridY},
        {"grid dimension z", k.grid[2], target.maxGridZ},
        {"dynamic shared memory of a block (bytes)", k.dynamicSharedBytes,
         target.sharedPerBlockOptin},
    };
    for (const auto &l : limits)
      if (l.needs > l.limit)
        return fail(RunStatus::Constraint,
                    fmt::format("kernel `{}`: {}: needs {}, limit {}", k.entry,
                                l.what, l.needs, l.limit));
  }
  return true;
}

bool DeviceSession::loadModule() {
  std::string log(kLogBytes, '\0');
  cuda::JitOption options[] = {cuda::JitOption::ErrorLogBuffer,
                               cuda::JitOption::ErrorLogBufferSizeBytes};
  // The driver reads the size out of the pointer itself.
  void *values[] = {log.data(), reinterpret_cast<void *>(kLogBytes)};
  Result result =
      driver.cuModuleLoadDataEx(&module, input.ptx.c_str(), 2, options, values);
  if (result != Result::Success) {
    log = trimmed(log.c_str());
    if (!cuda::isSticky(result) && result != Result::OutOfMemory &&
        !log.empty())
      return fail(RunStatus::Compile,
                  fmt::format("`cuModuleLoadDataEx` failed: {}: {}",
                              driver.describe(result), log));
    return check(result, "cuModuleLoadDataEx",
                 result == Result::OutOfMemory ? RunStatus::Launch
                                               : RunStatus::Compile);
  }
  for (const KernelDesc &k : launch.kernels)
    if (!loadKernel(k))
      return false;
  return true;
}

bool DeviceSession::loadKernel(const KernelDesc &desc) {
  Kernel kernel;
  Result found =
      driver.cuModuleGetFunction(&kernel.function, module, desc.entry.c_str());
  if (found == Result::NotFound)
    return fail(RunStatus::Compile,
                fmt::format("the module has no kernel `{}`", desc.entry));
  if (!check(found, "cuModuleGetFunction", RunStatus::Compile))
    return false;
  auto attribute =
      [&](cuda::FunctionAttribute which) -> std::optional<int64_t> {
    int value = 0;
    if (driver.cuFuncGetAttribute(&value, which, kernel.function) !=
        Result::Success)
      return std::nullopt;
    return value;
  };
  std::optional<int64_t> shared =
      attribute(cuda::FunctionAttribute::SharedSizeBytes);
  // Of several kernels, the most demanding one; what the driver does not tell
  // is not known.
  auto keepMax = [](std::optional<int64_t> &slot,
                    std::optional<int64_t> value) {
    if (value)
      slot = std::max(slot.value_or(0), *value);
  };
  keepMax(outcome.registers, attribute(cuda::FunctionAttribute::NumRegs));
  keepMax(outcome.localBytes,
          attribute(cuda::FunctionAttribute::LocalSizeBytes));
  keepMax(outcome.sharedBytes, shared);
  int64_t total = shared.value_or(0) + desc.dynamicSharedBytes;
  if (total > target.sharedPerBlockOptin)
    return fail(RunStatus::Constraint,
                fmt::format("kernel `{}`: shared memory of a block (bytes): "
                            "needs {}, limit {}",
                            desc.entry, total, target.sharedPerBlockOptin));
  // Beyond the default limit only dynamic memory can go, and must be asked for.
  if (desc.dynamicSharedBytes > 0 && total > target.sharedPerBlock &&
      !check(driver.cuFuncSetAttribute(
                 kernel.function,
                 cuda::FunctionAttribute::MaxDynamicSharedSizeBytes,
                 static_cast<int>(desc.dynamicSharedBytes)),
             "cuFuncSetAttribute"))
    return false;
  kernels.push_back(std::move(kernel));
  return true;
}

/// A simulated device is told the registers that the PTX does not say, and runs
/// a part of the blocks where a sample was asked for; all of the kernels before
/// the last one.
bool DeviceSession::configureLaunch(size_t kernel) {
  bool known = std::any_of(
      launch.kernels.begin(), launch.kernels.end(),
      [](const KernelDesc &k) { return k.registers || k.spillBytes; });
  if (!driver.simConfigure || (launch.sampleBlocks.empty() && !known))
    return true;
  // Times are of the whole grid.
  bool sampled = kernel + 1 == kernels.size() && !timed;
  Json config;
  if (known) {
    config["registers"] = launch.kernels[kernel].registers;
    config["spill_bytes"] = launch.kernels[kernel].spillBytes;
  }
  config["blocks"] = Json::array();
  if (sampled)
    for (const auto &block : launch.sampleBlocks)
      config["blocks"].push_back(block);
  return configure(config);
}

bool DeviceSession::configure(const Json &settings) {
  const char *why = driver.simConfigure(settings.dump().c_str());
  return !why ||
         fail(RunStatus::Launch,
              fmt::format("`{}` failed: {}", cuda::kSimConfigureSymbol, why));
}

bool DeviceSession::setTimed(bool on) {
  timed = on;
  if (!driver.simConfigure)
    return true;
  Json settings{{"mode", timed ? "timed" : "functional"},
                {"blocks", Json::array()}};
  if (timed)
    settings["launch"] = policy.coldCache ? "cold" : "warm";
  return configure(settings);
}

/// What the last launch took; no sum where one of several is not known.
void DeviceSession::addEnergy() {
  Json last = simulatedReport();
  double energy = 0;
  if (last.contains("timing"))
    energy = last["timing"].value("energy_j", 0.0);
  if (energy > 0 && launchJoules)
    *launchJoules += energy;
  else
    launchJoules.reset();
}

void DeviceSession::bindArguments() {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelDesc &desc = launch.kernels[i];
    Kernel &kernel = kernels[i];
    kernel.slots.assign(desc.args.size(), {});
    kernel.params.clear();
    for (size_t a = 0; a < desc.args.size(); ++a) {
      const ArgDesc &arg = desc.args[a];
      std::byte *slot = kernel.slots[a].data();
      if (arg.kind == ArgDesc::Kind::Scalar)
        encodeElement(arg.type, arg.scalar, slot);
      else {
        cuda::DevicePtr address = buffers[arg.buffer].data +
                                  static_cast<cuda::DevicePtr>(arg.byteOffset);
        std::copy_n(reinterpret_cast<const std::byte *>(&address),
                    sizeof address, slot);
      }
      kernel.params.push_back(slot);
    }
  }
}

bool DeviceSession::launchAll() {
  bindArguments();
  launchJoules = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelDesc &d = launch.kernels[i];
    auto u = [](int64_t v) { return static_cast<unsigned>(v); };
    if (!configureLaunch(i))
      return false;
    Result launched = driver.cuLaunchKernel(
        kernels[i].function, u(d.grid[0]), u(d.grid[1]), u(d.grid[2]),
        u(d.block[0]), u(d.block[1]), u(d.block[2]), u(d.dynamicSharedBytes),
        nullptr, kernels[i].params.data(), nullptr);
    if (!check(launched, "cuLaunchKernel")) {
      if (launched == Result::InvalidValue) // the driver does not say which
        outcome.reason += fmt::format(
            " (`{}` with {} arguments, grid {}, block {}, {} bytes of dynamic "
            "shared memory)",
            d.entry, d.args.size(), fmt::join(d.grid, " x "),
            fmt::join(d.block, " x "), d.dynamicSharedBytes);
      return false;
    }
    addEnergy();
  }
  return true;
}

bool DeviceSession::synchronize() {
  return check(driver.cuCtxSynchronize(), "cuCtxSynchronize");
}
