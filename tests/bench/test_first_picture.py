"""The committed run of bench/first_picture.py: the page shows its first picture within two seconds, and its engine has less than 1 MB."""

import pathlib
import sys

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import run_files  # noqa: E402

RUN = run_files.committed("first-picture.json")


def test_every_run_is_within_the_limits():
    assert sorted(RUN["milliseconds"]) == ["1400", "400"]
    for times in RUN["milliseconds"].values():
        assert len(times) >= 5 and max(times) < 2000
    assert RUN["engine_bytes"] < 1 << 20 and RUN["page_bytes"] < 1 << 20
