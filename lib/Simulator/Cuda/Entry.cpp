//===- Entry.cpp - initialisation and configuration -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place of hwtune's libraries that reads the environment: an
// unmodified program has no other way to choose the simulated GPU.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <cstdio>
#include <cstdlib>

using namespace hwtune;
using namespace hwtune::simcuda;

/// Gives the driver a configuration if it has none yet.
static Status configure(Driver &driver) {
  if (driver.configured)
    return success();
  const char *text = std::getenv("HWTUNE_SIM_TARGET");
  Expected<Config> config =
      text && *text ? configFromText(text) : defaultConfig();
  if (!config)
    return Error{std::string(text && *text ? "HWTUNE_SIM_TARGET: " : "") +
                     config.error().str(),
                 ""};
  driver.config = std::move(*config);
  driver.configured = true;
  return success();
}

HWTUNE_CUDA_API Result cuInit(unsigned flags) {
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  if (flags != 0)
    return Result::InvalidValue;
  if (driver.lostInFork)
    return Result::NotInitialized;
  if (Status s = configure(driver); !s) {
    // The API has no words for this, and "no device" alone would not help.
    std::fprintf(stderr, "simulated CUDA driver: %s\n",
                 s.error().str().c_str());
    return Result::NoDevice;
  }
  driver.initialised = true;
  return Result::Success;
}

HWTUNE_CUDA_API const char *hwtuneSimConfigure(const char *json) {
  thread_local std::string words;
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  Status status = configure(driver);
  if (!status) {
    // What the environment got wrong matters only if nothing else names a
    // target.
    Expected<Config> fallback = defaultConfig();
    if (!fallback || !json || !namesTarget(json)) {
      words = status.error().str();
      return words.c_str();
    }
    driver.config = std::move(*fallback);
    driver.configured = true;
  }
  Status applied =
      json ? applyJson(driver.config, json, driver.initialised)
           : Status(Error{"settings of the simulated GPU are null", ""});
  if (applied)
    return nullptr;
  words = applied.error().str();
  return words.c_str();
}

/// The last launch as one JSON object: status, counts, times and what they
/// consist of. Valid until this thread's next call; "{}" before any launch.
HWTUNE_CUDA_API const char *hwtuneSimLastReport() {
  thread_local std::string words;
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  words = driver.last.json.empty() ? "{}" : driver.last.json;
  return words.c_str();
}
