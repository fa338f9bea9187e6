//===- Manifest.h - the kernels that a benchmark is given -------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_BENCHMARK_MANIFEST_H
#define HWTUNE_TEST_BENCHMARK_MANIFEST_H

#include "hwtune/Support/File.h"
#include "hwtune/Target/KnownTargets.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hwtune {

/// Both arguments of a program over a manifest, read.
struct MeasuredKernels {
  TargetSpec target;
  nlohmann::json kernels; ///< a list, one object for each
};

/// `target` is an id or a file, `path` a manifest of measured_kernels.py or
/// schedule_kernels.py.
inline Expected<MeasuredKernels> readManifest(const std::string &target,
                                              const std::string &path) {
  Expected<TargetSpec> spec = targetFromIdOrFile(target);
  if (!spec)
    return spec.error();
  Expected<std::string> text = readFile(path);
  if (!text)
    return text.error();
  nlohmann::json kernels = nlohmann::json::parse(*text, nullptr, false);
  if (!kernels.is_array())
    return Error{"expected a list of kernels", path};
  return MeasuredKernels{std::move(*spec), std::move(kernels)};
}

} // namespace hwtune

#endif // HWTUNE_TEST_BENCHMARK_MANIFEST_H
