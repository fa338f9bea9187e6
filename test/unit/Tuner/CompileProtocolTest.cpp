//===- CompileProtocolTest.cpp - requests and replies as JSON -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Tuner/CompileProtocol.h"

#include <gtest/gtest.h>

using namespace hwtune;

TEST(CompileProtocol, RequestRoundTrip) {
  CompileRequest request{3,          "module {}", "a100",      "matmul",
                         "{a = 1}",  "script",    "f",         {{1, 2}, {}},
                         UINT64_MAX, true,        "/bin/ptxas"};
  Expected<CompileRequest> back = CompileRequest::fromJson(request.toJson());
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_EQ(back->toJson(), request.toJson());
  EXPECT_EQ(back->script, "script");
  Json json = request.toJson();
  // A built-in schedule has none.
  json.erase("script");
  back = CompileRequest::fromJson(json);
  EXPECT_TRUE(back && back->script.empty());
  json["seed"] = -1;
  EXPECT_EQ(CompileRequest::fromJson(json).error().message,
            "request.seed: expected an integer from 0 to 2^64 - 1, found -1");
  json = request.toJson();
  json.erase("config");
  EXPECT_EQ(CompileRequest::fromJson(json).error().message,
            "request: field `config` is missing");
}

TEST(CompileProtocol, ReplyRoundTrip) {
  CompileReply reply;
  reply.id = 4, reply.ok = true;
  reply.launchFile = "l.json", reply.ptxHash = "ff";
  reply.grid = {4, 2, 1};
  reply.registerBasis = "estimate";
  Expected<CompileReply> back = CompileReply::fromJson(reply.toJson());
  ASSERT_TRUE(bool(back)) << back.error().str();
  EXPECT_EQ(back->toJson(), reply.toJson());
  Json json = reply.toJson();
  json["grid"] = {1, 2};
  EXPECT_EQ(CompileReply::fromJson(json).error().message,
            "reply.grid: 2 elements, expected 3");
  // A failure needs its text, and whether others can succeed.
  back = CompileReply::fromJson(
      {{"id", 1}, {"ok", false}, {"diagnostics", "no"}, {"fatal", true}});
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->diagnostics, "no");
  EXPECT_TRUE(back->fatal);
}
