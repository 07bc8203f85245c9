"""`cornerturn explain --trace`. CORNERTURN names the program."""

import json

from explain_program import counts, expect_narrow, printed, refused

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


def test_a_wrong_line_has_its_number(tmp_path):
    (tmp_path / "trace.txt").write_text(COLUMN + "read 7 1024 k.cu:2 0 load shared 0 4\n")
    assert refused("explain", "--trace", tmp_path / "trace.txt") == f"{tmp_path}/trace.txt: line 33: the thread is '1024'; it must be an integer from 0 to 1023"
    assert refused("explain", "--trace", tmp_path).endswith(": cannot be read: Is a directory")
    assert "cannot be read" in refused("explain", "--trace", tmp_path / "none.txt")


def test_a_trace_excludes_what_is_explained_otherwise(tmp_path):
    for other in (["--code", "float s[32]; s[lane]"], ["--plan", "3x4"], ["--svg", "x.svg"], ["vec-both"]):
        assert "--trace" in refused("explain", "--trace", "trace.txt", *other)
