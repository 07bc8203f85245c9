"""bench/operations_peers.py on the CPU: every way to compute a case gives our result."""

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
# The part of equal bytes for each tile, in a process where Triton interprets the kernel.
INTERPRETED = """
import json, torch, operations_peers, quantize_triton
torch.manual_seed(0)
x, scale, found = torch.randn(256, 384).bfloat16(), torch.tensor(0.01), {}
for scales in ("1x128", "128x128", "rows", "given"):
    for outputs in ("rows", "columns", "both"):
        bytes_of = lambda result: operations_peers.bytes_of(torch, result)
        wanted = bytes_of(operations_peers.quantized(torch, x, scales, outputs, scale))
        for tile in quantize_triton.tiles_for(scales, outputs):
            result = bytes_of(quantize_triton.quantizer(x, scales, outputs, scale, tile)())
            found[f"{scales} {outputs} {tile}"] = operations_peers.equal_part(wanted, result)
print(json.dumps(found))
"""


@pytest.fixture
def bench(monkeypatch):
    """The module, and a machine whose works run once."""
    import operations_peers

    run_once = lambda _, works, rounds: {name: (work(), 1.0)[1] for name, work in works.items()}
    monkeypatch.setattr(operations_peers.arena, "medians", run_once)
    torch.manual_seed(0)  # a scale that is rounded in another way changes some elements of its block, and few blocks are many elements
    monkeypatch.setattr(operations_peers.arena_peers.CuTensor, "installed", staticmethod(lambda: "libcutensor.so.none"))
    options = types.SimpleNamespace(rounds=1, cublas="libcublas.so.none", cutensor=None)
    return operations_peers, operations_peers.Machine(options, "cpu")


@pytest.mark.parametrize("outputs", ["rows", "columns", "both"])
@pytest.mark.parametrize("scales", ["1x128", "128x128", "rows", "given"])
def test_quantized(bench, scales, outputs):
    module, machine = bench
    row = module.measured(machine, lambda: module.quantization(machine, ((256, 384), scales, outputs, ("eager",))))
    assert row["failed"] == {} and row["equal"]["eager"] > 0.998 and row["beside"] == {"eager": 1}  # 448 / x is rounded twice
    assert row["bytes"] == 256 * 384 * (4 if outputs == "both" else 3)


def test_the_kernel_of_triton():
    done = subprocess.run([sys.executable, "-c", INTERPRETED], env={**os.environ, "TRITON_INTERPRET": "1"}, cwd=BENCH,
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    # the interpreter rounds to 8 bits in another way than a GPU
    assert len(found) == 29 and min(found.values()) > 0.95, found


@pytest.mark.parametrize("given", [{}, {"alpha": 0.5}, {"alpha": 0.5, "beta": 0.5}, {"conj": True}], ids=str)
def test_permutations(bench, given):
    module, machine = bench
    dtypes = (torch.complex64, torch.complex64) if given else (torch.float32, torch.bfloat16)
    row = module.measured(machine, lambda: module.permutation(machine, (300, *dtypes, given, ("eager", "geam"))))
    assert row["equal"] == {"eager": 1} and row["failed"] == {} and list(machine.absent) == ["geam", "cutensor"]


class FakeCuTensor:
    """The functions of cuTENSOR that the bench calls, for tensors in host memory."""

    def __init__(self):
        self.made = {}

    def make(self, out, *what):
        self.made[len(self.made) + 1] = what
        out._obj.value = len(self.made)
        return 0

    def cutensorCreateTensorDescriptor(self, handle, out, rank, extents, strides, kind, alignment):
        return self.make(out, list(extents), list(strides), {0: "f4", 1: "f8", 4: "c8", 5: "c16"}[kind.value])

    def cutensorCreatePermutation(self, handle, out, a, a_modes, operator, b, b_modes, compute):
        return self.make(out, a.value, list(a_modes), operator, b.value, list(b_modes))

    def cutensorCreateElementwiseBinary(self, handle, out, a, a_modes, operator, b, b_modes, of_b, d, d_modes, together, compute):
        assert (b.value, list(b_modes), of_b, together) == (d.value, list(d_modes), 1, 3)
        return self.make(out, a.value, list(a_modes), operator, b.value, list(b_modes))

    def cutensorCreatePlanPreference(self, handle, out, algorithm, just_in_time):
        return self.make(out)

    def cutensorCreatePlan(self, handle, out, operation, preference, workspace):
        return self.make(out, *self.made[operation.value])

    def tensor(self, descriptor, address):
        extents, strides, dtype = self.made[descriptor]
        count = 1 + sum((extent - 1) * stride for extent, stride in zip(extents, strides))
        memory = (ctypes.c_byte * (count * np.dtype(dtype).itemsize)).from_address(address.value)
        return np.lib.stride_tricks.as_strided(np.frombuffer(memory, dtype), extents, [np.dtype(dtype).itemsize * s for s in strides])

    def cutensorElementwiseBinaryExecute(self, handle, plan, alpha, a, beta, b, d, stream):
        assert b.value == d.value
        source, source_modes, operator, target, target_modes = self.made[plan.value]
        x, out = self.tensor(source, a), self.tensor(target, d)
        x = x.transpose([source_modes.index(mode) for mode in target_modes])
        out[...] = alpha[0] * (x.conj() if operator == 9 else x) + (beta[0] * out if beta[0] else 0)
        return 0

    def cutensorPermute(self, handle, plan, alpha, a, b, stream):
        return self.cutensorElementwiseBinaryExecute(handle, plan, alpha, a, [0], b, b, stream)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.complex128], ids=str)
@pytest.mark.parametrize("given", [{"alpha": 0.5}, {"alpha": 0.5, "beta": 0.25}, {"conj": True}], ids=str)
def test_cutensor(bench, given, dtype, monkeypatch):
    module, machine = bench
    peers = module.arena_peers
    monkeypatch.setattr(peers.CuTensor, "__init__", lambda self: vars(self).update(lib=FakeCuTensor(), handle=ctypes.c_void_p()))
    monkeypatch.setattr(peers.CuTensor, "compute_descriptor", lambda self, name: name)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: types.SimpleNamespace(cuda_stream=0))
    machine.libraries["cutensor"] = peers.CuTensor()
    row = module.measured(machine, lambda: module.permutation(machine, (50, dtype, dtype, given, ("eager", "cutensor"))))
    assert row["equal"] == {"eager": 1, "cutensor": 1} and row["failed"] == {}


def test_cutensor_must_load_if_its_path_is_given(bench):
    module, _ = bench
    with pytest.raises(SystemExit, match="the peer cutensor does not load: missing.so"):
        module.Machine(types.SimpleNamespace(rounds=1, cublas="libcublas.so.none", cutensor="missing.so"), "cpu")


def test_images(bench):
    module, machine = bench
    machine.compiled = lambda function, x: lambda: function(x)
    row = module.measured(machine, lambda: module.images(machine, torch.float16))
    assert row["failed"] == {} and row["equal"]["eager"] > 0.9
