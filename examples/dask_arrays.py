"""Turns an array in Zarr on a cluster of two processes: chunks of whole planes, one after another in time, become chunks of series."""

import os
import tempfile

import cornerturn.dask
import dask.array
import numpy as np
from dask.distributed import Client, LocalCluster


def main():
    planes = np.arange(40 * 512 * 128, dtype=np.float32).reshape(40, 512, 128)
    dask.array.from_array(planes, chunks=(10, 512, 128)).to_zarr("by_time.zarr")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        x = dask.array.from_zarr("by_time.zarr")
        y = cornerturn.dask.permute(x, (2, 1, 0), chunks=(64, 256, -1))
        y.to_zarr("by_place.zarr")
    series = dask.array.from_zarr("by_place.zarr")
    assert np.array_equal(series, planes.T)
    print(series.shape, "in chunks of", series.chunksize)


if __name__ == "__main__":  # because the processes of the cluster import this file
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
