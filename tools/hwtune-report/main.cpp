//===- main.cpp - a report of what was tuned, for people ------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "hwtune/Support/Arguments.h"
#include "hwtune/Support/File.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

using namespace hwtune;

static const char *const kHelp =
    R"(usage: hwtune-report [options]

Prints what the tuning database knows of its runs: the hardware as it was read,
the candidates with their scores, the log of trials with what each taught the
model, and the final schedule.

  --db=PATH        the database (default: in the user's cache folder)
  --run=RUN        only this run, by number or uid (default: every finished run)
  --op=TEXT        only runs whose operation contains TEXT
  --gpu=ID         only runs on this GPU
  --format=FORMAT  text (default) or markdown
  --out=FILE       write to this file instead of standard output

exit code: 0 done; 1 it failed; 2 bad command line
)";

static std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static int fail(int code, const std::string &message) {
  fmt::print(stderr, "hwtune-report: {}\n", message);
  return code;
}

int main(int argc, char **argv) {
  Expected<Arguments> arguments = parseArguments(
      argc, argv,
      {"--help", "--db=", "--run=", "--op=", "--gpu=", "--format=", "--out="});
  if (!arguments)
    return fail(2, arguments.error().str());
  if (arguments->has("help")) {
    return printResult("hwtune-report", kHelp);
  }
  if (!arguments->positional.empty())
    return fail(2, fmt::format("unexpected argument '{}' (--help tells more)",
                               arguments->positional[0]));
  std::string format = arguments->get("format", "text");
  if (format != "text" && format != "markdown")
    return fail(2, fmt::format("unknown format '{}', expected text or markdown",
                               format));
  std::string path = arguments->get(
      "db", defaultDatabasePath(fromEnvironment("XDG_CACHE_HOME"),
                                fromEnvironment("HOME")));
  Expected<std::unique_ptr<Database>> db =
      Database::open(path, Database::Mode::ReadOnly);
  if (!db)
    return fail(1, db.error().str());
  ReportFilter filter{arguments->get("run"), arguments->get("op"),
                      arguments->get("gpu")};
  Expected<std::string> text = report(**db, filter, format == "markdown");
  if (!text)
    return fail(1, text.error().str());
  if (arguments->has("out")) {
    Status status = writeFileAtomically(arguments->get("out"), *text);
    return status ? 0 : fail(1, status.error().str());
  }
  return printResult("hwtune-report", *text);
}
