"""`cornerturn.layout`, against the program's counts. CORNERTURN names the program."""

import json
import os
import resource
import subprocess

import cornerturn
import numpy as np
import pytest

COLUMN, ROW = "(32,8):(1,32)", "(8,32):(32,1)"


def test_counts_are_those_of_the_program(tmp_path):
    subprocess.run([os.environ["CORNERTURN"], "layout", "(64,64):(64,1)", "--store-threads", COLUMN, "--load-threads", ROW, "--suggest",
                    "--json", tmp_path / "counts.json"], check=True, capture_output=True)
    told = json.loads((tmp_path / "counts.json").read_text())
    tile = cornerturn.layout("(64,64):(64,1)", COLUMN, load_threads=ROW, suggest=True)
    for name in ("wavefronts", "ideal_wavefronts", "sectors", "ideal_sectors"):
        assert getattr(tile, name) == sum(each[name] for each in told["instructions"])
        assert [getattr(each, name) for each in tile.instructions] == [each[name] for each in told["instructions"]]
    assert [each.text for each in tile.findings] == [each["text"] for each in told["findings"]]
    assert [tile.suggestion, tile.code, tile.suggested_wavefronts, tile.tma_swizzle] == [
        told["suggestion"][name] for name in ("layout", "code", "wavefronts", "tma_swizzle")]
    assert [tile.cute_dsl_code, tile.gluon_code] == [told["suggestion"][name] for name in ("cute_dsl_code", "gluon_code")]
    assert tile.gluon_code == "layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 32, [1, 0])"
    assert [tile.cuda_code, tile.padded_code] == [told["suggestion"]["cuda_code"], told["suggestion"]["padding"]["cuda_code"]] == [
        "__shared__ float tile[64][64];  // element (i, j) is tile[i][j ^ (i & 31)]",
        "__shared__ float tile[64][65];  // element (i, j) is tile[i][j]"]
    assert repr(tile) == ("LayoutExplanation((64,64):(64,1): wavefronts=4224 of 256 ideal, sectors=4608 of 1024 ideal, "
                          "suggestion=Sw<5,0,6> o _0 o (64,64):(64,1))")
    assert tile.picture().startswith("<svg")


def test_tuples_are_shape_and_stride():
    nested = cornerturn.layout(((8, (4, 2)), (1, (8, 64))), ((8, 4), (1, 8)))
    assert nested.layout == "(8,(4,2)):(1,(8,64))" and nested.suggestion is nested.suggested_wavefronts is nested.tma_swizzle is nested.cuda_code is nested.padded_code is nested.cute_dsl_code is nested.gluon_code is None and nested.elements == 96
    with pytest.raises(ValueError, match="layout is .*; it must be a str, an int, or a tuple of shape and stride"):
        cornerturn.layout((8, 4, 2), COLUMN)
    with pytest.raises(cornerturn.ArgumentError, match="is wrong at character 7"):
        cornerturn.layout("(64,64:(1,64)", COLUMN)
    with pytest.raises(TypeError, match="layout is 6.4; it must be a str, an int, or a tuple of shape and stride"):
        cornerturn.layout(6.4, COLUMN)
    assert cornerturn.layout(64, 32).wavefronts == cornerturn.layout("64", np.int64(32)).wavefronts == 2
    deep = 1
    for _ in range(100_000):  # more than the stack of a thread has room for
        deep = (deep,)
    for arguments in ({"layout": (deep, 1)}, {"layout": "4:1", "store_threads": (deep, deep)}):
        with pytest.raises(cornerturn.ArgumentError, match="^(layout|store_threads) is of type tuple; it must be nested at most 64 deep$"):
            cornerturn.layout(**arguments)


def test_a_page_that_cannot_be_written_keeps_the_older_one(tmp_path):
    tile, page, usual = cornerturn.layout("(64,64):(64,1)", ldmatrix=4), tmp_path / "page.html", resource.getrlimit(resource.RLIMIT_FSIZE)
    tile.html(page)
    older = page.read_text()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        with pytest.raises(ValueError, match="path is .*; it must be a file that can be written"):
            tile.html(page)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert page.read_text() == older and os.listdir(tmp_path) == ["page.html"]


def test_ldmatrix_and_the_page(tmp_path):
    tile = cornerturn.layout("(64,64):(64,1)", element=2, ldmatrix=4)
    assert (tile.wavefronts, tile.ideal_wavefronts) == (512, 64)
    tile.html(tmp_path / "page.html")
    assert '"layout":"(64,64):(64,1)"' in (tmp_path / "page.html").read_text()
    with pytest.raises(ValueError, match="path is .*; it must be a file that can be written"):
        tile.html(tmp_path / "none" / "page.html")
    tile.html(os.fsencode(tmp_path / "page.html"))
    name = os.fsencode(tmp_path) + b"/\xff.html"  # no UTF-8
    for path in (name, os.fsdecode(name)):
        tile.html(path)
        assert [each for each in os.listdir(os.fsencode(tmp_path)) if each != b"page.html"] == [b"\xff.html"]
        os.remove(name)
    for path, message in ((f"{tmp_path}/page.html\0.txt", "path is '.*page.html.x00.txt'; it must be without null characters"),
                          (f"{tmp_path}/\ud800.html", "path is '.*.ud800.html'; it must be a name that the system has bytes for")):
        with pytest.raises(ValueError, match=f"^{message}$"):
            tile.html(path)
    assert os.listdir(tmp_path) == ["page.html"]
    for method, wrong, message in ((tile.html, (), "path is missing; it must be a str or an os.PathLike"),
                                   (tile.html, (4,), "path is of type int; it must be a str or an os.PathLike"),
                                   (tile.picture, (4,), r"picture\(\) takes 0 arguments by position, not 1")):
        with pytest.raises(cornerturn.ArgumentTypeError, match=f"^{message}$"):
            method(*wrong)
    for wrong, kind in (("x4", TypeError), (3, ValueError), (-1, ValueError)):
        with pytest.raises(kind, match=f"^ldmatrix is '?{wrong}'?; it must be 1, 2 or 4, or 0 for none$"):
            cornerturn.layout("(64,64):(64,1)", element=2, ldmatrix=wrong)


def test_arguments_have_the_names_of_the_command():
    tile = "(64,64):(64,1)"
    options = dict(store_threads="(16,8):(1,16)", store_values="(1,4):(0,1)", store_vector=16)
    assert cornerturn.layout(tile, **options).instructions[0].store
    loads = cornerturn.layout(tile, **{name.replace("store", "load"): value for name, value in options.items()})
    assert not loads.instructions[0].store and loads.instructions[0].bytes == 16
    with pytest.raises(ValueError, match="^load_threads is '32:2', which gives 32"):
        cornerturn.layout(64, load_threads="32:2")
    with pytest.raises(ValueError, match="^store_vector is 16 bytes; it must be a divisor of"):
        cornerturn.layout(64, 32, store_vector=16)
    with pytest.raises(ValueError, match="^store_threads, load_threads or ldmatrix must be given"):
        cornerturn.layout(tile)


def test_one_access_at_any_addresses():
    column = cornerturn.layout(addresses="lane*128", space="shared")
    assert (column.wavefronts, column.ideal_wavefronts, column.element_size) == (32, 1, 4)
    assert cornerturn.layout(addresses=[0, 4, None, 128], access=4, store=True).instructions[0].store
    assert cornerturn.layout(addresses=[0, 4, None, 128]).instructions[0].active_lanes == 3
    assert cornerturn.layout(addresses=[128]).instructions[0].active_lanes == 1
    assert cornerturn.layout(addresses="128").instructions[0].active_lanes == 32
    for column in (range(0, 4096, 128), np.arange(32) * 128, tuple(np.arange(32, dtype=np.uint16) * 128)):
        assert cornerturn.layout(addresses=column).wavefronts == 32
    with pytest.raises(TypeError, match="^addresses is 128; it must be a str or a sequence of integers$"):
        cornerturn.layout(addresses=128)
    with pytest.raises(TypeError, match="^addresses is .*0.5.*; it must be an integer from 0 to"):
        cornerturn.layout(addresses=np.ones(4) / 2)
    with pytest.raises(ValueError, match="store_threads is .*; it must be None with addresses"):
        cornerturn.layout(store_threads=COLUMN, addresses="lane")
    with pytest.raises(TypeError, match="layout is None; it must be given, or addresses must be"):
        cornerturn.layout()


def test_the_memory_that_is_left_out_has_no_counts():
    tile = "(64,64):(64,1)"
    counts = lambda each: (each.wavefronts, each.ideal_wavefronts, each.sectors, each.ideal_sectors)
    shared, global_ = (cornerturn.layout(tile, COLUMN, space=space) for space in ("shared", "global"))
    assert counts(shared) == (4096, 128, None, None) and counts(global_) == (None, None, 4096, 512)
    assert repr(shared) == f"LayoutExplanation({tile}: wavefronts=4096 of 128 ideal)"
    assert repr(global_) == f"LayoutExplanation({tile}: sectors=4096 of 512 ideal)"
    assert repr(cornerturn.layout(tile, ldmatrix=4, element=2)) == f"LayoutExplanation({tile}: wavefronts=512 of 64 ideal)"
    assert repr(cornerturn.layout(addresses="lane*128")) == (
        "LayoutExplanation(addresses lane*128: wavefronts=32 of 1 ideal, sectors=32 of 4 ideal)")


def test_memories_and_swizzles_of_the_command():
    tile = "(64,64):(64,1)"
    kinds = lambda **options: {each.kind for each in cornerturn.layout(tile, COLUMN, **options).findings}
    assert kinds(space="shared") == {"stride-32"} and kinds(space="global") == {"scattered"}
    assert kinds() == {"stride-32", "scattered"}
    suggested = cornerturn.layout(tile, COLUMN, element=2, suggest=True, swizzles="tma")
    assert (suggested.suggestion, suggested.tma_swizzle) == ("Sw<3,3,3> o _0 o (64,64):(64,1)", 128)
    tiles = eval(suggested.rearrange_code, {"cornerturn": cornerturn, "x": np.arange(128 * 64, dtype="u2").reshape(128, 64)})
    assert tiles.shape == (2, 1, 64, 64) and tiles[0, 0, 9, :16].tolist() == [*range(9 * 64 + 8, 9 * 64 + 16), *range(9 * 64, 9 * 64 + 8)]
    for options, message in (({"space": "local"}, "space is 'local'; it must be 'shared', 'global' or 'both'"),
                             ({"swizzles": "all"}, "swizzles is 'all'; it must be 'any' or 'tma'")):
        with pytest.raises(ValueError, match=message):
            cornerturn.layout(tile, COLUMN, **options)
