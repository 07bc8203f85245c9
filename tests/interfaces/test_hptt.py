"""HPTT's calls as docs/adopt.md shows them, in a program of C++11, the language of HPTT, and as its Python package makes them."""

import ctypes
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
LIBRARIES = pathlib.Path(os.environ["CORNERTURN"]).parents[1] / "lib"
BEFORE = """
int main() {
  int const perm[] = {1, 0}, sizeA[] = {3, 4}, dim = 2, threads = 2;
  float A[12], B[12], alpha = 2, beta = 0;
  for (int i = 0; i < 12; ++i) A[i] = i;
"""
AFTER = """
  plan->print();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      if (B[j + 4 * i] != 2 * A[i + 3 * j]) return 1;
}
"""


def test_what_the_page_of_adoption_shows(tmp_path):
    [shown] = re.findall("```cpp\n(.*?)```", (ROOT / "docs/adopt.md").read_text(), re.DOTALL)
    include, calls = shown.split("\n", 1)
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(include + BEFORE + calls + AFTER)
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++11", "-Wall", "-Wextra", "-Werror", source, "-o", program,
                    f"-I{ROOT / 'interfaces/hptt'}", f"-L{LIBRARIES}", "-lcornerturn_hptt", f"-Wl,-rpath,{LIBRARIES}"], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0 and "threads" in done.stdout, done


@pytest.fixture
def hptt():
    """As its Python package loads it, where HPTT_ROOT names lib/cornerturn-hptt."""
    return ctypes.CDLL(str(LIBRARIES / "cornerturn-hptt/lib/libhptt.so"))


@pytest.mark.parametrize("letter, dtype, scalar", [("s", np.float32, ctypes.c_float), ("d", np.float64, ctypes.c_double)])
def test_the_calls_of_the_python_package(hptt, letter, dtype, scalar):
    a = np.arange(2 * 3 * 4, dtype=dtype).reshape(2, 3, 4)
    b = np.ones((4, 2, 3), dtype)
    numbers = lambda *values: (ctypes.c_int32 * 3)(*values)
    address = lambda array: ctypes.c_void_p(array.ctypes.data)
    hptt[f"{letter}TensorTranspose"](numbers(2, 0, 1), ctypes.c_int32(3), scalar(2), address(a), numbers(*a.shape), numbers(*a.shape),
                                     scalar(1), address(b), numbers(*b.shape), ctypes.c_int32(2), ctypes.c_int32(1))
    np.testing.assert_array_equal(b, 2 * a.transpose(2, 0, 1) + 1)


@pytest.mark.parametrize("shape", [(7,), (0, 3), (1000,), (3, 5, 251), (1500, 1001)], ids=str)
def test_the_numbers_of_an_initialised_array(hptt, shape):
    a = np.full(np.prod(shape) + 1, 7, np.float32)
    hptt.randomNumaAwareInit(ctypes.c_void_p(a.ctypes.data), (ctypes.c_long * len(shape))(*shape), ctypes.c_int32(len(shape)))
    np.testing.assert_array_equal(a[:-1], np.arange(len(a) - 1) % 1000 - 500)
    assert a[-1] == 7


def test_what_is_not_initialised(hptt, capfd):
    a = np.full(8, 7, np.float32)
    for size, dim in (([2, -1], 2), ([2], 0), ([2**40, 2**40], 2)):
        hptt.randomNumaAwareInit(ctypes.c_void_p(a.ctypes.data), (ctypes.c_long * len(size))(*size), ctypes.c_int32(dim))
    hptt.randomNumaAwareInit(None, (ctypes.c_long * 1)(3), ctypes.c_int32(1))
    assert capfd.readouterr().err.splitlines() == [
        "cornerturn: randomNumaAwareInit: size[1] is -1; it must be 0 or more", "cornerturn: randomNumaAwareInit: dim is 0; it must be 1 or more",
        "cornerturn: randomNumaAwareInit: the array is of 2^63 elements or more; it must be smaller",
        "cornerturn: randomNumaAwareInit: data is null; it must be an address"]
    assert (a == 7).all()
