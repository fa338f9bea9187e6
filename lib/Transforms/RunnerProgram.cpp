//===- RunnerProgram.cpp - the program of a runner folder -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixed text behind tables made from the launch description.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Elements.h"
#include "hwtune/Transforms/Runner.h"

#include <fmt/format.h>

using namespace hwtune;

/// What stands before the tables.
static constexpr const char *kHead =
    R"PROGRAM(// Runs one kernel through the CUDA driver API, checks and times it.
//
//   c++ -std=c++17 -O2 run.cpp -o run -ldl && ./run [driver library]
//
// Exit status: 0 right, 1 wrong, 2 it could not be run.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <dlfcn.h>
#include <string>
#include <vector>

struct Buffer { const char *name, *type, *file; uint64_t bytes; bool output; };
struct Argument { bool isBuffer; unsigned buffer; int64_t offset; uint64_t bits; };
struct Kernel { const char *entry; unsigned grid[3], block[3], sharedBytes; std::vector<Argument> arguments; };
struct Check { unsigned buffer; bool partial; uint64_t offset, count; double relative, absolute; };

)PROGRAM";

/// What stands after them.
static constexpr const char *kBody = R"PROGRAM(
typedef int Result;
typedef uint64_t Pointer;
#define EACH_FUNCTION(X) \
  X(cuInit, (unsigned)) X(cuDeviceGet, (int *, int)) X(cuDeviceGetName, (char *, int, int)) \
  X(cuCtxCreate_v2, (void **, unsigned, int)) X(cuModuleLoadData, (void **, const void *)) \
  X(cuModuleGetFunction, (void **, void *, const char *)) X(cuFuncSetAttribute, (void *, int, int)) \
  X(cuMemAlloc_v2, (Pointer *, size_t)) X(cuMemcpyHtoD_v2, (Pointer, const void *, size_t)) \
  X(cuMemcpyDtoH_v2, (void *, Pointer, size_t)) X(cuCtxSynchronize, ()) \
  X(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **)) \
  X(cuEventCreate, (void **, unsigned)) X(cuEventRecord, (void *, void *)) X(cuEventSynchronize, (void *)) \
  X(cuEventElapsedTime, (float *, void *, void *)) X(cuGetErrorString, (Result, const char **))
#define DECLARE(name, parameters) static Result (*name) parameters;
EACH_FUNCTION(DECLARE)

[[noreturn]] static void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}
static void check(Result result, const char *call) {
  if (result == 0)
    return;
  const char *words = nullptr;
  if (cuGetErrorString)
    cuGetErrorString(result, &words);
  fail(std::string(call) + " failed: " + (words ? words : "unknown error") + " (" + std::to_string(result) + ")");
}
#define CALL(function, arguments) check(function arguments, #function)

static std::string readFile(const std::string &name) {
  std::FILE *file = std::fopen(name.c_str(), "rb");
  if (!file)
    fail("cannot read " + name);
  std::string text;
  char part[65536];
  for (size_t n; (n = std::fread(part, 1, sizeof part, file)) > 0;)
    text.append(part, n);
  std::fclose(file);
  return text;
}

// Binary floating point of at most 16 bits.
static double decodeSmall(unsigned bits, int exponentBits, int fractionBits, bool hasInfinity) {
  unsigned fraction = bits & ((1u << fractionBits) - 1), top = (1u << exponentBits) - 1;
  unsigned exponent = (bits >> fractionBits) & top;
  int bias = int(top >> 1);
  double value;
  if (exponent == top && (hasInfinity || fraction == (1u << fractionBits) - 1))
    value = hasInfinity && !fraction ? INFINITY : NAN;
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - bias - fractionBits);
  else
    value = std::ldexp(fraction | (1u << fractionBits), int(exponent) - bias - fractionBits);
  return (bits >> (exponentBits + fractionBits)) & 1 ? -value : value;
}
template <typename T> static T load(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
static size_t sizeOf(const std::string &type) {
  if (type == "f64" || type == "i64") return 8;
  if (type == "f32" || type == "i32") return 4;
  if (type == "f16" || type == "bf16" || type == "i16") return 2;
  return 1;
}
static double decode(const std::string &type, const char *bytes) {
  if (type == "f64") return load<double>(bytes);
  if (type == "f32") return load<float>(bytes);
  if (type == "f16") return decodeSmall(load<uint16_t>(bytes), 5, 10, true);
  if (type == "bf16") return decodeSmall(load<uint16_t>(bytes), 8, 7, true);
  if (type == "f8e5m2") return decodeSmall(load<uint8_t>(bytes), 5, 2, true);
  if (type == "f8e4m3") return decodeSmall(load<uint8_t>(bytes), 4, 3, false);
  if (type == "i64") return double(load<int64_t>(bytes));
  if (type == "i32") return load<int32_t>(bytes);
  if (type == "i16") return load<int16_t>(bytes);
  return load<int8_t>(bytes);
}
// Number of wrong elements of one output.
static uint64_t compare(const Check &c, const std::string &expected, const std::string &got) {
  const Buffer &buffer = kBuffers[c.buffer];
  uint64_t words = c.count * (c.partial ? 3 : 2), wrong = 0;
  if (c.offset + words * 8 > expected.size())
    fail("expected.bin is too short");
  const char *at = expected.data() + c.offset;
  const char *values = at + (c.partial ? c.count * 8 : 0), *bounds = values + c.count * 8;
  for (uint64_t i = 0; i < c.count; ++i) {
    uint64_t index = c.partial ? load<uint64_t>(at + i * 8) : i;
    if ((index + 1) * sizeOf(buffer.type) > got.size())
      fail("expected.bin names an element outside its buffer");
    double want = load<double>(values + i * 8), bound = load<double>(bounds + i * 8);
    double have = decode(buffer.type, got.data() + index * sizeOf(buffer.type));
    double tolerance = buffer.type[0] == 'i' ? bound : c.relative * bound + c.absolute;
    bool right = bound == std::numeric_limits<double>::max() ? true : std::isnan(want) ? std::isnan(have) : have == want || std::fabs(have - want) <= tolerance;
    if (!right && wrong++ == 0)
      std::fprintf(stderr, "element %llu of %s: got %.9g, expected %.9g, tolerance %.3g\n",
                   (unsigned long long)index, buffer.name, have, want, tolerance);
  }
  return wrong;
}

int main(int argc, char **argv) {
  const char *library = argc > 1 ? argv[1] : "libcuda.so.1";
  void *handle = dlopen(library, RTLD_NOW);
  if (!handle)
    fail(dlerror());
#define FIND(name, parameters) \
  name = reinterpret_cast<decltype(name)>(dlsym(handle, #name)); \
  if (!name) fail(std::string(library) + " has no " #name);
  EACH_FUNCTION(FIND)

  // The simulated driver has this one function more. It is told to take times,
  // and to run every block all the same.
  typedef const char *(*Configure)(const char *);
  auto configure = reinterpret_cast<Configure>(dlsym(handle, "hwtuneSimConfigure"));
  if (configure)
    if (const char *error = configure("{\"mode\": \"timed\", \"whole_grid\": true}"))
      fail(error);

  int device = 0;
  void *context = nullptr, *module = nullptr;
  char name[256] = "";
  CALL(cuInit, (0u));
  CALL(cuDeviceGet, (&device, 0));
  CALL(cuDeviceGetName, (name, int(sizeof name), device));
  CALL(cuCtxCreate_v2, (&context, 0u, device));
  std::string ptx = readFile(kPtxFile);
  CALL(cuModuleLoadData, (&module, ptx.c_str()));

  std::vector<Pointer> memory(kBuffers.size());
  for (size_t i = 0; i < kBuffers.size(); ++i) {
    std::string bytes = readFile(kBuffers[i].file);
    CALL(cuMemAlloc_v2, (&memory[i], kBuffers[i].bytes));
    CALL(cuMemcpyHtoD_v2, (memory[i], bytes.data(), bytes.size()));
  }
  auto launch = [&] {
    for (const Kernel &kernel : kKernels) {
      void *function = nullptr;
      CALL(cuModuleGetFunction, (&function, module, kernel.entry));
      const int kMaxDynamicShared = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
      if (kernel.sharedBytes)
        CALL(cuFuncSetAttribute, (function, kMaxDynamicShared, int(kernel.sharedBytes)));
      std::vector<uint64_t> slots(kernel.arguments.size());
      std::vector<void *> pointers;
      for (size_t i = 0; i < slots.size(); ++i) {
        const Argument &argument = kernel.arguments[i];
        if (argument.isBuffer)
          slots[i] = memory[argument.buffer] + uint64_t(argument.offset);
        else
          slots[i] = argument.bits;
        pointers.push_back(&slots[i]);
      }
      CALL(cuLaunchKernel, (function, kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0],
           kernel.block[1], kernel.block[2], kernel.sharedBytes, nullptr, pointers.data(), nullptr));
    }
  };
  launch();
  CALL(cuCtxSynchronize, ());

  uint64_t wrong = 0, checked = 0;
  std::string expected = kChecks.empty() ? "" : readFile(kExpectedFile);
  for (const Check &c : kChecks) {
    std::string got(kBuffers[c.buffer].bytes, '\0');
    CALL(cuMemcpyDtoH_v2, (&got[0], memory[c.buffer], got.size()));
    wrong += compare(c, expected, got);
    checked += c.count;
  }
  std::printf("%s on %s: %llu elements checked, %llu wrong\n", kKernels[0].entry, name,
              (unsigned long long)checked, (unsigned long long)wrong);

  std::vector<float> times;
  void *start = nullptr, *stop = nullptr;
  CALL(cuEventCreate, (&start, 0u));
  CALL(cuEventCreate, (&stop, 0u));
  for (int i = 0; i < 10; ++i) {
    float milliseconds = 0;
    CALL(cuEventRecord, (start, nullptr));
    launch();
    CALL(cuEventRecord, (stop, nullptr));
    CALL(cuEventSynchronize, (stop));
    CALL(cuEventElapsedTime, (&milliseconds, start, stop));
    times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.3f us %s (median of %zu launches, caches warm from the one before), fastest %.3f us\n", times[times.size() / 2] * 1e3,
              configure ? "simulated" : "measured", times.size(), times[0] * 1e3);
  if (kFlops > 0)
    std::printf("rate: %.3f Gflop/s\n", kFlops / (times[times.size() / 2] * 1e6));
  return wrong || !checked ? 1 : 0;
}
)PROGRAM";

static std::string inQuotes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

static std::string argumentText(const ArgDesc &argument) {
  bool isBuffer = argument.kind == ArgDesc::Kind::Buffer;
  uint64_t bits = 0;
  if (!isBuffer)
    encodeElement(argument.type, argument.scalar,
                  reinterpret_cast<std::byte *>(&bits));
  return fmt::format("{{{}, {}, {}, {:#x}}}", isBuffer, argument.buffer,
                     argument.byteOffset, bits);
}

static std::string kernelText(const KernelDesc &kernel) {
  std::string arguments;
  for (const ArgDesc &argument : kernel.args)
    arguments += (arguments.empty() ? "" : ", ") + argumentText(argument);
  return fmt::format(
      "    {{{}, {{{}, {}, {}}}, {{{}, {}, {}}}, {}, {{{}}}}},\n",
      inQuotes(kernel.entry), kernel.grid[0], kernel.grid[1], kernel.grid[2],
      kernel.block[0], kernel.block[1], kernel.block[2],
      kernel.dynamicSharedBytes, arguments);
}

std::string hwtune::runnerProgram(const LaunchDescription &launch) {
  std::string tables = "static const std::vector<Buffer> kBuffers = {\n";
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const BufferDesc &b = launch.buffers[i];
    tables += fmt::format("    {{{}, {}, \"buffer_{}.bin\", {}, {}}},\n",
                          inQuotes(b.name), inQuotes(toString(b.type)), i,
                          b.bytes(), b.isOutput);
  }
  tables += "};\nstatic const std::vector<Kernel> kKernels = {\n";
  for (const KernelDesc &kernel : launch.kernels)
    tables += kernelText(kernel);
  tables += "};\nstatic const std::vector<Check> kChecks = {\n";
  for (const ExpectedDesc &e : launch.expected)
    if (!e.projection) // the program compares elements alone
      tables +=
          fmt::format("    {{{}, {}, {}, {}, {:.17g}, {:.17g}}},\n", e.buffer,
                      e.partial, e.offset, e.count, e.relative, e.absolute);
  tables += fmt::format("}};\nstatic const char *const kPtxFile = {};\n"
                        "static const char *const kExpectedFile = {};\n"
                        "static const double kFlops = {:.17g};\n",
                        inQuotes(launch.ptxFile), inQuotes(launch.expectedFile),
                        launch.flops);
  return kHead + tables + kBody;
}
