"""How the program reads types and shapes. CORNERTURN names the program."""

import os
import re
import subprocess

import numpy as np
import pytest

from element_types import MOVED

PROGRAM = os.environ["CORNERTURN"]
BITS = [row.name for row in MOVED]
OTHER_BYTES = {"u8": 1, "i8": 1, "f16": 2}  # these count bytes for NumPy


def plan(*arguments):
    return subprocess.run([PROGRAM, "plan", *map(str, arguments)], capture_output=True, text=True)


def planned(*arguments):
    """The array that the program says it was asked about: shape, type and axes."""
    done = plan(*arguments)
    assert done.returncode == 0, done
    return re.match(r"(\S+) (\S+) by (\S+):", done.stdout).groups()


def type_of(text):
    return planned("3x4", "--type", text)[1]


def refusal(text):
    done = plan("3x4", "--type", text)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1, done
    return done.stderr.removeprefix("cornerturn: ").rstrip("\n")


def bytes_of(name):
    return int(re.sub(r"\D", "", name)) // 8


@pytest.mark.parametrize("name", BITS)
def test_a_name_counts_bits(name):
    assert type_of(name) == name


@pytest.mark.parametrize("letter", "?bBhHiIlLqQefdFD")
def test_numpy_s_names(letter):
    dtype = np.dtype(letter)
    for text in [dtype.name, dtype.str, dtype.newbyteorder(">").str, "=" + dtype.str[1:]]:
        assert bytes_of(type_of(text)) == dtype.itemsize, text
    assert type_of(dtype.name)[0] == ("u" if dtype == bool else dtype.name[0])


def test_the_other_names():
    assert type_of("bfloat16") == "bf16"
    assert type_of("bool") == "u8"


def test_no_type_has_two_meanings():
    """A type without a byte order has NumPy's size, except for three names that count bits."""
    accepted = 0
    for text in [f"{kind}{digits}" for kind in "biufc" for digits in (1, 2, 4, 8, 16, 32, 64, 128)]:
        if plan("3x4", "--type", text).returncode == 0:
            accepted += 1
            assert text in BITS
            try:
                expected = np.dtype(text).itemsize
            except TypeError:
                continue
            assert bytes_of(text) == OTHER_BYTES.get(text, expected)
    assert accepted == sum(row.code != "" for row in MOVED)  # the others have other names


@pytest.mark.parametrize("code, name, long_name", [
    ("f8", "f64", "float64"), ("f4", "f32", "float32"), ("i4", "i32", "int32"), ("u1", "u8", "uint8"), ("b1", "u8", "bool"),
    ("c16", "c128", "complex128"), ("c8", "c64", "complex64"),
])
def test_a_code_without_a_byte_order(code, name, long_name):
    assert refusal(code) == (f"--type is '{code}'; it must be {name}, {long_name} or <{code}: without a byte order, "
                             "the digits of a type count bits")


@pytest.mark.parametrize("text, meant", [
    ("f33", "f32"), ("flaot32", "f32"), ("bflot16", "bf16"), ("F64", "f64"), ("complex", "c64 or c128"), ("float", "float32"),
    ("int", "int32"), ("half", "float16"), ("double", "float64"), ("long", "int64"),
    ("bfl", "bf16"), ("V5", None), ("", None), ("<", None), ("<f16", None), ("<V5", None), ("object", None),
])
def test_unknown_types(text, meant):
    assert refusal(text) == (f"--type is '{text}'; it must be one of {', '.join(BITS)}"
                             + (f"; did you mean {meant}?" if meant else ""))


@pytest.mark.parametrize("text", ["20x30x4", "20,30,4", "20 x 30 x 4", "20, 30, 4", " 20x30x4 "])
def test_shapes(text):
    assert planned(text)[0] == "20x30x4"


@pytest.mark.parametrize("shape", [(20, 30, 4), (7,), (0, 3)])
def test_shapes_and_axes_as_python_prints_them(shape):
    axes = tuple(reversed(range(len(shape))))
    assert planned(shape, "--axes", axes) == planned("x".join(map(str, shape)), "--axes", ",".join(map(str, axes)))
    for wrong in ["(3", "3)", "(3,4,)", "(3x4)", "((3,4))"]:
        assert plan(wrong).stderr.startswith(f"cornerturn: SHAPE is '{wrong}'; it must be whole numbers with "), wrong


def test_a_shape_of_one_extent():
    assert planned("7")[0] == planned(" 7 ")[0] == "7"


def test_a_shape_without_extents():
    assert plan("()").stdout.startswith("one f32: 4 bytes read and as much written\n")


def test_axes():
    assert planned("2x3x4", "--axes", "2, 0, 1")[2] == planned("2x3x4", "--axes", "2,0,1")[2] == "2,0,1"


@pytest.mark.parametrize("command", [["transpose", "in.raw", "out.raw", "--raw", "--type", "uint16", "--shape", "3,4"],
                                     ["explain", "--plan", "3,4", "--type", "<u2"],
                                     ["tune", "3,4", "--type", "|u1", "--device", "cpu"],
                                     ["ladder", "--type", "float32", "--rows", "9", "--cols", "8", "--kernels", "copy"]])
def test_every_command_reads_them_alike(command, tmp_path):
    (tmp_path / "in.raw").write_bytes(bytes(24))
    done = subprocess.run([PROGRAM, *command], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"CORNERTURN_CACHE_DIR": str(tmp_path / "cache")})
    assert done.returncode == 0 and done.stderr == "", done
