"""The compiler guards the construction of local statics against threads, but not against fork."""

import os
import pathlib

import pytest

BUILD = pathlib.Path(os.environ["CORNERTURN"]).parents[1]
OBJECTS = sorted((BUILD / "src/CMakeFiles/cornerturn_objects.dir").rglob("*.o"))
OBJECTS = [path for path in OBJECTS if not path.name.endswith(".cu.o")]


def test_no_function_s_static_is_guarded_by_the_compiler():
    """fork_safe_static replaces guarded statics. Objects of .cu files are not checked, because nvcc adds such statics for kernels."""
    if not OBJECTS:
        pytest.skip("the library's objects are not there")
    names = {path.name for path in OBJECTS}
    assert {"tiles.cpp.o", "parallel_for.cpp.o"} <= names or "unity_0_cxx.cxx.o" in names, "the objects of another kind of build"
    assert not [path.relative_to(BUILD).as_posix() for path in OBJECTS if b"__cxa_guard_acquire" in path.read_bytes()]
