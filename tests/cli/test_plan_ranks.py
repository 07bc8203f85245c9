"""The option --ranks of `cornerturn plan`. CORNERTURN names the program."""

import json
import math
import os
import re
import subprocess

import pytest

PROGRAM = os.environ["CORNERTURN"]


def run(*arguments):
    return subprocess.run([PROGRAM, "plan", *map(str, arguments)], capture_output=True, text=True)


def planned(*arguments):
    done = run(*arguments)
    assert done.returncode == 0 and done.stderr == "", done
    assert all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout
    return done.stdout


def test_prints_what_ranks_send():
    printed = planned("10x7", "--ranks", 8, "--type", "f64", "--rank", 1)
    assert printed.splitlines()[:2] == ["10x7 f64 by 1,0 over 8 ranks: 560 bytes",
                                        "source: axis 0 in 8 blocks; result: axis 0 in 8 blocks"]
    assert re.search(r"^source block +112 bytes +3 empty$", printed, re.MULTILINE)
    assert re.search(r"^sent +96 bytes +480 bytes on the wire$", printed, re.MULTILINE)
    assert re.search(r"^messages +6 +30$", printed, re.MULTILINE)
    assert "Rank 1 has [2:4, 0:7] and sends 6 messages." in printed
    assert "\n       2           16  [2:4, 2:3]\n" in printed and "and 1 other; --all lists them" in printed


def test_all_lists_all_messages():
    printed = planned("10x7", "--ranks", 8, "--rank", 1, "--all")
    assert len(re.findall(r"^ +\d +8  \[", printed, re.MULTILINE)) == 6 and "--all" not in printed


def test_thousands_of_ranks(tmp_path):
    file = tmp_path / "plan.json"
    planned("4096x4096x64", "--axes", "1,0,2", "--ranks", "32x64", "--shards", "0,1", "--result-shards", "1,-1", "--json", file)
    plan = json.loads(file.read_text())
    assert plan["ranks"] == [32, 64] and plan["result_shards"] == [1, 2]
    assert plan["bytes_on_the_wire"] + plan["bytes_kept"] == 4 * 4096 * 4096 * 64
    assert plan["messages"] == 32 * 64 * 63
    assert sum(math.prod(each["extents"]) * 4 for each in plan["sends"]) == sum(each["bytes"] for each in plan["sends"])


def test_elements_that_change(tmp_path):
    """Messages have elements of the smaller type, whichever side has it."""
    file = tmp_path / "plan.json"
    for types in (("f64", "bf16"), ("bf16", "f64"), ("f32", "f32")):
        printed = planned("14x8", "--ranks", 2, "--type", types[0], "--to", types[1], "--json", file)
        size = 4 if types[0] == types[1] else 2
        assert f"Each message has {7 * 4 * size} bytes of {'f32' if size == 4 else 'bf16'}." in printed
        assert json.loads(file.read_text())["bytes_on_the_wire"] == 2 * 7 * 4 * size and json.loads(file.read_text())["to"] == types[1]


def test_another_grid_for_the_result(tmp_path):
    file, arguments = tmp_path / "plan.json", ("64x48x40", "--axes", "1,2,0", "--ranks", 16, "--result-ranks", "8x2")
    assert "source: axis 0 in 16 blocks; result: axis 0 in 8 blocks, axis 1 in 2 blocks" in planned(*arguments)
    assert run(*arguments, "--json", file).returncode == 0
    plan = json.loads(file.read_text())
    assert plan["result_ranks"] == [8, 2] and plan["result_shards"] == [0, 1] and plan["most_messages"] == 15


def test_lines_stay_within_a_terminal():
    printed = planned("1000x1000x100" + 9 * "x2", "--axes", ",".join(map(str, range(12))), "--type", "u8", "--ranks", 4, "--result-shards", "r")
    assert re.search(r"0:2\],\s+not\s+packed", printed)


def test_replicas():
    printed = planned("10x7", "--ranks", "2x4", "--shards", "r,0", "--result-shards", "1,r")
    assert "source: axis 0 in 4 blocks, 2 replicas; result: axis 1 in 2 blocks, 4 replicas" in printed
    assert "[0:3, 0:7], not packed" in printed


@pytest.mark.parametrize("arguments, message", [
    (["--ranks", "2x3x4"], "--ranks has 3 numbers; an array of 2 axes needs --shards as well"),
    (["--ranks", "2x0"], "--ranks is (2, 0); it must be extents of 1 or more"),
    (["--ranks", "4y"], "--ranks is '4y'; it must be whole numbers with an x or commas between them, e.g. 8x16"),
    (["--ranks", "2000x1000"], "--ranks is (2000, 1000); it must be a grid of at most 2^20 ranks"),
    (["--ranks", "4", "--rank", "4"], "--rank is 4; it must be 0 to 3, as the grid has 4 ranks"),
    (["--ranks", "4", "--shards", "2"], "--shards is '2'; it must be axes from -2 to 1, or r for replicated"),
    (["--ranks", "4", "--shards", "x"], "--shards is 'x'; it must be axes from -2 to 1, or r for replicated"),
    (["--ranks", "4", "--result-shards", "0,1"],
     "--result-shards is '0,1'; it must be a list of 1 item, one for each number of --ranks"),
    (["--ranks", "4", "--result-ranks", "2x3"], "the number of ranks of --result-ranks is 6; it must be 4, as that of the source"),
    (["--ranks", "4", "--result-ranks", "2y2"],
     "--result-ranks is '2y2'; it must be whole numbers with an x or commas between them, e.g. 8x16"),
    (["--ranks", "8", "--result-ranks", "2x2x2"], "--result-ranks has 3 numbers; an array of 2 axes needs --result-shards as well"),
    (["--ranks", "4", "--result-ranks", "2x2", "--result-shards", "0"],
     "--result-shards is '0'; it must be a list of 2 items, one for each number of --result-ranks"),
    (["--shards", "0"], "--shards requires --ranks; see cornerturn plan --help"),
    (["--ranks", "4", "--device", "cpu"], "--device is given; it must be left out with --ranks"),
    (["--ranks", "4", "--axes", "0,0"], "--axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2")])
def test_refusals(arguments, message):
    done = run("10x7", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"cornerturn: {message}\n")
