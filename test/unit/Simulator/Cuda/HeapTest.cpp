//===- HeapTest.cpp - malloc and free in kernels, and their limits --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the CUDA C++ programming guide says of dynamic global memory: it lives
// as long as the context or until a kernel frees it; the heap has 8 MB unless
// CU_LIMIT_MALLOC_HEAP_SIZE was set before its first use; a malloc that it has
// no room for gives null.
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {

constexpr int kStackLimit = 0, kHeapLimit = 2;

const char *const kHeapKernels = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry make(.param .u64 table, .param .u64 bytes)
{
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p;
  ld.param.u64 %rd0, [table]; ld.param.u64 %rd1, [bytes];
  mov.u32 %r0, %tid.x;
  { .param .b64 n; .param .b64 p; st.param.b64 [n], %rd1;
    call.uni (p), malloc, (n); ld.param.b64 %rd2, [p]; }
  mad.wide.u32 %rd3, %r0, 8, %rd0;
  st.global.u64 [%rd3], %rd2;
  setp.eq.u64 %p, %rd2, 0;
  @%p bra DONE;
  cvt.rn.f32.u32 %r1, %r0;
  st.b32 [%rd2], %r1;
DONE:
  ret;
}
.visible .entry use(.param .u64 table, .param .u64 out, .param .u32 frees)
{
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p;
  ld.param.u64 %rd0, [table]; ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [frees];
  mov.u32 %r0, %tid.x;
  mad.wide.u32 %rd2, %r0, 8, %rd0; ld.global.u64 %rd3, [%rd2];
  ld.b32 %r1, [%rd3];
  mad.wide.u32 %rd4, %r0, 4, %rd1; st.global.b32 [%rd4], %r1;
  setp.eq.u32 %p, %r2, 0;
  @%p bra DONE;
  { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }
DONE:
  ret;
}
)";

struct Heap : CudaTest {
  void SetUp() override {
    CudaTest::SetUp();
    Module module = load(kHeapKernels);
    make = function(module, "make");
    use = function(module, "use");
    table = upload(std::vector<float>(2 * kThreads));
    out = upload(std::vector<float>(kThreads));
  }
  Result setLimit(int limit, size_t value) {
    return entry<Result(int, size_t)>("cuCtxSetLimit")(limit, value);
  }
  /// `threads` mallocs of `bytes`; how many gave memory.
  size_t successes(unsigned threads, size_t bytes) {
    EXPECT_CUDA(Success, launch(make, 1, threads, {&table, &bytes}));
    std::vector<DevicePtr> pointers(threads);
    EXPECT_CUDA(Success, driver().cuMemcpyDtoH(pointers.data(), table,
                                               threads * sizeof(DevicePtr)));
    size_t count = 0;
    for (DevicePtr p : pointers) {
      EXPECT_EQ(p % 16, 0u);
      count += p != 0;
    }
    return count;
  }
  std::vector<float> read(unsigned threads, unsigned frees) {
    EXPECT_CUDA(Success, launch(use, 1, threads, {&table, &out, &frees}));
    return download(out, threads);
  }

  static constexpr unsigned kThreads = 64;
  Function make = nullptr, use = nullptr;
  DevicePtr table = 0, out = 0;
};

TEST_F(Heap, LivesAcrossLaunches) {
  EXPECT_EQ(successes(kThreads, 64), kThreads);
  std::vector<float> expected(kThreads);
  for (unsigned i = 0; i < kThreads; ++i)
    expected[i] = float(i);
  EXPECT_EQ(read(kThreads, 0), expected);
  EXPECT_EQ(read(kThreads, 1), expected);
  // Freed: the next read faults.
  unsigned frees = 0;
  EXPECT_CUDA(Success, launch(use, 1, 1, {&table, &out, &frees}));
  EXPECT_CUDA(IllegalAddress, driver().cuCtxSynchronize());
}

TEST_F(Heap, HasTheSizeThatWasSet) {
  constexpr size_t kMegabyte = 1 << 20;
  EXPECT_CUDA(Success, setLimit(kHeapLimit, 4 * kMegabyte));
  // Four blocks of 1 MiB fill it.
  EXPECT_EQ(successes(6, kMegabyte), 4u);
  EXPECT_EQ(successes(1, 16), 0u);
  EXPECT_CUDA(InvalidValue, setLimit(kHeapLimit, 64 * kMegabyte));
  size_t size = 0;
  EXPECT_CUDA(Success, (entry<Result(size_t *, int)>("cuCtxGetLimit")(
                           &size, kHeapLimit)));
  EXPECT_EQ(size, 4 * kMegabyte);
}

TEST_F(Heap, IsEightMegabytesByDefault) {
  constexpr size_t kMegabyte = 1 << 20;
  EXPECT_EQ(successes(2, 5 * kMegabyte), 1u);
  EXPECT_EQ(read(1, 1), std::vector<float>{0});
  EXPECT_EQ(successes(1, 8 * kMegabyte), 1u);
}

TEST_F(Heap, EndsWithItsContext) {
  // Of a size that nothing else has, so that its address is not given again.
  EXPECT_EQ(successes(1, 100'000), 1u);
  DevicePtr block = 0;
  EXPECT_CUDA(Success, driver().cuMemcpyDtoH(&block, table, sizeof(block)));
  CudaTest::TearDown();
  CudaTest::SetUp();
  use = function(load(kHeapKernels), "use");
  table = upload({0, 0});
  out = upload({0});
  EXPECT_CUDA(Success, driver().cuMemcpyHtoD(table, &block, sizeof(block)));
  unsigned frees = 0;
  EXPECT_CUDA(Success, launch(use, 1, 1, {&table, &out, &frees}));
  EXPECT_CUDA(IllegalAddress, driver().cuCtxSynchronize());
}

/// f(n) = n ? n + f(n - 1) : 0 needs 16 bytes a level at least; a stack of
/// 1 MiB is enough for 10,000 levels.
TEST_F(Heap, TheStackHasTheSizeThatWasSet) {
  Function deep = function(load(R"(.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 res) f(.param .b32 n) {
  .reg .pred %p; .reg .b32 %r<4>;
  ld.param.b32 %r0, [n];
  setp.ne.u32 %p, %r0, 0;
  @%p bra MORE;
  st.param.b32 [res], 0;
  ret;
MORE:
  sub.u32 %r1, %r0, 1;
  { .param .b32 a; .param .b32 g; st.param.b32 [a], %r1;
    call.uni (g), f, (a); ld.param.b32 %r2, [g]; }
  add.u32 %r2, %r2, %r0;
  st.param.b32 [res], %r2;
  ret;
}
.visible .entry deep(.param .u64 out, .param .u32 n) {
  .reg .b32 %r<3>; .reg .f32 %f; .reg .b64 %rd0;
  ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n];
  { .param .b32 a; .param .b32 g; st.param.b32 [a], %r0;
    call.uni (g), f, (a); ld.param.b32 %r1, [g]; }
  cvt.rn.f32.u32 %f, %r1;
  st.global.f32 [%rd0], %f;
  ret;
})"),
                           "deep");
  unsigned n = 10000;
  EXPECT_CUDA(Success, setLimit(kStackLimit, 1 << 20));
  EXPECT_CUDA(Success, launch(deep, 1, 1, {&out, &n}));
  EXPECT_EQ(download(out, 1)[0], 10000.f * 10001 / 2);
}

} // namespace
