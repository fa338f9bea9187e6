#!/usr/bin/env python3
"""Runs every fuzz target of a build on its corpus and reports executions.

usage: fuzz.py --build build [--seconds N] [--runs N]
Each target stops after `--runs` executions (default 1,000,000) or `--seconds`,
whichever comes first; the PTX parser, which reads what strangers send, has ten
times as long and must reach its executions. Exit 1 if it did not, or if any
target crashed, hung or did not start.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(program, corpus, seconds, runs):
    with tempfile.TemporaryDirectory() as scratch:
        work = os.path.join(scratch, "corpus")
        shutil.copytree(corpus, work) if os.path.isdir(corpus) else os.mkdir(work)
        command = [
            os.path.abspath(program), work, f"-max_total_time={seconds}", f"-runs={runs}",
            "-timeout=10", "-rss_limit_mb=2048", "-max_len=16384", "-seed=1",
            "-print_final_stats=1", f"-artifact_prefix={scratch}/",
        ]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=scratch)
        units = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        return done.returncode, int(units.group(1)) if units else 0, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=1_000_000)
    args = parser.parse_args()
    folder = os.path.join(args.build, "bin", "fuzz")
    programs = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    if not programs:
        print("fuzz: no fuzz target was built", file=sys.stderr)
        return 1
    failed = 0
    for name in programs:
        corpus = os.path.join("test", "fuzz", "corpus", name.removeprefix("fuzz-"))
        reads_strangers = name == "fuzz-ptx"
        seconds = args.seconds * (10 if reads_strangers else 1)
        least = args.runs if reads_strangers else 1
        code, units, log = run(os.path.join(folder, name), corpus, seconds, args.runs)
        print(f"{name}: {units} executions of at least {least}, {'ok' if code == 0 else f'exit {code}'}")
        if code != 0 or units < least:
            failed += 1
            print("\n".join(log.splitlines()[-40:]), file=sys.stderr)
    print(f"fuzz: {len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
