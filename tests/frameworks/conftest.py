"""Each test that takes `device` runs on the CPU, and on every kind of GPU that PyTorch finds."""

import pytest

torch = pytest.importorskip("torch")
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=gpu)])
def device(request):
    return request.param


@pytest.fixture
def cuda():
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return torch.device("cuda", torch.cuda.current_device())


@pytest.fixture
def cupy():
    module = pytest.importorskip("cupy", exc_type=ImportError)
    try:
        available = module.cuda.runtime.getDeviceCount() > 0
    except module.cuda.runtime.CUDARuntimeError:
        available = False
    if not available:
        pytest.skip("there is no GPU")
    return module
