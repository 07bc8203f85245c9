"""BLAS's omatcopy and imatcopy against the definition, and against the OpenBLAS that NumPy's wheels bring."""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from blas_calls import (COLUMN, CONJ_NO_TRANS, CONJ_TRANS, LIBRARY, NO_TRANS, OPS, ROW, TRANS, TYPES, address, alpha_of, alpha_of_mkl,
                        by_reference, letter_of, matrix, ours, placed, random_array, shape_of, sizes)


def openblas():
    folder = pathlib.Path(np.__file__).parents[1] / "numpy.libs"
    found = sorted(folder.glob("libscipy_openblas64_*.so")) if folder.is_dir() else []
    return ctypes.CDLL(str(found[0])) if found else None


THEIRS = openblas()


# An interface: its names by the letter of the type, and how it takes order and trans, integers, and alpha.
INTERFACES = {
    "cblas": ("cblas_{}{}", ctypes.c_int, ctypes.c_int, alpha_of),
    "mkl": ("MKL_{}{}", letter_of, ctypes.c_size_t, alpha_of_mkl),
    "fortran": ("{}{}_", letter_of, ctypes.c_int, alpha_of),
    "mkl of Fortran": ("mkl_{}{}_", letter_of, ctypes.c_int, alpha_of),
    # of OpenBLAS, as NumPy's wheels name its functions
    "cblas of OpenBLAS": ("scipy_cblas_{}{}64_", ctypes.c_int64, ctypes.c_int64, alpha_of),
    "fortran of OpenBLAS": ("scipy_{}{}_64_", letter_of, ctypes.c_int64, alpha_of),
}


class Case:
    """Random arguments. `in_place` has one matrix, which is large enough for both pitches."""

    def __init__(self, seed, in_place):
        self.generator = generator = np.random.default_rng(seed)
        pick = lambda *some: some[generator.integers(len(some))]
        self.letter, self.order, self.trans = pick(*"sdcz"), pick(ROW, COLUMN), pick(*OPS)
        self.rows, self.columns = (int(generator.integers(1, pick(9, 90))) for _ in range(2))
        self.alpha = complex(pick(1, 1, 0, -2, 0.5), pick(0, 1.5) if self.letter in "cz" else 0)
        rows, columns = self.result_shape()
        self.lda = (self.columns if self.order == ROW else self.rows) + pick(0, 0, 3)
        self.ldb = (columns if self.order == ROW else rows) + pick(0, 0, 5)
        lines = lambda rows, columns: rows if self.order == ROW else columns
        size_a, size_b = lines(self.rows, self.columns) * self.lda, lines(rows, columns) * self.ldb
        self.a = random_array(generator, max(size_a, size_b) if in_place else size_a, self.letter)
        self.b = None if in_place else random_array(generator, size_b, self.letter)

    def spoil(self, seed):
        """Makes one argument a bad one. Returns its name in messages, a pattern."""
        rows, columns = self.result_shape()
        least_a, least_b = (self.columns, columns) if self.order == ROW else (self.rows, rows)
        name, value = [("order", 100), ("trans", 110), ("rows", -1), ("columns", -1), ("lda", least_a - 1), ("ldb", least_b - 1)][seed % 6]
        setattr(self, name, value)
        return {"order": "order(ing)?", "columns": "cols"}.get(name, name)

    def result_shape(self):
        return shape_of(self.trans, self.rows, self.columns)

    def expected(self):
        """B, or A after a call in place."""
        a = matrix(self.a, self.order, self.rows, self.columns, self.lda)
        memory = self.memory().copy()
        result = TYPES[self.letter](self.alpha if self.letter in "cz" else self.alpha.real) * OPS[self.trans](a)
        matrix(memory, self.order, *self.result_shape(), self.ldb)[...] = result
        return memory

    def memory(self):
        """What a call writes."""
        return self.a if self.b is None else self.b

    def call(self, library, interface, b_is_a=False):
        """What `memory` holds after the call of a function of the library."""
        names, code, integer, alpha = INTERFACES[interface]
        a = placed(self.a, self.generator)
        b = a if b_is_a else None if self.b is None else placed(self.b, self.generator)
        head = [code(self.order), code(self.trans), integer(self.rows), integer(self.columns), alpha(self.letter, self.alpha)]
        tail = [address(a), integer(self.lda), *([] if b is None else [address(b)]), integer(self.ldb)]
        if "ortran" in interface:
            head, tail = by_reference(head), by_reference(tail)
        letter = self.letter.upper() if interface == "mkl" else self.letter
        library[names.format(letter, "imatcopy" if b is None else "omatcopy")](*head, *tail)
        return a if b is None else b


OURS = [each for each in INTERFACES if "OpenBLAS" not in each]


@pytest.mark.parametrize("interface", OURS)
@pytest.mark.parametrize("in_place", [False, True], ids=["omatcopy", "imatcopy"])
def test_random_arguments(in_place, interface):
    for seed in range(300):
        case = Case(seed, in_place)
        expected = case.expected()
        np.testing.assert_array_equal(case.call(ours, interface), expected, f"seed {seed}")
        if THEIRS and seed % 4 == 0 and "mkl" not in interface:
            np.testing.assert_array_equal(case.call(THEIRS, interface + " of OpenBLAS"), expected, f"seed {seed} by OpenBLAS")


@pytest.mark.parametrize("interface", OURS)
@pytest.mark.parametrize("in_place", [False, True], ids=["omatcopy", "imatcopy"])
def test_one_bad_argument_among_random_ones(in_place, interface, capfd):
    for seed in range(60):
        case = Case(seed, in_place)
        before, name = case.memory().copy(), case.spoil(seed)
        np.testing.assert_array_equal(case.call(ours, interface), before, f"seed {seed}")
        said = capfd.readouterr().err
        function = f"(cblas_|mkl_|){case.letter}{'i' if in_place else 'o'}matcopy"
        assert re.fullmatch(f"cornerturn: {function}: {name} is .*; it must be .*\n", said), (seed, said)
        if THEIRS and "mkl" not in interface:
            np.testing.assert_array_equal(case.call(THEIRS, interface + " of OpenBLAS"), before, f"seed {seed} by OpenBLAS")
            ctypes.CDLL(None).fflush(None)  # OpenBLAS prints to C's stdout, which keeps what goes to a file
            assert "illegal value" in "".join(capfd.readouterr()), seed


def test_large_matrices():
    for letter in TYPES:
        a = random_array(np.random.default_rng(0), 1100 * 700, letter)
        b = np.empty_like(a)
        ours[f"cblas_{letter}omatcopy"](ROW, TRANS, 1100, 700, alpha_of(letter, 2 + 0j), address(a), 700, address(b), 1100)
        np.testing.assert_array_equal(b.reshape(700, 1100), 2 * a.reshape(1100, 700).T)
        ours[f"cblas_{letter}imatcopy"](ROW, TRANS, 1100, 700, alpha_of(letter, 1 + 0j), address(a), 700, 1100)
        np.testing.assert_array_equal(2 * a, b)


@pytest.mark.parametrize("rows, columns, op, lda, ldb", [
    (1100, 1100, TRANS, 1100, 1100), (1100, 1100, CONJ_TRANS, 1103, 1103), (700, 1900, NO_TRANS, 1900, 1900),
    (700, 1900, CONJ_NO_TRANS, 1903, 1907), (700, 1900, NO_TRANS, 1907, 1903), (700, 1900, TRANS, 1903, 701)])
@pytest.mark.parametrize("letter", TYPES)
def test_large_matrices_in_place(letter, rows, columns, op, lda, ldb):
    """Some are cut into pieces."""
    result = shape_of(op, rows, columns)
    a = random_array(np.random.default_rng(2), max(rows * lda, result[0] * ldb), letter)
    alpha = 2 + (1j if letter in "cz" else 0)
    wanted = a.copy()
    matrix(wanted, ROW, *result, ldb)[...] = TYPES[letter](alpha) * OPS[op](matrix(a, ROW, rows, columns, lda))
    ours[f"cblas_{letter}imatcopy"](ROW, op, rows, columns, alpha_of(letter, alpha), address(a), lda, ldb)
    np.testing.assert_array_equal(a, wanted)


@pytest.mark.parametrize("interface", OURS)
@pytest.mark.parametrize("pitch", [1100, 1103])
@pytest.mark.parametrize("op", [NO_TRANS, CONJ_NO_TRANS])
@pytest.mark.parametrize("letter", TYPES)
def test_b_is_a(letter, op, pitch, interface):
    """A matrix of several pieces."""
    case = Case(0, in_place=True)
    case.letter, case.order, case.trans, case.alpha = letter, ROW, op, 2 + (1j if letter in "cz" else 0)
    case.rows, case.columns, case.lda, case.ldb = 700, 1100, pitch, pitch
    case.a = random_array(case.generator, 700 * pitch, letter)
    expected = case.expected()
    np.testing.assert_array_equal(case.call(ours, interface, b_is_a=True), expected)


def test_a_factor_of_0_gives_zeros():
    a, b = np.full((3, 4), np.nan), np.ones((4, 3))
    ours.cblas_domatcopy(ROW, TRANS, 3, 4, ctypes.c_double(0), address(a), 4, address(b), 3)
    assert not b.any()
    ours.cblas_dimatcopy(ROW, TRANS, 3, 4, ctypes.c_double(0), address(a), 4, 3)
    assert not a.any()


@pytest.mark.parametrize("arguments, message", [
    ((100, TRANS, 3, 4, 4, 3), "order is 100; it must be 101 (row-major) or 102 (column-major)"),
    ((ROW, 110, 3, 4, 4, 4), "trans is 110; it must be 111 to 114"),
    ((ROW, TRANS, -1, 4, 4, 3), "rows is -1; it must be 0 or more"),
    ((ROW, TRANS, 3, -4, 4, 3), "cols is -4; it must be 0 or more"),
    ((ROW, TRANS, 3, 4, 3, 3), "lda is 3; it must be at least 4"),
    ((COLUMN, NO_TRANS, 3, 4, 2, 3), "lda is 2; it must be at least 3"),
    ((ROW, TRANS, 3, 4, 4, 2), "ldb is 2; it must be at least 3"),
    ((COLUMN, TRANS, 3, 4, 3, 3), "ldb is 3; it must be at least 4")])
def test_bad_arguments(arguments, message, capfd):
    order, trans, rows, columns, lda, ldb = arguments
    a, b = np.ones(20), np.full(20, 7.0)
    ours.cblas_domatcopy(order, trans, rows, columns, ctypes.c_double(1), address(a), lda, address(b), ldb)
    ours.cblas_dimatcopy(order, trans, rows, columns, ctypes.c_double(1), address(b), lda, ldb)
    lines = capfd.readouterr().err.splitlines()
    assert lines == [f"cornerturn: cblas_domatcopy: {message}", f"cornerturn: cblas_dimatcopy: {message}"]
    assert (b == 7).all()


def test_bad_arguments_of_mkl(capfd):
    a, b = np.ones(20), np.full(20, 7.0)
    one = ctypes.c_double(1)
    ours.MKL_Domatcopy(ctypes.c_char(b"X"), ctypes.c_char(b"T"), *sizes(3, 4), one, address(a), *sizes(4), address(b), *sizes(3))
    ours.MKL_Dimatcopy(ctypes.c_char(b"R"), ctypes.c_char(b"\n"), *sizes(3, 4), one, address(b), *sizes(4, 3))
    ours.MKL_Domatcopy_batch_strided(ctypes.c_char(b"R"), ctypes.c_char(b"N"), *sizes(2, 2), one, address(a), *sizes(2, 4),
                                     address(b), *sizes(2, 3, 2))
    ours.MKL_Domatcopy(ctypes.c_char(b"R"), ctypes.c_char(b"T"), *sizes(2**63, 4), one, address(a), *sizes(4), address(b), *sizes(3))
    assert capfd.readouterr().err.splitlines() == [
        "cornerturn: mkl_domatcopy: ordering is 'X'; it must be 'R' or 'C'",
        "cornerturn: mkl_dimatcopy: trans is 10; it must be 'N', 'T', 'C' or 'R'",
        "cornerturn: mkl_domatcopy_batch_strided: strideb is 3; it must be at least 4, the elements of a result",
        "cornerturn: mkl_domatcopy: rows is 9223372036854775808; it must be below 2^63"]
    assert (b == 7).all()


def test_too_little_memory_for_a_second_matrix(capfd):
    ours.MKL_Dimatcopy(ctypes.c_char(b"R"), ctypes.c_char(b"T"), ctypes.c_size_t(2**25), ctypes.c_size_t(2**24), ctypes.c_double(2),
                       ctypes.c_void_p(64), ctypes.c_size_t(2**24), ctypes.c_size_t(2**25))
    assert capfd.readouterr().err == "cornerturn: mkl_dimatcopy: there is too little memory\n"


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2.0])
def test_arrays_that_overlap_are_refused(alpha, capfd):
    a = np.arange(40.0)
    ours.cblas_domatcopy(ROW, TRANS, 3, 4, ctypes.c_double(alpha), address(a), 4, address(a[11:]), 3)
    start = a.ctypes.data
    assert capfd.readouterr().err == (f"cornerturn: cblas_domatcopy: B is [{start + 88:#x}, {start + 184:#x}); it must be apart from A, "
                                      f"[{start:#x}, {start + 96:#x})\n")
    assert (a == np.arange(40)).all()
    ours.cblas_domatcopy(ROW, TRANS, 3, 4, ctypes.c_double(alpha), address(a), 4, address(a[12:]), 3)
    assert capfd.readouterr().err == "" and (a[12:24].reshape(4, 3) == alpha * a[:12].reshape(3, 4).T).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("letter", TYPES)
def test_null_pointers_are_refused(letter, alpha, capfd):
    a, factor = np.ones(12, TYPES[letter]), alpha_of(letter, complex(alpha))
    function = f"cblas_{letter}omatcopy"
    ours[function](ROW, TRANS, 3, 4, factor, None, 4, address(a), 3)
    ours[function](ROW, TRANS, 3, 4, factor, address(a), 4, None, 3)
    ours[f"cblas_{letter}imatcopy"](ROW, TRANS, 3, 4, factor, None, 4, 3)
    if letter in "cz":
        ours[function](ROW, TRANS, 3, 4, None, address(a), 4, address(a), 3)
    assert capfd.readouterr().err.splitlines() == [
        f"cornerturn: {function}: A is null; it must be an address", f"cornerturn: {function}: B is null; it must be an address",
        f"cornerturn: cblas_{letter}imatcopy: A is null; it must be an address",
        *([f"cornerturn: {function}: alpha is null; it must be the address of a complex number"] if letter in "cz" else [])]
    assert (a == 1).all()


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_sizes_beyond_64_bits_are_refused(alpha, capfd):
    """The arrays have 8 elements, in which a product that wraps around may seem to fit."""
    a, b = np.ones(8), np.full(8, 7.0)
    letters, factor = [ctypes.c_char(b"R"), ctypes.c_char(b"N")], ctypes.c_double(alpha)
    ours.MKL_Domatcopy(*letters, *sizes(3, 2), factor, address(a), *sizes(2**63 - 1), address(b), *sizes(2))
    ours.MKL_Domatcopy(*letters, *sizes(3, 2), factor, address(a), *sizes(2), address(b), *sizes(2**62))
    ours.MKL_Domatcopy(*letters, *sizes(2, 2), factor, address(a), *sizes(2), address(b), *sizes(2**61))
    ours.MKL_Dimatcopy(*letters, *sizes(3, 2), factor, address(b), *sizes(2), *sizes(2**63 - 1))
    ours.MKL_Domatcopy_batch_strided(*letters, *sizes(3, 2), factor, address(a), *sizes(2, 8), address(b), *sizes(2**62, 8, 2))
    ours.MKL_Domatcopy_batch_strided(*letters, *sizes(2, 2), factor, address(a), *sizes(2, 2**62), address(b), *sizes(2, 8, 3))
    within = "such that 3 rows of 2 elements are within 2^63 - 1 elements"
    lines = capfd.readouterr().err.splitlines()
    assert lines == [
        f"cornerturn: mkl_domatcopy: lda is {2**63 - 1}; it must be {within}", f"cornerturn: mkl_domatcopy: ldb is {2**62}; it must be {within}",
        f"cornerturn: mkl_domatcopy: B is of {2**61 + 2} elements of 8 bytes; it must be of at most 2^63 - 1 bytes",
        f"cornerturn: mkl_dimatcopy: ldb is {2**63 - 1}; it must be {within}",
        f"cornerturn: mkl_domatcopy_batch_strided: ldb is {2**62}; it must be {within}",
        f"cornerturn: mkl_domatcopy_batch_strided: stridea is {2**62}; it must be such that 3 matrices of 4 elements are within 2^63 - 1 elements"]
    assert (b == 7).all()


def test_empty_matrices(capfd):
    ours.cblas_domatcopy(ROW, TRANS, 0, 4, ctypes.c_double(1), None, 4, None, 1)
    ours.cblas_dimatcopy(ROW, TRANS, 0, 4, ctypes.c_double(1), None, 4, 1)
    assert capfd.readouterr().err == ""


def test_preloading():
    """The functions that a program finds are this library's, which the plan in the log shows."""
    script = "import ctypes; ctypes.CDLL(None).cblas_dimatcopy(101, 112, 3, 3, ctypes.c_double(1), (ctypes.c_double * 9)(), 3, 3)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env=os.environ | {"LD_PRELOAD": str(LIBRARY), "CORNERTURN_LOG": "plan"})
    assert "3 x 3" in done.stderr, done


def test_only_the_functions_of_blas_are_exported():
    listed = subprocess.run(["nm", "-D", "--defined-only", str(LIBRARY)], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in listed.splitlines() if not line.split()[-1].startswith("_ZT")}
    of_mkl = ["omatcopy", "imatcopy", "omatcopy2", "omatadd", *(f"{name}_batch_strided" for name in ("omatcopy", "imatcopy", "omatadd")),
              "omatcopy_batch", "imatcopy_batch"]
    of_openblas = ["omatcopy", "imatcopy", "geadd"]
    assert names == {name for letter in TYPES for name in (
        *(f"MKL_{letter.upper()}{each}" for each in of_mkl), *(f"mkl_{letter}{each}_" for each in of_mkl),
        *(f"cblas_{letter}{each}" for each in of_openblas), *(f"{letter}{each}_" for each in of_openblas))}
