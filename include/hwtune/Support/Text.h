//===- Text.h - small text helpers ---------------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every message needs: numbers as people write them, and the nearest name
// for "did you mean".
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_TEXT_H
#define HWTUNE_SUPPORT_TEXT_H

#include "hwtune/Support/EditDistance.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// `text` without white space at both ends.
std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::string join(std::span<const std::string> parts,
                 std::string_view separator);
/// The whole of `text` as a decimal integer; nothing where it is not one or
/// does not fit.
std::optional<int64_t> parseInt(std::string_view text);
/// The whole of `text` as a finite number.
std::optional<double> parseDouble(std::string_view text);

/// The up to `count` names nearest to `text`, nearest first (ties in the order
/// given), those further than a third of its length + 1 left out.
std::vector<std::string> nearestNames(std::string_view text,
                                      std::span<const std::string> names,
                                      unsigned count = 3);
/// "; did you mean 'a' or 'b'?", or "" where nothing is near.
std::string didYouMean(std::string_view text,
                       std::span<const std::string> names);

/// "65536", "0.25": an integer without decimals, else up to 6 digits.
std::string formatNumber(double value);
/// "1.234 ms" from seconds; four digits.
std::string formatTime(double seconds);
/// The same from nanoseconds; "-" where there are none.
std::string formatNanoseconds(const std::optional<double> &ns);
/// A time since 1970 in UTC by `strftime`'s `format` of numbers; times outside
/// the years 1970 to 9999 are shown as the nearest inside.
std::string formatUtc(double unixSeconds, const char *format);
/// `text`, or its first `most` bytes (no character is cut) and how many were
/// left out, where it has more.
std::string shortened(std::string text, size_t most);
/// "48.0 KiB" from bytes; "17 B" below one KiB.
std::string formatBytes(double bytes);
/// "12.3 GFLOP/s" from units a second, with `unit` "FLOP/s"; prefixes by 1000.
std::string formatRate(double perSecond, std::string_view unit);
/// "1:02:03" or "2:03" from seconds, for an ETA.
std::string formatDuration(double seconds);

} // namespace hwtune

#endif // HWTUNE_SUPPORT_TEXT_H
