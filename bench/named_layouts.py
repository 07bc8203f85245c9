#!/usr/bin/env python3
"""Times packing arrays into the layouts of cornerturn.formats, and back, beside a copy of the same bytes. Prints a line for each.

    PYTHONPATH=build/gpu/python python3 bench/named_layouts.py --json h200-named-layouts.json.gz
    PYTHONPATH=build/cpu/python python3 bench/named_layouts.py --device cpu --threads 2 --json zen4-named-layouts.json.gz

A copy reads and writes as many bytes as the layout's array and the plain one have together. On a GPU times are without launch latency,
and the copy is PyTorch's; block scales also stand beside a compiled formula. On a CPU the copy is the faster of NumPy's and ours. All run
in one process, interleaved; a time is the median of the rounds in milliseconds. Arrays that come back equal those that were packed. With
--tiny the arrays have kilobytes.
"""

import argparse
import math
import pathlib
import statistics
import sys
import time

import numpy

import arena
import provenance
import run_files

# a name of cornerturn.formats, the shape of the plain array, its type, and lengths
CASES = [("block_scales_32x4x4", (65536, 1024), "u1", {}), ("block_scales_32x4x4", (65500, 1021), "u1", {}),
         ("block_scales_32x4x4", (8192, 256), "u1", {}), ("block_scales_32x4x4", (6100, 384), "u1", {}),
         ("deepgemm_scales", (131072, 256), "f4", {}), ("deepgemm_scales", (131071, 256), "f4", {}),
         ("shuffled_weights_8bit", (8192, 8192), "u1", {}), ("shuffled_weights_16bit", (8192, 8192), "u2", {}),
         ("core_matrices", (8192, 8192), "u2", {}), ("core_matrices", (8190, 8186), "u2", {}),
         ("k_major_sw128", (8192, 8192), "u2", {}), ("k_major_sw128", (8192, 8192), "u2", {"a": 64}),
         ("k_major_sw128", (131072, 584), "u2", {}), ("k_major_sw64", (8192, 8192), "u2", {}), ("k_major_sw32", (8192, 8192), "u2", {}),
         ("mn_major_sw128", (8192, 8192), "u2", {}), ("mn_major_sw64", (8192, 8192), "u2", {}), ("mn_major_sw32", (8192, 8192), "u2", {}),
         ("kv_hnd", (2048, 16, 32, 128), "u2", {}), ("kv_packed_keys", (2048, 16, 32, 128), "u2", {}),
         ("kv_packed_values", (2048, 16, 32, 128), "u2", {}), ("kv_pages_of_layers", (32, 512, 16384), "u2", {}),
         ("channels_last", (64, 256, 56, 56), "u2", {}), ("channels_in_blocks", (64, 256, 56, 56), "u2", {}),
         ("channels_in_blocks", (64, 232, 56, 56), "u2", {}), ("raster_bil", (224, 1000, 1000), "u2", {}),
         ("raster_bip", (224, 1000, 1000), "u2", {}), ("raster_bip", (3, 8192, 8192), "u1", {}),
         ("complex_interleaved", (2, 33554432), "f4", {}), ("iq_samples", (16, 4194304, 2), "i2", {}),
         ("pcm24_frames", (8, 8388608, 3), "u1", {}), ("rope_pairs", (131072, 128), "u2", {}), ("gate_up", (28672, 4096), "u2", {}),
         ("z_order_8x8", (4096, 8192), "f4", {}), ("z_order_8x8", (4090, 8190), "f4", {}), ("nibbles_transposed", (16384, 8192), "u1", {}),
         ("bits_transposed", (32768, 4096), "u1", {}), ("matlab", (256, 512, 1024), "f4", {}), ("morton", (8192, 8192), "f4", {})]
TORCH = {"u1": "uint8", "i2": "int16", "u2": "bfloat16", "f4": "float32"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument("--threads", type=int, help="of the CPU (default: all)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tiny", action="store_true", help="arrays of kilobytes, in seconds")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    return parser.parse_args()


def tiny(name, shape):
    """A shape of the same kind with at most 512 in an axis."""
    if len(shape) < 3:
        return tuple(extent % 256 + 256 if extent > 512 else extent for extent in shape)
    return tuple(min(extent, 32 if i else 4) for i, extent in enumerate(shape))


def random_bytes(shape, dtype):
    size = math.prod(shape) * numpy.dtype(dtype).itemsize
    return numpy.resize(numpy.random.default_rng(57).integers(0, 256, min(size, 1 << 20), dtype=numpy.uint8), size).view(dtype).reshape(shape)


class Gpu:
    def __init__(self):
        import torch

        self.torch, self.name = torch, torch.cuda.get_device_name()

    def array(self, shape, dtype):
        return self.torch.from_numpy(random_bytes(shape, dtype).view(f"i{numpy.dtype(dtype).itemsize}")).cuda().view(getattr(self.torch, TORCH[dtype]))

    def copies(self, count):
        x = self.torch.zeros(count, dtype=self.torch.uint8, device="cuda")
        y = self.torch.empty_like(x)
        return {"copy": lambda: y.copy_(x)}

    def others(self, name, x):
        """What else packs x: for block scales the formula that one would compile."""
        if name != "block_scales_32x4x4":
            return {}
        torch = self.torch
        rows, columns = x.shape
        padded = [0, -columns % 4, 0, -rows % 128]

        @torch.compile(dynamic=False, fullgraph=True)
        def formula(x):
            tiles = torch.nn.functional.pad(x, padded).view(-(-rows // 128), 4, 32, -(-columns // 4), 4)
            return tiles.permute(0, 3, 2, 1, 4).contiguous()

        return {"compile": lambda: formula(x)}

    def is_equal(self, x, y):
        return self.torch.equal(x.view(self.torch.uint8), y.view(self.torch.uint8))

    def times(self, works, rounds):
        return arena.medians(self.torch, works, rounds)


class Cpu:
    def __init__(self, threads):
        import cornerturn

        self.name = provenance.processor()
        if threads:
            cornerturn.set_num_threads(threads)

    def array(self, shape, dtype):
        return random_bytes(shape, dtype).copy()

    def copies(self, count):
        import cornerturn

        x, y = numpy.zeros(count, numpy.uint8), numpy.ones(count, numpy.uint8)
        x.fill(1)
        return {"numpy": lambda: numpy.copyto(y, x), "ours": lambda: cornerturn.permute(x, (0,), out=y)}

    def others(self, name, x):
        return {}

    def is_equal(self, x, y):
        return x.tobytes() == y.tobytes()

    def times(self, works, rounds):
        taken = {name: [] for name in works}
        for _ in range(rounds):
            for name, work in works.items():
                begin = time.perf_counter()
                work()
                taken[name].append(1e3 * (time.perf_counter() - begin))
        of = {name: statistics.median(each) for name, each in taken.items()}
        return {"copy": min(of.pop("numpy"), of.pop("ours")), **of}


def timed(device, name, shape, dtype, lengths, rounds):
    import cornerturn.formats as formats

    x = device.array(shape, dtype)
    y = formats.pack(x, name, **lengths)
    plain = list(shape)
    plain[-1] *= 8 // formats.info(name).bits
    back = formats.unpack(y, name, shape=plain, **lengths)
    if not device.is_equal(x, back):
        sys.exit(f"named_layouts: {name} of {shape} comes back different")
    size = (math.prod(x.shape) + math.prod(y.shape)) * numpy.dtype(dtype).itemsize
    works = {**device.copies(size // 2), "pack": lambda: formats.pack(x, name, out=y, **lengths),
             "unpack": lambda: formats.unpack(y, name, shape=plain, out=back, **lengths), **device.others(name, x)}
    ms = device.times(works, rounds)
    return {"name": name, "shape": shape, "dtype": dtype, "lengths": lengths, "padding": round(math.prod(y.shape) / math.prod(x.shape) - 1, 3),
            "ms": {which: round(each, 5) for which, each in ms.items()},
            "to_copy": {which: round(ms["copy"] / each, 4) for which, each in ms.items() if which != "copy"}}


def main():
    options = arguments()
    import cornerturn

    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    device = Gpu() if options.device == "gpu" else Cpu(options.threads)
    run = {"machine": device.name, "card": provenance.card(), "threads": options.threads,
           **provenance.of_run(library, {"cornerturn": cornerturn.__version__}), "command": " ".join(sys.argv), "rounds": options.rounds, "cases": []}
    for name, shape, dtype, lengths in CASES:
        row = timed(device, name, tiny(name, shape) if options.tiny else shape, dtype, lengths, options.rounds)
        run["cases"].append(row)
        print(name, "x".join(map(str, row["shape"])), dtype, lengths or "", row["to_copy"], flush=True)
    for which in ("pack", "unpack"):
        ratios = [row["to_copy"][which] for row in run["cases"]]
        print(f"{which}: mean {statistics.fmean(ratios):.3f}, worst {min(ratios):.3f}")
    if options.json:
        run_files.write(options.json, run)


if __name__ == "__main__":
    main()
