//===- File.h - reading and writing whole files --------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_FILE_H
#define HWTUNE_SUPPORT_FILE_H

#include "hwtune/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace hwtune {

/// The bytes of `path`; more than `maxBytes` are refused, not cut.
Expected<std::string> readFile(const std::string &path,
                               uint64_t maxBytes = uint64_t(1) << 30);

/// Writes `text` so that `path` holds either what it held before or all of
/// `text`, whatever happens: a temporary file beside it, synced, renamed over
/// it. What is no regular file (a pipe, a device) is written in place.
Status writeFileAtomically(const std::string &path, std::string_view text);

/// Whether `writeFileAtomically` can write `path`, and whether files can be
/// written in `folder`, which need not be there. Found out by trying, for
/// permissions do not tell all; nothing is left behind.
Status checkFileWritable(const std::string &path);
Status checkFolderWritable(const std::string &folder);

/// Writes all of `text` to the standard output, past its stream.
Status writeStandardOutput(std::string_view text);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_FILE_H
