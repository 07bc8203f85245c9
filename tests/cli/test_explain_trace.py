"""`cornerturn explain --trace`. CORNERTURN names the program."""

import json
import os
import re
import subprocess

from explain_program import counts, drawn, expect_narrow, printed, refused, wavefronts_of

COLUMN = "".join(f"read 7 {lane} k.cu:2 0 load shared {128 * lane} 4\n" for lane in range(32))
ROW = "".join(f"write 0 {lane} k.cu:3 {block} store global {hex(2**40 + 4 * lane)} 4\n" for block in range(2) for lane in range(32))


def test_kernels_are_reported_one_after_another(tmp_path):
    (tmp_path / "trace.txt").write_text(f"# by hand\n{COLUMN}{ROW}")
    text, told = counts(tmp_path, "explain", "--trace", tmp_path / "trace.txt")
    expect_narrow(text)
    assert [each["kernel"] for each in told] == ["read", "write"]
    [read], [write] = (each["instructions"] for each in told)
    assert (read["wavefronts"], read["ideal_wavefronts"], read["file"], read["line"], read["space"]) == (32, 1, "k.cu", 2, "shared")
    assert (write["requests"], write["sectors"], write["warp_sectors"], write["store"]) == (2, 8, 4, True)
    assert text.startswith("read: 32 wavefronts of shared memory, 1 would do\n1 block of 32 threads in the trace\n")
    assert "\n\nwrite: 8 sectors of global memory, 8 would do\n" in text and "[stride-32]" in text


def test_a_source_that_is_not_utf_8_has_a_page(tmp_path):
    (tmp_path / "k.cu").write_bytes(b"\nint x; // 5 \xb5s\n")
    (tmp_path / "trace.txt").write_text(COLUMN.replace("k.cu", str(tmp_path / "k.cu")))
    subprocess.run([os.environ["CORNERTURN"], "explain", "--trace", tmp_path / "trace.txt", "--html", tmp_path / "page.html"], check=True,
                   stdout=subprocess.DEVNULL)
    assert "int x; // 5 \ufffds" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_page_and_a_picture_show_the_requests(tmp_path):
    trace = tmp_path / "trace.txt"
    trace.write_text(COLUMN + ROW)
    _, told = counts(tmp_path, "explain", "--trace", trace)
    printed("explain", "--trace", trace, "--html", tmp_path / "page.html")
    data = json.loads(re.search(r'id="data">(.*?)</script>', (tmp_path / "page.html").read_text(), re.DOTALL)[1])
    assert data["traced"] and [each["rung"] for each in data["explanations"]] == ["read", "write"]
    assert [each["instructions"] for each in data["explanations"]] == [each["instructions"] for each in told]
    _, texts = drawn(tmp_path, "explain", "--trace", trace)
    assert {"read", "write", "1 block of 32 threads in the trace; 32 wavefronts of shared memory, 1 would do"} <= set(texts)
    assert wavefronts_of(texts) == [32]


def test_a_wrong_line_has_its_number(tmp_path):
    (tmp_path / "trace.txt").write_text(COLUMN + "read 7 1024 k.cu:2 0 load shared 0 4\n")
    assert refused("explain", "--trace", tmp_path / "trace.txt") == f"{tmp_path}/trace.txt: line 33: the thread is '1024'; it must be an integer from 0 to 1023"
    assert refused("explain", "--trace", tmp_path).endswith(": cannot be read: Is a directory")
    assert "cannot be read" in refused("explain", "--trace", tmp_path / "none.txt")


def test_a_trace_excludes_what_is_explained_otherwise(tmp_path):
    for other in (["--code", "float s[32]; s[lane]"], ["--plan", "3x4"], ["vec-both"]):
        assert "--trace" in refused("explain", "--trace", "trace.txt", *other)
