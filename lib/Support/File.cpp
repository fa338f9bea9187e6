//===- File.cpp - reading and writing whole files -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/File.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hwtune {

static Error systemError(std::string_view action, const std::string &path) {
  return Error{fmt::format("cannot {} '{}': {}", action, path, strerror(errno)),
               ""};
}

namespace {
/// Closes on the way out; `release` to check the close itself.
class Descriptor {
public:
  explicit Descriptor(int fd) : fd(fd) {}
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return fd; }
  int release() { return std::exchange(fd, -1); }

private:
  int fd;
};
} // namespace

Expected<std::string> readFile(const std::string &path, uint64_t maxBytes) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    return systemError("read", path);
  std::string text;
  char buffer[1 << 16];
  while (true) {
    ssize_t n = ::read(file.get(), buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return systemError("read", path);
    if (n == 0)
      return text;
    if (text.size() + size_t(n) > maxBytes)
      return Error{fmt::format("'{}' is larger than the limit of {} bytes",
                               path, maxBytes),
                   ""};
    text.append(buffer, size_t(n));
  }
}

static bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return false;
    text.remove_prefix(size_t(n));
  }
  return true;
}

static Status writeInPlace(const std::string &path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !writeAll(file.get(), text) ||
      ::close(file.release()) != 0)
    return systemError("write", path);
  return success();
}

/// The file behind a symbolic link, so that the link survives.
static std::string resolved(const std::string &path) {
  char *real = ::realpath(path.c_str(), nullptr);
  std::string result = real ? real : path;
  ::free(real);
  return result;
}

/// Whether `path` is there and no regular file: a pipe, a device.
static bool isSpecial(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

/// Temporary files of one target that are stepped over.
static constexpr int kMostLeftOver = 16;

/// Opens a new file beside `target`; negative, with errno, where none can be
/// made. `name` is what it is called.
static int openBeside(const std::string &target, std::string &name) {
  static std::atomic<unsigned> counter{0}; // names differ between threads
  int opened = -1;
  // A name may be left over from a process that was killed and had this id.
  for (int turn = 0; turn < kMostLeftOver; ++turn) {
    name = fmt::format("{}.tmp.{}.{}", target, ::getpid(), counter++);
    opened =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened >= 0 || errno != EEXIST)
      break;
  }
  return opened;
}

Status writeFileAtomically(const std::string &path, std::string_view text) {
  if (isSpecial(path))
    return writeInPlace(path, text);
  std::string target = resolved(path), temporary;
  Descriptor file(openBeside(target, temporary));
  if (file.get() < 0)
    return systemError("write", path);
  if (!writeAll(file.get(), text) || ::fsync(file.get()) != 0 ||
      ::close(file.release()) != 0 ||
      ::rename(temporary.c_str(), target.c_str()) != 0) {
    Error error = systemError("write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  // The rename itself must survive a crash; not every file system can say so.
  size_t slash = target.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : target.substr(0, slash + 1);
  Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0)
    ::fsync(parent.get());
  return success();
}

Status checkFileWritable(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return systemError("write", path);
  }
  if (isSpecial(path))
    return ::access(path.c_str(), W_OK) == 0
               ? success()
               : Status(systemError("write", path));
  std::string temporary;
  Descriptor file(openBeside(resolved(path), temporary));
  if (file.get() < 0)
    return systemError("write", path);
  ::unlink(temporary.c_str());
  return success();
}

Status checkFolderWritable(const std::string &folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> missing; // the innermost first
  fs::path at = fs::absolute(folder, error);
  for (; !error && !fs::exists(at, error) && at.has_relative_path();
       at = at.parent_path())
    missing.push_back(at);
  Status result = success();
  fs::create_directories(folder, error);
  if (error)
    result = Error{
        fmt::format("cannot make the folder '{}': {}", folder, error.message()),
        ""};
  else
    result = checkFileWritable(folder + "/file");
  for (const fs::path &made : missing)
    fs::remove(made, error); // only where it is empty
  return result;
}

Status writeStandardOutput(std::string_view text) {
  if (!writeAll(STDOUT_FILENO, text))
    return systemError("write", "standard output");
  return success();
}

} // namespace hwtune
