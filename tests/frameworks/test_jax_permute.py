"""cornerturn.jax: permutations that XLA runs, compiled, batched, differentiated, with donated buffers."""

import concurrent.futures
import doctest
import itertools
import pathlib
import random
import re
import shutil
import subprocess
import sys

import cornerturn
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import cornerturn.jax  # noqa: E402
import jax.export  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import jax.test_util  # noqa: E402

PERMUTATIONS = [axes for rank in range(5) for axes in itertools.permutations(range(rank))]
PERMUTATIONS += [tuple(random.Random(seed).sample(range(rank), rank)) for rank in (5, 6) for seed in range(8)]
EXTENTS = (3, 2, 5, 4, 6, 7)
OF_32_BITS = ["bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32", "complex64",
              "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
              "float8_e5m2fnuz", "float8_e8m0fnu"]
OF_64_BITS = ["int64", "uint64", "float64", "complex128"]
OF_FEWER_BITS = ["int2", "int4", "uint2", "uint4", "float4_e2m1fn"]


def bits(shape, dtype):
    """An array of random bits, NaNs with payloads among them."""
    dtype, most = jnp.dtype(dtype), 1 if dtype == "bool" else 255
    raw = np.random.default_rng(0).integers(0, most, (*shape, dtype.itemsize), np.uint8, endpoint=True)
    return jnp.asarray(raw.view(dtype).reshape(shape))


def expect_same(result, wanted):
    wanted = np.asarray(wanted)
    assert isinstance(result, jax.Array) and (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
    assert np.asarray(result).tobytes() == wanted.tobytes()


def permuted(x, axes):
    return np.asarray(x).transpose(axes)


@pytest.mark.parametrize("axes", PERMUTATIONS, ids=str)
def test_every_rank(axes):
    x = bits(EXTENTS[:len(axes)], "int16")
    expect_same(cornerturn.jax.permute(x, axes), permuted(x, axes))
    expect_same(jax.jit(lambda x: cornerturn.jax.permute(x, axes))(x), permuted(x, axes))
    expect_same(cornerturn.jax.permute(x, [axis - len(axes) for axis in axes]), permuted(x, axes))


@pytest.mark.parametrize("dtype", OF_32_BITS)
def test_every_dtype(dtype):
    for shape, axes in (((5, 3, 8), (2, 0, 1)), ((70, 90), (1, 0))):
        x = bits(shape, dtype)
        expect_same(cornerturn.jax.permute(x, axes), permuted(x, axes))


@pytest.mark.parametrize("dtype", OF_64_BITS)
def test_dtypes_of_64_bits(dtype):
    with jax.enable_x64(True):
        x = bits((5, 3, 8), dtype)
        assert x.dtype == dtype
        expect_same(jax.jit(lambda x: cornerturn.jax.permute(x, (2, 0, 1)))(x), permuted(x, (2, 0, 1)))
        if dtype == "float64":
            jax.test_util.check_grads(lambda x: cornerturn.jax.permute(x, (2, 0, 1)) ** 2, (jnp.ones((2, 3, 4)),), order=2,
                                       modes=("fwd", "rev"))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
def test_nothing_to_move(shape):
    x = jnp.zeros(shape)
    expect_same(cornerturn.jax.transpose(x), np.zeros(shape[::-1], np.float32))
    expect_same(jax.vmap(cornerturn.jax.transpose)(jnp.zeros((2, *shape))), np.zeros((2, *shape[::-1]), np.float32))


def test_axes_in_order_move_nothing():
    x = jnp.ones((2, 3))
    assert cornerturn.jax.permute(x, (0, 1)) is x and cornerturn.jax.permute(x, (0, -1)) is x
    assert cornerturn.jax.transpose(jnp.float32(3)) == 3 and cornerturn.jax.permute(jnp.float32(3), ()).shape == ()


def test_transpose_reverses():
    x = bits((2, 3, 4), "int32")
    expect_same(cornerturn.jax.transpose(x), permuted(x, (2, 1, 0)))
    expect_same(cornerturn.jax.transpose(x, (1, 0, 2)), permuted(x, (1, 0, 2)))
    expect_same(cornerturn.jax.permute(x[0, 0], 0), x[0, 0])


def test_arrays_of_numpy():
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    expect_same(cornerturn.jax.transpose(x), permuted(x, (1, 0)))
    expect_same(cornerturn.jax.permute(x[:, ::-2], (1, 0)), permuted(x[:, ::-2], (1, 0)))


def test_several_threads_of_this_engine():
    x = bits((3, 900, 1100), "float32")
    expect_same(cornerturn.jax.transpose(x), permuted(x, (2, 1, 0)))


def test_calls_at_once():
    work = jax.jit(lambda x: cornerturn.jax.permute(cornerturn.jax.permute(x, (1, 2, 0)) + 1, (2, 1, 0)))
    arrays = [jnp.full((40, 50, 300), value, jnp.int32).at[value].set(-1) for value in range(6)]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for x, result in zip(arrays * 4, pool.map(work, arrays * 4)):
            expect_same(result, permuted(np.asarray(x) + 1, (0, 2, 1)))


@pytest.mark.parametrize("batch", [0, 1, 2, 3, -1, -2])
@pytest.mark.parametrize("axes", [(2, 0, 1), (1, 0, 2), (-1, 1, 0), (0, 1, 2)])
def test_vmap(batch, axes):
    x = bits((2, 3, 4, 5), "int32")
    expect_same(jax.vmap(lambda x: cornerturn.jax.permute(x, axes), in_axes=batch)(x),
                np.stack([each.transpose(axes) for each in np.moveaxis(np.asarray(x), batch, 0)]))


def test_vmap_is_one_call():
    text = str(jax.make_jaxpr(jax.vmap(lambda x: cornerturn.jax.permute(x, (1, 0)), in_axes=-1))(jnp.ones((2, 3, 4))))
    assert text.count("cornerturn_permute") == 1 and " transpose" not in text


@pytest.mark.parametrize("outer, inner, out", [(0, 0, 0), (1, -1, 1), (-1, 0, -1), (2, 1, 0)])
def test_nested_vmap(outer, inner, out):
    x = bits((2, 3, 4, 5), "int32")
    batched = lambda permute: jax.vmap(jax.vmap(permute, in_axes=inner), in_axes=outer, out_axes=out)
    expect_same(batched(cornerturn.jax.transpose)(x), batched(jnp.transpose)(x))
    expect_same(jax.jit(batched(cornerturn.jax.transpose))(x), batched(jnp.transpose)(x))


def test_vmap_of_another_argument():
    x, y = jnp.ones((2, 3)), jnp.arange(4.)
    expect_same(jax.vmap(lambda x, y: cornerturn.jax.transpose(x) * y, in_axes=(None, 0))(x, y),
                jax.vmap(lambda x, y: x.T * y, in_axes=(None, 0))(x, y))


def weighed(permute):
    return lambda x: (permute(x, (2, 0, 1)) ** 3 * jnp.arange(24.).reshape(4, 2, 3)).sum()


@pytest.mark.parametrize("transform, shape", [
    (jax.grad, (2, 3, 4)), (jax.jacfwd, (2, 3, 4)), (jax.jacrev, (2, 3, 4)), (jax.hessian, (2, 3, 4)),
    (lambda f: jax.jit(jax.grad(f)), (2, 3, 4)), (lambda f: jax.grad(jax.checkpoint(f)), (2, 3, 4)),
    (lambda f: jax.vmap(jax.grad(f), in_axes=2), (2, 3, 5, 4)),
    (lambda f: jax.grad(lambda x: jax.vmap(f, in_axes=2)(x).sum()), (2, 3, 5, 4))])
def test_derivatives(transform, shape):
    x = jnp.linspace(0, 1, int(np.prod(shape))).reshape(shape)
    expect_same(transform(weighed(cornerturn.jax.permute))(x), transform(weighed(jnp.transpose))(x))


def test_derivatives_are_permutations():
    x, y = bits((2, 3, 4), "int16").astype("float32"), bits((4, 2, 3), "int16").astype("float32")
    permute = lambda x: cornerturn.jax.permute(x, (2, 0, 1))
    expect_same(jax.jvp(permute, (x,), (2 * x,))[1], permuted(2 * x, (2, 0, 1)))
    expect_same(jax.vjp(permute, x)[1](y)[0], permuted(y, (1, 2, 0)))
    expect_same(jax.linear_transpose(permute, x)(y)[0], permuted(y, (1, 2, 0)))
    expect_same(jax.linearize(permute, x)[1](x), permuted(x, (2, 0, 1)))


def test_a_tangent_of_integers():
    x = jnp.ones((2, 3), "int32")
    result, tangent = jax.jvp(cornerturn.jax.transpose, (x,), (np.zeros((2, 3), jax.dtypes.float0),))
    assert result.shape == tangent.shape == (3, 2) and tangent.dtype == jax.dtypes.float0


def test_gradients_of_complex_numbers():
    x = jnp.arange(6.).reshape(2, 3) * (1 + 2j)
    square = lambda transpose: lambda x: jnp.abs(transpose(x) ** 2).sum()
    expect_same(jax.grad(square(cornerturn.jax.transpose))(x), jax.grad(square(jnp.transpose))(x))


@pytest.mark.parametrize("f", [lambda x, t: t(x), lambda x, t: t(x) + x, lambda x, t: (t(x), x * 2), lambda x, t: t(t(x) * 2)])
def test_donated_buffers(f):
    x = bits((300, 300), "int32")
    wanted = jax.tree.map(np.asarray, f(x, jnp.transpose))
    result = jax.jit(lambda x: f(x, cornerturn.jax.transpose), donate_argnums=0)(x)
    assert x.is_deleted()
    jax.tree.map(expect_same, result, wanted)


def test_arrays_without_memory():
    deleted, donated = jnp.ones((2, 3)), jnp.ones((2, 3))
    deleted.delete()
    jax.jit(lambda t: t + 1, donate_argnums=0)(donated)
    calls = {"x": (cornerturn.permute, cornerturn.jax.permute), "out": (lambda x, axes: cornerturn.permute(np.ones((3, 2)), axes, out=x),)}
    for name, x in itertools.product(calls, (deleted, donated)):
        for call, axes in itertools.product(calls[name], ((1, 0), (0, 1))):
            with pytest.raises(cornerturn.ArgumentError, match=f"^{name} is deleted or donated; it must be an array that has its memory$"):
                call(x, axes)


@pytest.mark.filterwarnings("ignore:Some donated buffers were not usable")
def test_a_donated_buffer_of_another_shape():
    x = bits((30, 50), "int32")
    wanted = permuted(x, (1, 0))
    expect_same(jax.jit(cornerturn.jax.transpose, donate_argnums=0)(x), wanted)


def test_control_flow():
    x = bits((4, 5, 5), "int32")
    step = lambda transpose: lambda carry, each: (transpose(carry) + each, transpose(each))
    for got, wanted in zip(jax.lax.scan(step(cornerturn.jax.transpose), x[0], x), jax.lax.scan(step(jnp.transpose), x[0], x)):
        expect_same(got, wanted)
    loop = lambda transpose: jax.lax.fori_loop(0, 3, lambda i, y: transpose(y) + i, x[0])
    expect_same(loop(cornerturn.jax.transpose), loop(jnp.transpose))
    branch = lambda which: jax.lax.cond(which, cornerturn.jax.transpose, lambda y: y, x[0])
    expect_same(branch(True), permuted(x[0], (1, 0)))
    gradient = lambda step: jax.grad(lambda y: jax.lax.scan(step, y, y[None] * 2)[0].sum())(jnp.ones((3, 3)))
    expect_same(gradient(step(cornerturn.jax.transpose)), gradient(step(jnp.transpose)))


def test_without_a_compiler():
    x = bits((2, 3, 4), "int32")
    with jax.disable_jit():
        expect_same(jax.jit(cornerturn.jax.transpose)(x), permuted(x, (2, 1, 0)))


def test_shapes_known_later():
    check = jax.export.DisabledSafetyCheck.custom_call("cornerturn_permute")
    exported = jax.export.export(jax.jit(cornerturn.jax.transpose), disabled_checks=[check])
    x = bits((3, 5), "int32")
    expect_same(exported(jax.ShapeDtypeStruct(jax.export.symbolic_shape("rows, cols"), x.dtype)).call(x), permuted(x, (1, 0)))


def test_weak_types_stay():
    x = jnp.broadcast_to(1., (2, 3))
    assert x.weak_type and cornerturn.jax.transpose(x).weak_type


def test_two_devices():
    """Each device runs its own shard; an array that XLA has distributed is gathered."""
    done = subprocess.run([sys.executable, "-c", """
import cornerturn.jax, jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
assert len(jax.devices()) == 2
x = jnp.arange(24).reshape(2, 3, 4)
for axis_type in jax.sharding.AxisType.Auto, jax.sharding.AxisType.Explicit:
    mesh = jax.make_mesh((2,), ("a",), axis_types=(axis_type,))
    spread = jax.device_put(x, NamedSharding(mesh, P("a")))
    with jax.set_mesh(mesh):
        assert np.array_equal(jax.jit(cornerturn.jax.transpose)(spread), x.T), axis_type
        own = jax.shard_map(cornerturn.jax.transpose, in_specs=P("a"), out_specs=P(None, None, "a"))
        assert np.array_equal(own(spread), x.T), axis_type
    if axis_type is jax.sharding.AxisType.Explicit:
        assert jax.typeof(jax.jit(cornerturn.jax.transpose)(spread)).sharding.spec == P(None, None, "a")
"""], capture_output=True, text=True, env={"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu",
                                          "PYTHONPATH": ":".join(sys.path)}, timeout=300)
    assert done.returncode == 0, done.stderr


class Masked(np.ndarray):
    mask = True


ONES = np.ones((2, 3), np.float32)
ALLOWED = "a dtype of JAX, with numbers of whole bytes, in the byte order of this machine"


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.jax.permute([[1, 2]], (1, 0)), TypeError, "x is of type list; it must be a jax.Array or a numpy.ndarray"),
    (lambda: cornerturn.jax.transpose([[1, 2]]), TypeError, "x is of type list; it must be a jax.Array or a numpy.ndarray"),
    (lambda: cornerturn.jax.permute(ONES.view(Masked), (1, 0)), TypeError,
     "x is of type test_jax_permute.Masked, with a mask; it must be an array without one, e.g. np.asarray(x), which drops it"),
    (lambda: cornerturn.jax.permute(ONES, (0, 0)), ValueError, "axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: cornerturn.jax.permute(ONES, (0,)), ValueError, "axes is (0,); it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: cornerturn.jax.permute(ONES, (0, 2)), ValueError, "axes is (0, 2); it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: cornerturn.jax.permute(ONES, 1), ValueError, "axes is 1; it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: cornerturn.jax.permute(ONES, (0., 1.)), TypeError, "axes is (0.0, 1.0); it must be a sequence of 64-bit integers"),
    (lambda: cornerturn.jax.transpose(jax.random.split(jax.random.key(0), (2, 3))), TypeError,
     f"x.dtype is key<fry>; it must be {ALLOWED}, e.g. that of jax.random.key_data(x)"),
    *[(lambda dtype=dtype: cornerturn.jax.transpose(np.zeros((2, 3), dtype)), TypeError, f"x.dtype is {np.dtype(dtype)}; it must be {ALLOWED}")
      for dtype in (">f4", ">i2", [("a", "f4")], "O", "U3", "M8[s]", "V3", np.longdouble)],
    *[(lambda dtype=dtype: cornerturn.jax.transpose(jnp.zeros((2, 3), dtype)), TypeError,
       f"x.dtype is {dtype}; it must be {ALLOWED}, e.g. that of x.astype('{wider}')")
      for dtype, wider in zip(OF_FEWER_BITS, ("int8", "int8", "uint8", "uint8", "bfloat16"))],
    *[(call, TypeError, f"{name}.dtype is {dtype}; it must be of whole bytes; np.asarray({name}) has a byte for each element")
      for dtype in OF_FEWER_BITS for name, call in (
          ("x", lambda dtype=dtype: cornerturn.transpose(jnp.zeros((2, 3), dtype))),
          ("x", lambda dtype=dtype: cornerturn.rearrange(jnp.zeros((2, 3), dtype), "a b -> b a")),
          ("src", lambda dtype=dtype: cornerturn.copy(jnp.zeros((2, 3), dtype), np.zeros((2, 3), "i1"))))]])
def test_words(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as raised:
        call()
    assert isinstance(raised.value, cornerturn.Error)


@pytest.mark.parametrize("dtype", OF_FEWER_BITS)
def test_numpy_unpacks_what_the_message_says(dtype):
    x = jnp.arange(6).reshape(2, 3).astype(dtype)
    assert np.array_equal(cornerturn.transpose(np.asarray(x)), np.asarray(x).T)
    wider = "bfloat16" if dtype.startswith("float") else "int8"
    assert np.array_equal(cornerturn.jax.transpose(x.astype(wider)).astype(dtype), x.T)


def called(shape, dtype, axes, of=(2, 3), of_dtype="int8"):
    return jax.ffi.ffi_call("cornerturn_permute", jax.ShapeDtypeStruct(shape, dtype))(jnp.ones(of, of_dtype), axes=np.array(axes))


@pytest.mark.parametrize("call, message", [
    (lambda: called((3, 3), "int8", (0, 0), (3, 3)), "axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: called((3, 3), "int8", (0, 2), (3, 3)), "axes is (0, 2); it must be a permutation of 0 to 1 for an array of rank 2"),
    (lambda: called((3,), "int8", (0,)), "result.shape is (3); it must be x.shape, (2, 3), permuted by axes, (0)"),
    (lambda: called((2, 3), "int8", (1, 0)), "result.shape is (2, 3); it must be x.shape, (2, 3), permuted by axes, (1, 0)"),
    (lambda: called((3, 2), "int16", (1, 0)), "result.dtype is type 3 of XLA; it must be that of x, 2"),
    (lambda: called((3, 2), "int4", (1, 0), of_dtype="int4"),
     "x.dtype is type 21 of XLA; it must be a type whose elements have whole bytes"),
])
def test_errors_of_a_call_are_xla_s(call, message):
    with pytest.raises(jax.errors.JaxRuntimeError, match=f"^INVALID_ARGUMENT: {re.escape(message)}"):
        jax.block_until_ready(call())  # on a GPU the call itself only enqueues


def lowered_for(platform):
    return jax.jit(cornerturn.jax.transpose).trace(jnp.ones((2, 3))).lower(lowering_platforms=(platform,)).as_text()


def test_lowering_for_a_gpu():
    try:
        cornerturn.plan((2, 3), dtype="f4", device="cuda")
        has_engine = True
    except cornerturn.Error as e:
        has_engine = "no GPU engine" not in str(e)
    if has_engine:
        assert "custom_call @cornerturn_permute" in lowered_for("cuda")
    else:
        with pytest.raises(cornerturn.DeviceError, match="^x is on a GPU; this build of cornerturn has no GPU engine$"):
            lowered_for("cuda")


def test_other_platforms_are_refused():
    with pytest.raises(NotImplementedError, match="'cornerturn_permute' not found for platform tpu"):
        lowered_for("tpu")


def test_a_build_without_xla_s_headers_says_so(tmp_path):
    package = tmp_path / "cornerturn"
    shutil.copytree(pathlib.Path(cornerturn.__file__).parent, package, ignore=shutil.ignore_patterns("_cornerturn_jax.so", "bin"))
    done = subprocess.run([sys.executable, "-c", "import cornerturn.jax"], capture_output=True, text=True,
                          env={"PYTHONPATH": f"{tmp_path}:{':'.join(sys.path)}"})
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == (
        "ImportError: cornerturn.jax needs _cornerturn_jax.so, which this build lacks: it is built where XLA's headers are found, "
        "which jaxlib contains (CMake's XLA_INCLUDE_DIR)"), done.stderr


def test_an_older_jaxlib_is_refused(tmp_path):
    header = tmp_path / "xla/ffi/api/c_api.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define XLA_FFI_API_MAJOR 0\n#define XLA_FFI_API_MINOR 0\n")
    code = f"import jax.ffi; jax.ffi.include_dir = lambda: {str(tmp_path)!r}; import cornerturn.jax"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 1 and re.fullmatch(
        r"ImportError: cornerturn.jax was built for version 0.\d+ of XLA's foreign functions; it needs a newer jaxlib than the "
        "installed one, which has 0.0", done.stderr.splitlines()[-1]), done.stderr


def test_on_a_gpu(cuda):
    try:
        device = jax.devices("cuda")[cuda.index]
    except RuntimeError:
        pytest.skip("this JAX has no GPU")
    with jax.default_device(device):
        for axes in PERMUTATIONS:
            x = bits(EXTENTS[:len(axes)], "int16")
            expect_same(jax.jit(lambda x: cornerturn.jax.permute(x, axes))(x), permuted(x, axes))
        x = jnp.arange(700 * 900, dtype="float32").reshape(700, 900)
        several = jax.jit(lambda x: [cornerturn.jax.transpose(x + i) for i in range(8)])  # enough for a command buffer
        for _ in range(3):
            for i, each in enumerate(several(x)):
                expect_same(each, permuted(np.asarray(x) + np.float32(i), (1, 0)))


def test_what_the_page_of_adoption_shows():
    page = pathlib.Path(__file__).parents[2] / "docs" / "adopt.md"
    [shown] = re.findall(r"```python\n(.*?)```", page.read_text().split("\n## JAX\n")[1].split("\n## ")[0], re.DOTALL)
    names = {}
    exec(shown, names)
    assert names["y"].shape == (8, 3, 64, 64)


def test_docstrings():
    assert doctest.testmod(cornerturn.jax) == (0, 12)
