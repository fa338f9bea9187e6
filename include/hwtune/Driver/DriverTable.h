//===- DriverTable.h - function table of a CUDA driver ----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU is whatever answers the CUDA driver API. The table is filled by
// `dlopen`: with the vendor's library, the simulated one, or one that injects
// faults. Nothing above this header knows which it has, apart from its label.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_DRIVER_DRIVERTABLE_H
#define HWTUNE_DRIVER_DRIVERTABLE_H

#include "hwtune/Driver/CudaApi.h"
#include "hwtune/Support/Expected.h"

#include <memory>
#include <string>

namespace hwtune {

/// Where times come from, in rising order of trust.
enum class DriverKind {
  Simulated, ///< exports `hwtuneSimConfigure`
  Real,      ///< every other library
};

struct DriverTable : cuda::Functions {
  /// Null with a real driver.
  cuda::SimConfigureFn simConfigure = nullptr;

  /// The library as given to `load`.
  std::string path;
  DriverKind kind() const {
    return simConfigure ? DriverKind::Simulated : DriverKind::Real;
  }

  /// Opens `path` ("" = "libcuda.so.1") and looks every function up. Errors:
  /// the library cannot be opened (with the loader's words), or it lacks a
  /// required symbol (named). Optional functions may stay null. The library is
  /// never unloaded: the vendor's keeps threads and exit handlers and crashes
  /// at exit if it is.
  static Expected<std::unique_ptr<DriverTable>> load(const std::string &path);

  /// "CUDA_ERROR_OUT_OF_MEMORY: out of memory", in the driver's own words.
  std::string describe(cuda::Result result) const;

  /// Success, or an error "`call` failed: <describe>".
  Status check(cuda::Result result, const char *call) const;

  /// Any other symbol of the same library, or null.
  void *symbol(const char *name) const;

  DriverTable() = default;
  DriverTable(const DriverTable &) = delete;
  DriverTable &operator=(const DriverTable &) = delete;

private:
  void *library = nullptr;
};

} // namespace hwtune

#endif // HWTUNE_DRIVER_DRIVERTABLE_H
