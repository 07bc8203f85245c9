"""bench/plot_ladder.py on runs made up here."""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "bench" / "plot_ladder.py"
BEGIN, END = "<!-- ladder:begin -->", "<!-- ladder:end -->"


def rung(name, ratio, result="right"):
    return {"name": name, "result": result, "ratio": ratio, "gbs": ratio and 4000 * ratio}


def run(rows=1024, cols=1024, geam=None, fastest=0.95, timing="graph"):
    rungs = [rung("memcpy", 1), rung("cublas-geam", geam, "right" if geam else "n/a"), rung("copy", 0.998),
             rung("naive-read", 0.1279), rung("smem-padded", 0.9), rung("vec-padded", 0.91), rung("vec-both", fastest)]
    return {"device": "GPU", "rows": rows, "cols": cols, "type": "f32", "timing": timing, "memcpy_gbs": 4000.4, "rungs": rungs}


def plot(folder, runs, document=f"above\n{BEGIN}\nold\n{END}\nbelow\n"):
    """The document and the picture that the script makes of `runs`."""
    (folder / "runs.json").write_text(json.dumps(runs))
    (folder / "ladder.md").write_text(document)
    done = subprocess.run([sys.executable, SCRIPT, folder / "runs.json", "--svg", folder / "ladder.svg",
                           "--document", folder / "ladder.md"], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return (folder / "ladder.md").read_text(), (folder / "ladder.svg").read_text()


def cells_of(document):
    lines = [line.strip("| ").split("|") for line in document.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines]


def test_the_table_has_a_row_a_rung_and_a_column_a_run(tmp_path):
    document, _ = plot(tmp_path, [run(geam=0.52), run(1023, 4097, fastest=0.8)])
    head, _, *rows = cells_of(document)
    assert head == ["1024² f32", "1023×4097 f32"]  # the corner is empty
    assert rows[0] == ["GB/s of memcpy", "4000", "4000"]
    assert rows[1] == ["`cublas-geam`", "0.520", "–"]
    assert rows[3] == ["`naive-read`", "0.128", "0.128"]
    assert rows[-1] == ["`vec-both`", "0.950", "0.800"]
    assert len(rows) == 7


def test_only_the_block_changes_and_a_second_time_nothing(tmp_path):
    document, picture = plot(tmp_path, [run()])
    assert document.startswith(f"above\n{BEGIN}\n") and document.endswith(f"\n{END}\nbelow\n")
    assert "old" not in document
    assert "Timed as CUDA graphs: 1024² f32." in document
    assert plot(tmp_path, [run()], document) == (document, picture)


def test_the_picture_is_small_and_names_every_rung(tmp_path):
    _, picture = plot(tmp_path, [run(rows, geam=0.5) for rows in range(1000, 1009)])
    assert len(picture) < 150_000
    words = {element.text for element in xml.etree.ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")}
    assert {"cublas-geam", "copy", "naive-read", "smem-padded", "vec-padded", "vec-both", "0.950"} <= words


@pytest.mark.parametrize("runs, complaint", [
    ([], "must hold runs of one GPU"),
    ([run() | {"device": ""}], "must hold runs of one GPU"),
    ([run(), run() | {"device": "another"}], "must hold runs of one GPU"),
    ([run(), run(512) | {"rungs": [rung("memcpy", 1)]}], "the run of 512×1024 has other rungs"),
    ([run() | {"rungs": [rung("memcpy", 1), rung("vec-both", None, "WRONG")]}], "vec-both is wrong at 1024²"),
])
def test_runs_that_tell_nothing_are_refused(tmp_path, runs, complaint):
    with pytest.raises(RuntimeError, match=complaint):
        plot(tmp_path, runs)


def test_a_document_without_the_block_is_left_alone(tmp_path):
    with pytest.raises(RuntimeError, match="has no <!-- ladder:begin -->"):
        plot(tmp_path, [run()], "no block\n")
    assert (tmp_path / "ladder.md").read_text() == "no block\n"
