#!/usr/bin/env python3
"""Every figure of docs/search.md, from recorded times, in one command.

usage: search_figures.py --replay build/bin/hwtune-replay --data FOLDER --out FOLDER
       [--seeds 50] [--transfer-seeds 20] [--only TEXT] [--tables]

FOLDER of --data is laid out as FILES below says. Each run of hwtune-replay writes one JSON
file into the folder of --out, with its command and the outcome of every seed (seeds are 0, 1,
...); a run that is there already is not repeated, so the command can be stopped and started
again. Remove the folder after the program has changed. --only runs the rows whose name
contains TEXT; --tables runs nothing. Then the tables are printed as Markdown. Times are
replayed, model rankings predicted.
"""
import argparse
import glob
import json
import math
import os
import random
import statistics
import sys

from programs import count, json_of, read_json, run_main

HERE = os.path.dirname(os.path.abspath(__file__))
MAPPINGS = os.path.join(HERE, "..", "inputs", "mappings")

# (column title, mapping, file): the exhaustive spaces that the figures are judged on
MAIN = [("sgemm 2080 Ti", "sgemm", "sgemm/rtx_2080_ti.json.gz"),
        ("sgemm TITAN", "sgemm", "sgemm/titan_rtx.json.gz"),
        ("sgemm 3060", "sgemm", "sgemm/rtx_3060_laptop.json.gz"),
        ("convolution 2080 Ti", "convolution", "convolution/rtx_2080_ti.json.gz"),
        ("convolution TITAN", "convolution", "convolution/titan_rtx.json.gz"),
        ("convolution 3090", "convolution", "convolution/rtx_3090.json.gz")]
OTHER = [("convolution KTT 2080 Ti", "convolution_ktt",
          "counters/convolution_rtx_2080_ti.json.gz"),
         ("convolution KTT 3090", "convolution_ktt", "convolution/ktt_rtx_3090.json.gz"),
         ("Coulomb 2080 Ti", "coulomb", "counters/coulomb_rtx_2080_ti.json.gz"),
         ("dedispersion A4000", "dedispersion", "dedispersion/rtx_a4000.json.gz")]
MANY = [("auto_scheduler matmul V100", "ansor_matmul", "v100_ansor/ansor_matmul_*.log.gz"),
        ("auto_scheduler conv2d V100", "ansor_conv2d", "v100_ansor/ansor_conv2d_*.log.gz"),
        ("Triton matmul fp16 A100", "triton_mm", "triton_mm_a100/hf_train.csv.xz")]
# (row, flags, whether only the main files run it)
ROWS = [
    ("auto", ["--budget=220"], False),
    ("auto, wrong constants", ["--wrong-constants=1.8", "--budget=60"], True),
    ("auto, wrong branch", ["--wrong-branch=1.3", "--budget=60"], True),
    ("auto, random choice", ["--random-choice", "--budget=100"], True),
    ("black box", ["--black-box", "--budget=120"], False),
    ("black box, random choice", ["--black-box", "--random-choice", "--budget=120"], False),
    ("model's list", ["--strategy=model", "--list-alone", "--budget=220"], False),
    ("model's list, wrong constants",
     ["--strategy=model", "--list-alone", "--wrong-constants=1.8", "--budget=220"], True),
    ("model's list, wrong branch",
     ["--strategy=model", "--list-alone", "--wrong-branch=1.3", "--budget=220"], True),
    ("genetic", ["--strategy=genetic", "--black-box", "--budget=220"], False),
    ("annealing", ["--strategy=annealing", "--black-box", "--budget=220"], False),
    ("random", ["--strategy=random", "--black-box", "--budget=220"], False),
]
# Pairs of different architectures in one kernel, by index into MAIN.
PAIRS = [(0, 2), (2, 0), (2, 1), (3, 5), (5, 3), (5, 4)]
COUNTS = (0, 5, 10, 20)
# The constants that were ever changed after looking at a time: as first reasoned, and the
# values that were tried.
REASONED = {"guarded_copy_inst": 10, "load_exposed": 0.5, "miss_exposed": 0.35, "phases": 1,
            "icache": 1}
TRIED = {"guarded_copy_inst": [20], "load_exposed": [0.25, 0.75], "miss_exposed": [0.2, 0.5],
         "phases": [0.6], "icache": [0.3]}
# (architecture that they are chosen on, the other), by index into MAIN
SPLITS = [("Ampere", (2, 5), (0, 1, 3, 4)), ("Turing", (0, 3), (2, 5))]


class Runner:
    def __init__(self, args):
        self.args = args
        os.makedirs(args.out, exist_ok=True)

    def json(self, row, title, mapping, files, flags):
        """The outcome of one run, from its file or from running it; None if it is missing."""
        name = "".join(c if c.isalnum() else "-" for c in f"{row} {title}") + ".json"
        path = os.path.join(self.args.out, name)
        if os.path.exists(path):
            return read_json(path)
        if self.args.tables or self.args.only not in row:
            return None
        paths = [p for f in files for p in sorted(glob.glob(os.path.join(self.args.data, f)))]
        command = [self.args.replay, f"--mapping={os.path.join(MAPPINGS, mapping)}.json",
                   "--json=-", *flags, *paths]
        print(f"{row}: {title}", file=sys.stderr, flush=True)
        if not paths:
            sys.exit(f"no file {os.path.join(self.args.data, files[0])}")
        result = json_of(command)
        result["command"] = command
        with open(path + ".part", "w") as file:
            json.dump(result, file)
        os.rename(path + ".part", path)  # a stopped run leaves no half file
        return result

    def searches(self, row, flags, title, mapping, file):
        result = self.json(row, title, mapping, [file], [f"--seeds={self.args.seeds}", *flags])
        return result["searches"] if result else []


def number(value, form="{:.0f}", missing="never"):
    return missing if value is None else form.format(value)


def to5(search):
    q = search["measurements_to_5_percent"]
    shares = (f"{100 * search['share_within_5_percent_in_25']:.0f} / "
              f"{100 * search['share_within_5_percent']:.0f} %")
    return (f"{number(q['median'])} [{number(q['q25'])}–{number(q['q75'])}], {shares}")


def at20(search):
    q = search["best_over_optimum_after"]["20"]
    return " ".join(number(q[k], "{:.3f}", "-") for k in ("median", "q75"))


def middle(values):
    """Median where None is larger than every number."""
    values = sorted(math.inf if v is None else v for v in values)
    return number(None if values[len(values) // 2] == math.inf else values[len(values) // 2])


def table(header, rows):
    print("\n| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def search_tables(run):
    for title, files in (("exhaustive spaces", MAIN), ("files that took no part in any choice "
                                                       "of the search's settings", OTHER)):
        rows, rows20 = [], []
        for row, flags, main_only in ROWS:
            if main_only and files is not MAIN:
                continue
            cells, cells20 = [], []
            for file in files:
                found = run.searches(row, flags, *file)
                cells.append(to5(found[0]) if found else "")
                cells20.append(at20(found[0]) if found else "")
            if any(cells):
                rows.append([row, *cells])
                rows20.append([row, *cells20])
        names = [f[0] for f in files]
        print(f"\n{title}: to 5 %, median [quartiles], share in 25 / ever (replayed)")
        table(["row", *names], rows)
        print("\nbest/optimum after 20 measurements, median and upper quartile (replayed)")
        table(["row", *names], rows20)
    rows = []
    for row, flags, main_only in ROWS:
        if main_only:
            continue
        cells = []
        for file in MANY[:2]:
            found = run.searches(row, flags, *file)
            cells.append(middle([s["measurements_to_5_percent"]["median"] for s in found]) + ", "
                         + f"{100 * statistics.mean(s['share_within_5_percent_in_25'] for s in found):.0f} / "
                         + f"{100 * statistics.mean(s['share_within_5_percent'] for s in found):.0f} %"
                         if found else "")
        if any(cells):
            rows.append([row, *cells])
    print("\nlogs of a tuner, not exhaustive: median over the files of the median to 5 %, "
          "mean share in 25 / ever (replayed)")
    table(["row", *(f[0] for f in MANY[:2])], rows)


def interval(differences):
    """95 % interval of the mean, by bootstrap over seeds."""
    draw = random.Random(0)
    means = sorted(statistics.mean(draw.choices(differences, k=len(differences)))
                   for _ in range(2000))
    return means[50], means[1949]


def ablation_table(run):
    """Expected improvement against a random choice in the same loop, seed by seed."""
    flags = {row: row_flags for row, row_flags, _ in ROWS}
    rows = []
    for loop, files in (("auto", MAIN), ("black box", MAIN + OTHER)):
        for file in files:
            found = [run.searches(row, flags[row], *file)
                     for row in (loop, f"{loop}, random choice")]
            if not all(found):
                continue
            x, y = (s[0]["per_seed"]["best_over_optimum_after_50"] for s in found)
            pairs = [(u, v) for u, v in zip(x, y) if u and v]
            gaps = [math.log(v / u) for u, v in pairs]
            low, high = interval(gaps)
            rows.append([loop, file[0], *(f"{statistics.mean(c):.3f}" for c in zip(*pairs)),
                         f"{100 * statistics.mean(gaps):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"])
    print("\nexpected improvement against a random choice in the same loop: mean best/optimum "
          "after 50, and how much worse the random choice is, seed by seed, with the 95 % "
          "interval (replayed)")
    table(["loop", "file", "improvement", "random", "worse by"], rows)


def model_tables(run):
    rows, flags = [], ["--model-only"]
    for title, mapping, file in MAIN + OTHER + MANY:
        result = run.json("model alone", title, mapping, [file], flags)
        if not result:
            continue
        models = result["model"]
        tops = []
        for k in ("1", "5", "10", "50"):
            values = sorted(m["best_of_top_over_optimum"][k] or math.inf for m in models)
            p90 = values[math.ceil(0.9 * len(values)) - 1]
            tops.append(f"{values[len(values) // 2]:.3f}" +
                        (f" ({p90:.3f})" if len(values) > 1 else ""))
        rows.append([title + (f", {len(models)} problems" if len(models) > 1 else ""),
                     f"{statistics.median(m['spearman'] for m in models):.2f}",
                     f"{statistics.median(m['spearman_fastest_tenth'] for m in models):.2f}",
                     *tops, f"{statistics.median(m['first_within_5_percent'] or m['candidates'] for m in models):.0f}",
                     f"{statistics.median(m['spearman'] for m in result['par_fit']):.2f}"])
    print("\nmodel alone, no measurement; over several problems the median (90th percentile) "
          "(predicted)")
    table(["file", "rank", "fastest tenth", "top 1", "top 5", "top 10", "top 50",
           "first within 5 %", "par·fit's rank"], rows)


def model_with(run, file, values):
    text = ",".join(f"{name}={value:g}" for name, value in values.items())
    result = run.json("model with constants", f"{file[0]} {text}", file[1], [file[2]],
                      ["--model-only", f"--constants={text}"])
    return result["model"][0] if result else None


def chosen_on(run, files):
    """Each constant in turn: the value with the best mean rank in the fastest tenth."""
    def score(values):
        models = [model_with(run, MAIN[i], values) for i in files]
        return statistics.mean(m["spearman_fastest_tenth"] for m in models) \
            if all(models) else None

    values, best = dict(REASONED), score(REASONED)
    for name, candidates in TRIED.items():
        for candidate in candidates:
            trial = {**values, name: candidate}
            found = score(trial)
            if found is not None and best is not None and found > best:
                values, best = trial, found
    return values


def held_out_table(run):
    rows = []

    def add(label, index, values):
        model = model_with(run, MAIN[index], values)
        if model:
            rows.append([label, MAIN[index][0], f"{model['spearman']:.2f}",
                         f"{model['spearman_fastest_tenth']:.2f}",
                         *(number(model["best_of_top_over_optimum"][k], "{:.3f}", "-")
                           for k in ("1", "5", "10", "50")),
                         str(model["first_within_5_percent"] or "never")])

    for index in range(len(MAIN)):
        add("as first reasoned", index, REASONED)
    for name, files, others in SPLITS:
        values = chosen_on(run, files)
        text = ", ".join(f"{key} {value:g}" for key, value in values.items())
        for index in others:
            add(f"chosen on {name} ({text})", index, values)
    print("\nmodel alone, the changed constants leave-one-architecture-out (predicted)")
    table(["constants", "file", "rank", "fastest tenth", "top 1", "top 5", "top 10", "top 50",
           "first within 5 %"], rows)


def transfer_table(run):
    rows = []
    for source, target in PAIRS:
        (a, mapping, from_file), (b, _, to_file) = MAIN[source], MAIN[target]
        for hidden in (0, 0.01):
            flags = [f"--transfer-from={os.path.join(run.args.data, from_file)}",
                     f"--n={','.join(map(str, COUNTS))}", f"--seeds={run.args.transfer_seeds}"]
            if hidden:
                flags.append(f"--hide-best={hidden}")
            result = run.json(f"transfer{' hidden' if hidden else ''}", f"{a} to {b}", mapping,
                              [to_file], flags)
            if not result:
                continue
            t = result["transfers"][0]
            rows.append([f"{a} → {b.split(maxsplit=1)[1]}{', 1 % hidden' if hidden else ''}",
                         f"{t['alpha']:.2f}", f"{t['winner_over_optimum']:.3f}",
                         f"{t['best_of_top_ten_over_optimum']:.3f}",
                         *(f"{q['median']:.3f} [{q['q75']:.3f}]" for q in
                           (t["best_over_optimum_after"][str(n)] for n in COUNTS))])
    print("\ntransfer: best/optimum, median [upper quartile] (replayed)")
    table(["from → to", "α", "moving the winner", "top ten, measured",
           *(f"n = {n}" for n in COUNTS)], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replay", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=count(1), default=50)
    parser.add_argument("--transfer-seeds", type=count(1), default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--tables", action="store_true")
    args = parser.parse_args()
    if not args.tables and not os.path.isdir(args.data):
        sys.exit(f"{args.data}: no such folder")
    run = Runner(args)
    model_tables(run)
    held_out_table(run)
    search_tables(run)
    ablation_table(run)
    transfer_table(run)


if __name__ == "__main__":
    run_main(main)
