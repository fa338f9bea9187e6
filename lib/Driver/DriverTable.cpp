//===- DriverTable.cpp ----------------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Driver/DriverTable.h"

#include <fmt/core.h>

#include <dlfcn.h>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {

constexpr const char *kDefaultLibrary = "libcuda.so.1";

enum class Need { Required, Optional };

/// dlsym's object pointer as a function pointer, which C++ has no cast for
/// that all compilers accept without a warning.
template <typename Fn> void assign(Fn *&slot, void *symbol) {
  slot = reinterpret_cast<Fn *>(reinterpret_cast<uintptr_t>(symbol));
}

} // namespace

const char *cuda::resultName(Result result) {
  switch (result) {
#define HWTUNE_CASE(ours, theirs, value)                                       \
  case Result::ours:                                                           \
    return #theirs;
    HWTUNE_CUDA_RESULTS(HWTUNE_CASE)
#undef HWTUNE_CASE
  }
  return nullptr;
}

bool cuda::isSticky(Result result) {
  switch (result) {
  case Result::EccUncorrectable:
  case Result::IllegalAddress:
  case Result::LaunchTimeout:
  case Result::ContextIsDestroyed:
  case Result::Assert:
  case Result::HardwareStackError:
  case Result::IllegalInstruction:
  case Result::MisalignedAddress:
  case Result::InvalidAddressSpace:
  case Result::InvalidPc:
  case Result::LaunchFailed:
    return true;
  default:
    return false;
  }
}

Expected<std::unique_ptr<DriverTable>>
DriverTable::load(const std::string &path) {
  auto table = std::make_unique<DriverTable>();
  table->path = path.empty() ? kDefaultLibrary : path;
  // RTLD_LOCAL: two drivers in one process must not see each other's symbols.
  table->library = dlopen(table->path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!table->library) {
    const char *why = dlerror();
    return Error{fmt::format("cannot load the CUDA driver library `{}`: {}",
                             table->path, why ? why : "unknown reason"),
                 ""};
  }
#define HWTUNE_LOOKUP(need, name, symbolName, params)                          \
  assign(table->name, dlsym(table->library, #symbolName));                     \
  if (!table->name && Need::need == Need::Required)                            \
    return Error{fmt::format("`{}` is no CUDA driver library that hwtune can " \
                             "use: it lacks the symbol `{}`",                  \
                             table->path, #symbolName),                        \
                 ""};
  HWTUNE_CUDA_FUNCTIONS(HWTUNE_LOOKUP)
#undef HWTUNE_LOOKUP
  assign(table->simConfigure, dlsym(table->library, kSimConfigureSymbol));
  return table;
}

std::string DriverTable::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName)
    cuGetErrorName(result, &name);
  if (cuGetErrorString)
    cuGetErrorString(result, &text);
  if (!name)
    name = resultName(result);
  std::string shown =
      name ? name : fmt::format("CUDA_ERROR_{}", static_cast<int>(result));
  return text ? fmt::format("{}: {}", shown, text) : shown;
}

Status DriverTable::check(Result result, const char *call) const {
  if (result == Result::Success)
    return success();
  return Error{fmt::format("`{}` failed: {}", call, describe(result)), ""};
}

void *DriverTable::symbol(const char *name) const {
  return library ? dlsym(library, name) : nullptr;
}
