"""Runs einops's own tests with cornerturn's rearrange, and its layer for PyTorch, in place of einops's.

    pip download --no-deps --no-binary einops einops==0.8.2 && tar xf einops-0.8.2.tar.gz
    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/einops_suite.py einops-0.8.2

--own leaves einops's functions in place, which shows what fails without cornerturn. Further arguments go to pytest. The tests start
`python`, which must be the one that runs this.
"""

import argparse
import os
import pathlib
import sys

import pytest

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("folder", type=pathlib.Path, help="a source distribution of einops, unpacked")
parser.add_argument("--own", action="store_true", help="run the tests with einops's functions")
arguments, of_pytest = parser.parse_known_args()

os.environ["EINOPS_TEST_BACKENDS"] = "numpy,torch,jax"
os.environ["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
os.environ["PYTHONPATH"] = os.pathsep.join([str(arguments.folder.resolve()), *filter(None, [os.environ.get("PYTHONPATH")])])
sys.path.insert(0, str(arguments.folder.resolve()))

import einops.einops  # noqa: E402
import einops.layers.torch  # noqa: E402
import jax  # noqa: E402
import torch  # noqa: E402

import cornerturn.jax  # noqa: E402
import cornerturn.torch  # noqa: E402


def rearrange(tensor, pattern, **axes_lengths):
    """einops.rearrange, by the module of cornerturn that is for the tensor's framework."""
    first = tensor[0] if isinstance(tensor, list) and tensor else tensor
    module = cornerturn.torch if isinstance(first, torch.Tensor) else cornerturn.jax if isinstance(first, jax.Array) else cornerturn
    return module.rearrange(tensor, pattern, **axes_lengths)


if not arguments.own:
    einops.rearrange = einops.einops.rearrange = rearrange
    einops.layers.torch.Rearrange = cornerturn.torch.Rearrange
print(f"einops {einops.__version__}, torch {torch.__version__}, jax {jax.__version__}; "
      f"rearrange and Rearrange are {'einops' if arguments.own else 'cornerturn'}'s")
sys.exit(pytest.main([str(arguments.folder / "einops/tests"), "-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", *of_pytest]))
