"""Files of runs: JSON, compressed by gzip if the name ends in .gz. Those in bench/results are compressed; `zcat FILE` shows one.

Needs only Python's standard library.
"""

import csv
import gzip
import json
import pathlib

RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def content(path):
    """The bytes of a file without the compression."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def read(path):
    return json.loads(content(path))


def path_of(name):
    """The path of a run that documents call by a name such as h200-arena.json. Tables of the profiler, in CSV, are not compressed."""
    return RESULTS / (name if name.endswith(".csv") else f"{name}.gz")


def committed(name):
    """The run in bench/results that documents call by this name; of a table in CSV its rows."""
    path = path_of(name)
    return list(csv.DictReader(path.open())) if path.suffix == ".csv" else read(path)


def write(path, run):
    """Replaces the file atomically, so that an interrupted run leaves its results. Equal runs give equal files."""
    text = (json.dumps(run, indent=1) + "\n").encode()
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    partial.replace(path)
