//===- PtxFuzz.cpp - any bytes to the PTX parser --------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Besides the absence of crashes and hangs: a text that is accepted prints to
// one that is accepted and prints to itself, and an error has a position.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Simulator/Ptx/Parser.h"

#include <cstdio>
#include <cstdlib>

using namespace hwtune;

static void require(bool condition, const char *what, const std::string &text) {
  if (condition)
    return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expected<ptx::Module> module =
      ptx::parse({reinterpret_cast<const char *>(data), size});
  if (!module) {
    const Error &error = module.error();
    require(!error.message.empty() && error.where.find(':') != error.where.npos,
            "error without message or position", error.str());
    return 0;
  }
  std::string once = ptx::print(*module);
  Expected<ptx::Module> again = ptx::parse(once);
  require(bool(again), "printed text is refused",
          again ? once : again.error().str() + "\n" + once);
  require(ptx::print(*again) == once, "printed text prints differently", once);
  return 0;
}
