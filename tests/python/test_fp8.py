"""quantize against NumPy and ml_dtypes, bit for bit."""

import itertools

import ml_dtypes
import numpy as np
import pytest

import cornerturn
from cornerturn._cornerturn import _element_types
from cornerturn._shown import listed
from cornerturn.fp8 import Quantized, plan_quantize, quantize

FORMATS = {each["dtype"]: ml_dtypes.finfo(each["dtype"]) for each in _element_types if each["is_8_bit_float"]}
LARGEST = {dtype: np.float32(format.max) for dtype, format in FORMATS.items()}
SHAPES = [(128, 128), (256, 384), (1, 1), (127, 130), (300, 77), (5, 1000)]


def power_of_two(scale):
    """The next power of two that is not less."""
    mantissa, exponent = np.frexp(scale)
    return np.where(np.isfinite(scale), np.ldexp(np.float32(1), exponent - (mantissa == 0.5)), scale).astype(np.float32)


def reference(x, dtype, block, rounds_up=False, least=np.float32(1e-12), scale=None):
    """The values and the scales of the output along rows."""
    largest, x = LARGEST[dtype], x.astype(np.float32)
    rows, columns = (length if extent is None else extent for length, extent in zip(x.shape, block or x.shape))
    values, scales = np.empty(x.shape, dtype), np.empty((-(-x.shape[0] // rows), -(-x.shape[1] // columns)), np.float32)
    for i, j in np.ndindex(scales.shape):
        part = np.s_[i * rows:(i + 1) * rows, j * columns:(j + 1) * columns]
        with np.errstate(all="ignore"):
            used = np.maximum(np.abs(x[part]).max(), least)
            each, factor = used / largest, largest / used
            if rounds_up and np.isfinite(each):
                each = power_of_two(each)
                factor = 1 / each
            if scale is not None:
                factor = 1 / np.float32(scale)
            values[part] = np.clip(x[part] * factor, -largest, largest).astype(dtype)
        scales[i, j] = each
    return values, scales


def expect_same(result, wanted):
    assert result.dtype == wanted.dtype and result.shape == wanted.shape
    result, wanted = result.astype(np.float32), wanted.astype(np.float32)
    both = np.isnan(result) & np.isnan(wanted)
    np.testing.assert_array_equal(np.where(both, 0, result).view(np.uint32), np.where(both, 0, wanted).view(np.uint32))


def numbers(shape, dtype, seed=0, special=True):
    generator = np.random.default_rng(seed)
    x = generator.standard_normal(shape) * 10.0**generator.integers(-6, 4, (shape[0], 1))
    if special and x.size > 1000:
        x.flat[generator.integers(0, x.size, 8)] = [np.nan, np.inf, -np.inf, 0, -0.0, 1e-40, 1e-30, 6e4]
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def check(x, dtype, block, rounds_up=False, **more):
    result = quantize(x, dtype, block, outputs="both", power_of_two=rounds_up, **more)
    for each, given in ((result.rows, x), (result.columns, np.ascontiguousarray(x.T))):
        values, scales = reference(given, dtype, block, rounds_up)
        expect_same(each.values, values)
        np.testing.assert_array_equal(each.scales, scales)
    np.testing.assert_array_equal(np.float32(result.amax), np.abs(x.astype(np.float32)).max())


@pytest.mark.parametrize("block", [(1, 128), (128, 128), (1, None)])
@pytest.mark.parametrize("source, dtype", itertools.product([np.float32, np.float16, ml_dtypes.bfloat16], LARGEST))
def test_scales_and_values(source, dtype, block):
    for shape, rounds_up in itertools.product(SHAPES, [False, True]):
        check(numbers(shape, source), dtype, block, rounds_up)


def numbers_of(quantized):
    """The numbers of values with scales of blocks of (1, 128), in float32."""
    with np.errstate(all="ignore"):
        scales = np.repeat(quantized.scales, 128, axis=1)[:, :quantized.values.shape[1]]
        return quantized.values.astype(np.float32) * scales


@pytest.mark.parametrize("block", [(1, 128), (128, 128), (1, None)])
@pytest.mark.parametrize("dtype", LARGEST)
def test_values_with_scales_get_others(dtype, block):
    for shape, was_rounded, rounds_up, order in itertools.product(SHAPES, [False, True], [False, True], "CF"):
        given = quantize(numbers(shape, np.float32), dtype, power_of_two=was_rounded, scale_order=order).rows
        result = quantize(given, dtype, block, outputs="both", power_of_two=rounds_up)
        for each, x in ((result.rows, numbers_of(given)), (result.columns, np.ascontiguousarray(numbers_of(given).T))):
            values, scales = reference(x, dtype, block, rounds_up)
            expect_same(each.values, values)
            np.testing.assert_array_equal(each.scales, scales)
        np.testing.assert_array_equal(np.float32(result.amax), np.abs(numbers_of(given)).max())


@pytest.mark.parametrize("dtype", FORMATS)
def test_powers_of_two_change_only_exponents(dtype):
    x = np.random.default_rng(1).standard_normal((300, 500)) * 2.0**np.random.default_rng(2).integers(-2, 3, (300, 1))
    before = quantize(x.astype(np.float32), dtype, power_of_two=True).rows
    after = quantize(before, dtype, outputs="columns", power_of_two=True).columns
    bits, least = FORMATS[dtype].nmant, np.float32(FORMATS[dtype].smallest_normal)
    exact = np.abs(after.values.T.astype(np.float32)) > least  # which subnormal numbers may be rounded to
    assert exact.mean() > 0.9
    np.testing.assert_array_equal(numbers_of(after).T[exact], numbers_of(before)[exact])
    mantissas = [each.view(np.uint8)[exact] & (2**bits - 1) for each in (before.values, np.ascontiguousarray(after.values.T))]
    normal = np.abs(before.values.astype(np.float32))[exact] >= least
    np.testing.assert_array_equal(mantissas[0][normal], mantissas[1][normal])


def test_a_scale_for_all_of_a_matrix_with_scales():
    given = quantize(numbers((200, 300), np.float32, special=False)).rows
    values, _ = reference(numbers_of(given), "float8_e4m3fn", None, scale=0.37)
    expect_same(quantize(given, block=None, scale=0.37).rows.values, values)


def test_blocks_are_those_that_are_equal_to_ours():
    x = numbers((130, 200), np.float32, special=False)
    for given in ([1, 128], (1, 128.0), (True, np.int64(128))):
        np.testing.assert_array_equal(quantize(x, block=given).rows.scales, quantize(x).rows.scales)
        assert plan_quantize((130, 200), block=given).kernel == plan_quantize((130, 200)).kernel


def test_zeros_and_a_large_least():
    check(np.zeros((130, 200), np.float32), "float8_e4m3fn", (1, 128))
    x = numbers((200, 300), np.float32, special=False)
    values, scales = reference(x, "float8_e4m3fn", (1, 128), least=np.float32(100))
    result = quantize(x, least=100)
    expect_same(result.rows.values, values)
    np.testing.assert_array_equal(result.rows.scales, scales)
    assert result.columns is None


@pytest.mark.parametrize("scale", [1, 0.37, 2.0**-9])
def test_a_given_scale_and_the_amax_for_the_next_call(scale):
    x = numbers((300, 500), ml_dtypes.bfloat16)
    result = quantize(x, block=None, scale=scale, outputs="both")
    expect_same(result.rows.values, reference(x, "float8_e4m3fn", None, scale=scale)[0])
    expect_same(result.columns.values, reference(x.T, "float8_e4m3fn", None, scale=scale)[0])
    assert result.rows.scales is None and np.isnan(result.amax)
    x = numbers((300, 500), ml_dtypes.bfloat16, special=False)
    assert quantize(x, block=None, scale=scale).amax == np.abs(x.astype(np.float32)).max()


def test_a_scale_in_an_array_is_read_there():
    x = numbers((300, 500), ml_dtypes.bfloat16, special=False)
    scale = quantize(x).amax / np.float32(448)
    wanted = quantize(x, block=None, scale=float(scale), outputs="both")
    for given in (np.array(scale, np.float32), np.full((1, 1), scale, np.float32), np.float32(scale)):
        found = quantize(x, block=None, scale=given, outputs="both")
        expect_same(found.rows.values, wanted.rows.values)
        expect_same(found.columns.values, wanted.columns.values)
    zero = quantize(x, block=None, scale=np.zeros((), np.float32))
    expect_same(zero.rows.values, quantize(x, block=None, scale=1e-30).rows.values)


def test_many_threads_and_views():
    x = numbers((1500, 2400), ml_dtypes.bfloat16)[3:-2, 5:-7]
    check(x, "float8_e4m3fn", (1, 128), threads=3)
    check(x, "float8_e5m2", (1, None), threads=3)


class OnlyBorrowed:
    """An array of neither NumPy nor PyTorch."""
    shape = (3, 3)
    __array_interface__ = np.zeros((3, 3), np.float32).__array_interface__


def test_an_array_of_another_library():
    with pytest.raises(TypeError, match="x is OnlyBorrowed; it must be an array of NumPy or PyTorch"):
        quantize(OnlyBorrowed())


class Flat(np.ndarray):
    """Says that it has one row, whatever it has."""
    shape = property(lambda self: (1, 200))


@pytest.mark.parametrize("outputs, made, wanted", [("rows", "(1, 200)", "(3, 200)"), ("columns", "(200, 1)", "(200, 3)")])
def test_new_arrays_are_checked(outputs, made, wanted):
    with pytest.raises(ValueError) as caught:
        quantize(np.zeros((3, 200), np.float32).view(Flat), outputs=outputs)
    assert str(caught.value) == f"the new array.shape is {made}; it must be {wanted}"


@pytest.mark.parametrize("block", [(1, 128), (128, 128), (1, None)])
@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_no_elements_have_no_magnitude_and_no_scales(shape, block):
    result = quantize(np.zeros(shape, np.float32), block=block, outputs="both")
    assert result.amax == 0
    assert result.rows.values.shape == shape and result.rows.scales.size == 0 and result.columns.scales.size == 0


def test_scales_in_the_order_of_columns():
    x = numbers((200, 300), np.float32)
    result = quantize(x, scale_order="F")
    assert result.rows.scales.flags.f_contiguous
    np.testing.assert_array_equal(result.rows.scales, quantize(x).rows.scales)


# Fields of packed structs: elements that are 5 bytes apart, and rows that are 21.
PACKED = np.zeros((3, 3), np.dtype([("a", "<f4"), ("b", "u1")]))
PADDED = np.zeros(3, np.dtype([("a", "<f4", (5,)), ("b", "u1")]))


@pytest.mark.parametrize("given, message", [
    ({"dtype": "float16"}, f"dtype is float16; it must be {listed([*FORMATS])}"),
    ({"dtype": None}, "dtype is None; it must be a dtype of NumPy or PyTorch"),
    ({"block": (2, 64)}, "block is \\(2, 64\\); it must be"),
    ({"block": 128}, "block is 128; it must be"),
    ({"block": "rows"}, "block is 'rows'; it must be"),
    ({"block": [[1], 128]}, "block is \\[\\[1\\], 128\\]; it must be"),
    ({"outputs": np.array(["rows", "a"])}, "outputs is array\\(.*; it must be"),
    ({"block": np.arange(900)}, "block is array.{,250}; it must be"),
    ({"x": [[1.0]]}, "x is list; it must be an array of NumPy or PyTorch"),
    ({"block": None}, "scale is None; it must be a number with block=None"),
    ({"scale": 2}, "scale is 2; it must be None unless block is"),
    ({"block": None, "scale": 0}, "scale is 0; it must be from 1e-30"),
    ({"block": None, "scale": np.zeros(3, np.float32)}, "scale.size is 3; it must be 1"),
    ({"block": None, "scale": np.ones(1)}, "scale.dtype is float64; it must be float32"),
    ({"block": None, "scale": "large"}, "scale is 'large'; it must be a number"),
    ({"least": 0}, "least is 0; it must be 1e-30 or more, and finite"),
    ({"least": float("nan")}, "least is nan; it must be 1e-30 or more, and finite"),
    ({"least": "small"}, "least is 'small'; it must be a number"),
    ({"outputs": "all"}, "outputs is 'all'; it must be 'rows', 'columns' or 'both'$"),
    ({"outputs": "rowz"}, "outputs is 'rowz'; it must be 'rows', 'columns' or 'both'; did you mean 'rows'\\?$"),
    ({"x": np.zeros(3, np.float32)}, "x.shape is \\(3,\\); it must be of 2 axes"),
    ({"x": np.zeros((3, 3))}, "x.dtype is float64; it must be float32, float16 or bfloat16"),
    ({"x": np.ndarray((3, 3), "S0")}, "x.dtype is bytes; it must be float32, float16 or bfloat16"),
    ({"x": np.zeros((3, 3), np.float32).T}, "x.strides is .*; it must be those of contiguous rows"),
    ({"x": PACKED["a"]}, r"x.strides is \(15, 5\); it must be multiples of its itemsize, 4"),
    ({"x": PADDED["a"]}, r"x.strides is \(21, 4\); it must be multiples of its itemsize, 4"),
    ({"x": np.zeros((3, 3), np.float32)[::-1]}, "x.strides is .*; it must be those of contiguous rows that follow each other"),
])
def test_bad_arguments(given, message):
    with pytest.raises(cornerturn.Error, match=message):
        quantize(**{"x": np.zeros((3, 3), np.float32), **given})


VALUES, SCALES = np.zeros((3, 200), ml_dtypes.float8_e4m3fn), np.ones((3, 2), np.float32)


@pytest.mark.parametrize("given, message", [
    ({"x": VALUES}, "x.dtype is float8_e4m3fn; it must be .*, or an 8-bit float with scales, in a Quantized"),
    ({"x": Quantized(VALUES, None)}, "x.dtype is float8_e4m3fn; it must be .*, or an 8-bit float with scales, in a Quantized"),
    ({"x": Quantized(VALUES.astype(np.float32), SCALES)}, "x.dtype is float32; it must be .*, since it has scales"),
    ({"x": Quantized(VALUES, SCALES), "dtype": "float8_e5m2"}, "dtype is float8_e5m2; it must be float8_e4m3fn, as that of x"),
    ({"x": Quantized(VALUES, SCALES[:1])}, r"x.scales.shape is \(1, 2\); it must be \(3, 2\), one for each 128 elements of a row"),
    ({"x": Quantized(VALUES[:, :3], PACKED["a"][:, :1])}, r"x.scales.strides is \(15, 5\); it must be multiples of its itemsize, 4"),
    ({"x": Quantized(VALUES, SCALES.astype(np.float64))}, "x.scales.dtype is float64; it must be float32"),
])
def test_bad_scales(given, message):
    with pytest.raises(cornerturn.Error, match=message):
        quantize(**given)


@pytest.mark.parametrize("source, block, outputs, launches, read, written, blocks", [
    ("bfloat16", (1, 128), "both", 1, 2, 2, ": 12 blocks of 128x128"), (np.float32, (128, 128), "columns", 1, 4, 1, ": 12 blocks of 128x128"),
    ("float16", None, "rows", 1, 2, 1, ": 12 blocks of 128x128"), ("float8_e5m2", (1, 128), "columns", 1, 1, 1, ": 12 blocks of 128x128"),
    ("bfloat16", (1, None), "both", 2, 4, 2, ": 12 blocks of 128x128"), ("bfloat16", (1, None), "rows", 1, 2, 1, ": 38 blocks of 8 rows")])
def test_a_plan(source, block, outputs, launches, read, written, blocks):
    plan = plan_quantize((300, 512), "float8_e5m2", block, outputs=outputs, source=source)
    assert (plan.launches, plan.read_bytes, plan.written_bytes) == (launches, 300 * 512 * read, 300 * 512 * written)
    assert "quantize " in plan.kernel and " to f8_e5m2, " in plan.kernel and blocks in plan.kernel
    assert (" along rows" in plan.kernel, " along columns" in plan.kernel) == (outputs != "columns", outputs != "rows")
    assert 0 < plan.seconds < 1e-3 and 0 < plan.ratio < 1.2
    said = "two launches" if launches == 2 else "one launch"
    assert str(plan) == plan.describe() == (f"{plan.kernel}; {said}, {plan.read_bytes} bytes read and {plan.written_bytes} written, "
                                            f"{1e6 * plan.seconds:.4g} us expected on {plan.gpu}")
    report = plan.explain()
    assert report.startswith("; ".join(launches * ["quantize"]) + ": ") and ("quantize_rows.hpp:" in report) == (blocks == ": 38 blocks of 8 rows") and max(map(len, report.splitlines())) <= 80


def test_plans_of_small_matrices_take_no_longer_than_those_of_large_ones():
    seconds = [plan_quantize((side, side), source="bfloat16").seconds for side in (128, 256, 512, 1024, 2048, 4096)]
    assert seconds == sorted(seconds), seconds


def test_a_plan_of_a_matrix_too_large_to_be_counted():
    plan = plan_quantize((2**24, 2**17))
    assert plan.read_bytes == 2**42 and plan.seconds > 1
    with pytest.raises(ValueError, match="the plan's number of blocks is 134217728; it must be at most 67108864 to be explained"):
        plan.explain()


@pytest.mark.parametrize("given, message", [
    ({"shape": (3,)}, r"shape is \(3,\); it must be of 2 axes"),
    ({"shape": 3}, "shape is of type int; it must be a tuple of rows and columns"),
    ({"shape": (0, 5)}, r"shape\[0\] is 0; it must be "),
    ({"shape": (5, 2.5)}, r"shape\[1\] is 2.5; it must be "),
    ({"dtype": "float16"}, f"dtype is float16; it must be {listed([*FORMATS])}"),
    ({"block": (2, 64)}, r"block is \(2, 64\); it must be"),
    ({"outputs": "all"}, "outputs is 'all'; it must be"),
    ({"source": None}, "source is None; it must be a dtype of NumPy or PyTorch"),
    ({"source": "bf16"}, "source is 'bf16'; it must be .*; did you mean 'bfloat16'?"),
    ({"source": "float64"}, "source is float64; it must be float32, float16, bfloat16 or float8_e4m3fn, the dtype of the result"),
    ({"source": "float8_e5m2"}, "source is float8_e5m2; it must be float32, float16, bfloat16 or float8_e4m3fn"),
])
def test_a_plan_that_is_refused(given, message):
    with pytest.raises(cornerturn.Error, match=message):
        plan_quantize(**{"shape": (300, 512), **given})
