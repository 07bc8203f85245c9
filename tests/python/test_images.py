"""to_planes against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import cornerturn
from cornerturn.images import to_planes

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def pixels(*shape):
    return np.random.default_rng(3).integers(0, 256, shape, np.uint8)


def wanted(x, dtype, mean, std):
    """The product is exact in 64 bits, and the sum nearly; rounding it again to 32 bits may differ from a fused sum in a tie."""
    scale = (1 / (255 * np.asarray(std, np.float64))).astype(np.float32).astype(np.float64)
    bias = (-np.asarray(mean, np.float64) / std).astype(np.float32).astype(np.float64)
    return np.ascontiguousarray(np.moveaxis((x * scale + bias).astype(np.float32), -1, -3)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(5, 37, 41, 3), (2, 64, 64, 3), (33, 17, 3), (2, 7, 9, 1), (3, 20, 24, 4)])
def test_planes_of_images(shape, dtype):
    x = pixels(*shape)
    mean, std = (MEAN, STD) if shape[-1] == 3 else (0.5, 0.25)
    result = to_planes(x, dtype, mean, std)
    assert result.dtype == dtype and result.flags.c_contiguous
    np.testing.assert_array_equal(result, wanted(x, dtype, np.broadcast_to(mean, shape[-1]), np.broadcast_to(std, shape[-1])))


def test_crops_and_mirrored_images():
    x = pixels(4, 50, 60, 3)
    crop = x[:, 3:40, 11:47]
    expected = wanted(crop[:, :, ::-1], np.float32, MEAN, STD)
    np.testing.assert_array_equal(to_planes(crop, "float32", MEAN, STD, flip=True), expected)
    np.testing.assert_array_equal(to_planes(crop[:, :, ::-1], "float32", MEAN, STD), expected)


def test_one_image_fills_its_part_of_a_batch():
    x, batch = pixels(20, 24, 3), np.zeros((2, 3, 20, 24), np.float16)
    assert to_planes(x, mean=MEAN, std=STD, out=batch[1]).base is batch
    np.testing.assert_array_equal(batch[1], wanted(x, np.float16, MEAN, STD))
    assert not batch[0].any()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(300, 16, 16, 3), (5, 37, 41, 3), (3, 20, 24, 4), (1, 9, 7, 1), (2, 0, 7, 3)])
def test_a_list_of_images_is_that_batch(shape, dtype):
    x = pixels(*shape)
    result = to_planes([each.copy() for each in x[::-1]], dtype, 0.5, 0.25)
    assert result.dtype == dtype and result.flags.c_contiguous
    np.testing.assert_array_equal(result, to_planes(x[::-1], dtype, 0.5, 0.25))


def test_a_list_of_crops_of_images_of_several_sizes_mirrored_and_in_a_part_of_a_batch():
    x = [pixels(40, width, 3) for width in (50, 50, 33, 64, 64)]
    crops = [image[5:37, first : first + 24] for first, image in enumerate(x)]
    batch = np.zeros((7, 3, 32, 24), np.float16)
    assert to_planes(tuple(crops), mean=MEAN, std=STD, flip=True, out=batch[1:6]).base is batch
    np.testing.assert_array_equal(batch[1:6], to_planes(np.stack(crops)[:, :, ::-1], np.float16, MEAN, STD))
    assert not batch[0].any() and not batch[6].any()


def test_a_list_takes_threads():
    x = pixels(64, 64, 64, 3)
    for threads in 1, 3:
        np.testing.assert_array_equal(to_planes(list(x), "float32", MEAN, STD, threads=threads), to_planes(x, "float32", MEAN, STD))


def test_a_second_call_finds_the_plan_of_the_first():
    x = pixels(2, 8, 8, 3)
    to_planes(x, "float32", MEAN, STD)
    before = cornerturn.cache_info().hits
    to_planes(x, "float32", MEAN, STD)
    assert cornerturn.cache_info().hits == before + 1


@pytest.mark.parametrize("given, message", [
    ((np.zeros((3, 3), np.uint8),), "x.shape is \\(3, 3\\); it must be of 3 or 4 axes"),
    ((np.zeros((3, 3, 3)),), "x.dtype is float64; it must be uint8"),
    ((pixels(3, 3, 3), "float32", (1, 2)), "mean is \\(1, 2\\); it must be finite: one number or 3"),
    (([],), "x is an empty list; it must be an array or a list of at least one image"),
    (([pixels(2, 3, 3, 3)],), "x\\[0\\].shape is \\(2, 3, 3, 3\\); it must be of 3 axes"),
    (([np.zeros((3, 3, 3))],), "x\\[0\\].dtype is float64; it must be uint8"),
    (([pixels(3, 3, 3), pixels(3, 4, 3)],), "x\\[1\\].shape is \\(3, 4, 3\\); it must be \\(3, 3, 3\\), as that of x\\[0\\]"),
    (([pixels(3, 3, 3), np.zeros((3, 3, 3))],), "x\\[1\\].dtype is float64; it must be uint8, as that of x\\[0\\]"),
    ((pixels(3, 3, 3), "float32", 0, 0), "std is 0; it must be finite and not 0: one number or 3, one for each channel, as x.shape is"),
])
def test_bad_arguments(given, message):
    with pytest.raises(cornerturn.ArgumentError, match=message):
        to_planes(*given)


def test_a_list_whose_result_overlaps_an_image_is_refused():
    memory = np.zeros((2, 3, 8, 8), np.uint8)
    images = [pixels(8, 8, 3), memory[1].reshape(8, 8, 3)]
    with pytest.raises(cornerturn.ArgumentError, match="out is within the addresses of x\\[1\\]"):
        to_planes(images, out=memory)
    with pytest.raises(cornerturn.ArgumentError, match="out.shape is \\(3, 3, 8, 8\\); it must be \\(2, 3, 8, 8\\)"):
        to_planes(images, out=np.zeros((3, 3, 8, 8), np.float32))


@pytest.mark.parametrize("given, message", [
    ({"x": [[1]]}, "x\\[0\\] is of type list; it must be an array"),
    ({"x": [pixels(3, 3, 3), [1]]}, "x\\[1\\] is of type list; it must be an array of NumPy"),
    ({"x": [pixels(3, 3, 3), 5], "flip": True}, "x\\[1\\] is of type int; it must be an array of NumPy"),
    ({"x": {}}, "x is of type dict; it must be an array"),
    ({"out": [1]}, "out is of type list; it must be an array"),
    ({"mean": "grey"}, "mean is 'grey'; it must be finite: one number or 3, one for each channel"),
    ({"mean": None}, "mean is None; it must be finite: one number or 3, one for each channel"),
    ({"std": (1, np.nan, 1)}, "std is \\(1, nan, 1\\); it must be finite and not 0: one number or 3, one for each channel, as x.shape is"),
    ({"std": 1j}, "std is 1j; it must be finite and not 0: one number or 3"),
    ({"std": 1e-45}, "std is .*1e-45.*; it must be large enough that 1 / \\(255 \\* std\\) and mean / std are finite in float32, with a mean of .*0\\.0"),
    ({"mean": 1e300}, "std is .*1\\.0.*; it must be large enough that .* are finite in float32, with a mean of .*1e\\+300"),
    ({"x": pixels(2, 3, 8, 8), "std": (1, 1, 1)}, "std is .*: one number or 8, one for each channel, as x.shape is \\(2, 3, 8, 8\\)"),
    ({"flip": "yes"}, "flip is 'yes'; it must be True or False"),
    ({"dtype": "float16", "out": np.zeros((3, 3, 3), np.float32)}, "out.dtype is float32; it must be float16, as dtype"),
    ({"std": 10**400}, "std is 1000.{,250}; it must be finite and not 0: one number or 3"),
    ({"mean": np.arange(900.0)}, "mean is array.{,250}; it must be finite: one number or 3"),
])
def test_arguments_that_are_no_numbers_or_arrays(given, message):
    with pytest.raises(cornerturn.Error, match=message):
        to_planes(**{"x": pixels(3, 3, 3), **given})
