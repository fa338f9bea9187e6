//===- PtxStats.h - what a PTX text contains --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static instruction counts of PTX text, the check of what a schedule promised
// about it, and what `ptxas` says where one is installed.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_CODEGEN_PTXSTATS_H
#define HWTUNE_CODEGEN_PTXSTATS_H

#include "hwtune/Schedule/Schedule.h"
#include "hwtune/Support/Expected.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace hwtune {

struct PtxStats {
  /// Static count of each full opcode ("ld.shared.v4.b32").
  std::map<std::string, int64_t> opcodes;
  int64_t instructions = 0;
  /// Bytes of the `.shared` arrays (`.extern` ones are dynamic and count 0).
  int64_t staticSharedBytes = 0;
  bool externShared = false;
  /// Name of the first `.extern .func`, "" if there is none.
  std::string externFunction;

  /// Instructions whose opcode matches `pattern`: its dot-separated parts must
  /// occur in this order, the first one first ("ld.global.v4" matches
  /// "ld.global.nc.v4.b32", not "ld.shared.v4.b32"). "v4" also stands for two
  /// registers of 64 bits ("ld.global.v2.b64").
  int64_t count(std::string_view pattern) const;
};

PtxStats ptxStats(std::string_view ptx);

/// "" if all promises hold, else the first that fails, with both numbers.
std::string brokenPromise(const PtxStats &stats,
                          std::span<const PtxPromise> promises);

/// What the assembler allocates; from `ptxas -v`.
struct PtxasReport {
  int64_t registers = 0;
  int64_t spillStoreBytes = 0, spillLoadBytes = 0; ///< per thread, static
  int64_t staticSharedBytes = 0;
};

/// Version of the `ptxas` at `path`, "13.0.88". An error where it cannot be
/// run, or is another program.
Expected<std::string> ptxasVersion(const std::string &path);

/// Whether the `ptxas` at `path` assembles for `arch`: each release drops some.
bool ptxasKnows(const std::string &path, const std::string &arch);

/// Runs the `ptxas` at `path` on `ptx` for `arch`. An error carries its first
/// message.
Expected<PtxasReport> runPtxas(const std::string &path, std::string_view ptx,
                               const std::string &arch);

} // namespace hwtune

#endif // HWTUNE_CODEGEN_PTXSTATS_H
