"""permute with operations on elements, against NumPy and ml_dtypes."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import cornerturn
import cornerturn.fp8
import cornerturn.images

SMALL = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
REAL = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32,
        np.float64, *SMALL]
SPECIAL = [0.0, -0.0, 1.0, -1.5, 448, 464, 465, 57344, 61439, 61440, 65504, 65520, 1e-3, 2.0**-9, 2.0**-10, 2.0**-24, 1e-40, 1e38,
           3.4e38, np.inf, -np.inf, np.nan]


def numbers(dtype, count=2000):
    generator = np.random.default_rng(25)
    if np.dtype(dtype).kind in "iub":
        return generator.integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8).view(dtype) if dtype != np.bool_ else (
            generator.integers(0, 2, count) == 1)
    with np.errstate(all="ignore"):
        return np.concatenate([generator.standard_normal(count) * 10.0**generator.integers(-12, 12, count), SPECIAL]).astype(dtype)


def matrix(dtype):
    flat = numbers(dtype)
    return flat[: flat.size // 7 * 7].reshape(7, -1)


def expect_equal(result, wanted):
    assert result.dtype == wanted.dtype and result.shape == wanted.shape
    as_numbers = lambda x: x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) if x.dtype.kind not in "iub" else x
    np.testing.assert_array_equal(as_numbers(result), as_numbers(wanted))


@pytest.mark.parametrize("source, destination", itertools.product([np.float16, np.float32, np.float64, *SMALL], repeat=2))
def test_floats_are_rounded_as_numpy_and_ml_dtypes_do(source, destination):
    x = matrix(source)
    with np.errstate(all="ignore"):
        # ml_dtypes rounds 64-bit numbers to 32 bits first
        wanted = x.T.astype(destination) if source != np.float64 or destination not in SMALL else None
    if wanted is None:
        x = x.astype(np.float32).astype(np.float64)
        wanted = x.T.astype(np.float32).astype(destination)
    expect_equal(cornerturn.permute(x, (1, 0), dtype=destination), np.ascontiguousarray(wanted))


@pytest.mark.parametrize("source, destination", itertools.product(REAL[:9], repeat=2))
def test_integers_become_others_as_in_numpy(source, destination):
    x = matrix(source)
    expect_equal(cornerturn.permute(x, (1, 0), dtype=destination), np.ascontiguousarray(x.T.astype(destination)))


@pytest.mark.parametrize("destination", REAL[1:9])
def test_floats_are_truncated_to_integers_and_limited(destination):
    x = matrix(np.float64)
    limits = np.iinfo(destination)
    wanted = [0 if np.isnan(each) else min(max(int(np.clip(each, -1e30, 1e30)), limits.min), limits.max) for each in x.T.flat]
    expect_equal(cornerturn.permute(x, (1, 0), dtype=destination), np.array(wanted, destination).reshape(x.T.shape))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(dtype):
    generator = np.random.default_rng(1)
    x, out = ((generator.integers(-9, 9, (5, 70)) + 1j * generator.integers(-9, 9, (5, 70))).astype(dtype) for _ in range(2))
    out = np.ascontiguousarray(out.T)
    wanted = (2 - 3j) * x.T.conj() + 4j * out
    result = cornerturn.permute(x, (1, 0), alpha=2 - 3j, beta=4j, conj=True, out=out)
    assert result is out
    np.testing.assert_array_equal(result, wanted)
    np.testing.assert_array_equal(cornerturn.permute(x, (1, 0), conj=True), x.T.conj())
    np.testing.assert_array_equal(cornerturn.permute(x.real.copy(), (1, 0), dtype=dtype), x.real.T.astype(dtype))


def test_large_numbers_of_8_bits_saturate_if_asked():
    x = np.array([[500, -np.inf, 1e30]], np.float32)
    e4 = cornerturn.permute(x, (1, 0), dtype="float8_e4m3fn").astype(np.float32)
    assert np.isnan(e4).all()
    np.testing.assert_array_equal(cornerturn.permute(x, (1, 0), dtype="float8_e4m3fn", saturate=True).astype(np.float32).T,
                                  [[448, -448, 448]])
    np.testing.assert_array_equal(cornerturn.permute(x, (1, 0), dtype="float8_e5m2").astype(np.float32).T, [[512, -np.inf, np.inf]])


@pytest.mark.parametrize("shape", [(16, 16), (301, 77), (1000, 3000)])
def test_bytes_of_bools_become_0_or_1(shape):
    x = np.resize(np.arange(256, dtype=np.uint8), shape).view(bool)
    for dtype in ("uint8", "int8", "uint16", "int64", "float32", "float8_e4m3fn"):
        result = cornerturn.permute(x, (1, 0), dtype=dtype)
        np.testing.assert_array_equal(result.astype(np.float32), x.view(np.uint8).T != 0)
    assert cornerturn.permute(x, (1, 0)).tobytes() == np.ascontiguousarray(x.T).tobytes()


@pytest.mark.parametrize("shape", [(8, 8), (301, 77), (1000, 3000)])
def test_saturation_of_a_type_to_itself(shape):
    x = np.resize(np.array([np.inf, -np.inf, np.nan, 57344, 1, -2**-16, 0], ml_dtypes.float8_e5m2), shape)
    for call in (lambda **more: cornerturn.permute(x, (1, 0), saturate=True, **more), lambda **more: cornerturn.plan(x, (1, 0), saturate=True, **more)(x)):
        for more in ({}, {"dtype": "float8_e5m2"}):
            expect_equal(call(**more), np.clip(x.T.astype(np.float32), -57344, 57344).astype(x.dtype))
    np.testing.assert_array_equal(cornerturn.permute(x, (1, 0)).view(np.uint8), x.view(np.uint8).T)
    y = np.resize(np.arange(256, dtype=np.uint8), shape).view(ml_dtypes.float8_e4m3fn)
    np.testing.assert_array_equal(cornerturn.permute(y, (1, 0), saturate=True).view(np.uint8), y.view(np.uint8).T)


def test_no_dtype_is_taken_from_out():
    """Nothing is converted by accident."""
    x, out = np.arange(6, dtype=np.float32).reshape(2, 3), np.empty((3, 2), np.int16)
    for factors in ({"alpha": 2}, {"alpha": 1.0}, {}):
        with pytest.raises(cornerturn.ArgumentError, match="out.dtype is int16; it must be float32"):
            cornerturn.permute(x, (1, 0), out=out, **factors)
    np.testing.assert_array_equal(cornerturn.permute(x, (1, 0), dtype=np.int16, out=out, alpha=2), 2 * x.T)


CODES = ["?", "b1", "u1", "|u1", "i1", "u2", "<u2", "i2", "u4", "i4", "u8", "<u8", "=i8", "i8", "f2", "<f2", "f4", "<f4", "f8", "f",
         "d", "c8", "<c8", "c16", "uint8", "float32", "half", "double", "int", "complex64"]


@pytest.mark.parametrize("given", [*CODES, *REAL, *map(np.dtype, REAL), float, int, bool, complex])
def test_every_spelling_of_numpy(given):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    wanted = np.ascontiguousarray(x.T.astype(given))
    expect_equal(cornerturn.permute(x, (1, 0), dtype=given), wanted)
    plan = cornerturn.plan((3, 2), dtype=given)
    np.testing.assert_array_equal(plan(wanted), wanted.T)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_the_names_that_numpy_has_only_with_ml_dtypes(name, tmp_path, monkeypatch):
    monkeypatch.setenv("CORNERTURN_CACHE_DIR", str(tmp_path))
    x = np.arange(6, dtype=np.float32).reshape(2, 3).astype(getattr(ml_dtypes, name))
    plan = cornerturn.plan((2, 3), dtype=name)
    np.testing.assert_array_equal(plan(x), x.T)
    assert repr(plan).startswith(f"<cornerturn.Plan of {name} (2, 3) ")
    assert cornerturn.tune((300, 200), dtype=name).kernel


@pytest.mark.parametrize("given, meant", [("f32", "float32"), ("bf16", "bfloat16"), ("u16", "uint16"), ("f8_e5m2", "float8_e5m2")])
def test_names_of_the_command_line_are_refused_everywhere(given, meant):
    """The digits of its names count bits, those of NumPy's codes bytes."""
    x = np.zeros((2, 3), np.float32)
    for call in (lambda: cornerturn.permute(x, (1, 0), dtype=given), lambda: cornerturn.plan((2, 3), dtype=given),
                 lambda: cornerturn.tune((2, 3), dtype=given), lambda: cornerturn.fp8.quantize(x, given),
                 lambda: cornerturn.images.to_planes(np.zeros((2, 3, 3), np.uint8), given)):
        with pytest.raises(TypeError, match=f"^dtype is '{given}'; it must be .*; did you mean '{meant}'\\?$"):
            call()


def test_views_and_offsets():
    x = np.arange(240, dtype=np.float32).reshape(4, 6, 10)[::-1, 1::2, ::-3]
    np.testing.assert_array_equal(cornerturn.permute(x, (2, 0, 1), dtype=np.float64, alpha=3), 3.0 * x.transpose(2, 0, 1))


@pytest.mark.parametrize("source, destination", itertools.product([np.uint8, np.int16, np.float16, np.float32, ml_dtypes.bfloat16],
                                                                   [np.float32, np.float16, *SMALL, np.int8]))
@pytest.mark.parametrize("shape", [(-1, 1), (1, -1), (-1,)])
def test_factors_that_broadcast(source, destination, shape):
    x = matrix(source)
    generator = np.random.default_rng(1)
    count = x.T.shape[0 if shape == (-1, 1) else 1]
    scale = generator.choice([0.25, -2, 1, 64], count).astype(np.float32).reshape(shape)
    bias = generator.integers(-9, 9, count).astype(np.float32).reshape(shape)
    with np.errstate(all="ignore"):
        # products and sums of these are exact in 64 bits, or nearly
        wanted = (x.T.astype(np.float64) * scale + bias).astype(np.float32)
        if destination == np.int8:
            wanted = np.nan_to_num(np.clip(wanted, -128, 127), nan=0)
        wanted = wanted.astype(destination)
    expect_equal(cornerturn.permute(x, (1, 0), dtype=destination, scale=scale, bias=bias.tolist()), wanted)


def test_factors_are_any_sequence():
    x = np.ones((3, 2), np.float32)
    for scale in [1.5, 2, 3], (1.5, 2, 3):
        expect_equal(cornerturn.permute(x, (1, 0), dtype="f4", scale=scale), x.T * np.array(scale, np.float32))


def test_factors_of_a_single_element():
    assert cornerturn.permute(np.array(3, np.float32), (), scale=2, bias=1) == 7


def test_factors_of_blocks():
    x = np.random.default_rng(2).standard_normal((64, 3, 128)).astype(np.float32)
    scale = np.random.default_rng(3).random((3, 1, 64)).astype(np.float32)
    expect_equal(cornerturn.permute(x, (1, 2, 0), dtype="bfloat16", scale=scale), (x.transpose(1, 2, 0) * scale).astype("bfloat16"))


@pytest.mark.parametrize("given, message", [
    ({"scale": [1, 2, 3]}, "scale.shape is \\(3,\\); it must be one that broadcasts to the result's, \\(3, 2\\)"),
    ({"bias": ["a", "b"]}, "bias is .*; it must be real numbers"),
    ({"scale": [1j, 2]}, "scale is \\[1j, 2\\]; it must be real numbers"),
    ({"scale": [1, 2], "bias": 3}, "bias.shape is .*; it must be that of scale"),
    ({"scale": [1, 2], "alpha": 2}, "alpha is 2; it must be 1 with scale or bias"),
    ({"beta": 1}, "out is None; it must be an array, whose elements are multiplied by beta"),
    ({"dtype": "text"}, "dtype is 'text'; it must be a dtype of NumPy or PyTorch, its name or NumPy's code for it, e.g. 'float32'"),
    ({"dtype": "f16"}, "dtype is float128; it must be a number, to change it"),
    ({"dtype": "V3"}, "dtype is void24; it must be a number, to change it"),
    ({"saturate": True}, "saturate is true; it must be false, because the destination is f32; saturation is for f8_e4m3fn"),
    ({"saturate": True, "dtype": np.int8}, "saturate is true; it must be false, because the destination is i8"),
    ({"alpha": "2"}, "alpha is '2'; it must be a number"),
    ({"alpha": 1j}, "alpha is 0\\+1i; it must be real"),
    ({"dtype": np.float64, "out": np.empty((3, 2), np.float16)}, "out.dtype is float16; it must be float64, as dtype"),
])
def test_bad_arguments(given, message):
    with pytest.raises(cornerturn.Error, match=message):
        cornerturn.permute(np.zeros((2, 3), np.float32), (1, 0), **given)


@pytest.mark.parametrize("name", ["scale", "bias"])
def test_factors_within_out_are_refused(name):
    """Unless they are read as numbers of another dtype, which makes a copy."""
    x, out = np.ones((20, 30), np.float32), np.full((30, 20), 2, np.float32)
    for inside in (out[0], out[-1], out):
        for call in (lambda: cornerturn.permute(x, (1, 0), out=out, **{name: inside}),
                     lambda: cornerturn.plan(x, (1, 0), **{name: inside})(x, out)):
            with pytest.raises(ValueError, match=f"^{name} is within the addresses of out; it must be memory that does not overlap out, "
                               r"such as its copy\(\)$"):
                call()
    assert (out == 2).all()
    wanted = 2 * x.T if name == "scale" else 2 + x.T
    doubles = np.full(60, 2.0)
    expect_equal(cornerturn.permute(x, (1, 0), out=out, **{name: np.full(20, 2, np.float32)}), wanted)
    into = doubles.view(np.float32)[:60].reshape(30, 2)
    expect_equal(cornerturn.permute(x[:2], (1, 0), out=into, **{name: doubles[:2]}), wanted[:, :2])


def test_elements_without_a_number_are_refused():
    with pytest.raises(cornerturn.Error, match="x.dtype is datetime64"):
        cornerturn.permute(np.zeros((2, 3), "M8[s]"), (1, 0), dtype=np.float32)
