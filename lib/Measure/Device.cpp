//===- Device.cpp ---------------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/Device.h"
#include "hwtune/Support/Json.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/LiveDevice.h"

#include <fmt/format.h>

#include <filesystem>

#include <dlfcn.h>

using namespace hwtune;

namespace {

constexpr std::string_view kCuda = "cuda:", kSim = "sim:", kReplay = "replay:",
                           kModel = "model";
constexpr int64_t kMaxOrdinal = 1023;

Error badName(std::string_view text, std::string_view expected) {
  return Error{fmt::format("device `{}`: {}", text, expected), ""};
}

Expected<OpenDevice> describeLive(OpenDevice open) {
  Expected<LiveDevice> live = readLiveDevice(*open.driver, open.ordinal);
  if (!live)
    return live.error();
  open.spec = live->spec;
  open.name = live->name;
  open.uuid = live->uuid;
  open.driverVersion = live->driverVersion;
  return open;
}

Expected<OpenDevice> openSimulated(const std::string &target,
                                   const OpenOptions &options) {
  Expected<TargetSpec> spec = targetFromIdOrFile(target);
  if (!spec)
    return spec.error();
  if (std::string why = whyNoPtx(*spec); !why.empty())
    return Error{why, ""};
  std::string path = options.simLibrary;
  if (path.empty()) {
    Expected<std::string> found = findTool(kSimLibrary);
    if (!found)
      return found.error();
    path = *found;
  }
  Expected<std::unique_ptr<DriverTable>> driver = DriverTable::load(path);
  if (!driver)
    return driver.error();
  OpenDevice open;
  open.driver = *std::move(driver);
  if (!open.driver->simConfigure)
    return Error{fmt::format("`{}` is no simulated driver: it lacks the symbol "
                             "`{}`",
                             path, cuda::kSimConfigureSymbol),
                 ""};
  Json config{
      {"target", target}, {"mode", "functional"}, {"check", options.simChecks}};
  if (const char *why = open.driver->simConfigure(config.dump().c_str()))
    return Error{
        fmt::format("the simulated driver refuses `{}`: {}", target, why), ""};
  Expected<OpenDevice> live = describeLive(std::move(open));
  if (live) // its description is exact; the driver only tells a part of it
    live->spec = *spec;
  return live;
}

Expected<OpenDevice> openLibrary(const std::string &path, int ordinal,
                                 const OpenOptions &options) {
  Expected<std::unique_ptr<DriverTable>> driver = DriverTable::load(path);
  if (!driver)
    return driver.error();
  OpenDevice open;
  open.driver = *std::move(driver);
  open.ordinal = ordinal;
  if (!options.driverConfig.empty()) {
    using Configure = const char *(*)(const char *);
    auto configure = reinterpret_cast<Configure>(reinterpret_cast<uintptr_t>(
        open.driver->symbol(kDriverConfigureSymbol)));
    if (!configure)
      return Error{fmt::format("`{}` takes no configuration: it lacks the "
                               "symbol `{}`",
                               open.driver->path, kDriverConfigureSymbol),
                   ""};
    if (const char *why = configure(options.driverConfig.c_str()))
      return Error{fmt::format("`{}` refuses its configuration: {}",
                               open.driver->path, why),
                   ""};
  }
  return describeLive(std::move(open));
}

} // namespace

std::string DeviceName::str() const {
  switch (kind) {
  case Kind::Cuda:
    return fmt::format("{}{}", kCuda, ordinal);
  case Kind::Sim:
    return std::string(kSim) + argument;
  case Kind::Replay:
    return std::string(kReplay) + argument;
  case Kind::Model:
    return std::string(kModel);
  case Kind::Library:
    break;
  }
  return argument;
}

Expected<DeviceName> hwtune::parseDeviceName(std::string_view text) {
  DeviceName name;
  if (text == kModel)
    return name;
  if (text.starts_with(kCuda)) {
    auto ordinal = parseInt(text.substr(kCuda.size()));
    if (!ordinal || *ordinal < 0 || *ordinal > kMaxOrdinal)
      return badName(text, "expected `cuda:` and the number of a device, such "
                           "as `cuda:0`");
    name.kind = DeviceName::Kind::Cuda;
    name.ordinal = static_cast<int>(*ordinal);
    return name;
  }
  for (auto [prefix, kind] : {std::pair{kSim, DeviceName::Kind::Sim},
                              {kReplay, DeviceName::Kind::Replay}})
    if (text.starts_with(prefix)) {
      name.kind = kind;
      name.argument = text.substr(prefix.size());
      if (name.argument.empty())
        return badName(text, kind == DeviceName::Kind::Sim
                                 ? "expected `sim:` and a target id or file"
                                 : "expected `replay:` and a file");
      return name;
    }
  if (text.find('/') == text.npos && text.find(".so") == text.npos)
    return badName(text, "expected `cuda:N`, `sim:<target id or file>`, "
                         "`replay:<file>`, `model` or the path of a driver "
                         "library");
  name.kind = DeviceName::Kind::Library;
  name.argument = text;
  return name;
}

Expected<OpenDevice> hwtune::openDevice(const DeviceName &name,
                                        const OpenOptions &options) {
  switch (name.kind) {
  case DeviceName::Kind::Cuda:
    return openLibrary("", name.ordinal, options);
  case DeviceName::Kind::Sim:
    return openSimulated(name.argument, options);
  case DeviceName::Kind::Library:
    return openLibrary(name.argument, 0, options);
  default:
    return badName(name.str(), "runs no kernels");
  }
}

Expected<std::string> hwtune::findTool(const std::string &name,
                                       const std::string &folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> places;
  if (!folder.empty()) {
    places = {fs::path(folder)};
  } else {
    // The program or shared library that this very function is linked into.
    Dl_info info;
    auto self = reinterpret_cast<void *>(
        reinterpret_cast<uintptr_t>(&hwtune::findTool));
    if (dladdr(self, &info) && info.dli_fname) {
      std::error_code ignored;
      fs::path here = fs::canonical(info.dli_fname, ignored);
      if (ignored) // a program started through PATH has no folder in its name
        here = fs::canonical("/proc/self/exe", ignored);
      fs::path base = here.parent_path();
      places = {base, base.parent_path() / "bin", base.parent_path() / "lib"};
    }
  }
  std::string tried;
  for (const fs::path &place : places) {
    std::error_code ignored;
    fs::path file = place / name;
    if (fs::is_regular_file(file, ignored))
      return file.string();
    tried += (tried.empty() ? "`" : ", `") + place.string() + "`";
  }
  return Error{fmt::format("cannot find `{}`; looked in {}", name,
                           tried.empty() ? "no folder" : tried),
               ""};
}
