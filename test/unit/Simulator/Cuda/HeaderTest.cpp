//===- HeaderTest.cpp - comparison with NVIDIA's cuda.h -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built only where the header exists.
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Cuda/Types.h"

#include <cuda.h>

#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

using namespace hwtune::cuda;

namespace {
static_assert(sizeof(Memcpy2D) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(Memcpy2D, dstDevice) ==
              offsetof(CUDA_MEMCPY2D, dstDevice));
static_assert(offsetof(Memcpy2D, height) == offsetof(CUDA_MEMCPY2D, Height));
static_assert(sizeof(Memcpy3D) == sizeof(CUDA_MEMCPY3D));
static_assert(offsetof(Memcpy3D, srcPitch) ==
              offsetof(CUDA_MEMCPY3D, srcPitch));
static_assert(offsetof(Memcpy3D, dstDevice) ==
              offsetof(CUDA_MEMCPY3D, dstDevice));
static_assert(offsetof(Memcpy3D, depth) == offsetof(CUDA_MEMCPY3D, Depth));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(LaunchAttribute, value) ==
              offsetof(CUlaunchAttribute, value));
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, attributes) ==
              offsetof(CUlaunchConfig, attrs));
static_assert(kLaunchAttributeCooperative == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
static_assert(kLaunchAttributeClusterDimension ==
              CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
static_assert(sizeof(DeviceProperties) == sizeof(CUdevprop));
static_assert(unsigned(MemoryType::Unified) == CU_MEMORYTYPE_UNIFIED);

/// Every function that the header declares, under every name that its macros
/// map it to, is exported.
TEST(CudaHeader, EveryFunctionExists) {
  std::ifstream file(HWTUNE_TEST_CUDA_HEADER);
  std::stringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  std::set<std::string> names;
  auto collect = [&](const char *pattern) {
    std::regex regex(pattern);
    for (std::sregex_iterator it(text.begin(), text.end(), regex), end;
         it != end; ++it)
      names.insert((*it)[1]);
  };
  collect(R"(CUDAAPI\s+(cu\w+)\s*\()");
  collect(R"(#define\s+cu\w+\s+(cu\w+))");
  ASSERT_GT(names.size(), 400u);
  void *library = dlopen(HWTUNE_TEST_SIMCUDA, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const std::string &name : names)
    EXPECT_NE(dlsym(library, name.c_str()), nullptr) << name;
}

TEST(CudaHeader, EveryErrorHasItsName) {
  void *library = dlopen(HWTUNE_TEST_SIMCUDA, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  auto name = reinterpret_cast<CUresult (*)(CUresult, const char **)>(
      dlsym(library, "cuGetErrorName"));
  const char *words = nullptr;
#define CHECK(code)                                                            \
  EXPECT_EQ(name(code, &words), CUDA_SUCCESS);                                 \
  EXPECT_STREQ(words, #code);
  CHECK(CUDA_SUCCESS)
  CHECK(CUDA_ERROR_INVALID_VALUE)
  CHECK(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
  CHECK(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
  CHECK(CUDA_ERROR_NOT_SUPPORTED)
  CHECK(CUDA_ERROR_UNKNOWN)
#undef CHECK
}
} // namespace
