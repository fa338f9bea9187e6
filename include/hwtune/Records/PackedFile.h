//===- PackedFile.h - files, packed or not ----------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_RECORDS_PACKEDFILE_H
#define HWTUNE_RECORDS_PACKEDFILE_H

#include "hwtune/Support/Expected.h"

#include <string>

namespace hwtune {

/// The text of a file that others recorded: as it is, or packed with gzip or
/// xz, which its first bytes tell. At most 256 MiB packed and 1 GiB unpacked. A
/// mark of UTF-8 at its start is left out.
Expected<std::string> readPackedFile(const std::string &path);

} // namespace hwtune

#endif // HWTUNE_RECORDS_PACKEDFILE_H
