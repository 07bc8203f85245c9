"""A run that a document cites says which build it measured: its commit, or the version of the library."""

import json
import pathlib

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "bench/results"
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
MARKS = ("commit", "cornerturn", "version")

# These were written before the scripts of bench/ named the commit. A new run of the same name leaves this list.
WITHOUT = {
    "cpu-cliffs-before.json", "cpu-cliffs.json", "cpu-files.json", "cpu-ladder.json", "cpu-measured.json",
    "cpu-ttc-f64.json", "h200-fetches.json", "h200-files.json", "h200-launches.json", "h200-no-overlap.json",
    "h200-trigger.json", "zen4-cached.json", "zen4-calls.json", "zen4-files.json", "zen4-ladder.json", "zen4-openblas.json",
    "zen4-python.json", "zen4-random.json",
}


def has_origin(content):
    """True if a run names its build. A list has an origin if all of its runs have one, as has an object with a list of runs."""
    if isinstance(content, list):
        return bool(content) and all(has_origin(each) for each in content)
    if not isinstance(content, dict):
        return False
    return any(isinstance(content.get(mark), str) and content[mark] for mark in MARKS) or has_origin(content.get("runs"))


def cited():
    text = "\n".join(document.read_text() for document in DOCUMENTS)
    return [path for path in sorted(RESULTS.glob("*.json")) if path.name in text]


def test_an_origin_is_recognised():
    assert has_origin({"commit": "1a2b3c4", "rows": []}) and has_origin([{"cornerturn": "0.1.0"}])
    assert has_origin({"runs": [{"version": "0.1.0"}]})
    for content in ({}, [], {"commit": None}, {"library": "2f1e9173dadd"}, {"runs": [{"commit": "1a2b3c4"}, {}]}):
        assert not has_origin(content)


def test_a_cited_run_names_its_build():
    assert len(cited()) > len(WITHOUT)
    without = {path.name for path in cited() if not has_origin(json.loads(path.read_text()))}
    assert not without - WITHOUT, "these name no commit and no version of the library"
    assert not WITHOUT - without, "these name their build now, or are no longer cited"
