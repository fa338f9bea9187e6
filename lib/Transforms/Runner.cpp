//===- Runner.cpp - a folder that runs one kernel by itself ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are written as files, so that the program in the folder needs to know
// nothing of how they are generated.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Transforms/Runner.h"

#include "hwtune/IR/OpIsolation.h"
#include "hwtune/Measure/Device.h"
#include "hwtune/Measure/Generator.h"
#include "hwtune/Support/File.h"
#include "hwtune/Target/TargetFields.h"
#include "hwtune/Tuner/CompileProtocol.h"
#include "hwtune/Workload/LaunchSizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

using namespace hwtune;

static constexpr const char *kCompileProgram = "hwtune-compile";

Expected<std::unique_ptr<RunnerWriter>>
RunnerWriter::open(const TargetSpec &target, const std::string &toolDir,
                   const CancelToken &cancel) {
  Expected<std::string> compiler = findTool(kCompileProgram, toolDir);
  if (!compiler)
    return compiler.error();
  WorkerOptions options;
  options.program = *compiler;
  options.workers = 1;
  auto pool = WorkerPool::start(options, cancel);
  if (!pool)
    return pool.error();
  std::unique_ptr<RunnerWriter> writer(new RunnerWriter);
  writer->pool = std::move(*pool);
  writer->target = target;
  writer->targetText = toJson(target);
  return writer;
}

/// Name of the file that holds buffer `index`.
static std::string bufferFile(size_t index) {
  return fmt::format("buffer_{}.bin", index);
}

static Status writeBuffers(const LaunchDescription &launch,
                           const std::string &folder) {
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const BufferDesc &buffer = launch.buffers[i];
    std::string bytes(size_t(buffer.bytes()), '\0');
    if (buffer.isOutput && !buffer.readsInit)
      std::memset(bytes.data(), int(poisonByte(buffer.type)), bytes.size());
    else
      generate(buffer.seed, buffer.type,
               {reinterpret_cast<std::byte *>(bytes.data()), bytes.size()});
    if (Status s = writeFileAtomically(folder + "/" + bufferFile(i), bytes); !s)
      return s;
  }
  return success();
}

/// A kernel's name as that of one folder: what is no letter, digit, `_`, `.` or
/// `-`, and a leading `.`, by its code. Long names keep their end, which has
/// the kernel's number.
static std::string folderName(const std::string &kernel) {
  std::string name;
  for (unsigned char c : kernel) {
    bool plain =
        std::isalnum(c) || c == '_' || c == '-' || (c == '.' && !name.empty());
    name += plain ? std::string(1, char(c)) : fmt::format("%{:02x}", c);
  }
  constexpr size_t kMost = 200; // file systems allow 255 bytes
  return name.size() <= kMost ? name : name.substr(name.size() - kMost);
}

Status RunnerWriter::write(const KernelSite &site, const std::string &folder) {
  std::string own = folder + "/" + folderName(site.name);
  std::error_code error;
  bool isNew = std::filesystem::create_directories(own, error);
  if (error)
    return Error{
        fmt::format("cannot make the folder `{}`: {}", own, error.message()),
        ""};
  Status done = fill(site, own);
  if (!done && isNew)
    std::filesystem::remove_all(own, error);
  return done;
}

Status RunnerWriter::fill(const KernelSite &site, const std::string &own) {
  CompileRequest request;
  request.module = isolatedText(site.op);
  request.target = targetText;
  request.schedule = std::string(site.schedule->name());
  Space space = site.schedule->space(site.workload, target);
  request.config = space.toText(site.config);
  if (!site.schedule->sourceHash().empty())
    request.script = site.schedule->script(site.workload, target, site.config);
  request.folder = own;
  request.shapes = launchShapes(site.workload);
  request.expected = true;
  WorkerReply answer =
      pool->submit(request.toJson(), kReferenceLimitSeconds).get();
  if (answer.status != WorkerReply::Status::Answered)
    return Error{answer.reason, ""};
  Expected<CompileReply> reply = CompileReply::fromJson(answer.body);
  if (!reply)
    return reply.error();
  if (!reply->ok)
    return Error{reply->diagnostics, ""};
  Expected<std::string> text = readFile(reply->launchFile);
  if (!text)
    return text.error();
  Expected<LaunchDescription> launch = LaunchDescription::fromJson(*text);
  if (!launch)
    return launch.error();
  if (Status s = writeBuffers(*launch, own); !s)
    return s;
  return writeFileAtomically(own + "/run.cpp", runnerProgram(*launch));
}
