"""Permutations over ranks of the MPI whose compiler and launcher are on PATH: the C++ adapter, and mpi4py."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ["CORNERTURN_BUILD"])
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def compiled(source, folder):
    program = folder / source.stem
    compiler = ["mpicc", "-std=c11", "-Wpedantic"] if source.suffix == ".c" else ["mpicxx", "-std=c++20"]
    done = subprocess.run([*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-I", ROOT / "include", "-I", ROOT / "tests",
                           source, "-L", BUILD / "lib", "-lcornerturn", f"-Wl,-rpath,{BUILD / 'lib'}", "-o", program],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return program


def run(ranks, *command):
    return subprocess.run(["mpiexec", "-n", str(ranks), *command], capture_output=True, text=True, timeout=600, env=ENVIRONMENT)


@pytest.fixture(scope="module")
def random_arrays(tmp_path_factory):
    return compiled(ROOT / "tests/mpi/random_arrays.cpp", tmp_path_factory.mktemp("mpi"))


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_random_arrays_move(random_arrays, ranks):
    done = run(ranks, random_arrays)
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"moved (\d+) arrays", done.stdout)[1]) >= 10


@pytest.mark.parametrize("source", ["corner_turn.cpp", "corner_turn.c"])
def test_the_example_turns_a_corner(source, tmp_path):
    done = run(4, compiled(ROOT / "examples/mpi" / source, tmp_path))
    assert (done.returncode, done.stdout) == (0, "0 of 11520 elements of rank 0 are wrong\n"), done


def test_the_example_for_mpi4py_turns_a_corner():
    done = run(4, sys.executable, "-m", "mpi4py", ROOT / "examples/mpi/corner_turn.py")
    assert (done.returncode, done.stdout) == (0, "(12, 16, 60)\n"), done


@pytest.mark.parametrize("case, ranks", [("move", 6), ("error", 3), ("batched", 5), ("changed", 3), ("matrix", 3), ("aware", 2)])
def test_mpi4py(case, ranks):
    done = run(ranks, sys.executable, "-m", "mpi4py", ROOT / "tests/mpi/mpi4py_ranks.py", case)
    assert done.returncode == 0, done.stderr


def test_a_rank_of_mpi4py_that_fails_ends_the_job():
    done = run(3, sys.executable, ROOT / "tests/mpi/mpi4py_ranks.py", "failed")
    assert done.returncode != 0 and "TypeError" in done.stderr, done


def test_a_rank_that_dies_ends_the_job():
    done = run(3, sys.executable, ROOT / "tests/mpi/mpi4py_ranks.py", "killed")
    assert done.returncode != 0 and "moved" not in done.stdout, done


def test_messages_of_a_gpu_start_together_once_its_stream_is_complete(tmp_path):
    done = run(3, compiled(ROOT / "tests/mpi/device_messages.cpp", tmp_path))
    assert (done.returncode, done.stdout) == (0, "2 batches\n"), done


def test_the_bench_of_two_ranks(tmp_path):
    out = tmp_path / "figures.json"
    done = run(2, sys.executable, "-m", "mpi4py", ROOT / "bench/distributed_cpu.py", "mpi", "--tiny", "--rounds", "2", "--out", out)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert figures["versions"]["mpi"] and len(figures["cases"]) == 4
    for case in figures["cases"]:
        assert set(case["ways"]) == {"all-to-all", "cornerturn", "Alltoallw, the receiver permutes", "Alltoallw, the sender permutes"}
