#!/usr/bin/env python3
"""Times permutations of dask arrays on a LocalCluster of two processes, each with one thread. Writes JSON.

    PYTHONPATH=build/cpu/python build/venv-frameworks/bin/python bench/dask_arrays.py --out cpu-dask.json.gz

The ways: cornerturn.dask.permute; dask's transpose and rechunk, whose chunks may be views; the same with chunks that are copied to C
order; and rechunk alone to the same boxes, which permutes nothing. The array is in the workers' memory before each call, and the result
is there after it. Rounds are interleaved, and a time is the median of the rounds. All ways that permute must give the same bits.
"""

import argparse
import dataclasses
import pathlib
import statistics
import sys
import time

import numpy as np
import provenance
import run_files


@dataclasses.dataclass(frozen=True)
class Case:
    """A permutation of an array in chunks, and the chunks of the result."""
    name: str
    dtype: str
    shape: tuple
    chunks: tuple
    axes: tuple
    wanted: tuple

    def ways(self, x):
        import cornerturn.dask
        turned = x.transpose(self.axes).rechunk(self.wanted)
        return {"cornerturn": cornerturn.dask.permute(x, self.axes, chunks=self.wanted),
                "transpose and rechunk": turned,
                "and C order": turned.map_blocks(np.ascontiguousarray),
                "rechunk alone": x.rechunk(tuple(self.wanted[self.axes.index(axis)] for axis in range(x.ndim)))}


def cases(tiny):
    """Arrays of 256 MiB in chunks of 8 MiB, or of kilobytes."""
    by = 16 if tiny else 1
    side, (times, rows, columns) = 8192 // by, (1024 // by, 256 // by, 256 // by)
    part = side // 8
    return [Case("series of planes to planes of series, f32", "f4", (times, rows, columns), (times // 32, rows, columns), (2, 1, 0),
                 (columns // 8, rows // 4, times)),
            Case("matrix in columns to its transpose in columns, f32", "f4", (side, side), (side, side // 32), (1, 0), (side, side // 32)),
            Case("matrix in squares to its transpose in squares, f32", "f4", (side, side), (part, part), (1, 0), (part, part)),
            Case("matrix in squares to its transpose in squares, 16 bits", "i2", (side, side), (part, part), (1, 0), (part, part))]


def tasks(client):
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def run(client, way, kept):
    """Computes a result in the memory of the workers. Returns the seconds and the result."""
    from distributed import wait
    while tasks(client) > kept:  # results of earlier calls, which would be taken instead
        time.sleep(0.01)
    begin = time.perf_counter()
    made = way.persist()
    wait(made)
    return time.perf_counter() - begin, made


def measure(client, case, rounds):
    import dask.array
    from distributed import wait
    numbers = dask.array.random.default_rng(0).integers(0, 100, case.shape, chunks=case.chunks)
    x = numbers.astype(case.dtype).persist()
    wait(x)
    kept, ways = tasks(client), case.ways(x)
    wanted = x.compute().transpose(case.axes)
    times = {name: [] for name in ways}
    for number in range(1 + rounds):
        for name, way in ways.items():
            seconds, made = run(client, way, kept)
            if number:
                times[name].append(1e3 * seconds)
            elif name != "rechunk alone":
                assert np.array_equal(made.compute(), wanted), (case.name, name)
            del made
    return {"case": case.name, "bytes": x.nbytes, "chunks": x.npartitions,
            "ways": {name: {"ms": round(statistics.median(each), 3), "runs_ms": [round(ms, 3) for ms in each]} for name, each in times.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the file that is written")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tiny", action="store_true", help="arrays of kilobytes, in seconds")
    options = parser.parse_args()
    import cornerturn
    import dask
    from distributed import Client, LocalCluster
    library = next(pathlib.Path(cornerturn.__file__).parent.glob("_cornerturn*.so"))
    versions = {"python": sys.version.split()[0], "numpy": np.__version__, "cornerturn": cornerturn.__version__, "dask": dask.__version__}
    result = provenance.of_run(library, versions) | {"rounds": options.rounds, "cases": []}
    with (LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
          Client(cluster) as client):
        for case in cases(options.tiny):
            result["cases"].append(measure(client, case, options.rounds))
            print(case.name, *(f"  {name:24}{each['ms']:10.3f} ms" for name, each in result["cases"][-1]["ways"].items()), sep="\n", flush=True)
    run_files.write(options.out, result)


if __name__ == "__main__":
    main()
