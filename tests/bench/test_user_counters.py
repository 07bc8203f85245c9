"""Accesses as users write them, of bench/user_accesses.json, others drawn by somebody who had not read the program, of
bench/drawn_accesses.json, and kernels that were traced: the program counts what an H200 counted, bench/results/h200-user-counters.json.gz
and h200-drawn-counters.json.gz, and nvcc makes of each access what it is. CORNERTURN names the program."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import run_files  # noqa: E402
import user_counters  # noqa: E402

PROGRAM = os.environ["CORNERTURN"]
COUNTED = run_files.committed("h200-user-counters.json")
DRAWN = run_files.committed("h200-drawn-counters.json")
# nvcc unrolls the loop, and lanes of different numbers of iterations meet in other requests
DIFFERENCES = {"a grid-stride loop": {"global st sectors": 42 - 38}}
CASES = json.loads(user_counters.CASES.read_text())
DRAWN_CASES = json.loads(user_counters.DRAWN.read_text())
ACCESS = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@\S+ )?\s*((?:LD|ST)[GSL]?)((?:\.\w+)*)\s", re.MULTILINE)
WIDTHS = {"U8": 1, "U16": 2, "64": 8, "128": 16}


def tools():
    """nvcc and cuobjdump, of the toolkit or of a wheel."""
    wheel = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin", str(wheel)])
    found = [shutil.which(name, path=path) for name in ("nvcc", "cuobjdump")]
    if not all(found):
        pytest.skip("no nvcc or no cuobjdump")
    return *found, {**os.environ, "PATH": path}


def test_there_are_fifty_accesses_of_every_kind():
    assert len({case["name"] for case in CASES}) == len(CASES) >= 50
    for space in user_counters.COUNTED:
        for op in ("ld", "st"):
            assert sum((user_counters.space_of(case), case["op"]) == (space, op) for case in CASES) >= 8, (space, op)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_program_counts_an_access(case):
    [instruction] = user_counters.explained_case(PROGRAM, case)["instructions"]
    assert (instruction["space"], instruction["store"]) == (user_counters.space_of(case), case["op"] == "st")
    assert instruction["requests"] >= 1 and instruction["active_lanes"] >= 1


@pytest.mark.parametrize("counted", COUNTED["accesses"] + DRAWN["accesses"], ids=lambda counted: counted["name"])
def test_an_access_costs_what_the_gpu_counted(counted):
    """By both kinds of counters, as there is no other traffic."""
    name, space = counted["name"], user_counters.space_of(counted)
    case = next(case for case in CASES + DRAWN_CASES if case["name"] == name)
    assert case.items() <= counted.items(), "counted for another access; bench/user_counters.py counts anew"
    assert user_counters.differences(counted, user_counters.explained_case(PROGRAM, case)) == DIFFERENCES.get(name, {})
    pieces = f"{space} {counted['op']} {user_counters.COUNTED[space][1]}"
    assert counted[f"l1tex {pieces}"] == counted[pieces]


def test_all_accesses_were_counted():
    assert [each["name"] for each in COUNTED["accesses"]] == [case["name"] for case in CASES]
    assert [each["name"] for each in DRAWN["accesses"]] == [case["name"] for case in DRAWN_CASES]
    assert len({case["name"] for case in CASES + DRAWN_CASES}) == len(CASES) + len(DRAWN_CASES)
    assert set(DIFFERENCES) <= {case["name"] for case in CASES}


def test_traces_cost_what_the_gpu_counted_of_the_kernels_without_them(tmp_path):
    told = user_counters.explained_traces(PROGRAM, tmp_path, COUNTED["traces"])
    assert [each["kernel"] for each in told] == [each["kernel"] for each in COUNTED["traces"]]
    assert len(told) == 3
    for counted, each in zip(COUNTED["traces"], told):
        assert user_counters.differences(counted, each) == {}, each["kernel"]


@pytest.mark.parametrize("file", [user_counters.CASES, user_counters.DRAWN], ids=lambda file: file.stem)
def test_nvcc_makes_no_other_accesses(tmp_path, file):
    """Nor fewer, nor wider ones; a load is followed by a store that keeps it."""
    nvcc, cuobjdump, environment = tools()
    cases = json.loads(file.read_text())
    (tmp_path / "accesses.cu").write_text(user_counters.program_of(cases))
    subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=sm_90", f"-I{BENCH}", "-cubin", "accesses.cu"], cwd=tmp_path, check=True)
    text = subprocess.run([cuobjdump, "-sass", "accesses.cubin"], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=True).stdout
    _, *kernels = text.split("Function : ")
    assert len(kernels) == len(cases)
    for kernel in kernels:
        case = cases[int(re.search(r"touch_(\d+)", kernel)[1])]
        [counted] = user_counters.explained_case(PROGRAM, case)["instructions"]
        wanted = f"{case['op'].upper()}{'S' if user_counters.space_of(case) == 'shared' else 'G'}"
        found = [(name, next((WIDTHS[part] for part in rest.split(".") if part in WIDTHS), 4)) for name, rest in ACCESS.findall(kernel)]
        if case["op"] == "ld":
            assert found.pop() == ("STG", 4), case["name"]
        assert set(found) == {(wanted, counted["bytes"])}, case["name"]
