//===- Device.h - the devices that `device=` can name -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_DEVICE_H
#define HWTUNE_MEASURE_DEVICE_H

#include "hwtune/Driver/DriverTable.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include <memory>
#include <string>
#include <string_view>

namespace hwtune {

/// `cuda:N`, `sim:<target id or file>`, `replay:<file>`, `model`, or the path
/// of a driver library.
struct DeviceName {
  enum class Kind { Cuda, Sim, Replay, Model, Library } kind = Kind::Model;
  int ordinal = 0;      ///< of cuda
  std::string argument; ///< target of sim, file of replay, path of a library

  /// Can run kernels (the others only give times).
  bool runs() const { return kind != Kind::Replay && kind != Kind::Model; }
  std::string str() const;
};
Expected<DeviceName> parseDeviceName(std::string_view text);

/// Name of the simulated driver's library.
inline constexpr const char *kSimLibrary = "libhwtune-simcuda.so";
/// Entry by which other driver libraries of ours are configured.
inline constexpr const char *kDriverConfigureSymbol = "hwtuneDriverConfigure";

struct OpenDevice {
  std::unique_ptr<DriverTable> driver;
  int ordinal = 0;
  TargetSpec spec;
  std::string name, uuid;
  int driverVersion = 0;
};

struct OpenOptions {
  /// Path of the simulated driver; "" = beside this program or library (see
  /// `findTool`).
  std::string simLibrary;
  /// Text for `hwtuneDriverConfigure` of a library that has it.
  std::string driverConfig;
  /// Out-of-bounds, race and uninitialised-read checks of a simulated device.
  bool simChecks = true;
};

/// Loads the driver and reads the device. Errors: see `DriverTable::load` and
/// `readLiveDevice`; a target that cannot run PTX; a kind that runs nothing.
Expected<OpenDevice> openDevice(const DeviceName &name,
                                const OpenOptions &options);

/// `name` beside the program or library this code is part of, in its folder,
/// `../bin` or `../lib`; only in `folder` where that is given. The error lists
/// the places.
Expected<std::string> findTool(const std::string &name,
                               const std::string &folder = {});

} // namespace hwtune

#endif // HWTUNE_MEASURE_DEVICE_H
