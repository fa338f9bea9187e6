//===- LaunchDescription.cpp - the JSON form ------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/LaunchDescription.h"

#include "hwtune/Measure/Elements.h"
#include "hwtune/Support/Json.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

using namespace hwtune;

namespace {

constexpr int kSchema = 1;
// Limits on what is read: far above any real launch, far below harm.
constexpr size_t kMaxTextBytes = size_t(16) << 20;
constexpr size_t kMaxBuffers = 64, kMaxKernels = 64, kMaxArgs = 512;
/// Of a thread: the encoding holds no more registers; local memory ends there.
constexpr int64_t kMaxRegisters = 65536, kMaxSpillBytes = 512 * 1024;
constexpr size_t kMaxRank = 32, kMaxExpected = 64, kMaxBlocks = 4096;
constexpr int64_t kMaxBufferBytes = int64_t(1) << 42;
constexpr int64_t kMaxGridX = 2147483647, kMaxGridYZ = 65535;
constexpr int64_t kMaxBlockDim = 1024;
constexpr int64_t kMaxSharedBytes = int64_t(1) << 30;
constexpr size_t kMaxName = 4096;
constexpr double kAnyNumber = std::numeric_limits<double>::max();

ElementType readType(const JsonReader &r) {
  std::string text = r.string(kMaxName);
  if (auto type = parseElementType(text))
    return *type;
  r.fail(fmt::format("unknown element type `{}`, expected one of: f64, f32, "
                     "f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, i1",
                     text));
  return ElementType::F32;
}

/// A file beside the description: nothing else may be named.
std::string readFileName(const JsonReader &r) {
  std::string name = r.string(kMaxName);
  if (!name.empty() &&
      (name.front() == '/' || name == ".." || name.rfind("../", 0) == 0 ||
       name.find("/../") != std::string::npos ||
       name.find('\0') != std::string::npos || name.ends_with("/..")))
    r.fail(fmt::format("`{}`, expected a path relative to the description and "
                       "below its folder",
                       name));
  return name;
}

std::array<int64_t, 3> readTriple(const JsonReader &r, int64_t least,
                                  std::array<int64_t, 3> most) {
  std::array<int64_t, 3> result{least, least, least};
  std::vector<JsonReader> elements = r.elements(3, 3);
  for (size_t i = 0; i < elements.size(); ++i)
    result[i] = elements[i].integer(least, most[i]);
  return result;
}

BufferDesc readBuffer(const JsonReader &r) {
  r.onlyFields({"name", "type", "shape", "is_output", "reads_init", "seed"});
  BufferDesc b;
  b.name = r["name"].string(kMaxName);
  b.type = readType(r["type"]);
  int64_t bytes = sizeInBytes(b.type);
  for (const JsonReader &extent : r["shape"].elements(kMaxRank)) {
    int64_t n = extent.integer(0, kMaxBufferBytes);
    b.shape.push_back(n);
    // Checked as it grows, so that no product can overflow. An extent of zero
    // must not hide a huge one beside it.
    int64_t factor = n == 0 ? 1 : n;
    if (r.ok() && bytes > kMaxBufferBytes / factor)
      r["shape"].fail(fmt::format("more than {} bytes", kMaxBufferBytes));
    bytes = r.ok() ? bytes * factor : 1;
  }
  if (r.has("is_output"))
    b.isOutput = r["is_output"].boolean();
  if (r.has("reads_init"))
    b.readsInit = r["reads_init"].boolean();
  if (r.has("seed"))
    b.seed = r["seed"].unsignedInteger();
  if (b.readsInit && !b.isOutput)
    r["reads_init"].fail("only an output can read its initial value");
  return b;
}

ArgDesc readArg(const JsonReader &r, const std::vector<BufferDesc> &buffers) {
  ArgDesc arg;
  if (r.has("scalar")) {
    r.onlyFields({"scalar", "type"});
    arg.kind = ArgDesc::Kind::Scalar;
    arg.type = readType(r["type"]);
    arg.scalar = r["scalar"].number(-kAnyNumber, kAnyNumber);
    return arg;
  }
  r.onlyFields({"buffer", "byte_offset"});
  if (buffers.empty()) {
    r.fail("there are no buffers");
    return arg;
  }
  arg.buffer = static_cast<unsigned>(
      r["buffer"].integer(0, static_cast<int64_t>(buffers.size()) - 1));
  if (r.has("byte_offset"))
    arg.byteOffset =
        r["byte_offset"].integer(0, r.ok() ? buffers[arg.buffer].bytes() : 0);
  return arg;
}

KernelDesc readKernel(const JsonReader &r,
                      const std::vector<BufferDesc> &buffers) {
  r.onlyFields({"entry", "grid", "block", "dynamic_shared_bytes", "registers",
                "spill_bytes", "args"});
  KernelDesc k;
  k.entry = r["entry"].string(kMaxName);
  if (r.ok() && k.entry.empty())
    r["entry"].fail("expected the name of a kernel");
  k.grid = readTriple(r["grid"], 1, {kMaxGridX, kMaxGridYZ, kMaxGridYZ});
  k.block =
      readTriple(r["block"], 1, {kMaxBlockDim, kMaxBlockDim, kMaxBlockDim});
  if (r.has("dynamic_shared_bytes"))
    k.dynamicSharedBytes =
        r["dynamic_shared_bytes"].integer(0, kMaxSharedBytes);
  if (r.has("registers"))
    k.registers = r["registers"].integer(0, kMaxRegisters);
  if (r.has("spill_bytes"))
    k.spillBytes = r["spill_bytes"].integer(0, kMaxSpillBytes);
  for (const JsonReader &arg : r["args"].elements(kMaxArgs))
    k.args.push_back(readArg(arg, buffers));
  return k;
}

/// More elements than any buffer has.
constexpr int64_t kMaxGroup = int64_t(1) << 48;

Projection readProjection(const JsonReader &r, size_t rank) {
  r.onlyFields({"summed", "group", "seed"});
  Projection p;
  for (const JsonReader &flag : r["summed"].elements(rank, rank))
    p.summed.push_back(flag.boolean());
  p.group = r["group"].integer(1, kMaxGroup);
  p.seed = r["seed"].unsignedInteger();
  return p;
}

ExpectedDesc readExpectedDesc(const JsonReader &r,
                              const std::vector<BufferDesc> &buffers) {
  r.onlyFields({"buffer", "partial", "offset", "count", "relative", "absolute",
                "projection", "whole_grid"});
  ExpectedDesc e;
  if (buffers.empty()) {
    r.fail("there are no buffers");
    return e;
  }
  e.buffer = static_cast<unsigned>(
      r["buffer"].integer(0, static_cast<int64_t>(buffers.size()) - 1));
  if (r.ok() && !buffers[e.buffer].isOutput)
    r["buffer"].fail(fmt::format("buffer {} (`{}`) is no output", e.buffer,
                                 buffers[e.buffer].name));
  if (r.has("partial"))
    e.partial = r["partial"].boolean();
  if (r.has("whole_grid"))
    e.wholeGrid = r["whole_grid"].boolean();
  if (r.ok() && r.has("projection")) {
    const BufferDesc &buffer = buffers[e.buffer];
    if (e.partial || !isFloat(buffer.type))
      r["projection"].fail("expected a whole floating-point output");
    e.projection = readProjection(r["projection"], buffer.shape.size());
  }
  e.offset = r["offset"].unsignedInteger();
  e.count = r["count"].unsignedInteger();
  e.relative = r["relative"].number(0, 1e300);
  e.absolute = r["absolute"].number(0, 1e300);
  return e;
}

OrderedJson toJson(const ArgDesc &arg) {
  OrderedJson j;
  if (arg.kind == ArgDesc::Kind::Scalar) {
    // An integer stays one as far as a double holds each.
    bool whole =
        arg.scalar == std::floor(arg.scalar) && std::fabs(arg.scalar) < 9e15;
    if (whole)
      j["scalar"] = static_cast<int64_t>(arg.scalar);
    else
      j["scalar"] = arg.scalar;
    j["type"] = std::string(toString(arg.type));
    return j;
  }
  j["buffer"] = arg.buffer;
  if (arg.byteOffset)
    j["byte_offset"] = arg.byteOffset;
  return j;
}

OrderedJson toJson(const BufferDesc &b) {
  OrderedJson j;
  j["name"] = b.name;
  j["type"] = std::string(toString(b.type));
  j["shape"] = b.shape;
  j["is_output"] = b.isOutput;
  j["reads_init"] = b.readsInit;
  j["seed"] = b.seed;
  return j;
}

OrderedJson toJson(const KernelDesc &k) {
  OrderedJson j;
  j["entry"] = k.entry;
  j["grid"] = k.grid;
  j["block"] = k.block;
  j["dynamic_shared_bytes"] = k.dynamicSharedBytes;
  j["registers"] = k.registers;
  j["spill_bytes"] = k.spillBytes;
  j["args"] = OrderedJson::array();
  for (const ArgDesc &arg : k.args)
    j["args"].push_back(toJson(arg));
  return j;
}

OrderedJson toJson(const ExpectedDesc &e) {
  OrderedJson j;
  j["buffer"] = e.buffer;
  j["partial"] = e.partial;
  j["offset"] = e.offset;
  j["count"] = e.count;
  j["relative"] = e.relative;
  j["absolute"] = e.absolute;
  if (e.wholeGrid)
    j["whole_grid"] = true;
  if (e.projection)
    j["projection"] = {{"summed", e.projection->summed},
                       {"group", e.projection->group},
                       {"seed", e.projection->seed}};
  return j;
}

} // namespace

int64_t BufferDesc::elements() const {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

int64_t BufferDesc::bytes() const { return elements() * sizeInBytes(type); }

std::string LaunchDescription::toJson() const {
  OrderedJson root;
  root["schema"] = schema;
  root["target"] = target;
  root["arch"] = arch;
  root["ptx_file"] = ptxFile;
  root["expected_file"] = expectedFile;
  root["flops"] = flops;
  for (const char *key : {"buffers", "kernels", "expected", "sample_blocks"})
    root[key] = OrderedJson::array();
  for (const BufferDesc &b : buffers)
    root["buffers"].push_back(::toJson(b));
  for (const KernelDesc &k : kernels)
    root["kernels"].push_back(::toJson(k));
  for (const ExpectedDesc &e : expected)
    root["expected"].push_back(::toJson(e));
  for (const auto &block : sampleBlocks)
    root["sample_blocks"].push_back(block);
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Expected<LaunchDescription> LaunchDescription::fromJson(std::string_view text) {
  Expected<Json> root = parseJson(text, "launch description", kMaxTextBytes);
  if (!root)
    return root.error();
  JsonReader r(*root, "");
  LaunchDescription d;
  r.onlyFields({"schema", "target", "arch", "ptx_file", "expected_file",
                "flops", "buffers", "kernels", "expected", "sample_blocks"});
  d.schema = static_cast<int>(r["schema"].integer(kSchema, kSchema));
  d.target = r["target"].string(kMaxName);
  d.arch = r["arch"].string(kMaxName);
  d.ptxFile = readFileName(r["ptx_file"]);
  if (r.ok() && d.ptxFile.empty())
    r["ptx_file"].fail("expected the name of a file");
  if (r.has("expected_file"))
    d.expectedFile = readFileName(r["expected_file"]);
  if (r.has("flops"))
    d.flops = r["flops"].number(0, 1e300);
  for (const JsonReader &b : r["buffers"].elements(kMaxBuffers))
    d.buffers.push_back(readBuffer(b));
  if (!r.ok()) // what follows refers to buffers
    return r.status().error();
  for (const JsonReader &k : r["kernels"].elements(kMaxKernels, 1))
    d.kernels.push_back(readKernel(k, d.buffers));
  if (r.has("expected"))
    for (const JsonReader &e : r["expected"].elements(kMaxExpected))
      d.expected.push_back(readExpectedDesc(e, d.buffers));
  if (r.ok() && !d.expected.empty() && d.expectedFile.empty())
    r["expected"].fail("there are expected values but no `expected_file`");
  if (r.has("sample_blocks"))
    for (const JsonReader &b : r["sample_blocks"].elements(kMaxBlocks)) {
      std::array<int64_t, 3> most{kMaxGridX, kMaxGridYZ, kMaxGridYZ};
      if (!d.kernels.empty())
        for (int i = 0; i < 3; ++i)
          most[i] = d.kernels.back().grid[i] - 1;
      d.sampleBlocks.push_back(readTriple(b, 0, most));
    }
  if (!r.ok())
    return r.status().error();
  return d;
}
