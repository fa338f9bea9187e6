#!/usr/bin/env python3
"""What tuning reaches and costs on the simulated device.

usage: tuning.py [--build=DIR] [--target=ID] [--trials=N] [--strategy=NAME] [--optimum] FILE...

Tunes each FILE with an empty database and prints, per operation, the times of
the generic, the heuristic (untuned) and the tuned schedule, the wall time of the
run and the largest memory of all its processes together. With --optimum every
candidate is then measured too (the whole space where it has at most 2048 legal
configurations), and the two ratios to the optimum are printed. All times are
simulated.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

from programs import count, missing, parse_json, run_main

try:
    import psutil
except ImportError as error:
    sys.exit(missing(error, "apt install python3-psutil, or pip install psutil"))


def memory_of(process):
    """Bytes of a process and its children, shared pages counted once each."""
    total = 0
    for member in [process, *process.children(recursive=True)]:
        try:
            total += member.memory_full_info().pss
        except psutil.Error:  # it has just ended
            pass
    return total


def tune(build, source, options):
    """Runs of the records, wall seconds, peak bytes."""
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "records.db")
        begin = time.monotonic()
        with open(os.path.join(folder, "stderr"), "w+") as errors:
            process = psutil.Popen(
                [f"{build}/bin/hwtune-opt", f"--hw-aware-tune={options} emit=config db={database}", source],
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
            peak = 0
            while process.poll() is None:
                try:
                    peak = max(peak, memory_of(process))
                except psutil.Error:
                    pass
                time.sleep(0.25)
            seconds = time.monotonic() - begin
            if process.returncode:
                errors.seek(0)
                sys.exit(f"{source}: {errors.read().strip()}\nhwtune-opt failed")
        text = subprocess.run(
            [f"{build}/bin/hwtune-records", "export", f"--db={database}"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    lines = [parse_json(line, "output of hwtune-records") for line in text.splitlines()]
    return [line for line in lines if line["record"] == "run"], seconds, peak


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--target", default="a100-sxm4-80gb")
    parser.add_argument("--trials", type=count(0), default=48)
    parser.add_argument("--strategy", default="")
    parser.add_argument("--optimum", action="store_true")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    common = f"target={arguments.target} device=sim:{arguments.target}"
    strategy = f" strategy={arguments.strategy}" if arguments.strategy else ""
    row = "{:34} {:>8} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9} {:>7} {:>8}"
    print(row.format("operation (times: simulated)", "legal", "generic", "heuristic", "tuned", "optimum", "heur/opt", "tuned/opt", "wall s", "MiB"))
    for source in arguments.files:
        runs, seconds, peak = tune(arguments.build, source, f"{common} trials={arguments.trials}{strategy}")
        optima = {}
        if arguments.optimum:
            every, _, _ = tune(arguments.build, source, f"{common} trials=0 strategy=exhaustive")
            optima = {run["key"]["op"]: run["tuned_ns"] for run in every}
        for run in runs:
            best = optima.get(run["key"]["op"])
            micro = lambda ns: f"{ns / 1e3:.4g} us"
            ratio = lambda ns: f"{ns / best:.3f}" if best else "-"
            name = f"{run['op_name']} {run['shapes']}"
            print(row.format(name[:34], run["legal"], micro(run["generic_ns"]), micro(run["heuristic_ns"]), micro(run["tuned_ns"]), micro(best) if best else "-", ratio(run["heuristic_ns"]), ratio(run["tuned_ns"]), f"{seconds:.0f}", f"{peak / 2**20:.0f}"), flush=True)


if __name__ == "__main__":
    run_main(main)
