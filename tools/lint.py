#!/usr/bin/env python3
"""Checks the tree for what no compiler reports.

usage: lint.py [--build build] [--format]
Each check prints file:line: what is wrong and what is expected.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

MAX_LINES = 1000
ENGINE = ("Support Driver Target Workload Space Model Search Records Simulator "
          "Measure Tuner").split()
# Programs and libraries of the engine storey: they must not link MLIR.
ENGINE_BINARIES = ["bin/hwtune-run", "bin/hwtune-records",
                   "bin/hwtune-report", "lib/libhwtune-simcuda.so",
                   "lib/libhwtune-gpu-runtime.so"]


def tracked():
    names = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True)
    return [name for name in names.stdout.splitlines() if os.path.isfile(name)]


def text_of(name):
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None  # binary


def check_text(name, text):
    code = name.endswith((".cpp", ".h", ".td", ".py", ".cmake", "CMakeLists.txt"))
    for number, line in enumerate(text.splitlines(), 1):
        if code and line != line.rstrip():
            yield number, "trailing whitespace"
        if code and "\t" in line:
            yield number, "tab; indent with spaces"
        if re.search(r"/(work|farm|root|home/\w+)/", line) and name != "tools/lint.py":
            yield number, "machine path; the tree names no machine"
    if name.endswith((".cpp", ".h")):
        if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in text[:600]:
            yield 1, "no licence banner"
        if text.count("\n") > MAX_LINES:
            yield 1, f"{text.count(chr(10))} lines; split by concept below {MAX_LINES}"


def check_layers(name, text):
    """The engine storey includes no MLIR or LLVM header; directories point one way."""
    match = re.match(r"(?:lib|include/hwtune)/(\w+)/", name)
    if not match or match.group(1) not in ENGINE:
        return
    own = ENGINE.index(match.group(1))
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#include\s+["<](mlir|llvm|hwtune/(\w+))/', line)
        if not include:
            continue
        if not include.group(2):
            yield number, "the engine storey includes no MLIR or LLVM header"
        elif include.group(2) not in ENGINE or ENGINE.index(include.group(2)) > own:
            yield number, f"{match.group(1)} may not depend on {include.group(2)}"
        elif match.group(1) == "Simulator" and include.group(2) not in (
                "Simulator", "Target", "Support", "Driver"):
            yield number, f"Simulator may not depend on {include.group(2)}"


def check_environment(name, text):
    """No environment variable decides anything in lib/, but one."""
    if not name.startswith(("lib/", "include/")):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r"\bgetenv\s*\(", line) and "HWTUNE_SIM_TARGET" not in line:
            yield number, "environment variable read in lib/"
        if "cl::opt" in line:
            yield number, "cl::opt in lib/; options belong in the .td"


def check_run_lines(name, text):
    """A mistyped --h... flag prints help and exits 0, so tests use pipelines."""
    if not name.startswith("test/") or not name.endswith((".mlir", ".test")):
        return
    # There the command line itself is under test.
    command_line = name.startswith("test/tools/") or "command-line" in os.path.basename(name)
    for number, line in enumerate(text.splitlines(), 1):
        if "RUN:" in line and re.search(r"opt\b.*\s--?hw", line) and not command_line:
            yield number, "use --pass-pipeline= in RUN lines"
    is_slow = bool(re.search(r"REQUIRES:.*\bslow\b", text))
    if is_slow != (os.path.splitext(name)[0].endswith("-slow")):
        yield 1, "a test that REQUIRES slow is named ...-slow, and no other"


def check_binaries(build):
    for name in ENGINE_BINARIES:
        path = os.path.join(build, name)
        if not os.path.exists(path):
            yield path, 1, "not built; the link check needs it"
            continue
        needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
        for library in re.findall(r"NEEDED.*\[(lib(?:MLIR|LLVM)[^\]]*)\]", needed):
            yield path, 1, f"links {library}; the engine storey links neither MLIR nor LLVM"


def check_driver_functions(names):
    """Every function of the simulated driver is called in a test. Those that are not
    supported are all called by one test that reads the same list."""
    table = "lib/Simulator/Cuda/Functions.def"
    refused = set(re.findall(r"SUPPORTED\((\w+)\)",
                             text_of("lib/Simulator/Cuda/NotSupported.def")))
    tests = " ".join(text_of(n) for n in names if n.startswith("test/") and n.endswith(".cpp"))
    called = {re.sub(r"_v\d$", "", word) for word in re.findall(r"\bcu[A-Z]\w*", tests)}
    for number, line in enumerate(text_of(table).splitlines(), 1):
        entry = re.match(r"HWTUNE_FUNCTION\((\w+), \w, (\w+),", line)
        if entry and entry.group(2) not in refused and entry.group(1) not in called:
            yield table, number, f"{entry.group(1)} is called in no test"


def check_format(names):
    tool = shutil.which("clang-format-22")
    if not tool:
        yield "tools/dev", 1, "clang-format-22 not found; run tools/dev setup"
        return
    sources = [n for n in names if n.endswith((".cpp", ".h"))]
    if not sources:
        return
    done = subprocess.run([tool, "--dry-run", "-Werror", *sources], capture_output=True, text=True)
    for match in re.finditer(r"^([^:\n]+):(\d+):\d+: error:", done.stderr, re.M):
        yield match.group(1), int(match.group(2)), "not formatted; run clang-format-22 -i"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build")
    parser.add_argument("--format", action="store_true")
    args = parser.parse_args()
    names = tracked()
    found = []
    for name in names:
        text = text_of(name)
        if text is None:
            continue
        for check in (check_text, check_layers, check_environment, check_run_lines):
            found += [(name, *problem) for problem in check(name, text)]
    found += check_driver_functions(names)
    if args.build:
        found += check_binaries(args.build)
    if args.format:
        found += check_format(names)
    for name, number, what in found:
        print(f"{name}:{number}: {what}")
    print(f"lint: {len(names)} files, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
