//===- NotSupportedTest.cpp - functions that exist and do nothing ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
using NotSupportedTest = CudaTest;

const char *const kNames[] = {
#define HWTUNE_NOT_SUPPORTED(symbol) #symbol,
#include "../../../../lib/Simulator/Cuda/NotSupported.def"
};

/// Whatever they are called with; the context stays healthy.
TEST_F(NotSupportedTest, EveryOneAnswersSo) {
  EXPECT_GT(std::size(kNames), 300u);
  void *nowhere = reinterpret_cast<void *>(uintptr_t(0x10));
  for (const char *name : kNames)
    for (void *p : {static_cast<void *>(nullptr), nowhere})
      EXPECT_STREQ(cuda::resultName(invoke(name, p, p, p, p, p, p, p, p, p, p)),
                   "CUDA_ERROR_NOT_SUPPORTED")
          << name;
  EXPECT_CUDA(Success, driver().cuCtxSynchronize());
}
} // namespace
