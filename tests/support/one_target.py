"""A plugin of pytest: restricts the tests to one of Highway's sets of instructions, which CORNERTURN_TEST_TARGET names as
`cornerturn info` prints it. The library runs the best one otherwise."""

import ctypes
import os
import re

import cornerturn
import pytest

NAME = os.environ.get("CORNERTURN_TEST_TARGET")
SKIPPED = 77  # the exit status by which ctest knows a run that was skipped


def instructions():
    """The name of the instructions that a call uses now."""
    described = cornerturn.plan((2, 3), (1, 0), dtype="u1", device="cpu").describe()
    return re.search(r"on the CPU \(.*, (.+), \d+ threads?\)", described)[1]


def restrict(name):
    """Returns why the tests cannot be restricted; nothing if they are."""
    if instructions() == name:
        return f"{name} is what tests run with by default"
    try:
        highway = ctypes.CDLL("libhwy.so.1")
    except OSError:
        return "Highway is no shared library here"
    supported, use = highway._ZN3hwy16SupportedTargetsEv, highway._ZN3hwy26SetSupportedTargetsForTestEl
    supported.restype, use.argtypes = ctypes.c_int64, [ctypes.c_int64]
    available = supported()
    for target in (1 << bit for bit in range(63) if available >> bit & 1):
        use(target)
        if instructions() == name:
            return None
        use(0)
    return f"{name} is no set of instructions of this processor, or the package does not share Highway"


def pytest_configure():
    reason = NAME and restrict(NAME)
    if reason:
        pytest.exit(f"skipped: {reason}", SKIPPED)


def pytest_runtest_teardown():
    assert not NAME or instructions() == NAME
