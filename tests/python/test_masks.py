"""Arrays with a mask beside their elements, which a call would drop, or leave as it was before the elements moved."""

import re

import cornerturn
import cornerturn.fp8
import cornerturn.images
import numpy as np
import pytest


class Masked(np.ndarray):
    """Like the class of astropy.utils.masked."""
    mask = property(lambda self: self._mask)

    def __array_finalize__(self, other):
        self._mask = np.zeros(self.shape, bool)


class MaskedLater(np.ndarray):
    """Has a mask if one is set."""
    mask = None


def masked(*shape, dtype=np.float32):
    return np.ones(shape, dtype).view(Masked)


SAID = "of type test_masks.Masked, with a mask; it must be an array without one, e.g. np.asarray({}), which drops it"
X = np.ones((3, 4), np.float32)
PIXELS = np.ones((5, 6, 3), np.uint8)


@pytest.mark.parametrize("name, call", [
    ("x", lambda: cornerturn.permute(masked(3, 4), (1, 0))),
    ("x", lambda: cornerturn.permute(masked(3, 4), (1, 0), dtype="float64")),
    ("x", lambda: cornerturn.transpose(masked(3, 4))),
    ("x", lambda: cornerturn.ascontiguous(masked(3, 4))),
    ("x", lambda: cornerturn.permute_inplace(masked(3, 3), (1, 0))),
    ("x", lambda: cornerturn.transpose_inplace(masked(3, 3))),
    ("x", lambda: cornerturn.moveaxis(masked(3, 4), 0, 1)),
    ("x", lambda: cornerturn.swapaxes(masked(3, 4), 0, 1)),
    ("x", lambda: cornerturn.permute_dims(masked(3, 4), (1, 0))),
    ("x", lambda: cornerturn.matrix_transpose(masked(3, 4))),
    ("x", lambda: cornerturn.rearrange(masked(3, 4), "a b -> b a")),
    ("x[1]", lambda: cornerturn.rearrange([X, masked(3, 4)], "n a b -> b n a")),
    ("src", lambda: cornerturn.copy(masked(3, 4), X)),
    ("dst", lambda: cornerturn.copy(X, masked(3, 4))),
    ("out", lambda: cornerturn.transpose(X, out=masked(4, 3))),
    ("x_or_shape", lambda: cornerturn.plan(masked(3, 4), (1, 0))),
    ("x_or_shape", lambda: cornerturn.tune(masked(3, 4), (1, 0))),
    ("x", lambda: cornerturn.plan(X)(masked(3, 4))),
    ("out", lambda: cornerturn.plan(X)(X, masked(4, 3))),
    ("scale", lambda: cornerturn.permute(X, (1, 0), scale=masked(3))),
    ("bias", lambda: cornerturn.plan(X, (1, 0), bias=masked(3, dtype=np.int8))),
    ("x", lambda: cornerturn.fp8.quantize(masked(3, 4))),
    ("x.scales", lambda: cornerturn.fp8.quantize(cornerturn.fp8.Quantized(cornerturn.fp8.quantize(X).rows.values, masked(3, 1)))),
    ("scale", lambda: cornerturn.fp8.quantize(X, block=None, scale=masked(1))),
    ("x", lambda: cornerturn.images.to_planes(PIXELS.view(Masked))),
    ("x[1]", lambda: cornerturn.images.to_planes([PIXELS, PIXELS.view(Masked)])),
    ("out", lambda: cornerturn.images.to_planes(PIXELS, out=masked(3, 5, 6))),
    ("mean", lambda: cornerturn.images.to_planes(PIXELS, mean=masked(3))),
    ("std", lambda: cornerturn.images.to_planes(PIXELS, std=masked(3))),
])
def test_masks_are_refused(name, call):
    with pytest.raises(TypeError, match=f"^{re.escape(f'{name} is {SAID.format(name)}')}$"):
        call()


@pytest.mark.parametrize("name, call", [
    ("x", lambda array: cornerturn.permute(array, (0,))),
    ("scale", lambda array: cornerturn.permute(X, (1, 0), scale=array)),
    ("mean", lambda array: cornerturn.images.to_planes(PIXELS, mean=array)),
])
def test_masks_of_numpy_are_refused(name, call):
    with pytest.raises(TypeError, match=f"^{name} is a masked array; it must be one without a mask, e.g. its filled\\(\\)$"):
        call(np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]))


def test_a_mask_that_is_set_later():
    x = X.view(MaskedLater)
    assert np.array_equal(cornerturn.permute(x, (1, 0)), X.T)
    x.mask = X > 1
    with pytest.raises(TypeError, match="^x is of type test_masks.MaskedLater, with a mask; "):
        cornerturn.permute(x, (1, 0))


def test_a_field_is_no_mask():
    x = np.rec.array(np.arange(6).reshape(2, 3).view([("mask", "i4"), ("value", "i4")]))
    assert cornerturn.permute(x, (1, 0))["mask"].tolist() == np.asarray(x).T["mask"].tolist()
