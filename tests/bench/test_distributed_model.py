"""bench/distributed_model.py and its table."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import distributed_model as model  # noqa: E402


def test_the_document_has_the_table():
    assert model.table() in (ROOT / "docs/distributed.md").read_text()


def test_a_block_goes_over_the_slower_link():
    machine = model.Machine()
    assert model.wire(2) == pytest.approx(model.BLOCK / 2 / machine.nvlink + machine.latency)
    assert model.wire(16) == pytest.approx(model.BLOCK / 2 / machine.infiniband + 15 * machine.latency)
    assert model.wire(8) < model.direct(8) < model.packed(8)
