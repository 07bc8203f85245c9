"""The command `cornerturn explain`. CORNERTURN names the program."""

import json
import math
import os
import re
import subprocess
from pathlib import Path

import pytest

from explain_program import (ACROSS, PROGRAM, TILE, check_sample, cost, counts, decimal, expect_narrow, has_gpu, printed, refused, run)
from rungs import RUNGS

TYPES = {"u8": 1, "u16": 2, "f32": 4, "f64": 8, "c128": 16}  # one of each size
SIZES = {"default": [], "long": ["--rows", "1000000", "--cols", "999999"], "ragged": ["--rows", "1999", "--cols", "3001"],
         "small": ["--rows", "37", "--cols", "41"], "one": ["--rows", "1", "--cols", "1"]}


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_the_table_fits_the_terminal_and_its_columns_stand_apart(size, type_name):
    text = printed("explain", *SIZES[size], "--type", type_name)
    expect_narrow(text)
    cell = r" +(?:-|box|\d+(?:\.\d)?(?: \(\d+(?:\.\d)?\))?)"
    rows = [line for line in text.splitlines() if line.split(" ")[0] in RUNGS]
    assert sorted(line.split()[0] for line in rows) == sorted(RUNGS)
    for line in rows:
        assert re.fullmatch(rf"\S+{cell}{cell}{cell}{cell} +\d\.\d\d  \S.*|\S+ +n/a: .*", line), line


@pytest.mark.parametrize("size", ["default", "long", "ragged"])
@pytest.mark.parametrize("type_name", ["u8", "c128"])
@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_fits_the_terminal(rung, type_name, size):
    expect_narrow(printed("explain", rung, *SIZES[size], "--type", type_name))


def test_help_and_layouts_fit_the_terminal():
    expect_narrow(printed("explain", "--help"))
    expect_narrow(printed("layout", "--help"))
    for element in [1, 4, 16]:
        expect_narrow(printed("layout", *TILE, *ACROSS, "--element", element))
    code = r"  (auto const layout = |__shared__ |layout(: gl\.constexpr)? = ).*"  # to paste: it may be longer
    lines = printed("layout", *TILE, *ACROSS, "--suggest").splitlines()
    assert sum(re.fullmatch(code, line) is not None for line in lines) == 5
    expect_narrow("\n".join(line for line in lines if not re.fullmatch(code, line)))


PLANS = {
    "interleave": ["256x224x224x3", "--axes", "0,3,1,2", "--type", "u8"],
    "unaligned": ["1999x3001", "--type", "u16"],
    "gather": ["33x65x127x31", "--axes", "3,1,0,2", "--type", "f32"],
    "small": ["512x512", "--type", "f32"],
    "flat": ["501x503x5", "--axes", "2,1,0", "--type", "f64"],
    "vec-both": ["48x56x60x36", "--axes", "3,1,2,0", "--type", "f64"],
}


@pytest.mark.parametrize("kernel", PLANS)
def test_a_plan_is_explained_as_rungs_are(kernel, tmp_path):
    text, [each] = counts(tmp_path, "explain", "--plan", *PLANS[kernel])
    expect_narrow(text)
    assert each["kernel"] == kernel and text.splitlines()[1].startswith(f"{kernel}: ")
    planned = json.loads((plan_of(PLANS[kernel], tmp_path)).read_text())["candidates"][0]
    assert each["plan"] == planned["kernel"] and each["expected_us"] == pytest.approx(planned["expected_us"])
    prediction = f"predicted (model of {each['gpu']}): {each['expected_us']:.4g} us, {each['expected_ratio']:.2f} of a copy"
    assert prediction in " ".join(text.split())
    assert ("because no GPU can be used here" in prediction) != has_gpu()
    for store in (False, True):
        moved = [it for it in each["instructions"] if it["space"] == "global" and it["store"] is store]
        assert sum(it["bytes_needed"] for it in moved) >= each["element_size"] * elements_of(PLANS[kernel][0])
    for it in each["instructions"]:
        assert it["requests"] > 0 and it["active_lanes"] <= 32 * it["requests"] or it["box"]


def plan_of(arguments, folder):
    """The candidates for the GPU that explain takes, too."""
    printed("plan", *arguments, "--device", "gpu" if has_gpu() else "h200", "--json", folder / "plan.json")
    return folder / "plan.json"


def elements_of(shape):
    return math.prod(map(int, shape.split("x")))


def test_what_a_plan_stores_is_the_array(tmp_path):
    for arguments in PLANS.values():
        _, [each] = counts(tmp_path, "explain", "--plan", *arguments)
        stored = sum(it["bytes_needed"] for it in each["instructions"] if it["space"] == "global" and it["store"])
        assert stored == TYPES[arguments[-1]] * elements_of(arguments[0])


def test_a_plan_follows_the_alignment(tmp_path):
    sectors = []
    for align in ("256", "16,256"):
        _, [each] = counts(tmp_path, "explain", "--plan", "512x512", "--align", align)
        sectors.append(sum(it["sectors"] for it in each["instructions"] if it["space"] == "global" and not it["store"]))
    assert sectors[0] == 512 * 512 * 4 // 32 < sectors[1]
    assert "element" not in printed("explain", "--plan", "512x512", "--align", "4").splitlines()[0]


def test_a_plan_where_there_is_nothing_to_move():
    assert printed("explain", "--plan", "0x5") == "0x5 f32 by 1,0\nthere is nothing to move\n"


@pytest.mark.parametrize("arguments, message", [
    (["--plan", "4x"], "--plan is '4x'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3"),
    (["--plan", "4x4", "--axes", "0,0"], "--axes is (0, 0); it must be a permutation of 0 to 1"),
    (["--plan", "4x4", "--align", "3"], "--align is 3; it must be a power of two from 1 to 256"),
    (["--plan", "4x4", "--to", "f8_e5m2", "--scales", "rows", "--align", "4"],
     "--align and --scales exclude each other, because only aligned matrices are explained"),
    (["--plan", "4x4", "--type", "f31"], "--type is 'f31'; it must be one of u8, "),
    (["--plan", "4x4", "--html", "page"], "--plan and --html exclude each other; see cornerturn explain --help"),
    (["--plan", "4x4", "--svg", "page"], "--plan and --svg exclude each other; see cornerturn explain --help"),
    (["copy", "--plan", "4x4"], "RUNG and --plan exclude each other; see cornerturn explain --help"),
    (["--axes", "1,0"], "--axes requires --plan; see cornerturn explain --help"),
    (["--plan", "2199023255552x7", "--type", "u8"], "the plan's number of blocks is "),
])
def test_what_makes_no_plan_is_refused(arguments, message):
    assert refused("explain", *arguments).startswith(message)


@pytest.mark.parametrize("size", ["default", "ragged"])
def test_the_copies_and_then_the_fastest_rungs_come_first(tmp_path, size):
    """Rungs of nearly the same speed are in the ladder's order."""
    text, all = counts(tmp_path, "explain", *SIZES[size])
    served = [each for each in all if not each["unavailable"]]
    near = lambda each: (not each["rung"].startswith("copy"), each["rung"].startswith("copy") or -round(each["predicted"] / 0.05))
    shown = [line.split()[0] for line in text.splitlines() if line.split(" ")[0] in RUNGS and "n/a" not in line]
    assert shown == [each["rung"] for each in sorted(served, key=near)] and shown[0] == "copy"


def test_a_misspelt_rung_is_found_by_its_beginning():
    for given, meant in (("smem-conflct", "smem-conflict-read or smem-conflict-write"), ("smem-conflict-reed", "smem-conflict-read"),
                         ("naive", "naive-read or naive-write"), ("tma-conflit", "tma-conflict")):
        assert refused("explain", given).endswith(f"; did you mean {meant}?")


def test_predicted_speeds_are_labelled(tmp_path):
    label = "predicted (model of an H200)"
    assert f"\nspeed: {label}, as a ratio to cudaMemcpy" in printed("explain")
    text, [each] = counts(tmp_path, "explain", "smem-padded")
    assert f"\n{label}: {each['predicted']:.2f} of a copy, limited by " in text and each["gpu"] == "an H200"
    assert "us, GB/s, ratio: predicted by the GPU's model, not measured, " in " ".join(printed("plan", "64x64", "--device", "h200").split())


@pytest.mark.parametrize("size", ["default", "ragged"])
def test_the_table_says_what_json_says(tmp_path, size):
    text, all = counts(tmp_path, "explain", *SIZES[size])
    assert [each["rung"] for each in all] == RUNGS
    lines = {line.split()[0]: line for line in text.splitlines() if line.split(" ")[0] in RUNGS}
    for each in all:
        line = lines[each["rung"]]
        if each["unavailable"]:
            assert "n/a: " + each["unavailable"][:40] in line and "instructions" not in each
            continue
        cells = re.findall(r" (-|box|\d+(?:\.\d)?(?: \(\d+(?:\.\d)?\))?)(?= )", line[19:])
        for shown, (space, store) in zip(cells, [("global", False), ("shared", True), ("shared", False), ("global", True)]):
            matching = [one for one in each["instructions"] if (one["space"], one["store"]) == (space, store)]
            mean, ideal = ("box", "box") if any(one["box"] for one in matching) else cost(matching) if matching else ("-", "-")
            assert shown == (mean if mean == ideal else f"{mean} ({ideal})"), line
        assert line.endswith(f" {each['predicted']:.2f}  {each['limit'].split()[0]}")


@pytest.mark.parametrize("type_name", TYPES)
def test_json(tmp_path, type_name):
    _, all = counts(tmp_path, "explain", "--rows", 512, "--cols", 1024, "--type", type_name)
    for each in all:
        assert (each["rows"], each["cols"], each["type"]) == (512, 1024, type_name)
        assert each["element_size"] == TYPES[type_name] and each["unavailable"] == "" and each["idea"]
        assert re.fullmatch(r"\d+x\d+", each["tile"]) and each["threads"] % 32 == 0 and each["classes"] >= 1
        assert 0 < each["predicted"] <= 1 and each["limit"]
        size = 512 * 1024 * TYPES[type_name]
        for instruction in each["instructions"]:
            if instruction["space"] == "global":
                assert instruction["bytes_moved"] == 32 * instruction["sectors"]
            else:
                assert instruction["bytes_moved"] == 128 * instruction["wavefronts"]
            assert instruction["requests"] <= instruction["active_lanes"]
            assert instruction["lines"] <= instruction["half_lines"] <= instruction["sectors"]
            assert max(instruction["partial_sectors"], instruction["warp_sectors"]) <= instruction["sectors"]
            for sample in instruction["samples"]:
                check_sample(sample, instruction)
        for store in [False, True]:
            needed = [one["bytes_needed"] for one in each["instructions"]
                      if one["space"] == "global" and one["store"] == store]
            assert sum(needed) == size, each["rung"]
        for found in each["findings"]:
            assert -1 <= found["instruction"] < len(each["instructions"]) and found["kind"] and found["text"]


def test_a_rung_says_what_json_says(tmp_path):
    for rung in ["smem-conflict-read", "tma", "vec-both"]:
        text, [each] = counts(tmp_path, "explain", rung)
        assert f"tiles of {each['tile']}\n" in text and f"\n{each['blocks']} blocks of {each['threads']} threads" in text
        lines = re.findall(r"^(global|shared) (load|store)(, boxes)? +(\S+):(\d+) +(.*)$", text, re.M)
        assert len(lines) == len(each["instructions"])
        for (space, kind, box, file, line, numbers), one in zip(lines, each["instructions"]):
            assert (space, kind == "store", box != "") == (one["space"], one["store"], one["box"])
            assert (file, int(line)) == (one["file"], one["line"])
            assert numbers.split() == [str(one["bytes"]), str(one["requests"]), decimal(one["active_lanes"] / one["requests"]),
                                       *cost([one]), f"{one['bytes_moved'] / one['bytes_needed']:.2f}"]
        problems = re.findall(r"\[(\S+)\]", text)
        assert problems == [found["kind"] for found in each["findings"]]
        assert ("No problem found." in text) == (problems == [])


def test_the_ladders_conflicts(tmp_path):
    _, all = counts(tmp_path, "explain")
    found = {each["rung"]: [one["kind"] for one in each["findings"]] for each in all}
    assert {rung: kinds for rung, kinds in found.items() if kinds} == {
        "naive-read": ["scattered"], "naive-write": ["scattered"], "smem-conflict-read": ["stride-32"],
        "smem-conflict-write": ["stride-32"], "vec-conflict-read": ["stride-32"], "tma-conflict": ["stride-32"]}
    assert "32-way bank conflict on average" in printed("explain", "smem-conflict-read")


@pytest.mark.parametrize("rungs", [[], ["tma"]], ids=["all", "one"])
def test_html(tmp_path, rungs):
    page = tmp_path / "page.html"
    printed("explain", *rungs, "--rows", 500, "--cols", 300, "--html", page)
    text = page.read_text()
    assert set(re.findall(r"https?://[^\s\"'<>]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(script|img|link|iframe)[^>]*\s(src|href)=", text)
    [embedded] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    data = json.loads(embedded)
    assert (data["rows"], data["cols"], data["type"]) == (500, 300, "f32")
    assert [(each["rung"], each["type"]) for each in data["explanations"]] == [
        (rung, type_name) for rung in rungs or RUNGS for type_name in TYPES]
    for each in data["explanations"]:
        assert each["unavailable"] or all(one["samples"] for one in each["instructions"])
    assert os.listdir(tmp_path) == ["page.html"]
    again = {each["type"]: each for each in data["explanations"] if each["rung"] == "tma"}["f32"]
    assert again == counts(tmp_path, "explain", "tma", "--rows", 500, "--cols", 300)[1][0]


def test_html_has_the_type_asked_for_and_says_pitch_and_alignment(tmp_path):
    page = tmp_path / "page.html"
    printed("explain", "copy", "--rows", 64, "--cols", 64, "--type", "i64", "--pitch", 66, "--align", "8,16", "--html", page)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])
    assert data["type"] == "i64"
    assert [(each["type"], each["source_align"], each["destination_align"]) for each in data["explanations"]] == [
        ("u8", 8, 16), ("u16", 8, 16), ("f32", 8, 16), ("i64", 8, 16), ("c128", 16, 16)]
    assert {(each["source_pitch"], each["destination_pitch"]) for each in data["explanations"]} == {(66, 64)}


def test_a_report_says_pitch_and_alignment(tmp_path):
    def sides(*arguments):
        text, [each] = counts(tmp_path, "explain", *arguments, "--rows", 64, "--cols", 96)
        found = [each[name] for name in ["source_pitch", "destination_pitch", "source_align", "destination_align"]]
        assert "pitches of {} and {} elements, buffers aligned to {} and {} bytes\n".format(*found) in text
        return found
    assert sides("vec-both") == [96, 64, 256, 256]
    assert sides("copy", "--align", 32) == [96, 96, 32, 32]
    assert sides("vec-both", "--pitch", "100,70", "--align", "4,8") == [100, 70, 4, 8]


def test_a_rung_that_cannot_serve_says_why():
    text = " ".join(printed("explain", "tma", *SIZES["ragged"]).split())
    assert text.endswith("n/a for 1999 x 3001 f32: the source's pitch in bytes is 12004; it must be a multiple of 16 below 2^40 "
                         "for TMA")


def test_narrow_accesses_say_why_they_are_no_vectors():
    text = lambda *arguments: " ".join(printed("explain", "vec-both", "--type", "u8", *arguments).split())
    narrow = lambda *arguments: [line for line in text(*arguments).split(" - ") if "[narrow]" in line]
    pitch, align = narrow("--cols", 4099, "--align", "256,4")
    assert "need 16 times fewer requests, but the source's pitch of 4099 bytes is no multiple of 16 [narrow]" in pitch
    assert "need 16 times fewer requests, but the destination is aligned to 4 bytes only [narrow]" in align


def test_loads_of_planes_that_the_l1_cache_serves_need_no_shared_memory():
    text = " ".join(printed("explain", "--plan", "8x224x224x3", "--axes", "0,3,1,2", "--type", "u8", "--to", "f32").split())
    assert " planes: " in text and "but the warp's other loads use the same sectors" in text
    assert "via shared memory" not in text


def test_a_plan_that_adds_reads_its_result():
    text, added = (printed("explain", "--plan", "256x512", "--alpha", "0.5", *options) for options in ((), ("--beta", "2")))
    assert text.startswith("256x512 f32 by 1,0, alpha 0.5\n") and added.startswith("256x512 f32 by 1,0, alpha 0.5, beta 2\n")
    assert added.count("global load") == text.count("global load") + 1


def test_the_legend_says_what_a_box_s_lanes_are():
    boxes = "boxes: a request is one box, its lanes are rows"
    assert boxes in printed("explain", "tma") and boxes not in printed("explain", "vec-both")


def test_pitches_and_alignments(tmp_path):
    def sectors(*arguments):
        [each] = counts(tmp_path, "explain", "copy", "--rows", 64, "--cols", 512, *arguments)[1]
        return [one["sectors"] for one in each["instructions"]]
    dense = 64 * 512 * 4 // 32
    assert sectors() == [dense, dense]
    assert sectors("--pitch", 516) == [dense + 32 * 4, dense]
    assert sectors("--pitch", "512,516") == [dense, dense + 32 * 4]
    assert sectors("--align", "16,256")[1] == dense < sectors("--align", "16,256")[0]
    assert sectors("--align", "256,16")[0] == dense < sectors("--align", "256,16")[1]
    assert min(sectors("--align", 16)) > dense


def test_bad_arguments_of_explain():
    explain = lambda *arguments: refused("explain", *arguments)
    assert explain("vec-bot") == f"RUNG is 'vec-bot'; it must be one of the {len(RUNGS)} rungs of the ladder; did you mean vec-both?"
    assert explain("SMEM-PADDED").endswith("; did you mean smem-padded?")
    assert explain("naive").endswith("; did you mean naive-read or naive-write?") and explain("xyz").endswith(" rungs of the ladder")
    assert explain("--type", "float").startswith("--type is 'float'; it must be one of u8, i8, ")
    assert explain("--rows", 0) == "--rows is 0; it must be 1 or more"
    assert explain("--cols", -1) == "--cols is -1; it must be 1 or more"
    assert explain("--pitch", 4095) == "--pitch is 4095; it must be at least the row's 4096 elements"
    assert explain("--pitch", 0) == "--pitch is 0; it must be at least the elements of a row"
    assert explain("--pitch", "4096,0") == "the destination's --pitch is 0; it must be at least the elements of a row"
    assert explain("--pitch", "4096,100") == "the destination's --pitch is 100; it must be at least the row's 4096 elements"
    expected = "it must be a power of two from the element size, 4, to 256"
    for align in [3, 2, 0, 512, -4]:
        assert explain("--align", align) == f"--align is {align}; {expected}"
    assert explain("--align", "3,256") == f"--align is 3; {expected}"
    assert explain("--align", "256,24") == f"the destination's --align is 24; {expected}"
    assert explain("--align", "8", "--type", "c128").endswith(" from the element size, 16, to 256")
    assert explain("--svg", "x.svg") == "--svg draws one rung; name the rung: cornerturn explain RUNG --svg FILE"
    assert explain("--rows", 2**62, "--cols", 2**62).endswith("it must be at most 2^62 bytes")
    for wrong in [["--pitch", ",5000"], ["--pitch", "5000,"], ["--pitch", "1,2,3"], ["--rows", "many"], ["--align", "x"],
                  ["copy", "tma"], ["--no-such-option"], ["--rows", 2**64]]:
        assert explain(*wrong), wrong


@pytest.mark.parametrize("option", ["--json", "--svg", "--html"])
def test_a_report_that_cannot_be_written(tmp_path, option):
    missing, folder, full = tmp_path / "missing" / "x", tmp_path / "folder", tmp_path / "full"
    folder.mkdir()
    full.symlink_to("/dev/full")
    commands = [["explain", "copy"], ["layout", *TILE]][: 1 if option == "--html" else 2]
    for command in commands:
        assert refused(*command, option, missing) == f"{missing} cannot be written: No such file or directory"
        assert refused(*command, option, folder) == f"{folder} cannot be written: Is a directory"
        assert refused(*command, option, "-") == "- cannot be written: name a file, or /dev/stdout"
        assert refused(*command, option, full) == f"{full} cannot be written: No space left on device"
    assert sorted(os.listdir(tmp_path)) == ["folder", "full"] and os.listdir(folder) == []


@pytest.mark.parametrize("command", [["info", "--json"], ["plan", "3x4", "--json"], ["explain", "copy", "--svg"],
                                     ["layout", *TILE, "--html"], ["ladder", "--rows", 9, "--cols", 8, "--kernels", "copy", "--json"]],
                         ids=lambda command: command[0])
def test_a_report_to_an_open_descriptor_keeps_what_is_in_its_file(tmp_path, command):
    kept, command = tmp_path / "kept", [str(word) for word in command]
    for path, redirection in [("/dev/stdout", ">>"), ("/dev/stderr", ">/dev/null 2>>"), ("/dev/fd/7", ">/dev/null 7>>")]:
        kept.write_text("older\n")
        before = kept.stat().st_ino
        written = ["bash", "-c", f'"$@" {redirection} {kept}', "bash", PROGRAM, *command, path]
        done = subprocess.run(written, capture_output=True, text=True)
        text = kept.read_text()
        assert done.returncode == 0 and kept.stat().st_ino == before, done
        assert text.startswith("older\n") and len(text) > 50 and ": written" not in text
    for path in ["/dev/fd/8", "/dev/fd/0"]:
        done = subprocess.run([PROGRAM, *command, path], input="", capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr == f"cornerturn: {path} cannot be written: Bad file descriptor\n"
    assert os.listdir(tmp_path) == ["kept"]


def test_bad_arguments_write_nothing_and_keep_what_is_there(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("older")
    for command in [["explain", "copy", "--rows", 0], ["explain", "copy", "--align", 3], ["layout", "64", "--threads", "32:2"]]:
        for option in ["--json", "--svg"]:
            refused(*command, option, kept)
            refused(*command, option, tmp_path / "new")
    refused("explain", "--svg", tmp_path / "new", "--json", kept)
    refused("explain", "copy", "--json", kept, "--html", tmp_path / "missing" / "page")
    assert kept.read_text() == "older" and os.listdir(tmp_path) == ["kept"]


@pytest.mark.parametrize("size", ["default", "long", "ragged"])
def test_an_explanation_records_few_of_many_blocks(tmp_path, size):
    most = {"default": 8, "long": 9, "ragged": 18}[size]  # of naive-write, whose blocks begin at eight places of a line
    for each in counts(tmp_path, "explain", *SIZES[size])[1]:
        assert each["unavailable"] or each["classes"] <= most < each["blocks"], each["rung"]


def test_the_source_s_line_stands_below_each_instruction(tmp_path):
    text, [each] = counts(tmp_path, "explain", "smem-conflict-read")
    folder = Path(__file__).parents[2] / "src/kernel/rung"
    for one in each["instructions"]:
        assert one["source"] == (folder / one["file"]).read_text().splitlines()[one["line"] - 1].strip()
        assert "block." in one["source"] and f"\n    {one['source'][:70]}" in text
    for arguments in PLANS.values():
        [plan] = counts(tmp_path, "explain", "--plan", *arguments)[1]
        assert all("block." in one["source"] for one in plan["instructions"])


def test_a_rung_that_does_not_support_the_matrix_is_no_success():
    done = run("explain", "tma", "--cols", 8193)
    assert done.returncode == 2 and "n/a for 4096 x 8193 f32" in done.stdout
    assert run("explain", "--cols", 8193).returncode == 0  # the table has n/a among others


def test_a_matrix_that_is_quantised():
    text = printed("explain", "--plan", "4096x8192", "--type", "bf16", "--to", "f8_e4m3fn", "--scales", "128x128", "--outputs", "both")
    expect_narrow(text)
    assert text.startswith("4096x8192 bf16 to f8_e4m3fn, scales of 128x128, outputs both\nquantize: ")
    # a request of a whole warp reads 16 bytes a lane, and stores half as many along rows and as many along columns
    assert re.search(r"^global load +source_tile.hpp:\d+ +16 +131072 +32 +16 +16 +1\.00$", text, re.MULTILINE), text
    assert re.search(r"^global store +store.hpp:\d+ +8 +131072 +32 +8 +8 +1\.00$", text, re.MULTILINE), text
    assert re.search(r"^global store +store.hpp:\d+ +16 +65536 +32 +16 +16 +1\.00$", text, re.MULTILINE), text
