//===- Ptxas.cpp - what the assembler allocates ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/PtxStats.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>

namespace hwtune {
namespace {

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

} // namespace

Expected<PtxasReport> runPtxas(const std::string &path, std::string_view ptx,
                               const std::string &arch) {
  Expected<std::string> input = temporary("ptx");
  if (!input)
    return input.error();
  llvm::FileRemover removeInput(*input);
  Expected<std::string> output = temporary("txt");
  if (!output)
    return output.error();
  llvm::FileRemover removeOutput(*output);
  std::error_code code;
  {
    llvm::raw_fd_ostream file(*input, code);
    file << llvm::StringRef(ptx.data(), ptx.size());
    file.close();
    if (code || file.has_error())
      return Error{"cannot write " + *input, ""};
  }
  std::string archFlag = "-arch=" + arch, message;
  std::optional<llvm::StringRef> redirects[] = {"", *output, *output};
  int rc = llvm::sys::ExecuteAndWait(
      path, {path, "-v", archFlag, *input, "-o", "/dev/null"}, std::nullopt,
      redirects, /*SecondsToWait=*/60, /*MemoryLimit=*/0, &message);
  auto buffer = llvm::MemoryBuffer::getFile(*output);
  llvm::StringRef text = buffer ? (*buffer)->getBuffer() : "";
  if (rc != 0)
    return Error{
        "ptxas refuses the PTX: " +
            (text.empty()
                 ? message
                 : text.take_until([](char c) { return c == '\n'; }).str()),
        ""};
  PtxasReport report;
  report.registers = numberBefore(text, " registers");
  report.spillStoreBytes = numberBefore(text, " bytes spill stores");
  report.spillLoadBytes = numberBefore(text, " bytes spill loads");
  report.staticSharedBytes = numberBefore(text, " bytes smem");
  return report;
}

} // namespace hwtune
