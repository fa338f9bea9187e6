#!/usr/bin/env python3
"""Kernel Tuner and hwtune on the same recorded times, budget and seeds, in one run.

usage: compare_kernel_tuner.py --replay build/bin/hwtune-replay --mapping MAPPING.json
       [--seeds 50] [--budget 220] [--strategies A,B] [--keep FOLDER] CACHE.json.gz...

Needs Kernel Tuner from PyPI (`pip install kernel_tuner scikit-learn`, version 1.5). Its
strategies run in its own simulation mode; a failing configuration counts as a measurement
on both sides. `bayes_opt` is repaired: it takes failures for valid times otherwise, because
they come back as the largest float and it tests for 1e20. Prints a Markdown table.

--keep: what each seed of Kernel Tuner gave is kept in FOLDER, which does not depend on our
program, and is not run again; how many came from there is said. Remove it after Kernel Tuner or
a file has changed. `--replay ""` runs Kernel Tuner alone.
"""
import argparse
import gzip
import json
import os
import random
import statistics
import sys
import tempfile

from programs import count, field, json_of, parse_json, read_json, run_main, missing

try:
    import kernel_tuner
    import numpy
    from kernel_tuner.strategies import bayes_opt
except ImportError as error:
    sys.exit(missing(error, "pip install kernel_tuner scikit-learn"))

DEFAULT = "adaptive_tabu_greywolf,hybrid_vndx,bayes_opt"
OPTIONS = {"bayes_opt": {"method": "multi-fast"}}  # its best method on these spaces
CHECKPOINTS = (20, 50, 100, 220)


def repair_bayes_opt():
    """Lets `bayes_opt` know a failure when it sees one."""
    cls = bayes_opt.BayesianOptimization
    one, many = cls.evaluate_objective_function, cls.evaluate_parallel_objective_function

    def known(self, value):
        return self.invalid_value if value >= sys.float_info.max else value

    cls.evaluate_objective_function = lambda self, config: known(self, one(self, config))
    cls.evaluate_parallel_objective_function = \
        lambda self, configs: [known(self, value) for value in many(self, configs)]


def load_cache(path, folder):
    """(path of a closed, unpacked copy, fastest time)"""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        text = file.read()
    try:
        cache = json.loads(text)
    except json.JSONDecodeError:  # left open: Kernel Tuner closes a cache at the end
        text = text.rstrip().rstrip(",") + "}\n}"
        cache = parse_json(text, path)
    rows, keys = field(cache, "cache", path), field(cache, "tune_params_keys", path)
    copy = os.path.join(folder, path.replace("/", "_").removesuffix(".gz"))
    with open(copy, "w") as file:
        file.write(text)
    times = [r["time"] for r in rows.values() if isinstance(r.get("time"), (int, float))]
    if not times:
        sys.exit(f"{path}: holds no time")
    return copy, keys, min(times)


def best_over_optimum(results, keys, optimum, budget):
    """After each distinct configuration, in the order measured."""
    met, curve, best = set(), [], float("inf")
    for result in results:
        key = tuple(result[k] for k in keys)
        if key in met:
            continue
        met.add(key)
        if isinstance(result.get("time"), (int, float)):
            best = min(best, result["time"] / optimum)
        curve.append(best)
    return curve[:budget]


def row(name, curves, budget):
    to5 = [next((i + 1 for i, v in enumerate(c) if v <= 1.05), float("inf")) for c in curves]
    to5.sort()

    def at(q):
        value = to5[min(len(to5) - 1, round(q * (len(to5) - 1)))]
        return "never" if value == float("inf") else f"{value:.0f}"

    arrived = sum(v != float("inf") for v in to5) / len(to5)
    medians = " ".join(f"{statistics.median(c[min(n, len(c)) - 1] for c in curves):.3f}"
                       for n in CHECKPOINTS if n <= budget)
    return f"| {name} | {at(.5)} [{at(.25)}-{at(.75)}] | {100 * arrived:.0f} % | {medians} |"


def peer_curve(cache, keys, optimum, strategy, seed, args):
    """One seed of one of Kernel Tuner's strategies; whether it was kept from before."""
    kept = os.path.join(args.keep, f"{os.path.basename(cache)}-{strategy}-{args.budget}-{seed}") \
        if args.keep else ""
    if kept and os.path.exists(kept):
        return read_json(kept), True
    random.seed(seed)
    numpy.random.seed(seed)
    results, _ = kernel_tuner.tune_cache(
        cache, strategy=strategy, seed=seed, quiet=True,
        strategy_options={"max_fevals": args.budget, **OPTIONS.get(strategy, {})})
    curve = best_over_optimum(results, keys, optimum, args.budget)
    if kept:
        with open(kept + ".part", "w") as file:
            json.dump(curve, file)
        os.rename(kept + ".part", kept)  # a stopped run leaves no half file
    return curve, False


def run_kernel_tuner(cache, keys, optimum, strategy, args):
    found = [peer_curve(cache, keys, optimum, strategy, seed, args) for seed in range(args.seeds)]
    kept = sum(was_kept for _, was_kept in found)
    return row(f"Kernel Tuner {strategy}" + (f" ({kept} of {args.seeds} seeds kept from before)"
                                             if kept else ""),
               [curve for curve, _ in found], args.budget)


def run_ours(path, name, flags, args):
    command = [args.replay, f"--mapping={args.mapping}", f"--seeds={args.seeds}",
               f"--budget={args.budget}", "--json=-", *flags, path]
    search = field(json_of(command), "searches", "output of hwtune-replay")[0]

    def number(value):
        return "never" if not isinstance(value, (int, float)) else f"{value:.0f}"

    to5 = search["measurements_to_5_percent"]
    medians = " ".join(f"{search['best_over_optimum_after'][str(n)]['median']:.3f}"
                       for n in CHECKPOINTS if n <= args.budget)
    return (f"| hwtune {name} | {number(to5['median'])} [{number(to5['q25'])}-"
            f"{number(to5['q75'])}] | {100 * search['share_within_5_percent']:.0f} % | {medians} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replay", required=True)
    parser.add_argument("--mapping", required=True)
    parser.add_argument("--seeds", type=count(1), default=50)
    parser.add_argument("--budget", type=count(1), default=220)
    parser.add_argument("--strategies", default=DEFAULT)
    parser.add_argument("--keep", default="")
    parser.add_argument("caches", nargs="+")
    args = parser.parse_args()
    repair_bayes_opt()
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for path in args.caches:
            cache, keys, optimum = load_cache(path, folder)
            print(f"\n{path}: {args.seeds} seeds, {args.budget} measurements (replayed)\n\n"
                  "| strategy | to 5 %, median [quartiles] | arrived | best/optimum after "
                  f"{', '.join(str(n) for n in CHECKPOINTS if n <= args.budget)} |\n"
                  "|---|---|---|---|", flush=True)
            for strategy in filter(None, args.strategies.split(",")):
                print(run_kernel_tuner(cache, keys, optimum, strategy, args), flush=True)
            if not args.replay:
                continue
            print(run_ours(path, "auto", [], args))
            print(run_ours(path, "auto, no model", ["--black-box"], args))
            print(run_ours(path, "random", ["--strategy=random"], args), flush=True)


if __name__ == "__main__":
    run_main(main)
