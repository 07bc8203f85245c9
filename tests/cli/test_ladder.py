"""The commands `cornerturn ladder` and `cornerturn info`, with and without a GPU. CORNERTURN names the program."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from element_types import MOVED
from rungs import RUNGS

PROGRAM = os.environ["CORNERTURN"]
TYPES = {row.name: row.bytes for row in MOVED}
REFERENCES = ["memcpy", "cublas-geam"]  # rows of a run on a GPU
FIGURES = ["mean_ms", "median_ms", "iqr_ms", "gbs", "ratio", "peak"]
CPU_RUNGS = ["naive", "blocked", "vector", "streaming", "threads"]
SMALL = ["--rows", "200", "--cols", "136", "--repeats", "3"]
WIDTH = 80


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **options)


def climbed(*arguments, **options):
    """What a run that must succeed prints."""
    done = run("ladder", *arguments, **options)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


def refused(*arguments, **options):
    """The line by which bad input is refused."""
    done = run("ladder", *arguments, **options)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("cornerturn: "), done
    return done.stderr.removeprefix("cornerturn: ").rstrip("\n")


def report(folder, *arguments):
    """The one run that --json writes."""
    climbed(*SMALL, *arguments, "--json", folder / "run.json")
    runs = json.loads((folder / "run.json").read_text())
    assert isinstance(runs, list) and len(runs) == 1
    return runs[0]


def has_gpu():
    return "\nGPUs          none: " not in run("info").stdout


def test_prints_every_rung_in_order():
    printed = climbed(*SMALL)
    lines = printed.splitlines()
    names = [line.split()[0] for line in lines if line.split() and line.split()[0] in RUNGS]
    assert names == RUNGS
    assert has_gpu() or lines[0].startswith("No GPU: ")
    assert "WRONG" not in printed


@pytest.mark.skipif(has_gpu(), reason="a GPU runs the whole matrix")
def test_a_matrix_that_the_host_limits_is_told():
    said = " ".join(climbed("--rows", 1024, "--cols", 2048, "--kernels", "copy").split())
    assert "instead, 512 x 384 f32 (limited from 1024 x 2048); nothing is timed." in said
    assert "instead, 40 x 30 f32; nothing is timed." in " ".join(climbed("--rows", 40, "--cols", 30, "--kernels", "copy").split())


def test_fits_the_terminal():
    for arguments in [SMALL, ["--rows", "40000", "--cols", "1", "--type", "c128", "--repeats", "1"], ["--help"],
                      ["--rows", "300", "--cols", "257", "--type", "u8", "--tiles", "all", "--repeats", "1"],
                      ["--rows", "300", "--cols", "256", "--type", "u8", "--tiles", "64x64,all", "--repeats", "1"]]:
        for line in climbed(*arguments).splitlines():
            assert len(line) <= WIDTH, line


def test_json(tmp_path):
    result = report(tmp_path)
    gpu = has_gpu()
    assert {"device", "rows", "cols", "type", "memcpy_gbs", "rungs"} <= result.keys()
    assert re.fullmatch(r"\d+\.\d+\.\d+", result["cornerturn"]) and re.match(r"(g\+\+|clang) \d", result["compiler"])
    assert (result["rows"], result["cols"], result["type"]) == (200, 136, "f32")
    assert (result["device"] != "") == gpu
    assert (result["memcpy_gbs"] > 0) == gpu
    assert [row["name"] for row in result["rungs"]] == (REFERENCES if gpu else []) + RUNGS
    for row in result["rungs"]:
        assert {"name", "tile", *FIGURES} <= row.keys()
        if row["name"] in RUNGS:
            assert re.fullmatch(r"\d+x\d+", row["tile"])
            assert row["result"] == "right" and "reason" not in row
        if row["name"] == "cublas-geam" and row["result"] == "n/a":
            assert row["reason"]
        timed = gpu and row["result"] == "right"
        for figure in FIGURES:
            assert isinstance(row[figure], (int, float)) if timed else row[figure] is None, (row["name"], figure)
        if timed:
            moved = 2e-6 * 200 * 136 * 4
            assert row["gbs"] == pytest.approx(moved / row["median_ms"])
            assert row["ratio"] == pytest.approx(row["gbs"] / result["memcpy_gbs"])
        assert row["nt_ratio"] is None


def test_the_cpu(tmp_path):
    """The table fits the terminal and has the rungs in order."""
    printed = climbed("--device", "cpu", "--rows", 301, "--cols", 2000, "--repeats", 1, "--type", "u16")
    assert all(len(line) <= WIDTH for line in printed.splitlines()), printed
    head, *rows = [line.split() for line in printed.split("\n\n")[1].splitlines()]
    assert head == ["rung", "tile", "threads", "ms", "iqr", "GB/s", "ratio", "nt-ratio"]
    assert [row[0] for row in rows] == ["memcpy", "nt-copy", *CPU_RUNGS]
    assert rows[0][-2] == rows[1][-1] == "1.000"
    assert rows[2][1:2] == ["1"] and rows[3][1:3] == ["64x64", "1"]  # the plain loop has no tile


def test_short_times_have_digits(tmp_path):
    printed = climbed("--device", "cpu", "--rows", 8, "--cols", 8, "--repeats", 1)
    times = [line.split() for line in printed.split("\n\n")[1].splitlines()[1:]]
    assert all(float(row[-5]) > 0 for row in times), printed


def test_the_cpu_s_json(tmp_path):
    result = report(tmp_path, "--device", "cpu", "--kernels", "streaming,naive", "--type", "c128")
    assert (result["rows"], result["cols"], result["type"], result["timing"]) == (200, 136, "c128", "clock")
    assert result["device"] and result["memcpy_gbs"] > 0
    assert [row["name"] for row in result["rungs"]] == ["memcpy", "nt-copy", "streaming", "naive"]
    for rung in result["rungs"]:
        assert rung["result"] == "right" and rung["threads"] >= 1 and rung["peak"] is None
        assert rung["gbs"] == pytest.approx(2e-6 * 200 * 136 * 16 / rung["median_ms"])
        assert rung["ratio"] == pytest.approx(rung["gbs"] / result["memcpy_gbs"])
        assert rung["nt_ratio"] == pytest.approx(rung["gbs"] / result["rungs"][1]["gbs"])


@pytest.mark.parametrize("type_name", TYPES)
def test_types(tmp_path, type_name):
    result = report(tmp_path, "--type", type_name, "--kernels", "vec-both")
    assert result["type"] == type_name
    assert result["rungs"][-1]["load_bytes"] in (TYPES[type_name], 16)


@pytest.mark.parametrize("names", [["vec-both"], ["vec-both", "copy", "naive-write"], RUNGS[::-1]], ids=len)
def test_kernels_in_the_order_asked_for(tmp_path, names):
    result = report(tmp_path, "--kernels", ",".join(names))
    assert [row["name"] for row in result["rungs"] if row["name"] not in REFERENCES] == names


def test_tiles(tmp_path):
    shown = lambda *tiles: [
        (row["name"], row.get("tile"), row["result"])
        for row in report(tmp_path, "--kernels", "naive-read,vec-both", *tiles)["rungs"] if row["name"] not in REFERENCES
    ]
    assert shown() == [("naive-read", "32x32", "right"), ("vec-both", "64x64", "right")]
    assert shown("--tiles", "32x32,64x64") == [
        ("naive-read", "32x32", "right"), ("vec-both", "64x64", "right"), ("vec-both", "32x32", "right")]
    every = shown("--tiles", "all")
    assert len(every) == len(set(every)) >= 4  # one of naive-read, unless the build has the tiles of sweeps
    assert shown("--tiles", "16x64") == [("naive-read", "", "n/a"), ("vec-both", "", "n/a")]


def test_a_sweep_marks_the_best_tile_of_a_rung(tmp_path):
    result = report(tmp_path, "--tiles", "all", "--kernels", "vec-both,register")
    assert ("*" in climbed(*SMALL, "--tiles", "all", "--kernels", "vec-both")) == has_gpu()
    for name in ["vec-both", "register"]:
        rows = [row for row in result["rungs"] if row["name"] == name]
        best = [row for row in rows if row.get("best")]
        assert len(best) == (1 if has_gpu() else 0)
        assert all(row["ratio"] == max(other["ratio"] for other in rows) for row in best)


def test_a_rung_that_cannot_serve_says_why():
    printed = climbed("--rows", 50, "--cols", 70, "--kernels", "naive-read,tma-store", "--repeats", "1")
    assert ("tma-store           n/a: the destination's pitch in bytes is 200; it must be a\n"
            "                         multiple of 16 below 2^40 for TMA\n") in printed


def test_a_report_replaces_an_older_one(tmp_path):
    (tmp_path / "run.json").write_text("older and " * 10_000)
    report(tmp_path, "--kernels", "copy")
    (tmp_path / "run.json").rename(tmp_path / "target.json")
    (tmp_path / "run.json").symlink_to("target.json")
    report(tmp_path, "--kernels", "copy")
    assert (tmp_path / "run.json").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["run.json", "target.json"]


def test_a_report_into_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    climbed(*SMALL, "--kernels", "copy", "--json", pipe)
    assert json.loads(os.read(end, 1 << 16))[0]["rows"] == 200
    os.close(end)
    assert os.listdir(tmp_path) == ["pipe"] and pipe.is_fifo()


def test_a_report_that_cannot_be_written(tmp_path):
    few = [*SMALL, "--kernels", "copy"]
    missing, folder, full = tmp_path / "missing" / "run", tmp_path / "folder", tmp_path / "full"
    folder.mkdir()
    full.symlink_to("/dev/full")
    assert refused(*few, "--json", missing) == f"{missing} cannot be written: No such file or directory"
    assert refused(*few, "--json", folder) == f"{folder} cannot be written: Is a directory"
    assert refused(*few, "--json", full) == f"{full} cannot be written: No space left on device"
    assert sorted(os.listdir(tmp_path)) == ["folder", "full"] and os.listdir(folder) == []
    old = tmp_path / "old"
    old.write_text("kept")
    limited = f"ulimit -f 0; trap '' XFSZ; exec '{PROGRAM}' ladder {' '.join(few)} --json {old}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr == f"cornerturn: {old} cannot be written: File too large\n"
    assert old.read_text() == "kept" and sorted(os.listdir(tmp_path)) == ["folder", "full", "old"]


def test_bad_arguments():
    assert refused("--kernels", "copy,vec-best") == (
        f"--kernels is 'vec-best'; it must be one of the {len(RUNGS)} rungs of the ladder")
    assert refused("--kernels", "memcpy").startswith("--kernels is 'memcpy'; it must be one of ")
    assert refused("--type", "float") == f"--type is 'float'; it must be one of {', '.join(TYPES)}; did you mean float32?"
    expected = "it must be all, or rows x columns such as 64x64, with commas between them"
    assert refused("--tiles", "64") == f"--tiles is '64'; {expected}"
    assert refused("--tiles", "64x64,best") == f"--tiles is 'best'; {expected}"
    assert refused("--device", "tpu") == "--device is 'tpu'; it must be auto, cpu or gpu; did you mean cpu or gpu?"
    assert refused("--device", "cpu", "--kernels", "naive,copy") == (
        f"--kernels is 'copy'; it must be one of {', '.join(CPU_RUNGS)} on the CPU")
    assert refused("--device", "cpu", "--tiles", "64x64") == "--tiles is '64x64'; it must be left out on the CPU"
    assert refused("--device", "cpu", "--rows", 2**24, "--cols", 2**24).endswith(" bytes twice, the memory that is available")
    if not has_gpu():
        assert refused("--device", "gpu").startswith("--device is 'gpu'; it must be cpu or auto here: ")
    assert refused("--rows", 0) == "--rows is 0; it must be 1 or more"
    assert refused("--cols", -5) == "--cols is -5; it must be 1 or more"
    assert refused("--repeats", 0) == "--repeats is 0; it must be 1 or more"
    assert refused("--rows", 2**62, "--cols", 2).endswith("of 4 bytes; it must be at most 2^63 - 1 bytes")
    for arguments in [["--rows", "many"], ["--rows"], ["--rows", 2**64], ["--no-such-option"], ["stray"]]:
        assert refused(*arguments)


def test_bad_arguments_write_no_report(tmp_path):
    refused("--rows", 0, "--json", tmp_path / "run.json")
    assert os.listdir(tmp_path) == []


def test_stopped_in_the_middle(tmp_path):
    process = subprocess.Popen([PROGRAM, "ladder", "--device", "cpu", *SMALL[:4], "--repeats", "100000000", "--json",
                                tmp_path / "run.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while time.monotonic() < end:  # until it handles the signal
        handled = re.search(r"SigCgt:\s+(\w+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1]
        if int(handled, 16) & 1 << signal.SIGINT - 1:
            break
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=600)
    assert (process.returncode, printed, errors) == (130, "", "cornerturn: stopped by SIGINT; no report is written\n")
    assert not (tmp_path / "run.json").exists()


def test_info_counts_the_processors_that_it_may_use():
    first = min(os.sched_getaffinity(0))
    done = run("info", preexec_fn=lambda: os.sched_setaffinity(0, {first}))
    assert "\nthreads       1, for 1 processor available to the process\n" in done.stdout or " control group's quota " in done.stdout


def test_info():
    done = run("info")
    assert done.returncode == 0 and done.stderr == ""
    lines = dict(re.match(r"(.{14})(.+)", line).groups() for line in done.stdout.splitlines())
    lines = {key.strip(): value for key, value in lines.items()}
    assert re.fullmatch(r".+, (AVX-512|AVX2|SSE4|NEON|scalar)", lines["CPU"])
    assert re.fullmatch(r"\d+, for .+", lines["threads"])
    assert re.fullmatch(r"[\d.]+ (K|M|G)iB(, [\d.]+ (K|M|G)iB)*", lines.get("caches", "1 KiB"))
    assert re.fullmatch(r"[\d.]+ (M|G)iB available(; the control group's limit is [\d.]+ (K|M|G)iB)?", lines["memory"])
    assert all(len(line) <= WIDTH for line in done.stdout.splitlines()), done.stdout
    assert f"cornerturn {lines['cornerturn']}\n" == run("--version").stdout
    assert re.fullmatch(r"(g\+\+|clang) \d+\..*", lines["compiler"])
    if lines["GPU engine"] == "not built in":
        assert lines["GPUs"] == "none: this build has no GPU engine" and "driver" not in lines
    else:
        assert re.fullmatch(r"for compute capability [\d, ]+, CUDA runtime \d+\.\d+", lines["GPU engine"])
        assert re.fullmatch(r"none|serves CUDA \d+\.\d+", lines["driver"])
        assert ("GPU 0" in lines) != ("GPUs" in lines)
        if "GPU 0" in lines:
            assert re.fullmatch(r".+, compute capability \d+\.\d+, \d+ GiB, \d+ GB/s in theory", lines["GPU 0"])


@pytest.mark.parametrize("text", ["0x10", "99999999999999999999", "1e3", "abc", ""])
def test_numbers_are_whole_and_decimal(text):
    assert refused("--rows", text) == f"--rows is '{text}'; it must be a whole number, at most 9223372036854775807"


def test_a_leading_zero_is_no_octal():
    assert "10 x 10 f32" in climbed("--rows", "010", "--cols", "10", "--kernels", "copy", "--repeats", "1")
