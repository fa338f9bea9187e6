#!/usr/bin/env python3
"""Prints what a lit run skipped, with the reason, and the closing count.

usage: test-summary.py RESULTS.json      (written by lit --output)
"""
import collections
import json
import re
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def reason(test):
    text = test.get("output", "")
    for pattern in (
        r"Test requires the following unavailable features?: (.*)",
        r"Test does not support the following features? and/or targets?: (.*)",
        r"GTEST_SKIP\(\)|Skipped\n(.*)",
    ):
        match = re.search(pattern, text)
        if match:
            return "needs: " + match.group(1) if match.lastindex else text.strip()
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1] if lines else test["code"].lower()


def main():
    with open(sys.argv[1]) as file:
        tests = json.load(file)["tests"]
    passed = [t for t in tests if t["code"] in PASSED]
    skipped = [t for t in tests if t["code"] in SKIPPED]
    failed = [t for t in tests if t["code"] not in PASSED | SKIPPED]
    by_reason = collections.defaultdict(list)
    for test in skipped:
        by_reason[reason(test)].append(test["name"])
    for why, names in sorted(by_reason.items()):
        print(f"skipped, {why}:")
        for name in sorted(names):
            print(f"  {name}")
    for test in failed:
        print(f"{test['code']}: {test['name']}")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
