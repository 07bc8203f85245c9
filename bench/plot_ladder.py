"""Draws docs/ladder.svg from the ladder's runs, and fills the block of docs/ladder.md between the ladder's two marks."""

import argparse
import math
import os
import pathlib
import sys

import matplotlib
import plot_hero
import run_files

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- ladder:begin -->", "<!-- ladder:end -->"
PANELS_ACROSS = 3
COLOURS = plot_hero.THEMES["light"]
FASTEST = "vec-both"


def stop(what):
    sys.exit(f"plot_ladder: {what}")


def load(path):
    """The runs of a file, which must have one device, equal rows and no wrong row."""
    runs = run_files.read(path)
    if not runs or len({run["device"] for run in runs}) != 1 or not runs[0]["device"]:
        stop(f"{path} must hold runs of one GPU")
    names = [row["name"] for row in runs[0]["rungs"]]
    for run in runs:
        if [row["name"] for row in run["rungs"]] != names:
            stop(f"{path}: the run of {size_of(run)} has other rungs than the first")
        for row in run["rungs"]:
            if row["result"] == "WRONG":
                stop(f"{path}: {row['name']} is wrong at {size_of(run)}")
    return runs


def size_of(run):
    rows, cols = run["rows"], run["cols"]
    return f"{rows}²" if rows == cols else f"{rows}×{cols}"


def rows_of(run):
    """All rows except memcpy, whose ratio is 1."""
    return [row for row in run["rungs"] if row["name"] != "memcpy"]


def draw_run(axes, run, longest):
    rows = rows_of(run)
    axes.barh(range(len(rows)), [row["ratio"] or 0 for row in rows], height=0.76,
              color=[COLOURS["own" if row["name"] == FASTEST else "other"] for row in rows])
    for place, row in enumerate(rows):
        text, shade = (f"{row['ratio']:.3f}", COLOURS["text"]) if row["ratio"] else ("n/a", COLOURS["line"])
        axes.text(1, place, text, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=8.5, color=shade)
    axes.axvline(1, color=COLOURS["line"], linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.set(xlim=(0, 1.25 * longest), xticks=[0, 0.25, 0.5, 0.75, 1], xticklabels=["0", "", "0.5", "", "1"])
    axes.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_title(f"{size_of(run)} {run['type']}", fontsize=10, fontweight="bold", loc="left")
    axes.set_title(f"memcpy {run['memcpy_gbs']:.0f} GB/s", fontsize=8, loc="right")
    axes.tick_params(length=0, labelsize=8.5)
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def draw(runs, path):
    """Draws one panel per run with one bar per rung. The output is deterministic."""
    plt.rcParams.update({"svg.hashsalt": "cornerturn", "svg.fonttype": "none"})
    across = min(PANELS_ACROSS, len(runs))
    down = math.ceil(len(runs) / across)
    figure, panels = plt.subplots(down, across, figsize=(1.6 + 3.1 * across, 0.6 + 3.7 * down), sharey=True, squeeze=False,
                                  layout="constrained", facecolor="white")
    longest = max(1, *(row["ratio"] or 0 for run in runs for row in run["rungs"]))
    for axes in panels.flat[len(runs):]:
        axes.set_visible(False)
    for axes, run in zip(panels.flat, runs):
        draw_run(axes, run, longest)
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)
    figure.suptitle(f"{runs[0]['device']}: speed as a ratio to memcpy on the same buffers in the same run", fontsize=11)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def table(runs):
    """A Markdown table with one column per run and one row per rung; a dash if a rung does not support the matrix."""
    lines = [["GB/s of memcpy", *(f"{run['memcpy_gbs']:.0f}" for run in runs)]]
    for number, row in enumerate(rows_of(runs[0])):
        ratios = [rows_of(run)[number]["ratio"] for run in runs]
        lines.append([f"`{row['name']}`", *(f"{ratio:.3f}" if ratio else "–" for ratio in ratios)])
    heads = ["", *(f"{size_of(run)} {run['type']}" for run in runs)]
    rule = [":--", *("--:" for _ in runs)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [heads, rule, *lines])


def block(runs, results, picture):
    graphs = [f"{size_of(run)} {run['type']}" for run in runs if run["timing"] == "graph"]
    timed = f"\nTimed as CUDA graphs: {', '.join(graphs)}." if graphs else ""
    return f"""{BEGIN}
![Speed of every rung as a ratio to memcpy]({picture})

{runs[0]['device']}; speed as a ratio to memcpy on the same buffers in the same run, medians.{timed}

{table(runs)}

Made by

```
bench/ladder_runs.py build/gpu/bin/cornerturn {results}  # or the bundle's bin/cornerturn
build/venv/bin/python bench/plot_ladder.py {results}
```
{END}"""


def fill(document, text):
    """Replaces the document's block by `text`."""
    before, begin, rest = document.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        stop(f"{document} has no {BEGIN} … {END}")
    document.write_text(before + text + after)


def shown(path):
    """A path as in a command: relative to the project if it is inside."""
    path = path.resolve()
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path, nargs="?", default=run_files.RESULTS / "h200-ladder.json.gz",
                        help="what bench/ladder_runs.py wrote; default: bench/results/h200-ladder.json.gz")
    parser.add_argument("--svg", type=pathlib.Path, default=ROOT / "docs/ladder.svg", help="default: docs/ladder.svg")
    parser.add_argument("--document", type=pathlib.Path, default=ROOT / "docs/ladder.md", help="default: docs/ladder.md")
    options = parser.parse_args()
    runs = load(options.results)
    draw(runs, options.svg)
    fill(options.document, block(runs, shown(options.results), os.path.relpath(options.svg, options.document.parent)))


if __name__ == "__main__":
    main()
