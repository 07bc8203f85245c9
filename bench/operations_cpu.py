#!/usr/bin/env python3
"""Times permutations that change elements beside other ways to compute them on a CPU. Prints a line for each case, and stores the run
with --json.

    PYTHONPATH=build/cpu/python build/venv/bin/python bench/operations_cpu.py --hptt libhptt.so --json zen4-operations.json.gz

All run in one process, interleaved, in a new order per round, and results of others are compared with ours. "straight" is a call of
ours without a permutation that reads and writes as many bytes. "identity" is the plain permutation, of elements of the source's and
of the destination's size: the mean of the two times, scaled to as many bytes. Times are milliseconds, medians over the rounds. NumPy
uses one thread, and so does OpenBLAS's omatcopy. OpenCV makes blobs of float32.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

import ml_dtypes  # This import names bfloat16 for NumPy.
import numpy as np

import cpu_arena
import cpu_peers
import provenance
import run_files

MEAN, STD = np.float32((0.485, 0.456, 0.406)), np.float32((0.229, 0.224, 0.225))
PLAIN = ("plain of source", "plain of destination")
OURS = ("cornerturn", "straight", *PLAIN)
SETS = ("images", "squares", "odd")
PEER_ROUNDS = 3  # Others may be 50 times slower.
CHANGES = [("float32", "float64", {}), ("float64", "float32", {}), ("float32", "bfloat16", {}), ("bfloat16", "float32", {}),
           *((dtype, dtype, {"alpha": 0.5}) for dtype in ("float32", "float64", "complex64", "complex128")),
           *((dtype, dtype, {"conj": True}) for dtype in ("complex64", "complex128")), ("float32", "float32", {"beta": 0.5})]


class OpenCv:
    def __init__(self, options):
        import cv2

        cv2.setNumThreads(options.threads)
        self.dnn, self.version = cv2.dnn, lambda: cv2.__version__

    def make(self, x, out):
        """A function that makes normalised planes of images, or None if planes are not of float32."""
        if out.dtype != np.float32:
            return None
        parameters = self.dnn.Image2BlobParams()
        parameters.scalefactor, parameters.mean = (*(1 / (255 * STD)).tolist(), 0), (*(255 * MEAN).tolist(), 0)
        images = list(x)
        return lambda: self.dnn.blobFromImagesWithParams(images, out, parameters)


def empty(shape, dtype):
    dtype = np.dtype(dtype)
    return cpu_arena.buffer(int(np.prod(shape)) * dtype.itemsize, False).view(dtype).reshape(shape)


def numbers(shape, dtype):
    """Integers below 256, which all dtypes represent."""
    result = empty(shape, dtype)
    real = result.view(result.real.dtype) if result.dtype.kind == "c" else result
    real[...] = np.random.default_rng(1).integers(0, 256, real.shape, np.uint8)
    return result


def matrix(cornerturn, peers, shape, source, destination, given):
    """The bytes moved, the functions that transpose a matrix by name, the matrix, and the result."""
    x, out, straight = numbers(shape, source), empty(shape[::-1], destination), empty(shape, destination)
    alpha, beta = given.get("alpha", 1), given.get("beta", 0)

    def numpy():
        if beta:
            np.add(np.multiply(out, beta, out=out), x.T, out=out)
        elif alpha != 1:
            np.multiply(x.T, x.dtype.type(alpha), out=out)
        elif given.get("conj"):
            np.conjugate(x.T, out=out)
        else:
            np.copyto(out, x.T, casting="unsafe")

    works = {"cornerturn": lambda: cornerturn.permute(x, (1, 0), out=out, dtype=destination, **given),
             "straight": lambda: cornerturn.permute(x, (0, 1), out=straight, dtype=destination, **given),
             **plain(cornerturn, x, straight, (1, 0), out), "numpy": numpy}
    served = {"openblas": not beta, "mkl": not beta, "hptt": x.dtype.kind == "f"}
    works |= {name: peers[name].make(x, (1, 0), out, **given) for name in served
              if name in peers and served[name] and source == destination}
    return x.nbytes + (2 if beta else 1) * out.nbytes, works, x, out


def images(cornerturn, peers, shape, destination):
    """The bytes moved, the functions that make normalised planes of images by name, the images, and the result."""
    axes = 0, 3, 1, 2
    x, straight = numbers(shape, "uint8"), empty(shape, destination)
    out = empty([shape[axis] for axis in axes], destination)
    works = {"cornerturn": lambda: cornerturn.images.to_planes(x, destination, MEAN, STD, out=out),
             "straight": lambda: cornerturn.permute(x, (0, 1, 2, 3), out=straight, dtype=destination, alpha=1 / 255),
             **plain(cornerturn, x, straight, axes, out),
             "numpy": lambda: np.copyto(out, ((x.astype(np.float32) / 255 - MEAN) / STD).transpose(axes), casting="unsafe")}
    if "opencv" in peers:
        works["opencv"] = peers["opencv"].make(x, out)
    return x.nbytes + out.nbytes, works, x, out


def plain(cornerturn, x, straight, axes, out):
    """The plain permutations of elements of both sizes."""
    other = out if x.dtype == out.dtype else empty(out.shape, x.dtype)
    works = (lambda: cornerturn.permute(x, axes, out=other)), (lambda: cornerturn.permute(straight, axes, out=out))
    return dict(zip(PLAIN, works[:1] if other is out else works))


def check(works, out):
    """Refuses results that are not ours. Planes may differ by rounding."""
    wanted = None
    for name, work in works.items():
        if name == "cornerturn" or name not in OURS:
            out[...] = 1  # Results with beta depend on it.
            work()
            wanted = out.copy() if name == "cornerturn" else wanted
            near = out.ndim == 4 and np.allclose(out.astype(np.float32), wanted.astype(np.float32), 0.01, 0.01)
            if not near and not np.array_equal(out, wanted):
                raise SystemExit(f"operations_cpu: {name} differs at {out.shape} {out.dtype}")


def medians(works, rounds):
    times = {name: [] for name in works}
    for number in range(rounds):
        for name in random.Random(number).sample(list(works), len(works)):
            if name in OURS or number < PEER_ROUNDS:
                time.sleep(cpu_arena.QUIET)
                begin = time.perf_counter()
                works[name]()
                times[name].append(1000 * (time.perf_counter() - begin))
    return {name: statistics.median(each) for name, each in times.items()}


def measured(rounds, bytes, works, x, out):
    works = {name: work for name, work in works.items() if work}
    check(works, out)
    ms = medians(works, rounds)
    own = ms["cornerturn"]
    identity = statistics.mean(ms[name] for name in PLAIN if name in ms) * bytes / (x.nbytes + out.nbytes)
    return {"bytes": bytes, "ms": {name: round(each, 4) for name, each in ms.items()}, "to_straight": round(ms["straight"] / own, 4),
            "to_identity": round(identity / own, 4),
            "beside": {name: round(each / own, 3) for name, each in ms.items() if name not in OURS}}


def cases(sets, tiny):
    """(description, function that prepares the case, its arguments)."""
    if "images" in sets:
        for destination in ("float32", "float16", "bfloat16"):
            shape = (2, 8, 16, 3) if tiny else (256, 224, 224, 3)
            yield {"operation": "images", "shape": shape, "source": "uint8", "destination": destination}, images, (shape, destination)
    side = 64 if tiny else 8192
    for shape in [each for name, each in (("squares", (side, side)), ("odd", (side - 1, side + 1))) if name in sets]:
        for source, destination, given in CHANGES:
            yield {"operation": "transpose", "shape": shape, "source": source, "destination": destination, **given}, \
                matrix, (shape, source, destination, given)


def gather(options):
    """The peers, and why others are absent."""
    makers = {**{name: cpu_peers.MAKERS[name] for name in ("openblas", "mkl", "hptt")}, "opencv": OpenCv}
    peers, absent = {}, {}
    for name, maker in makers.items():
        try:
            peers[name] = maker(options)
        except (OSError, ImportError, AttributeError) as problem:
            absent[name] = str(problem)
    return peers, absent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", choices=SETS, help="cases to time; all by default")
    parser.add_argument("--rounds", type=int, default=9, help=f"default %(default)s; {PEER_ROUNDS} for others")
    parser.add_argument("--threads", type=int, default=2, help="threads of all that have a setting (default %(default)s)")
    parser.add_argument("--openblas", metavar="PATH", default="libopenblas.so.0", help="an OpenBLAS, also that of NumPy's wheel")
    parser.add_argument("--mkl", metavar="PATH", help="a libmkl_rt.so, as for cpu_arena.py")
    parser.add_argument("--hptt", metavar="PATH", help="a libhptt.so, as for cpu_arena.py")
    parser.add_argument("--tiny", action="store_true", help="small arrays, for a test")
    parser.add_argument("--json", type=pathlib.Path, help="file for the results, rewritten after each case")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CORNERTURN_CACHE_DIR"] = folder  # There are no measured choices.
        import cornerturn
        import cornerturn.images

        cornerturn.set_num_threads(options.threads)
        peers, absent = gather(options)
        library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
        versions = {"numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__, "cornerturn": cornerturn.__version__, **{name: peer.version() for name, peer in peers.items()}}
        run = {"processor": provenance.processor(), "threads": options.threads, **provenance.of_run(library, versions),
               "command": " ".join(sys.argv), "rounds": options.rounds, "load": os.getloadavg()[0], "absent": absent, "cases": []}
        for described, prepare, arguments in cases(options.set or SETS, options.tiny):
            row = {**described, **measured(options.rounds, *prepare(cornerturn, peers, *arguments))}
            run["cases"].append(row)
            print(json.dumps(row), flush=True)
            if options.json:
                run_files.write(options.json, run)


if __name__ == "__main__":
    main()
