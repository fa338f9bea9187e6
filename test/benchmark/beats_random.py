#!/usr/bin/env python3
"""Whether every strategy does at least as well as random on every recorded file.

usage: beats_random.py --replay build/bin/hwtune-replay --data FOLDER
       [--seeds 50] [--budget 60] [--strategies auto,bayes,genetic,annealing,model] [--only TEXT]
                       [--behind "STRATEGY on TITLE"]

FOLDER of --data is laid out as search_figures.py says; logs of one kind count as one file.
Judged are two means over the seeds: of the number of measurements until within 5 % of the
optimum, failures included, where a run that does not get there counts as --budget; and of
best/optimum after 50. A strategy fails where it is worse than random in one of them and the
difference is outside the 95 % interval of the two samples and above 0.5 %. Strategies that know
no model cost little and run ten times the seeds: all are held against random, whose luck would be a
verdict on each, and genetic and annealing draw alike at first. Prints both as a Markdown table and
exits with 1 where one fails. What --behind names is known to be lost: it is judged and
printed, and does not fail. Times are replayed.
"""
import argparse
import glob
import math
import os
import statistics
import sys

from programs import count, field, json_of, run_main
from search_figures import MAIN, MANY, MAPPINGS, OTHER

# Of a mean: half of what one configuration's time varies by from run to run.
SAME = 0.005
CHEAP, CHEAP_SEEDS = ("random", "genetic", "annealing"), 10  # times --seeds
NOTHING_RAN = 100.0  # best/optimum of a run whose measurements all failed


def judged(args, strategy, mapping, pattern):
    """The two numbers of every seed, each the mean over the files of a kind."""
    files = sorted(glob.glob(os.path.join(args.data, pattern)))
    if not files:
        sys.exit(f"no file {os.path.join(args.data, pattern)}")
    seeds = args.seeds * (CHEAP_SEEDS if strategy in CHEAP else 1)
    command = [args.replay, f"--mapping={os.path.join(MAPPINGS, mapping)}.json", "--json=-",
               f"--strategy={strategy}", f"--seeds={seeds}", f"--budget={args.budget}", *files]
    if strategy in CHEAP:
        command.append("--black-box")  # spares the predictions
    searches = field(json_of(command), "searches", "output of hwtune-replay")

    def means(name, missing):
        rows = [[missing if value is None else value for value in search["per_seed"][name]]
                for search in searches]
        return [statistics.mean(seed) for seed in zip(*rows)]

    return (means("measurements_to_5_percent", args.budget),
            means("best_over_optimum_after_50", NOTHING_RAN))


def is_worse(ours, random):
    """Outside the 95 % interval, and by more than the files' own noise."""
    noise = 1.96 * math.sqrt(statistics.variance(random) / len(random)
                             + statistics.variance(ours) / len(ours))
    return statistics.mean(ours) > statistics.mean(random) * (1 + SAME) + noise


def text(numbers):
    return f"{statistics.mean(numbers[0]):.1f}, {statistics.mean(numbers[1]):.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replay", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--seeds", type=count(2), default=50)
    parser.add_argument("--budget", type=count(1), default=60)
    parser.add_argument("--strategies", default="auto,bayes,genetic,annealing,model")
    parser.add_argument("--only", default="")
    parser.add_argument("--behind", action="append", default=[])
    args = parser.parse_args()
    strategies, failed, behind, judged_files = args.strategies.split(","), [], [], 0
    print("| file | random | " + " | ".join(strategies) + " |\n" + "|---" * (len(strategies) + 2)
          + "|")
    for title, mapping, pattern in MAIN + OTHER + MANY:
        if args.only not in title:
            continue
        judged_files += 1
        random = judged(args, "random", mapping, pattern)
        cells = [text(random)]
        for strategy in strategies:
            ours = judged(args, strategy, mapping, pattern)
            cells.append(text(ours))
            if any(is_worse(*pair) for pair in zip(ours, random)):
                name = f"{strategy} on {title}"
                (behind if name in args.behind else failed).append(name)
                cells[-1] += " **worse**"
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)
    if not judged_files:
        sys.exit(f"no file's title contains '{args.only}'")
    if behind:
        print("\nknown to be behind random: " + "; ".join(behind))
    if failed:
        sys.exit("worse than random: " + "; ".join(failed))
    print(f"\nno {'other ' if behind else ''}strategy is worse than random on {judged_files} files")


if __name__ == "__main__":
    run_main(main)
