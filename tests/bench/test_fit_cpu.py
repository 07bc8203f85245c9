"""The fit of the CPU's rates."""

import pathlib
import random
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import fit_cpu  # noqa: E402
import run_files  # noqa: E402

KNOWN = {"memory_bytes_per_second": 4e-11, "image_bytes_per_second": 2e-11, "source_run_seconds": 3e-8}


def row(draw):
    """A run of a plan that reads runs and may have an image, and of its copy."""
    bytes_moved = draw.uniform(1e7, 1e9)
    parts = {"memory_bytes_per_second": bytes_moved, "image_bytes_per_second": draw.choice([0, bytes_moved]),
             "source_run_seconds": bytes_moved / draw.uniform(100, 10000)}
    copy = {"memory_bytes_per_second": bytes_moved, "image_bytes_per_second": 0, "source_run_seconds": bytes_moved / 1e6}
    return {"parts": parts, "copy": copy, "seconds": fit_cpu.total(parts, KNOWN), "copied": fit_cpu.total(copy, KNOWN)}


def test_rates_are_found_again():
    draw = random.Random(1)
    assert fit_cpu.fitted([row(draw) for _ in range(50)]) == pytest.approx(KNOWN, rel=0.01)


def test_errors_are_told_with_and_without_the_speed_of_the_copy():
    slow = row(random.Random(1))
    slow["seconds"] += slow["parts"]["memory_bytes_per_second"] * 1e-10
    slow["copied"] += slow["copy"]["memory_bytes_per_second"] * 1e-10
    found = fit_cpu.described([slow] * 10, KNOWN)
    assert found["own copies"] == pytest.approx([0, 0], abs=1e-9) and found["median memory"][0] > 0.3


def test_the_rates_of_the_library_are_those_of_the_committed_fit():
    block = re.search(r"kZen4Rates\{.*?\};", (ROOT / "src/machine/cpus/zen4.cpp").read_text(), re.DOTALL)[0]
    rates = {name: float(value) for name, value in re.findall(r"\.(\w+_seconds?) = ([\d.e-]+)", block)}
    assert rates == {name: float(f"{rate:.2g}") for name, rate in run_files.committed("zen4-model.json")["rates"].items()}


def test_help():
    done = subprocess.run([sys.executable, ROOT / "bench/fit_cpu.py", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "cpu_work" in done.stdout
