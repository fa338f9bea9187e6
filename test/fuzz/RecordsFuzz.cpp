//===- RecordsFuzz.cpp - import of records from untrusted text ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes: an error or records, never a crash; what is accepted survives
// another export and import. The same bytes as a configuration's text.
//
//===----------------------------------------------------------------------===//

#include "hwtune/Records/Exchange.h"
#include "hwtune/Space/Space.h"

#include <cstdlib>

using namespace hwtune;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

static void records(std::string_view text) {
  Expected<std::vector<RunWithTrials>> runs = importJsonLines(text, "input");
  if (!runs) {
    require(!runs.error().message.empty());
    return;
  }
  std::string out = exportJsonLines(*runs, "fuzz");
  Expected<std::vector<RunWithTrials>> again = importJsonLines(out, "output");
  require(bool(again));
  require(exportJsonLines(*again, "fuzz") == out);
  for (const RunWithTrials &run : *runs) {
    require(!exportKernelTuner(run).empty());
    require(!exportT4(run).empty());
  }
}

/// What is taken from another tuner's file survives our own format.
static void others(Expected<RunWithTrials> run) {
  if (!run)
    return;
  std::string out = exportJsonLines({*run}, "fuzz");
  require(bool(importJsonLines(out, "output")));
}

static void configuration(std::string_view text) {
  Space space;
  space.knobs = {{"a", {1, 2}, ""}, {"block_m", {16, 32}, ""}};
  Expected<Config> config = space.fromText(text);
  if (!config)
    return;
  Expected<Config> again = space.fromText(space.toText(*config));
  require(again && *again == *config);
  (void)space.reject(*config, true);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  records(text);
  configuration(text);
  others(importKernelTuner(text, "input"));
  others(importKtt(text, "input"));
  others(importT4(text, "input", "gpu"));
  return 0;
}
