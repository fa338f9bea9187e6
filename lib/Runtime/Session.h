//===- Session.h - the device behind the mgpu entry points ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_RUNTIME_SESSION_H
#define HWTUNE_LIB_RUNTIME_SESSION_H

#include "hwtune/Driver/DriverTable.h"

#include <string_view>

namespace hwtune::runtime {

/// Makes the device's primary context current while it lives. The first one
/// opens the driver: the vendor's if it has a device, else the simulated one
/// that stands beside this library.
class ScopedContext {
public:
  ScopedContext();
  ~ScopedContext();
  ScopedContext(const ScopedContext &) = delete;
  ScopedContext &operator=(const ScopedContext &) = delete;

  const DriverTable &driver() const { return table; }
  /// Prints the failure of `call`, with `detail`, and ends the process.
  void check(cuda::Result result, const char *call,
             std::string_view detail = "") const;
  [[noreturn]] static void fail(std::string_view message);

private:
  const DriverTable &table;
};

/// For the calls of this thread from now on.
void setDefaultDevice(int ordinal);

} // namespace hwtune::runtime

#endif // HWTUNE_LIB_RUNTIME_SESSION_H
