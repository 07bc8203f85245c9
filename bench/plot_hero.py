#!/usr/bin/env python3
"""Draws the README's chart, docs/hero-light.svg and docs/hero-dark.svg: the speed of each library as a ratio to a copy, on the GPU
and on the CPU.

A bar is the geometric mean over the cases that the library runs: on the GPU those of bench/cases/main.json in single launches, on the
CPU the TTC suite in f32 and f64. The label of a library that does not run all cases of its panel has their number.
"""

import argparse
import pathlib
import statistics

import arena_report
import matplotlib
import run_files
import tables

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
GPU = {"eager": "torch eager", "cutensor": "cuTENSOR", "compile": "torch.compile", "max-autotune": "torch max-autotune",
       "cornerturn": "cornerturn"}
CPU = {"numpy": "NumPy (one thread)", "hptt": "HPTT", "memcpy": "memcpy", "cornerturn": "cornerturn"}
THEMES = {"light": {"text": "#1f2328", "other": "#a3aab2", "own": arena_report.OWN_COLOURS["cornerturn"], "line": "#59636e"},
          "dark": {"text": "#e6edf3", "other": "#6e7681", "own": "#3fb68b", "line": "#9198a1"}}


def gpu_speeds(merged):
    """The speeds of each library in the large cases of the arena, as ratios to a copy."""
    rows = [row for row in merged["rows"] if row["part"] == "main"]
    speeds = {name: [arena_report.single(row, peer) for row in rows if peer in row["ratios"]] for peer, name in GPU.items()}
    return {name if len(each) == len(rows) else f"{name} ({len(each)} of {len(rows)})": each for name, each in speeds.items()}


def gpu_bars():
    """The title, the bars and the ceiling of the GPU's panel."""
    merged = arena_report.merged_of(run_files.committed("h200-arena.json"))
    speeds = gpu_speeds(merged)
    bars = {name: arena_report.geometric_mean(each) for name, each in speeds.items()}
    return f"{merged['runs'][0]['device']}, {len(speeds['cornerturn'])} permutations", bars, "a copy"


def cpu_bars():
    """The title, the bars and the ceiling of the CPU's panel."""
    runs = [run_files.committed(name) for name in ("cpu-ttc.json", "cpu-ttc-f64.json")]
    rows = [row for run in runs for row in tables.cpu_rows(run) if set(CPU) <= row["ratios"].keys()]
    bars = {name: arena_report.geometric_mean([statistics.median(row["ratios"][peer]) for row in rows]) for peer, name in CPU.items()}
    return f"{runs[0]['processor']}, {runs[0]['threads']} threads, {len(rows)} permutations", bars, "the faster of two copies"


def draw_panel(axes, title, bars, ceiling, theme):
    names = [*bars, ceiling]
    values = [*bars.values(), 1]
    colours = [theme["own"] if name == "cornerturn" else theme["other"] for name in bars]
    axes.barh(names, values, height=0.68, color=[*colours, "none"], edgecolor=[*colours, theme["line"]], linewidth=0.8)
    for place, value in enumerate(values):
        axes.text(value + 0.015, place, f"{value:.2f}" if value < 1 else "1", va="center", fontsize=10, color=theme["text"],
                  fontweight="bold" if names[place] == "cornerturn" else "normal")
    axes.invert_yaxis()
    axes.set_title(title, fontsize=10.5, loc="left", color=theme["text"])
    axes.set(xlim=(0, 1.12), xticks=[])
    axes.set_xlabel(f"speed as a ratio to {ceiling}", fontsize=9.5, color=theme["text"])
    axes.tick_params(length=0, labelsize=10, colors=theme["text"])
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() == "cornerturn" else "normal")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.spines["left"].set_color(theme["line"])


def draw(theme, path, narrow=False):
    """Draws both panels side by side or, for narrow screens, one below the other. The output is deterministic."""
    plt.rcParams.update({"svg.hashsalt": "cornerturn", "svg.fonttype": "path"})
    rows, columns, size = (2, 1, (4.8, 5.6)) if narrow else (1, 2, (9.6, 2.9))
    figure, panels = plt.subplots(rows, columns, figsize=size, layout="constrained")
    for axes, bars in zip(panels, (gpu_bars(), cpu_bars())):
        draw_panel(axes, *bars, theme)
    figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs", help="where to write the pictures; default: docs")
    options = parser.parse_args()
    for name, theme in THEMES.items():
        draw(theme, options.folder / f"hero-{name}.svg")
        draw(theme, options.folder / f"hero-narrow-{name}.svg", narrow=True)


if __name__ == "__main__":
    main()
