//===- StreamTest.cpp - what streams and events answer --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
using StreamTest = CudaTest;

TEST_F(StreamTest, StreamsSayWhatTheyAre) {
  Stream s = nullptr;
  EXPECT_CUDA(Success, driver().cuStreamCreate(&s, cuda::kStreamNonBlocking));
  unsigned flags = 9;
  EXPECT_CUDA(Success, invoke("cuStreamGetFlags", s, &flags));
  EXPECT_EQ(flags, unsigned(cuda::kStreamNonBlocking));
  Context owner = nullptr;
  EXPECT_CUDA(Success, invoke("cuStreamGetCtx", s, &owner));
  EXPECT_EQ(owner, context);
  Device device = 9;
  EXPECT_CUDA(Success, invoke("cuStreamGetDevice", s, &device));
  EXPECT_EQ(device, 0);
  Stream other = nullptr;
  unsigned long long id = 0, otherId = 0;
  EXPECT_CUDA(Success, driver().cuStreamCreate(&other, 0));
  EXPECT_CUDA(Success, invoke("cuStreamGetId", s, &id));
  EXPECT_CUDA(Success, invoke("cuStreamGetId", other, &otherId));
  EXPECT_NE(id, otherId);
  EXPECT_CUDA(Success, invoke("cuStreamQuery", s));
  EXPECT_CUDA(Success, driver().cuStreamDestroy(s));
  EXPECT_CUDA(InvalidHandle, invoke("cuStreamQuery", s));
  EXPECT_CUDA(InvalidHandle, invoke("cuStreamGetCtx", s, &owner));
  EXPECT_CUDA(InvalidHandle, invoke("cuStreamGetFlags", s, &flags));
}

/// Hints: checked and forgotten.
TEST_F(StreamTest, AttributesAreHints) {
  Stream s = nullptr;
  EXPECT_CUDA(Success, driver().cuStreamCreate(&s, 0));
  char value[64] = {};
  const void *given = value;
  constexpr int kAccessPolicyWindow = 1;
  EXPECT_CUDA(Success,
              invoke("cuStreamSetAttribute", s, kAccessPolicyWindow, given));
  EXPECT_CUDA(InvalidValue, invoke("cuStreamSetAttribute", s, 0, given));
}

TEST_F(StreamTest, EventsAreRecordedWithFlags) {
  Event event = nullptr;
  constexpr unsigned kExternal = 1;
  EXPECT_CUDA(Success, driver().cuEventCreate(&event, 0));
  EXPECT_CUDA(Success, invoke("cuEventRecordWithFlags", event, Stream(nullptr),
                              kExternal));
  EXPECT_CUDA(Success, invoke("cuEventQuery", event));
  EXPECT_CUDA(InvalidValue,
              invoke("cuEventRecordWithFlags", event, Stream(nullptr), 2u));
}

TEST_F(StreamTest, OccupancyWithFlags) {
  Function f = function(load(kVectorAdd), "vector_add");
  constexpr unsigned kNoCachingOverride = 1;
  int plain = 0, flagged = 0, blocks = 0, size = 0;
  EXPECT_CUDA(Success, invoke("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                              &plain, f, 256, size_t(0)));
  EXPECT_CUDA(Success,
              invoke("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                     &flagged, f, 256, size_t(0), kNoCachingOverride));
  EXPECT_EQ(plain, flagged);
  EXPECT_CUDA(InvalidValue,
              invoke("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                     &flagged, f, 256, size_t(0), 2u));
  EXPECT_CUDA(Success,
              invoke("cuOccupancyMaxPotentialBlockSizeWithFlags", &blocks,
                     &size, f, nullptr, size_t(0), 100, kNoCachingOverride));
  EXPECT_LE(size, 100);
  EXPECT_GT(blocks, 0);
  // With what is left of shared memory, that many blocks still fit, and with
  // one byte more one fewer.
  size_t left = 0;
  EXPECT_CUDA(Success, invoke("cuOccupancyAvailableDynamicSMemPerBlock", &left,
                              f, 3, 256));
  auto fits = [&](size_t shared) {
    int count = 0;
    EXPECT_CUDA(Success, invoke("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                &count, f, 256, shared));
    return count;
  };
  EXPECT_GE(fits(left), 3);
  EXPECT_LT(fits(left + 1), 3);
}
} // namespace
