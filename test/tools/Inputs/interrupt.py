"""Interrupts hwtune-opt at a chosen moment and checks what it leaves.

usage: interrupt.py MOMENT INPUT FOLDER

MOMENT is `compile` (a worker is busy with a candidate), `measure` (a candidate
runs) or `search` (some candidates have their times). Prints what hwtune-opt
said on standard error, its exit code, and what it left: of the output file,
which has old contents before, of processes, of temporary folders and files and
of the database. Fails where it does not end soon.
"""
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import psutil

PATIENCE = 60  # seconds, on a busy machine
OLD = "// what was here before\n"

STUCK = """#!/bin/sh
case "$*" in
  *{flag}*) touch {marker}; exec sleep 1000 ;;
esac
exec {program} "$@"
"""

# Answers the greeting and the generic schedule's request, then sticks.
STUCK_WORKER = """#!/usr/bin/env python3
import subprocess, sys, time
worker = subprocess.Popen([{program!r}, *sys.argv[1:]], stdin=subprocess.PIPE, text=True, bufsize=1)
for count, line in enumerate(sys.stdin):
    if count >= 2:
        open({marker!r}, "w").close()
        time.sleep(1000)
    worker.stdin.write(line)
"""


def make_tools(moment, folder):
    """A tool-dir in which the program of `moment` sticks."""
    tools = os.path.join(folder, "tools")
    marker = os.path.join(folder, "marker")
    os.makedirs(tools)
    programs = {name: shutil.which(name) for name in ("hwtune-compile", "hwtune-run")}
    library = os.path.join(os.path.dirname(programs["hwtune-run"]), "../lib/libhwtune-simcuda.so")
    os.symlink(os.path.realpath(library), os.path.join(tools, "libhwtune-simcuda.so"))
    for name, program in programs.items():
        path = os.path.join(tools, name)
        if moment == "compile" and name == "hwtune-compile":
            text = STUCK_WORKER.format(program=program, marker=marker)
        elif moment == "measure" and name == "hwtune-run":
            text = STUCK.format(program=program, marker=marker, flag="trial-")
        else:
            os.symlink(program, path)
            continue
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)
    return tools, marker


def wait_until(what, condition, process):
    end = time.time() + PATIENCE
    while not condition():
        if process.poll() is not None:
            sys.exit(f"hwtune-opt ended before {what}")
        if time.time() > end:
            process.kill()
            sys.exit(f"hwtune-opt did not reach {what}")
        time.sleep(0.02)


def main():
    moment, source, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    tools, marker = make_tools(moment, folder)
    database, output = (os.path.join(folder, name) for name in ("records.db", "out.mlir"))
    errors = os.path.join(folder, "stderr")
    with open(output, "w") as file:
        file.write(OLD)
    options = f"device=sim:t4 trials=100000 strategy=random db={database} tool-dir={tools}"
    with open(errors, "w") as err:
        process = subprocess.Popen(
            ["hwtune-opt", source, f"--pass-pipeline=builtin.module(hw-tune{{{options}}})", "-o", output],
            stderr=err,
            env={**os.environ, "TMPDIR": folder},
        )
    if moment == "search":
        wait_until("a trial", lambda: re.search(r"[1-9]\d*/\d+, best", open(errors).read()), process)
    else:
        wait_until(f"the {moment}", lambda: os.path.exists(marker), process)
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=PATIENCE)
    sys.stdout.write(open(errors).read())
    _, alive = psutil.wait_procs(family, timeout=5)
    print(f"exit code {code}, children left: {len(alive)}")
    text = open(output).read() if os.path.exists(output) else ""
    print("output:", "old" if text == OLD else "new" if "func.func" in text else "damaged")
    print("configurations in it:", text.count("hwtune.config = "))
    print("temporary files left:", sum(".tmp." in name for name in os.listdir(folder)))
    print("folders left:", sum(name.startswith("hwtune-") for name in os.listdir(folder)))
    print("database:", sqlite3.connect(database).execute("PRAGMA integrity_check").fetchone()[0])


main()
