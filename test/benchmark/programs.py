"""What the scripts of this folder share: a file that is missing or no such file, and a program that
fails, are one line on standard error and a non-zero exit code."""
import argparse
import csv
import gzip
import json
import lzma
import os
import signal
import subprocess
import sys
import zlib


def run_main(main):
    """Calls `main`; what the caller can mend ends the program with one line."""
    try:
        main()
    except subprocess.CalledProcessError as error:  # the program has said why
        sys.stderr.write(error.stderr or "")
        sys.exit(f"{os.path.basename(error.cmd[0])} failed ({how_it_ended(error.returncode)})")
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        sys.exit(f"a packed file is damaged or cut short: {error}")
    except UnicodeDecodeError as error:
        sys.exit(f"a file is no text: {error}")
    except csv.Error as error:
        sys.exit(f"a file is no CSV: {error}")
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        sys.exit("interrupted")


def how_it_ended(code):
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def missing(error, install):
    """The line for an ImportError; `install` is what brings the package."""
    return f"needs the Python package '{error.name}', which is not installed: {install}"


def parse_json(text, name):
    """The value; `name` says where the text is from."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        sys.exit(f"{name}:{error.lineno}:{error.colno}: no JSON: {error.msg}")


def read_json(path):
    with open(path) as file:
        return parse_json(file.read(), path)


def read_json_lines(path):
    """The objects of a file with one on each line."""
    with open(path) as file:
        rows = [parse_json(line, f"{path}, row {number}")
                for number, line in enumerate(file, 1)]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            sys.exit(f"{path}, row {number}: expected an object")
    return rows


def json_of(command):
    """What a program prints as JSON; its own words go to standard error."""
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return parse_json(text, f"output of {os.path.basename(command[0])}")


def field(value, name, source):
    """value[name], which `source` is to have."""
    if not isinstance(value, dict) or name not in value:
        sys.exit(f"{source}: expected an object with '{name}'")
    return value[name]


def count(least):
    """A type of argparse: a number from `least` on."""
    def parse(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}', expected a number from {least} on")
        return int(text)
    return parse
