#!/usr/bin/env python3
"""Draws docs/distributed-model.svg: the predicted milliseconds of a permutation over 2 to 1,024 GPUs, by the model of
docs/distributed.md, for blocks of three sizes."""

import argparse
import pathlib

import distributed_model as model
import matplotlib
import plot_hero

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCKS = {"4 GiB": 4 << 30, "256 MiB": 256 << 20, "16 MiB": 16 << 20}  # bytes of a GPU's block
GPUS = [1 << power for power in range(1, 11)]


def curve(seconds, gpus, block):
    """The milliseconds for each number of GPUs."""
    return [1e3 * seconds(count, block) for count in gpus]


def draw(path):
    """The output is deterministic."""
    plt.rcParams.update({"svg.hashsalt": "cornerturn", "svg.fonttype": "path"})
    theme = plot_hero.THEMES["light"]
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    domain = [count for count in GPUS if count <= model.DOMAIN]
    for block, (name, size) in enumerate(BLOCKS.items()):
        label = lambda text: text if block == 0 else None
        packed = curve(model.packed, GPUS, size)
        axes.plot(GPUS, packed, color=theme["own"], label=label("cornerturn, by NCCL"))
        axes.plot(domain, curve(model.direct, domain, size), "o", color=theme["own"], markersize=4, label=label("cornerturn, into peers"))
        axes.plot(GPUS, curve(model.wire, GPUS, size), "--", color=theme["text"], linewidth=1, label=label("messages alone"))
        axes.text(GPUS[-1] * 1.1, packed[-1], f"{name} per GPU", va="center", fontsize=8)
    axes.axvline(model.DOMAIN, color=theme["other"], linewidth=0.8, linestyle=":")
    axes.text(model.DOMAIN * 1.05, 0.02, f"beyond {model.DOMAIN}: also InfiniBand", fontsize=8, color=theme["line"], transform=axes.get_xaxis_transform())
    axes.set(xscale="log", yscale="log", xlim=(1.8, 4000), title="Predicted, not measured")
    axes.set_xticks(GPUS, [f"{count:,}" for count in GPUS])
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.minorticks_off()
    axes.set_xlabel("GPUs", fontsize=8)
    axes.set_ylabel("milliseconds", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = ROOT / "docs/distributed-model.svg"
    parser.add_argument("--out", type=pathlib.Path, default=default, help="default: docs/distributed-model.svg")
    draw(parser.parse_args().out)


if __name__ == "__main__":
    main()
