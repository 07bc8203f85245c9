"""bench/operations_peers.py on the CPU: every way to compute a case gives our result."""

import json
import os
import pathlib
import subprocess
import sys
import types

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
for scales in ("1x128", "128x128", "given"):
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
    options = types.SimpleNamespace(rounds=1, cublas="libcublas.so.none", cutensor="libcutensor.so.none")
    return operations_peers, operations_peers.Machine(options, "cpu")


@pytest.mark.parametrize("outputs", ["rows", "columns", "both"])
@pytest.mark.parametrize("scales", ["1x128", "128x128", "given"])
def test_quantized(bench, scales, outputs):
    module, machine = bench
    row = module.measured(machine, lambda: module.quantization(machine, ((256, 384), scales, outputs, ("eager",))))
    assert row["failed"] == {} and row["equal"]["eager"] > 0.999 and row["beside"] == {"eager": 1}  # 448 / x is rounded twice
    assert row["bytes"] == 256 * 384 * (4 if outputs == "both" else 3)


def test_the_kernel_of_triton():
    done = subprocess.run([sys.executable, "-c", INTERPRETED], env={**os.environ, "TRITON_INTERPRET": "1"}, cwd=BENCH,
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    # the interpreter rounds to 8 bits in another way than a GPU
    assert len(found) == 22 and min(found.values()) > 0.95, found


@pytest.mark.parametrize("given", [{}, {"alpha": 0.5}, {"alpha": 0.5, "beta": 0.5}, {"conj": True}], ids=str)
def test_permutations(bench, given):
    module, machine = bench
    dtypes = (torch.complex64, torch.complex64) if given else (torch.float32, torch.bfloat16)
    row = module.measured(machine, lambda: module.permutation(machine, (300, *dtypes, given, ("eager", "geam"))))
    assert row["equal"] == {"eager": 1} and list(row["failed"]) == ["geam"]


def test_images(bench):
    module, machine = bench
    machine.compiled = lambda function, x: lambda: function(x)
    row = module.measured(machine, lambda: module.images(machine, torch.float16))
    assert row["failed"] == {} and row["equal"]["eager"] > 0.9
