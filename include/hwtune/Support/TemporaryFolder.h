//===- TemporaryFolder.h - a folder for the life of a process ---*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_TEMPORARYFOLDER_H
#define HWTUNE_SUPPORT_TEMPORARYFOLDER_H

#include "hwtune/Support/Expected.h"

#include <memory>
#include <string>

namespace hwtune {

/// Removed with all that is in it by the destructor, or, where the process is
/// killed, by the next one that makes a folder of this kind: a lock tells
/// whether the owner lives.
class TemporaryFolder {
public:
  /// "NAME-XXXXXX" in the system's folder for such, or in `parent`.
  static Expected<std::unique_ptr<TemporaryFolder>>
  make(const std::string &name, const std::string &parent = {});
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return folder; }

private:
  TemporaryFolder(std::string folder, int lock)
      : folder(std::move(folder)), lock(lock) {}

  std::string folder;
  int lock; ///< descriptor that holds the lock
};

} // namespace hwtune

#endif // HWTUNE_SUPPORT_TEMPORARYFOLDER_H
