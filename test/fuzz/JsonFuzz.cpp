//===- JsonFuzz.cpp - any bytes to the readers of untrusted JSON ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch descriptions, target descriptions, run outcomes, expected values:
// besides the absence of crashes, what is accepted prints to a text that is
// accepted and prints to itself, and an error has a message.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Measure/LaunchDescription.h"
#include "hwtune/Measure/RunOutcome.h"
#include "hwtune/Target/TargetFields.h"

#include <cstdio>
#include <cstdlib>

using namespace hwtune;

static void require(bool condition, const char *what, const std::string &text) {
  if (condition)
    return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

template <typename Read, typename Print>
static void roundTrip(std::string_view text, Read read, Print print) {
  auto value = read(text);
  if (!value) {
    require(!value.error().message.empty(), "error without a message", "");
    return;
  }
  std::string once = print(*value);
  auto again = read(once);
  require(bool(again), "printed text is refused", once);
  require(print(*again) == once, "printed text prints differently", once);
}

/// The launch description's expected section, in the input taken for the file.
static void readSection(std::string_view text) {
  ExpectedDesc desc;
  desc.partial = text.size() % 2;
  desc.count = text.size() / 24;
  auto values = readExpected(text, desc, static_cast<int64_t>(desc.count));
  require(bool(values) || !values.error().message.empty(),
          "error without a message", "");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  roundTrip(text, LaunchDescription::fromJson,
            [](const LaunchDescription &d) { return d.toJson(); });
  roundTrip(text, RunOutcome::fromJson,
            [](const RunOutcome &o) { return o.toJson(); });
  roundTrip(text, targetFromJson,
            [](const TargetSpec &s) { return toJson(s); });
  readSection(text);
  return 0;
}
