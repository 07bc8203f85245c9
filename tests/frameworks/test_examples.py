"""The examples for frameworks."""

import pathlib
import re
import subprocess
import sys

import pytest
import torch

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(name, folder=None):
    done = subprocess.run([sys.executable, "-W", "ignore", EXAMPLES / name], cwd=folder, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and done.stdout, done
    return done.stdout


def test_torch():
    run("torch_tensors.py")


def test_what_the_readme_shows():
    [shown] = re.findall("```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-W", "error", "-c", f"{shown}\nprint(cornerturn.torch.report())"], capture_output=True, text=True)
    assert done.returncode == 0 and "1 copy of 8.4 MB taken" in done.stdout, done


def test_cupy(cupy):
    run("cupy_arrays.py")


def test_files_of_science(tmp_path):
    pytest.importorskip("h5py")
    assert run("science_arrays.py", tmp_path) == "(100, 128, 256) (128, 256, 100) (2, 8, 512, 64)\n"


def test_zarr_to_zarr_on_a_cluster():
    """The page of adoption shows the lines of the example."""
    pytest.importorskip("dask")
    assert run("dask_arrays.py") == "(128, 512, 40) in chunks of (64, 256, 40)\n"
    *_, shown = re.findall("```python\n(.*?)```", (ROOT / "docs/adopt.md").read_text(), re.DOTALL)
    lines = shown.split("\n\n")[1].splitlines()
    program = [line.strip() for line in (EXAMPLES / "dask_arrays.py").read_text().splitlines()]
    assert len(lines) == 3 and lines == program[program.index(lines[0]):][:3]


def test_what_the_page_of_adoption_shows():
    """Also with many threads, against which the rule takes fewer copies."""
    text = (ROOT / "docs/adopt.md").read_text()
    program, in_jax, _ = re.findall("```python\n(.*?)```", text, re.DOTALL)  # an example runs the third
    [shown] = re.findall("```\n(cornerturn.torch is.*?)```", text, re.DOTALL)
    for threads in (2, 16):
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", f"import torch\ntorch.set_num_threads({threads})\n{program}"],
                              capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.replace("for cpu and cuda", "for cpu").startswith(shown), done
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", in_jax], capture_output=True, text=True)
    assert done.returncode == 0, done


def test_what_the_page_of_python_shows():
    """All blocks, one after another, because later ones use the arrays of earlier ones."""
    names = {}
    for each in re.findall("```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.DOTALL):
        exec(each, names)
    x, y, z = (names[name] for name in "xyz")
    assert torch.equal(y, x.permute(0, 3, 1, 2)) and y.is_contiguous() and z.is_contiguous(memory_format=torch.channels_last)


def test_what_the_page_of_elements_shows():
    """All blocks, one after another. The products differ from those of 32-bit numbers by the 8-bit rounding."""
    names = {}
    for each in re.findall("```python\n(.*?)```", (ROOT / "docs/elements.md").read_text(), re.DOTALL):
        exec(each, names)
    weights, inputs, gradient = (names[name] for name in ("weights", "inputs", "gradient"))
    for name, wanted in (("y", inputs @ weights.T), ("dx", gradient @ weights), ("dw", gradient.T @ inputs)):
        assert (names[name].float() - wanted).norm() < 0.06 * wanted.norm(), name


def test_blocks_on_all_gpus():
    done = subprocess.run([sys.executable, EXAMPLES / "torch_gpus.py"], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and "blocks of (768, " in done.stdout, done


def test_ranks_of_torch():
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "3",
                           EXAMPLES / "torch_ranks.py"], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0 and "torch.Size([2, 2, 24, 16])" in done.stdout, done
