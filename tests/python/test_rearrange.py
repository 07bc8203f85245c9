"""rearrange against einops: its documented patterns, random ones, and what both refuse."""

import pickle
import re
import subprocess
import sys

import cornerturn
import einops
import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from arrays import any_view, same

X = np.arange(2 * 3 * 4 * 6).reshape(2, 3, 4, 6)


def by_einops(x, pattern, /, **lengths):
    return einops.rearrange(x, pattern, **lengths).copy(order="C")


@pytest.mark.parametrize("pattern, lengths", [
    ("a b c d -> a b c d", {}),
    ("a b c d -> d c b a", {}),
    ("a b c d->d a(c b)", {}),
    ("  a b c d  ->  (a b c d)  ", {}),
    ("b h (p w) c -> b (h p) w c", {"p": 2}),
    ("b h (p w) c -> (b w) (h p) c", {"w": 2}),
    ("b h (p w) (x y) -> x b (h p y) w", {"p": 4, "x": 3}),
    ("b h (p w) c -> c w b p h", {"p": 2, "w": 2, "c": 6}),
    ("a b c d -> a 1 b c 1 d ()", {}),
    ("a b c (1 d 1) -> a (b 1) 1 c d 01", {}),
    ("(a1 a2) (b1 b2) (c1 c2) (d1 d2) -> (d1 c1 b1 a1) (a2 b2 c2 d2)", {"a1": 2, "b1": 3, "c1": 2, "d1": 3}),
    ("... -> ...", {}),
    ("... -> (...)", {}),
    ("a ... -> ... a", {}),
    ("a b ... -> b (... a)", {}),
    ("a ... (b c) -> c (a ... b) ", {"b": 2}),
    ("a b c d ... -> ... d c b a", {}),
    ("if b_2 Ä d -> d Ä b_2 if", {}),
], ids=str)
@pytest.mark.filterwarnings("ignore:It is discouraged")
def test_patterns(pattern, lengths):
    assert same(cornerturn.rearrange(X[:, :, ::-1], pattern, **lengths), by_einops(X[:, :, ::-1], pattern, **lengths))


@pytest.mark.parametrize("shape, pattern, lengths", [
    ((), "->", {}), ((), " -> () 1", {}), ((), "... -> ... ()", {}), ((1, 1), "1 () -> ", {}), ((1,), "(1 1) -> ", {}),
    ((0, 3), "(a b) c -> b (a c)", {"b": 5}), ((0, 3), "(a b) c -> b a c", {"a": 0, "b": 5}), ((1,) * 64, "... -> (...)", {}),
    ((3, 5), "a b ... -> (b a ...)", {}),
], ids=str)
def test_shapes_at_the_ends(shape, pattern, lengths):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    assert same(cornerturn.rearrange(x, pattern, **lengths), by_einops(x, pattern, **lengths))


@st.composite
def calls(draw):
    """The shape of an array, a pattern and lengths."""
    counts = draw(st.lists(st.integers(0, 3), max_size=5))
    names = iter("abcdefghijklmno")
    groups = [[next(names) for _ in range(count)] for count in counts]
    extents = {name: draw(st.integers(1, 4)) for group in groups for name in group}
    lengths = {}
    for group in groups:
        inferred = draw(st.sampled_from(group)) if group and draw(st.booleans()) else None
        lengths |= {name: extents[name] for name in group if name != inferred}
    unnamed = draw(st.lists(st.integers(1, 4), max_size=2)) if draw(st.booleans()) else None
    position = draw(st.integers(0, len(groups)))
    left = [f"({' '.join(group)})" if len(group) != 1 or draw(st.booleans()) else group[0] for group in groups]
    shape = [int(np.prod([extents[name] for name in group], dtype=int)) for group in groups]
    if unnamed is not None:
        left.insert(position, "...")
        shape[position:position] = unnamed
    right = draw(st.permutations([name for group in groups for name in group] + ["..."] * (unnamed is not None) + ["1"]))
    for _ in range(draw(st.integers(0, 2))):
        begin = draw(st.integers(0, len(right)))
        end = draw(st.integers(begin, len(right)))
        if not any("(" in axis for axis in right[begin:end]):
            right[begin:end] = [f"({' '.join(right[begin:end])})"]
    return shape, f"{' '.join(left)} -> {' '.join(right)}", lengths


@hypothesis.settings(max_examples=500, deadline=None, derandomize=True, database=None)
@hypothesis.given(calls(), st.integers(0, 2**32), st.booleans())
def test_random_patterns(call, seed, is_listed):
    shape, pattern, lengths = call
    x = any_view(np.random.default_rng(seed), tuple(shape), np.dtype("i2"))
    given_x = [x[i, ...] for i in range(len(x))] if is_listed and x.ndim > 0 else x
    assert same(cornerturn.rearrange(given_x, pattern, **lengths), by_einops(x, pattern, **lengths))


@pytest.mark.parametrize("pattern, lengths", [
    ("b h w c -> b c h w", {}), ("b h w c -> h w c b", {}), ("(p q) h w c -> h q (w c) p", {"p": 2}), ("b ... -> (b ...)", {}),
    ("(p q) ... -> q (... p)", {"q": 3}),
], ids=str)
def test_a_list_is_stacked(pattern, lengths):
    x = np.random.default_rng(0).random((6, 4, 5, 3))
    images = [image.T.copy().T if i % 2 else image[::-1, ::-1].copy()[::-1, ::-1] for i, image in enumerate(x)]
    assert same(cornerturn.rearrange(images, pattern, **lengths), by_einops(images, pattern, **lengths))
    assert same(cornerturn.rearrange([np.array(7), np.array(8)], "a -> a ()"), np.array([[7], [8]]))


@pytest.mark.parametrize("dtypes", [("i8", "f4"), ("f4", "f4", "c8"), ("?", "u1"), (">f4", "<f4"), ("U3", "U5"),
                                    ([("a", "i2")], [("a", "f4")])], ids=str)
@pytest.mark.parametrize("pattern", ["a b c -> a c b", "a b c -> c b a"])
def test_a_list_of_mixed_dtypes_is_promoted(dtypes, pattern):
    arrays = [np.arange(6).reshape(2, 3).astype(dtype) for dtype in dtypes]
    assert same(cornerturn.rearrange(arrays, pattern), by_einops(arrays, pattern))


class Lying(np.ndarray):
    dtype = np.dtype("f8")


def test_what_numpy_takes_as_an_array():
    rows = [[1, 2, 3], [4, 5, 6]]
    for x in (memoryview(np.array(rows)), rows, [memoryview(np.array(rows[0])), rows[1]]):
        assert same(cornerturn.rearrange(x, "a b -> b a"), np.array(rows).T)
        assert same(cornerturn.rearrange(x, "(a p) b -> a (p b)", p=3, pad=7), np.array([[1, 2, 3, 4, 5, 6, 7, 7, 7]]))
    assert same(cornerturn.rearrange(np.float32(3), " -> "), np.float32(3).reshape(()))
    with pytest.raises(TypeError, match=r"^x\[1\] is of type str"):
        cornerturn.rearrange([rows[0], "x.npy"], "a b -> b a")


def test_a_dtype_that_is_not_the_array_s_is_not_promoted():
    lying = np.arange(6, dtype="f4").reshape(2, 3).view(Lying)
    with pytest.raises(ValueError, match="^x.1..dtype is float32; it must be float64, as that of x.0.$"):
        cornerturn.rearrange([np.ones((2, 3)), lying], "... -> ...")


def test_the_error_is_that_of_einops_only_where_it_is_imported():
    with pytest.raises(einops.EinopsError) as caught:
        cornerturn.rearrange(X, "a -> b")
    assert type(pickle.loads(pickle.dumps(caught.value))) is cornerturn.ArgumentError
    done = subprocess.run([sys.executable, "-c", """
import cornerturn, numpy, sys
try:
    cornerturn.rearrange(numpy.ones(3), "a -> b")
except cornerturn.Error as error:
    assert type(error) is cornerturn.ArgumentError and "einops" not in sys.modules
else:
    raise AssertionError
"""], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_result_is_always_new():
    x = np.arange(6.0).reshape(2, 3)
    for pattern in ("a b -> a b", "a b -> (a b)", "a b -> a 1 b"):
        assert not np.shares_memory(cornerturn.rearrange(x, pattern), x)


def test_a_pattern_by_name():
    assert cornerturn.rearrange(X, pattern="a ... -> ... a").shape == (3, 4, 6, 2)


def test_axes_may_have_the_names_of_parameters():
    assert cornerturn.rearrange(X, "out stream (x w) pattern -> x (w out stream pattern)", x=2, pattern=6).shape == (2, 72)


SIDES = "the same axes on both sides"
TOKENS = "only 1, ... and names, which are identifiers without _ at their ends"


@pytest.mark.parametrize("pattern, allowed", [
    ("a b c d", "two sides with -> between them"),
    ("a b -> c d -> a b c d", "one ->, unlike '->' at index 11"),
    ("a b c d -> a b c", SIDES + ", unlike 'd' at index 6"),
    ("a b c d -> a b c d e", SIDES + ", unlike 'e' at index 19"),
    ("a b c d -> ... a b c d", SIDES + ", unlike '...' at index 11"),
    ("a b c ... -> a b c", SIDES + ", unlike '...' at index 6"),
    ("a a b c -> a b c", "axes that appear once on a side, unlike 'a' at index 2"),
    ("a b c d -> a b c d d", "axes that appear once on a side, unlike 'd' at index 19"),
    ("... a ... -> a ...", "axes that appear once on a side, unlike '...' at index 6"),
    ("a b c (d (e)) -> a b c d e", "parentheses that are not nested, unlike '(' at index 9"),
    ("a b c d) -> a b c d", "balanced parentheses, unlike ')' at index 7"),
    ("a b c d -> (a b c d", "balanced parentheses, unlike '(' at index 11"),
    ("a (b c ...) -> a b c ...", "... outside parentheses on the left, unlike '(b c ...)' at index 2"),
    ("a b c 6 -> a b c 6", TOKENS + ", unlike '6' at index 6"),
    ("a b c 0 -> a b c 0", TOKENS + ", unlike '0' at index 6"),
    ("a b c d_ -> a b c d_", TOKENS + ", unlike 'd_' at index 6"),
    ("a b _ d -> a b _ d", TOKENS + ", unlike '_' at index 4"),
    ("a b c 2d -> a b c 2d", TOKENS + ", unlike '2d' at index 6"),
    ("a b c.d -> a b c.d", TOKENS + ", unlike 'c.d' at index 4"),
    ("a b c... -> a b c...", TOKENS + ", unlike 'c...' at index 4"),
    ("a b .. c -> a b .. c", TOKENS + ", unlike '..' at index 4"),
    ("a b\tc d -> a b c d", TOKENS + ", unlike 'b\\tc' at index 2"),
    ("a b c, d -> a b c d", TOKENS + ", unlike 'c,' at index 4"),
    ("a b c [d] -> a b c d", TOKENS + ", unlike '[d]' at index 6"),
    ("a b c (d e) -> a b c d e", "parentheses with at most one name without a length, unlike '(d e)' at index 6"),
])
def test_patterns_that_are_refused(pattern, allowed):
    with pytest.raises((einops.EinopsError, ValueError)):
        einops.rearrange(X, pattern)
    message = f"^{re.escape(f'pattern is {pattern!r}; it must have {allowed}')}$"
    with pytest.raises(cornerturn.ArgumentError, match=message) as caught:
        cornerturn.rearrange(X, pattern)
    assert isinstance(caught.value, einops.EinopsError)


SPLIT = "a b c (d e) -> a b c d e"


@pytest.mark.parametrize("pattern, lengths, message", [
    ("a b c -> a b c", {}, "x.ndim is 4; it must be 3, as on the left of pattern 'a b c -> a b c'"),
    ("a b c d e ... -> ... a b c d e", {},
     "x.ndim is 4; it must be 5 or more, as on the left of pattern 'a b c d e ... -> ... a b c d e'"),
    ("1 b c d -> b c d", {}, "x.shape[0] is 2; it must be 1, for '1' at index 0 of pattern '1 b c d -> b c d'"),
    ("a b c d -> a b c d", {"c": 5}, "x.shape[2] is 4; it must be 5, for 'c' at index 4 of pattern 'a b c d -> a b c d'"),
    (SPLIT, {"d": 4}, f"x.shape[3] is 6; it must be a multiple of 4, for '(d e)' at index 6 of pattern '{SPLIT}'"),
    (SPLIT, {"d": 2, "e": 2}, f"x.shape[3] is 6; it must be 4, for '(d e)' at index 6 of pattern '{SPLIT}'"),
    (SPLIT, {"d": 0}, f"pattern is '{SPLIT}'; it must have parentheses without a length of 0 if another length is inferred, "
                      "unlike '(d e)' at index 6"),
    (SPLIT, {"d": 2, "q": 3}, f"q is given; it must be the name of an axis of pattern '{SPLIT}'"),
    ("a ... -> ... a", {"...": 3}, "... is given; it must be the name of an axis of pattern 'a ... -> ... a'"),
    ("a ... -> ... a", {"...0": 3}, "...0 is given; it must be the name of an axis of pattern 'a ... -> ... a'"),
])
def test_arrays_and_lengths_that_do_not_fit(pattern, lengths, message):
    with pytest.raises((einops.EinopsError, ZeroDivisionError, ValueError)):
        einops.rearrange(X, pattern, **lengths)
    with pytest.raises(cornerturn.ArgumentError, match=f"^{re.escape(message)}$") as caught:
        cornerturn.rearrange(X, pattern, **lengths)
    assert isinstance(caught.value, einops.EinopsError)


SIGNATURE = "rearrange(x, /, pattern, *, pad=None, shape=None, bits=None, order=None, swizzle=None, source_swizzle=None, out=None, **axes_lengths)"


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.rearrange(), TypeError, "pattern is missing; it must be a str; x comes before it"),
    (lambda: cornerturn.rearrange(X), TypeError, "pattern is missing; it must be a str; x comes before it"),
    (lambda: cornerturn.rearrange(X, 3), TypeError, "pattern is of type int; it must be a str; x comes before it"),
    (lambda: cornerturn.rearrange("a b c d -> b a c d", X), TypeError,
     "pattern is of type numpy.ndarray; it must be a str; x comes before it"),
    (lambda: cornerturn.rearrange(X, SPLIT, d=True), TypeError, "d is True; it must be an integer, not a bool"),
    (lambda: cornerturn.rearrange(X, "a -> a", 3), TypeError,
     f"{SIGNATURE} takes 2 arguments by position, not 3"),
    (lambda: cornerturn.rearrange(X, "a b c d -> b a c d", out=3), TypeError, "out is of type int; it must be an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__"),
    (lambda: cornerturn.rearrange(X, "a b c d -> b a c d", out=X), ValueError, "out.shape is (2, 3, 4, 6); it must be (3, 2, 4, 6)"),
    (lambda: cornerturn.rearrange(X, SPLIT, d=2.5), TypeError, "d is 2.5; it must be an integer from 0 to 9223372036854775807"),
    (lambda: cornerturn.rearrange(X, SPLIT, d=-1), ValueError, "d is -1; it must be an integer from 0 to 9223372036854775807"),
    (lambda: cornerturn.rearrange([], "a -> a"), ValueError,
     "x is an empty list; it must be an array or a list of at least one array"),
    (lambda: cornerturn.rearrange([X, X[0]], "... -> ..."), ValueError,
     "x[1].shape is (3, 4, 6); it must be (2, 3, 4, 6), as that of x[0]"),
    (lambda: cornerturn.rearrange([X, X.astype("M8[s]")], "... -> ..."), ValueError,
     "x[1].dtype is datetime64[s]; it must be int64, as that of x[0]"),
    (lambda: cornerturn.rearrange([X, X[0].astype("f4")], "... -> ..."), ValueError,
     "x[1].shape is (3, 4, 6); it must be (2, 3, 4, 6), as that of x[0]"),
    (lambda: cornerturn.rearrange([b"a"], "a -> a"), TypeError,
     "x[0] is of type bytes; it must be an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__"),
    (lambda: cornerturn.rearrange([np.zeros((1,) * 64)], "... -> ..."), ValueError, "x.ndim is 65; it must be 64 or less"),
    (lambda: cornerturn.rearrange(np.zeros((1,) * 64), "... (a b) -> ... a b", a=1), ValueError,
     "pattern is '... (a b) -> ... a b'; it must have at most 64 axes, without parentheses"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


@hypothesis.settings(max_examples=1000, deadline=None, derandomize=True, database=None)
@hypothesis.given(st.text(st.sampled_from("ab1_ .().->"), max_size=14), st.text(st.sampled_from("ab1_ .()"), max_size=8))
@pytest.mark.filterwarnings("ignore:It is discouraged")
def test_random_text_is_refused_as_by_einops(left, right):
    pattern = f"{left}->{right}"
    for x in (np.arange(6).reshape(2, 3), np.arange(2)):
        try:
            expected = by_einops(x, pattern)
        except (einops.EinopsError, ValueError):
            with pytest.raises(ValueError, match=r"^(pattern is|x\.ndim is|x\.shape\[)"):
                cornerturn.rearrange(x, pattern)
        else:
            assert same(cornerturn.rearrange(x, pattern), expected)
