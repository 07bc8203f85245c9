"""bench/ladder_torch.py with a torch of NumPy arrays that times nothing, and a program that climbs nothing."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import types

import numpy
import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "ladder_torch.py"
sys.path.insert(0, str(SCRIPT.parent))
import provenance  # noqa: E402

spec = importlib.util.spec_from_file_location("ladder_torch", SCRIPT)
ladder_torch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ladder_torch)

PROGRAM = """#!{python}
import json, sys
given = dict(zip(sys.argv[2::2], sys.argv[3::2]))
row = {{"result": "right", "median_ms": 0.5, "iqr_ms": 0.01, "gbs": 4000.0, "ratio": 1.0}}
rungs = [row | {{"name": "memcpy", "mean_ms": 0.51}}, row | {{"name": "vec-both", "given": given}}]
open(given["--json"], "w").write(json.dumps([{{"device": "{device}", "timing": "graph", "compiler": "g++ 12", "rungs": rungs}}]))
print("what the ladder says")
sys.exit({exit_code})
"""
# FAULT says what goes wrong. Floating-point sources hold what `==` misjudges, and compiled functions reuse one block.
TORCH = """
import os, types
import numpy
__version__, fault, blocks = "0.0", os.environ.get("FAULT"), {}
uint8, int16, int32, int64, float32, complex128 = map(numpy.dtype, ("u1", "i2", "i4", "i8", "f4", "c16"))
class Tensor:
    def __init__(self, array): self.array = array
    shape = property(lambda self: self.array.shape)
    def __len__(self): return len(self.array)
    def __getitem__(self, at): return Tensor(self.array[at])
    def is_contiguous(self): return self.array.flags.c_contiguous
    def is_complex(self): return self.array.dtype.kind == "c"
    def is_floating_point(self): return self.array.dtype.kind == "f"
    def element_size(self): return self.array.itemsize
    def data_ptr(self): return self.array.ctypes.data
    def unsqueeze(self, axis): return Tensor(self.array[..., None])
    def t(self): return Tensor(self.array.T)
    def view(self, what): return Tensor(self.array.reshape(-1) if what == -1 else self.array.view(what))
    def zero_(self): self.array[...] = 0
    def random_(self, least, most): self.array[...] = numpy.random.randint(1, 100, self.shape)
    def normal_(self):
        self.array[...] = numpy.random.normal(size=self.shape)
        self.array.flat[:2] = numpy.nan, -0.0
    def copy_(self, other):
        if other.is_contiguous():
            self.array[...] = 7 if fault == "memcpy" else other.array
        elif not (fault == "idle" and hasattr(self, "written")):
            self.array[...] = other.array + 0.0 if fault == "sign" else other.array
            self.written = True
        return self
    def contiguous(self):
        written = self.shape in blocks
        block = blocks.setdefault(self.shape, self.array.copy())
        if not (fault == "idle" and written):
            block[...] = self.array
        return self if fault == "view" else Tensor(block)
def empty(shape, dtype, device):
    if fault == "memory":
        raise RuntimeError("out of memory: 2 GiB asked, 1 GiB free\\nand more")
    return Tensor(numpy.empty(shape, dtype))
def zeros_like(tensor): blocks.setdefault(tensor.shape, numpy.empty_like(tensor.array))[...] = 0
def view_as_real(tensor): return Tensor(tensor.array[..., None].view(tensor.array.real.dtype))
def equal(one, other): return numpy.array_equal(one.array, other.array)
def iinfo(dtype): return numpy.iinfo(dtype)
def compile(function, dynamic, mode):
    def compiled(tensor):
        if fault == mode:
            raise NotImplementedError("no compiler\\nhere")
        return function(tensor)
    return compiled
class Event:
    def __init__(self, enable_timing): pass
    def record(self): pass
    def query(self): return False
    def synchronize(self): pass
    def elapsed_time(self, end): return 0.25
def nothing(*what): pass
cuda = types.SimpleNamespace(Event=Event, init=nothing, _sleep=nothing, synchronize=nothing, empty_cache=nothing,
                             get_device_name=lambda: "GPU")
compiler = types.SimpleNamespace(reset=nothing)
"""


def run(folder, fault="", torch=TORCH, device="GPU", exit_code=0, sizes="40x30:f32", program=True):
    """How the script ends, and what it wrote."""
    if program:
        (folder / "program").write_text(PROGRAM.format(python=sys.executable, device=device, exit_code=exit_code))
        (folder / "program").chmod(0o755)
    (folder / "torch.py").write_text(torch)
    out = folder / "out.json"
    done = script(folder / "program", out, "--sizes", sizes, "--repeats", "3", PYTHONPATH=str(folder), FAULT=fault)
    return done, json.loads(out.read_text()) if out.exists() else None


def script(*options, **environment):
    command = [sys.executable, SCRIPT, *options]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


def made_up(**more):
    figures = {"mean_ms": 2.04321, "median_ms": 2.0, "iqr_ms": 0.004, "gbs": 4294.6, "ratio": 0.51234}
    rungs = [{"name": "memcpy", "result": "right", "compile_s": None} | figures,
             {"name": "torch-max-autotune", "result": "right", "compile_s": 12.34} | figures]
    return {"device": "GPU", "rows": 32768, "cols": 65536, "type": "u8", "torch": "2.0", "repeats": 31, "launches": 1,
            "timing": "stream", "memcpy_gbs": 4294.6, "rungs": rungs} | more


def test_torchs_rows_come_first_and_the_ladders_follow_as_they_are(tmp_path):
    done, runs = run(tmp_path, sizes="40x30:f32,7x9:u16,16x8:c128,5x6:u8")
    assert done.returncode == 0 and done.stderr == ""
    assert [(each["rows"], each["cols"], each["type"]) for each in runs] == [
        (40, 30, "f32"), (7, 9, "u16"), (16, 8, "c128"), (5, 6, "u8")]
    for each in runs:
        names = [row["name"] for row in each["rungs"]]
        assert names == ["memcpy", "torch-eager", "torch-compile", "torch-max-autotune", "memcpy", "vec-both"]
        assert all(row["result"] == "right" and "reason" not in row for row in each["rungs"])
        assert [row.get("compile_s") is not None for row in each["rungs"]] == [False, False, True, True, False, False]
        assert (each["device"], each["torch"], each["timing"], each["launches"]) == ("GPU", "0.0", "graph", 4)
        assert {**each, **provenance.of_ladder()} == each and each["compiler"] == "g++ 12"
        given = each["rungs"][-1].pop("given")
        assert each["rungs"][-1] == {"name": "vec-both", "result": "right", "median_ms": 0.5, "iqr_ms": 0.01,
                                     "gbs": 4000.0, "ratio": 1.0}
        assert [given["--rows"], given["--cols"]] == [str(each["rows"]), str(each["cols"])]
        assert [given["--type"], given["--repeats"]] == [each["type"], "3"]
    eager = runs[0]["rungs"][1]  # 0.25 ms for four launches
    assert (eager["mean_ms"], eager["median_ms"], eager["iqr_ms"], eager["ratio"]) == (0.0625, 0.0625, 0, 1)
    assert eager["gbs"] == pytest.approx(2 * 4 * 40 * 30 / 0.0625e-3 / 1e9) == runs[0]["memcpy_gbs"]
    assert script("--table", tmp_path / "out.json").stdout == done.stdout.rstrip("\n") + "\n"


@pytest.mark.parametrize("fault, results, reason", [
    ("sign", ["WRONG", "right", "right"], "the result differs"),
    ("idle", ["WRONG", "WRONG", "WRONG"], "the result differs"),
    ("view", ["right", "n/a", "n/a"], "not contiguous memory of its own"),
    ("default", ["right", "n/a", "right"], "NotImplementedError: no compiler here"),
    ("max-autotune-no-cudagraphs", ["right", "right", "n/a"], "NotImplementedError: no compiler here"),
])
def test_a_row_that_is_wrong_or_fails_says_so_and_stops_no_other(tmp_path, fault, results, reason):
    done, [each] = run(tmp_path, fault=fault)
    assert done.returncode == 0
    assert [row["result"] for row in each["rungs"][1:4]] == results
    for row in each["rungs"][1:4]:
        assert (row["median_ms"] is None) == (row["result"] != "right")
        assert ("reason" in row) == (row["result"] != "right")
        if row["result"] != "right":
            assert reason in row["reason"]
            assert f"`{row['name']}` is {row['result']}: " in done.stdout


def test_every_piece_of_a_result_is_compared(monkeypatch):
    torch = types.SimpleNamespace(Tensor=None)
    exec(TORCH, torch.__dict__)
    monkeypatch.setattr(ladder_torch, "COMPARED_AT_ONCE", 12)
    src = torch.Tensor(numpy.arange(40).reshape(5, 8))
    got = torch.Tensor(src.array.T.copy())
    assert ladder_torch.problem_with(torch, got, src, src.t()) == ""
    for at in range(40):
        got.array.flat[at] ^= 1
        assert "differs" in ladder_torch.problem_with(torch, got, src, src.t())
        got.array.flat[at] ^= 1
    longer = torch.Tensor(numpy.vstack([got.array, got.array]))
    assert "differs" in ladder_torch.problem_with(torch, longer, src, src.t())


@pytest.mark.parametrize("how, complaint, code", [
    ({"exit_code": 1}, "what the ladder says\nladder_torch: 40x30:f32: the ladder ended with exit code 1", 1),
    ({"device": ""}, "ladder_torch: torch ran on GPU, the ladder on no GPU", 1),
    ({"fault": "memcpy"}, "ladder_torch: torch's memcpy is WRONG at 40x30:f32: the result differs", 1),
    ({"torch": "raise ImportError('none here')"}, "ladder_torch: needs torch and a GPU: none here", 1),
    ({"fault": "memory"}, "ladder_torch: argument --sizes: '40x30:f32': out of memory: 2 GiB asked, 1 GiB free\n", 2),
    ({"program": False}, "ladder_torch: argument PROGRAM: '", 2),
])
def test_a_run_that_fails_leaves_no_results(tmp_path, how, complaint, code):
    done, runs = run(tmp_path, **how)
    assert (done.returncode, runs) == (code, None)
    assert done.stderr.startswith(complaint)
    assert code == 1 or done.stderr.count("\n") == 1


SIZE = ("must be ROWSxCOLS:TYPE, or several with commas between them, ROWS and COLS from 1 to 999999999, "
        "TYPE one of u8, i8, u16,")


@pytest.mark.parametrize("options, complaint", [
    (["--sizes", "8x8"], f"argument --sizes: '8x8' {SIZE}"),
    (["--sizes", "8x8:f32,"], f"argument --sizes: '8x8:f32,' {SIZE}"),
    (["--sizes", "0x8:f32"], f"argument --sizes: '0x8:f32' {SIZE}"),
    (["--sizes", "8x9999999999:f32"], f"argument --sizes: '8x9999999999:f32' {SIZE}"),
    (["--sizes", "8x-8:f32"], f"argument --sizes: '8x-8:f32' {SIZE}"),
    (["--sizes", "8x8:f33"], f"argument --sizes: '8x8:f33' {SIZE}"),
    (["--repeats", "1"], "argument --repeats: '1' must be a whole number from 2 to 999999999"),
    (["--repeats", "-3"], "argument --repeats: '-3' must be a whole number from 2 to 999999999"),
    (["--repeats", "many"], "argument --repeats: 'many' must be a whole number from 2 to 999999999"),
    (["program"], "PROGRAM and OUT.json must both be given"),
    ([sys.executable, "."], "argument OUT.json: '.' must be a file that can be written"),
    ([sys.executable, "no/such/out.json"], "argument OUT.json: 'no/such/out.json' must be a file that can be written"),
    (["--table", "no.json"], "argument --table: 'no.json' must be a file that this script wrote"),
    (["--table", __file__], f"argument --table: '{__file__}' must be a file that this script wrote"),
    (["--wide"], "unrecognized arguments: --wide"),
])
def test_bad_input_gets_one_line(options, complaint):
    done = script(*options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"ladder_torch: {complaint}")


def test_sizes():
    assert ladder_torch.sizes_from("16383x16385:f32,1x999999999:u8") == [(16383, 16385, "f32"), (1, 999999999, "u8")]
    assert len(ladder_torch.sizes_from(ladder_torch.SIZES)) == 7


def test_help_needs_no_torch():
    done = script("--help")
    assert done.returncode == 0 and "32768x65536:u8" in done.stdout


@pytest.mark.parametrize("ms, mean, median, iqr", [
    ([4.0, 1.0, 2.0, 3.0, 10.0], 4.0, 3.0, 2.0),
    ([4.0, 2.0, 1.0, 3.0], 2.5, 2.5, 1.5),
    ([1.0, 2.0], 1.5, 1.5, 0.5),
])
def test_figures(ms, mean, median, iqr):
    assert ladder_torch.figures(ms, 6e9, 1.5) == pytest.approx(
        {"mean_ms": mean, "median_ms": median, "iqr_ms": iqr, "gbs": 6000 / median, "ratio": 1.5 / median})


def test_runs_of_two_devices_are_not_joined():
    ladder = {"device": "GPU", "timing": "graph", "rungs": [{"name": "copy"}], "peak_gbs": 1}
    measured = made_up()
    joined = ladder_torch.join(measured, ladder)
    assert joined == measured | {**provenance.of_ladder(), "timing": "graph", "rungs": [*measured["rungs"], {"name": "copy"}]}
    with pytest.raises(SystemExit, match="torch ran on GPU, the ladder on another"):
        ladder_torch.join(measured, ladder | {"device": "another"})


class Stream:
    """A GPU and a host in simulated time: each launch takes the host 0.4 ms and the GPU 0.125."""

    def __init__(self):
        self.host = self.gpu = 0.0
        self.waits = []
        self.cuda = types.SimpleNamespace(_sleep=self.sleep, Event=self.event)

    def enqueue(self, host_ms, gpu_ms):
        self.host += host_ms
        self.gpu = max(self.gpu, self.host) + gpu_ms

    def sleep(self, cycles):
        self.waits.append(cycles / ladder_torch.CYCLES_PER_MS)
        self.enqueue(0, self.waits[-1])

    def event(self, enable_timing):
        event = types.SimpleNamespace()
        event.record = lambda: setattr(event, "at", max(self.gpu, self.host))
        event.query = lambda: self.host >= event.at
        event.synchronize = lambda: setattr(self, "host", max(self.host, event.at))
        event.elapsed_time = lambda end: end.at - event.at
        return event


@pytest.mark.parametrize("launches, waits", [(1, [1]), (2, [1, 2]), (9, [1, 2, 4, 8])])
def test_launch_latency_stays_outside_the_interval(monkeypatch, launches, waits):
    stream = Stream()
    monkeypatch.setattr(ladder_torch.time, "perf_counter", lambda: 1e-3 * stream.host)
    row = ladder_torch.Row("row", lambda: stream.enqueue(0.4, 0.125))
    assert ladder_torch.time_once(stream, row, launches) == pytest.approx(0.125)
    assert stream.waits == pytest.approx(waits)


def test_a_host_that_stumbles_costs_no_row(monkeypatch):
    stream = Stream()
    monkeypatch.setattr(ladder_torch.time, "perf_counter", lambda: 1e-3 * stream.host)
    row = ladder_torch.Row("row", lambda: stream.enqueue(0.1 if stream.host > 1000 else 1000, 0.125))
    assert ladder_torch.time_once(stream, row, 1) == ladder_torch.time_once(stream, row, 1) == pytest.approx(0.125)
    assert stream.waits == pytest.approx([1, 2, 1])


def test_each_row_runs_once_a_round_and_a_memcpy_fills_a_millisecond(monkeypatch):
    stream, order = Stream(), []
    monkeypatch.setattr(ladder_torch.time, "perf_counter", lambda: 1e-3 * stream.host)
    rows = [ladder_torch.Row(name, lambda name=name: order.append(name) or stream.enqueue(0.01, 0.3)) for name in "ab"]
    rows.append(ladder_torch.Row("c", lambda: order.append("c"), result="WRONG"))
    assert ladder_torch.time_rows(stream, rows, 7) == 4
    assert [len(row.ms) for row in rows] == [7, 7, 0]
    assert "".join(order) == "a" * 5 + "aaaabbbb" * 8


def test_a_row_that_waits_for_the_gpu_cannot_be_timed():
    stream = Stream()
    row = ladder_torch.Row("row", lambda: setattr(stream, "host", stream.gpu))
    assert row.attempt(ladder_torch.time_once, stream, row, 1) is None
    assert row.result == "n/a" and "does not keep its launch latency out" in row.reason


def test_the_table_is_markdown_of_at_most_80_columns(tmp_path):
    reason = "BackendCompilerFailed: backend='inductor' raised: " + "words " * 20
    figures = ("median_ms", "iqr_ms", "gbs", "ratio")
    ladder = [{"name": "smem-conflict-write", "result": "right"} | dict(zip(figures, (1234.5, 12.0, 3.5, 0.25))),
              {"name": "cublas-geam", "result": "n/a", "reason": reason} | dict.fromkeys(figures)]
    (tmp_path / "out.json").write_text(json.dumps([made_up(rungs=made_up()["rungs"] + ladder), made_up(type="i8")]))
    done = script("--table", tmp_path / "out.json")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("**32768 x 65536 u8**, GPU, torch 2.0, 31 rounds: torch's rows, 1 to an interval")
    assert "Compiled: `torch-max-autotune` in 12.3 s." in lines
    assert f"`cublas-geam` is n/a: {reason}".split() == " ".join(lines).split("12.3 s. ")[1].split(" |")[0].split()
    rows = [line for line in lines if line.startswith("|")]
    assert len({len(line) for line in rows}) == 1
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in rows]
    assert cells[0] == ["row", "mean ms", "median ms", "iqr ms", "GB/s", "ratio"]
    assert all(set(cell) <= set(":-") for cell in cells[1])
    assert cells[2:6] == [["`memcpy`", "2.0432", "2.0000", "0.0040", "4295", "0.512"],
                          ["`torch-max-autotune`", "2.0432", "2.0000", "0.0040", "4295", "0.512"],
                          ["`smem-conflict-write`", "–", "1234.5000", "12.0000", "4", "0.250"],
                          ["`cublas-geam`", "n/a", "–", "–", "–", "–"]]
    assert any(line.startswith("**32768 x 65536 i8**") for line in lines)
