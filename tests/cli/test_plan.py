"""The command `cornerturn plan`. CORNERTURN names the program."""

import gzip
import json
import math
import os
import pathlib
import re
import subprocess

import pytest

from element_types import BY_SIZE, F8, QUANTIZABLE, any_of

PROGRAM = os.environ["CORNERTURN"]
NHWC = ["256x224x224x3", "--axes", "0,3,1,2", "--type", "u8"]
H200 = ["--device", "h200"]
WIDTH = 80
MEASURED = pathlib.Path(__file__).parents[2] / "bench/results/h200-operations.json.gz"


def run(*arguments):
    return subprocess.run([PROGRAM, "plan", *map(str, arguments)], capture_output=True, text=True)


def planned(*arguments):
    done = run(*arguments)
    assert done.returncode == 0 and done.stderr == "", done
    assert all(len(line) <= WIDTH for line in done.stdout.splitlines() if not line.endswith(".json: written")), done.stdout
    return done.stdout


def has_gpu():
    return "\nGPUs          none: " not in subprocess.run([PROGRAM, "info"], capture_output=True, text=True).stdout


def refused(*arguments):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1, done
    return done.stderr.removeprefix("cornerturn: ").rstrip("\n")


def rows(printed):
    """What is said of each candidate's kernel."""
    found = re.findall(r"^ +\d+\.\d\d +\d+ +\d\.\d{3}  (\S.*(?:\n {24}(?!and )\S.*)*)", printed, re.MULTILINE)
    return [" ".join(row.split()) for row in found]


def figures(printed):
    """Microseconds and ratio of each candidate."""
    return [(float(us), float(ratio)) for us, ratio in re.findall(r"^ +(\d+\.\d\d) +\d+ +(\d\.\d{3})  \S", printed, re.MULTILINE)]


@pytest.mark.parametrize("case", [
    NHWC, ["16384x16384"], ["32x15x15x15x15x32"], ["7"], ["x".join(["2"] * 26), "--type", "c128"],
    ["16381x16389", "--type", "u8", "--source-align", "1", "--destination-align", "1"], ["1x1"]], ids=lambda case: case[0])
def test_prints_the_candidates_the_fastest_first(case):
    found = figures(planned(*case, *H200, "--all"))
    assert found and found == sorted(found, key=lambda each: each[0])


@pytest.mark.parametrize("case", [NHWC, ["16384x16384"], ["8388608x16", "--type", "bf16"]], ids=lambda case: case[0])
def test_candidates_differ_visibly(case, tmp_path):
    """A row that is much like the last full one has only the parts that differ from that one or from the row above."""
    printed = rows(planned(*case, *H200, "--all", "--json", tmp_path / "plan.json"))
    kernels = [each["kernel"] for each in json.loads((tmp_path / "plan.json").read_text())["candidates"]]
    assert len(set(kernels)) == len(kernels) == len(printed)
    full = above = []
    for kernel, row in zip(kernels, printed):
        parts = re.split(", |: ", kernel)
        new = [part for part in parts if part not in full or part not in above]
        if len(parts) == len(full) and 2 * len(new) <= len(parts):
            assert row == "as above, but " + ", ".join(new)
        else:
            assert row == kernel
            full = parts
        above = parts
    assert case != ["16384x16384"] or "as above, but vec-both 128x64" in printed


def test_lists_the_fastest_few():
    every, few = planned(*NHWC, *H200, "--all"), planned(*NHWC, *H200)
    assert rows(few) == rows(every)[:5] and f"and {len(rows(every)) - 5} slower ones" in few and "slower" not in every


def test_gb_per_second():
    [first] = re.findall(r"\n\n.*kernel\n +([\d.]+) +(\d+) ", planned(*NHWC, *H200))
    assert int(first[1]) == pytest.approx(2 * 256 * 224 * 224 * 3 / float(first[0]) / 1000, abs=1)


def test_says_what_a_ratio_is_and_what_one_above_1_means():
    words = lambda *case: " ".join(planned(*case, *H200).split())
    assert "ratio: the speed divided by a copy's of the same number of bytes, launched likewise" in words(*NHWC) and "above 1" not in words(*NHWC)
    assert "above 1: launches in a row overlap or find their data in the L2 cache; do not expect it of a single" in words("1024x1024")
    assert "above 1: it reads more than it writes" in words("16384x16384", "--beta", "1")
    assert "above 1: estimates err by a few percent, so take it for 1" in words("16384x16384", "--type", "f64")


def test_says_what_it_was_asked():
    printed = planned(*NHWC, *H200, "--source-align", 4).splitlines()
    assert printed[0] == "256x224x224x3 u8 by 0,3,1,2: 38.5 MB read and as much written"
    assert printed[2] == "source aligned to 4 bytes, destination to 16 bytes; the fastest first"
    assert planned("2x3x4").startswith("2x3x4 f32 by 2,1,0: ")
    assert "There is nothing to move." in planned("3x0")
    planned("--help")


def test_plans_for_the_processor_that_is_there():
    line = planned(*NHWC).splitlines()[1]
    assert line.startswith("for ") and ("of an AMD EPYC (Zen 4)" in line) != has_gpu()
    assert planned(*NHWC, *H200).splitlines()[1] == "for an H200" and "Here" not in planned(*NHWC, *H200)


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused():
    assert refused(*NHWC, "--device", "gpu").startswith("--device is 'gpu'; it must be cpu, auto or h200 here: ")


@pytest.mark.parametrize("shape, axes, kind", [("8796093022208", "0", "f64"), ("2199023255552x64", "1,0", "u8")])
def test_refuses_shapes_that_a_gpu_cannot_count(shape, axes, kind):
    said = refused(shape, "--axes", axes, "--type", kind, *H200)
    assert said == "the array's number of tiles is 4294967296; it must be at most 2147483647 on a GPU"


def test_refuses_to_change_elements_that_a_gpu_cannot_count():
    said = refused("8796093022208", "--axes", "0", "--type", "f64", "--to", "f32", *H200)
    assert said.startswith("the array is of shape (8796093022208,), byte strides (8,) to (4,), ") and " it must be one of at most 2147483647 tiles, " in said


def test_the_cpu_s(tmp_path):
    printed = planned("3000x4000", "--device", "cpu", "--json", tmp_path / "plan.json")
    written = json.loads((tmp_path / "plan.json").read_text())["candidates"]
    flat = " ".join(printed.split())
    assert 1 < len(written) <= 8 and rows(printed) == [each["kernel"] for each in written]
    assert figures(printed) == [(round(each["expected_us"], 2), round(each["expected_ratio"], 3)) for each in written]
    assert all(each["model"] == written[0]["model"] and 0.2 < each["expected_ratio"] < 1 for each in written)
    assert f"for {written[0]['model']} the first is planned, by rules; cornerturn tune times all of them" in flat
    assert "predicted by the model of this one processor, not measured here" in flat
    assert planned("3000x4000", "--device", "cpu", "--threads", "1").splitlines()[1].startswith("for 1 thread of an AMD EPYC (Zen 4)")
    assert "Here: shape (4000, 3000), byte strides (4, 16000) to (12000, 4), elements of 4 bytes on the CPU (" in flat
    assert "shape, strides: NumPy's for the permuted view of the source and for the result" in flat
    assert "There is nothing to move." in planned("3x0", "--device", "cpu")


def test_elements_that_change(tmp_path):
    printed = planned("300x400", "--to", "bfloat16", *H200, "--json", tmp_path / "plan.json")
    assert printed == planned("300x400", "--dtype", "bfloat16", *H200, "--json", tmp_path / "plan.json")
    assert printed.startswith("300x400 f32 to bf16 by 1,0: 480 KB read and 240 KB written")
    written = json.loads((tmp_path / "plan.json").read_text())
    assert written["to"] == "bf16" and written["candidates"][0]["kernel"].startswith("convert f32 to bf16, ")
    on_cpu = " ".join(planned("3000x4000", "--to", "u8", "--device", "cpu").split())
    assert "convert f32 to u8 in boxes" in on_cpu and "of 1 byte from 4 (f32 to u8) on the CPU" in on_cpu


def test_the_cpu_s_stores_are_described_once(tmp_path):
    planned("8191x8193", "--device", "cpu", "--to", "u8", "--json", tmp_path / "plan.json")
    kernels = [each["kernel"] for each in json.loads((tmp_path / "plan.json").read_text())["candidates"]]
    assert {kernel.count("with non-temporal stores") for kernel in kernels if "in boxes" in kernel} == {1}


def test_estimates_are_near_what_was_measured(tmp_path):
    errors = {}
    for each in json.load(gzip.open(MEASURED))["cases"]:
        types, *words = each["operation"].split(", ")
        if "scaled" in words or re.search(r"\di\b", each["operation"]):
            continue  # the command has real factors for all elements
        source, to = types.split(" to ")
        change = [part for word in words for part in f"--{word.replace('conjugate', 'conj')}".split()]
        planned("x".join(map(str, each["shape"])), "--axes", ",".join(map(str, each["axes"])), "--type", source.replace("bool", "u8"),
                "--to", to, *change, *H200, "--json", tmp_path / "plan.json")
        expected = json.loads((tmp_path / "plan.json").read_text())["candidates"][0]["expected_us"]
        errors[str(each["shape"]), each["operation"]] = math.log(expected / (1000 * each["ms"]))
    assert len(errors) > 40
    assert max(map(abs, errors.values())) < 0.3, errors
    assert sum(map(abs, errors.values())) / len(errors) < 0.07, errors


def test_elements_that_are_multiplied_and_added(tmp_path):
    printed = planned("3000x4000", "--type", "c64", "--alpha", "0.5", "--beta", "-2", "--conj", *H200, "--json", tmp_path / "plan.json")
    flat = " ".join(printed.split())
    assert flat.startswith("3000x4000 c64 by 1,0, alpha 0.5, beta -2, conjugate: 192 MB read and 96 MB written")
    assert "convert c64 to c64" in flat
    written = json.loads((tmp_path / "plan.json").read_text())
    assert (written["alpha"], written["beta"], written["conj"]) == (0.5, -2, True) and "to" not in written
    on_cpu = " ".join(planned("3000x4000", "--to", "f64", "--beta", "2", "--device", "cpu").split())
    assert "(f32 to f64, beta 2)" in on_cpu


def test_json(tmp_path):
    printed = planned(*NHWC, *H200, "--all", "--json", tmp_path / "plan.json")
    written = json.loads((tmp_path / "plan.json").read_text())
    candidates = written.pop("candidates")
    assert written == {"shape": [256, 224, 224, 3], "axes": [0, 3, 1, 2], "type": "u8", "source_alignment": 16,
                       "destination_alignment": 16}
    assert figures(printed) == [(round(each["expected_us"], 2), round(each["expected_ratio"], 3)) for each in candidates]
    assert all(each["model"] == "an H200" for each in candidates)


@pytest.mark.parametrize("arguments, message", [
    (["2x3", "--axes", "0,0"], "--axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2"),
    (["x".join(["1"] * 65)], "rank is 65; it must be 64 or less"),
    (["2x"], "SHAPE is '2x'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3"),
    (["2,3x4"], "SHAPE is '2,3x4'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3"),
    (["2 3"], "SHAPE is '2 3'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3"),
    (["2x-3"], "SHAPE is '2x-3'; it must be of extents of 0 or more"),
    (["2x3", "--source-align", "12"], "--source-align is 12; it must be a power of two"),
    (["2x3", "--type", "c64", "--to", "f32"], "--to is f32; it must be complex, because the source is c64"),
    (["2x3", "--to", "f8"], f"--to is 'f8'; it must be {', '.join(F8)} or float64: f8 has 8 bits here, and 8 bytes in NumPy"),
    (["2x3", "--to", "flot32"], f"--to is 'flot32'; it must be one of {', '.join(row.name for row in BY_SIZE)}, or a name or code of NumPy, "
     "e.g. float32 or f4; did you mean float32?"),
    (["2x3", "--beta", "1e999"], "--beta is '1e999'; it must be a real number within the range of 64 bits"),
    (["2x3", "--alpha", "half"], "--alpha is 'half'; it must be a real number, e.g. 0.5"),
    (["2x3", "--device", "tpu"], "--device is 'tpu'; it must be auto, cpu, gpu or h200; did you mean cpu or gpu?"),
    (["2x3", "--dtype", "f8"], f"--dtype is 'f8'; it must be {', '.join(F8)} or float64: f8 has 8 bits here, and 8 bytes in NumPy"),
    (["2x3", "--to", "f16", "--dtype", "f32"], "--to is given 2 times; it must be given once; see cornerturn plan --help"),
    (["2x3", "--source-align", "x"], "--source-align is 'x'; it must be a whole number, at most 2147483647"),
])
def test_bad_arguments(arguments, message):
    assert refused(*arguments) == message


def test_bad_usage(tmp_path):
    assert "SHAPE is required" in refused()
    assert "cannot be written" in refused("2x3", "--json", tmp_path / "no" / "plan.json")


@pytest.mark.parametrize("outputs, written", [("rows", "67.1 MB"), ("columns", "67.1 MB"), ("both", "as much")])
def test_a_matrix_that_is_quantised(outputs, written):
    printed = planned("8192x8192", "--type", "bf16", "--to", "f8_e4m3fn", "--scales", "1x128", "--outputs", outputs)
    assert f"scales of 1x128, outputs {outputs}: 134.2 MB read and {written}" in " ".join(printed.split())
    (row,) = rows(printed)
    assert row.startswith("clear 4 bytes; then quantize bf16 to f8_e4m3fn, scales of 1x128, 256 threads: 4096 blocks of 128x128 elements")
    ((us, ratio),) = figures(printed)
    assert 30 < us < 150 and 0.4 < ratio < 1.2


def test_a_matrix_that_is_read_for_scales_of_rows_first():
    printed = planned("8192x8192", "--type", "bf16", "--to", "f8_e4m3fn", "--scales", "rows", "--outputs", "columns")
    assert "scales of rows, outputs columns: 268.4 MB read and 67.1 MB written" in " ".join(printed.split())
    (row,) = rows(printed)
    assert row.startswith("clear 4 bytes; then clear 65536 bytes; then quantize bf16, amax of columns, 256 threads: 4096 blocks of 128x128 elements, "
                          "loads of 8; then quantize bf16 to f8_e4m3fn,")
    assert row.endswith("; workspace of 65536 bytes")
    ((_, ratio),) = figures(printed)
    assert 0.3 < ratio < 0.61  # three fifths, if both launches were copies


def test_rows_that_threads_keep_are_read_once_by_one_of_two_candidates():
    printed = planned("8192x8192", "--type", "bf16", "--to", "f8_e4m3fn", "--scales", "rows")
    assert "scales of rows, outputs rows: 134.2 MB read and 67.1 MB written" in " ".join(printed.split())
    kept, twice = rows(printed)
    assert kept == ("clear 4 bytes; then quantize bf16 to f8_e4m3fn, scales of rows, 256 threads: 4096 blocks of 2 rows, loads of 8, "
                    "stores of 8 along rows")
    assert "quantize bf16, amax of rows" in twice
    (first, _), (second, _) = figures(printed)
    assert first < second


def test_the_file_of_a_matrix_that_is_quantised_says_what_was_asked(tmp_path):
    planned("256x512", "--type", "bf16", "--to", "f8_e4m3fn", "--scales", "1x128", "--json", tmp_path / "plan.json")
    written = json.loads((tmp_path / "plan.json").read_text())
    assert "axes" not in written and (written["shape"], written["scales"], written["outputs"]) == ([256, 512], "1x128", "rows")


def test_a_matrix_that_is_quantised_has_a_heading():
    def heading(*arguments):
        return planned("4096x8192", *arguments).split(": ")[0]

    assert heading("--to", "f8_e5m2", "--scales", "rows") == "4096x8192 f32 to f8_e5m2, scales of rows, outputs rows"
    assert heading("--to", "f8_e5m2", "--scales", "given") == "4096x8192 f32 to f8_e5m2, a given scale, outputs rows"
    assert heading("--type", "f8_e5m2", "--to", "f8_e5m2", "--scales", "1x128", "--outputs", "columns") == (
        "4096x8192 f8_e5m2 to f8_e5m2, scales of 1x128, outputs columns")
    assert planned("4096x8192", "--to", "f8_e5m2", "--scales", "rows", *H200).splitlines()[2] == "for an H200"


def test_a_matrix_that_is_quantised_has_its_blocks_not_counted():
    """explain, which counts, refuses as many blocks."""
    done = run("16777216x131072", "--to", "f8_e4m3fn", "--scales", "1x128", "--outputs", "both")
    assert done.returncode == 0 and "134217728 blocks" in done.stdout


@pytest.mark.parametrize("arguments, message", [
    (["4096", "--to", "f8_e5m2", "--scales", "1x128"], "SHAPE is '4096'; it must be of two axes with --scales"),
    (["64x64", "--scales", "1x128"], "--scales requires --to; see cornerturn plan --help"),
    (["64x64", "--to", "f8_e5m2", "--scales", "given", "--axes", "0,1"], "--axes and --scales exclude each other; see cornerturn plan --help"),
    (["64x64", "--to", "f8_e5m2", "--scales", "given", "--alpha", "2"], "--alpha and --scales exclude each other; see cornerturn plan --help"),
    (["64x64", "--to", "f8_e5m2", "--scales", "given", "--ranks", "8"], "--ranks and --scales exclude each other"),
    (["64x64", "--to", "f8_e5m2", "--scales", "given", "--source-align", "2"],
     "--source-align is 2; it must be 16 with --scales, because only aligned matrices are planned"),
    (["64x64", "--type", "f8_e5m2", "--to", "f8_e4m3fn", "--scales", "1x128"],
     "--to is 'f8_e4m3fn'; it must be f8_e5m2 with --scales, as --type"),
    (["0x64", "--to", "f8_e5m2", "--scales", "given"], "SHAPE is '0x64'; it must be of extents from 1 to 1073741824 with --scales"),
    (["64x64", "--type", "i32", "--to", "f8_e5m2", "--scales", "given"],
     f"--type is i32; it must be {any_of(QUANTIZABLE)}"),
    (["64x64", "--to", "f8_e5m2", "--scales", "2x64"], "--scales is '2x64'; it must be given, rows, 1x128 or 128x128"),
    (["64x64", "--to", "f8_e5m2", "--scales", "given", "--outputs", "all"], "--outputs is 'all'; it must be rows, columns or both"),
    (["64x64", "--to", "f16", "--scales", "given"], f"--to is 'f16'; it must be {any_of(F8)} with --scales"),
    (["8388608x8388608", "--to", "f8_e5m2", "--scales", "given"],
     "the matrix's number of tiles is 4294967296; it must be at most 2147483647 on a GPU"),
])
def test_a_matrix_that_cannot_be_quantised(arguments, message):
    assert refused(*arguments) == message
