"""cornerturn.xarray against the methods of xarray."""

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")
dask = pytest.importorskip("dask")
import dask.array  # noqa: E402

import cornerturn.xarray  # noqa: E402

DIMS = ("time", "lat", "lon")


def fields(chunks=None):
    numbers = np.arange(4 * 30 * 50, dtype=np.float32).reshape(4, 30, 50)
    return xarray.DataArray(numbers if chunks is None else dask.array.from_array(numbers, chunks=chunks), dims=DIMS, name="t",
                            coords={"lat": np.arange(30), "area": (("lat", "lon"), np.ones((30, 50)))}, attrs={"units": "K"})


@pytest.mark.parametrize("dims", [(), ("lat", "lon", "time"), ("lon", ...), (..., "time"), DIMS], ids=str)
def test_names_of_dimensions(dims):
    x = fields()
    result = cornerturn.xarray.transpose(x, *dims)
    assert result.identical(x.transpose(*dims)) and result.data.flags.c_contiguous and not np.shares_memory(result.data, x.data)
    variable = cornerturn.xarray.transpose(x.variable, *dims)
    assert type(variable) is xarray.Variable and variable.identical(x.variable.transpose(*dims)) and variable.data.flags.c_contiguous


def test_datasets():
    x = xarray.Dataset({"t": fields(), "mask": (("lat", "lon"), np.ones((30, 50), bool)), "level": ((), 3.0)}, attrs={"of": "May"})
    result = cornerturn.xarray.transpose(x, "lon", "lat", "time")
    assert result.identical(x.transpose("lon", "lat", "time"))
    assert all(each.data.flags.c_contiguous for each in result.data_vars.values())


def test_variables_of_python_objects_are_left_to_xarray():
    names = np.array([["Oslo", None], ["Rome", "Bern"]], object)
    x = xarray.Dataset({"name": (("lat", "lon"), names), "t": (("lat", "lon"), np.ones((2, 2)))})
    result = cornerturn.xarray.transpose(x, "lon", "lat")
    assert result.identical(x.transpose("lon", "lat")) and result["t"].data.flags.c_contiguous
    with pytest.raises(TypeError, match="^x.dtype is object; it must be one without Python objects$"):
        cornerturn.xarray.transpose(x["name"])


def test_arrays_of_dask_stay_lazy():
    x = fields(chunks=(2, 30, 20))
    result = cornerturn.xarray.transpose(x, "lon", "time", "lat", threads=2)
    assert isinstance(result.data, dask.array.Array) and result.chunks == x.transpose("lon", "time", "lat").chunks
    assert result.identical(x.transpose("lon", "time", "lat"))


@pytest.mark.filterwarnings("ignore:Dimensions")
def test_dimensions_that_are_missing():
    x = fields()
    for each in (x, x.variable, x.to_dataset()):
        for missing_dims in ("ignore", "warn"):
            result = cornerturn.xarray.transpose(each, "lon", "height", ..., missing_dims=missing_dims)
            assert result.identical(each.transpose("lon", ...))


def unknown():
    numbers = dask.array.from_array(np.arange(12).reshape(4, 3), chunks=2)
    return xarray.DataArray(numbers[numbers[:, 0] > 3], dims=("time", "lat"), name="t")


def test_chunks_of_sizes_that_are_computed():
    x = unknown()
    x.data.compute_chunk_sizes()
    assert cornerturn.xarray.transpose(x).identical(x.transpose())


@pytest.mark.parametrize("call, error, message", [
    (lambda: cornerturn.xarray.transpose(np.ones(3)), TypeError,
     "x is of type ndarray; it must be a DataArray, a Dataset or a Variable of xarray"),
    (lambda: cornerturn.xarray.transpose(fields(), "lat", "height"), ValueError,
     r"dims is \('lat', 'height'\); it must be the dimensions of x, \('time', 'lat', 'lon'\)"),
    (lambda: cornerturn.xarray.transpose(fields(), ["lon", "lat", "time"]), TypeError,
     r"dims is \(\['lon', 'lat', 'time'\],\); it must be the dimensions of x, \('time', 'lat', 'lon'\)"),
    (lambda: cornerturn.xarray.transpose(fields(), missing_dims="drop"), ValueError,
     "missing_dims is 'drop'; it must be 'raise', 'warn' or 'ignore'"),
    (lambda: cornerturn.xarray.transpose(unknown()), ValueError,
     r"x.shape is \(nan, 3\); it must be known: call x.data.compute_chunk_sizes\(\) first"),
    (lambda: cornerturn.xarray.transpose(unknown().to_dataset()), ValueError,
     r"x\['t'\].shape is \(nan, 3\); it must be known: call x\['t'\].data.compute_chunk_sizes\(\) first"),
    (lambda: cornerturn.xarray.transpose(fields(), threads=-1), ValueError, "threads is -1; it must be an integer from 0 to"),
    (lambda: cornerturn.permute(fields(), (2, 1, 0)), TypeError, ".* __cuda_array_interface__; cornerturn.xarray takes it$"),
])
def test_refusals(call, error, message):
    with pytest.raises(error, match=f"^{message}"):
        call()
