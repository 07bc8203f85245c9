"""The questions of the ladder's chapters: each is answered by the counts of its chapter's rung. CORNERTURN names the program."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.parse

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "site"))
import ladder  # noqa: E402
import questions  # noqa: E402


def explained(folder, *arguments):
    subprocess.run([os.environ["CORNERTURN"], "explain", *arguments, "--json", folder / "counts.json"], check=True, capture_output=True)
    return json.loads((folder / "counts.json").read_text())


def cost(each):
    unit = "wavefronts" if each["space"] == "shared" else "sectors"
    return each["bytes"], each[unit] / each["requests"], each[f"ideal_{unit}"] / each["requests"], each["active_lanes"] / each["requests"]


def test_every_chapter_has_a_question():
    assert [page for page, *_ in ladder.CHAPTERS if page not in questions.QUESTIONS] == ["index"]
    for page, asked in questions.QUESTIONS.items():
        assert asked.text.endswith("?") and questions.section(page).count(asked.text) == 1


@pytest.mark.parametrize("chapter", questions.QUESTIONS)
def test_a_link_opens_the_access_with_the_counts_of_the_chapter(chapter, tmp_path):
    asked = questions.QUESTIONS[chapter]
    state = {name: text for name, [text] in urllib.parse.parse_qs(asked.address().partition("#")[2], strict_parsing=True).items()}
    assert state == asked.fields()
    code = f"dim3 block({state['block']});\n{state['declarations']}\n{state['accesses']}"
    of_code = explained(tmp_path, "--code", code)["explanations"][0]["instructions"]
    [rung] = explained(tmp_path, *asked.rung)
    wanted = lambda all: [cost(each) for each in all if (each["space"], each["store"]) == (asked.space, asked.store)]
    assert wanted(of_code) == wanted(rung["instructions"])
