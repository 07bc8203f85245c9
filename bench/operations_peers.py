#!/usr/bin/env python3
"""Times permutations that change elements, and matrices that are quantised, beside other ways to compute them on a GPU. Prints a
line for each case, and stores the run with --json.

    PYTHONPATH=build/gpu/python python3 bench/operations_peers.py --json h200-operation-peers.json.gz

All run in one process, interleaved, and their results are compared with ours. "straight" is a call of ours without a permutation that
reads and writes as many bytes; "copy" is PyTorch's copy of as many bytes (half of what is read and written). Times are milliseconds,
medians over the rounds. The stream is kept busy before each interval, so that launch latency is not timed. It needs a GPU, torch and
triton, which compile anew in each run.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import arena
import arena_peers
import provenance
import run_files

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
OURS = ("cornerturn", "straight", "copy")


def permutations(torch):
    """(size of the square matrix, source, destination, options, peers)."""
    f32, f64, bf16, c64, c128 = torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.complex128
    for n, peers in ((16384, ("eager", "compile")), (8192, ("eager",)), (32768, ("eager",))):
        for source, destination in ((f32, bf16), (bf16, f32), (f64, f32)):
            yield n, source, destination, {}, peers
    for dtype in (f32, f64, c64, c128):
        yield 16384, dtype, dtype, {"alpha": 0.5}, ("eager", "geam", "cutensor")
        yield 16384, dtype, dtype, {"alpha": 0.5, "beta": 0.5}, ("eager", "geam", "cutensor")
    for dtype in (c64, c128):
        yield 16384, dtype, dtype, {"conj": True}, ("eager", "geam", "cutensor")


def quantizations(shapes, peers):
    """(shape, scales, outputs, peers) of matrices of bfloat16."""
    return [(shape, scales, outputs, peers) for shape in shapes for scales in ("1x128", "128x128", "rows", "given")
            for outputs in ("rows", "columns", "both")]


class Machine:
    """The modules and libraries that the cases use."""

    def __init__(self, options, device="cuda"):
        import cornerturn
        import cornerturn.fp8
        import cornerturn.images
        import torch
        import quantize_triton

        self.torch, self.cornerturn, self.triton = torch, cornerturn, quantize_triton
        self.device, self.rounds = device, options.rounds
        self.tiles = {}  # the fastest tile of the Triton kernel by scales and outputs
        self.libraries, self.absent = arena_peers.gather(argparse.Namespace(peers="geam,cutensor", cublas=options.cublas,
                                                                            cutensor=options.cutensor))

    def random(self, shape, dtype):
        if dtype == self.torch.uint8:
            return self.torch.randint(0, 256, shape, dtype=dtype, device=self.device)
        return self.torch.randn(shape, dtype=dtype, device=self.device)

    def copy(self, bytes):
        """A copy that reads and writes as many bytes together."""
        source, destination = (self.torch.empty(bytes // 2, dtype=self.torch.uint8, device=self.device) for _ in range(2))
        return lambda: destination.copy_(source)

    def compiled(self, function, x):
        made = self.torch.compile(function, dynamic=False, fullgraph=True)
        return lambda: made(x)


def permutation(machine, case):
    """The bytes moved, a function that makes each work, and the tensor that works with beta add to. A work returns its result."""
    torch, permute = machine.torch, machine.cornerturn.permute
    n, source, destination, given, peers = case
    alpha, beta, conj = given.get("alpha", 1), given.get("beta", 0), given.get("conj", False)
    x = machine.random((n, n), source)
    out, other = (torch.zeros((n, n), dtype=destination, device=machine.device) for _ in range(2))
    bytes = x.nbytes + (2 if beta else 1) * out.nbytes

    def eager():
        if beta:
            return out.mul_(beta).add_(x.t(), alpha=alpha)
        if alpha != 1:
            return torch.mul(x.t(), alpha, out=out)
        return out.copy_(x.t().conj() if conj else x.t())

    def of_library(name):
        work = machine.libraries[name].make(torch, x, (1, 0), out, **given)
        return lambda: (work(), out)[1]

    makers = {"cornerturn": lambda: lambda: permute(x, (1, 0), out=out, dtype=destination, **given),
              "straight": lambda: lambda: permute(x, (0, 1), out=other, dtype=destination, **given),
              "copy": lambda: machine.copy(bytes), "eager": lambda: eager,
              "compile": lambda: machine.compiled(lambda t: t.t().to(destination, memory_format=torch.contiguous_format), x),
              **{name: lambda name=name: of_library(name) for name in machine.libraries}}
    return bytes, {name: make for name, make in makers.items() if name in (*OURS, *peers)}, out if beta else None


def images(machine, dtype):
    """256 images that become normalised planes, by the formula of torchvision."""
    torch, cornerturn = machine.torch, machine.cornerturn
    x = machine.random((256, 224, 224, 3), torch.uint8)
    out, flat = torch.empty((256, 3, 224, 224), dtype=dtype, device=machine.device), torch.empty(x.numel(), dtype=dtype, device=machine.device)
    bytes = x.nbytes + out.nbytes
    mean, std = (torch.tensor(each, device=machine.device).view(3, 1, 1) for each in (MEAN, STD))
    formula = lambda t: ((t.permute(0, 3, 1, 2).float() / 255 - mean) / std).to(dtype, memory_format=torch.contiguous_format)
    return bytes, {"cornerturn": lambda: lambda: cornerturn.images.to_planes(x, dtype, MEAN, STD, out=out),
                   "straight": lambda: lambda: cornerturn.permute(x.view(-1), (0,), out=flat, dtype=dtype, alpha=1 / 255),
                   "copy": lambda: machine.copy(bytes), "eager": lambda: lambda: formula(x),
                   "compile": lambda: machine.compiled(formula, x)}, None


def quantized(torch, x, scales, outputs, scale):
    """The recipe in PyTorch, with the result of quantize_triton.quantizer."""
    def along_rows(m):
        m = m.float()
        if scales == "given":
            return (m * (1 / scale)).clamp(-448, 448).to(torch.float8_e4m3fn).contiguous(), None
        rows, cols = m.shape
        tall, wide = {"1x128": (1, 128), "128x128": (128, 128), "rows": (1, cols)}[scales]
        blocks = m.reshape(rows // tall, tall, cols // wide, wide)
        amax = blocks.abs().amax((1, 3), keepdim=True).clamp(min=1e-12)
        values = (blocks * (448 / amax)).clamp(-448, 448).to(torch.float8_e4m3fn)
        return values.reshape(rows, cols).contiguous(), (amax / 448).squeeze((1, 3))
    return (along_rows(x) if outputs != "columns" else None, along_rows(x.t()) if outputs != "rows" else None,
            x.abs().amax().float() if scales == "given" else None)


def quantization(machine, case):
    torch, cornerturn = machine.torch, machine.cornerturn
    shape, scales, outputs, peers = case
    x, scale = machine.random(shape, torch.bfloat16), torch.tensor(0.01, device=machine.device)
    block = {"1x128": (1, 128), "128x128": (128, 128), "rows": (1, None), "given": None}[scales]
    # Two outputs of 8 bits have as many bytes as one of 16 bits.
    other = torch.empty(x.numel(), dtype=torch.float16 if outputs == "both" else torch.float8_e4m3fn, device=machine.device)
    bytes = x.nbytes + other.nbytes
    recipe = lambda t: quantized(torch, t, scales, outputs, scale)

    def triton():
        makers = machine.triton
        if (scales, outputs) not in machine.tiles:
            all = {tile: makers.quantizer(x, scales, outputs, scale, tile) for tile in makers.tiles_for(scales, outputs)}
            ms = arena.medians(torch, all, 3)
            machine.tiles[scales, outputs] = min(ms, key=ms.get)
        return makers.quantizer(x, scales, outputs, scale, machine.tiles[scales, outputs])

    makers = {"cornerturn": lambda: lambda: cornerturn.fp8.quantize(x, block=block, outputs=outputs,
                                                                    scale=scale if block is None else None),
              "straight": lambda: lambda: cornerturn.permute(x.view(-1), (0,), out=other, dtype=other.dtype,
                                                             saturate=outputs != "both"),
              "copy": lambda: machine.copy(bytes), "eager": lambda: lambda: recipe(x), "triton": triton,
              "compile": lambda: machine.compiled(recipe, x)}
    return bytes, {name: make for name, make in makers.items() if name in (*OURS, *peers)}, None


def cases(machine):
    """(description, function that prepares the case). Those that compile come first."""
    torch = machine.torch
    name_of = lambda dtype: str(dtype).removeprefix("torch.")
    first, others = [(8192, 8192)], [(32768, 4096), (16384, 16384), (4096, 4096)]

    def quantize(all):
        for case in all:
            shape, scales, outputs, _ = case
            yield {"operation": "quantize", "shape": shape, "source": "bfloat16", "destination": "float8_e4m3fn", "scales": scales,
                   "outputs": outputs}, lambda case=case: quantization(machine, case)

    yield from quantize(quantizations(first, ("eager", "compile", "triton")))
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        yield {"operation": "images", "shape": (256, 224, 224, 3), "source": "uint8", "destination": name_of(dtype)}, \
            lambda dtype=dtype: images(machine, dtype)
    for case in permutations(torch):
        n, source, destination, given, _ = case
        yield {"operation": "transpose", "shape": (n, n), "source": name_of(source), "destination": name_of(destination), **given}, \
            lambda case=case: permutation(machine, case)
    yield from quantize(quantizations(others, ("eager", "triton")))


def bytes_of(torch, result):
    """The bytes of a result's tensors, without the largest magnitude."""
    tensors = [result] if isinstance(result, torch.Tensor) else [each for part in result[:2] for each in part or () if each is not None]
    return [(torch.view_as_real(each.resolve_conj()) if each.is_complex() else each).contiguous().view(torch.uint8).flatten()
            for each in tensors]


def equal_part(wanted, found):
    """The fraction of equal bytes."""
    return round(sum(int((a == b).sum()) for a, b in zip(wanted, found, strict=True)) / sum(each.numel() for each in wanted), 6)


def measured(machine, prepare):
    """The times of a case, and how many bytes of each peer's result are ours. A peer that fails is left out."""
    bytes, makers, added_to = prepare()
    works, equal, failed, wanted = {}, {}, {}, None
    for name, make in makers.items():
        try:
            work = make()
            if name not in ("straight", "copy"):
                if added_to is not None:
                    added_to.fill_(1)
                found = bytes_of(machine.torch, work())
                if name == "cornerturn":
                    wanted = [each.clone() for each in found]
                else:
                    equal[name] = equal_part(wanted, found)
                del found
            works[name] = work
        except Exception as problem:  # peers fail with exceptions of every type
            if name in OURS:
                raise
            failed[name] = f"{type(problem).__name__}: {problem}"[:200]
    del wanted
    ms = arena.medians(machine.torch, works, machine.rounds)
    own = ms["cornerturn"]
    return {"bytes": bytes, "ms": {name: round(each, 5) for name, each in ms.items()}, "to_straight": round(ms["straight"] / own, 4),
            "to_copy": round(ms["copy"] / own, 4), "equal": equal,
            "beside": {name: round(each / own, 3) for name, each in ms.items() if name not in OURS}, "failed": failed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=105, metavar="S", help="start no case after S seconds (default %(default)s)")
    parser.add_argument("--cublas", default="libcublas.so.13")
    parser.add_argument("--cutensor", metavar="PATH", help="libcutensor.so.2, which must load; default: that of the wheel or the system, if there is one")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results, rewritten after each case")
    options = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Inductor's processes may still run
        os.environ |= {"TORCHINDUCTOR_CACHE_DIR": folder, "TRITON_CACHE_DIR": folder, "CORNERTURN_CACHE_DIR": folder}
        machine = Machine(options)
        torch, cornerturn = machine.torch, machine.cornerturn
        library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
        versions = {"torch": torch.__version__, "triton": machine.triton.triton.__version__, "cornerturn": cornerturn.__version__,
                    **{name: peer.version() for name, peer in machine.libraries.items()}}
        run = {"gpu": torch.cuda.get_device_name(), "card": provenance.card(), **provenance.of_run(library, versions),
               "command": " ".join(sys.argv), "rounds": options.rounds, "absent": machine.absent, "cases": [],
               "left_out": []}
        for described, prepare in cases(machine):
            if time.monotonic() - begun > options.seconds:
                run["left_out"].append(described)
                continue
            try:
                row = {**described, **measured(machine, prepare)}
            except torch.cuda.OutOfMemoryError:
                run["left_out"].append(described)
                continue
            run["cases"].append(row)
            print(f"{time.monotonic() - begun:5.1f} s {json.dumps(row)}", flush=True)
            torch._dynamo.reset()
            torch.cuda.empty_cache()
            if options.json:
                run_files.write(options.json, run)
    if run["left_out"]:
        print(f"operations_peers: {len(run['left_out'])} cases were left out, for want of time or memory", file=sys.stderr)


if __name__ == "__main__":
    main()
