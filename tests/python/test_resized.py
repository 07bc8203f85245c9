"""Arguments that run Python code while they are read, which resizes an array of the same call."""

import cornerturn
import cornerturn.fp8
import numpy as np
import pytest

SHAPE = 1500, 1500  # so large that memory that an array no longer has goes back to the system


class Resizing:
    """The arrays of a call, and an argument that resizes one of them, whatever is asked of it."""

    def __init__(self, resized, dtype=np.float64, shared=np.ones(SHAPE)):
        self.x, self.y, self.factors = (np.ones(SHAPE, dtype) for _ in range(3))
        self.resized, self.shared = resized, shared

    def resize(self):
        getattr(self, self.resized).resize((1, 1), refcheck=False)

    def __index__(self):
        self.resize()
        return 0

    def __bool__(self):
        self.resize()
        return True

    def __complex__(self):
        self.resize()
        return 2 + 0j

    def __array__(self, dtype=None, copy=None):
        self.resize()
        return np.ones((1, 1))

    def __dlpack__(self, **options):
        self.resize()
        return self.shared.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.shared.__dlpack_device__()

    def subclass(self):
        """An array with an attribute that resizes another one."""
        return np.ones(SHAPE).view(type("Subclass", (np.ndarray,), {"mask": property(lambda _: self.resize())}))


@pytest.mark.parametrize("call", [
    lambda e: cornerturn.permute(e.x, (1, e)),
    lambda e: cornerturn.permute(e.x, (1, 0), threads=e),
    lambda e: cornerturn.transpose(e.x, (1, e)),
    lambda e: cornerturn.transpose(e.x, threads=e),
    lambda e: cornerturn.ascontiguous(e.x, "F", threads=e),
    lambda e: cornerturn.permute_dims(e.x, (1, e)),
    lambda e: cornerturn.permute_inplace(e.x, (1, e)),
    lambda e: cornerturn.permute_inplace(e.x, (1, 0), workspace=e),
    lambda e: cornerturn.rearrange(e.x, "a b -> b a", pad=e),
], ids=range(9))
def test_numbers_are_read_before_arrays(call):
    assert call(Resizing("x")).shape == (1, 1)


RESIZED = "^{} is resized by another argument; it must be left alone until the call has ended$"


@pytest.mark.parametrize("resized, name, call", [
    ("x", "x", lambda e: cornerturn.moveaxis(e.x, 1, e)),
    ("x", "x", lambda e: cornerturn.swapaxes(e.x, 1, e)),
    ("x", "x", lambda e: cornerturn.permute(e.x, (1, 0), out=e)),
    ("x", "x", lambda e: cornerturn.permute(e.x, (1, 0), out=e.subclass())),
    ("x", "x", lambda e: cornerturn.plan(SHAPE, dtype=float)(e.x, e)),
    ("x", "dst", lambda e: cornerturn.copy(e, e.x)),
    ("x", "x", lambda e: cornerturn.permute(e.x, (1, 0), alpha=e)),
    ("x", "x", lambda e: cornerturn.permute(e.x, (1, 0), conj=e)),
    ("x", "x", lambda e: cornerturn.permute(e.x, (1, 0), scale=e)),
    ("y", "out", lambda e: cornerturn.permute(e.x, (1, 0), scale=e, out=e.y)),
], ids=map(str, range(10)))
def test_an_array_that_was_resized_is_not_accessed(resized, name, call):
    with pytest.raises(cornerturn.ArgumentError, match=RESIZED.format(name)):
        call(Resizing(resized))


def test_factors_are_described_when_both_are_read():
    e = Resizing("factors")  # scale, which is (1, 1) when bias was read, as bias is
    assert np.array_equal(cornerturn.permute(e.x, (1, 0), scale=e.factors, bias=e), np.full(SHAPE, 2.0))


@pytest.mark.parametrize("arguments, message", [
    (lambda e: {"threads": e}, "^the new array.shape is "),
    (lambda e: {"block": None, "scale": e}, RESIZED.format("x")),
], ids=["threads", "scale"])
def test_quantize(arguments, message):
    e = Resizing("x", np.float32, np.ones((), np.float32))
    with pytest.raises(cornerturn.ArgumentError, match=message):
        cornerturn.fp8.quantize(e.x, **arguments(e))


def test_a_list():
    e = Resizing("x", np.float32)
    with pytest.raises(cornerturn.ArgumentError, match=RESIZED.format(r"x\[0\]")):
        cornerturn._cornerturn._permute_list([e.x, e.y], (1, 0), dtype="f8", scale=e)


def test_an_array_of_a_subclass_that_stays_is_moved():
    x = np.arange(6.0).reshape(2, 3).view(type("Subclass", (np.ndarray,), {}))
    out = np.empty((3, 2)).view(type(x))
    assert np.array_equal(cornerturn.permute(x, (1, 0), out=out), x.T) and np.array_equal(cornerturn.moveaxis(x, 0, 1), x.T)
