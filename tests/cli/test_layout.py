"""The command `cornerturn layout`. CORNERTURN names the program."""

import json
import resource
import subprocess

import pytest

from explain_program import (ACROSS, PROGRAM, TILE, bank_cells, check_sample, counts, drawn, expect_narrow, instrumented, printed, refused, run,
                             tile_cells, wavefronts_of)

ADDRESS_SPACE = 4 << 30


def test_svg_of_a_layout(tmp_path):
    rects, texts = drawn(tmp_path, "layout", "Swizzle<5,0,6> o (64,64):(64,1)", *TILE[1:])
    assert texts[0] == "Sw<5,0,6> o _0 o (64,64):(64,1)"
    assert tile_cells(rects) == 2 * 32 * 32 and wavefronts_of(texts) == [1, 32] and bank_cells(rects) == 2 * (32 + 32)
    rects, texts = drawn(tmp_path, "layout", "(4,(2,3)):(6,(1,2))", "--threads", "4:1")
    assert tile_cells(rects) == 4 * 6 and wavefronts_of(texts) == [1] and bank_cells(rects) == 32 + 4


def test_svg_of_a_layout_has_its_sectors_and_no_tma(tmp_path):
    rects, texts = drawn(tmp_path, "layout", "(64,64):(66,1)", *TILE[1:], *ACROSS)
    assert [text for text in texts if text.startswith("The same request of the ")] == [
        f"The same request of the {access}, if the tile is in global memory" for access in ("store", "load")]
    assert [text.split(";")[0] for text in texts if " sectors; a row is a 128-byte cache line" in text] == ["32 sectors", "4 sectors"]
    assert not any("TMA" in text for text in texts)


def test_svg_of_a_layout_counts_loads_and_stores_without_the_swizzle(tmp_path):
    pairs = ["--threads", "(2,16):(1,2)", "--other-threads", "(2,16):(1,2)", "--element", 8]
    _, texts = drawn(tmp_path, "layout", "Swizzle<1,0,3> o (1,16):(0,1)", *pairs)
    assert wavefronts_of(texts) == [2, 2, 1, 1]


def test_svg_of_a_layout_says_which_request_it_draws(tmp_path):
    _, texts = drawn(tmp_path, "layout", "(64,64):(64,1)", "--threads", "(33,2)")
    assert "The costliest request of the shared store: warp 0, occurrence 0, 32 of 32 lanes" in texts
    _, texts = drawn(tmp_path, "layout", "(9,64):(1,9)", "--threads", 9)
    assert "A request of the shared store: warp 0, occurrence 0, 9 of 32 lanes" in texts


def test_svg_of_lanes_at_one_address_has_one_cell(tmp_path):
    rects, texts = drawn(tmp_path, "layout", "(32,2):(0,1)", "--threads", "(32,1)")
    assert texts.count("0+") == 2 and sum(height == "18" for _, height in rects) == 4 + 1  # of a bank and of a sector


def test_what_no_gpu_does_has_no_verdict(tmp_path):
    torn = ["(64,64):(1,64)", "--threads", "(16,8):(1,16)", "--values", "(4,1):(1,0)", "--vector", 16,
            "--other-threads", "(8,16):(16,1)", "--other-values", "(1,4):(0,1)"]
    text = printed("layout", *torn)
    assert [line.split()[4:] for line in text.splitlines() if line.startswith(("store ", "load "))] == [
        ["4", "4", "none", "16", "16"], ["-"] * 5]
    assert "No bank conflict" not in text
    _, texts = drawn(tmp_path, "layout", *torn)
    assert "No GPU does the shared load: its vectors are misaligned or torn" in texts
    assert wavefronts_of(texts) == [4] and not any("request of the load" in text for text in texts)


def test_bad_arguments_of_layout():
    layout = lambda *arguments: refused("layout", *arguments)
    wrong = "(64,64:(1,64)"
    assert layout(wrong, "--threads", 32) == f"LAYOUT '{wrong}' is wrong at character 7, ':': ',' or ')' is expected"
    assert layout("float t[64][65]", "--threads", 32).endswith("; the C array float t[32][33] is (32,33):(33,1)")
    assert layout("64", "--threads", "3x").startswith("--threads '3x' is wrong at character 2, 'x': an unknown word; ")
    assert layout("64", "--threads", 32, "--values", "4)") == "--values '4)' is wrong at character 2, ')': a ')' without its '('"
    assert layout("64", "--threads", 32, "--other-threads", "8:").startswith("--other-threads '8:' is wrong at its end")
    assert layout("64", "--threads", 32, "--element", 3) == "--element is 3; it must be 1, 2, 4, 8 or 16 bytes"
    assert layout("64", "--threads", "32:2").startswith("--threads is '32:2', which gives 32 at (16); ")
    pointer = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"
    assert layout(pointer, "--threads", 32, "--element", 4) == (
        "--element is 4; it must be 2, as 'smem_ptr' points to elements of 16 bits")
    assert layout("pointer", "--threads", 32).endswith(": an unknown word; Swizzle, Sw, S, Int, C, Layout, Shape, Stride, composition, ptr, gmem_ptr, smem_ptr and o are known")
    assert layout("64", "--threads", 2048) == "the size of --threads is 2048; it must be at most 1024"
    assert layout("64", "--load-threads", "(2,2)") == "the rank of --load-threads is 2; it must be at most the tile's, 1; it leads from coordinates of the tile to threads"
    assert layout("(1024,512)", "--threads", 32) == "the LAYOUT's size is 524288; it must be at most 262144 elements"
    assert layout("--threads", 32).endswith(" is required; see cornerturn layout --help")
    assert layout("64").startswith("no access to the tile is given; --store-threads or --load-threads, or both, say ")
    for one, other in ["", "other-"], ["other-", ""]:
        for lonely in ["values", 4], ["vector", 16]:
            assert layout("64", f"--{one}threads", 32, f"--{other}{lonely[0]}", lonely[1]) == (
                f"--{'load' if other else 'store'}-threads is ''; it must be a layout, as values or a vector go with it")


def test_threads_and_values_past_the_tile_do_not_take_all_memory():
    if instrumented():
        pytest.skip("the sanitizer reserves address space")
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    done = run("layout", 64, "--threads", 1024, "--values", 1 << 18, preexec_fn=limit)
    assert done.returncode in (0, 2), done


def test_a_layouts_table_says_what_json_says(tmp_path):
    text, each = counts(tmp_path, "layout", *TILE, *ACROSS, "--element", 8)
    assert text.splitlines()[0] == "(64,64):(64,1): 4096 elements of 8 bytes"
    assert (each["layout"], each["elements"], each["element_size"]) == ("(64,64):(64,1)", 4096, 8)
    rows = [line.split() for line in text.splitlines() if line.startswith(("store ", "load "))]
    assert rows == [["store", "8", "128", "32", "32", "2", "16-way", "32", "8"],
                    ["load", "8", "128", "32", "2", "2", "none", "8", "8"]]
    for row, one in zip(rows, each["instructions"]):
        assert (row[0] == "store") == one["store"]
        assert [float(number) for number in row[4:6] + row[7:]] == [
            one[name] / one["requests"] for name in ["wavefronts", "ideal_wavefronts", "sectors", "ideal_sectors"]]
        for sample in one["samples"]:
            check_sample(sample, one)
    assert [found["kind"] for found in each["findings"]] == ["stride-32", "scattered"]


def test_a_layout_of_a_pointer_without_address():
    text = printed("layout", "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", "--threads", "(8,4)", "--element", 2)
    assert text.splitlines()[0] == "Sw<3,3,3> o _0 o (_8,_64):(_64,_1): 512 elements of 2 bytes"


def test_a_printed_tensor_has_its_own_element_size(tmp_path):
    tensor = "Sw<3,4,3>_smem_ptr[16b](0x7f0012345800) o (_64,_64):(_64,_1)"
    text, each = counts(tmp_path, "layout", tensor, "--threads", "(8,16):(1,8)", "--html", tmp_path / "page.html", "--suggest")
    assert text.splitlines()[0] == "Sw<3,3,3> o _0 o (_64,_64):(_64,_1): 4096 elements of 2 bytes"
    assert each["element_size"] == 2 and each["instructions"][0]["bytes"] == 2
    assert (tmp_path / "page.html").read_text().count('"element_size":2') == 2  # of the layout and of the suggestion
    shifted = printed("layout", tensor.replace("800)", "810)").replace("64,_64", "32,_64"), "--threads", "(8,16):(1,8)")
    assert shifted.startswith("Sw<3,3,3> o 8 o (_32,_64):(_64,_1): ")
    assert " of 4 bytes\n" in printed("layout", "gmem_ptr[32b](0x0) o (8,8):(8,1)", "--threads", 32)


def test_a_load_alone_is_counted_as_beside_a_store(tmp_path):
    text, both = counts(tmp_path, "layout", *TILE, "--other-threads", "(32,8):(1,32)")
    alone_text, alone = counts(tmp_path, "layout", TILE[0], "--other-threads", "(32,8):(1,32)", "--suggest")
    assert alone["instructions"] == both["instructions"][1:] and not alone["instructions"][0]["store"]
    assert [found["kind"] for found in alone["findings"]] == ["stride-32", "scattered"]
    assert [line for line in alone_text.splitlines() if line.startswith(("store ", "load "))] == [
        line for line in text.splitlines() if line.startswith("load ")]
    assert "Suggested: Sw<5,0,6> o _0 o (64,64):(64,1)" in alone_text
    _, texts = drawn(tmp_path, "layout", TILE[0], "--other-threads", "(32,8):(1,32)")
    assert any("the thread that loads the element" in each for each in texts)


def test_what_was_checked_is_said():
    text = printed("layout", "(64,64):(65,1)", *TILE[1:])
    assert "\nNo bank conflict.\n\nProblems in global memory:\n- global store: 32 sectors " in text
    assert "\nNo bank conflict and no excess sector.\n" in printed("layout", "(64,64):(1,64)", *TILE[1:])
    assert "No bank conflict" not in printed("layout", *TILE)
    assert printed("layout", "1", "--threads", 1).startswith("1:_1: 1 element of 4 bytes\n")


def test_the_memories_are_reported_apart(tmp_path):
    text, both = counts(tmp_path, "layout", *TILE)
    shared, global_ = "\nProblems in shared memory:\n", "\nProblems in global memory:\n"
    assert text.index(shared) < text.index(" [stride-32]") < text.index(global_) < text.index(" [scattered]")
    assert both["space"] == "both" and [found["space"] for found in both["findings"]] == ["shared", "global"]
    for space, kind, word, other in [("shared", "stride-32", "wavefronts", "sector"), ("global", "scattered", "sectors", "wavefront")]:
        text, each = counts(tmp_path, "layout", *TILE, "--space", space)
        assert [found["kind"] for found in each["findings"]] == [kind] and each["space"] == space
        assert word in text and other not in text
        _, texts = drawn(tmp_path, "layout", *TILE, "--space", space)
        assert any(f"if the tile is in global memory" in each for each in texts) == (space == "global")
        assert bool(wavefronts_of(texts)) == (space == "shared")
    assert "\nProblems in either memory:\n- store: 9 of 32 " in printed("layout", "(9,64):(1,9)", "--threads", 9)
    assert printed("layout", "(64,64):(1,64)", *TILE[1:], "--space", "global").endswith("\nNo excess sector.\n")
    assert refused("layout", *TILE, "--space", "local") == "--space is 'local'; it must be shared, global or both"
    assert run("layout", *TILE, "--space", "global", "--suggest").stderr.startswith("cornerturn: --space is global; ")


def test_a_suggestion():
    text = printed("layout", *TILE, *ACROSS, "--suggest")
    assert "\nSuggested: Sw<5,0,6> o _0 o (64,64):(64,1)\n256 wavefronts in all instead of 4224, in the same memory\n" in text
    assert "\n  auto const layout = composition(Swizzle<5, 0, 6>{}, Layout<Shape<_64, _64>, Stride<_64, _1>>{});\n" in text
    assert "\nWithout CuTe:\n  __shared__ float tile[64][64];  // element (i, j) is tile[i][j ^ (i & 31)]\n" in text
    assert ("\nOr padded, (64,64):(65,1): 256 wavefronts, 4159 elements:\n"
            "  __shared__ float tile[64][65];  // element (i, j) is tile[i][j]\n") in text
    assert ("\nIn CuTe DSL:\n  layout = cute.make_composed_layout(cute.make_swizzle(5, 0, 6), 0, cute.make_layout((64, 64), stride=(64, 1)))\n\n"
            "In Gluon of Triton:\n  layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 32, [1, 0])\n") in text
    assert "padded" not in printed("layout", *TILE, *ACROSS, "--suggest", "--swizzles", "tma")
    vectors = ["--threads", "(16,8):(1,16)", "--values", "(4,1):(1,0)", "--vector", 16, "--suggest"]
    text = printed("layout", "Swizzle<3,2,6> o (64,64):(1,64)", *vectors)
    assert ("\nSuggested: (64,64):(1,64)\n128 wavefronts in all and 4096 elements, as with the given layout,\n"
            "whose swizzle is not needed\n") in text
    text = printed("layout", "(64,64):(65,1)", "--threads", "(32,4)", "--values", "(1,4):(0,1)", "--vector", 16, "--suggest")
    assert "\nSuggested: (64,64):(68,1)\n128 wavefronts in all, 4348 elements instead of 4159\n" in text
    assert "\n  __shared__ alignas(16) float tile[64][68];  // element (i, j) is tile[i][j]\n" in text and "padded" not in text
    text = printed("layout", "(40,40):(40,1)", *TILE[1:], *ACROSS, "--suggest")
    assert "\nIn CuTe DSL:\n" in text and "\nGluon of Triton has no such layout. Its extents and paddings are powers of two,\n" in text
    text = printed("layout", "(4,8):(32,1024)", "--threads", "(4,8):(1,4)", "--suggest")
    assert "\n4 wavefronts in all instead of 32, " in text
    assert "\nConflicts remain (1 wavefront would be ideal): " in text
    text = printed("layout", "(64,72):(73,1)", *TILE[1:], "--suggest")
    assert ("\nSuggested: the given layout; no padding and no swizzle is better.\n\n"
            "With it, no access has a bank conflict.\n") in text


def test_svg_of_a_suggestion_is_below_that_of_the_layout(tmp_path):
    _, texts = drawn(tmp_path, "layout", *TILE, *ACROSS, "--suggest", "--space", "shared")
    at = texts.index("Suggested: Sw<5,0,6> o _0 o (64,64):(64,1)")
    assert wavefronts_of(texts[:at]) == [32, 1] and wavefronts_of(texts[at:])[0::2] == [1, 1]
    _, texts = drawn(tmp_path, "layout", "(64,72):(73,1)", *TILE[1:], "--suggest")
    assert not any("Suggested" in text for text in texts)


def test_the_suggested_code_can_be_given(tmp_path):
    text, each = counts(tmp_path, "layout", *TILE, *ACROSS, "--suggest")
    code = each["suggestion"]["code"].removeprefix("auto const layout = ").removesuffix(";")
    assert f" {code};" in text
    _, given = counts(tmp_path, "layout", code, *TILE[1:], *ACROSS)
    assert sum(one["wavefronts"] for one in given["instructions"]) == each["suggestion"]["wavefronts"]
    pointed = "composition(Swizzle<3,3,3>{}, Layout<Shape<_64,_64>,Stride<_64,_1>>{})"
    assert printed("layout", pointed, *TILE[1:]).startswith("Sw<3,3,3> o _0 o (_64,_64):(_64,_1): ")


def test_a_suggestion_that_tma_and_wgmma_have(tmp_path):
    tile = ["(64,64):(64,1)", "--element", 2, "--threads", "(8,4):(1,8)", "--values", "(1,8):(0,1)", "--vector", 16, "--suggest"]
    text, each = counts(tmp_path, "layout", *tile, "--swizzles", "tma")
    assert each["suggestion"]["layout"] == "Sw<3,3,3> o _0 o (64,64):(64,1)" and each["suggestion"]["tma_swizzle"] == 128
    assert "\nIts swizzle is the 128-byte mode of TMA and wgmma; " in text
    code = 'cornerturn.rearrange(x, "(m a) (k b) -> m k | a b", a=64, b=64, swizzle="Sw<3,4,3>")'
    assert each["suggestion"]["rearrange_code"] == code and code.replace(" ", "") in text.replace("\n", "").replace(" ", "")
    text, each = counts(tmp_path, "layout", *TILE, *ACROSS, "--suggest")
    assert "\nTMA and wgmma do not have its swizzle; " in text and each["suggestion"]["tma_swizzle"] == 0
    assert each["suggestion"]["rearrange_code"] == "" and "rearrange" not in text
    text, each = counts(tmp_path, "layout", *TILE, *ACROSS, "--suggest", "--swizzles", "tma")
    assert each["suggestion"]["layout"] in ("(64,64):(64,1)", *(f"Sw<{bits},2,3> o _0 o (64,64):(64,1)" for bits in (1, 2, 3)))
    assert refused("layout", *tile, "--swizzles", "all") == "--swizzles is 'all'; it must be any or tma"


def test_ldmatrix_is_counted_by_matrices(tmp_path):
    """Each matrix of 8 rows of 16 bytes is a phase, which takes one wavefront if its rows are in different banks."""
    def figures(layout, matrices, *more):
        _, each = counts(tmp_path, "layout", layout, "--ldmatrix", matrices, "--element", 2, *more)
        load = each["instructions"][-1]
        for sample in load["samples"]:
            check_sample(sample, load)
        assert not load["store"] and load["bytes"] == 16
        return [load[name] for name in ("requests", "active_lanes", "ideal_wavefronts", "wavefronts")], load["samples"][0]
    assert figures("(64,64):(64,1)", "x4")[0] == [16, 512, 64, 512]  # rows of 128 bytes: all in the same four banks
    assert figures("(64,64):(72,1)", "x4")[0] == [16, 512, 64, 64]
    assert figures("Swizzle<3,3,3> o (64,64):(64,1)", "x4")[0] == [16, 512, 64, 64]
    assert figures("(64,64):(64,1)", "x2")[0] == [32, 512, 64, 512] and figures("(64,64):(64,1)", "x1")[0] == [64, 512, 64, 512]
    sample = figures("(64,64):(72,1)", "x4")[1]
    assert sample["addresses"] == [144 * (lane % 16) + 16 * (lane // 16) for lane in range(32)]
    assert figures("(64,64):(72,1)", "x1")[1]["addresses"][7:9] == [144 * 7, None]
    both, _ = figures("(64,64):(64,1)", "x4", "--threads", "(8,4):(1,8)", "--values", "(1,8):(0,1)", "--vector", 16, "--suggest",
                      "--swizzles", "tma")
    assert json.loads((tmp_path / "counts.json").read_text())["suggestion"]["layout"] == "Sw<3,3,3> o _0 o (64,64):(64,1)"
    assert "[torn-vector]" in printed("layout", "(64,64):(1,64)", "--ldmatrix", "x4", "--element", 2)
    assert refused("layout", "(12,64):(64,1)", "--ldmatrix", "x4", "--element", 2) == (
        "LAYOUT is 12 x 64 elements of 2 bytes; it must be a multiple of the 16 x 16 elements that ldmatrix.x4 reads")
    assert refused("layout", "64", "--ldmatrix", "x3") == "--ldmatrix is 'x3'; it must be x1, x2 or x4"
    assert refused("layout", *TILE, *ACROSS, "--ldmatrix", "x4").endswith("; it must be absent, as ldmatrix is the load")
    assert refused("layout", "64", "--load-vector", "8", "--ldmatrix", "x4") == (
        "--load-vector is 8; it must be absent, as ldmatrix is the load")
    assert refused("layout", "(64,64):(64,1)", "--ldmatrix", "x4", "--space", "global") == (
        "--space is global; it must be shared or both with ldmatrix, which reads shared memory")
    text = printed("layout", "(64,64):(64,1)", "--ldmatrix", "x4", "--element", 2)
    assert next(row for row in text.splitlines() if row.startswith("load ")).split()[-2:] == ["-", "-"]
    assert "global memory:" not in text
    assert "\nNo bank conflict.\n" in printed("layout", "(64,64):(72,1)", "--ldmatrix", "x4", "--element", 2)


def test_ldmatrix_is_drawn_with_the_lanes_that_give_addresses_and_without_global_memory(tmp_path):
    _, texts = drawn(tmp_path, "layout", "(64,64):(64,1)", "--ldmatrix", "x4", "--element", 2)
    assert "Colour: bank. Number: the lane that gives the address of the element's row." in texts
    assert wavefronts_of(texts) == [32] and not any("global memory" in text for text in texts)
    _, texts = drawn(tmp_path, "layout", "(64,64):(64,1)", "--ldmatrix", "x4", "--element", 2, "--store-threads", "(8,4):(1,8)")
    assert "Colour: bank. Number: the thread that stores the element." in texts
    assert [text for text in texts if "global memory" in text] == ["The same request of the store, if the tile is in global memory"]


def test_where_nothing_can_be_suggested_the_analysis_is_printed(tmp_path):
    torn = ["layout", "(64,64):(64,1)", "--threads", "(32,4)", "--values", "(4,1):(1,0)", "--vector", 16]
    done = run(*torn, "--suggest", "--json", tmp_path / "counts.json")
    assert done.returncode == 2 and done.stdout == printed(*torn) and "torn-vector" in done.stdout
    assert done.stderr.startswith("cornerturn: LAYOUT is '(64,64):(64,1)'; it must be one where the 16 bytes of a vector are contiguous")
    assert not list(tmp_path.iterdir())
    merged = subprocess.run([PROGRAM, *map(str, torn), "--suggest"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert merged.stdout == done.stdout + done.stderr  # the error stands where "Suggested:" would


def test_addresses_of_lanes(tmp_path):
    def figures(addresses, *more):
        _, each = counts(tmp_path, "layout", "--addresses", addresses, *more)
        [one] = each["instructions"]
        for sample in one["samples"]:
            check_sample(sample, one)
        return [one[name] for name in ("active_lanes", "wavefronts", "sectors")], one
    listed = ",".join(str(132 * lane) for lane in range(32))
    assert figures("lane*132")[0] == figures(listed)[0] == [32, 1, 32]
    assert figures("lane*128")[0] == [32, 32, 32]
    assert figures("0")[0] == [32, 1, 1]  # a broadcast
    assert figures("lane%8*16", "--access", 16)[0] == [32, 4, 4]
    scattered, one = figures("(lane*7)%32*4", "--store")
    assert scattered == [32, 1, 4] and one["store"] and one["samples"][0]["addresses"][:3] == [0, 28, 56]
    assert figures("lane<16 ? lane*4 : ~lane & 0x7f")[0] == figures(
        ",".join(str(lane * 4 if lane < 16 else ~lane & 0x7f) for lane in range(32)))[0]
    some, one = figures("0x80, -, lane<<2")
    assert some == [2, 1, 2] and one["samples"][0]["addresses"] == [128, None, 8] + 29 * [None]


def test_addresses_in_reports_and_pictures(tmp_path):
    text = printed("layout", "--addresses", "lane*128")
    assert text.startswith("addresses lane*128: 4 bytes per lane of a warp\n") and "32-way" in text and "[stride-32]" in text
    assert "sector" not in printed("layout", "--addresses", "lane*128", "--space", "shared")
    _, texts = drawn(tmp_path, "layout", "--addresses", "lane*128")
    assert texts[0] == "lane*128" and wavefronts_of(texts) == [32] and not any(text.startswith("Tile of") for text in texts)
    text = printed("layout", "--addresses", "lane*2", "--access", 4)
    assert "[misaligned-vector]" in text and [line.split()[4:] for line in text.splitlines() if line.startswith("load ")] == [["-"] * 5]


def test_a_tile_without_strides_is_said_to_be_column_major():
    said = lambda layout: " ".join(printed("layout", layout, "--load-threads", "(32,1)").split())
    assert said("(32,64)").endswith("the first mode has stride 1. Element (i,j) is at i + 32 j; float t[32][64] is (32,64):(64,1).")
    assert said("Swizzle<3,0,5> o (32,32)").endswith("No strides are given, so the layout is column-major: the first mode has stride 1.")
    assert "No strides" in said("composition(Swizzle<5,0,5>{}, Layout<Shape<_32,_32>>{})")
    assert not [each for each in ("(32,32):(32,1)", "Layout<Shape<_32,_32>,Stride<_32,_1>>", "(32,1)", "Swizzle<3,0,5> o (32,1)")
                if "strides" in said(each)]


def test_the_order_of_threads_without_strides_is_said():
    said = lambda *threads: " ".join(printed("layout", "(32,32):(32,1)", *threads).split())
    assert said("--load-threads", "(8,32)").endswith(
        "--load-threads has no strides, so neighbouring threads are along the first mode. Thread i + 8 j accesses element (i,j); "
        "along the second mode it is (8,32):(32,1).")
    assert said("--store-threads", "((2,4),32)", "--load-threads", "(8,32):(32,1)").endswith(
        "--store-threads has no strides, so neighbouring threads are along the first mode.")
    assert "has no strides" not in said("--store-threads", "(32,1)", "--load-threads", "(8,32):(32,1)")


def test_a_map_of_the_ladder_can_be_counted():
    composed = "Sw<5,0,6> o _0 o ((_32,_8),_1,(_2,_8)):((_64,_1),_1,(_2048,_8))"
    assert "No bank conflict." in printed("layout", composed, "--load-threads", "256", "--space", "shared")


def test_bad_addresses():
    bad = lambda text, *more: refused("layout", f"--addresses={text}", *more)
    assert bad("lane*") == "--addresses 'lane*' is wrong at its end: an integer, a name, '-' or '(' is expected"
    assert bad("threadIdx.x*128").endswith("character 1, 't': a thread's index in its warp is called 'lane'")
    assert bad("lanes") == "--addresses 'lanes' is wrong at character 1, 'l': an integer, 'lane', '-' or '(' is expected"
    assert bad("(lane 4") == "--addresses '(lane 4' is wrong at character 7, '4': an operator or ')' is expected"
    assert bad("4 4") == "--addresses '4 4' is wrong at character 3, '4': an operator, ',' or the end is expected"
    assert bad("lane-1") == "--addresses is 'lane-1'; it must be 0 or more; lane 0 has -1"
    assert bad("8%(lane+1-4)") == "--addresses '8%(lane+1-4)' is wrong at character 1, '8': a division by 0, in lane 3"
    assert bad("1<<(40-lane)").endswith("a shift by 40; it must be by 0 to 31, in lane 0")
    assert bad("lane*99999999").endswith(
        ": 22 * 99999999 is out of range; values go from -2147483647 to 2147483647, in lane 22")
    assert bad(",".join(["0"] * 33)) == "the number of entries of --addresses is 33; it must be 1 to 32"
    assert bad("-") == "--addresses is '-'; it must be one with an active lane"
    assert bad("0", "--access", 3) == "--access is 3; it must be 1, 2, 4, 8 or 16 bytes"
    assert "--store-threads" in bad("0", "--threads", 32) and "--addresses" in refused("layout", "64", "--threads", 32, "--store")
    assert bad("(" * 99 + "0" + ")" * 99).endswith("nest 64 deep at most")


def test_a_layout_of_triton_is_one_of_cute(tmp_path):
    tile, threads = "[64, 64], gl.SwizzledSharedLayout(8, 1, 8, order=[1, 0])", "gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])"
    text, told = counts(tmp_path, "layout", tile, "--store-threads", threads, "--element", 2)
    _, same = counts(tmp_path, "layout", "Swizzle<3,3,3> o (64,64):(64,1)", "--store-threads", "((4,4),8):((8,32),1)", "--store-values",
                     "(1,8)", "--store-vector", 16, "--element", 2)
    expect_narrow(text)
    assert told["layout"] == same["layout"] and "No strides are given" not in text and "has no strides" not in text
    assert [each["wavefronts"] for each in told["instructions"]] == [each["wavefronts"] for each in same["instructions"]] == [64]
    assert refused("layout", tile, "--store-threads", threads, "--store-values", "(1,8)") == (
        "--store-values is '(1,8)'; it must be absent with a layout of Triton")
