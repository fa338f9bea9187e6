//===- FunctionTable.cpp - what is exported, by name and version ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Apart from `ProcAddress.cpp`, because every function is declared here anew,
// as a bare symbol.
//
//===----------------------------------------------------------------------===//

#include "FunctionTable.h"

#include <cstring>

using namespace hwtune;

#define HWTUNE_FUNCTION(name, kind, symbol, version) extern "C" void symbol();
#include "Functions.def"

namespace {
struct Exported {
  const char *name;
  char kind;
  simcuda::AnyFunction symbol;
  int version;
};
/// By name and kind, oldest first.
constexpr Exported kFunctions[] = {
#define HWTUNE_FUNCTION(name, kind, symbol, version)                           \
  {#name, #kind[0], symbol, version},
#include "Functions.def"
};
} // namespace

simcuda::AnyFunction simcuda::findFunction(const char *name, char kind,
                                           int version, bool &known) {
  AnyFunction best = nullptr;
  for (const Exported &e : kFunctions)
    if (e.kind == kind && e.version && std::strcmp(e.name, name) == 0) {
      known = true;
      if (e.version <= version)
        best = e.symbol;
    }
  return best;
}
