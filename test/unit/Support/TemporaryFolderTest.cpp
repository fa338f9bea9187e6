//===- TemporaryFolderTest.cpp - folders that end with their process ------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace hwtune;
namespace fs = std::filesystem;

namespace {
class TemporaryFolderTest : public testing::Test {
protected:
  TemporaryFolderTest() {
    std::string pattern = testing::TempDir() + "/temporary-XXXXXX";
    parent = mkdtemp(pattern.data());
  }
  ~TemporaryFolderTest() override { fs::remove_all(parent); }

  std::unique_ptr<TemporaryFolder> make(const std::string &name = "x") {
    auto made = TemporaryFolder::make(name, parent);
    EXPECT_TRUE(bool(made)) << (made ? "" : made.error().str());
    return made ? std::move(*made) : nullptr;
  }
  size_t count() const {
    return size_t(std::distance(fs::directory_iterator(parent), {}));
  }

  std::string parent;
};
} // namespace

TEST_F(TemporaryFolderTest, RemovedWithItsContents) {
  {
    auto folder = make();
    EXPECT_EQ(folder->path().rfind(parent + "/x-", 0), 0u);
    fs::create_directories(folder->path() + "/a/b");
    std::ofstream(folder->path() + "/a/b/c") << "text";
    EXPECT_EQ(count(), 1u);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(TemporaryFolderTest, WhatAKilledProcessLeftIsRemovedByTheNext) {
  fs::create_directory(parent + "/x-unlocked"); // just being made, or no ours
  fs::create_directory(parent + "/other");
  pid_t child = fork();
  if (child == 0) {
    auto folder = TemporaryFolder::make("x", parent);
    std::ofstream((*folder)->path() + "/file") << "text";
    ::kill(::getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(count(), 3u);
  auto other = make("y"); // another kind
  EXPECT_EQ(count(), 4u);
  auto first = make(), second = make(); // the first lives
  EXPECT_EQ(count(), 5u);
  EXPECT_TRUE(fs::exists(first->path()));
  EXPECT_TRUE(fs::exists(parent + "/x-unlocked"));
}

TEST_F(TemporaryFolderTest, AParentThatIsNotThere) {
  auto made = TemporaryFolder::make("x", parent + "/nowhere");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("No such file or directory"),
            std::string::npos)
      << made.error().message;
}

TEST_F(TemporaryFolderTest, AParentThatIsNotNamedInUtf8) {
  fs::create_directory(parent + "/odd \xff");
  auto made = TemporaryFolder::make("x", parent + "/odd \xff");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("not named in UTF-8"), std::string::npos)
      << made.error().message;
  EXPECT_TRUE(TemporaryFolder::make("x", parent));
}
