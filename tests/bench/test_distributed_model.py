"""bench/distributed_model.py and its table."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import distributed_model as model  # noqa: E402
import plot_gpus  # noqa: E402


def test_the_document_has_the_table():
    assert model.table() in (ROOT / "docs/measured.md").read_text()


def test_a_block_goes_over_the_slower_link():
    machine = model.Machine()
    assert model.wire(2) == pytest.approx(model.BLOCK / 2 / machine.nvlink + machine.latency)
    assert model.wire(16) == pytest.approx(model.BLOCK / 2 / machine.infiniband + 15 * machine.latency)
    assert model.wire(8) < model.direct(8) < model.packed(8)


def test_the_picture_predicts_with_the_bandwidth_of_its_run():
    run = {"gpus": 2, "device": "NVIDIA H200", "peer_bandwidth_gbs": {"one direction": 500, "both directions": 400}}
    found = plot_gpus.predictions(run, {"bytes_of_a_rank": 8 * 10**9})
    alone = 1e3 * (4e9 / 400e9 + model.Machine().latency)
    assert found["all-to-all"] == found["peer copies"] == pytest.approx(alone)
    assert found["ipc"] == found["one process"] == pytest.approx(alone + 1e3 * model.PART / 2.4e12)
    assert found["nccl"] > found["ipc"]
    assert found.keys() == plot_gpus.PREDICTED.keys() < plot_gpus.WAYS.keys()


def test_large_blocks_are_sent_in_more_batches():
    machine = model.Machine(latency=0)
    assert model.packed(2, 32 << 20, machine) == pytest.approx(model.wire(2, 32 << 20, machine) + 2 * (16 << 20) / machine.memory)
    assert model.packed(2, 8 << 30, machine) == pytest.approx(model.wire(2, 8 << 30, machine) + 2 * (4 << 30) / 8 / machine.memory)
    assert model.packed(2) < 1.07 * model.wire(2)
