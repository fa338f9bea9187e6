//===- CudaHeaderTest.cpp - our declarations against NVIDIA's -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled only where `cuda.h` is found. Everything here is checked while
// compiling; the test itself reports which version it was checked against.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Driver/CudaApi.h"

// Before `cuda.h`, whose macros rename what has a version suffix.
#define HWTUNE_OURS(need, name, symbol, params)                                \
  using OurTypeOf_##symbol = decltype(hwtune::cuda::Functions::name);
HWTUNE_CUDA_FUNCTIONS(HWTUNE_OURS)

#include <cuda.h>
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

using namespace hwtune;

#define HWTUNE_SAME_VALUE(ours, theirs, value)                                 \
  static_assert(static_cast<int>(theirs) == value, #theirs);
HWTUNE_CUDA_RESULTS(HWTUNE_SAME_VALUE)
HWTUNE_CUDA_DEVICE_ATTRIBUTES(HWTUNE_SAME_VALUE)
HWTUNE_CUDA_FUNCTION_ATTRIBUTES(HWTUNE_SAME_VALUE)
HWTUNE_CUDA_JIT_OPTIONS(HWTUNE_SAME_VALUE)
HWTUNE_CUDA_FLAGS(HWTUNE_SAME_VALUE)

static_assert(sizeof(cuda::Uuid) == sizeof(CUuuid));
static_assert(std::is_same_v<cuda::Device, CUdevice>);
static_assert(std::is_same_v<cuda::DevicePtr, CUdeviceptr>);

namespace {

/// NVIDIA's type as ours: enumerations and handles by what they stand for.
template <typename T> struct Ours {
  using type = T;
};
template <typename T> struct Ours<T *> {
  using type = typename Ours<T>::type *;
};
template <typename T> struct Ours<const T> {
  using type = const typename Ours<T>::type;
};
template <> struct Ours<CUresult> {
  using type = cuda::Result;
};
template <> struct Ours<CUcontext> {
  using type = cuda::Context;
};
template <> struct Ours<CUmodule> {
  using type = cuda::Module;
};
template <> struct Ours<CUfunction> {
  using type = cuda::Function;
};
template <> struct Ours<CUstream> {
  using type = cuda::Stream;
};
template <> struct Ours<CUevent> {
  using type = cuda::Event;
};
template <> struct Ours<CUuuid> {
  using type = cuda::Uuid;
};
template <> struct Ours<CUdevice_attribute> {
  using type = cuda::DeviceAttribute;
};
template <> struct Ours<CUfunction_attribute> {
  using type = cuda::FunctionAttribute;
};
template <> struct Ours<CUjit_option> {
  using type = cuda::JitOption;
};
template <typename R, typename... Args> struct Ours<R (*)(Args...)> {
  using type = typename Ours<R>::type (*)(typename Ours<Args>::type...);
};

} // namespace

#define HWTUNE_SAME_SIGNATURE(need, name, symbol, params)                      \
  static_assert(                                                               \
      std::is_same_v<OurTypeOf_##symbol, Ours<decltype(&::symbol)>::type>,     \
      "signature of " #symbol);
HWTUNE_CUDA_FUNCTIONS(HWTUNE_SAME_SIGNATURE)

TEST(CudaHeader, DeclarationsAgree) {
  RecordProperty("cuda_version", CUDA_VERSION);
  SUCCEED() << "compared with cuda.h of CUDA " << CUDA_VERSION;
}

// The versioned symbol must be the one the header maps the name to. Two names
// are exempt: later headers map `cuEventElapsedTime` to a `_v2` with the same
// parameters, which drivers before CUDA 12.8 do not export.
#define HWTUNE_STRING2(x) #x
#define HWTUNE_STRING(x) HWTUNE_STRING2(x)
TEST(CudaHeader, SymbolsAreTheOnesTheHeaderCalls) {
#define HWTUNE_SAME_SYMBOL(need, name, symbol, params)                         \
  if (std::string(#symbol) != "cuEventElapsedTime")                            \
    EXPECT_STREQ(HWTUNE_STRING(name), #symbol);
  HWTUNE_CUDA_FUNCTIONS(HWTUNE_SAME_SYMBOL)
}
