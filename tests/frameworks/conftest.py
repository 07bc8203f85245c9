"""Each test that takes `device` runs on the CPU, and on every kind of GPU that PyTorch finds. Those that take `job` start ranks of Gloo."""

import os
import pathlib
import select
import signal
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
    """The ranks of a case of a script beside this file. They are killed at the end of the test."""

    def __init__(self, folder, case, ranks, timeout=60, script="gloo_ranks.py"):
        self.folder, self.codes = folder, {}
        command = [sys.executable, "-W", "ignore", pathlib.Path(__file__).with_name("forked_ranks.py"), script, str(ranks), case, folder]
        alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # ranks that wait for each other take minutes where others compute, too
        self.process = subprocess.Popen([*command, str(timeout)], bufsize=0, stdout=subprocess.PIPE, start_new_session=True, env=alone)

    def output(self, rank, seconds=240):
        while rank not in self.codes:
            assert select.select([self.process.stdout], [], [], seconds)[0], f"rank {rank} does not end"
            ended, code = map(int, self.process.stdout.readline().split())
            self.codes[ended] = code
        assert self.codes[rank] == 0, (self.folder / f"err.{rank}").read_text()
        return (self.folder / f"out.{rank}").read_text()

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


@pytest.fixture
def job(tmp_path):
    started = []

    def start(*arguments, **options):
        started.append(Job(tmp_path, *arguments, **options))
        return started[-1]

    yield start
    for each in started:
        each.end()
