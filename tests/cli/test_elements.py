"""The options of `cornerturn transpose` that change elements, against NumPy and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest

from arrays import refused, run


def numbers(shape, dtype):
    values = np.random.default_rng(0).integers(-99, 99, shape)
    return (values + 1j * values[::-1]).astype(dtype) if np.dtype(dtype).kind == "c" else values.astype(dtype)


def changed(tmp_path, array, *options):
    np.save(tmp_path / "in.npy", array)
    result = run(tmp_path / "in.npy", tmp_path / "out.npy", *options)
    assert (result.returncode, result.stderr) == (0, "")
    return np.load(tmp_path / "out.npy")


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("source, name, dtype", [
    ("<f4", "<f8", "<f8"), ("<f8", "float32", "<f4"), ("|u1", "<f2", "<f2"), ("<i4", "int8", "|i1"), ("|b1", "c8", "<c8"),
    ("<c16", "complex64", "<c8"), ("<i2", "bool", "|b1"), ("<u8", "f32", "<f4"), ("<f4", "f4", "<f4")])
def test_dtypes(tmp_path, source, name, dtype, order):
    array = np.array(numbers((33, 70, 5), source), order=order)
    result = changed(tmp_path, array, "--dtype", name)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, array.T.astype(dtype))


@pytest.mark.parametrize("source, name, dtype", [
    (">f4", "float32", "<f4"), ("<f4", ">f4", ">f4"), (">f4", ">f8", ">f8"), (">i2", "float32", "<f4"), (">c16", "<c16", "<c16"),
    (">c8", "complex128", "<c16"), (">u8", "u1", "|u1"), ("|i1", ">i4", ">i4"), (">f4", ">f4", ">f4")])
@pytest.mark.parametrize("options", [[], ["--alpha", "2"], ["--memory", "60000"]], ids=str)
def test_byte_orders(tmp_path, source, name, dtype, options):
    array = numbers((33, 70, 5), source)
    result = changed(tmp_path, array, "--dtype", name, *options)
    wanted = doubled(array.T, dtype) if "--alpha" in options else array.T.astype(dtype)
    assert result.dtype == dtype and np.array_equal(result, wanted)


@pytest.mark.parametrize("source", [">f4", ">i2", ">c16"])
def test_a_byte_order_stays_without_a_type(tmp_path, source):
    array = numbers((33, 70, 5), source)
    result = changed(tmp_path, array, "--alpha", "2")
    assert result.dtype == source and np.array_equal(result, doubled(array.T, source))


def doubled(array, dtype):
    """Integers are limited to their range."""
    wide = 2 * array.astype("c16" if array.dtype.kind == "c" else "f8")
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    return wide.astype(dtype) if limits is None else wide.clip(limits.min, limits.max).astype(dtype)


@pytest.mark.parametrize("name, dtype", [("bfloat16", ml_dtypes.bfloat16), ("bf16", ml_dtypes.bfloat16),
                                         ("f8_e4m3fn", ml_dtypes.float8_e4m3fn), ("float8_e5m2", ml_dtypes.float8_e5m2)])
def test_dtypes_that_numpy_has_no_code_for(tmp_path, name, dtype):
    array = numbers((33, 70), "<f4")
    result = changed(tmp_path, array, "--dtype", name)
    assert result.dtype.kind == "V"
    np.testing.assert_array_equal(result.view(dtype), array.T.astype(dtype))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("order", "CF")
def test_files_of_ml_dtypes(tmp_path, name, order):
    """NumPy writes the size of their elements only, or a code that it does not read."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    array = np.array(numbers((33, 70), "<f4").astype(dtype), order=order)
    np.testing.assert_array_equal(changed(tmp_path, array, "--type", name, "--dtype", "f4"), array.T.astype("<f4"))
    for options, wanted in (((), array.T), (("--alpha", "0.5"), (array.T.astype("<f4") / 2).astype(dtype))):
        result = changed(tmp_path, array, "--type", name, *options)
        assert result.dtype == f"V{dtype.itemsize}"
        np.testing.assert_array_equal(result.view(dtype), wanted)


def test_a_type_that_the_header_has_may_be_given(tmp_path):
    array = numbers((33, 70), "<f4")
    np.testing.assert_array_equal(changed(tmp_path, array, "--type", "f32", "--alpha", "2"), 2 * array.T)


def test_factors_and_conjugates(tmp_path):
    array, z = numbers((33, 70), "<f8"), numbers((33, 70), "<c16")
    np.testing.assert_array_equal(changed(tmp_path, array, "--alpha", "-2.5e-1"), array.T * -0.25)
    np.testing.assert_array_equal(changed(tmp_path, z, "--conj", "--alpha", "2"), 2 * z.conj().T)
    np.testing.assert_array_equal(changed(tmp_path, array, "--conj"), array.T)
    large = np.full((4, 4), 1e6, "<f4")
    assert np.isnan(changed(tmp_path, large, "--dtype", "float8_e4m3fn").view(ml_dtypes.float8_e4m3fn).astype("f4")).all()
    saturated = changed(tmp_path, large, "--dtype", "float8_e4m3fn", "--saturate")
    assert (saturated.view(ml_dtypes.float8_e4m3fn).astype("f4") == 448).all()


@pytest.mark.parametrize("source, name", [("<f4", "float64"), ("<f8", "<f2")])
def test_pieces(tmp_path, source, name):
    array = numbers((700, 900), source)
    result = changed(tmp_path, array, "--dtype", name, "--memory", "2MB", "--alpha", "0.5")
    np.testing.assert_array_equal(result, (array.T / 2).astype(result.dtype))


def test_raw_files(tmp_path):
    array = numbers((33, 70), "<f4")
    array.tofile(tmp_path / "in")
    result = run(tmp_path / "in", tmp_path / "out", "--raw", "--shape", "33x70", "--type", "f32", "--dtype", "int16")
    assert result.returncode == 0 and "of i16, 4.6 KB" in result.stdout
    np.testing.assert_array_equal(np.fromfile(tmp_path / "out", "<i2").reshape(70, 33), array.T)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_raw_files_of_8_bit_floats(tmp_path, name):
    array = numbers((33, 70), getattr(ml_dtypes, name))
    array.tofile(tmp_path / "in")
    result = run(tmp_path / "in", tmp_path / "out", "--raw", "--shape", "33x70", "--type", name, "--dtype", "f4")
    assert result.returncode == 0, result.stderr
    np.testing.assert_array_equal(np.fromfile(tmp_path / "out", "<f4").reshape(70, 33), array.T.astype("f4"))


def test_empty_arrays(tmp_path):
    assert changed(tmp_path, np.zeros((0, 3), "<f4"), "--dtype", "<f8").shape == (3, 0)


@pytest.mark.parametrize("source, options, message", [
    ("<f4", ["--dtype", "u8"], "--dtype is 'u8'; it must be uint8 or uint64: u8 has 8 bits here, and 8 bytes in NumPy"),
    ("<f4", ["--to", "u8"], "--to is 'u8'; it must be uint8 or uint64: u8 has 8 bits here, and 8 bytes in NumPy"),
    ("<f4", ["--dtype", "flot32"], "did you mean float32?"),
    ("<f4", ["--dtype", ">U3"], "--dtype is '>U3'; it must be one of bool"),
    (">f4", ["--dtype", ">f8_e4m3fn"], "--dtype is '>f8_e4m3fn'; it must be one of bool"),
    ("S5", ["--alpha", "2"], "the input's dtype is |S5; it must be that of numbers"),
    ("<c8", ["--dtype", "float32"], "--dtype is f32; it must be complex, because the input's is <c8"),
    ("<f4", ["--alpha", "half"], "--alpha is 'half'; it must be a real number, e.g. 0.5"),
    ("<f4", ["--dtype", "int8", "--saturate"], "--saturate is true; it must be false, because the destination is i8; saturation is"),
    ("<f4", ["--saturate"], "--saturate requires --to"),
    ("V2", ["--alpha", "2"], "the input's dtype is |V2; it must be named by a type, e.g. bf16, because elements change"),
    ("V1", ["--alpha", "2"], "the input's dtype is |V1; it must be named by a type, e.g. f8_e4m3fn, because elements change"),
    ("V2", ["--type", "f32"], "--type is f32; it must be of 2 bytes, because the file's dtype is |V2"),
    ("<f4", ["--type", "bf16"], "--type is bf16; it must be f32, as in the file"),
    (">f4", ["--type", "bf16"], "--type is bf16; it must be f32, as in the file"),
    ([("a", "V2")], ["--type", "bf16"], "--type is bf16; it must be left out, because the file's dtype is [('a', '|V2')]")])
def test_refused(tmp_path, source, options, message):
    np.save(tmp_path / "in.npy", np.zeros((3, 4), source))
    result = run(tmp_path / "in.npy", tmp_path / "out.npy", *options)
    assert result.returncode == 2 and message in " ".join(result.stderr.split())
    assert not (tmp_path / "out.npy").exists()
