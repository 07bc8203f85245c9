"""cornerturn.jax.rearrange with pads, crops and packed elements, beside the plain function and under JAX's transforms."""

import re

import cornerturn
import numpy as np
import pytest

from rearrange_cases import CASES, LENGTHS, PATTERN, REFUSED_TILES

jax = pytest.importorskip("jax")
import cornerturn.jax  # noqa: E402
import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.test_util  # noqa: E402

X = np.arange(7 * 8, dtype=np.float32).reshape(7, 8)


@pytest.mark.parametrize("pattern, lengths, given", CASES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "complex64", "int16"])
def test_as_the_plain_function(pattern, lengths, given, dtype):
    x = jnp.asarray(X).astype(dtype)
    wanted = cornerturn.rearrange(np.asarray(x), pattern, **given, **lengths)
    call = lambda x: cornerturn.jax.rearrange(x, pattern, **given, **lengths)
    for result in (call(x), jax.jit(call)(x), call(np.asarray(x)), jax.vmap(call)(jnp.stack([x, x]))[1]):
        assert isinstance(result, jax.Array) and result.dtype == x.dtype and np.array_equal(result, wanted)


@pytest.mark.parametrize("pattern, lengths, given", CASES[:3], ids=str)
def test_derivatives(pattern, lengths, given):
    call = lambda x: cornerturn.jax.rearrange(x, pattern, **given, **lengths) ** 2
    jax.test_util.check_grads(call, (X / 100,), order=2, modes=("fwd", "rev"))


def test_the_gradient_is_cropped():
    call = lambda x: cornerturn.jax.rearrange(x, PATTERN, pad=5, **LENGTHS)
    assert np.array_equal(jax.grad(lambda x: (call(x) * call(X)).sum())(X), X)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("bits", [4, 2, 1])
def test_packed_elements(bits, order):
    x = (np.arange(3 * 16 * 8) * 37).astype("u1").reshape(3, 16, 8)
    wanted = cornerturn.rearrange(x, "... m k -> ... k m", bits=bits, order=order)
    call = lambda x: cornerturn.jax.rearrange(x, "... m k -> ... k m", bits=bits, order=order)
    for result in (call(x), jax.jit(call)(x), jax.vmap(call)(x), call(x.view("i1")).view("u1")):
        assert np.array_equal(result, wanted)
    given = dict(a=40 * 8 // bits, bits=bits, pad=1, order=order)
    assert np.array_equal(jax.jit(lambda x: cornerturn.jax.rearrange(x, "l m (k a) -> l k m a", **given))(x),
                          cornerturn.rearrange(x, "l m (k a) -> l k m a", **given))


@pytest.mark.parametrize("dtype", ["uint8", "bool", "bfloat16", "float32", "complex64"])
def test_swizzles(dtype):
    x = jnp.arange(16 * 256).reshape(16, 256).astype(dtype)
    columns = 128 // x.dtype.itemsize
    call = lambda x: cornerturn.jax.rearrange(x, "(m a) (k b) -> k m | a b", a=8, b=columns, swizzle="Sw<3,4,3>")
    back = lambda x: cornerturn.jax.rearrange(x, "k m | a b -> (m a) (k b)", source_swizzle="Sw<3,4,3>")
    wanted = cornerturn.rearrange(np.asarray(x), "(m a) (k b) -> k m | a b", a=8, b=columns, swizzle="Sw<3,4,3>")
    for result in (call(x), jax.jit(call)(x), jax.vmap(call)(x[None])[0]):
        assert np.array_equal(result, wanted)
    assert np.array_equal(jax.jit(back)(wanted), x)


def test_derivatives_of_swizzles():
    call = lambda x: cornerturn.jax.rearrange(x, "m (k b) -> k | m b", b=8, swizzle="Sw<1,4,1>") ** 2
    jax.test_util.check_grads(call, (np.arange(64, dtype=np.float32).reshape(4, 16) / 100,), order=2, modes=("fwd", "rev"))


def test_bytes_lists_and_names_of_keywords():
    x = np.arange(3, dtype="i2")
    assert cornerturn.jax.rearrange(x, "(a b) -> a b", b=2, pad=b"\7\0")[1, 1] == 7
    assert cornerturn.jax.rearrange([x, x], "l (a b) -> a (b l)", b=2, pad=7).tolist() == [[0, 0, 1, 1], [2, 2, 7, 7]]
    assert cornerturn.jax.rearrange(x, "(bits pad) -> pad bits", pad=3).tolist() == [[0], [1], [2]]


def test_lengths_known_later():
    check = jax.export.DisabledSafetyCheck.custom_call("cornerturn_permute")
    exported = jax.export.export(jax.jit(lambda x: cornerturn.jax.rearrange(x, "(a b) c -> c a b", b=4, pad=1)), disabled_checks=[check])
    [rows] = jax.export.symbolic_shape("rows")
    program = exported(jax.ShapeDtypeStruct((rows, 3), X.dtype))
    for shape in ((4, 3), (5, 3), (9, 3)):
        x = np.arange(np.prod(shape), dtype=X.dtype).reshape(shape)
        assert np.array_equal(program.call(x), cornerturn.rearrange(x, "(a b) c -> c a b", b=4, pad=1))


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.jax.rearrange(X, "(a b) c -> a b c", a=1, b=3, pad=0), ValueError,
     "x.shape[0] is 7; it must be 3 or less, for '(a b)' at index 0 of pattern '(a b) c -> a b c'"),
    (lambda: cornerturn.jax.rearrange(X, "a b -> b a", shape=(8, 9)), ValueError,
     "shape[1] is 9; it must be from 0 to 7, the extent that the pattern makes"),
    (lambda: cornerturn.jax.rearrange(X, "a b -> b a", pad="x"), TypeError,
     "pad is 'x'; it must be a value of dtype float32, or the bytes of one"),
    (lambda: cornerturn.jax.rearrange(X, "a b -> b a", pad=b"12"), ValueError, "pad is b'12'; it must be 4 bytes, as an element of x"),
    (lambda: cornerturn.jax.rearrange(X.astype("u1"), "a b -> b a", pad=16, bits=4), ValueError,
     "pad is 16; it must be an integer from 0 to 15 for elements of 4 bits"),
    (lambda: cornerturn.jax.rearrange(X, "a b -> b a", swizzle="Sw<3,4,3>"), ValueError,
     "swizzle is given; it must be left out without a | on the right of pattern 'a b -> b a'"),
    (lambda: cornerturn.jax.rearrange(X, "a b -> | b a", swizzle="Sw<3,4,3>"), ValueError,
     "the tile of swizzle is 8x7 elements of 4 bytes; it must be of axes that 16 bytes divide, as a boundary of the bits of 'Sw<3,4,3>'"),
    (lambda: cornerturn.jax.rearrange(X, "a b -> b a", bits=4), TypeError, "x.itemsize is 4; it must be 1 for packed elements"),
    (lambda: cornerturn.jax.rearrange(X.astype("u1"), "a b -> b a", bits=4), ValueError,
     "the last extent of the result is 7; it must be a multiple of 2, whole bytes"),
    (lambda: cornerturn.jax.rearrange(X > 3, "a b -> b a", bits=4), TypeError,
     "x.dtype is bool; it must be of integers of 1 byte for packed elements"),
])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert isinstance(caught.value, cornerturn.Error)


@pytest.mark.parametrize("shape, pattern, given, message", REFUSED_TILES, ids=str)
def test_wrong_tiles(shape, pattern, given, message):
    call = lambda x: cornerturn.jax.rearrange(x, pattern, **given)
    for refused in (call, jax.jit(call)):
        with pytest.raises(cornerturn.ArgumentError) as caught:
            refused(np.zeros(shape, np.float16))
        assert str(caught.value) == message  # a match has the notes of JAX, too
