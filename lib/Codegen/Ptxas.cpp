//===- Ptxas.cpp - what the assembler allocates ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/PtxStats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

namespace hwtune {
namespace {

/// One kernel takes ptxas seconds at most.
constexpr unsigned kLimitSeconds = 60;

/// The number that stands before `unit` in `text`, 0 where there is none.
int64_t numberBefore(llvm::StringRef text, llvm::StringRef unit) {
  size_t at = text.find(unit);
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef head = text.take_front(at).rtrim();
  size_t start = head.find_last_not_of("0123456789");
  head = head.substr(start == llvm::StringRef::npos ? 0 : start + 1);
  int64_t value = 0;
  std::from_chars(head.begin(), head.end(), value);
  return value;
}

Expected<std::string> temporary(llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("hwtune", suffix, path))
    return Error{"no temporary file: " + code.message(), ""};
  return path.str().str();
}

/// What a program printed, both streams together; an error where it failed,
/// with its first line.
Expected<std::string> outputOf(const std::string &program,
                               llvm::ArrayRef<llvm::StringRef> arguments) {
  Expected<std::string> file = temporary("txt");
  if (!file)
    return file.error();
  llvm::FileRemover removeFile(*file);
  llvm::SmallVector<llvm::StringRef> all{program};
  llvm::append_range(all, arguments);
  std::string message;
  std::optional<llvm::StringRef> redirects[] = {"", *file, *file};
  int rc =
      llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects,
                                kLimitSeconds, /*MemoryLimit=*/0, &message);
  auto buffer = llvm::MemoryBuffer::getFile(*file);
  std::string text = buffer ? (*buffer)->getBuffer().str() : "";
  if (rc == 0)
    return text;
  llvm::StringRef first = llvm::StringRef(text).split('\n').first;
  if (first.empty())
    first = message;
  return Error{first.empty() ? "exit code " + std::to_string(rc) : first.str(),
               ""};
}

} // namespace

Expected<std::string> ptxasVersion(const std::string &path) {
  Expected<std::string> text = outputOf(path, {"--version"});
  if (!text)
    return Error{"cannot run ptxas `" + path + "`: " + text.error().message,
                 ""};
  // "Cuda compilation tools, release 13.0, V13.0.88"
  llvm::StringRef version = llvm::StringRef(*text).rsplit(", V").second;
  version =
      version.take_while([](char c) { return c == '.' || llvm::isDigit(c); });
  if (version.empty())
    return Error{
        "`" + path + "` is no ptxas: `--version` does not tell a release", ""};
  return version.str();
}

bool ptxasKnows(const std::string &path, const std::string &arch) {
  Expected<std::string> help = outputOf(path, {"--help"});
  // Among the values of `--gpu-name`, each in quotes.
  return help && help->find("'" + arch + "'") != std::string::npos;
}

Expected<PtxasReport> runPtxas(const std::string &path, std::string_view ptx,
                               const std::string &arch) {
  Expected<std::string> input = temporary("ptx");
  if (!input)
    return input.error();
  llvm::FileRemover removeInput(*input);
  std::error_code code;
  {
    llvm::raw_fd_ostream file(*input, code);
    file << llvm::StringRef(ptx.data(), ptx.size());
    file.close();
    if (code || file.has_error())
      return Error{"cannot write " + *input, ""};
  }
  Expected<std::string> output =
      outputOf(path, {"-v", "-arch=" + arch, *input, "-o", "/dev/null"});
  if (!output)
    return Error{"ptxas refuses the PTX: " + output.error().message, ""};
  llvm::StringRef text = *output;
  PtxasReport report;
  report.registers = numberBefore(text, " registers");
  report.spillStoreBytes = numberBefore(text, " bytes spill stores");
  report.spillLoadBytes = numberBefore(text, " bytes spill loads");
  report.staticSharedBytes = numberBefore(text, " bytes smem");
  if (report.registers == 0)
    return Error{"ptxas tells no registers", ""};
  return report;
}

} // namespace hwtune
