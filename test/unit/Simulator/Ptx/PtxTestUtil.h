//===- PtxTestUtil.h - helpers of the PTX tests -----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_SIMULATOR_PTX_PTXTESTUTIL_H
#define HWTUNE_TEST_SIMULATOR_PTX_PTXTESTUTIL_H

#include "hwtune/Simulator/Ptx/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace hwtune::ptx {

inline const std::string kHead =
    ".version 8.0\n.target sm_80\n.address_size 64\n";

/// `text` after a module's head of three lines.
inline Module parsed(const std::string &text) {
  Expected<Module> module = parse(kHead + text);
  EXPECT_TRUE(bool(module)) << (module ? "" : module.error().str()) << "\n"
                            << text;
  return module ? std::move(*module) : Module();
}

/// A kernel `k` with `body`, after some declarations.
inline Module parsedBody(const std::string &body,
                         const std::string &before = "") {
  return parsed(before + ".entry k(.param .u64 p0, .param .u32 p1)\n{\n" +
                body + "\n}\n");
}

inline std::string errorOf(const std::string &text) {
  Expected<Module> module = parse(text);
  return module ? "no error" : module.error().str();
}

} // namespace hwtune::ptx

#endif // HWTUNE_TEST_SIMULATOR_PTX_PTXTESTUTIL_H
