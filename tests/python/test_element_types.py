"""The rows of the types: what NumPy, ml_dtypes and DLPack say of them."""

import cornerturn
import ml_dtypes
import numpy as np
import pytest
from cornerturn._cornerturn import _element_types
from test_producers import of_tensor


def numpy_dtype(row):
    return np.dtype(row["code"] or getattr(ml_dtypes, row["dtype"]))


@pytest.mark.parametrize("row", _element_types, ids=lambda row: row["name"])
def test_numpy_agrees(row):
    dtype = numpy_dtype(row)
    assert dtype.name == row["dtype"] and dtype.itemsize == row["bytes"]
    assert row["is_wide"] == (dtype in (np.int64, np.uint64, np.float64, np.complex128))
    assert row["is_8_bit_float"] == (row["dtype"].startswith("float8"))
    assert row["is_quantizable"] == ("float" in row["dtype"] and row["bytes"] <= 4)


@pytest.mark.parametrize("row", _element_types, ids=lambda row: row["name"])
def test_each_type_has_its_names_everywhere(row):
    x = np.array([[0, 1], [1, 0], [1, 1]], np.uint8)
    changed = cornerturn.permute(x, (1, 0), dtype=row["dtype"])
    assert changed.dtype == numpy_dtype(row) and np.array_equal(changed.real.astype(np.uint8), x.T)
    if not np.iscomplexobj(changed):
        assert np.array_equal(cornerturn.permute(changed, (1, 0), dtype="uint8"), x)


@pytest.mark.parametrize("row", _element_types, ids=lambda row: row["name"])
def test_dlpack_has_one_code_for_each_type(row):
    x = np.array([[0, 1, 2], [3, 1, 0]], np.uint8).astype(numpy_dtype(row))

    def takes(code):
        out = np.zeros((3, 2), x.dtype)
        try:
            cornerturn.transpose(of_tensor(x, code=code, bits=8 * x.itemsize), out=out)
        except (TypeError, ValueError):
            return False
        return out.tobytes() == x.T.tobytes()

    assert [takes(code) for code in range(20)].count(True) == 1
