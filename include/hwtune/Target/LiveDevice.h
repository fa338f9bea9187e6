//===- LiveDevice.h - a target description from a driver --------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TARGET_LIVEDEVICE_H
#define HWTUNE_TARGET_LIVEDEVICE_H

#include "hwtune/Driver/DriverTable.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include <string>

namespace hwtune {

struct LiveDevice {
  TargetSpec spec;
  std::string name;      ///< the driver's name of the device
  std::string uuid;      ///< "GPU-...", "" if the driver does not tell
  int driverVersion = 0; ///< 1000 * major + 10 * minor
  /// Entry of the table that the device is; "" where it is in none. Then what
  /// the driver does not tell is a proxy from a relative, if there is one.
  std::string knownId;
};

/// Reads device `ordinal`: what the driver tells, the rest from the table.
/// Initialises the driver, creates no context. Errors: no driver answer, no
/// such device (with the number there are), a device no description fits.
Expected<LiveDevice> readLiveDevice(const DriverTable &driver, int ordinal);

} // namespace hwtune

#endif // HWTUNE_TARGET_LIVEDEVICE_H
