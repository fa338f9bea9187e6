//===- main.cpp - hwtune-compile ------------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One linalg op to PTX, launch.json and expected.bin; or, with --worker, one
// after the other as asked on standard input.
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"

#include "hwtune/Codegen/Compile.h"
#include "hwtune/Support/Arguments.h"
#include "hwtune/Support/File.h"
#include "hwtune/Support/Text.h"
#include "hwtune/Target/KnownTargets.h"

#include <csignal>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

using namespace hwtune;

namespace {

constexpr const char *kUsage =
    "usage: hwtune-compile [options] op.mlir   compile one op\n"
    "       hwtune-compile --worker            answer requests on stdin\n"
    "\n"
    "op.mlir holds one function with one linalg op on memrefs marked\n"
    "`hwtune.op`. Writes kernel.ptx and launch.json.\n"
    "\n"
    "  --target=ID|FILE    GPU to compile for (default a100-sxm4-80gb)\n"
    "  --schedule=NAME     matmul, elementwise, ... (required)\n"
    "  --config=TEXT       \"{block_m = 128, ...}\" (default: the generic "
    "one)\n"
    "  --shapes=AxB,C,...  sizes of the memref arguments, if dynamic\n"
    "  --seed=N            of the inputs (default 0)\n"
    "  --expected          also write expected.bin\n"
    "  --ptxas=PATH        read registers and spills from this ptxas\n"
    "  --stats             print opcode counts of the PTX\n"
    "  -o DIR              existing folder for the results (default .)\n";

struct Options {
  bool worker = false, stats = false;
  std::string input;
  CompileRequest request;
};

Status readShapes(std::string_view text, CompileRequest &request) {
  for (std::string_view shape : split(text, ',')) {
    std::vector<int64_t> sizes;
    if (!shape.empty())
      for (std::string_view part : split(shape, 'x')) {
        std::optional<int64_t> size = parseInt(part);
        if (!size || *size < 0)
          return Error{fmt::format("--shapes: `{}` is no size; expected e.g. "
                                   "64x32,32x16,64x16",
                                   part),
                       ""};
        sizes.push_back(*size);
      }
    request.shapes.push_back(std::move(sizes));
  }
  return success();
}

/// Sets what `argument` says. An error names it.
Status readArgument(std::string_view argument, Options &options) {
  CompileRequest &request = options.request;
  size_t equals = argument.find('=');
  std::string_view key = argument.substr(0, equals);
  std::string value(
      equals == std::string_view::npos ? "" : argument.substr(equals + 1));
  if (key == "--target")
    request.target = value;
  else if (key == "--schedule")
    request.schedule = value;
  else if (key == "--config")
    request.config = value;
  else if (key == "--shapes")
    return readShapes(value, request);
  else if (key == "--ptxas")
    request.ptxas = value;
  else if (argument == "--expected")
    request.expected = true;
  else if (argument == "--stats")
    options.stats = true;
  else if (argument == "--worker")
    options.worker = true;
  else if (key == "--seed") {
    std::optional<int64_t> seed = parseInt(value);
    if (!seed || *seed < 0)
      return Error{fmt::format("--seed: `{}` is no number of 0 or more", value),
                   ""};
    request.seed = uint64_t(*seed);
  } else
    return Error{fmt::format("unknown option `{}`; see --help", argument), ""};
  return success();
}

Expected<Options> readArguments(int argc, char **argv) {
  Options options;
  options.request.target = kDefaultTargetId;
  options.request.folder = ".";
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument == "-o" && i + 1 < argc) {
      options.request.folder = argv[++i];
    } else if (argument.starts_with("-") && argument != "-") {
      if (Status read = readArgument(argument, options); !read)
        return read.error();
    } else if (options.input.empty()) {
      options.input = argument;
    } else {
      return Error{
          fmt::format("two inputs: `{}` and `{}`", options.input, argument),
          ""};
    }
  }
  if (options.worker)
    return options;
  if (options.input.empty())
    return Error{"no input file; see --help", ""};
  if (options.request.schedule.empty())
    return Error{"option `--schedule` must be set", ""};
  return options;
}

int compileOnce(Options &options) {
  Expected<std::string> text = readFile(options.input);
  if (!text) {
    fmt::print(stderr, "hwtune-compile: {}\n", text.error().str());
    return 2;
  }
  options.request.module = *text;
  std::unique_ptr<mlir::MLIRContext> context = createCompilerContext();
  CompileReply reply = compileRequest(*context, options.request);
  if (!reply.ok) {
    fmt::print(stderr, "hwtune-compile: {}: {}\n", options.input,
               reply.diagnostics);
    return 1;
  }
  std::string about = fmt::format(
      "{}: grid {} x {} x {}, block {} x {} x {}, {} bytes of shared "
      "memory, {} registers ({}), {} spill bytes\n",
      reply.ptxFile, reply.grid[0], reply.grid[1], reply.grid[2],
      reply.block[0], reply.block[1], reply.block[2], reply.sharedBytes,
      reply.registers, reply.registerBasis, reply.spillBytes);
  if (!options.stats)
    return printResult("hwtune-compile", about);
  Expected<std::string> ptx = readFile(reply.ptxFile);
  if (!ptx) {
    fmt::print(stderr, "hwtune-compile: {}\n", ptx.error().message);
    return 1;
  }
  for (const auto &[opcode, count] : ptxStats(*ptx).opcodes)
    about += fmt::format("{:8} {}\n", count, opcode);
  return printResult("hwtune-compile", about);
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a write fails, which is answered
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--help")
      return printResult("hwtune-compile", kUsage);
  Expected<Options> options = readArguments(argc, argv);
  if (!options) {
    fmt::print(stderr, "hwtune-compile: {}\n", options.error().str());
    return 2;
  }
  return options->worker ? runWorker() : compileOnce(*options);
}
