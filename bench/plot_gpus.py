#!/usr/bin/env python3
"""Draws docs/distributed.svg: the milliseconds of each way to move blocks between GPUs, from a run of distributed_gpus.py, beside what
the model of docs/distributed.md predicts from the run's own bandwidth of the link and the specified one of the memory."""

import argparse
import pathlib

import distributed_model as model
import matplotlib
import plot_hero
import run_files

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
RUN = "h200x4-distributed.json"
MEMORY = {"NVIDIA H100 80GB HBM3": 3.35e12, "NVIDIA H200": 4.8e12}  # bytes per second, read and written, as specified
WAYS = {"torch eager": "torch eager", "torch.compile": "torch.compile", "nccl": "cornerturn, by NCCL", "all-to-all": "all-to-all alone",
        "ipc": "cornerturn, PeerPlan", "one process": "cornerturn, permute_blocks", "peer copies": "peer copies alone"}
PREDICTED = {"nccl": model.packed, "all-to-all": model.wire, "ipc": model.direct, "one process": model.direct, "peer copies": model.wire}


def predictions(run, case):
    """The model's milliseconds of the ways that it covers."""
    machine = model.Machine(nvlink=1e9 * run["peer_bandwidth_gbs"]["both directions"], memory=MEMORY[run["device"]] / 2)
    return {way: 1e3 * seconds(run["gpus"], case["bytes_of_a_rank"], machine) for way, seconds in PREDICTED.items()}


def draw_case(axes, run, case):
    predicted = predictions(run, case)
    for place, (way, name) in enumerate(WAYS.items()):
        ms = case["ways"][way]["ms"]
        axes.barh(place, ms, height=0.68, color=plot_hero.THEMES["light"]["own" if name.startswith("cornerturn") else "other"])
        axes.text(ms, place, f" {ms:.2f}", va="center", fontsize=8)
        if way in predicted:
            axes.plot([predicted[way]] * 2, [place - 0.34, place + 0.34], color="black", linewidth=1.6)
    axes.set_yticks(range(len(WAYS)), WAYS.values(), fontsize=8)
    axes.invert_yaxis()
    axes.set_title(case["case"], fontsize=8.5, loc="left")
    axes.set_xlim(0, 1.14 * case["ways"]["torch eager"]["ms"])
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def draw(run, path):
    """The output is deterministic."""
    plt.rcParams.update({"svg.hashsalt": "cornerturn", "svg.fonttype": "path"})
    figure, panels = plt.subplots(2, 2, figsize=(9.6, 5.2), layout="constrained", sharey=True)
    for axes, case in zip(panels.flat, run["cases"], strict=True):
        draw_case(axes, run, case)
    for axes in panels[1]:
        axes.set_xlabel(f"milliseconds on {run['gpus']} {run['device']}; lines: the model", fontsize=8)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/distributed.svg", help="default: docs/distributed.svg")
    draw(run_files.committed(RUN), parser.parse_args().out)


if __name__ == "__main__":
    main()
