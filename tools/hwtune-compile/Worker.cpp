//===- Worker.cpp - the long-lived compile worker -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"

#include "hwtune/Codegen/Compile.h"

#include <cstdio>
#include <iostream>
#include <string>

#include <unistd.h>

namespace hwtune {
namespace {

/// Longest request line.
constexpr size_t kMaxRequestBytes = size_t(64) << 20;

/// Standard output is for replies alone: what libraries print there goes to
/// standard error.
std::FILE *takeStandardOutput() {
  std::FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return out ? out : stdout;
}

Json answer(mlir::MLIRContext &context, const std::string &line) {
  Expected<Json> json = parseJson(line, "request", kMaxRequestBytes);
  if (json && json->is_object() && json->contains("hello"))
    return *json;
  CompileReply reply;
  if (!json) {
    reply.diagnostics = json.error().str();
    return reply.toJson();
  }
  Expected<CompileRequest> request = CompileRequest::fromJson(*json);
  if (request)
    return compileRequest(context, *request).toJson();
  if (json->is_object() && json->contains("id") &&
      (*json)["id"].is_number_integer())
    reply.id = (*json)["id"].get<int64_t>();
  reply.diagnostics = request.error().str();
  return reply.toJson();
}

} // namespace

int runWorker() {
  std::FILE *out = takeStandardOutput();
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.empty())
      continue;
    std::string text = dumpJson(answer(*context, line)) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size() ||
        std::fflush(out) != 0)
      return 1; // nobody listens any more
  }
  return 0;
}

} // namespace hwtune
