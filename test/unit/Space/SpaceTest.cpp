//===- SpaceTest.cpp - messages and text form of a space ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Space/Space.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace hwtune;

static Space makeSpace() {
  Space space;
  space.knobs = {{"block", {16, 32, 64}, "threads"},
                 {"vector", {1, 2, 4}, "elements"},
                 {"shared", {0, 1}, "on or off", true}};
  space.constraints = {{"shared-memory",
                        {0, 2},
                        "shared memory of a block (bytes)",
                        [](std::span<const int64_t> c) {
                          return std::pair(double(c[0] * 1024 * c[2]), 49152.0);
                        }}};
  return space;
}

static std::string checkError(const Space &space) {
  Status status = space.check();
  return status ? "" : status.error().message;
}

TEST(Space, WellFormed) { EXPECT_EQ(checkError(makeSpace()), ""); }

TEST(Space, CheckNamesWhatIsWrong) {
  Space space = makeSpace();
  space.knobs[1].name = "Vector";
  EXPECT_EQ(checkError(space), "knob name 'Vector' is not snake_case");
  space = makeSpace();
  space.knobs[1].name = "block";
  EXPECT_EQ(checkError(space), "two knobs are named 'block'");
  space = makeSpace();
  space.knobs[1].values = {};
  EXPECT_EQ(checkError(space), "knob 'vector' has no value");
  space = makeSpace();
  space.knobs[1].values = {1, 2, 1};
  EXPECT_EQ(checkError(space), "knob 'vector' lists the value 1 twice");
  space = makeSpace();
  space.constraints[0].knobs = {7};
  EXPECT_EQ(checkError(space), "constraint 'shared memory of a block (bytes)' "
                               "reads knob 7, but there are 3 knobs");
  space = makeSpace();
  space.constraints[0].kind = "";
  EXPECT_EQ(checkError(space), "a constraint has no kind or no description");
  space = makeSpace();
  space.constraints[0].check = nullptr;
  EXPECT_EQ(checkError(space),
            "constraint 'shared memory of a block (bytes)' has no check");
  space.constraints.clear();
  space.knobs.clear();
  for (int i = 0; i < 9; ++i) {
    Knob knob{"k" + std::to_string(i), {}, "", false};
    for (int v = 0; v < 256; ++v)
      knob.values.push_back(v);
    space.knobs.push_back(knob);
  }
  EXPECT_EQ(checkError(space), "the space has more than 2^64 combinations");
}

TEST(Space, GetAndFind) {
  Space space = makeSpace();
  EXPECT_EQ(space.find("vector"), 1u);
  EXPECT_FALSE(space.find("Vector"));
  EXPECT_EQ(space.get({32, 4, 0}, "vector"), 4);
}

TEST(Space, RejectionHasBothNumbers) {
  Space space = makeSpace();
  EXPECT_FALSE(space.reject({32, 4, 1}));
  std::optional<Rejection> rejection = space.reject({64, 4, 1});
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->kind, "shared-memory");
  EXPECT_EQ(rejection->message(),
            "shared memory of a block (bytes): needs 65536, limit 49152");
  EXPECT_EQ(space.reject({32, 4})->message(),
            "the configuration has 2 values, expected 3");
  EXPECT_EQ(space.reject({48, 4, 0})->message(),
            "block = 48 is not one of 16, 32, 64");
}

TEST(Space, ValuesByHand) {
  Space space = makeSpace();
  EXPECT_FALSE(space.reject({48, 3, 0}, true));
  EXPECT_EQ(space.reject({52, 3, 1}, true)->kind, "shared-memory");
  // Below the smallest, absurdly large, and not a value of a category.
  EXPECT_EQ(space.reject({0, 1, 0}, true)->kind, "knob-value");
  EXPECT_EQ(space.reject({int64_t(1) << 40, 1, 0}, true)->kind, "knob-value");
  EXPECT_EQ(space.reject({16, 1, 2}, true)->kind, "knob-value");
}

TEST(Space, LaterChecksMayRelyOnEarlierOnes) {
  Space space;
  space.knobs = {{"a", {0, 2}, ""}, {"b", {1, 4}, ""}};
  space.constraints = {
      {"ratio",
       {0, 1},
       "b over a",
       [](std::span<const int64_t> c) {
         EXPECT_NE(c[0], 0);
         return std::pair(double(c[1] / c[0]), 1.0);
       }},
      {"zero", {0}, "a is not 0", [](std::span<const int64_t> c) {
         return std::pair(c[0] == 0 ? 1.0 : 0.0, 0.0);
       }}};
  EXPECT_EQ(space.reject({0, 1})->kind, "zero");
  EXPECT_EQ(space.reject({2, 4})->kind, "ratio");
  EXPECT_EQ(space.count().rejected.at("zero"), 2u);
}

TEST(Space, NotANumberIsIllegal) {
  Space space;
  space.knobs = {{"a", {1}, ""}};
  space.constraints = {{"nan", {0}, "x", [](std::span<const int64_t>) {
                          return std::pair(std::nan(""), 1.0);
                        }}};
  EXPECT_TRUE(space.reject({1}));
  EXPECT_EQ(space.count().legal, 0u);
}

TEST(SpaceText, RoundTrip) {
  Space space = makeSpace();
  EXPECT_EQ(space.toText({64, 2, 1}), "{block = 64, vector = 2, shared = 1}");
  space.forEach([&](const Config &config) {
    Expected<Config> back = space.fromText(space.toText(config));
    EXPECT_TRUE(bool(back));
    EXPECT_EQ(*back, config);
    return true;
  });
  // Any order, any spacing, a value of one's own.
  Expected<Config> config =
      space.fromText("  {shared=0,\n vector = 3 , block = -5}  ");
  ASSERT_TRUE(bool(config));
  EXPECT_EQ(*config, (Config{-5, 3, 0}));
  Space empty;
  EXPECT_EQ(empty.toText({}), "{}");
  EXPECT_TRUE(bool(empty.fromText("{ }")));
}

static std::string textError(std::string_view text) {
  Expected<Config> config = makeSpace().fromText(text);
  return config ? "accepted" : config.error().message;
}

TEST(SpaceText, Errors) {
  EXPECT_EQ(textError("block = 1"),
            "expected '{' at column 1 of the configuration, found 'block = 1'");
  EXPECT_EQ(textError("{blok = 16, vector = 1, shared = 0}"),
            "unknown knob 'blok', expected one of block, vector, shared; did "
            "you mean 'block'?");
  EXPECT_EQ(textError("{block = 16, vector = 1}"),
            "no value for knob 'shared'");
  EXPECT_EQ(textError("{block = 16}"), "no value for knobs 'vector', 'shared'");
  EXPECT_EQ(textError("{block = 16, block = 32}"),
            "knob 'block' is given twice");
  EXPECT_EQ(textError("{block = many}"),
            "expected an integer for 'block' at column 10 of the "
            "configuration, found 'many}'");
  EXPECT_EQ(textError("{block = 99999999999999999999}"),
            "expected an integer for 'block' at column 10 of the "
            "configuration, found '9999999999999999'");
  EXPECT_EQ(textError("{block 16}"),
            "expected '=' after 'block' at column 8 of the configuration, "
            "found '16}'");
  EXPECT_EQ(textError("{block = 16"), "expected ',' or '}' at column 12 of the "
                                      "configuration, found the end");
  EXPECT_EQ(textError("{block = 16, vector = 1, shared = 0} x"),
            "expected the end of the text at column 38 of the configuration, "
            "found 'x'");
  EXPECT_EQ(textError("{block = 16,}"), "expected a knob name at column 13 of "
                                        "the configuration, found '}'");
}
