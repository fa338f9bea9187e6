#!/usr/bin/env python3
"""Compiles public kernels whose times were measured, for bench-simulator-accuracy.

usage: measured_kernels.py {convolution|coulomb|sgemm} SOURCE MEASURED.json.gz OUT
       [--arch sm_75] [--sample 300] [--fastest 50] [--seed 1] [--built]

SOURCE is the public source: of KTT KernelTunerConvolution.cu or CoulombSum3d.cu,
of CLBlast the folder src/kernels (OpenCL, read as CUDA by its own header).
MEASURED is a results file of KTT or a cache file of Kernel Tuner. Needs nvcc and
ptxas. Writes PTX and OUT/manifest.json; what is already there is kept, so that a
run can be resumed, and one OUT serves several GPUs: the PTX is for sm_75, only
ptxas is asked about --arch. The manifest of another architecture has it in its name.
With --built only kernels whose PTX is there already.
"""
import argparse
import gzip
import json
import os
import random
import re
import subprocess

from programs import parse_json, run_main

PTX_ARCH = "sm_75"


def read(path):
    with open(path) as file:
        return file.read()


def cuda_source(source, config):
    # nvcc expands no macro in `#pragma unroll`; NVRTC, which was measured, does.
    return re.sub(r"(#pragma unroll )(\w+)",
                  lambda m: m.group(1) + str(config.get(m.group(2), m.group(2))),
                  read(source))


def clblast_source(folder, _):
    """The files in CLBlast's order, without the quotes that make them C++ strings."""
    parts = ["opencl_to_cuda.h", "common.opencl", "level3/xgemm_part1.opencl",
             "level3/xgemm_part2.opencl", "level3/xgemm_part3.opencl",
             "level3/xgemm_part4.opencl"]
    lines = [line for part in parts for line in read(os.path.join(folder, part)).split("\n")
             if line.strip() not in ('R"(', ')"')]
    text = "\n".join(lines)
    # OpenCL aligns a vector to its size; a plain struct would be loaded by words.
    text = re.sub(r"typedef struct (\{[^}]*\} float8;)", r"typedef struct __align__(32) \1", text)
    return text.replace("__attribute__((reqd_work_group_size(MDIMC, NDIMC, 1)))",
                        "__launch_bounds__(MDIMC * NDIMC)")


def sgemm_launch(c):
    return ([4096 // c["MWG"], 4096 // c["NWG"], 1], [c["MDIMC"], c["NDIMC"], 1])


def convolution_launch(c):
    def blocks(axis):
        per = c["BLOCK_SIZE_" + axis] * c["TILE_SIZE_" + axis]
        return (4096 + per - 1) // per
    return [blocks("X"), blocks("Y"), 1], [c["BLOCK_SIZE_X"], c["BLOCK_SIZE_Y"], 1]


MATRIX = {"bytes": 4 * 4096 * 4096}

PROBLEMS = {
    # parameters that change the kernel, kernel arguments, compiler flags, source
    # text, and the grid and block where the results do not say
    "convolution": (
        ["BLOCK_SIZE_X", "BLOCK_SIZE_Y", "TILE_SIZE_X", "TILE_SIZE_Y", "READ_ONLY"],
        [MATRIX, {"bytes": 4 * 4110 * 4110}, {"bytes": 4 * 225}],
        [], cuda_source, convolution_launch),
    "coulomb": (
        ["WORK_GROUP_SIZE_X", "WORK_GROUP_SIZE_Y", "INNER_UNROLL_FACTOR", "Z_ITERATIONS",
         "USE_SOA", "VECTOR_SIZE"],
        [{"bytes": 1024}, {"bytes": 256}, {"bytes": 256}, {"bytes": 256}, {"bytes": 256},
         {"i32": 64}, {"f32": 0.5}, {"i32": 256}, {"bytes": 4 * 256 ** 3}],
        ["-use_fast_math"], cuda_source, None),
    "sgemm": (
        ["MWG", "NWG", "KWG", "MDIMC", "NDIMC", "MDIMA", "NDIMB", "KWI", "VWM", "VWN",
         "STRM", "STRN", "SA", "SB"],
        [{"i32": 4096}, {"i32": 4096}, {"i32": 4096}, {"f32": 1.0}, {"f32": 0.0},
         MATRIX, MATRIX, MATRIX, {"i32": 0}, {"i32": 0}],
        ["-DUSE_INLINE_KEYWORD"], clblast_source, sgemm_launch),
}


def load(path, launch):
    """(time in us, parameters, launch, counters) of the valid rows, fastest first."""
    rows = []
    data = parse_json(gzip.open(path, "rt").read(), path)
    for result in data.get("Results", []):
        if result["Status"] == "Ok":
            config = {p["Name"]: p["Value"] for p in result["Configuration"]}
            run = result["ComputationResults"][0]
            shape = tuple([run[size][axis] for axis in "XYZ"]
                          for size in ("GlobalSize", "LocalSize"))
            counters = run.get("ProfilingData", {}).get("Counters", [])
            rows.append((result["TotalDuration"], config, shape,
                         {c["Name"]: c["Value"] for c in counters}))
    for row in data.get("cache", {}).values():
        if isinstance(row["time"], (int, float)):
            config = {name.upper(): value for name, value in row.items()
                      if name in data["tune_params_keys"]}
            rows.append((row["time"] * 1e3, config, launch(config), {}))
    return sorted(rows, key=lambda row: row[0])


def compile_ptx(text, config, path, flags):
    ptx = path + ".ptx"
    if not os.path.exists(ptx):
        with open(path + ".cu", "w") as file:
            file.write(text)
        defines = [f"-D{name}={value}" for name, value in config.items()]
        subprocess.run(["nvcc", f"-arch={PTX_ARCH}", "-ptx", path + ".cu", "-o", ptx,
                        *flags, *defines], check=True)
    return ptx


def ask_ptxas(path, arch):
    """(registers, bytes of spill loads) of a thread."""
    log = path + (".ptxas" if arch == PTX_ARCH else f".{arch}.ptxas")
    if not os.path.exists(log):
        done = subprocess.run(["ptxas", "-v", f"-arch={arch}", path + ".ptx", "-o", "/dev/null"],
                              capture_output=True, text=True, check=True)
        with open(log, "w") as file:
            file.write(done.stderr)
    text = read(log)
    spill = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", text)
    return int(re.search(r"Used (\d+) registers", text).group(1)), int(spill.group(2))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", choices=PROBLEMS)
    for name in ("source", "measured", "out"):
        parser.add_argument(name)
    parser.add_argument("--arch", default=PTX_ARCH)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--fastest", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--built", action="store_true")
    args = parser.parse_args()
    keys, arguments, flags, source, launch = PROBLEMS[args.problem]
    rows = load(args.measured, launch)
    drawn = random.Random(args.seed).sample(rows, min(args.sample, len(rows)))
    os.makedirs(args.out, exist_ok=True)
    manifest, seen = [], set()
    for time, config, (grid, block), counters in rows[:args.fastest] + drawn:
        name = "_".join(str(config[key]) for key in keys)
        if name in seen:  # an inert parameter apart, the same kernel
            continue
        seen.add(name)
        path = os.path.join(args.out, name)
        if args.built and not os.path.exists(path + ".ptx"):
            continue
        ptx = compile_ptx(source(args.source, config), config, path, flags)
        registers, spills = ask_ptxas(path, args.arch)
        manifest.append({
            "name": name, "ptx": os.path.abspath(ptx), "time_us": time, "grid": grid,
            "block": block, "args": arguments, "regs": registers, "spill_ld": spills,
            "counters": counters})
    suffix = "" if args.arch == PTX_ARCH else "-" + args.arch
    with open(os.path.join(args.out, f"manifest{suffix}.json"), "w") as file:
        json.dump(manifest, file)
    print(f"{len(manifest)} kernels in {args.out}/manifest{suffix}.json")


if __name__ == "__main__":
    run_main(main)
