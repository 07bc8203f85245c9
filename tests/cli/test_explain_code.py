"""The command `cornerturn explain --code`. CORNERTURN names the program."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from explain_program import PROGRAM, counts, expect_narrow, printed, refused, run

COLUMN = "__shared__ float t[32][32];\nt[lane][0] = 1;"


def test_a_report_quotes_the_lines_and_names_the_cure(tmp_path):
    text, told = counts(tmp_path, "explain", "--code", COLUMN, "--suggest")
    assert text.startswith("code: 32 wavefronts of shared memory, 1 would do\na block of 32 threads\n")
    assert re.search(r"^shared store +code:2 +4 +1 +32 +32 +1 32\.00\n    t\[lane\]\[0\]\n +32-way bank conflict on average$", text, re.MULTILINE)
    assert "\nSuggested for t: (32,32):(33,1)\n" in text or "\nSuggested for t: Sw<" in text
    for line in ("auto const layout = ", "__shared__ float t[32]"):
        assert f"\n  {line}" in text
    assert [each["rung"] for each in told["explanations"]] == ["code", "suggested"]
    expect_narrow("\n".join(line for line in text.splitlines() if not line.startswith(("  __shared__", "  auto const", "  // TMA", "Or "))))


def test_an_error_points_at_the_character():
    done = run("explain", "--code", "float s[32];\n  s[lane * n];")
    assert done.returncode == 2 and done.stdout == ""
    said, line, caret = done.stderr.splitlines()
    assert said == ("cornerturn: --code '  s[lane * n];' is wrong at line 2, character 12, 'n': the value of 'n' is not known; define it before, "
                    "e.g. int n = 1024")
    assert line[caret.index("^")] == "n" and caret.strip() == "^"


def test_before_and_after_are_drawn_and_on_a_page(tmp_path):
    printed("explain", "--code", COLUMN, "--suggest", "--svg", tmp_path / "after.svg", "--html", tmp_path / "page.html")
    printed("explain", "--code", COLUMN, "--svg", tmp_path / "before.svg")
    assert (tmp_path / "before.svg").read_text() != (tmp_path / "after.svg").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', (tmp_path / "page.html").read_text(), re.DOTALL)[1])
    assert [each["rung"] for each in data["explanations"]] == ["code", "suggested"] and data["suggestions"][0]["array"] == "t"


def test_a_live_page_is_the_one_beside_the_program_with_the_code(tmp_path):
    program, page, out = tmp_path / "bin/cornerturn", tmp_path / "share/cornerturn/try.html", tmp_path / "out.html"
    for folder in (program.parent, page.parent):
        folder.mkdir(parents=True)
    shutil.copy(PROGRAM, program)
    library = Path(PROGRAM).resolve().parent.parent / "lib"
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{library}:{os.environ.get('LD_LIBRARY_PATH', '')}"}

    def live(*arguments):
        return subprocess.run([program, "explain", "--code", COLUMN, *arguments], env=environment, capture_output=True, text=True)

    done = live("--html", out, "--live")
    assert (done.returncode, done.stderr) == (2, f"cornerturn: --live needs the page {page}, which make site writes\n") and not out.exists()
    page.write_text('<script id="state"></script>')
    assert live("--html", out, "--live").returncode == 0
    assert out.read_text() == f'<script id="state">accesses={"".join(f"%{each:02X}" for each in COLUMN.encode())}</script>'
    assert "--html" in live("--live").stderr and "--code" in refused("explain", "--html", out, "--live")
