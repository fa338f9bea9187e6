//===- main.cpp - look into the tuning database ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

using namespace hwtune;

static const char *const kHelp =
    R"(usage: hwtune-records COMMAND [options]

Looks into the tuning database, and exchanges records with other machines and
tools.

  list                  all runs
  show RUN              one run with its trials
  best                  the best finished run of each operation and GPU
  export [RUN...]       runs (default: all) as text, on standard output
  import FILE...        JSON lines written by export, or another tuner's file
  prune                 removes runs; needs one of the conditions below

  --db=PATH             the database (default: in the user's cache folder)
  --op=TEXT, --gpu=ID   only runs whose operation contains TEXT, on this GPU;
                        with import --format=t4: the GPU of the file
  --format=FORMAT       jsonl (default), kernel-tuner, t4 or ktt; the last
                        three hold one run, ktt is read only
  --out=FILE            export to this file
  --unfinished          prune: runs that were interrupted, a day ago or more
  --older-than=DAYS     prune: runs that began longer ago
  --superseded          prune: finished runs that a better one of the same key
                        stands beside
  --run=RUN             prune: this run
  --dry-run             prune: only say what would go

exit code: 0 done; 1 it failed; 2 bad command line
)";

static std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

int main(int argc, char **argv) {
  Expected<Arguments> arguments = parseArguments(
      argc, argv,
      {"--help", "--db=", "--op=", "--gpu=", "--format=", "--out=",
       "--unfinished", "--older-than=", "--superseded", "--run=", "--dry-run"});
  if (arguments && arguments->has("help")) {
    return printResult("hwtune-records", kHelp);
  }
  if (!arguments || arguments->positional.empty()) {
    fmt::print(stderr, "hwtune-records: {}\n",
               arguments ? "no command, expected list, show, best, export, "
                           "import or prune (--help tells more)"
                         : arguments.error().str());
    return 2;
  }
  std::string path = arguments->get(
      "db", defaultDatabasePath(fromEnvironment("XDG_CACHE_HOME"),
                                fromEnvironment("HOME")));
  CommandResult result = runCommand(*arguments, path);
  int code = printResult("hwtune-records", result.text, result.code);
  if (!result.error.empty())
    fmt::print(stderr, "hwtune-records: {}\n", result.error);
  return code;
}
