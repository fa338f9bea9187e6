//===- LaunchDescriptionTest.cpp ------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/LaunchDescription.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

LaunchDescription sample() {
  LaunchDescription d;
  d.target = "a100-sxm4-80gb";
  d.arch = "sm_80";
  d.ptxFile = "kernel.ptx";
  d.expectedFile = "expected.bin";
  d.flops = 1e6;
  BufferDesc a{"A", ElementType::F32, {16, 32}, false, false, 11};
  BufferDesc c{"C", ElementType::F16, {16}, true, true, UINT64_MAX};
  d.buffers = {a, c};
  KernelDesc k;
  k.entry = "main";
  k.grid = {4, 2, 1};
  k.block = {32, 4, 1};
  k.dynamicSharedBytes = 65536;
  ArgDesc buffer, offset, scalar;
  offset.buffer = 1;
  offset.byteOffset = 8;
  scalar.kind = ArgDesc::Kind::Scalar;
  scalar.type = ElementType::I64;
  scalar.scalar = -3;
  k.args = {buffer, offset, scalar};
  d.kernels = {k};
  d.expected = {{1, true, 0, 4, 1e-6, 0.5}};
  d.sampleBlocks = {{0, 0, 0}, {3, 1, 0}};
  return d;
}

/// The error of the sample's text with `from` replaced.
std::string errorWith(const std::string &from, const std::string &to) {
  std::string text = sample().toJson();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  auto d = LaunchDescription::fromJson(text.replace(at, from.size(), to));
  return d ? "no error" : d.error().message;
}

} // namespace

TEST(LaunchDescription, RoundTrip) {
  LaunchDescription d = sample();
  auto again = LaunchDescription::fromJson(d.toJson());
  ASSERT_TRUE(bool(again)) << again.error().message;
  EXPECT_EQ(again->toJson(), d.toJson());
  EXPECT_EQ(again->target, "a100-sxm4-80gb");
  EXPECT_EQ(again->buffers[1].seed, UINT64_MAX);
  EXPECT_TRUE(again->buffers[1].readsInit);
  EXPECT_EQ(again->buffers[0].bytes(), 16 * 32 * 4);
  EXPECT_EQ(again->kernels[0].block[1], 4);
  EXPECT_EQ(again->kernels[0].args[1].byteOffset, 8);
  EXPECT_EQ(again->kernels[0].args[2].kind, ArgDesc::Kind::Scalar);
  EXPECT_EQ(again->kernels[0].args[2].scalar, -3);
  EXPECT_TRUE(again->expected[0].partial);
  EXPECT_DOUBLE_EQ(again->expected[0].absolute, 0.5);
  EXPECT_EQ(again->sampleBlocks[1][0], 3);
}

TEST(LaunchDescription, ErrorsNameTheField) {
  EXPECT_EQ(errorWith("\"schema\": 1", "\"schema\": 2"),
            "schema: 2 is out of range, expected 1 to 1");
  EXPECT_EQ(errorWith("\"flops\"", "\"flop\""),
            "unknown field `flop`, expected one of: schema, target, arch, "
            "ptx_file, expected_file, flops, buffers, kernels, expected, "
            "sample_blocks");
  EXPECT_EQ(errorWith("\"f32\"", "\"f31\""),
            "buffers[0].type: unknown element type `f31`, expected one of: "
            "f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, i1");
  EXPECT_EQ(errorWith("\"entry\": \"main\"", "\"entry\": \"\""),
            "kernels[0].entry: expected the name of a kernel");
  EXPECT_EQ(errorWith("\"entry\": \"main\",", ""),
            "kernels[0]: field `entry` is missing");
  EXPECT_EQ(errorWith("\"byte_offset\": 8", "\"byte_offset\": 33"),
            "kernels[0].args[1].byte_offset: 33 is out of range, expected 0 "
            "to 32");
  EXPECT_EQ(errorWith("\"dynamic_shared_bytes\": 65536",
                      "\"dynamic_shared_bytes\": -1"),
            "kernels[0].dynamic_shared_bytes: -1 is out of range, expected 0 "
            "to 1073741824");
  EXPECT_EQ(errorWith("\"buffer\": 1,\n      \"partial\"",
                      "\"buffer\": 0,\n      \"partial\""),
            "expected[0].buffer: buffer 0 (`A`) is no output");
  EXPECT_EQ(errorWith("\"buffer\": 1,\n      \"partial\"",
                      "\"buffer\": 7,\n      \"partial\""),
            "expected[0].buffer: 7 is out of range, expected 0 to 1");
  EXPECT_EQ(errorWith("\"expected_file\": \"expected.bin\"",
                      "\"expected_file\": \"\""),
            "expected: there are expected values but no `expected_file`");
  EXPECT_EQ(errorWith("\"ptx_file\": \"kernel.ptx\"", "\"ptx_file\": \"\""),
            "ptx_file: expected the name of a file");
  EXPECT_EQ(errorWith("\"is_output\": true", "\"is_output\": false"),
            "buffers[1].reads_init: only an output can read its initial value");
}

TEST(LaunchDescription, Projections) {
  LaunchDescription d = sample();
  d.expected.push_back({1, false, 96, 2, 1, 0, true, Projection{{true}, 8, 5}});
  auto again = LaunchDescription::fromJson(d.toJson());
  ASSERT_TRUE(bool(again)) << again.error().message;
  EXPECT_EQ(again->toJson(), d.toJson());
  EXPECT_TRUE(again->expected[1].wholeGrid);
  EXPECT_EQ(*again->expected[1].projection, *d.expected[1].projection);
  EXPECT_FALSE(again->expected[0].wholeGrid);
  auto error = [&](const ExpectedDesc &e) {
    LaunchDescription bad = sample();
    bad.expected = {e};
    auto read = LaunchDescription::fromJson(bad.toJson());
    return read ? "no error" : read.error().message;
  };
  EXPECT_EQ(error({1, true, 96, 2, 1, 0, true, Projection{{true}, 8, 5}}),
            "expected[0].projection: expected a whole floating-point output");
  EXPECT_EQ(error({1, false, 96, 2, 1, 0, true, Projection{{true}, 0, 5}}),
            "expected[0].projection.group: 0 is out of range, expected 1 to "
            "281474976710656");
  EXPECT_NE(
      error({1, false, 96, 2, 1, 0, true, Projection{{true, false}, 8, 5}}),
      "no error");
}

TEST(LaunchDescription, SizesCannotOverflow) {
  EXPECT_EQ(errorWith("16,\n        32", "3000000000,3000000000"),
            "buffers[0].shape: more than 4398046511104 bytes");
  // Zero does not hide an overflow of the rest.
  EXPECT_EQ(errorWith("16,\n        32", "0,3000000000,3000000000"),
            "buffers[0].shape: more than 4398046511104 bytes");
  EXPECT_EQ(errorWith("16,\n        32", "-1"),
            "buffers[0].shape[0]: -1 is out of range, expected 0 to "
            "4398046511104");
  EXPECT_EQ(errorWith("16,\n        32", "99999999999999999999"),
            "buffers[0].shape[0]: expected an integer, found 1e+20");
}

TEST(LaunchDescription, FilesStayBelowTheFolder) {
  for (const char *name : {"/etc/passwd", "../x", "a/../../x", "..", "a/.."})
    EXPECT_EQ(errorWith("kernel.ptx", name),
              std::string("ptx_file: `") + name +
                  "`, expected a path relative to the description and below "
                  "its folder");
}

TEST(LaunchDescription, SampleBlocksLieInTheGrid) {
  EXPECT_EQ(errorWith("[\n      3,", "[\n      4,"),
            "sample_blocks[1][0]: 4 is out of range, expected 0 to 3");
}

TEST(LaunchDescription, Garbage) {
  for (const char *text : {"", "{", "[]", "null", "3", "\"x\"", "{}",
                           "{\"schema\": 1, \"buffers\": {}}"})
    EXPECT_FALSE(LaunchDescription::fromJson(text)) << text;
  std::string deep(1000, '[');
  EXPECT_FALSE(LaunchDescription::fromJson(deep));
}
