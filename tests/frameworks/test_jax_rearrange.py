"""cornerturn.jax.rearrange, moveaxis and swapaxes, which are made of permute, and what plain functions say of tracers."""

import re

import cornerturn
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import cornerturn.jax  # noqa: E402
import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.test_util  # noqa: E402

X = np.arange(4 * 6 * 5, dtype=np.float32).reshape(4, 6, 5)
PATTERNS = [
    ("(a b) c d -> d (b c) 1 a", {"a": 2}),
    ("a b c -> c b a", {}),
    ("a b c -> (a b) c", {}),
    ("a ... (b c) -> c (a ... b)", {"c": 5}),
    ("... -> ... 1", {}),
]


@pytest.mark.parametrize("pattern, lengths", PATTERNS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "complex64"])
def test_as_the_plain_function(pattern, lengths, dtype):
    x = jnp.asarray(X).astype(dtype)
    wanted = cornerturn.rearrange(np.asarray(x), pattern, **lengths)
    call = lambda x: cornerturn.jax.rearrange(x, pattern, **lengths)
    for result in (call(x), jax.jit(call)(x), call(np.asarray(x)), jax.vmap(call, in_axes=1)(jnp.stack([x, x], 1))[1]):
        assert isinstance(result, jax.Array) and result.dtype == x.dtype and np.array_equal(result, wanted)


@pytest.mark.parametrize("pattern, lengths", PATTERNS, ids=str)
def test_derivatives(pattern, lengths):
    jax.test_util.check_grads(lambda x: cornerturn.jax.rearrange(x, pattern, **lengths) ** 2, (X / 100,), order=2, modes=("fwd", "rev"))


def test_one_call_between_bitcasts():
    call = lambda x: cornerturn.jax.rearrange(x, "(a b) c d -> d (b c) a", a=2)
    text = jax.jit(call).lower(X).compile().as_text()
    assert text.count('custom_call_target="cornerturn_permute"') == 1 and " copy(" not in text and " transpose(" not in text


def test_lists():
    for arrays in ([X, X + 1], [X, jnp.asarray(X).astype("int32")], [jnp.asarray(X).astype("float16"), X.astype("int8"), X.astype("float16")]):
        wanted = jnp.stack(arrays, -1)
        result = cornerturn.jax.rearrange(arrays, "a ... -> ... a")
        assert result.dtype == wanted.dtype and np.array_equal(result, wanted)
        assert np.array_equal(jax.jit(lambda *each: cornerturn.jax.rearrange(list(each), "a ... -> ... a"))(*arrays), wanted)


def test_lengths_known_later():
    check = jax.export.DisabledSafetyCheck.custom_call("cornerturn_permute")
    exported = jax.export.export(jax.jit(lambda x: cornerturn.jax.rearrange(x, "(a b) (c d) e -> b (e a c) d", a=2, c=x.shape[2])),
                                 disabled_checks=[check])
    [rows, columns] = jax.export.symbolic_shape("rows, columns")
    program = exported(jax.ShapeDtypeStruct((2 * rows, 3 * columns, columns), X.dtype))
    for shape in ((4, 6, 2), (6, 15, 5)):
        x = np.arange(np.prod(shape), dtype=X.dtype).reshape(shape)
        assert np.array_equal(program.call(x), cornerturn.rearrange(x, "(a b) (c d) e -> b (e a c) d", a=2, d=3))


@pytest.mark.parametrize("source, destination", [(0, -1), (-1, 0), ((0, 1), (-1, 0)), ([], [])], ids=str)
def test_moveaxis(source, destination):
    call = lambda x: cornerturn.jax.moveaxis(x, source, destination)
    for result in (call(X), jax.jit(call)(X)):
        assert isinstance(result, jax.Array) and np.array_equal(result, np.moveaxis(X, source, destination))
    assert np.array_equal(jax.vmap(lambda x: cornerturn.jax.moveaxis(x, 0, 1))(X), X.transpose(0, 2, 1))


@pytest.mark.parametrize("axis1, axis2", [(0, 1), (-1, 0), (1, 1)])
def test_swapaxes(axis1, axis2):
    call = lambda x: cornerturn.jax.swapaxes(x, axis1, axis2)
    for result in (call(X), jax.jit(call)(X)):
        assert isinstance(result, jax.Array) and np.array_equal(result, np.swapaxes(X, axis1, axis2))


TRACER = "it must be an array, unless it goes to permute, transpose, rearrange, moveaxis or swapaxes of cornerturn.jax"


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap, lambda f: jax.grad(lambda x: f(x).sum()), jax.make_jaxpr])
def test_plain_functions_name_what_takes_tracers(transform):
    for call in (lambda x: cornerturn.permute(x, (1, 0)), lambda x: cornerturn.rearrange(x, "a b -> b a"),
                 lambda x: cornerturn.moveaxis(x, 0, 1), lambda x: cornerturn.swapaxes(x, 0, 1), cornerturn.transpose):
        with pytest.raises(cornerturn.ArgumentTypeError, match=f"^x is a tracer of JAX; {TRACER}"):
            transform(call)(X)
    with pytest.raises(cornerturn.ArgumentTypeError, match="^out is a tracer of JAX; it must be an array that can be written"):
        transform(lambda x: cornerturn.permute(X, (0, 1, 2), out=x))(X)


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.jax.rearrange([[1, 2]], "a b -> b a"), TypeError, "x[0] is of type list; it must be a jax.Array or a numpy.ndarray"),
    (lambda: cornerturn.jax.rearrange([], "a b -> b a"), ValueError,
     "x is an empty list; it must be an array or a list of at least one array"),
    (lambda: cornerturn.jax.rearrange([X, X[0]], "... -> ..."), ValueError, "x[1].shape is (6, 5); it must be (4, 6, 5), as that of x[0]"),
    (lambda: cornerturn.jax.rearrange(X, 3), TypeError, "pattern is of type int; it must be a str; x comes before it"),
    (lambda: cornerturn.jax.rearrange(X, "a b c -> a b"), ValueError,
     "pattern is 'a b c -> a b'; it must have the same axes on both sides, unlike 'c' at index 4"),
    (lambda: cornerturn.jax.rearrange(X, "(a b) c d -> a b c d", a=3), ValueError,
     "x.shape[0] is 4; it must be a multiple of 3, for '(a b)' at index 0 of pattern '(a b) c d -> a b c d'"),
    (lambda: cornerturn.jax.rearrange(X, "a b c -> c b a", a=4.0), TypeError, "a is 4.0; it must be an integer from 0 to 9223372036854775807"),
    (lambda: cornerturn.jax.rearrange(X.astype(">f4"), "a b c -> c b a"), TypeError,
     "x.dtype is >f4; it must be a dtype of JAX, with numbers of whole bytes, in the byte order of this machine"),
    (lambda: cornerturn.jax.moveaxis(X, 3, 0), IndexError, "source is 3; it must be an integer from -3 to 2"),
    (lambda: cornerturn.jax.moveaxis([X], 0, 1), TypeError, "x is of type list; it must be a jax.Array or a numpy.ndarray"),
    (lambda: cornerturn.jax.swapaxes(X, 0, 3), IndexError, "axis2 is 3; it must be an integer from -3 to 2"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)


def test_on_a_gpu():
    try:
        device = jax.devices("cuda")[0]
    except RuntimeError:
        pytest.skip("this JAX has no GPU")
    with jax.default_device(device):
        for pattern, lengths in PATTERNS:
            x = jnp.asarray(X)
            result = jax.jit(lambda x: cornerturn.jax.rearrange(x, pattern, **lengths))(x)
            assert np.array_equal(result, cornerturn.rearrange(X, pattern, **lengths))
