"""A run that a document cites says which build it measured: its commit, or the version of the library. A commit that a run names is in
the history."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import run_files  # noqa: E402

DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
MARKS = ("commit", "cornerturn", "version")
COMMIT = r"[0-9a-f]{7,40}"
IN_TEXT = re.compile(rf"^(?:[$#] .*# )?commit ({COMMIT}),", re.MULTILINE)  # a text may also name a commit of another project

# These were written before the scripts of bench/ named the commit. A new run of the same name leaves this list.
WITHOUT = {
    "cpu-cliffs-before.json", "cpu-cliffs.json", "cpu-measured.json", "cpu-ttc-f64.json",
    "h200-fetches.json", "h200-files.json", "h200-launches.json", "h200-no-overlap.json", "h200-trigger.json",
    "zen4-cached.json", "zen4-files.json", "zen4-openblas.json", "zen4-python.json",
    "h200-ladder-profile.csv", "h200-trials.txt", "hptt-testframework.txt",
}


def has_origin(content):
    """True if a run names its build. A list has an origin if all of its runs have one, as has an object with a list of runs."""
    if isinstance(content, list):
        return bool(content) and all(has_origin(each) for each in content)
    if not isinstance(content, dict):
        return False
    return any(isinstance(content.get(mark), str) and content[mark] for mark in MARKS) or has_origin(content.get("runs"))


def names_its_build(path):
    return has_origin(run_files.read(path)) if path.suffix == ".gz" else bool(IN_TEXT.search(path.read_text()))


def name_of(path):
    """What documents call a file."""
    return path.name.removesuffix(".gz")


def cited():
    text = "\n".join(document.read_text() for document in DOCUMENTS)
    return [path for path in sorted(run_files.RESULTS.iterdir()) if name_of(path) in text]


def test_an_origin_is_recognised():
    assert has_origin({"commit": "1a2b3c4", "rows": []}) and has_origin([{"cornerturn": "0.1.0"}])
    assert has_origin({"runs": [{"version": "0.1.0"}]})
    for content in ({}, [], {"commit": None}, {"library": "2f1e9173dadd"}, {"runs": [{"commit": "1a2b3c4"}, {}]}):
        assert not has_origin(content)


def test_a_cited_run_names_its_build():
    assert len(cited()) > len(WITHOUT)
    without = {name_of(path) for path in cited() if not names_its_build(path)}
    assert not without - WITHOUT, "these name no commit and no version of the library"
    assert not WITHOUT - without, "these name their build now, or are no longer cited"


def commits_in(path):
    """The commits of this project that a run names, without the mark of changed files."""
    if path.suffix != ".gz":
        return IN_TEXT.findall(path.read_text())
    content = run_files.read(path)
    parts = content if isinstance(content, list) else [content, *content.get("runs", [])]
    return [part["commit"].removesuffix("-dirty") for part in parts if part.get("commit")]


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)


def test_commits_that_runs_name_are_in_the_history():
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("there is no history here")
    named = {(path.name, commit) for path in run_files.RESULTS.iterdir() for commit in commits_in(path)}
    history = git("rev-list", "HEAD").stdout.split()
    assert named and [each for each in sorted(named) if not any(full.startswith(each[1]) for full in history)] == []
