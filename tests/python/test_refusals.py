"""What is refused, word for word; and then nothing is written."""

import inspect
import pathlib
import re

import cornerturn
import cornerturn.formats
import numpy as np
import pytest
from PIL import Image

from cornerturn._cornerturn import _element_types

X = np.arange(6.0).reshape(2, 3)
HELD = np.zeros(64)
OF_TWO = "a permutation of 0 to 1 for an array of rank 2"
APART = "such that, in ascending order, each exceeds the span of the axes before it, as in any slice of a dense array"


NUMBERS = f"a number, to change it: {', '.join(each['dtype'] for each in _element_types)}"
ARRAYS = "an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__"


READS = "np.load(x, mmap_mode='r') reads a .npy file, and the command cornerturn transpose permutes one"


class Foreign:
    pass


class Frame:
    """Like a frame of pandas or Polars."""

    def __array__(self, dtype=None, copy=None):
        return X


def frozen():
    out = np.empty((3, 2))
    out.flags.writeable = False
    return out


class OfDoubles(np.ndarray):
    """Says so, whatever it has."""
    dtype = np.dtype(np.float64)


class Flags:
    writeable = True


class Writable(np.ndarray):
    """Says so, whatever it is."""
    flags = Flags()


class Elsewhere(np.ndarray):
    """Names the memory of an array that nobody keeps."""
    __array_struct__ = property(lambda self: np.full(self.shape, 7.0).__array_struct__)


def test_a_subclass_is_seen_as_numpy_sees_it():
    assert np.array_equal(cornerturn.permute(np.ones((700, 900)).view(Elsewhere), (1, 0)), np.ones((900, 700)))
    assert cornerturn.permute(np.zeros((2, 3), "V16").view(OfDoubles), (1, 0)).dtype == np.dtype("V16")
    with pytest.raises(ValueError, match="out is read-only; it must be writable"):
        cornerturn.transpose(X, out=frozen().view(Writable))


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.permute([[1, 2], [3]], (1, 0)), ValueError, "x is [[1, 2], [3]]; it must be one that NumPy takes as an array"),
    (lambda: cornerturn.permute([[object()]], (1, 0)), TypeError, "x.dtype is object; it must be one without Python objects"),
    (lambda: cornerturn.permute(b"ab", (0,)), TypeError, f"x is of type bytes; it must be {ARRAYS}"),
    (lambda: cornerturn.permute("x.npy", (1, 0)), TypeError, f"x is of type str; it must be {ARRAYS}; {READS}"),
    (lambda: cornerturn.ascontiguous(pathlib.PurePosixPath("x.npy")), TypeError,
     f"x is of type pathlib.PurePosixPath; it must be {ARRAYS}; {READS}"),
    (lambda: cornerturn.formats.pack("x.npy", "kv_hnd"), TypeError, f"x is of type str; it must be {ARRAYS}; {READS}"),
    (lambda: cornerturn.permute_inplace("x.npy", (1, 0)), TypeError, "x is of type str; it must be an array of NumPy, PyTorch or CuPy; "
     "the command cornerturn transpose --inplace permutes a file"),
    (lambda: cornerturn.permute_inplace(np.asfortranarray(X), (1, 0)), ValueError,
     "x is in Fortran order; it must be dense in C order, as x.T, whose axes are those of x from the last to the first"),
    (lambda: cornerturn.rearrange((X, X), "... -> ..."), TypeError,
     f"x is of type tuple; it must be {ARRAYS}, e.g. np.asarray(x)"),
    (lambda: cornerturn.permute(Image.new("RGB", (3, 2)), (2, 0, 1)), TypeError,
     f"x is of type PIL.Image.Image; it must be {ARRAYS}, e.g. np.asarray(x)"),
    (lambda: cornerturn.transpose(Frame()), TypeError,
     f"x is of type test_refusals.Frame; it must be {ARRAYS}, e.g. np.asarray(x)"),
    (lambda: cornerturn.transpose(X, out=Frame()), TypeError, f"out is of type test_refusals.Frame; it must be {ARRAYS}"),
    (lambda: cornerturn.permute(Foreign(), ()), TypeError,
     "x is of type test_refusals.Foreign; it must be an array of NumPy, PyTorch or CuPy, or of another with DLPack or "
     "__cuda_array_interface__"),
    (lambda: cornerturn.permute(X, None), TypeError, "axes is None; it must be a sequence of integers"),
    (lambda: cornerturn.permute(X, "10"), TypeError, "axes is of type str; it must be a sequence of integers, e.g. (1, 0)"),
    (lambda: cornerturn.permute(X, 1), ValueError, f"axes is 1; it must be {OF_TWO}"),
    (lambda: cornerturn.permute(X[0], True), TypeError, "axes is of type bool; it must be a sequence of integers, e.g. (1, 0)"),
    (lambda: cornerturn.permute(X[0], 1), ValueError, "axes is 1; it must be a permutation of 0 to 0 for an array of rank 1"),
    (lambda: cornerturn.permute(X, (1, 0.5)), TypeError, "axes is (1, 0.5); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.permute(X, (True, False)), TypeError, "axes is (True, False); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.permute(X, (1, 2**70)), TypeError,
     "axes is (1, 1180591620717411303424); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.permute(X[:1, :1], (1, 0), out=np.empty((1, 1), np.float32).view(OfDoubles)), ValueError,
     "out.dtype is float32; it must be float64, as that of x"),
    (lambda: cornerturn.permute(X, (1, 1)), ValueError, f"axes is (1, 1); it must be {OF_TWO}"),
    (lambda: cornerturn.permute(X, (0, 2)), ValueError, f"axes is (0, 2); it must be {OF_TWO}"),
    (lambda: cornerturn.permute(X, (-3, 0)), ValueError, f"axes is (-3, 0); it must be {OF_TWO}"),
    (lambda: cornerturn.permute(X, (0,)), ValueError, f"axes is (0,); it must be {OF_TWO}"),
    (lambda: cornerturn.permute(np.array(1), (0,)), ValueError, "axes is (0,); it must be empty for an array of rank 0"),
    (lambda: cornerturn.permute(X, range(65)), ValueError, "len(axes) is 65; it must be 64 or less"),
    (lambda: cornerturn.transpose(X, out=np.empty((2, 3))), ValueError, "out.shape is (2, 3); it must be (3, 2)"),
    (lambda: cornerturn.transpose(X, out=np.empty((3, 2), "f4")), ValueError,
     "out.dtype is float32; it must be float64, as that of x"),
    (lambda: cornerturn.transpose(X.astype("M8[s]"), out=np.empty((3, 2), "M8[ns]")), ValueError,
     "out.dtype is datetime64[ns]; it must be datetime64[s], as that of x"),
    (lambda: cornerturn.transpose(X, out=frozen()), ValueError, "out is read-only; it must be writable"),
    (lambda: cornerturn.transpose(X, out=[[1, 2]] * 3), TypeError,
     "out is of type list; it must be an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__"),
    (lambda: cornerturn.transpose(X, out=np.lib.stride_tricks.as_strided(HELD, (3, 2), (8, 0))), ValueError,
     f"out.strides is (8, 0); it must be {APART}"),
    (lambda: cornerturn.transpose(X, out=np.lib.stride_tricks.as_strided(HELD, (3, 2), (8, 8))), ValueError,
     f"out.strides is (8, 8); it must be {APART}"),
    (lambda: cornerturn.transpose(X, out=np.lib.stride_tricks.as_strided(HELD, (3, 2), (16, 24))), ValueError,
     f"out.strides is (16, 24); it must be {APART}"),
    (lambda: cornerturn.transpose(X, stream=7), ValueError, "stream is 7; it must be None for arrays in host memory"),
    (lambda: cornerturn.ascontiguous(X, stream=7), ValueError, "stream is 7; it must be None for arrays in host memory"),
    (lambda: cornerturn.transpose(np.array([[object()]])), TypeError,
     "x.dtype is object; it must be one without Python objects"),
    (lambda: cornerturn.transpose(np.zeros((2, 2), [("name", object), ("size", int)])), TypeError,
     "x.dtype is [('name', 'O'), ('size', '<i8')]; it must be one without Python objects"),
    (lambda: cornerturn.transpose(np.array([["a"]], np.dtypes.StringDType())), TypeError,
     "x.dtype is StringDType(); it must be one without Python objects"),
    (lambda: cornerturn.transpose(np.ma.masked_equal([[1, 2]], 2)), TypeError,
     "x is a masked array; it must be one without a mask, e.g. its filled()"),
    (lambda: cornerturn.ascontiguous(X, "A"), ValueError, "order is 'A'; it must be 'C', 'F' or 'K'"),
    (lambda: cornerturn.ascontiguous(X, 1), ValueError, "order is 1; it must be 'C', 'F' or 'K'"),
    (lambda: cornerturn.ascontiguous(X, "C\0"), ValueError, "order is 'C\\x00'; it must be 'C', 'F' or 'K'"),
    (lambda: cornerturn.explain("smem-padded\0", rows=4, cols=4), ValueError,
     "rung is 'smem-padded\\x00'; it must be a str without null characters"),
    (lambda: cornerturn.plan((2, 3), (1, 0), dtype="f4", effort="measure\0"), ValueError,
     "effort is 'measure\\x00'; it must be 'estimate' or 'measure'; did you mean 'measure'?"),
    (lambda: cornerturn.plan(X, effort="estimat"), ValueError,
     "effort is 'estimat'; it must be 'estimate' or 'measure'; did you mean 'estimate'?"),
    (lambda: cornerturn.plan((3, 4), dtype="f4", device="cuad"), ValueError,
     "device is 'cuad'; it must be 'cpu', 'cuda' or 'cuda:N', e.g. 'cuda:0'; did you mean 'cuda'?"),
    (lambda: cornerturn.ascontiguous(X, out=np.empty((2, 3), order="F")), ValueError,
     "out.strides is (8, 16); it must be those of a dense array in order 'C'"),
    (lambda: cornerturn.copy(X, np.empty((3, 2))), ValueError,
     "src.shape is (2, 3); it must be one that broadcasts to (3, 2), the shape of dst"),
    (lambda: cornerturn.copy(X, np.empty((2, 3), "i8")), TypeError,
     "dst.dtype is int64; it must be one to which NumPy casts float64 by the rule 'same_kind'"),
    (lambda: cornerturn.copy(X, np.empty((2, 3), "M8[s]")), TypeError,
     "dst.dtype is datetime64[s]; it must be one to which NumPy casts float64 by the rule 'same_kind'"),
    (lambda: cornerturn.plan((2, 3), (1, 0)), TypeError, "dtype is None; it must be given with a shape"),
    (lambda: cornerturn.plan((2, -3), (1, 0), dtype="f4"), ValueError, "shape is (2, -3); it must be of extents of 0 or more"),
    (lambda: cornerturn.plan((2, 3), (1, 0), dtype=object), TypeError,
     "dtype is object; it must be one without Python objects"),
    (lambda: cornerturn.plan((2, 3), (1, 0), dtype="f4", device="gpu:x"), ValueError,
     "device is 'gpu:x'; it must be 'cpu', 'cuda' or 'cuda:N', e.g. 'cuda:0'"),
    (lambda: cornerturn.plan((2, 3), (1, 0), dtype="f4", device="tpu"), ValueError,
     "device is 'tpu'; it must be 'cpu', 'cuda' or 'cuda:N', e.g. 'cuda:0'; did you mean 'cpu'?"),
    (lambda: cornerturn.tune((2**28, 2**28), (1, 0), dtype="u1"), MemoryError,
     "shape is (268435456, 268435456); it must be of an array that twice has room in memory "
     "(no room for the 72057594037927936 bytes that timing takes)"),
    (lambda: cornerturn.plan(np.lib.stride_tricks.as_strided(X, (3, 3), (2**62, 2**62)), (1, 0)), ValueError,
     "x_or_shape.strides is (4611686018427387904, 4611686018427387904); it must be of elements within 2^63 - 1 bytes, for the "
     "shape (3, 3)"),
    (lambda: cornerturn.plan(X, (1, 0), source="f8"), TypeError, "source is 'f8'; it must be None with an array"),
    (lambda: cornerturn.plan(X, (1, 0), device="cpu"), TypeError, "device is 'cpu'; it must be None with an array"),
    (lambda: cornerturn.tune(X, alpha="2"), TypeError, "alpha is '2'; it must be a number"),
    (lambda: cornerturn.plan(X, alpha=1j), ValueError, "alpha is 0+1i; it must be real, because the destination is f64"),
    (lambda: cornerturn.plan(X, scale=[1, 2, 3]), ValueError,
     "scale.shape is (3,); it must be one that broadcasts to the result's, (3, 2)"),
    (lambda: cornerturn.plan((2, 3), dtype="V3", beta=1), TypeError, f"dtype is void24; it must be {NUMBERS}"),
    (lambda: cornerturn.plan((2, 3), source="V3", dtype="f4"), TypeError, f"source is void24; it must be {NUMBERS}"),
    (lambda: cornerturn.permute(X, (1, 0), alpha=10**400), ValueError,
     "alpha is 1" + 99 * "0" + "...; it must be within the range of float64"),
    (lambda: cornerturn.permute(X, (1, 0), beta=10**5000, out=X.T.copy()), ValueError,
     "beta is of type int; it must be within the range of float64"),
    (lambda: cornerturn.permute(X, (1, 0), alpha=np.ones((300, 300))), TypeError,
     "alpha is array([[1., 1., 1., ..., 1., 1., 1.], [1., 1., 1., ..., 1., 1., 1.], [1., 1., 1., ..., 1., 1., 1.], ...; "
     "it must be a number"),
    (lambda: cornerturn.permute(X, (1, 0), conj="no"), TypeError, "conj is 'no'; it must be True or False"),
    (lambda: cornerturn.permute(X, (1, 0), saturate=np.ones(2)), TypeError, "saturate is array([1., 1.]); it must be True or False"),
    (lambda: cornerturn.permute(X, np.ones((300, 300))), ValueError, "len(axes) is 300; it must be 64 or less"),
    (lambda: cornerturn.permute(X, np.ones((2, 300))), TypeError,
     "axes is [[" + 32 * "1. " + "1....; it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.plan(X, (1, 0), effort="most"), ValueError, "effort is 'most'; it must be 'estimate' or 'measure'"),
    (lambda: cornerturn.plan((2**40, 2**40), (1, 0), dtype="f8"), ValueError,
     "shape is (1099511627776, 1099511627776); it must be of at most 2^63 - 1 bytes, with 8 to an element"),
    (lambda: cornerturn.plan((0, 3), (1, 0), dtype="f4", effort=None), ValueError,
     "effort is None; it must be 'estimate' or 'measure'"),
    (lambda: cornerturn.ascontiguous(X, None), ValueError, "order is None; it must be 'C', 'F' or 'K'"),
    (lambda: cornerturn.permute(X, (1, 0), threads=-1), ValueError, "threads is -1; it must be an integer from 0 to 2147483647"),
    (lambda: cornerturn.plan(X, threads="all"), TypeError, "threads is 'all'; it must be an integer from 0 to 2147483647"),
    (lambda: cornerturn.set_num_threads(-1), ValueError, "threads is -1; it must be an integer from 0 to 2147483647"),
    (lambda: cornerturn.set_num_threads(2**40), ValueError,
     "threads is 1099511627776; it must be an integer from 0 to 2147483647"),
    (lambda: cornerturn.set_num_threads(None), TypeError, "threads is None; it must be an integer from 0 to 2147483647"),
    (lambda: cornerturn.explain(None), TypeError, "rung is None; it must be a str"),
    (lambda: cornerturn.explain("none"), ValueError, f"rung is 'none'; it must be one of the {len(cornerturn.rung_names())} rungs of the ladder"),
    (lambda: cornerturn.explain("naive-read", source_align=3), ValueError,
     "source_align is 3; it must be a power of two from the element size, 4, to 256"),
    (lambda: cornerturn.explain("naive-read", source_align=3, destination_align=3), ValueError,
     "source_align is 3; it must be a power of two from the element size, 4, to 256"),
    (lambda: cornerturn.explain("naive-read", destination_align=6), ValueError,
     "destination_align is 6; it must be a power of two from the element size, 4, to 256"),
    (lambda: cornerturn.explain("naive-read", source_pitch=3), ValueError,
     "source_pitch is 3; it must be at least the row's 4096 elements"),
    (lambda: cornerturn.explain("naive-read", destination_pitch=3), ValueError,
     "destination_pitch is 3; it must be at least the row's 4096 elements"),
    (lambda: cornerturn.explain("naive-read", rows=2**40, cols=2**40), ValueError,
     "rows x source_pitch is 1099511627776 x 1099511627776; it must be at most 2^62 bytes"),
    (lambda: cornerturn.explain("naive-read", rows=1.5), TypeError,
     "rows is 1.5; it must be an integer from 1 to 9223372036854775807"),
])
def test_words(call, error, message):
    HELD[:] = 7
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
    assert (HELD == 7).all() and X.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_overlap():
    x = np.arange(12.0).reshape(3, 4)
    square = x[:, :3]
    for out in (square, square.T, x[:, 1:]):
        with pytest.raises(ValueError, match="^out is within the addresses of x; it must be memory that does not overlap x, "):
            cornerturn.transpose(square, out=out)
    for src, dst in ((x[:2], x[1:]), (x[:, ::2], x[:, 1::2])):
        with pytest.raises(ValueError, match="^dst is within the addresses of src; it must be memory that does not overlap src, "):
            cornerturn.copy(src, dst)
    assert np.array_equal(x, np.arange(12.0).reshape(3, 4))


PERMUTE = f"permute{inspect.signature(cornerturn.permute)}"


@pytest.mark.parametrize("call, message", [
    (lambda: cornerturn.permute(), f"x is missing; it must be {ARRAYS}"),
    (lambda: cornerturn.permute(X), "axes is missing; it must be a sequence of integers, e.g. (1, 0)"),
    (lambda: cornerturn.transpose(), f"x is missing; it must be {ARRAYS}"),
    (lambda: cornerturn.copy(X), f"dst is missing; it must be {ARRAYS}"),
    (lambda: cornerturn.plan(), f"x_or_shape is missing; it must be {ARRAYS}"),
    (lambda: cornerturn.plan(X)(), f"x is missing; it must be {ARRAYS}"),
    (lambda: cornerturn.set_num_threads(), "threads is missing; it must be an integer from 0 to 2147483647"),
    (lambda: cornerturn.explain(), "rung is missing; it must be a str"),
    (lambda: cornerturn.permute(X, (1, 0), to=X), f"unknown argument 'to' of {PERMUTE}"),
    (lambda: cornerturn.permute(X, (1, 0), ouut=X), f"unknown argument 'ouut' of {PERMUTE}; did you mean out?"),
    (lambda: cornerturn.permute_inplace(X, (1, 0), worksapce=0),
     f"unknown argument 'worksapce' of permute_inplace{inspect.signature(cornerturn.permute_inplace)}; did you mean workspace?"),
    (lambda: cornerturn.permute(X, (1, 0), X),
     f"{PERMUTE} takes 2 arguments by position, not 3"),
    (lambda: cornerturn.permute(X, 1, 0), "axes is 1, 0; it must be one tuple, (1, 0)"),
    (lambda: cornerturn.transpose(X, 2, 0, -1, threads=1), "axes is 2, 0, -1; it must be one tuple, (2, 0, -1)"),
    (lambda: cornerturn.plan(X, 1, 0), "axes is 1, 0; it must be one tuple, (1, 0)"),
    (lambda: cornerturn.permute(X, 1, None), f"{PERMUTE} takes 2 arguments by position, not 3"),
    (lambda: cornerturn.permute(X, (1, 0), x=X), "x is given by position and by name; it must be given once"),
    (lambda: cornerturn.transpose(X, None, axes=(1, 0)), "axes is given by position and by name; it must be given once"),
    (lambda: cornerturn.plan(X)(X, x=X), "x is given by position and by name; it must be given once"),
    (lambda: cornerturn.plan(X).describe(1), "describe() takes 0 arguments by position, not 1"),
    (lambda: cornerturn.plan(X).explain(1), "explain() takes 0 arguments by position, not 1"),
    (lambda: cornerturn.plan(X)(X, order="C"), "unknown argument 'order' of "
                                               "plan(x, out=None, *, stream=None)"),
    (lambda: cornerturn.cache_info(1), "cache_info() takes 0 arguments by position, not 1"),
])
def test_arguments_that_do_not_fit_the_function(call, message):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call()


class WithoutPlan(cornerturn.Plan):
    def __init__(self):
        pass


@pytest.mark.parametrize("make", [WithoutPlan, lambda: cornerturn.Plan.__new__(cornerturn.Plan)], ids=["derived", "new"])
def test_a_plan_that_nobody_made(make):
    for call in (lambda plan: plan(X), lambda plan: plan.describe(), lambda plan: plan.explain()):
        with pytest.raises(TypeError, match="^self is of type .*Plan; it must be a cornerturn.Plan made by plan$"):
            call(make())


def test_methods_of_another_class():
    for method in (cornerturn.Plan.__call__, cornerturn.Plan.describe, cornerturn.Plan.explain):
        with pytest.raises(TypeError, match="^descriptor '.*' for '.*Plan' objects doesn't apply to a 'int' object$"):
            method(1)


class Interrupts:
    def __index__(self):
        raise KeyboardInterrupt


def test_what_is_no_misfit_goes_on():
    with pytest.raises(KeyboardInterrupt):
        cornerturn.permute(np.ones((2, 3)), (1, Interrupts()))


@pytest.mark.parametrize("call", [
    lambda: cornerturn.permute(None, (0,)), lambda: cornerturn.transpose(None), lambda: cornerturn.ascontiguous(None),
    lambda: cornerturn.plan(np.ones(3))(None),
], ids=["permute", "transpose", "ascontiguous", "plan"])
def test_none_is_no_array(call):
    with pytest.raises(TypeError, match="^x is of type NoneType; it must be an array"):
        call()


def test_text_that_cannot_be_printed():
    with pytest.raises(ValueError, match=r"^order is '\\udc00';"):
        cornerturn.ascontiguous(np.ones((2, 3)), "\udc00")


class Endless:
    def __getitem__(self, index):
        assert index < 100, "it is read on and on"
        return index


class EndlessOfTwo(Endless):
    def __len__(self):
        return 2


def test_no_more_is_read_than_the_length():
    with pytest.raises(TypeError, match="^axes is .*Endless object.*; it must be a sequence of integers$"):
        cornerturn.permute(X, Endless())
    assert np.array_equal(cornerturn.permute(X, EndlessOfTwo()), X)


def test_arguments_by_name():
    out = np.empty((3, 2))
    assert cornerturn.permute(axes=(1, 0), x=X, out=out) is out and np.array_equal(out, X.T)
    assert cornerturn.plan(x_or_shape=X, axes=(1, 0))(x=X, out=out) is out
    assert cornerturn.ascontiguous(x=X, order="F").flags.f_contiguous


@pytest.mark.parametrize("axes", [b"\1\0", bytearray((1, 0))], ids=type)
def test_axes_that_numpy_takes(axes):
    assert np.array_equal(cornerturn.permute(X, axes), np.transpose(X, axes))
