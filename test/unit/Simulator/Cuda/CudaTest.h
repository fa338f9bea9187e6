//===- CudaTest.h - a program of the driver API -----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests know the simulated driver only as any program does: by dlopen and
// the names of the driver API.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_SIMULATOR_CUDA_CUDATEST_H
#define HWTUNE_TEST_SIMULATOR_CUDA_CUDATEST_H

#include "hwtune/Driver/DriverTable.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hwtune {

/// c[i] = a[i] + b[i] for i < n, written by hand.
inline const char *const kVectorAdd = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 launches = 5;
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mul.wide.u32 %rd4, %r5, 4;
  add.u64 %rd1, %rd1, %rd4;
  add.u64 %rd2, %rd2, %rd4;
  add.u64 %rd3, %rd3, %rd4;
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [%rd2];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd3], %f3;
DONE:
  ret;
}
.visible .entry uses_shared(.param .u64 out)
{
  .extern .shared .align 16 .b8 dynamic[];
  .shared .align 4 .b8 fixed[1024];
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  mov.u32 %r1, %tid.x;
  st.shared.u32 [fixed], %r1;
  st.shared.u32 [dynamic], %r1;
  ld.param.u64 %rd1, [out];
  ld.shared.u32 %r2, [dynamic];
  st.global.u32 [%rd1], %r2;
  ret;
}
.visible .entry bounded(.param .u64 unused) .maxntid 64 { ret; }
.visible .entry store_null() { .reg .b64 %rd; mov.u64 %rd, 0; st.global.u32 [%rd], 1; ret; }
.visible .entry misaligned(.param .u64 out)
{ .reg .b64 %rd; ld.param.u64 %rd, [out]; st.global.u32 [%rd+2], 1; ret; }
.visible .entry traps() { trap; }
.visible .entry forever() { L: bra L; }
)";

/// The simulated driver, initialised on the default target.
inline DriverTable &driver() {
  static std::unique_ptr<DriverTable> table = [] {
    auto loaded = DriverTable::load(HWTUNE_TEST_SIMCUDA);
    if (!loaded) {
      ADD_FAILURE() << loaded.error().str();
      return std::make_unique<DriverTable>();
    }
    return std::move(*loaded);
  }();
  return *table;
}

/// Any exported function by its signature.
template <typename F> F *entry(const char *symbol) {
  void *found = driver().symbol(symbol);
  EXPECT_NE(found, nullptr) << symbol;
  return reinterpret_cast<F *>(found);
}

/// Calls an exported function. The arguments have to have its own types: 0 is
/// an `int`, a size is a `size_t`.
template <typename... Args>
cuda::Result invoke(const char *symbol, Args... arguments) {
  return entry<cuda::Result(Args...)>(symbol)(arguments...);
}

/// A context of its own for each test, so that no fault outlives it.
class CudaTest : public ::testing::Test {
protected:
  using Result = cuda::Result;
  void SetUp() override;
  void TearDown() override;

  cuda::Module load(const char *ptx);
  cuda::Function function(cuda::Module module, const char *name);
  cuda::DevicePtr upload(const std::vector<float> &values);
  std::vector<float> download(cuda::DevicePtr from, size_t count);
  Result launch(cuda::Function f, unsigned blocks, unsigned threads,
                std::vector<void *> params, unsigned shared = 0,
                cuda::Stream stream = nullptr);

  cuda::Context context = nullptr;
};

#define EXPECT_CUDA(code, call)                                                \
  EXPECT_STREQ(cuda::resultName(cuda::Result::code), cuda::resultName(call))   \
      << #call

} // namespace hwtune

#endif // HWTUNE_TEST_SIMULATOR_CUDA_CUDATEST_H
