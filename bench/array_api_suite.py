"""Runs the array API's tests of permute_dims, moveaxis and matrix_transpose with cornerturn's functions among NumPy's.

    git clone --recursive https://github.com/data-apis/array-api-tests
    build/venv/bin/pip install pytest-json-report ndindex
    PYTHONPATH=build/cpu/python build/venv/bin/python bench/array_api_suite.py array-api-tests --max-examples 500

Further arguments go to pytest. cornerturn's functions have no parameters that are only positional, so test_signatures.py is not run.
"""

import argparse
import os
import pathlib
import sys
import types

import cornerturn
import numpy
import pytest

FUNCTIONS = ("permute_dims", "moveaxis", "matrix_transpose")
TESTS = ("test_manipulation_functions.py::test_permute_dims", "test_manipulation_functions.py::test_moveaxis",
         "test_linalg.py::test_matrix_transpose", "test_linalg.py::test_linalg_matrix_transpose")

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("folder", type=pathlib.Path, help="a checkout of array-api-tests with its submodule")
arguments, of_pytest = parser.parse_known_args()

module = types.ModuleType("numpy_with_cornerturn")
module.__dict__.update({name: getattr(numpy, name) for name in dir(numpy) if not name.startswith("_")})
module.linalg = types.SimpleNamespace(**vars(numpy.linalg))
module.__array_namespace_info__, module.__version__ = numpy.__array_namespace_info__, numpy.__version__
for name in FUNCTIONS:
    setattr(module, name, getattr(cornerturn, name))
module.linalg.matrix_transpose = cornerturn.matrix_transpose
sys.modules[module.__name__] = module
os.environ["ARRAY_API_TESTS_MODULE"] = module.__name__

print(f"numpy {numpy.__version__} with cornerturn's {', '.join(FUNCTIONS)} and linalg.matrix_transpose")
os.chdir(arguments.folder)
sys.exit(pytest.main([*(f"array_api_tests/{test}" for test in TESTS), "-v", "-p", "no:cacheprovider", *of_pytest]))
