//===- JsonTest.cpp - untrusted JSON --------------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Json.h"

#include <gtest/gtest.h>

using namespace hwtune;

static std::string parseError(std::string_view text, size_t limit = 1 << 20) {
  Expected<Json> json = parseJson(text, "input", limit);
  return json ? "accepted" : json.error().str();
}

TEST(Json, ErrorsHaveAPlace) {
  EXPECT_EQ(parseError("{\"a\": 1}"), "accepted");
  EXPECT_EQ(parseError("{\n  \"a\": x}")
                .rfind("input is no valid JSON: parse error at line 2, "
                       "column 8",
                       0),
            0u)
      << parseError("{\n  \"a\": x}");
  EXPECT_NE(parseError(""), "accepted");
  EXPECT_NE(parseError("{} {}"), "accepted");
  EXPECT_NE(parseError("{\"a\": 1e999}"), "accepted");
}

TEST(Json, Limits) {
  std::string deep =
      std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_EQ(parseError(deep), "accepted");
  EXPECT_EQ(parseError("[" + deep + "]"),
            "input is nested deeper than the limit of 64");
  // Brackets in strings are text.
  EXPECT_EQ(parseError("\"" + std::string(100, '[') + "\\\"[\""), "accepted");
  EXPECT_EQ(parseError("[1,2]", 4),
            "input is 5 bytes long, expected at most 4");
  EXPECT_NE(parseError(std::string(1000000, '[')), "accepted");
}

TEST(Json, BadBytesDoNotThrow) {
  EXPECT_NE(parseError("\"\xff\""), "accepted");
  EXPECT_EQ(dumpJson(Json("\xff")), "\"\xef\xbf\xbd\"");
}

TEST(Json, OrderedKeepsTheOrder) {
  Expected<OrderedJson> json = parseOrderedJson("{\"b\":1,\"a\":2}", "x", 100);
  ASSERT_TRUE(bool(json));
  EXPECT_EQ(dumpJson(*json), "{\"b\":1,\"a\":2}");
}

static std::string readerError(const char *text,
                               void (*read)(const JsonReader &)) {
  Expected<Json> json = parseJson(text, "input", 1000);
  JsonReader reader(*json, "trial");
  read(reader);
  return reader.ok() ? "accepted" : reader.status().error().message;
}

TEST(JsonReader, NamesTheField) {
  EXPECT_EQ(
      readerError("{}", [](const JsonReader &r) { r["n"].integer(0, 9); }),
      "trial: field `n` is missing");
  EXPECT_EQ(
      readerError("[]", [](const JsonReader &r) { r["n"].integer(0, 9); }),
      "trial: expected an object, found a list");
  EXPECT_EQ(readerError("{\"n\": 10}",
                        [](const JsonReader &r) { r["n"].integer(0, 9); }),
            "trial.n: 10 is out of range, expected 0 to 9");
  EXPECT_EQ(readerError("{\"n\": [1, \"x\"]}",
                        [](const JsonReader &r) {
                          for (const JsonReader &e : r["n"].elements(5))
                            e.number(0, 9);
                        }),
            "trial.n[1]: expected a number, found \"x\"");
  EXPECT_EQ(readerError("{\"n\": 1, \"m\": 2}",
                        [](const JsonReader &r) { r.onlyFields({"n"}); }),
            "trial: unknown field `m`, expected one of: n");
}
