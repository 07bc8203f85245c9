"""What bench/results/h200-line-pieces.json.gz shows, on which the L2 cache's time in the predicted speed rests."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import run_files  # noqa: E402

LINES = (256 << 20) / 128
STORED_SECTOR = 1.6  # the model's, in loaded sectors
PATTERNS = run_files.committed("h200-line-pieces.json")["patterns"]
LOADS, STORES = ([each for each in PATTERNS if each["store"] == store] for store in (False, True))


def sectors(pattern):
    return pattern["mask"].bit_count()


def is_whole(pattern):
    """True if all bytes of the sectors are accessed."""
    return pattern["bytes"] * pattern["lanes"] == 32


def test_the_caches_exchange_the_sectors_that_are_accessed():
    for each in PATTERNS:
        moved, other = (each[f"sectors {what} L2"] for what in (("written to", "read from") if each["store"] else ("read from", "written to")))
        assert moved == sectors(each) * LINES and other < 0.001 * LINES


def test_loads_fill_the_l2_cache_in_pieces_of_64_bytes():
    for each in LOADS:
        halves = bool(each["mask"] & 0b0011) + bool(each["mask"] & 0b1100)
        assert each["DRAM sectors read"] == pytest.approx(2 * halves * LINES, rel=0.01)


def test_stores_fill_only_the_sectors_that_they_write_in_part():
    for each in STORES:
        expected = 0 if is_whole(each) else sectors(each)
        assert each["L2 sectors filled"] == pytest.approx(expected * LINES, rel=0.05, abs=0.01 * LINES)


def units(pattern):
    """The L2 cache's time for a line in the predicted speed, in loaded sectors."""
    requests = 1 if pattern["order"] == "lines" else sectors(pattern)
    of_request = sectors(pattern) / requests
    return requests * (STORED_SECTOR * (of_request + 1) if pattern["store"] else max(2, of_request))


def test_a_request_takes_the_time_of_its_lines_and_sectors():
    """Of 16-byte accesses; those of 4 bytes are limited by instructions."""
    timed = [each for each in PATTERNS if each["bytes"] == 16 and each["mask"] != 1]
    rates = [units(each) * LINES * 32 / each["l2_us"] / 1e6 for each in timed]  # TB/s of loaded sectors
    assert all(6 < rate < 10 for rate in rates), rates
    # two sectors cost the same, adjacent or not, in one piece of 64 bytes or in two
    for store in (False, True):
        two = [each["l2_us"] for each in timed if each["store"] == store and each["order"] == "lines" and sectors(each) == 2]
        assert len(two) == 4 and max(two) < 1.03 * min(two)
