"""The examples for frameworks."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(name):
    done = subprocess.run([sys.executable, "-W", "ignore", EXAMPLES / name], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done


def test_torch():
    run("torch_tensors.py")


def test_cupy(cupy):
    run("cupy_arrays.py")


def test_what_the_page_of_adoption_shows():
    text = (ROOT / "docs/adopt.md").read_text()
    [program] = re.findall("```python\n(.*?)```", text, re.DOTALL)
    [shown] = re.findall("```\n(cornerturn.torch is.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.replace("for cpu and cuda", "for cpu").startswith(shown), done
