//===- CompileProtocol.h - what the tuner asks of a compile worker - -*- C++
//-*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The worker (`hwtune-compile --worker`) reads one request a line from standard
// input and writes one reply a line to standard output; diagnostics of its
// libraries go to standard error. It ends when its input ends. To
// {"id": 0, "hello": 1} it answers {"id": 0, "hello": 1}.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TUNER_COMPILEPROTOCOL_H
#define HWTUNE_TUNER_COMPILEPROTOCOL_H

#include "hwtune/Support/Expected.h"
#include "hwtune/Support/Json.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hwtune {

struct CompileRequest {
  int64_t id = 0;
  std::string module;   ///< text: one function with one op marked hwtune.op
  std::string target;   ///< JSON text of the TargetSpec, or an id
  std::string schedule; ///< name
  std::string config;   ///< "{block_m = 128, ...}"
  /// Text of the transform script of `config`, where the worker does not know
  /// the schedule by its name; "" = it does.
  std::string script;
  std::string folder; ///< existing; the artifacts are written there
  /// Sizes of this launch where the module is dynamic: one list per memref.
  std::vector<std::vector<int64_t>> shapes;
  uint64_t seed = 0;     ///< of the inputs
  bool expected = false; ///< also compute and write the expected output
  std::string ptxas;     ///< path, "" = do not ask

  Json toJson() const;
  static Expected<CompileRequest> fromJson(const Json &json);
};

struct CompileReply {
  int64_t id = 0;
  bool ok = false;
  std::string diagnostics; ///< of a failure: the first error, in full
  /// Of a failure: no other request can succeed either (a full disk).
  bool fatal = false;
  std::string launchFile; ///< path of launch.json
  std::string ptxFile;
  std::string ptxHash; ///< SHA-256
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0;
  std::string registerBasis; ///< "ptxas" or "estimate"
  double milliseconds = 0;

  Json toJson() const;
  static Expected<CompileReply> fromJson(const Json &json);
};

} // namespace hwtune

#endif // HWTUNE_TUNER_COMPILEPROTOCOL_H
