"""cornerturn.dask against NumPy, on dask's schedulers."""

import itertools
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

dask = pytest.importorskip("dask")
import dask.array  # noqa: E402

import cornerturn  # noqa: E402
import cornerturn.dask  # noqa: E402

SHAPE = (30, 17, 25)


def numbers(shape=SHAPE, dtype=np.float32):
    return np.random.default_rng(0).integers(0, 99, shape).astype(dtype)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))), ids=str)
def test_every_permutation(axes):
    x = numbers()
    y = cornerturn.dask.permute(dask.array.from_array(x, chunks=(7, 17, 10)), axes)
    assert y.chunks == tuple(dask.array.from_array(x, chunks=(7, 17, 10)).chunks[axis] for axis in axes)
    np.testing.assert_array_equal(y.compute(), x.transpose(axes))


@pytest.mark.parametrize("chunks", [(5, 30, -1), (5, -1, None), 9, "auto", {0: 4}, {-1: 3, 1: -1}, ((20, 5), 30, (10, 7)), "1 kB"],
                         ids=str)
def test_chunks(chunks):
    x = numbers()
    source = dask.array.from_array(x, chunks=(7, 17, 10))
    y = cornerturn.dask.permute(source, (2, 0, 1), chunks=chunks)
    assert y.chunks == source.transpose((2, 0, 1)).rechunk(chunks).chunks
    np.testing.assert_array_equal(y.compute(), x.transpose(2, 0, 1))


@pytest.mark.parametrize("dtype", ["?", "u1", "f2", "c16", "S5", "M8[ns]", [("x", "f4"), ("y", "i2")]], ids=str)
def test_dtypes(dtype):
    x = np.zeros((6, 5), dtype) if isinstance(dtype, list) else numbers((6, 5), "i8").astype(dtype)
    y = cornerturn.dask.permute(dask.array.from_array(x, chunks=4), (-1, 0))
    assert y.dtype == x.dtype and y._meta.dtype == x.dtype
    np.testing.assert_array_equal(y.compute(), x.T)


def test_transpose():
    x = numbers()
    source = dask.array.from_array(x, chunks=(7, 17, 10))
    y = cornerturn.dask.transpose(source)
    assert y.chunks == dask.array.transpose(source).chunks
    np.testing.assert_array_equal(y.compute(), x.T)
    y = cornerturn.dask.transpose(source, (1, 0, 2), chunks={0: 5}, threads=2)
    assert y.chunks == source.transpose((1, 0, 2)).rechunk({0: 5}).chunks
    np.testing.assert_array_equal(y.compute(), x.transpose(1, 0, 2))
    vector = dask.array.ones(5, chunks=2)
    assert cornerturn.dask.transpose(vector, 0) is vector
    with pytest.raises(TypeError, match="x is of type ndarray; it must be a dask array"):
        cornerturn.dask.transpose(x)


@pytest.mark.parametrize("chunks", [None, (7, 17, 10), {0: 7}, {-1: None}, ((7, 7, 7, 7, 2), -1, (10, 10, 5))], ids=str)
def test_what_does_not_change_is_returned(chunks):
    x = dask.array.from_array(numbers(), chunks=(7, 17, 10))
    assert cornerturn.dask.permute(x, (0, -2, 2), chunks=chunks) is x
    assert cornerturn.dask.permute(x, (0, 1, 2), chunks=(7, 17, 5)) is not x
    with pytest.raises(ValueError, match="threads is -1"):
        cornerturn.dask.permute(x, (0, 1, 2), threads=-1)


def test_nothing_runs_before_compute(monkeypatch):
    calls = []
    monkeypatch.setattr(cornerturn.dask, "_permuted_block", lambda block, axes, threads: calls.append(1) or block.transpose(axes))
    y = cornerturn.dask.permute(dask.array.ones((8, 6), chunks=4), (1, 0))
    assert not calls
    y.compute()
    assert len(calls) == 4


def test_chunks_of_the_result_are_dense():
    y = cornerturn.dask.permute(dask.array.from_array(numbers((8, 6)), chunks=4), (1, 0))
    assert all(block.compute().flags.c_contiguous for block in y.blocks.ravel())


def test_empty_and_scalar_arrays():
    assert cornerturn.dask.permute(dask.array.zeros((0, 3)), (1, 0)).compute().shape == (3, 0)
    assert cornerturn.dask.permute(dask.array.from_array(np.float32(3)), ()).compute() == 3


def test_sizes_that_are_unknown():
    x = np.arange(60.0).reshape(20, 3)
    some = dask.array.from_array(x, chunks=(5, 3))
    some = some[some[:, 0] > 20]
    np.testing.assert_array_equal(cornerturn.dask.permute(some, (1, 0)).compute(), x[x[:, 0] > 20].T)
    y = cornerturn.dask.permute(some, (1, 0), chunks=(2, None))
    assert y.chunks[0] == (2, 1)
    np.testing.assert_array_equal(y.compute(), x[x[:, 0] > 20].T)
    for chunks in (2, "auto", (2, 5), {1: -1}):
        with pytest.raises(ValueError, match="it must be None along axis 1, because .* call x.compute_chunk_sizes\\(\\) first"):
            cornerturn.dask.permute(some, (1, 0), chunks=chunks)
    some.compute_chunk_sizes()
    np.testing.assert_array_equal(cornerturn.dask.permute(some, (1, 0), chunks=(2, 5)).compute(), x[x[:, 0] > 20].T)


@pytest.mark.parametrize("call, kind, message", [
    (lambda: cornerturn.permute(dask.array.ones((2, 3)), (1, 0)), TypeError, "__cuda_array_interface__; cornerturn.dask takes it$"),
    (lambda: cornerturn.dask.permute(numbers(), (2, 0, 1)), TypeError, "x is of type ndarray; it must be a dask array"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (0, 0)), ValueError, r"axes is \(0, 0\); it must be a permutation"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (0,)), ValueError, r"axes is \(0,\)"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (1, 0), threads=-1), ValueError, "threads is -1"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (1, 0), chunks=(2,)), ValueError,
     r"chunks is \(2,\); it must have one entry for each of the 2 axes"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (1, 0), chunks=(0, 2)), ValueError,
     r"chunks is \(0, 2\); it must be chunks of the result, of shape \(3, 2\), as dask.array.rechunk takes them"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (1, 0), chunks=((2, 2), 2)), ValueError, r"chunks is \(\(2, 2\), 2\); it must be"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (1, 0), chunks={(0,): 1}), TypeError, r"chunks is \{\(0,\): 1\}; its keys must be"),
    (lambda: cornerturn.dask.permute(dask.array.ones((2, 3)), (1, 0), chunks="x"), ValueError, "chunks is 'x'; it must be chunks of the result"),
    (lambda: cornerturn.dask.permute(dask.array.from_array(np.array([["a", None]], object), chunks=1), (1, 0)), TypeError, "object")])
def test_bad_arguments(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("chunks", [{2: 1}, {-3: 1}, {"0": 1}, {0.5: 1}, {0: 1, 7: 1}], ids=str)
def test_wrong_keys_raise_as_in_dask(chunks):
    x = dask.array.ones((2, 3))
    with pytest.raises((TypeError, ValueError)) as theirs:
        x.transpose((1, 0)).rechunk(chunks)
    with pytest.raises(theirs.type, match=re.escape(f"chunks is {chunks}; its keys must be axes, from -2 to 1")):
        cornerturn.dask.permute(x, (1, 0), chunks=chunks)


@pytest.mark.parametrize("chunks", [{True: 1}, {1: 2, -1: 1}, {np.int64(-2): 2}], ids=str)
def test_odd_keys_count_as_in_dask(chunks):
    x = dask.array.ones((2, 3))
    assert cornerturn.dask.permute(x, (1, 0), chunks=chunks).chunks == x.transpose((1, 0)).rechunk(chunks).chunks


class Masked(np.ndarray):
    """A subclass of ndarray, which dask keeps in chunks."""
    mask = True


def test_chunks_with_masks_are_refused():
    x = dask.array.from_array(numbers((6, 4)).view(Masked), chunks=2)
    with pytest.raises(TypeError, match="^x is of type test_dask.Masked, with a mask; it must be an array without one"):
        cornerturn.dask.permute(x, (1, 0)).compute(scheduler="sync")


CLUSTER = """
import dask.array, numpy as np
from dask.distributed import Client, LocalCluster
import cornerturn.dask

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        x = dask.array.from_zarr({source!r})
        y = cornerturn.dask.permute(x, (2, 1, 0), chunks=(8, 20, -1))
        y.to_zarr({destination!r})
"""


def test_from_zarr_to_zarr_on_a_cluster(tmp_path):
    pytest.importorskip("distributed")
    zarr = pytest.importorskip("zarr")
    x = numbers((40, 50, 60))
    source, destination = str(tmp_path / "in.zarr"), str(tmp_path / "out.zarr")
    dask.array.from_array(x, chunks=(10, 50, 60)).to_zarr(source)
    script = tmp_path / "script.py"
    script.write_text(CLUSTER.format(source=source, destination=destination))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    result = zarr.open(destination)
    assert result.chunks == (8, 20, 40)
    np.testing.assert_array_equal(result[...], x.transpose(2, 1, 0))


def test_the_bench_beside_dask(tmp_path):
    pytest.importorskip("distributed")
    out = tmp_path / "figures.json"
    script = pathlib.Path(__file__).parents[2] / "bench/dask_arrays.py"
    done = subprocess.run([sys.executable, script, "--tiny", "--rounds", "2", "--out", out], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert figures["versions"]["dask"] and len(figures["cases"]) == 4
    for case in figures["cases"]:
        assert set(case["ways"]) == {"cornerturn", "transpose and rechunk", "and C order", "rechunk alone"}
