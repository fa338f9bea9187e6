//===- Parser.h - PTX text to a module --------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_PTX_PARSER_H
#define HWTUNE_SIMULATOR_PTX_PARSER_H

#include "hwtune/Simulator/Ptx/Ast.h"
#include "hwtune/Support/Expected.h"

#include <string_view>

namespace hwtune::ptx {

/// Parses one PTX text (6.0 to 9.x). Any bytes are accepted as input: what is
/// not PTX gives one error, whose `where` is "line:column". Time is linear in
/// the text, recursion and memory are bounded.
Expected<Module> parse(std::string_view text);

/// PTX text that parses to the same module (registers declared one by one,
/// shadowed names made unique).
std::string print(const Module &module);

} // namespace hwtune::ptx

#endif // HWTUNE_SIMULATOR_PTX_PARSER_H
