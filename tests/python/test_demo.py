"""`make demo`: the README's first command."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

PROGRAM = os.environ["CORNERTURN"]
SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "demo.py"
CASES = {"photographs", "matrix", "Fortran volume", "attention heads", "heads of 16 tokens"}


@pytest.fixture(scope="module")
def demo():
    spec = importlib.util.spec_from_file_location("demo", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_demo(tmp_path):
    program = pathlib.Path(PROGRAM).resolve()
    done = subprocess.run([sys.executable, SCRIPT, "--program", pathlib.Path(program.parent.name) / program.name, "--out", tmp_path],
                          cwd=program.parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^(\w[\w ]*?\w) {2,}[\d. ]+   (?:as fast|[\d.]+ times as (?:fast|long))$", done.stdout, re.MULTILINE)
    assert set(rows) >= CASES
    assert f"Best case: {rows[0]}, " in done.stdout and f"Worst case: {rows[len(CASES) - 1]}, " in done.stdout
    assert done.stdout.splitlines()[-1] == f"PATH=$PWD/{pathlib.Path(PROGRAM).parent.name}:$PATH"
    for result in ("speed.png", "ladder.png", "photograph.png", "channels.png", "explain.html"):
        assert (tmp_path / result).stat().st_size > 0


def test_every_array_is_what_its_name_says(demo):
    arrays = demo.arrays(demo.photographs())
    assert arrays.keys() == CASES
    volume, axes = arrays["Fortran volume"]
    assert volume.flags.f_contiguous and demo.shape_of(volume, axes) == "float32, 200 x 240 x 280, Fortran to C order"
    assert demo.shape_of(*arrays["attention heads"]) == "float16, 8 x 2048 x 16 x 64, axes (0, 2, 1, 3)"


@pytest.mark.parametrize("numpy, own, words", [
    (141, 11.7, "12 times as fast"), (99.4, 10, "9.9 times as fast"), (99.6, 10, "10 times as fast"), (19, 10, "1.9 times as fast"),
    (10.4, 10, "as fast"), (9.6, 10, "as fast"), (10, 15, "1.5 times as long"), (1, 20, "20 times as long")])
def test_a_ratio_is_told_in_words(demo, numpy, own, words):
    assert demo.compared({"numpy": numpy, "torch": 1, "cornerturn": own}) == words


def test_the_table_tells_the_times_and_ends_with_the_worst_case(demo):
    times = {"heads of 16 tokens": {"numpy": 0.002, "cornerturn": 0.003, "torch": 0.0031, "copy": 0.0014},
             "Fortran volume": {"numpy": 141, "cornerturn": 11.7, "torch": 99.9, "copy": 8}}
    lines = demo.table("CPU, 2 threads, NumPy with one", times)
    assert lines[2:] == ["                        NumPy  PyTorch   a copy  cornerturn   beside NumPy",
                         "Fortran volume            141      100        8        11.7   12 times as fast",
                         "heads of 16 tokens      0.002   0.0031   0.0014       0.003   1.5 times as long",
                         "",
                         "Best case: Fortran volume, 12 times as fast as NumPy.",
                         "Worst case: heads of 16 tokens, 1.5 times as long as NumPy."]
    assert max(map(len, lines)) <= 80


def test_a_gpu_is_compared_with_pytorch(demo):
    lines = demo.table("GPU", {"matrix": {"torch": 4, "cornerturn": 1, "copy": 0.9}, "photographs": {"torch": 1, "cornerturn": 1, "copy": 1}})
    assert lines[2].split() == ["PyTorch", "a", "copy", "cornerturn", "beside", "PyTorch"]
    assert lines[-2:] == ["Best case: matrix, 4.0 times as fast as PyTorch.", "Worst case: photographs, as fast as PyTorch."]


def test_the_chart_has_every_case_and_tells_the_worst_one_in_words(demo):
    times = {"matrix": {"numpy": 12, "copy": 0.9, "cornerturn": 1}, "heads of 16 tokens": {"numpy": 1, "copy": 0.5, "cornerturn": 3}}
    figure, axes = demo.plt.subplots(figsize=(8, 4), layout="constrained")
    demo.draw_cases(axes, "CPU", times, dict.fromkeys(times, "float64, 4000 x 3000, axes (1, 0)"))
    texts = [each.get_text() for each in axes.texts]
    assert "1 ms: 12 times as fast as NumPy" in texts and "3 ms: 3.0 times as long as NumPy" in texts
    assert texts.index("matrix") < texts.index("heads of 16 tokens")
    figure.canvas.draw()
    assert max(each.get_window_extent().x1 for each in axes.texts) <= axes.bbox.x1
    demo.plt.close(figure)


def test_cornerturn_has_one_colour_in_all_charts():
    own = re.search(r'"cornerturn": "(#\w+)"', (SCRIPT.parents[1] / "bench/arena_report.py").read_text())[1]
    assert f'OWN, OTHER = "{own}"' in SCRIPT.read_text()
