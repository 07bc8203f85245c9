"""What the tests of BLAS's functions share: types, arguments of calls, matrices in memory."""

import ctypes
import mmap
import os
import pathlib

import numpy as np

LIBRARY = pathlib.Path(os.environ["CORNERTURN"]).parents[1] / "lib/libcornerturn_blas.so"
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
ROW, COLUMN, NO_TRANS, TRANS, CONJ_TRANS, CONJ_NO_TRANS = 101, 102, 111, 112, 113, 114
OPS = {NO_TRANS: lambda a: a, TRANS: lambda a: a.T, CONJ_TRANS: lambda a: a.conj().T, CONJ_NO_TRANS: lambda a: a.conj()}
LETTERS = {ROW: "R", COLUMN: "c", NO_TRANS: "N", TRANS: "t", CONJ_TRANS: "C", CONJ_NO_TRANS: "r", 100: "X", 110: "?"}
ours = ctypes.CDLL(str(LIBRARY))


class Complex8(ctypes.Structure):
    _fields_ = [("real", ctypes.c_float), ("imag", ctypes.c_float)]


class Complex16(ctypes.Structure):
    _fields_ = [("real", ctypes.c_double), ("imag", ctypes.c_double)]


def real(letter):
    return ctypes.c_float if letter in "sc" else ctypes.c_double


def alpha_of(letter, alpha):
    """As CBLAS takes it."""
    return real(letter)(alpha.real) if letter in "sd" else (real(letter) * 2)(alpha.real, alpha.imag)


def alpha_of_mkl(letter, alpha):
    if letter in "sd":
        return real(letter)(alpha.real)
    return (Complex8 if letter == "c" else Complex16)(alpha.real, alpha.imag)


def letter_of(code):
    return ctypes.c_char(LETTERS[code].encode())


def sizes(*values):
    return [ctypes.c_size_t(value) for value in values]


def by_reference(arguments):
    """As Fortran takes them. Pointers stay as they are."""
    return [each if isinstance(each, (ctypes.c_void_p, ctypes.Array)) else ctypes.byref(each) for each in arguments]


def shape_of(op, rows, columns):
    """The shape of op(A), or of the A of a result."""
    return (rows, columns) if op in (NO_TRANS, CONJ_NO_TRANS) else (columns, rows)


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


def random_array(generator, size, letter):
    values = generator.integers(-9, 9, size)
    return (values + 1j * values[::-1]).astype(TYPES[letter]) if letter in "cz" else values.astype(TYPES[letter])


def placed(array, generator):
    """A copy at a drawn address within a cache line, beside either of two pages that must not be touched."""
    page, line = mmap.PAGESIZE, 64
    room = -(-(array.nbytes + line) // page) * page
    memory = np.frombuffer(mmap.mmap(-1, room + 2 * page), np.uint8)
    for guard in (memory[:page], memory[-page:]):
        assert ctypes.CDLL(None).mprotect(address(guard), ctypes.c_size_t(page), 0) == 0
    shift, last = int(generator.integers(line // array.itemsize)) * array.itemsize, room - array.nbytes
    begin = page + (shift if generator.integers(2) else last - (last - shift) % line)
    result = memory[begin:begin + array.nbytes].view(array.dtype)
    result[:] = array
    return result


def matrix(memory, order, rows, columns, pitch, step=1):
    """The matrix in memory as NumPy sees it. `step` is the distance between the elements of a row or, by columns, of a column."""
    strides = np.array([pitch, step] if order == ROW else [step, pitch]) * memory.itemsize
    return np.lib.stride_tricks.as_strided(memory, (rows, columns), strides)
