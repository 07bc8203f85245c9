"""The compiler guards the construction of local statics against threads, but not against fork."""

import os
import pathlib

import pytest

BUILD = pathlib.Path(os.environ["CORNERTURN"]).parents[1]
OBJECTS = sorted((BUILD / "src/CMakeFiles/cornerturn_objects.dir").rglob("*.cpp.o"))


def test_no_function_s_static_is_guarded_by_the_compiler():
    """fork_safe_static replaces guarded statics. Objects of .cu files are not checked, because nvcc adds such statics for kernels."""
    if not OBJECTS:
        pytest.skip("the library's objects are not there")
    assert not [path.relative_to(BUILD).as_posix() for path in OBJECTS if b"__cxa_guard_acquire" in path.read_bytes()]
