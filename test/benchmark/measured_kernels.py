#!/usr/bin/env python3
"""Compiles public kernels whose times were measured, for bench-simulator-accuracy.

usage: measured_kernels.py {convolution|coulomb} KERNEL.cu MEASURED.json.gz OUT
       [--arch sm_75] [--sample 300] [--fastest 50] [--seed 1]

KERNEL.cu is the public source (KTT: KernelTunerConvolution.cu, CoulombSum3d.cu),
MEASURED a KTT results file of it. Needs nvcc and ptxas. Writes PTX and
OUT/manifest.json; what is already there is kept, so that a run can be resumed.
"""
import argparse
import gzip
import json
import os
import random
import re
import subprocess

PROBLEMS = {
    # parameters that change the kernel, kernel arguments, compiler flags
    "convolution": (
        ["BLOCK_SIZE_X", "BLOCK_SIZE_Y", "TILE_SIZE_X", "TILE_SIZE_Y", "READ_ONLY"],
        lambda c: [{"bytes": 4 * 4096 * 4096}, {"bytes": 4 * 4110 * 4110}, {"bytes": 4 * 225}],
        [],
    ),
    "coulomb": (
        ["WORK_GROUP_SIZE_X", "WORK_GROUP_SIZE_Y", "INNER_UNROLL_FACTOR", "Z_ITERATIONS",
         "USE_SOA", "VECTOR_SIZE"],
        lambda c: [{"bytes": 1024}, {"bytes": 256}, {"bytes": 256}, {"bytes": 256},
                   {"bytes": 256}, {"i32": 64}, {"f32": 0.5}, {"i32": 256},
                   {"bytes": 4 * 256 ** 3}],
        ["-use_fast_math"],
    ),
}


def load(path):
    """(time in us, parameters, result) of the valid rows, fastest first."""
    rows = []
    for result in json.load(gzip.open(path))["Results"]:
        if result["Status"] == "Ok":
            config = {p["Name"]: p["Value"] for p in result["Configuration"]}
            rows.append((result["TotalDuration"], config, result))
    return sorted(rows, key=lambda row: row[0])


def build(source, config, path, arch, flags):
    ptx, log = path + ".ptx", path + ".ptxas"
    if not os.path.exists(ptx):
        defines = [f"-D{name}={value}" for name, value in config.items()]
        with open(source) as file:
            text = file.read()
        # nvcc expands no macro in `#pragma unroll`; NVRTC, which was measured, does.
        text = re.sub(r"(#pragma unroll )(\w+)",
                      lambda m: m.group(1) + str(config.get(m.group(2), m.group(2))), text)
        with open(path + ".cu", "w") as file:
            file.write(text)
        subprocess.run(["nvcc", f"-arch={arch}", "-ptx", path + ".cu", "-o", ptx,
                        *flags, *defines], check=True)
    if not os.path.exists(log):
        done = subprocess.run(["ptxas", "-v", f"-arch={arch}", ptx, "-o", "/dev/null"],
                              capture_output=True, text=True, check=True)
        with open(log, "w") as file:
            file.write(done.stderr)
    with open(log) as file:
        text = file.read()
    spill = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", text)
    return ptx, int(re.search(r"Used (\d+) registers", text).group(1)), int(spill.group(2))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", choices=PROBLEMS)
    for name in ("kernel", "measured", "out"):
        parser.add_argument(name)
    parser.add_argument("--arch", default="sm_75")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--fastest", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    keys, arguments, flags = PROBLEMS[args.problem]
    rows = load(args.measured)
    drawn = random.Random(args.seed).sample(rows, min(args.sample, len(rows)))
    os.makedirs(args.out, exist_ok=True)
    manifest, seen = [], set()
    for time, config, result in rows[:args.fastest] + drawn:
        name = "_".join(str(config[key]) for key in keys)
        if name in seen:  # an inert parameter apart, the same kernel
            continue
        seen.add(name)
        ptx, registers, spills = build(args.kernel, config, os.path.join(args.out, name),
                                       args.arch, flags)
        run = result["ComputationResults"][0]
        counters = run.get("ProfilingData", {}).get("Counters", [])
        manifest.append({
            "name": name, "ptx": os.path.abspath(ptx), "time_us": time,
            "grid": [run["GlobalSize"][axis] for axis in "XYZ"],
            "block": [run["LocalSize"][axis] for axis in "XYZ"],
            "args": arguments(config), "regs": registers, "spill_ld": spills,
            "counters": {c["Name"]: c["Value"] for c in counters}})
    with open(os.path.join(args.out, "manifest.json"), "w") as file:
        json.dump(manifest, file)
    print(f"{len(manifest)} kernels in {args.out}/manifest.json")


if __name__ == "__main__":
    main()
