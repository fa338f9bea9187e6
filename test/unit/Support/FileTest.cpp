//===- FileTest.cpp - whole files, whatever goes wrong --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/File.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hwtune;
namespace fs = std::filesystem;

namespace {
class FileTest : public testing::Test {
protected:
  FileTest() {
    std::string pattern = testing::TempDir() + "/hwtune-file-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~FileTest() override { fs::remove_all(folder); }
  size_t files() const {
    return size_t(std::distance(fs::directory_iterator(folder), {}));
  }
  std::string folder;
};
} // namespace

TEST_F(FileTest, WritesAndReplaces) {
  std::string path = folder + "/a";
  ASSERT_TRUE(bool(writeFileAtomically(path, "one")));
  ASSERT_TRUE(bool(writeFileAtomically(path, std::string(100000, 'x'))));
  Expected<std::string> text = readFile(path);
  ASSERT_TRUE(bool(text));
  EXPECT_EQ(*text, std::string(100000, 'x'));
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileTest, KeepsTheLink) {
  ASSERT_TRUE(bool(writeFileAtomically(folder + "/real", "one")));
  fs::create_symlink(folder + "/real", folder + "/link");
  ASSERT_TRUE(bool(writeFileAtomically(folder + "/link", "two")));
  EXPECT_TRUE(fs::is_symlink(folder + "/link"));
  EXPECT_EQ(*readFile(folder + "/real"), "two");
}

TEST_F(FileTest, ErrorsNameThePathAndTheReason) {
  Status status = writeFileAtomically(folder + "/none/a", "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "cannot write '" + folder + "/none/a': No such file or directory");
  Expected<std::string> text = readFile(folder + "/none");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message,
            "cannot read '" + folder + "/none': No such file or directory");
  EXPECT_FALSE(writeFileAtomically(folder, "x"));
  EXPECT_FALSE(readFile(folder));
  EXPECT_EQ(files(), 0u);
}

TEST_F(FileTest, LimitsWhatIsRead) {
  ASSERT_TRUE(bool(writeFileAtomically(folder + "/a", "12345")));
  EXPECT_TRUE(bool(readFile(folder + "/a", 5)));
  Expected<std::string> text = readFile(folder + "/a", 4);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message,
            "'" + folder + "/a' is larger than the limit of 4 bytes");
}

TEST_F(FileTest, AFullDiskLeavesTheOldFile) {
  std::string path = folder + "/a";
  ASSERT_TRUE(bool(writeFileAtomically(path, "old")));
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 1000;
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  Status status = writeFileAtomically(path, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(*readFile(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileTest, DevicesAreWrittenInPlace) {
  EXPECT_TRUE(bool(writeFileAtomically("/dev/null", "x")));
  Status status = writeFileAtomically("/dev/full", "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "cannot write '/dev/full': No space left on device");
}
