//===- CudaTest.cpp - a program of the driver API -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

void CudaTest::SetUp() {
  ASSERT_NE(driver().cuInit, nullptr);
  ASSERT_EQ(driver().cuInit(0), Result::Success);
  auto *create = entry<Result(Context *, unsigned, Device)>("cuCtxCreate_v2");
  ASSERT_EQ(create(&context, 0, 0), Result::Success);
}

void CudaTest::TearDown() {
  auto *destroy = entry<Result(Context)>("cuCtxDestroy_v2");
  EXPECT_EQ(destroy(context), Result::Success);
}

Module CudaTest::load(const char *ptx) {
  Module module = nullptr;
  EXPECT_CUDA(Success, driver().cuModuleLoadData(&module, ptx));
  return module;
}

Function CudaTest::function(Module module, const char *name) {
  Function function = nullptr;
  EXPECT_CUDA(Success, driver().cuModuleGetFunction(&function, module, name));
  return function;
}

DevicePtr CudaTest::upload(const std::vector<float> &values) {
  DevicePtr to = 0;
  EXPECT_CUDA(Success, driver().cuMemAlloc(&to, values.size() * 4));
  EXPECT_CUDA(Success,
              driver().cuMemcpyHtoD(to, values.data(), values.size() * 4));
  return to;
}

std::vector<float> CudaTest::download(DevicePtr from, size_t count) {
  std::vector<float> values(count, -1);
  EXPECT_CUDA(Success, driver().cuMemcpyDtoH(values.data(), from, count * 4));
  return values;
}

Result CudaTest::launch(Function f, unsigned blocks, unsigned threads,
                        std::vector<void *> params, unsigned shared,
                        Stream stream) {
  return driver().cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, stream,
                                 params.data(), nullptr);
}
