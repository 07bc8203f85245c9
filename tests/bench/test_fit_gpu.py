"""The fit of a GPU's rates."""

import pathlib
import random
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import fit_gpu  # noqa: E402
import run_files  # noqa: E402

RUN = {"sm_count": 132, "clock_hz": 1.755e9, "split_row_seconds": 25e-12, "between": True}
RATES = {"bytes_per_second": 4e12, "tile_seconds": 0, "lone_block_share": 0, "start_seconds": 1e-6, "wave_seconds": 0, "waited_seconds": 0,
         "margin": 1, "last": 2}


def candidate(draw, known):
    """A launch of `small` with rates other than those that its time is by."""
    each = {"kernel": "small", "id": f"small.2:4,{draw.choice([0, 1])},1",
            "work": {"bytes": draw.uniform(1e4, 1e6), "share": 1, "detour": 1, "sectors": 0, "split_rows": 0, "wavefronts": 0, "instructions": 0,
                     "waited_instructions": 0, "tiles": draw.uniform(10, 4000), "resident": 1},
            "rates": RATES | {"start_seconds": 2e-6, "wave_seconds": 1e-7}}
    return each | {"time": 1e6 * fit_gpu.expected(each, RUN, fit_gpu.rates_by(known, each))}


def test_rates_are_found_again():
    draw = random.Random(1)
    known = {f"small.4.{form}.{name}": value for form, both in enumerate([(1e-6, 2e-7), (1.5e-6, 1e-7)])
             for name, value in zip(("start_seconds", "block_seconds"), both)}
    run = RUN | {"cases": [{"candidates": [candidate(draw, known) for _ in range(4)]} for _ in range(40)]}
    cases = [(run, case) for case in run["cases"]]
    begun = fit_gpu.today([run])
    found = fit_gpu.fitted([run], cases, begun)
    assert begun["small.4.0.start_seconds"] == 2e-6 and found == pytest.approx(known, rel=0.02)
    assert max(fit_gpu.losses(cases, begun)) > 1.02 > max(fit_gpu.losses(cases, found))


@pytest.mark.parametrize("name", ["h200-fit-between.json", "h200-fit-rows.json", "h200-fit-matrices.json"])
def test_the_expected_time_is_the_library_s(name):
    """In the committed rows, the rates of direct, of rungs and of interleave were of another form."""
    run = run_files.committed(name)
    same = [each for case in run["cases"] for each in case["candidates"] if each["kernel"] in ("tiled", "gather", "unaligned", "small", "flat")]
    assert len(same) > 900
    for each in same:
        assert 1e6 * fit_gpu.expected(each, run, each["rates"]) == pytest.approx(each["estimated"], rel=1e-6), each["plan"]


def test_rates_are_written_where_they_stand():
    text = fit_gpu.MODEL.read_text()
    values = {"direct.sharpness": 12.5, "small.4.1.block_seconds": 1.25e-4, "flat.digits.2": 125, "flat.block_seconds.16.2": 1.25e-5,
              "interleave.start_seconds": 1.25e-1, "interleave.unaligned.tile_seconds": 1.25e-6}
    written = fit_gpu.with_rates(text, values).splitlines()
    changed = [line for before, line in zip(text.splitlines(), written, strict=True) if before != line]
    assert len(changed) == len(values)
    assert [re.search(r"\.tile_seconds = 1.25e-6", line) is not None for line in changed].count(True) == 1
    assert fit_gpu.with_rates(text, {}) == text


def test_help():
    done = subprocess.run([sys.executable, ROOT / "bench/fit_gpu.py", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "candidates" in done.stdout
