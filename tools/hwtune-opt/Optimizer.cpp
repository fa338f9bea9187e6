//===- Optimizer.cpp - the stock main, with output of our own -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The stock main empties the output file at its start, removes it on a signal
// and aborts when the disk is full. A search may take hours: the file changes
// at the end, and at once.
//
//===----------------------------------------------------------------------===//

#include "Optimizer.h"

#include "CommandLine.h"

#include "hwtune/Support/File.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace hwtune;

/// Of a program that Ctrl-C ended, by the shells' convention.
static constexpr int kInterrupted = 130;

static int fail(StringRef program, StringRef message) {
  llvm::errs() << program << ": error: " << message << '\n';
  return 1;
}

static Status writeOutput(const std::string &path, StringRef text) {
  return path == "-" ? writeStandardOutput(text)
                     : writeFileAtomically(path, text);
}

int hwtune::runOptimizer(llvm::ArrayRef<char *> arguments, StringRef note,
                         DialectRegistry &registry, const CancelToken &cancel) {
  int argc = int(arguments.size());
  char **argv = const_cast<char **>(arguments.data());
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "hwtune optimizer driver\n", registry);
  if (!checkPassOptions({argv, size_t(argc)}))
    return 1;
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  if (output != "-")
    if (hwtune::Status good = checkFileWritable(output); !good)
      return fail(argv[0], good.error().str());
  if (input == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  llvm::errs() << note;
  std::string message, text;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &message);
  if (!file)
    return fail(argv[0], message);
  llvm::raw_string_ostream stream(text);
  bool good = succeeded(MlirOptMain(stream, std::move(file), registry, config));
  if (good)
    if (hwtune::Status written = writeOutput(output, text); !written)
      return fail(argv[0], written.error().str());
  if (cancel.cancelled())
    return kInterrupted;
  return good ? 0 : 1;
}
