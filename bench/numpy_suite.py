"""Runs NumPy's own tests with cornerturn's functions in place of NumPy's functions that permute or copy, in NumPy's own modules too.

    PYTHONPATH=build/cpu/python build/venv/bin/python bench/numpy_suite.py [FILE ...]

A file, such as lib/tests/test_shape_base.py, is one of NumPy's package; without one, all of these packages' tests run. Counts the tests
that call one of the functions, each parameter set by itself. Some fail by design, for the reasons below; the program fails if another
one does. --own leaves NumPy's functions in place, which shows what fails without cornerturn. Further options go to pytest.
"""

import argparse
import collections
import contextlib
import functools
import importlib
import inspect
import pathlib
import sys

import cornerturn
import numpy
import pytest

PACKAGES = ("_core", "lib", "linalg", "fft", "matrixlib", "ma", "polynomial", "random", "testing")
VIEW, SUBCLASS = "by design: the result is a new array, no view", "by design: the result is of numpy.ndarray, no subclass of it"
MASK, OBJECTS = "by design: a mask is refused", "by design: Python objects are refused"
WORDS = "by design: the message has other words than NumPy's"
BY_DESIGN = {
    "lib/tests/test_arraypad.py::test_legacy_vector_functionality": VIEW,
    "lib/tests/test_shape_base.py::TestArraySplit::test_integer_split_2D_rows_greater_max_int32": VIEW,
    "_core/tests/test_numeric.py::TestRollaxis::test_results": VIEW,
    "lib/tests/test_shape_base.py::TestApplyAlongAxis::test_subclass": SUBCLASS,
    "lib/tests/test_shape_base.py::TestApplyAlongAxis::test_subclass_preservation": SUBCLASS,
    "lib/tests/test_shape_base.py::TestApplyAlongAxis::test_axis_insertion_ma": MASK,
    "_core/tests/test_numeric.py::TestMoveaxis::test_array_likes": MASK,
    "lib/tests/test_shape_base.py::TestApplyAlongAxis::test_with_iterable_object": OBJECTS,
    "lib/tests/test_function_base.py::TestQuantile::test_inf_zeroes_err": OBJECTS,
    "_core/tests/test_regression.py::TestRegression::test_object_array_self_copy": OBJECTS,
    "_core/tests/test_numeric.py::TestMoveaxis::test_errors": WORDS,
    "linalg/tests/test_linalg.py::test_matrix_transpose": WORDS,
}


def ascontiguousarray(a, dtype=None):
    return cornerturn.ascontiguous(numpy.array(a, dtype, copy=None, ndmin=1))


def asfortranarray(a, dtype=None):
    return cornerturn.ascontiguous(numpy.array(a, dtype, copy=None, ndmin=1), "F")


NUMPY_COPYTO = numpy.copyto


def copyto(dst, src, casting="same_kind", where=True):
    """numpy.copyto; other rules of casting, and masks, are NumPy's."""
    if casting != "same_kind" or where is not True:
        return NUMPY_COPYTO(dst, src, casting, where)
    cornerturn.copy(src, dst)


FUNCTIONS = {name: getattr(cornerturn, name) for name in ("transpose", "permute_dims", "moveaxis", "rollaxis", "swapaxes",
                                                          "matrix_transpose")}
for function in (ascontiguousarray, asfortranarray, copyto):
    FUNCTIONS[function.__name__] = function
    with contextlib.suppress(ValueError):  # before 2.4 NumPy's have none
        function.__signature__ = inspect.signature(getattr(numpy, function.__name__))


class Counts:
    """A plugin of pytest that counts the tests that call one of the functions, by outcome."""

    def __init__(self):
        self.calls = 0
        self.outcomes = collections.Counter()
        self.unexpected = []

    def counted(self, function):
        @functools.wraps(function)
        def counting(*arguments, **options):
            self.calls += 1
            return function(*arguments, **options)
        return counting

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "setup":
            self.before = self.calls
        elif call.when == "call" and self.calls > self.before and not report.skipped:
            name = item.nodeid.rpartition("numpy/")[2].partition("[")[0]
            reason = report.failed and BY_DESIGN.get(name)
            self.outcomes[reason or report.outcome] += 1
            if report.failed and not reason:
                self.unexpected.append(item.nodeid)
        elif report.failed:
            self.unexpected.append(item.nodeid)
        return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", default=[f"{package}/tests" for package in PACKAGES], metavar="FILE")
    parser.add_argument("--own", action="store_true", help="run the tests with NumPy's functions")
    arguments, of_pytest = parser.parse_known_args()

    for package in PACKAGES:
        importlib.import_module(f"numpy.{package}")
    counts = Counts()
    for name, function in FUNCTIONS.items():
        old = getattr(numpy, name)
        new = counts.counted(old if arguments.own else function)
        for module in [each for key, each in sys.modules.items() if key.partition(".")[0] == "numpy"]:
            for attribute in [key for key, value in vars(module).items() if value is old]:
                setattr(module, attribute, new)

    folder = pathlib.Path(numpy.__file__).parent
    code = pytest.main([*(str(folder / file) for file in arguments.files), "-q", "-m", "not slow", "-W", "ignore", "-p", "no:cacheprovider",
                        "--tb=line", *of_pytest], plugins=[counts])
    print(f"numpy {numpy.__version__}; {', '.join(FUNCTIONS)} are {'NumPy' if arguments.own else 'cornerturn'}'s")
    print(f"{sum(counts.outcomes.values())} tests call them, {counts.calls} times")
    for outcome, tests in counts.outcomes.most_common():
        print(f"{tests:6}  {outcome}")
    return 1 if counts.unexpected or code > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
