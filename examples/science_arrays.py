# %% [markdown]
# # cornerturn with HDF5, NIfTI, xarray and Zarr
# It needs h5py, nibabel, xarray and zarr.

# %% HDF5: frames in the order of time become a series for each pixel, in one copy.
import cornerturn
import h5py
import nibabel
import numpy as np
import xarray
import zarr

frames = np.random.default_rng(0).random((100, 128, 256), np.float32)
with h5py.File("frames.h5", "w") as file:
    file["frames"] = frames
    file["series"] = cornerturn.permute(file["frames"][:], (1, 2, 0))
    assert np.array_equal(file["series"][5, 7], frames[:, 5, 7])

# %% A dataset that does not fit into memory is turned slab by slab.
with h5py.File("frames.h5", "a") as file:
    source = file["frames"]
    turned = file.create_dataset("turned", (128, 256, 100), source.dtype)
    for begin in range(0, 128, 32):
        rows = slice(begin, begin + 32)
        turned[rows] = cornerturn.permute(source[:, rows], (1, 2, 0))
    assert np.array_equal(turned[:], frames.transpose(1, 2, 0))

# %% NIfTI: a volume in Fortran order becomes C order.
nibabel.save(nibabel.Nifti1Image(frames, np.eye(4)), "volume.nii")
volume = np.asanyarray(nibabel.load("volume.nii").dataobj)
dense = cornerturn.ascontiguous(volume)
assert volume.flags.f_contiguous and dense.flags.c_contiguous and np.array_equal(dense, frames)

# %% xarray: dimensions have names. Coordinates and attributes stay, and chunks of dask are permuted lazily.
import cornerturn.xarray

temperature = xarray.DataArray(frames, dims=("time", "lat", "lon"))
series = cornerturn.xarray.transpose(temperature, "lat", "lon", "time")
assert series.dims == ("lat", "lon", "time") and series.values.flags.c_contiguous and series.equals(temperature.transpose(*series.dims))

# %% Zarr: an array that fits into memory.
zarr.save("frames.zarr", frames)
zarr.save("series.zarr", cornerturn.permute(zarr.open("frames.zarr")[:], (1, 2, 0)))
assert np.array_equal(zarr.open("series.zarr")[:], series)

# %% Attention heads: tokens become heads, by the names of axes as in einops.
tokens = np.ones((2, 512, 8 * 64), np.float32)
heads = cornerturn.rearrange(tokens, "batch token (head width) -> batch head token width", head=8)
print(dense.shape, series.shape, heads.shape)
