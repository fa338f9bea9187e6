//===- ArgumentsTest.cpp - command lines of small programs ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Arguments.h"

#include <gtest/gtest.h>

using namespace hwtune;

static Expected<Arguments> parse(std::vector<const char *> words) {
  words.insert(words.begin(), "program");
  return parseArguments(int(words.size()), words.data(),
                        {"--db=", "--out=", "--dry-run"});
}
static std::string error(std::vector<const char *> words) {
  Expected<Arguments> arguments = parse(std::move(words));
  return arguments ? "accepted" : arguments.error().message;
}

TEST(Arguments, Accepts) {
  Expected<Arguments> a =
      parse({"list", "--db=x=y", "--dry-run", "-out", "f", "--", "--db"});
  ASSERT_TRUE(bool(a)) << a.error().str();
  EXPECT_EQ(a->positional, (std::vector<std::string>{"list", "--db"}));
  EXPECT_EQ(a->get("db"), "x=y");
  EXPECT_EQ(a->get("out"), "f");
  EXPECT_TRUE(a->has("dry-run"));
  EXPECT_EQ(a->get("none", "fallback"), "fallback");
}

TEST(Arguments, Refuses) {
  EXPECT_EQ(error({"--bd=x"}), "unknown option '--bd'; did you mean '--db'?");
  EXPECT_EQ(error({"--help-me"}), "unknown option '--help-me'");
  EXPECT_EQ(error({"--db"}), "option '--db' needs a value");
  EXPECT_EQ(error({"--dry-run=1"}), "option '--dry-run' takes no value");
  EXPECT_EQ(error({"--db=a", "--db=b"}), "option '--db' is given twice");
}

TEST(Arguments, Integers) {
  Expected<Arguments> a = parse({"--db=7", "--out=-1"});
  EXPECT_EQ(**a->integer("db", 0), 7);
  EXPECT_FALSE(*a->integer("none", 0));
  EXPECT_EQ(a->integer("out", 0).error().message,
            "--out is '-1', expected an integer of at least 0");
}
