//===- Image.h - PTX out of what cuModuleLoad is given ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_CUDA_IMAGE_H
#define HWTUNE_LIB_SIMULATOR_CUDA_IMAGE_H

#include "hwtune/Driver/CudaApi.h"

#include <string>

namespace hwtune::simcuda {

/// The PTX of an image, or the driver's error code with the reason.
struct ImageText {
  cuda::Result result = cuda::Result::Success;
  std::string text;    ///< the PTX
  std::string message; ///< where `result` is not Success
};

/// `image` is PTX text, a fat binary, or a wrapper that points to one. Of
/// several PTX texts the one for the highest architecture that `capability`
/// (10 * major + minor) runs is taken. `bytes` bounds the image where it is
/// known; 0: the image says (a text ends at its NUL).
ImageText ptxOfImage(const void *image, size_t bytes, int capability);

/// True if a module whose `.target` is `sm` with `suffix` ('a', 'f' or 0) runs
/// on a GPU of `capability`.
bool runsOn(unsigned sm, char suffix, int capability);

} // namespace hwtune::simcuda

#endif // HWTUNE_LIB_SIMULATOR_CUDA_IMAGE_H
