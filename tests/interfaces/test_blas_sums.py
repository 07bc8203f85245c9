"""BLAS's omatadd and geadd against the definition."""

import ctypes

import numpy as np
import pytest

from blas_calls import (COLUMN, NO_TRANS, OPS, ROW, TRANS, TYPES, address, alpha_of, alpha_of_mkl, by_reference, letter_of, matrix, ours,
                        placed, random_array, shape_of, sizes)


class Sum:
    """Random arguments of C = alpha * op(A) + beta * op(B). `where` is where C is: apart, or in A, B or both."""

    def __init__(self, seed, where="apart", shape=None, letter=None):
        self.generator = generator = np.random.default_rng(seed)
        self.where = where
        pick = lambda *some: some[generator.integers(len(some))]
        keeping = [op for op in OPS if shape_of(op, 1, 2) == (1, 2)]
        self.letter, self.order = letter or pick(*"sdcz"), pick(ROW, COLUMN)
        self.transa = pick(*(keeping if where in ("A", "both") else OPS))
        self.transb = pick(*(keeping if where in ("B", "both") else OPS))
        self.shape = shape or tuple(int(generator.integers(1, pick(9, 90))) for _ in range(2))
        factor = lambda *some: complex(pick(*some), pick(0, 1.5) if self.letter in "cz" else 0)
        self.alpha, self.beta = factor(1, 0, -2, 0.5), factor(1, 0, 3)
        self.shapes = [shape_of(op, *self.shape) for op in (self.transa, self.transb, NO_TRANS)]
        self.pitches = [(columns if self.order == ROW else rows) + pick(0, 0, 3) for rows, columns in self.shapes]
        if where in ("A", "both"):
            self.pitches[0] = self.pitches[2]
        if where in ("B", "both"):
            self.pitches[1] = self.pitches[2]
        self.memories = [random_array(generator, (rows if self.order == ROW else columns) * pitch, self.letter)
                         for (rows, columns), pitch in zip(self.shapes, self.pitches)]
        for in_c, i in (("A", 0), ("B", 1)):
            if where in (in_c, "both"):
                self.memories[i] = self.memories[2]

    def matrices(self, memories):
        return [matrix(each, self.order, *shape, pitch) for each, shape, pitch in zip(memories, self.shapes, self.pitches)]

    def expected(self):
        """What the memory of C holds after a call."""
        memory = self.memories[2].copy()
        a, b, c = self.matrices([*self.memories[:2], memory])
        of_type = lambda factor: TYPES[self.letter](factor if self.letter in "cz" else factor.real)
        c[...] = of_type(self.alpha) * OPS[self.transa](a) + of_type(self.beta) * OPS[self.transb](b)
        return memory

    def placed(self):
        c = placed(self.memories[2], self.generator)
        return [c if self.where in (name, "both") else placed(memory, self.generator)
                for name, memory in zip("AB", self.memories)] + [c]

    def omatadd(self, interface, memories):
        integer = ctypes.c_int if interface == "fortran" else ctypes.c_size_t
        factor = alpha_of if interface == "fortran" else alpha_of_mkl
        a, b, c = map(address, memories)
        lda, ldb, ldc = map(integer, self.pitches)
        arguments = [letter_of(self.order), letter_of(self.transa), letter_of(self.transb), *map(integer, self.shape),
                     factor(self.letter, self.alpha), a, lda, factor(self.letter, self.beta), b, ldb, c, ldc]
        if interface == "fortran":
            ours[f"mkl_{self.letter}omatadd_"](*by_reference(arguments))
        else:
            ours[f"MKL_{self.letter.upper()}omatadd"](*arguments)

    def geadd(self, interface, memories):
        a, _, c = map(address, memories)
        lda, _, ldc = map(ctypes.c_int, self.pitches)
        arguments = [*map(ctypes.c_int, self.shape), alpha_of(self.letter, self.alpha), a, lda, alpha_of(self.letter, self.beta), c, ldc]
        if interface == "fortran":
            ours[f"{self.letter}geadd_"](*by_reference(arguments))
        else:
            ours[f"cblas_{self.letter}geadd"](self.order, *arguments)

    def check(self, call, interface):
        expected, memories = self.expected(), self.placed()
        call(interface, memories)
        np.testing.assert_array_equal(memories[2], expected)
        for name, memory, before in zip("AB", memories, self.memories):
            if self.where not in (name, "both"):
                np.testing.assert_array_equal(memory, before)


PLACES = ["apart", "A", "B", "both"]


@pytest.mark.parametrize("interface", ["c", "fortran"])
@pytest.mark.parametrize("where", PLACES)
def test_random_sums(where, interface, capfd):
    for seed in range(150):
        case = Sum(seed, where)
        case.check(case.omatadd, interface)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("interface", ["cblas", "fortran"])
@pytest.mark.parametrize("where", ["B", "both"])
def test_random_sums_in_place(where, interface, capfd):
    for seed in range(150):
        case = Sum(seed, where)
        case.transa = case.transb = NO_TRANS
        if interface == "fortran" and case.order == ROW:
            continue
        if where == "B":
            case.shapes[0] = case.shape
            case.pitches[0] = (case.shape[1] if case.order == ROW else case.shape[0]) + seed % 3
            case.memories[0] = random_array(case.generator, max(case.shape) * max(case.pitches[0], case.pitches[2]), case.letter)
        case.check(case.geadd, interface)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("letter", TYPES)
def test_sums_of_several_pieces(letter, where):
    case = Sum(1, where, (1500, 1100), letter)
    case.check(case.omatadd, "c")


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("letter", TYPES)
def test_what_has_a_factor_of_0_is_not_read(letter, where, capfd):
    for alpha, beta in ((0, 2), (2, 0), (0, 0)):
        case = Sum(1, where, (7, 5), letter)
        case.alpha, case.beta = complex(alpha), complex(beta)
        spoilt = [name for name, factor in (("A", alpha), ("B", beta)) if factor == 0]
        if where == "both" and spoilt != ["A", "B"]:
            continue
        expected, memories = case.expected(), case.placed()
        c = matrix(expected, case.order, *case.shape, case.pitches[2])
        for i, name in enumerate("AB"):
            if name in spoilt:
                case.matrices(memories)[i][...] = np.nan
        case.omatadd("c", memories)
        np.testing.assert_array_equal(matrix(memories[2], case.order, *case.shape, case.pitches[2]), c)


@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("order", [ROW, COLUMN])
def test_batches_of_sums(order, letter):
    case = Sum(0, "apart", (13, 7), letter)
    case.order, case.transa, case.transb, case.alpha, case.beta = order, TRANS, NO_TRANS, 2 + 0j, -1 + 0j
    case.shapes, case.pitches = [(7, 13), (13, 7), (13, 7)], [15, 14, 16]
    a, b, c = (random_array(case.generator, 3 * 300, letter) for _ in range(3))
    expected = c.copy()
    for i in range(3):
        case.memories = [a[300 * i:], b[250 * i:], c[270 * i:]]
        matrix(expected[270 * i:], order, 13, 7, 16)[...] = matrix(case.expected(), order, 13, 7, 16)
    factors = [alpha_of_mkl(letter, factor) for factor in (case.alpha, case.beta)]
    letters = [letter_of(each) for each in (order, TRANS, NO_TRANS)]
    other = c.copy()
    ours[f"MKL_{letter.upper()}omatadd_batch_strided"](*letters, *sizes(13, 7), factors[0], address(a), *sizes(15, 300), factors[1],
                                                       address(b), *sizes(14, 250), address(c), *sizes(16, 270, 3))
    np.testing.assert_array_equal(c, expected)
    numbers = lambda *values: map(ctypes.c_int, values)
    factors = [alpha_of(letter, factor) for factor in (case.alpha, case.beta)]
    ours[f"mkl_{letter}omatadd_batch_strided_"](*by_reference([
        *letters, *numbers(13, 7), factors[0], address(a), *numbers(15, 300), factors[1], address(b), *numbers(14, 250), address(other),
        *numbers(16, 270, 3)]))
    np.testing.assert_array_equal(other, expected)


def add(a, lda, b, ldb, c, ldc, transa=NO_TRANS, transb=NO_TRANS, shape=(3, 4)):
    one = ctypes.c_double(1)
    ours.MKL_Domatadd(letter_of(ROW), letter_of(transa), letter_of(transb), *sizes(*shape), one, address(a), *sizes(lda), one, address(b),
                      *sizes(ldb), address(c), *sizes(ldc))


def test_bad_arguments(capfd):
    a, b, c = np.ones(40), np.ones(40), np.full(40, 7.0)
    one = ctypes.c_double(1)
    add(a, 3, b, 4, c, 4)
    add(a, 4, b, 3, c, 4)
    add(a, 4, b, 4, c, 3)
    add(a, 3, b, 4, c, 3, TRANS)
    ours.cblas_dgeadd(100, 3, 4, one, address(a), 4, one, address(c), 4)
    ours.cblas_dgeadd(ROW, 3, 4, one, address(a), 3, one, address(c), 4)
    ours.cblas_dgeadd(COLUMN, 3, 4, one, address(a), 3, one, address(c), 2)
    ours.cblas_zgeadd(ROW, 1, 1, address(a), address(a), 1, None, address(c), 1)
    assert capfd.readouterr().err.splitlines() == [
        "cornerturn: mkl_domatadd: lda is 3; it must be at least 4", "cornerturn: mkl_domatadd: ldb is 3; it must be at least 4",
        "cornerturn: mkl_domatadd: ldc is 3; it must be at least 4", "cornerturn: mkl_domatadd: ldc is 3; it must be at least 4",
        "cornerturn: cblas_dgeadd: order is 100; it must be 101 (row-major) or 102 (column-major)",
        "cornerturn: cblas_dgeadd: lda is 3; it must be at least 4", "cornerturn: cblas_dgeadd: ldc is 2; it must be at least 3",
        "cornerturn: cblas_zgeadd: beta is null; it must be the address of a complex number"]
    assert (c == 7).all()


@pytest.mark.parametrize("call, refused", [
    (lambda m: add(m, 4, m[30:], 4, m[11:], 4), "A"), (lambda m: add(m[30:], 4, m, 4, m[11:], 4), "B"),
    (lambda m: add(m, 3, m[12:], 3, m, 3, TRANS, shape=(3, 3)), "A"), (lambda m: add(m[12:], 3, m, 3, m, 3, NO_TRANS, TRANS, (3, 3)), "B"),
    (lambda m: add(m, 5, m[20:], 4, m, 4), "A"), (lambda m: add(m[20:], 4, m, 5, m, 4), "B")])
def test_a_c_that_overlaps_is_refused(call, refused, capfd):
    memory = np.arange(60.0)
    call(memory)
    assert f"it must be apart from {refused}" in capfd.readouterr().err
    assert (memory == np.arange(60)).all()


def test_empty_sums(capfd):
    ours.MKL_Domatadd(letter_of(ROW), letter_of(NO_TRANS), letter_of(TRANS), *sizes(0, 4), ctypes.c_double(1), None, *sizes(4), ctypes.c_double(1),
                      None, *sizes(1), None, *sizes(4))
    ours.cblas_dgeadd(ROW, 0, 4, ctypes.c_double(1), None, 4, ctypes.c_double(1), None, 4)
    assert capfd.readouterr().err == ""
