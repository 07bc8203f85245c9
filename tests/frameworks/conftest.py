"""Each test that takes `device` runs on the CPU, and on every kind of GPU that PyTorch finds. Those that take `job` start ranks of Gloo."""

import pathlib
import subprocess
import sys

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


class Job:
    """The processes of a case of a script beside this file. They are killed at the end of the test."""

    def __init__(self, folder, case, ranks, timeout=60, script="gloo_ranks.py"):
        command = [sys.executable, "-W", "ignore", pathlib.Path(__file__).with_name(script), case, folder]
        self.processes = [subprocess.Popen([*command, str(rank), str(ranks), str(timeout)], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True) for rank in range(ranks)]

    def output(self, rank, seconds=240):
        out, err = self.processes[rank].communicate(timeout=seconds)
        assert self.processes[rank].returncode == 0, err
        return out

    def end(self):
        for process in self.processes:
            process.kill()
            process.communicate()


@pytest.fixture
def job(tmp_path):
    started = []

    def start(*arguments, **options):
        started.append(Job(tmp_path, *arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.end()
