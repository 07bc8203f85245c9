"""Plans, tuning and explaining."""

import re

import cornerturn
import ml_dtypes
import numpy as np
import pytest

X = np.arange(24.0).reshape(2, 3, 4)


@pytest.fixture(autouse=True)
def choices_of_this_test(tmp_path, monkeypatch):
    monkeypatch.setenv("CORNERTURN_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize("plan", [
    lambda: cornerturn.plan(X, (2, 0, 1)), lambda: cornerturn.plan((2, 3, 4), [2, 0, 1], dtype=float),
    lambda: cornerturn.plan([2, 3, 4], (-1, 0, 1), dtype="f8", device="cpu", effort="measure"),
], ids=["array", "shape", "measured"])
def test_a_plan_permutes(plan):
    plan, out = plan(), np.empty((4, 2, 3))
    assert np.array_equal(plan(X), X.transpose(2, 0, 1))
    assert plan(X, out) is out and plan(X, out=out) is out and np.array_equal(out, X.transpose(2, 0, 1))
    assert "of 8 bytes on the CPU" in plan.describe()
    assert repr(plan) == f"<cornerturn.Plan of float64 (2, 3, 4) by (2, 0, 1): {plan.describe()}>"


def test_a_plan_for_a_view():
    x = np.arange(48.0).reshape(2, 6, 4)[:, ::-2]
    assert np.array_equal(cornerturn.plan(x, (1, 0, 2))(x), x.transpose(1, 0, 2))
    empty = np.empty((0, 3))
    assert cornerturn.plan(empty)(empty).shape == (3, 0) and cornerturn.plan(empty).describe() == "nothing to move"


@pytest.mark.parametrize("arguments, message", [
    ((X.T,), "x.shape is (4, 3, 2); it must be (2, 3, 4), which the plan was made for"),
    ((X.astype("f4"),), "x.dtype is float32; it must be float64, as that of the plan"),
    ((np.asfortranarray(X),), "x.strides is (8, 16, 48); it must be (96, 32, 8) in bytes, which the plan was made for"),
    ((X, np.empty((2, 3, 4))), "out.shape is (2, 3, 4); it must be (4, 2, 3)"),
    ((X, np.empty((4, 2, 3), order="F")),
     "out.strides is (8, 32, 64); it must be (48, 24, 8) in bytes, which the plan was made for"),
])
def test_arrays_of_another_kind_are_refused(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        cornerturn.plan(X, (2, 0, 1))(*arguments)


@pytest.mark.parametrize("plan", [
    lambda **change: cornerturn.plan(X, (2, 0, 1), dtype="float32", **change),
    lambda **change: cornerturn.plan((2, 3, 4), (2, 0, 1), source=float, dtype="f4", **change),
    lambda **change: cornerturn.plan((2, 3, 4), (2, 0, 1), source=float, dtype=np.float32, effort="measure", **change),
], ids=["array", "shape", "measured"])
def test_a_plan_changes_elements(plan):
    halved, wanted = plan(alpha=0.5), X.transpose(2, 0, 1).astype("f4") / 2
    out = np.ones((4, 2, 3), "f4")
    assert halved(X).dtype == "f4" and np.array_equal(halved(X), wanted)
    assert halved(X, out) is out and np.array_equal(out, wanted)
    assert "of 4 bytes from 8 (f64 to f32, alpha 0.5) on the CPU" in halved.describe()
    assert repr(halved).startswith("<cornerturn.Plan of float64 (2, 3, 4) by (2, 0, 1): shape (4, 6), byte strides ")
    assert "convert f64 to f32" in halved.explain()
    added = plan(alpha=0.5, beta=2)
    assert np.array_equal(added(X, out), 3 * wanted)
    with pytest.raises(ValueError, match="^out is None; it must be an array, whose elements are multiplied by beta$"):
        added(X)
    with pytest.raises(ValueError, match="^out.dtype is float64; it must be float32, as that of the plan$"):
        halved(X, np.empty((4, 2, 3)))


def test_a_plan_of_the_dtype_that_an_array_has_keeps_its_bits():
    for plan in (cornerturn.plan(X, dtype="f8"), cornerturn.plan(X.shape, source=float, dtype="float64"),
                 cornerturn.plan(X.shape, source=float)):
        assert " of 8 bytes on the CPU" in plan.describe() and np.array_equal(plan(X), X.T)


def test_plans_of_other_numbers():
    z = X[0] + 1j * X[1]
    assert np.array_equal(cornerturn.plan(z, conj=True, alpha=2j)(z), 2j * z.T.conj())
    small = cornerturn.plan(X.shape, source="f8", dtype="float8_e4m3fn", alpha=100, saturate=True)(X)
    assert small.dtype == ml_dtypes.float8_e4m3fn and small.astype("f4").max() == 448
    again = cornerturn.plan(small)(small)
    assert again.dtype == small.dtype and np.array_equal(again.view("u1"), small.T.view("u1"))
    scale, bias = np.array([[1], [2], [3]]), np.array([[0.5], [0], [-0.5]])
    plan = cornerturn.plan(X[0], (0, 1), dtype="f4", scale=scale, bias=bias)
    del scale, bias
    assert np.array_equal(plan(X[0]), (X[0] * [[1], [2], [3]] + [[0.5], [0], [-0.5]]).astype("f4"))
    view = np.arange(48.0).reshape(2, 6, 4)[:, ::-2]
    assert np.array_equal(cornerturn.plan(view, (1, 0, 2), alpha=3)(view), 3 * view.transpose(1, 0, 2))
    assert cornerturn.plan((0, 3), source="f4", dtype="f8")(np.empty((0, 3), "f4")).dtype == np.float64


def test_choices_tell_operations_apart(tmp_path):
    case = {"source": "f4", "dtype": "f8", "device": "cpu"}
    assert cornerturn.tune((300, 200), alpha=0.5, **case).kernel
    assert cornerturn.tune((300, 200), scale=2, **case).seconds > 0
    for change, why in (({"alpha": 0.5}, "measured before"), ({"alpha": 0.25}, "estimated to be the fastest"),
                        ({"alpha": 0.5, "beta": 2}, "estimated to be the fastest"), ({"scale": 4}, "measured before")):
        assert cornerturn.plan((300, 200), **case, **change).describe().endswith("; " + why), change


def test_tune_remembers(tmp_path):
    tuned = cornerturn.tune((300, 200), (1, 0), dtype="u1")
    assert tuned.kernel and tuned.seconds > 0 and tuned.estimated_seconds > 0
    assert re.fullmatch(r"Tuned\(kernel='.*', seconds=\S+, estimated_seconds=\S+\)", repr(tuned))
    assert list((tmp_path / "cache").iterdir())


@pytest.mark.parametrize("x, dtype", [
    ((3, 4), "S0"), ((0, 4), "f4"), (np.zeros((3, 4), [("a", "S0"), ("b", "i4")])["a"], None), (np.zeros((3, 0)), None),
])
def test_tuning_where_there_is_nothing_to_move(x, dtype):
    tuned = cornerturn.tune(x, (1, 0), dtype=dtype)
    assert (tuned.kernel, tuned.seconds, tuned.estimated_seconds) == ("", 0, 0)


def test_explain():
    conflicted, padded = (cornerturn.explain(rung, rows=256, cols=512) for rung in ("smem-conflict-read", "smem-padded"))
    assert max(instruction.ways for instruction in conflicted.instructions) == 32
    assert max(instruction.ways for instruction in padded.instructions) == 1
    assert conflicted.findings[0].kind == "stride-32" and conflicted.rows == 256 and conflicted.cols == 512
    [lanes] = {len(request.lanes) for instruction in padded.instructions for request in instruction.samples}
    assert lanes == 32 and padded.picture().startswith("<svg") and padded.rung in cornerturn.rung_names()
    for name, meant in (("vec-boht", "vec-both"), ("smem-pad", "smem-padded")):
        with pytest.raises(ValueError, match=rf"^rung is '{name}'; it must be one of the .* rungs of the ladder; did you mean {meant}\?$"):
            cornerturn.explain(name)
    for type, meant in (("e4m3", "f8_e4m3fn"), ("float32", "f32"), ("fp8", "f8_e4m3fn or f8_e5m2")):
        with pytest.raises(ValueError, match=rf"^type is '{type}'; it must be one of .*; did you mean {meant}\?$"):
            cornerturn.explain("naive-read", type=type)


def test_explanations_show_what_they_count():
    explained = cornerturn.explain("smem-conflict-read", rows=256, cols=512)
    assert re.match(r"Explanation\(rung='smem-conflict-read', rows=256, cols=512, type='f32', tile='.*', threads=\d+, predicted=",
                    repr(explained))
    assert repr(explained.findings[0]) in repr(explained)
    assert re.fullmatch(r"Finding\(kind='stride-32', instruction=\d, text=.*\)", repr(explained.findings[0]))
    instruction = explained.instructions[0]
    assert re.fullmatch(r"MemoryInstruction\(file='.*', line=\d+, space='global', store=False, bytes=4, requests=\d+, "
                        r"sectors=\d+, ideal_sectors=\d+, wavefronts=\d+, ideal_wavefronts=\d+\)", repr(instruction))
    request = instruction.samples[0]
    assert re.fullmatch(r"MemoryRequest\(warp=0, occurrence=0, sectors=\d+, ideal_sectors=\d+, wavefronts=\d+, "
                        r"ideal_wavefronts=\d+\)", repr(request))
    assert re.fullmatch(r"LaneAccess\(lane=0, active=True, address=\d+, wavefront=\d+, group=-?\d+\)", repr(request.lanes[0]))
    assert re.fullmatch(r"TileMap\(space='shared', rows=\d+, cols=\d+\)", repr(explained.tiles[0]))


def test_a_plan_explains_itself():
    text = cornerturn.plan((8, 224, 224, 3), (0, 3, 1, 2), dtype="u1", device="cpu").explain()
    assert text.startswith("This plan runs on the CPU. Explained is what an H200 would run instead.\n")
    assert "interleave of 3 rows" in text and "global load, async" in text and "of a copy" in text
    assert max(map(len, text.splitlines())) <= 80
    assert cornerturn.plan(np.empty((0, 3))).explain() == "nothing to move"
    backwards = cornerturn.plan(np.arange(48.0).reshape(2, 6, 4)[:, ::-2], (1, 0, 2)).explain()
    assert "problem: shape (" in backwards
    with pytest.raises(ValueError, match=r"^the plan's number of blocks is \d+; it must be at most 67108864 to be explained$"):
        cornerturn.plan((3, 2**40), dtype="u1", device="cpu").explain()


def test_a_plan_has_axes_of_its_own():
    axes = [1, 0]
    plan = cornerturn.plan(np.ones((2, 3)), axes)
    axes[:] = [0, 1]
    assert plan(np.ones((2, 3))).shape == (3, 2)


@pytest.mark.parametrize("shape", [(2**28, 2**29), (2**57,)])
def test_a_plan_for_more_than_there_is_memory(shape):
    repeated = np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), shape, (0,) * len(shape))
    for plan in (cornerturn.plan(repeated), cornerturn.plan(shape, dtype="u1", device="cpu:0")):
        assert re.search("[a-z_]+ in tiles of [0-9]+ x [0-9]+ units of [0-9]+ byte", plan.describe())
