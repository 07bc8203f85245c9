"""MKL's omatcopy2, and its copies of batches and groups, against the definition."""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from blas_calls import (COLUMN, NO_TRANS, OPS, ROW, TYPES, address, alpha_of, alpha_of_mkl, by_reference, letter_of, matrix, ours, placed,
                        random_array, shape_of, sizes)

LANGUAGES = ["c", "fortran"]


def call(language, letter, name, *arguments):
    """Calls a function of MKL. In `arguments` an int is an integer of the language, and a complex number is a factor."""
    of_c = language == "c"
    arguments = [(ctypes.c_size_t if of_c else ctypes.c_int)(each) if isinstance(each, int) else
                 (alpha_of_mkl if of_c else alpha_of)(letter, each) if isinstance(each, complex) else
                 address(each) if isinstance(each, np.ndarray) else each for each in arguments]
    if of_c:
        ours[f"MKL_{letter.upper()}{name}"](*arguments)
    else:
        ours[f"mkl_{letter}{name}_"](*by_reference(arguments))


def of_type(letter, factor):
    return TYPES[letter](factor if letter in "cz" else factor.real)


@pytest.mark.parametrize("language", LANGUAGES)
def test_strides_of_rows_and_of_elements(language, capfd):
    for seed in range(200):
        generator = np.random.default_rng(seed)
        pick = lambda *some: some[generator.integers(len(some))]
        letter, order, op = pick(*"sdcz"), pick(ROW, COLUMN), pick(*OPS)
        alpha = complex(pick(1, 0, -2), pick(0, 1.5) if letter in "cz" else 0)
        rows, columns = (int(generator.integers(1, pick(9, 60))) for _ in range(2))
        shapes = (rows, columns), shape_of(op, rows, columns)
        steps = [int(generator.integers(1, 4)) for _ in shapes]
        inner = [shape[1] if order == ROW else shape[0] for shape in shapes]
        pitches = [(count - 1) * step + 1 + int(generator.integers(3)) for count, step in zip(inner, steps)]
        a, b = (random_array(generator, (shape[0] if order == ROW else shape[1]) * pitch, letter)
                for shape, pitch in zip(shapes, pitches))
        if pick(True, False) and op == NO_TRANS:
            b, steps[1], pitches[1] = a, steps[0], pitches[0]
        wanted = b.copy()
        matrix(wanted, order, *shapes[1], pitches[1], steps[1])[...] = of_type(letter, alpha) * OPS[op](
            matrix(a, order, rows, columns, pitches[0], steps[0]))
        to = placed(b, generator)
        call(language, letter, "omatcopy2", letter_of(order), letter_of(op), rows, columns, alpha, to if b is a else a, pitches[0], steps[0], to,
             pitches[1], steps[1])
        np.testing.assert_array_equal(to, wanted, f"seed {seed}")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("order", [ROW, COLUMN])
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("letter", TYPES)
def test_batches(letter, op, order, language):
    rows, columns, batch = 13, 7, 3
    result = shape_of(op, rows, columns)
    lda, ldb = (columns if order == ROW else rows) + 2, (result[1] if order == ROW else result[0]) + 1
    a = random_array(np.random.default_rng(1), 3 * 300, letter)
    b = np.zeros_like(a)
    alpha = 2 + (1j if letter in "cz" else 0j)
    letters = letter_of(order), letter_of(op)
    call(language, letter, "omatcopy_batch_strided", *letters, rows, columns, alpha, a, lda, 300, b, ldb, 250, batch)
    in_place = a.copy()
    call(language, letter, "imatcopy_batch_strided", *letters, rows, columns, alpha, in_place, lda, ldb, 300, batch)
    for number in range(batch):
        wanted = of_type(letter, alpha) * OPS[op](matrix(a[300 * number:], order, rows, columns, lda))
        np.testing.assert_array_equal(matrix(b[250 * number:], order, *result, ldb), wanted)
        np.testing.assert_array_equal(matrix(in_place[300 * number:], order, *result, ldb), wanted)


def test_a_batch_whose_b_is_a(capfd):
    a = np.arange(40.0)
    before = a.copy()
    call("c", "d", "omatcopy_batch_strided", letter_of(ROW), letter_of(NO_TRANS), 3, 4, 2 + 0j, a, 4, 20, a, 4, 20, 2)
    assert (a[:12] == 2 * before[:12]).all() and (a[12:20] == before[12:20]).all() and (a[20:32] == 2 * before[20:32]).all()
    call("c", "d", "omatcopy_batch_strided", letter_of(ROW), letter_of(NO_TRANS), 3, 4, 2 + 0j, a, 4, 12, a, 4, 20, 2)
    assert "B is [" in capfd.readouterr().err and (a[:12] == 2 * before[:12]).all()


class Groups:
    """Arguments of groups of matrices. A and B have an entry for each matrix."""

    def __init__(self, language, letter, order, ops=tuple(OPS), sizes=(2, 0, 1, 3)):
        self.language, self.letter, self.order, self.ops, self.sizes = language, letter, order, ops, list(sizes)
        self.shapes = [(3 + i, 5 - i) for i in range(len(ops))]
        self.alphas = [complex(2 - i, (i if letter in "cz" else 0)) for i in range(len(ops))]
        results = [shape_of(op, *shape) for op, shape in zip(ops, self.shapes)]
        inner = lambda shape: shape[1] if order == ROW else shape[0]
        self.ldas, self.ldbs = [inner(shape) + 1 for shape in self.shapes], [inner(shape) + 2 for shape in results]
        self.groups = [i for i, size in enumerate(self.sizes) for _ in range(size)]
        generator = np.random.default_rng(0)
        self.a, self.b = ([random_array(generator, 100, letter) for _ in self.groups] for _ in range(2))

    def expected(self, memories):
        result = []
        for i, a, memory in zip(self.groups, self.a, memories):
            wanted = memory.copy()
            matrix(wanted, self.order, *shape_of(self.ops[i], *self.shapes[i]), self.ldbs[i])[...] = of_type(
                self.letter, self.alphas[i]) * OPS[self.ops[i]](matrix(a, self.order, *self.shapes[i], self.ldas[i]))
            result.append(wanted)
        return result

    def call(self, name):
        integer = ctypes.c_size_t if self.language == "c" else ctypes.c_int
        array = lambda values: (integer * len(values))(*values)
        addresses = lambda arrays: (ctypes.c_void_p * len(arrays))(*(each if each is None else each.ctypes.data for each in arrays))
        letters = ctypes.create_string_buffer(b"".join(letter_of(op).value for op in self.ops))
        alphas = np.array([of_type(self.letter, alpha) for alpha in self.alphas])
        to = [] if name == "imatcopy_batch" else [addresses(self.b)]
        call(self.language, self.letter, name, letter_of(self.order), letters, *(array([shape[i] for shape in self.shapes]) for i in (0, 1)),
             alphas, addresses(self.a), array(self.ldas), *to, array(self.ldbs), len(self.ops), array(self.sizes))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("order", [ROW, COLUMN])
@pytest.mark.parametrize("letter", TYPES)
def test_groups(letter, order, language):
    case = Groups(language, letter, order)
    of_b, of_a = case.expected(case.b), case.expected(case.a)
    case.call("omatcopy_batch")
    np.testing.assert_array_equal(case.b, of_b)
    case.call("imatcopy_batch")
    np.testing.assert_array_equal(case.a, of_a)


BATCHES = """
import sys; sys.path.insert(0, {folder!r})
import numpy as np
from blas_calls import ROW, TRANS
from test_blas_batches import Groups
memory = np.zeros(20000)
for name, a, b in {cases!r}:
    print(name, file=sys.stderr)
    case = Groups("c", "d", ROW, (TRANS,), (6,))
    for i in range(6):
        case.a[i], case.b[i] = memory[a[i]:][:100], memory[b[i]:][:100]
    memory[...] = np.arange(20000)
    wanted = memory.copy()
    for i in range(6):  # one after another, as their numbers are
        wanted[b[i]:][:25].reshape(5, 5)[:, :3] = 2 * wanted[a[i]:][:18].reshape(3, 6)[:, :5].T
    case.call("omatcopy_batch")
    np.testing.assert_array_equal(memory, wanted)
"""


def test_matrices_that_are_equally_far_apart_are_one_batch():
    far = lambda first, step: [first + step * i for i in range(6)]
    cases = {"dense": (far(0, 18), far(5000, 23), 1), "gaps": (far(5000, 40), far(0, 300), 1), "one A": (far(0, 0), far(5000, 30), 1),
             "another distance": ([0, 20, 40, 99, 119, 139], far(5000, 30), 2), "backwards": (far(900, -20), far(5000, 30), 6),
             "a chain": (far(0, 1000), far(1000, 1000), 6), "one buffer": (far(0, 60), far(30, 60), 6),
             "results that overlap": (far(0, 20), far(5000, 10), 6), "until they meet": (far(0, 40), far(100, 40), 2)}
    code = BATCHES.format(folder=str(pathlib.Path(__file__).parent), cases=[(name, a, b) for name, (a, b, _) in cases.items()])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"CORNERTURN_LOG": "plan"})
    assert done.returncode == 0, done.stderr
    said = re.split("|".join(f"^{name}$" for name in cases), done.stderr, flags=re.MULTILINE)[1:]
    assert {name: part.count("elements of 8 bytes") for name, part in zip(cases, said)} == {name: plans for name, (_, _, plans) in cases.items()}


@pytest.mark.parametrize("spoil, message", [
    (lambda case: setattr(case, "order", 100), "ordering is 'X'; it must be 'R' or 'C'"),
    (lambda case: setattr(case, "ops", (*case.ops[:3], 110)), "trans_array[3] is '?'; it must be 'N', 'T', 'C' or 'R'"),
    (lambda case: setattr(case, "shapes", [*case.shapes[:3], (-1, 2)]), "rows_array[3] is -1; it must be 0 or more"),
    (lambda case: case.ldas.__setitem__(2, 2), "lda_array[2] is 2; it must be at least 3"),
    (lambda case: case.ldbs.__setitem__(0, 4), "ldb_array[0] is 4; it must be at least 5"),
    (lambda case: case.sizes.__setitem__(1, -2), "group_size[1] is -2; it must be 0 or more"),
    (lambda case: case.a.__setitem__(2, None), "A_array[2] is null; it must be an address"),
    (lambda case: case.b.__setitem__(5, None), "B_array[5] is null; it must be an address")])
def test_one_bad_argument_of_groups(spoil, message, capfd):
    """Nothing of the other groups is written."""
    case = Groups("fortran", "d", ROW)
    before = [each.copy() for each in case.b]
    spoil(case)
    case.call("omatcopy_batch")
    assert capfd.readouterr().err == f"cornerturn: mkl_domatcopy_batch: {message}\n"
    for memory, as_before in zip(case.b, before):
        assert memory is None or (memory == as_before).all()


def test_bad_arguments(capfd):
    a, b = np.ones(60), np.full(60, 7.0)
    letters = letter_of(ROW), letter_of(NO_TRANS)
    call("c", "d", "omatcopy2", *letters, 2, 3, 1 + 0j, a, 4, 2, b, 3, 1)
    call("c", "d", "omatcopy2", *letters, 2, 3, 1 + 0j, a, 5, 0, b, 3, 1)
    call("c", "d", "omatcopy2", *letters, 2, 3, 1 + 0j, a, 5, 2, b, 6, 3)
    call("c", "d", "omatcopy2", *letters, 2, 3, 1 + 0j, a, 5, 2, b, 3, 0)
    call("c", "d", "imatcopy_batch_strided", *letters, 2, 3, 1 + 0j, b, 3, 4, 6, 2)
    call("fortran", "d", "omatcopy_batch_strided", *letters, 2, 3, 1 + 0j, a, 3, 6, b, 3, 5, 2)
    call("fortran", "d", "omatcopy_batch_strided", *letters, 2, 3, 1 + 0j, a, 3, 6, b, 3, 6, -1)
    call("fortran", "d", "omatadd_batch_strided", letters[0], letters[1], letters[1], 2, 3, 1 + 0j, a, 3, 6, 1 + 0j, a, 3, 6, b, 3, 5, 2)
    assert capfd.readouterr().err.splitlines() == [
        "cornerturn: mkl_domatcopy2: lda is 4; it must be at least 5", "cornerturn: mkl_domatcopy2: stridea is 0; it must be at least 1",
        "cornerturn: mkl_domatcopy2: ldb is 6; it must be at least 7", "cornerturn: mkl_domatcopy2: strideb is 0; it must be at least 1",
        "cornerturn: mkl_dimatcopy_batch_strided: stride is 6; it must be at least 7, the elements of a result",
        "cornerturn: mkl_domatcopy_batch_strided: strideb is 5; it must be at least 6, the elements of a result",
        "cornerturn: mkl_domatcopy_batch_strided: batch_size is -1; it must be 0 or more",
        "cornerturn: mkl_domatadd_batch_strided: stridec is 5; it must be at least 6, the elements of a result"]
    assert (b == 7).all()
