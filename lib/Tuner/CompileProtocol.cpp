//===- CompileProtocol.cpp - what the tuner asks of a compile worker ------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/CompileProtocol.h"

#include <limits>

namespace hwtune {

static constexpr size_t kMaxText = size_t(64) << 20;
static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

Json CompileRequest::toJson() const {
  return {{"id", id},         {"module", module},
          {"target", target}, {"schedule", schedule},
          {"config", config}, {"script", script},
          {"folder", folder}, {"shapes", shapes},
          {"seed", seed},     {"expected", expected},
          {"ptxas", ptxas}};
}

Expected<CompileRequest> CompileRequest::fromJson(const Json &json) {
  JsonReader r(json, "request");
  r.onlyFields({"id", "module", "target", "schedule", "config", "script",
                "folder", "shapes", "seed", "expected", "ptxas"});
  CompileRequest request;
  request.id = r["id"].integer(0, kMax);
  request.module = r["module"].string(kMaxText);
  request.target = r["target"].string(kMaxText);
  request.schedule = r["schedule"].string();
  request.config = r["config"].string(kMaxText);
  if (r.has("script"))
    request.script = r["script"].string(kMaxText);
  request.folder = r["folder"].string();
  for (const JsonReader &shape : r["shapes"].elements(1024)) {
    request.shapes.emplace_back();
    for (const JsonReader &extent : shape.elements(64))
      request.shapes.back().push_back(extent.integer(0, kMax));
  }
  request.seed = r["seed"].unsignedInteger();
  request.expected = r["expected"].boolean();
  request.ptxas = r["ptxas"].string();
  if (!r.ok())
    return r.status().error();
  return request;
}

Json CompileReply::toJson() const {
  return {{"id", id},
          {"ok", ok},
          {"diagnostics", diagnostics},
          {"fatal", fatal},
          {"launch_file", launchFile},
          {"ptx_file", ptxFile},
          {"ptx_hash", ptxHash},
          {"grid", grid},
          {"block", block},
          {"registers", registers},
          {"spill_bytes", spillBytes},
          {"shared_bytes", sharedBytes},
          {"register_basis", registerBasis},
          {"milliseconds", milliseconds}};
}

/// Largest extents in CUDA: what is beyond them is no launch, and its product
/// with others might overflow.
static constexpr int64_t kMaxGrid = INT32_MAX, kMaxBlock = 1024;

static void triple(const JsonReader &r, int64_t most,
                   std::array<int64_t, 3> &value) {
  size_t i = 0;
  for (const JsonReader &extent : r.elements(3, 3))
    value[i++] = extent.integer(1, most);
}

Expected<CompileReply> CompileReply::fromJson(const Json &json) {
  JsonReader r(json, "reply");
  r.onlyFields({"id", "ok", "diagnostics", "fatal", "launch_file", "ptx_file",
                "ptx_hash", "grid", "block", "registers", "spill_bytes",
                "shared_bytes", "register_basis", "milliseconds"});
  CompileReply reply;
  reply.id = r["id"].integer(0, kMax);
  reply.ok = r["ok"].boolean();
  reply.diagnostics = r["diagnostics"].string(kMaxText);
  reply.fatal = r["fatal"].boolean();
  // A failure has nothing else to say.
  if (r.ok() && !reply.ok)
    return reply;
  reply.launchFile = r["launch_file"].string();
  reply.ptxFile = r["ptx_file"].string();
  reply.ptxHash = r["ptx_hash"].string();
  triple(r["grid"], kMaxGrid, reply.grid);
  triple(r["block"], kMaxBlock, reply.block);
  reply.registers = r["registers"].integer(0, kMax);
  reply.spillBytes = r["spill_bytes"].integer(0, kMax);
  reply.sharedBytes = r["shared_bytes"].integer(0, kMax);
  reply.registerBasis = r["register_basis"].string();
  reply.milliseconds = r["milliseconds"].number(0, 1e12);
  if (!r.ok())
    return r.status().error();
  return reply;
}

} // namespace hwtune
