//===- Session.cpp - the device behind the mgpu entry points --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace hwtune;
using namespace hwtune::runtime;

namespace {
thread_local int defaultDevice = 0;

/// The file that this code was loaded from, without its name.
std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&setDefaultDevice), &info) ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

/// True where the driver starts and has a device.
bool hasDevice(const DriverTable &driver) {
  int count = 0;
  return driver.cuInit(0) == cuda::Result::Success &&
         driver.cuDeviceGetCount(&count) == cuda::Result::Success && count > 0;
}

std::unique_ptr<DriverTable> openDriver() {
  Expected<std::unique_ptr<DriverTable>> vendor = DriverTable::load("");
  if (vendor && hasDevice(**vendor))
    return std::move(*vendor);
  std::string path = ownFolder() + "libhwtune-simcuda.so";
  Expected<std::unique_ptr<DriverTable>> simulated = DriverTable::load(path);
  if (!simulated)
    ScopedContext::fail(fmt::format("no GPU, and no simulated one: {}",
                                    simulated.error().str()));
  if (!hasDevice(**simulated))
    ScopedContext::fail(fmt::format(
        "no GPU, and the simulated one of `{}` does not start", path));
  return std::move(*simulated);
}

const DriverTable &theDriver() {
  // Never destroyed: programs free memory from their exit handlers.
  static const DriverTable *table = openDriver().release();
  return *table;
}

/// The primary context of a device, retained once for the process.
cuda::Context primaryContext(const DriverTable &driver, int ordinal) {
  static std::mutex mutex;
  static auto *contexts = new std::map<int, cuda::Context>;
  std::lock_guard lock(mutex);
  cuda::Context &context = (*contexts)[ordinal];
  if (context)
    return context;
  cuda::Device device = 0;
  cuda::Result result = driver.cuDeviceGet(&device, ordinal);
  if (result == cuda::Result::Success)
    result = driver.cuDevicePrimaryCtxRetain(&context, device);
  if (result != cuda::Result::Success)
    ScopedContext::fail(
        fmt::format("device {}: {}", ordinal, driver.describe(result)));
  return context;
}
} // namespace

void runtime::setDefaultDevice(int ordinal) { defaultDevice = ordinal; }

ScopedContext::ScopedContext() : table(theDriver()) {
  check(table.cuCtxPushCurrent(primaryContext(table, defaultDevice)),
        "cuCtxPushCurrent");
}

ScopedContext::~ScopedContext() { table.cuCtxPopCurrent(nullptr); }

void ScopedContext::check(cuda::Result result, const char *call,
                          std::string_view detail) const {
  if (result == cuda::Result::Success)
    return;
  fail(fmt::format("{} failed: {}{}{}", call, table.describe(result),
                   detail.empty() ? "" : ": ", detail));
}

void ScopedContext::fail(std::string_view message) {
  std::fflush(stdout);
  std::fprintf(stderr, "hwtune-gpu-runtime: %.*s\n", int(message.size()),
               message.data());
  // Not exit(): handlers of the program would call in here again.
  std::_Exit(1);
}
