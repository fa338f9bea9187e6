//===- FaultyDriver.cpp - a CUDA driver that fails on request -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the driver API without executing anything: a launch copies the bytes
// of a file to where an argument points, so that a good candidate passes its
// check, and at chosen calls it fails, hangs, crashes, runs out of memory, or
// returns wrong results. Device memory is host memory.
//
// `hwtuneDriverConfigure` takes JSON text:
//   "writes": [{"arg": 2, "file": "C.bin"}]  what a launch writes; several
//             launches write all of it each time
//   "faults": [{"call": "cuLaunchKernel", "nth": 1, "do": "fail",
//               "result": 700}]              nth counts from 1, 0 = every time
//   "kernel_ms": 0.25     clock that a launch takes
//   "jitter": 1           factor on every second launch
//   "name", "major", "minor": of the device (an A100)
//
// do: "fail" (with `result`; sticky errors stay), "hang", "crash", "abort",
//     "exit" (the process ends, code 0), "flood" (10 MB on stdout, goes on);
//     for cuLaunchKernel also "wrong" (last byte but one changed), "skip"
//     (writes nothing), "overrun" (writes behind the buffer), "input" (writes
//     to its first argument)
//
//===----------------------------------------------------------------------===//

#include "hwtune/Driver/CudaApi.h"
#include "hwtune/Support/File.h"
#include "hwtune/Support/Json.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace hwtune;
using namespace hwtune::cuda;

#define API(name, params)                                                      \
  extern "C" __attribute__((visibility("default"))) Result name params

namespace {

struct Fault {
  std::string call, kind;
  int64_t nth = 0;
  Result result = Result::Unknown;
};

struct Write {
  size_t arg = 0;
  std::string bytes;
};

struct State {
  std::vector<Fault> faults;
  std::vector<Write> writes;
  std::map<std::string, int64_t> calls;
  Result sticky = Result::Success;
  double clockMs = 0, kernelMs = 0.25, jitter = 1;
  int64_t launches = 0;
  std::string deviceName = "NVIDIA A100-SXM4-80GB";
  int major = 8, minor = 0;
  std::map<Event, double> events;
};

State &state() {
  static State s;
  return s;
}

[[noreturn]] void hang() {
  for (;;)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

/// The fault that is due at this call, acted upon where that is possible; the
/// result to return, or none to go on. `special` gets what only a launch does.
std::optional<Result> due(const char *call, std::string *special = nullptr) {
  State &s = state();
  int64_t count = ++s.calls[call];
  if (s.sticky != Result::Success)
    return s.sticky;
  for (const Fault &f : s.faults) {
    if (f.call != call || (f.nth != 0 && f.nth != count))
      continue;
    if (f.kind == "hang")
      hang();
    if (f.kind == "crash") {
      std::signal(SIGSEGV, SIG_DFL); // a sanitizer would report and exit
      std::raise(SIGSEGV);
    }
    if (f.kind == "abort")
      std::abort();
    if (f.kind == "exit")
      std::_Exit(0);
    if (f.kind == "flood") {
      std::string line(1 << 20, 'x');
      for (int i = 0; i < 10; ++i)
        std::fprintf(stdout, "%s\n", line.c_str());
    } else if (f.kind == "fail") {
      if (isSticky(f.result))
        s.sticky = f.result;
      return f.result;
    } else if (special) {
      *special = f.kind;
    }
  }
  return std::nullopt;
}

/// The text of an error has to stay valid after `hwtuneDriverConfigure`.
const char *keep(std::string text) {
  static std::string kept;
  kept = std::move(text);
  return kept.c_str();
}

int attributeValue(DeviceAttribute which) {
  switch (which) {
  case DeviceAttribute::ComputeCapabilityMajor:
    return state().major;
  case DeviceAttribute::ComputeCapabilityMinor:
    return state().minor;
  case DeviceAttribute::MultiprocessorCount:
    return 108;
  case DeviceAttribute::ClockRate:
    return 1410000;
  case DeviceAttribute::L2CacheSize:
    return 4 << 20; // small: flushing it must not take the tests' time
  case DeviceAttribute::MaxSharedMemoryPerBlockOptin:
    return 166912;
  default:
    return 0; // not told
  }
}

} // namespace

/// For calls that do nothing but succeed.
#define TRIVIAL(name, params)                                                  \
  API(name, params) { return due(#name).value_or(Result::Success); }
/// The rest of a call runs only where no fault is due.
#define FAULT_POINT(name)                                                      \
  if (auto fault = due(#name))                                                 \
  return *fault

extern "C" __attribute__((visibility("default")))
const char *hwtuneDriverConfigure(const char *text) {
  Expected<Json> root = parseJson(text, "faulty driver configuration", 1 << 20);
  if (!root)
    return keep(root.error().str());
  JsonReader r(*root, "");
  State &s = state();
  r.onlyFields(
      {"writes", "faults", "kernel_ms", "jitter", "name", "major", "minor"});
  if (r.has("writes"))
    for (const JsonReader &w : r["writes"].elements(16)) {
      Expected<std::string> bytes = readFile(w["file"].string());
      if (!bytes)
        return keep(bytes.error().str());
      s.writes.push_back(
          {static_cast<size_t>(w["arg"].integer(0, 100)), *bytes});
    }
  if (r.has("faults"))
    for (const JsonReader &f : r["faults"].elements(64)) {
      Fault fault{f["call"].string(), f["do"].string(),
                  f["nth"].integer(0, 1000000), Result::Unknown};
      if (f.has("result"))
        fault.result = static_cast<Result>(f["result"].integer(1, 10000));
      s.faults.push_back(fault);
    }
  if (r.has("kernel_ms"))
    s.kernelMs = r["kernel_ms"].number(0, 1e9);
  if (r.has("jitter"))
    s.jitter = r["jitter"].number(0, 1e9);
  if (r.has("name"))
    s.deviceName = r["name"].string();
  if (r.has("major"))
    s.major = static_cast<int>(r["major"].integer(0, 99));
  if (r.has("minor"))
    s.minor = static_cast<int>(r["minor"].integer(0, 9));
  return r.ok() ? nullptr : keep(r.status().error().str());
}

#ifdef HWTUNE_FAULTY_SIM
/// Makes the library a simulated device to those who ask; what it is told goes
/// to standard error, for tests to read.
extern "C" __attribute__((visibility("default"))) const char *
hwtuneSimConfigure(const char *text) {
  Expected<Json> root = parseJson(text, "configuration", 1 << 20);
  if (!root)
    return keep(root.error().str());
  std::fprintf(stderr, "sim: %s\n", text);
  return root->value("target", "") == "l4" ? "no l4 today" : nullptr;
}
#endif

//===----------------------------------------------------------------------===//
// Errors, devices, contexts
//===----------------------------------------------------------------------===//

API(cuGetErrorName, (Result error, const char **text)) {
  *text = resultName(error);
  return *text ? Result::Success : Result::InvalidValue;
}
API(cuGetErrorString, (Result error, const char **text)) {
  *text = resultName(error) ? "injected fault" : nullptr;
  return *text ? Result::Success : Result::InvalidValue;
}
TRIVIAL(cuInit, (unsigned))
API(cuDriverGetVersion, (int *version)) {
  FAULT_POINT(cuDriverGetVersion);
  *version = 12080;
  return Result::Success;
}
API(cuDeviceGetCount, (int *count)) {
  FAULT_POINT(cuDeviceGetCount);
  *count = 1;
  return Result::Success;
}
API(cuDeviceGet, (Device * device, int ordinal)) {
  FAULT_POINT(cuDeviceGet);
  *device = ordinal;
  return ordinal == 0 ? Result::Success : Result::InvalidDevice;
}
API(cuDeviceGetName, (char *name, int length, Device)) {
  FAULT_POINT(cuDeviceGetName);
  std::snprintf(name, static_cast<size_t>(length), "%s",
                state().deviceName.c_str());
  return Result::Success;
}
API(cuDeviceGetAttribute, (int *value, DeviceAttribute attribute, Device)) {
  FAULT_POINT(cuDeviceGetAttribute);
  *value = attributeValue(attribute);
  return Result::Success;
}
API(cuDeviceTotalMem_v2, (size_t *bytes, Device)) {
  FAULT_POINT(cuDeviceTotalMem);
  *bytes = size_t(80) << 30;
  return Result::Success;
}
API(cuDevicePrimaryCtxRetain, (Context * context, Device)) {
  FAULT_POINT(cuDevicePrimaryCtxRetain);
  *context = reinterpret_cast<Context>(&state());
  return Result::Success;
}
TRIVIAL(cuDevicePrimaryCtxRelease_v2, (Device))
API(cuCtxGetCurrent, (Context * context)) {
  *context = reinterpret_cast<Context>(&state());
  return Result::Success;
}
TRIVIAL(cuCtxSetCurrent, (Context))
TRIVIAL(cuCtxPushCurrent_v2, (Context))
API(cuCtxPopCurrent_v2, (Context * context)) {
  return cuCtxGetCurrent(context);
}
TRIVIAL(cuCtxSynchronize, ())

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

API(cuModuleLoadDataEx, (Module * module, const void *, unsigned count,
                         JitOption *options, void **values)) {
  *module = nullptr;
  if (auto fault = due("cuModuleLoadDataEx")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == JitOption::ErrorLogBuffer)
        std::strcpy(static_cast<char *>(values[i]),
                    "ptxas : error : line 7: injected\n");
    return *fault;
  }
  *module = reinterpret_cast<Module>(&state());
  return Result::Success;
}
API(cuModuleLoadData, (Module * module, const void *image)) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
TRIVIAL(cuModuleUnload, (Module))
API(cuModuleGetFunction, (Function * function, Module, const char *name)) {
  FAULT_POINT(cuModuleGetFunction);
  *function = reinterpret_cast<Function>(&state());
  return std::strcmp(name, "absent") ? Result::Success : Result::NotFound;
}
API(cuFuncGetAttribute, (int *value, FunctionAttribute attribute, Function)) {
  FAULT_POINT(cuFuncGetAttribute);
  *value = attribute == FunctionAttribute::NumRegs ? 32 : 0;
  return Result::Success;
}
TRIVIAL(cuFuncSetAttribute, (Function, FunctionAttribute, int))

API(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, unsigned, Stream, void **params, void **)) {
  std::string special;
  if (auto fault = due("cuLaunchKernel", &special))
    return *fault;
  State &s = state();
  s.clockMs += s.kernelMs * (++s.launches % 2 ? 1 : s.jitter);
  if (special == "skip")
    return Result::Success;
  for (const Write &w : s.writes) {
    char *to;
    std::memcpy(&to, params[w.arg], sizeof to);
    std::memcpy(to, w.bytes.data(), w.bytes.size());
    if (special == "wrong" && w.bytes.size() > 1)
      to[w.bytes.size() - 2] ^= 0x55;
    if (special == "overrun")
      to[w.bytes.size() + 3] = 1;
  }
  if (special == "input") {
    char *to;
    std::memcpy(&to, params[0], sizeof to);
    to[4] ^= 1;
  }
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
void *host(DevicePtr address) { return reinterpret_cast<void *>(address); }
} // namespace

API(cuMemGetInfo_v2, (size_t *free, size_t *total)) {
  FAULT_POINT(cuMemGetInfo);
  *free = *total = size_t(80) << 30;
  return Result::Success;
}
API(cuMemAlloc_v2, (DevicePtr * address, size_t bytes)) {
  FAULT_POINT(cuMemAlloc);
  *address = reinterpret_cast<DevicePtr>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return *address ? Result::Success : Result::OutOfMemory;
}
API(cuMemFree_v2, (DevicePtr address)) {
  FAULT_POINT(cuMemFree);
  std::free(host(address));
  return Result::Success;
}
API(cuMemcpyHtoD_v2, (DevicePtr to, const void *from, size_t bytes)) {
  FAULT_POINT(cuMemcpyHtoD);
  std::memcpy(host(to), from, bytes);
  return Result::Success;
}
API(cuMemcpyDtoH_v2, (void *to, DevicePtr from, size_t bytes)) {
  FAULT_POINT(cuMemcpyDtoH);
  std::memcpy(to, host(from), bytes);
  return Result::Success;
}
API(cuMemcpyDtoD_v2, (DevicePtr to, DevicePtr from, size_t bytes)) {
  FAULT_POINT(cuMemcpyDtoD);
  std::memmove(host(to), host(from), bytes);
  return Result::Success;
}
API(cuMemcpy, (DevicePtr to, DevicePtr from, size_t bytes)) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
API(cuMemcpyAsync, (DevicePtr to, DevicePtr from, size_t bytes, Stream)) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
API(cuMemsetD8_v2, (DevicePtr to, unsigned char value, size_t count)) {
  FAULT_POINT(cuMemsetD8);
  std::memset(host(to), value, count);
  return Result::Success;
}
API(cuMemsetD32_v2, (DevicePtr to, unsigned value, size_t count)) {
  FAULT_POINT(cuMemsetD32);
  std::fill_n(static_cast<unsigned *>(host(to)), count, value);
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Streams and events: one clock, which launches advance
//===----------------------------------------------------------------------===//

API(cuStreamCreate, (Stream * stream, unsigned)) {
  FAULT_POINT(cuStreamCreate);
  *stream = reinterpret_cast<Stream>(&state());
  return Result::Success;
}
TRIVIAL(cuStreamDestroy_v2, (Stream))
TRIVIAL(cuStreamSynchronize, (Stream))
TRIVIAL(cuStreamWaitEvent, (Stream, Event, unsigned))
API(cuEventCreate, (Event * event, unsigned)) {
  FAULT_POINT(cuEventCreate);
  *event = reinterpret_cast<Event>(state().events.size() + 1);
  state().events[*event] = 0;
  return Result::Success;
}
TRIVIAL(cuEventDestroy_v2, (Event))
API(cuEventRecord, (Event event, Stream)) {
  FAULT_POINT(cuEventRecord);
  state().events[event] = state().clockMs;
  return Result::Success;
}
TRIVIAL(cuEventQuery, (Event))
TRIVIAL(cuEventSynchronize, (Event))
API(cuEventElapsedTime, (float *milliseconds, Event start, Event end)) {
  FAULT_POINT(cuEventElapsedTime);
  *milliseconds =
      static_cast<float>(state().events[end] - state().events[start]);
  return Result::Success;
}
