"""The command `cornerturn tune`. CORNERTURN names the program."""

import fcntl
import json
import os
import pathlib
import re
import subprocess

import pytest

PROGRAM = os.environ["CORNERTURN"]
MAIN = pathlib.Path(__file__).parents[2] / "bench/cases/main.json"
WIDTH = 80


def run(*arguments, cache, timeout=None):
    return subprocess.run([PROGRAM, "tune", *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          env=os.environ | {"CORNERTURN_CACHE_DIR": str(cache)})


def failed(tmp_path, *arguments, code=2):
    """The line by which it fails, before anything is printed or remembered."""
    done = run(*arguments, cache=tmp_path / "cache")
    assert done.returncode == code and done.stdout == "" and len(done.stderr.splitlines()) == 1, done
    assert not (tmp_path / "cache").exists()
    return done.stderr.removeprefix("cornerturn: ").rstrip("\n")


def has_gpu():
    return "\nGPUs          none: " not in subprocess.run([PROGRAM, "info"], capture_output=True, text=True).stdout


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
@pytest.mark.parametrize("arguments", [["300x200", "--axes", "1,0", "--type", "u8"], ["--cases", MAIN]], ids=["shape", "cases"])
def test_needs_the_gpu_that_is_asked_for(tmp_path, arguments):
    assert failed(tmp_path, *arguments, "--device", "gpu").startswith("--device is 'gpu'; it must be cpu or auto here: ")


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_a_matrix_that_is_quantised_needs_a_gpu(tmp_path):
    said = failed(tmp_path, "64x64", "--to", "f8_e5m2", "--scales", "rows")
    assert said.startswith("--device is 'auto'; it must be gpu with --scales, because the CPU has no kernels to choose from; here ")


@pytest.mark.parametrize("device", [
    "cpu", pytest.param("gpu", marks=pytest.mark.skipif(not has_gpu(), reason="there is no GPU"))])
def test_chooses_and_remembers(tmp_path, device):
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([[[300, 200], [1, 0], "u8"], [[8, 30, 40, 3], [0, 3, 1, 2], "<f4"], [[3, 0], [1, 0], "f32"]]))
    done = run("--cases", cases, "--device", device, cache=tmp_path / "cache")
    assert done.returncode == 0 and done.stderr == "", done
    assert all(len(line) <= WIDTH for line in done.stdout.splitlines()), done.stdout
    lines = re.findall(r"^ +\d+\.\d\d +\d+\.\d\d +\d\.\d{3}  (\S+ \S+ by [\d,]+):", done.stdout, re.MULTILINE)
    assert lines == ["300x200 u8 by 1,0", "8x30x40x3 f32 by 0,3,1,2"]
    assert "nothing to move" in done.stdout and "2 cases, geometric mean" in done.stdout
    kept = [path.read_text() for path in (tmp_path / "cache").iterdir() if path.suffix == ".txt"]
    assert len(kept) == 1 and kept[0].endswith("end 2\n")


def test_elements_that_change(tmp_path):
    done = run("300x200", "--to", "f8_e5m2", "--device", "cpu", cache=tmp_path / "cache")
    assert done.returncode == 0 and "  300x200 f32 to f8_e5m2 by 1,0: " in done.stdout, done
    done = run("300x200", "--alpha", "0.5", "--beta", "2", "--device", "cpu", cache=tmp_path / "cache")
    assert done.returncode == 0 and "  300x200 f32 by 1,0, alpha 0.5, beta 2: " in done.stdout, done
    (kept,) = [path.read_text() for path in (tmp_path / "cache").iterdir() if path.suffix == ".txt"]
    assert "of 1 byte from 4 (f32 to f8_e5m2)" in kept and "of 4 bytes (f32 to f32, alpha 0.5, beta 2)" in kept
    assert kept.endswith("end 2\n")


def test_goes_on_where_others_keep_the_lock(tmp_path):
    cases = tmp_path / "cases.json"
    cases.write_text(json.dumps([[[30, 20], [1, 0], "u8"], [[40, 30], [1, 0], "f32"]]))
    with open(tmp_path / "choices-3.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = run("--cases", cases, "--device", "cpu", cache=tmp_path, timeout=600)
    assert done.returncode == 0 and "2 cases, geometric mean" in done.stdout, done
    assert done.stderr == f"cornerturn: {tmp_path} is locked by another process; the choice lasts as long as this process\n"
    assert not (tmp_path / "choices-3.txt").exists()


@pytest.mark.parametrize("arguments, message", [
    ([], "tune needs a SHAPE or --cases FILE"),
    (["2x3", "--cases", MAIN], "tune takes either a SHAPE or --cases FILE, not both"),
    (["--cases", MAIN, "--to", "f32"], "--to, --alpha, --beta, --conj and --saturate are for a SHAPE; the cases of --cases FILE copy elements"),
    (["--cases", MAIN, "--conj"], "--to, --alpha, --beta, --conj and --saturate are for a SHAPE; the cases of --cases FILE copy elements"),
    (["2y3"], "SHAPE is '2y3'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3"),
    (["2x3", "--axes", "1"], "--axes is (1); it must be a permutation of 0 to 1 for an array of rank 2"),
    (["2x3", "--destination-align", "0"], "--destination-align is 0; it must be a power of two"),
    (["2x3", "--to", "f8_e5m2", "--scales", "rows", "--device", "cpu"],
     "--device is 'cpu'; it must be auto or gpu with --scales, because the CPU has no kernels to choose from"),
    (["2x3", "--to", "f8_e5m2", "--scales", "rows", "--source-align", "8"],
     "--source-align is 8; it must be 16 with --scales, because only aligned matrices are planned"),
    (["2x3x4", "--to", "f8_e5m2", "--scales", "rows"], "SHAPE is '2x3x4'; it must be of two axes with --scales"),
])
def test_bad_arguments(tmp_path, arguments, message):
    assert failed(tmp_path, *arguments) == message


FORM = 'a list of [shape, axes, type], e.g. [[[256, 3], [1, 0], "u8"]]'


@pytest.mark.parametrize("text, message", [
    ("[[[2, 3]", f"it must be JSON, {FORM}"),
    ("{}", f"it must be JSON, {FORM}"),
    ('[[[2, 3], [1, 0], "u8"], [[2, 3], "u8"]]', f'case 2 is [[2,3],"u8"]; the file must be {FORM}'),
    ('[[[2, 3], [1, 0], "u8", 4]]', f'case 1 is [[2,3],[1,0],"u8",4]; the file must be {FORM}'),
    ('[[[2, 3], [1, 0], 8]]', f"case 1 is [[2,3],[1,0],8]; the file must be {FORM}"),
    ('[[[2, 3], [1, 0], "f8"]]',
     "case 1: type is 'f8'; it must be f64, float64 or <f8: without a byte order, the digits of a type count bits"),
    ('[[[2, 3], [1, 1], "u8"]]', "case 1: axes is (1, 1); it must be a permutation of 0 to 1 for an array of rank 2"),
])
def test_bad_cases(tmp_path, text, message):
    (tmp_path / "cases.json").write_text(text)
    assert failed(tmp_path, "--cases", tmp_path / "cases.json") == f"{tmp_path}/cases.json: {message}"


def test_a_missing_file(tmp_path):
    assert (failed(tmp_path, "--cases", tmp_path / "none.json")
            == f"{tmp_path}/none.json: cannot be read: No such file or directory")


def test_a_folder_of_cases(tmp_path):
    assert failed(tmp_path, "--cases", tmp_path) == f"{tmp_path}: cannot be read: Is a directory"
