//===- TemporaryFolder.cpp - a folder for the life of a process -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/TemporaryFolder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hwtune {

namespace fs = std::filesystem;

static constexpr const char *kLockName = "lock";

/// The lock of `folder`, which its owner holds as long as it lives: a
/// descriptor, or negative where somebody else has it or it is not there.
static int takeLock(const fs::path &folder, int flags) {
  int lock = ::open((folder / kLockName).c_str(),
                    O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return -1;
  }
  return lock;
}

/// Removes what owners that were killed left in `parent`. Folders of other
/// users, and those that are just being made, have no lock that can be taken.
static void sweep(const fs::path &parent, const std::string &prefix) {
  std::error_code ignored;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(parent, ignored)) {
    struct stat info;
    if (!entry.path().filename().string().starts_with(prefix) ||
        ::lstat(entry.path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::geteuid())
      continue;
    int lock = takeLock(entry.path(), 0);
    if (lock < 0)
      continue;
    fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

/// Names travel between programs in JSON, which holds nothing else.
static bool isUtf8(const std::string &text) {
  using Json = nlohmann::json;
  std::string kept =
      Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore);
  return Json::parse(kept).get<std::string>() == text;
}

Expected<std::unique_ptr<TemporaryFolder>>
TemporaryFolder::make(const std::string &name, const std::string &parent) {
  std::error_code error;
  fs::path where = parent;
  if (parent.empty())
    where = fs::temp_directory_path(error);
  if (error)
    return Error{fmt::format("the folder for temporary files (TMPDIR, else "
                             "/tmp) cannot be used: {}",
                             error.message()),
                 ""};
  if (!isUtf8(where.string()))
    return Error{fmt::format("the folder for temporary files `{}` is not named "
                             "in UTF-8, as the programs that share it expect; "
                             "set TMPDIR to another one",
                             where.string()),
                 ""};
  std::string folder = (where / (name + "-XXXXXX")).string();
  auto failed = [&](const std::string &why) {
    return Error{fmt::format("cannot make the folder `{}`: {}", folder, why),
                 ""};
  };
  sweep(where, name + "-");
  if (!::mkdtemp(folder.data()))
    return failed(strerror(errno));
  int lock = takeLock(folder, O_CREAT);
  if (lock < 0) {
    Error why = failed(strerror(errno));
    fs::remove_all(folder, error);
    return why;
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(folder, lock));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored; // what is left is swept up later
  fs::remove_all(folder, ignored);
  ::close(lock);
}

} // namespace hwtune
