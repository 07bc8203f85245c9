"""cornerturn on JAX's arrays, which come by DLPack and may not be written."""

import cornerturn
import numpy as np
import pytest
import torch

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def current_gpu():
    """JAX leaves another GPU current than it found, where there are several."""
    current = torch.cuda.current_device() if torch.cuda.is_available() else None
    yield
    if current is not None:
        torch.cuda.set_device(current)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32", "bfloat16", "float8_e4m3fn", "complex64"])
def test_on_the_cpu(dtype):
    with jax.default_device(jax.devices("cpu")[0]):
        x = jax.numpy.arange(24).reshape(2, 3, 4).astype(dtype)
        result = cornerturn.permute(x, (2, 0, 1))
        assert isinstance(result, jax.Array) and result.dtype == x.dtype
        assert np.asarray(result).tobytes() == np.asarray(x.transpose(2, 0, 1)).tobytes()
        with pytest.raises(ValueError, match="^out is read-only; it must be writable$"):
            cornerturn.permute(x, (2, 0, 1), out=result)


def test_a_gpu_needs_an_out(cuda):
    try:
        device = jax.devices("cuda")[cuda.index]
    except RuntimeError:
        pytest.skip("this JAX has no GPU")
    x = jax.device_put(jax.numpy.arange(6.0).reshape(2, 3), device)
    out = torch.empty(3, 2, device=cuda)
    assert torch.equal(cornerturn.transpose(x, out=out).cpu(), torch.arange(6.0).reshape(2, 3).T)
