#!/usr/bin/env python3
"""Plain random and plain annealing beside the search with hardware knowledge.

usage: curve.py [--build build] [--seeds 50] --mapping MAPPING.json DATA...
       curve.py [--build build] [--seeds 50] --target ID [--records FILE] OPERATION.mlir

The first form runs the three over recorded times. The second does so on the simulated
device: every legal configuration of OPERATION.mlir, a file of one linalg operation, is
measured once on sim:ID and kept in FILE (default OPERATION.ID.jsonl; a FILE that is there is
taken as it is), and the curves are those of searches over these times. That takes a trial's
time for each configuration (hw-enumerate counts them). Times are replayed; those of the
second form were simulated.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from programs import count, read_json_lines, run_main


def record(args, path):
    """Simulates every configuration of the operation once."""
    with tempfile.TemporaryDirectory() as folder, open(path + ".part", "w") as file:
        database = os.path.join(folder, "records.db")
        options = (f"target={args.target} device=sim:{args.target} strategy=exhaustive trials=0 "
                   f"emit=config db={database}")
        subprocess.run([f"{args.build}/bin/hwtune-opt", f"--hw-aware-tune={options}",
                        args.files[0]], check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([f"{args.build}/bin/hwtune-records", "export", f"--db={database}"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        file.write(text)
    os.rename(path + ".part", path)  # a stopped run leaves no half file


def mapping_of(args, path):
    """The parameters are the knobs that the records name."""
    rows = read_json_lines(path)
    knobs = next((list(row["config"]) for row in rows if isinstance(row.get("config"), dict)), None)
    if not knobs:
        sys.exit(f"{path}: holds no trial")
    return {"schema": 1, "target": args.target, "parameters": knobs,
            "workload": {"mlir": os.path.abspath(args.files[0])}}


def curve(args, mapping, files):
    subprocess.run([f"{args.build}/bin/hwtune-replay", "--curve", f"--mapping={mapping}",
                    f"--seeds={args.seeds}", *files], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--seeds", type=count(1), default=50)
    parser.add_argument("--mapping")
    parser.add_argument("--target")
    parser.add_argument("--records")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    if bool(args.mapping) == bool(args.target):
        sys.exit("expected either --mapping (recorded times) or --target (simulated device)")
    if args.mapping:
        curve(args, args.mapping, args.files)
        return
    if len(args.files) != 1:
        sys.exit("expected one MLIR file with --target")
    target = os.path.basename(args.target).removesuffix(".json")  # an id, or a description
    records = args.records or f"{args.files[0].removesuffix('.mlir')}.{target}.jsonl"
    if not os.path.exists(args.files[0]):
        sys.exit(f"{args.files[0]}: No such file or directory")
    if not os.path.exists(records):
        record(args, records)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as mapping:
        json.dump(mapping_of(args, records), mapping)
        mapping.flush()
        curve(args, mapping.name, [records])


if __name__ == "__main__":
    run_main(main)
