//===- SimRunTest.cpp - hwtune-run on the simulated device ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Real kernels, executed: a right one passes, and each way of being wrong has
// its status.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/ChildRun.h"
#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/File.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <unistd.h>

using namespace hwtune;

namespace {

constexpr int64_t kElements = 1000; // no multiple of the block

/// C[i] = A[i] + 1; `body` stands before the store, with the element's address
/// in %rd7 and the result in %f2.
std::string addOne(const std::string &body) {
  return R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 A, .param .u64 C, .param .u64 N)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [A];
  ld.param.u64 %rd2, [C];
  ld.param.u64 %rd3, [N];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %rd4, %r4;
  setp.ge.u64 %p1, %rd4, %rd3;
  @%p1 bra DONE;
  shl.b64 %rd5, %rd4, 2;
  add.s64 %rd6, %rd1, %rd5;
  add.s64 %rd7, %rd2, %rd5;
  ld.global.f32 %f1, [%rd6];
  add.rn.f32 %f2, %f1, 0f3F800000;
)" + body +
         R"(
  st.global.f32 [%rd7], %f2;
DONE:
  ret;
}
)";
}

class SimRunTest : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() +
             fmt::format(
                 "hwtune-sim-{}-{}", getpid(),
                 testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
    launch.target = "a100-sxm4-80gb";
    launch.arch = "sm_80";
    launch.ptxFile = "kernel.ptx";
    launch.expectedFile = "expected.bin";
    launch.buffers = {{"A", ElementType::F32, {kElements}, false, false, 5},
                      {"C", ElementType::F32, {kElements}, true, false, 0}};
    KernelDesc k;
    k.entry = "kernel";
    k.block = {128, 1, 1};
    k.grid = {(kElements + 127) / 128, 1, 1};
    k.args.resize(3);
    k.args[1].buffer = 1;
    k.args[2].kind = ArgDesc::Kind::Scalar;
    k.args[2].scalar = kElements;
    launch.kernels = {k};
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Expects A + 1 at `indices` (all elements where there are none).
  void expectSum(std::vector<uint64_t> indices = {}) {
    ExpectedValues e;
    e.indices = std::move(indices);
    uint64_t count =
        e.indices.empty() ? static_cast<uint64_t>(kElements) : e.indices.size();
    for (uint64_t i = 0; i < count; ++i) {
      double a = generatedValue(5, e.indices.empty() ? i : e.indices[i],
                                ElementType::F32);
      e.values.push_back(a + 1);
      e.bounds.push_back(std::fabs(a) + 1);
    }
    std::string file;
    ExpectedDesc desc;
    desc.buffer = 1;
    desc.relative = 0x1p-23;
    appendExpected(file, e, desc);
    launch.expected = {desc};
    ASSERT_TRUE(bool(writeFileAtomically(folder + "/expected.bin", file)));
  }

  RunOutcome run(const std::string &ptx, std::vector<std::string> options = {},
                 double limit = 60) {
    EXPECT_TRUE(bool(writeFileAtomically(folder + "/kernel.ptx", ptx)));
    EXPECT_TRUE(
        bool(writeFileAtomically(folder + "/launch.json", launch.toJson())));
    ChildRunRequest r;
    r.program = HWTUNE_RUN;
    r.device = "sim:a100-sxm4-80gb";
    r.launchFile = folder + "/launch.json";
    r.limitSeconds = limit;
    r.options = std::move(options); // the driver is found in ../lib
    return runInChild(r);
  }

  std::string folder;
  LaunchDescription launch;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(SimRunTest, RightKernel) {
  expectSum();
  RunOutcome o = run(addOne(""));
  ASSERT_TRUE(o.ok()) << o.reason;
  EXPECT_EQ(o.label, "simulated");
  EXPECT_EQ(o.target, "a100-sxm4-80gb");
  ASSERT_TRUE(o.verify && o.timing);
  EXPECT_EQ(o.verify->checked, kElements);
  EXPECT_TRUE(o.verify->complete);
  EXPECT_GT(o.timing->median, 0);
  // One seed, one result.
  EXPECT_EQ(run(addOne("")).timing->median, o.timing->median);
}

TEST_F(SimRunTest, WrongKernel) {
  expectSum();
  // Element 777 alone is off by 2^-10.
  RunOutcome o = run(addOne(R"(
  setp.eq.u64 %p2, %rd4, 777;
  @%p2 add.rn.f32 %f2, %f2, 0f3A800000;)"));
  EXPECT_EQ(o.status, RunStatus::Wrong);
  EXPECT_TRUE(contains(o.reason, "element 777 of `C`: got ")) << o.reason;
  EXPECT_TRUE(contains(o.reason, "(1 of 1000 elements are wrong)")) << o.reason;
  EXPECT_FALSE(o.timing) << "a wrong candidate has no time";
}

TEST_F(SimRunTest, TailLeftOut) {
  expectSum();
  launch.kernels[0].grid[0] -= 1;
  RunOutcome o = run(addOne(""));
  EXPECT_EQ(o.status, RunStatus::Wrong);
  EXPECT_TRUE(contains(o.reason, "element 896 of `C`: never written"))
      << o.reason;
}

TEST_F(SimRunTest, SampleOfBlocks) {
  // Blocks 0 and 7 write elements 0..127 and 896..999; the others are not run.
  launch.sampleBlocks = {{0, 0, 0}, {7, 0, 0}};
  expectSum({0, 127, 896, 999});
  RunOutcome o = run(addOne(""), {"--check-only"});
  EXPECT_TRUE(o.ok()) << o.reason;
  ASSERT_TRUE(o.verify);
  EXPECT_EQ(o.verify->checked, 4);
  EXPECT_FALSE(o.verify->complete);
  expectSum({0, 128});
  o = run(addOne(""), {"--check-only"});
  EXPECT_EQ(o.status, RunStatus::Wrong);
  EXPECT_TRUE(contains(o.reason, "element 128 of `C`: never written"))
      << o.reason;
}

TEST_F(SimRunTest, OutOfBounds) {
  expectSum();
  RunOutcome o = run(addOne("  add.s64 %rd7, %rd7, 1048576;"));
  EXPECT_EQ(o.status, RunStatus::Sticky) << o.reason;
  EXPECT_TRUE(contains(o.reason, "CUDA_ERROR_ILLEGAL_ADDRESS")) << o.reason;
}

TEST_F(SimRunTest, EndlessLoop) {
  expectSum();
  RunOutcome o = run(addOne("AGAIN:\n  bra AGAIN;"), {}, 2);
  EXPECT_EQ(o.status, RunStatus::RunTimeout) << o.reason;
}

TEST_F(SimRunTest, BadPtx) {
  expectSum();
  RunOutcome o = run(addOne("  frobnicate.f32 %f2, %f1;"));
  EXPECT_EQ(o.status, RunStatus::Compile);
  EXPECT_TRUE(contains(o.reason, "frobnicate")) << o.reason;
}

TEST_F(SimRunTest, MissingKernel) {
  expectSum();
  launch.kernels[0].entry = "other";
  RunOutcome o = run(addOne(""));
  EXPECT_EQ(o.status, RunStatus::Compile);
  EXPECT_EQ(o.reason, "the module has no kernel `other`");
}

// An output whose initial value is read is an input too, and restored.
TEST_F(SimRunTest, AccumulatingOutput) {
  launch.buffers[1].readsInit = true;
  launch.buffers[1].seed = 9;
  ExpectedValues e;
  for (uint64_t i = 0; i < kElements; ++i) {
    double a = generatedValue(5, i, ElementType::F32);
    double c = generatedValue(9, i, ElementType::F32);
    e.values.push_back(a + 1 + c);
    e.bounds.push_back(std::fabs(a) + 1 + std::fabs(c));
  }
  std::string file;
  ExpectedDesc desc;
  desc.buffer = 1;
  desc.relative = 0x1p-22;
  appendExpected(file, e, desc);
  launch.expected = {desc};
  ASSERT_TRUE(bool(writeFileAtomically(folder + "/expected.bin", file)));
  RunOutcome o = run(addOne("  ld.global.f32 %f1, [%rd7];\n"
                            "  add.rn.f32 %f2, %f2, %f1;"));
  EXPECT_TRUE(o.ok()) << o.reason;
}
