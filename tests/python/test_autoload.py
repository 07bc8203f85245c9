"""The hook that `import torch` calls. An exception in it would make that import fail."""

import os
import subprocess
import sys

import pytest

START = "import sys; sys.modules['torch'] = None; import cornerturn_autoload; cornerturn_autoload.start(); print('started')"


def run(value, *options):
    return subprocess.run([sys.executable, *options, "-c", START], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "CORNERTURN_TORCH": value})


@pytest.mark.parametrize("value, message", [
    ("on", "CORNERTURN_TORCH is 'on'; it must be 1 or 0"),
    ("1", "CORNERTURN_TORCH is 1, but cornerturn.torch.enable() failed: "),
])
def test_it_raises_nothing_where_warnings_are_errors(value, message):
    for options in ((), ("-W", "error"), ("-W", "error::RuntimeWarning")):
        done = run(value, *options)
        assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr
        assert f"RuntimeWarning: {message}" in done.stderr and "Traceback" not in done.stderr


def test_a_filter_ignores_what_it_says():
    assert run("on", "-W", "ignore").stderr == ""
