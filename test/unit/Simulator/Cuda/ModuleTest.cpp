//===- ModuleTest.cpp - modules, functions, libraries ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
using Library = void *;
using Kernel = void *;

/// `give` stores the initial value of `state` and of its own constant, and
/// `bump` adds `step` to `state`: the names are the same in every module.
std::string moduleOf(int state, int step) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 state = )" +
         std::to_string(state) + R"(;
.func (.reg .b32 %r) step() { mov.u32 %r, )" +
         std::to_string(step) + R"(; ret; }
.visible .entry bump(.param .u64 out, .param .u32 times, .param .u8 last)
{
  .reg .b32 %r<4>; .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.param.u32 %r3, [times];
  call.uni (%r0), step, ();
  mul.lo.u32 %r0, %r0, %r3;
  ld.global.u32 %r1, [state];
  add.u32 %r1, %r1, %r0;
  st.global.u32 [state], %r1;
  st.global.u32 [%rd], %r1;
  ret;
})";
}

struct ModuleTest : CudaTest {
  unsigned bump(Function f, unsigned times) {
    DevicePtr out = upload({0});
    unsigned char last = 0;
    EXPECT_CUDA(Success, launch(f, 1, 1, {&out, &times, &last}));
    unsigned value = 0;
    EXPECT_CUDA(Success, driver().cuMemcpyDtoH(&value, out, 4));
    return value;
  }
};

/// Two modules with equal names at once: each has its own functions and
/// globals, and unloading one leaves the other.
TEST_F(ModuleTest, EqualNamesInTwoModulesAreApart) {
  Module first = load(moduleOf(10, 1).c_str()),
         second = load(moduleOf(1000, 100).c_str());
  Function one = function(first, "bump"), two = function(second, "bump");
  EXPECT_EQ(bump(one, 1), 11u);
  EXPECT_EQ(bump(two, 1), 1100u);
  EXPECT_EQ(bump(one, 2), 13u);
  DevicePtr a = 0, b = 0;
  size_t bytes = 0;
  EXPECT_CUDA(Success, driver().cuModuleGetGlobal(&a, &bytes, first, "state"));
  EXPECT_CUDA(Success, driver().cuModuleGetGlobal(&b, &bytes, second, "state"));
  EXPECT_NE(a, b);
  EXPECT_EQ(bytes, 4u);
  EXPECT_CUDA(Success, driver().cuModuleUnload(first));
  EXPECT_EQ(bump(two, 3), 1400u);
  unsigned times = 1;
  EXPECT_CUDA(InvalidHandle, launch(one, 1, 1, {&a, &times, &times}));
}

TEST_F(ModuleTest, FunctionsSayWhatTheyAre) {
  Module module = nullptr, owner = nullptr;
  EXPECT_CUDA(Success, invoke("cuModuleLoadFatBinary", &module,
                              static_cast<const void *>(kVectorAdd)));
  unsigned count = 0;
  EXPECT_CUDA(Success, invoke("cuModuleGetFunctionCount", &count, module));
  EXPECT_EQ(count, 7u);
  Function add = function(module, "vector_add");
  EXPECT_CUDA(Success, invoke("cuFuncGetModule", &owner, add));
  EXPECT_EQ(owner, module);
  const char *name = nullptr;
  EXPECT_CUDA(Success, invoke("cuFuncGetName", &name, add));
  EXPECT_STREQ(name, "vector_add");
  int loaded = 0, mode = 0;
  EXPECT_CUDA(Success, invoke("cuFuncLoad", add));
  EXPECT_CUDA(Success, invoke("cuFuncIsLoaded", &loaded, add));
  EXPECT_EQ(loaded, 1);
  EXPECT_CUDA(Success, invoke("cuModuleGetLoadingMode", &mode));
  EXPECT_EQ(mode, 1); // eager
  EXPECT_CUDA(InvalidHandle, invoke("cuFuncLoad", Function(nullptr)));
}

/// (u64, u32, u8): offsets 0, 8, 12.
TEST_F(ModuleTest, ParametersHaveTheirOffsets) {
  Function f = function(load(moduleOf(1, 1).c_str()), "bump");
  size_t offset = 9, bytes = 9;
  for (auto [index, at, size] :
       {std::array<size_t, 3>{0, 0, 8}, {1, 8, 4}, {2, 12, 1}}) {
    EXPECT_CUDA(Success,
                invoke("cuFuncGetParamInfo", f, index, &offset, &bytes));
    EXPECT_EQ(offset, at);
    EXPECT_EQ(bytes, size);
  }
  EXPECT_CUDA(InvalidValue,
              invoke("cuFuncGetParamInfo", f, size_t(3), &offset, &bytes));
}

/// A buffer for all parameters has to hold them all; padding may follow.
TEST_F(ModuleTest, ParametersInABufferAreAllThere) {
  Function f = function(load(moduleOf(1, 1).c_str()), "bump");
  struct {
    DevicePtr out;
    unsigned times;
    unsigned char last;
  } block{upload({0}), 5, 0};
  static_assert(sizeof block == 16);
  auto launchWith = [&](size_t bytes) {
    void *extra[] = {reinterpret_cast<void *>(1), &block,
                     reinterpret_cast<void *>(2), &bytes, nullptr};
    return driver().cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                                   extra);
  };
  EXPECT_CUDA(Success, launchWith(13));
  EXPECT_CUDA(Success, launchWith(sizeof block));
  EXPECT_CUDA(InvalidValue, launchWith(12));
  EXPECT_CUDA(InvalidValue, launchWith(3));
  EXPECT_CUDA(InvalidValue, launchWith(1000));
  unsigned value = 0;
  EXPECT_CUDA(Success, driver().cuMemcpyDtoH(&value, block.out, 4));
  EXPECT_EQ(value, 11u);
}

TEST_F(ModuleTest, FunctionsOfAnotherContextAreRefused) {
  Function mine = function(load(kVectorAdd), "forever");
  Context other = nullptr;
  EXPECT_CUDA(Success, invoke("cuCtxCreate_v2", &other, 0u, Device(0)));
  EXPECT_CUDA(InvalidHandle, launch(mine, 1, 1, {}));
  EXPECT_CUDA(Success, invoke("cuCtxDestroy_v2", other));
}

/// A library belongs to no context, so its kernels run in any.
TEST_F(ModuleTest, LibrariesServeEveryContext) {
  Library library = nullptr;
  Kernel kernel = nullptr;
  std::string text = moduleOf(7, 2);
  EXPECT_CUDA(Success, invoke("cuLibraryLoadData", &library,
                              static_cast<const void *>(text.c_str()), nullptr,
                              nullptr, 0u, nullptr, nullptr, 0u));
  EXPECT_CUDA(Success, invoke("cuLibraryGetKernel", &kernel, library, "bump"));
  const char *name = nullptr;
  EXPECT_CUDA(Success, invoke("cuKernelGetName", &name, kernel));
  EXPECT_STREQ(name, "bump");
  size_t offset = 0, bytes = 0;
  EXPECT_CUDA(Success, invoke("cuKernelGetParamInfo", kernel, size_t(1),
                              &offset, &bytes));
  EXPECT_EQ(offset, 8u);
  constexpr int kMaxThreads = 0, kMaxDynamicShared = 8;
  int value = 0;
  EXPECT_CUDA(Success, invoke("cuKernelGetAttribute", &value, kMaxThreads,
                              kernel, Device(0)));
  EXPECT_EQ(value, 1024);
  EXPECT_CUDA(Success, invoke("cuKernelSetAttribute", kMaxDynamicShared, 60000,
                              kernel, Device(0)));
  EXPECT_CUDA(Success, invoke("cuKernelGetAttribute", &value, kMaxDynamicShared,
                              kernel, Device(0)));
  EXPECT_EQ(value, 60000);
  EXPECT_CUDA(InvalidDevice, invoke("cuKernelGetAttribute", &value, kMaxThreads,
                                    kernel, Device(1)));
  Module module = nullptr;
  Function f = nullptr;
  DevicePtr state = 0;
  EXPECT_CUDA(Success, invoke("cuLibraryGetModule", &module, library));
  EXPECT_CUDA(Success,
              invoke("cuLibraryGetGlobal", &state, &bytes, library, "state"));
  EXPECT_EQ(bytes, 4u);
  Context other = nullptr;
  EXPECT_CUDA(Success, invoke("cuCtxCreate_v2", &other, 0u, Device(0)));
  EXPECT_CUDA(Success, invoke("cuKernelGetFunction", &f, kernel));
  EXPECT_EQ(bump(f, 1), 9u);
  EXPECT_CUDA(Success, invoke("cuCtxDestroy_v2", other));
  EXPECT_EQ(bump(f, 1), 11u);
  EXPECT_CUDA(Success, invoke("cuLibraryUnload", library));
  EXPECT_CUDA(InvalidHandle, invoke("cuLibraryGetModule", &module, library));
  EXPECT_CUDA(InvalidHandle, invoke("cuKernelGetFunction", &f, kernel));
}
} // namespace
