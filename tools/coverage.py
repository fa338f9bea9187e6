#!/usr/bin/env python3
"""Prints the line coverage of some sources by a test, per file, and checks the sum.

usage: coverage.py --llvm-cov TOOL --profile FILE --at-least PERCENT PROGRAM FOLDER
Exit 1 if less than PERCENT of the lines in FOLDER ran.
"""
import argparse
import json
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-cov", required=True)
    parser.add_argument("--profile", required=True)
    parser.add_argument("--at-least", type=float, required=True)
    parser.add_argument("program")
    parser.add_argument("folder")
    args = parser.parse_args()
    command = [args.llvm_cov, "export", args.program, f"-instr-profile={args.profile}", "-summary-only", args.folder]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["data"][0]
    for file in sorted(report["files"], key=lambda f: f["filename"]):
        lines = file["summary"]["lines"]
        print(f"{os.path.basename(file['filename']):24} {lines['covered']:5} of {lines['count']:5}  {lines['percent']:6.2f}%")
    percent = report["totals"]["lines"]["percent"]
    print(f"coverage: {percent:.2f}% of the lines, expected at least {args.at_least:g}%")
    return 1 if percent < args.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
