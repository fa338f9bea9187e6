//===- TextTest.cpp - numbers and names as people write them --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Text.h"
#include "hwtune/Support/TimeUnit.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace hwtune;

TEST(Text, TrimSplitJoin) {
  EXPECT_EQ(trim("  a b\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(split("a,,b", ',').size(), 3u);
  EXPECT_EQ(split("", ',').size(), 1u);
  std::vector<std::string> parts{"x", "y"};
  EXPECT_EQ(join(parts, "-"), "x-y");
}

TEST(Text, ParseInt) {
  EXPECT_EQ(parseInt("-17"), -17);
  EXPECT_EQ(parseInt("9223372036854775807"), INT64_MAX);
  EXPECT_FALSE(parseInt("9223372036854775808"));
  EXPECT_FALSE(parseInt("12x"));
  EXPECT_FALSE(parseInt(""));
  EXPECT_FALSE(parseInt(" 1"));
}

TEST(Text, ParseDouble) {
  EXPECT_EQ(parseDouble("1.5e3"), 1500);
  EXPECT_FALSE(parseDouble("nan"));
  EXPECT_FALSE(parseDouble("inf"));
  EXPECT_FALSE(parseDouble("1.5 "));
}

TEST(Text, SecondsPerUnit) {
  EXPECT_EQ(secondsPerUnit("s"), 1);
  EXPECT_EQ(secondsPerUnit("miliseconds"), 1e-3);
  EXPECT_EQ(secondsPerUnit("Microseconds"), 1e-6);
  EXPECT_EQ(secondsPerUnit("ns"), 1e-9);
  EXPECT_FALSE(secondsPerUnit(""));
  EXPECT_FALSE(secondsPerUnit("GFLOP/s"));
}

TEST(Text, EditDistance) {
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("same", "same"), 0u);
}

TEST(Text, NearestNames) {
  std::vector<std::string> names{"a100-pcie", "a100-sxm4", "h100-sxm5"};
  EXPECT_EQ(nearestNames("a100-sxm5", names, 2),
            (std::vector<std::string>{"a100-sxm4", "h100-sxm5"}));
  EXPECT_EQ(didYouMean("a100-sxm", names),
            "; did you mean 'a100-sxm4' or 'h100-sxm5'?");
  EXPECT_EQ(didYouMean("zzz", names), "");
}

TEST(Text, Numbers) {
  EXPECT_EQ(formatNumber(65536), "65536");
  EXPECT_EQ(formatNumber(0.25), "0.25");
  EXPECT_EQ(formatNumber(1.0 / 3), "0.333333");
  EXPECT_EQ(formatNumber(100000000), "100000000");
}

TEST(Text, Times) {
  EXPECT_EQ(formatTime(1.2345e-3), "1.234 ms");
  EXPECT_EQ(formatTime(0), "0 ns");
  EXPECT_EQ(formatTime(12.34e-6), "12.34 us");
  EXPECT_EQ(formatTime(999.96e-6), "1.000 ms");
  EXPECT_EQ(formatTime(2), "2.000 s");
  EXPECT_EQ(formatTime(1.0 / 0.0), "-");
}

TEST(Text, Dates) {
  const char *day = "%Y-%m-%d %H:%M:%S";
  EXPECT_EQ(formatUtc(86400 + 61, day), "1970-01-02 00:01:01");
  EXPECT_EQ(formatUtc(-5, day), "1970-01-01 00:00:00");
  EXPECT_EQ(formatUtc(1e308, day), "9999-12-31 23:59:59");
  EXPECT_EQ(formatUtc(std::nan(""), day), "1970-01-01 00:00:00");
}

TEST(Text, Shortened) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc ... (1 bytes more)");
  // The second byte of a character is not the first of what is left out.
  EXPECT_EQ(shortened("ab\xc3\xa4", 3), "ab ... (2 bytes more)");
}

TEST(Text, BytesRatesDurations) {
  EXPECT_EQ(formatBytes(17), "17 B");
  EXPECT_EQ(formatBytes(49152), "48.0 KiB");
  EXPECT_EQ(formatBytes(1024.0 * 1024 * 1024), "1.0 GiB");
  EXPECT_EQ(formatRate(12.345e9, "FLOP/s"), "12.3 GFLOP/s");
  EXPECT_EQ(formatRate(17, "trials/s"), "17.0 trials/s");
  EXPECT_EQ(formatDuration(3723), "1:02:03");
  EXPECT_EQ(formatDuration(63.4), "1:03");
}
