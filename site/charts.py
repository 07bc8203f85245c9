"""Charts of the site, each drawn from runs in bench/results, in light and dark, with a caption that is computed from the same
runs."""

import statistics
import sys

import documents
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, str(documents.ROOT / "bench"))
import arena_report  # noqa: E402
import plot_hero  # noqa: E402
import plot_ladder  # noqa: E402
import run_files  # noqa: E402
import tables  # noqa: E402

OWN = "cornerturn"
run = run_files.committed


class Chart:
    """A chart with a line for each name: dots for cases and a mark at their geometric mean, or one bar."""

    def __init__(self, files, caption, axis, lines, *, bars=False, logarithmic=False, own=(OWN,), unit="{:.2f}"):
        self.files, self.caption, self.axis, self.lines = files, caption, axis, lines
        self.bars, self.logarithmic, self.own, self.unit = bars, logarithmic, own, unit

    def draw(self, theme, path):
        """Draws the chart. The output is deterministic."""
        plt.rcParams.update({"svg.hashsalt": OWN, "svg.fonttype": "path"})
        figure, axes = plt.subplots(figsize=(4.6, 0.75 + 0.34 * len(self.lines)), layout="constrained")
        for place, (name, values) in enumerate(self.lines.items()):
            colour = theme["own"] if name in self.own else theme["other"]
            mean = values[0] if self.bars else arena_report.geometric_mean(values)
            if self.bars:
                axes.barh(place, mean, height=0.68, color=colour)
            else:
                axes.scatter(values, [place + 0.5 * (index / len(values) - 0.5) for index in range(len(values))], s=11, color=colour,
                             alpha=0.75, linewidths=0)
                axes.plot([mean, mean], [place - 0.36, place + 0.36], color=theme["text"], linewidth=1.6)
            axes.text(1.01, place, self.unit.format(mean), transform=axes.get_yaxis_transform(), va="center", fontsize=10,
                      color=theme["text"], fontweight="bold" if name in self.own else "normal")
        axes.set_yticks(range(len(self.lines)), list(self.lines))
        axes.set_ylim(len(self.lines) - 0.5, -0.5)
        if self.logarithmic:
            axes.set_xscale("log")
            ticks = [tick for tick in (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100) if self.within(tick)]
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        else:
            axes.set_xlim(left=0)
        if "ratio" in self.axis or "speed" in self.axis:
            axes.axvline(1, color=theme["line"], linewidth=0.9, linestyle=(0, (4, 3)), zorder=0)
        axes.set_xlabel(self.axis, fontsize=9.5, color=theme["text"])
        axes.tick_params(length=0, labelsize=10, colors=theme["text"])
        for label in axes.get_yticklabels():
            label.set_fontweight("bold" if label.get_text() in self.own else "normal")
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(theme["line"])
        figure.savefig(path, transparent=True, metadata={"Date": None, "Creator": None})
        plt.close(figure)

    def within(self, tick):
        values = [value for each in self.lines.values() for value in each]
        return min(values) / 1.5 <= tick <= max(values) * 1.5


def slower(own, others):
    """How many of the cases another library is faster in."""
    return sum(mine < max(each) for mine, each in zip(own, zip(*others)))


def gpu():
    """Large arrays on the GPU, beside all peers."""
    merged = arena_report.merged_of(run("h200-arena.json"))
    rows = [row for row in merged["rows"] if row["part"] == "main"]
    against = [arena_report.speed(row, arena_report.best_peer(row)) for row in rows]
    return Chart(["h200-arena.json"], f"{len(rows)} large arrays on an {merged['runs'][0]['device']}, medians of {len(merged['runs'])} "
                 f"runs on {len({each['card'] for each in merged['runs']})} cards. In {sum(each < 1 for each in against)} of the cases the fastest other library is faster, in "
                 f"{arena_report.slower_by_over_5_percent(against)} by over 5 %.", "speed as a ratio to a copy", plot_hero.gpu_speeds(merged), logarithmic=True)


def cpu_speeds(names, peers):
    rows = [row for name in names for row in tables.cpu_rows(run(name)) if set(peers) <= row["ratios"].keys()]
    return {name: [statistics.median(row["ratios"][peer]) for row in rows] for peer, name in peers.items()}


def tensors():
    """The TTC suite on the CPU."""
    files = ["cpu-ttc.json", "cpu-ttc-f64.json"]
    speeds = cpu_speeds(files, plot_hero.CPU)
    lost = sum(tables.cpu_speeds_of(row)["hptt"] < 1 for name in files for row in tables.cpu_rows(run(name)))
    return Chart(files, f"{len(speeds[OWN])} permutations of the TTC suite of HPTT's authors, f32 and f64, {run(files[0])['threads']} "
                 f"threads of an {run(files[0])['processor']}. HPTT is faster in {lost} of them. The copy is the faster one of two.",
                 "speed as a ratio to the faster copy", speeds, logarithmic=True)


def arrays():
    """NumPy's and PyTorch's arrays on the CPU, called from Python."""
    name = "zen4-python.json"
    rows, processor = run(name)["rows"], run(name)["processor"]
    to_numpy = lambda peer: [statistics.median(own / other for own, other in zip(row["ratios"][peer], row["ratios"]["numpy"]))
                             for row in rows]
    speeds = {"PyTorch": to_numpy("torch"), OWN: to_numpy("python")}
    lost = slower(speeds[OWN], [speeds["PyTorch"], [1] * len(rows)])
    return Chart([name], f"{len(rows)} squares, images and skinny matrices, called from Python on an {processor} (Zen 4, of an earlier "
                 f"build). NumPy has one thread, the others have two. cornerturn is slower in {lost or 'none'} of them.",
                 "speed as a ratio to NumPy", speeds, logarithmic=True)


def calls():
    """The time of a call from Python."""
    name = "h200-python.json"
    lines = {"cornerturn, out=": "permute(x, axes, out=out)", "cornerturn, a plan": "plan(x, out)",
             "np.copyto": "np.copyto(out, x.transpose(axes))"}
    torch = {"cornerturn, CUDA tensor": "permute(x, axes, out=out)", "copy_, CUDA tensor": "out.copy_(x.permute(axes))"}
    times = run(name)["microseconds a call"]
    shown = {**{label: [times["numpy"][key]] for label, key in lines.items()},
             **{label: [times["torch, cuda"][key]] for label, key in torch.items()}}
    return Chart([name], "The time of one call for 8 x 16 x 12 f32 from Python, a single run of an earlier build on a machine with an "
                 "H200. On the GPU a call only enqueues its work.",
                 "microseconds a call", shown, bars=True, own=[each for each in shown if each.startswith(OWN)])


def jax():
    """XLA's own transpose beside cornerturn.jax, on the CPU and on the GPU."""
    files = {"CPU": "zen5-jax-reused.json", "GPU": "h200-jax.json"}
    speeds = {where: [row["ratio"] for row in run(name)["rows"]] for where, name in files.items()}
    lost = {where: f"{sum(each < 1 for each in some)} of {len(some)}" for where, some in speeds.items()}
    return Chart([*files.values()], f"Permutations that stand alone in a compiled function, {run(files['CPU'])['threads']} threads of a Zen 5 "
                 f"and an {run(files['GPU'])['device']}, single runs. XLA's own transpose is faster in {lost['CPU']} on the CPU, and in "
                 f"{lost['GPU']} on the GPU.", "speed as a ratio to XLA's transpose", speeds, logarithmic=True, own=[*speeds])


def inplace():
    """Permutations in place beside a permutation to a second array that is copied back."""
    squares, others = run("h200-inplace.json")["cases"], run("h200-inplace-rectangles.json")["cases"]
    cpu = run("zen4-inplace.json")["cases"]
    ratios = lambda cases, key: [case[key] for case in cases if case[key]]
    # the names of lines must differ, so two of them end with blanks
    lines = {"GPU, squares and batches": ratios(squares, "ratio"), "copied back ": ratios(squares, "ratio_of_permute_and_copy_back"),
             "GPU, rectangles": ratios(others, "ratio"), "copied back  ": ratios(others, "ratio_of_permute_and_copy_back"),
             "CPU, squares and batches": ratios(cpu, "ratio"), "copied back": ratios(cpu, "ratio_of_permute_and_copy_back")}
    return Chart(["h200-inplace.json", "h200-inplace-rectangles.json", "zen4-inplace.json"],
                 "In place, beside a permutation to a second array that is copied back, which needs twice the memory. An H200 "
                 "(a single run) and a Zen 4. Rectangles take two passes, so half of a copy's speed is the most they can have.",
                 "speed as a ratio to a copy", lines, own=[line for line in lines if not line.startswith("copied")])


def elements():
    """Elements that change on the way."""
    name = "h200-operations.json"
    cases = run(name)["cases"]
    return Chart([name], f"{len(cases)} permutations that cast, scale or add on an {run(name)['gpu']}, a single run. The copy moves "
                 "half of the bytes that are read and written together.", "speed as a ratio",
                 {"to the operation alone": [each["to_straight"] for each in cases if each["to_straight"]],
                  "to a copy": [each["to_copy"] for each in cases]}, own=["to the operation alone", "to a copy"])


def others():
    """Elements that change on the way, beside other libraries."""
    name = "h200-operation-peers.json"
    cases = run(name)["cases"]
    names = {"eager": "to torch eager", "compile": "to torch.compile", "triton": "to Triton", "geam": "to cuBLAS geam", "cutensor": "to cuTENSOR"}
    speeds = {label: [each["beside"][peer] for each in cases if peer in each["beside"]] for peer, label in names.items()}
    lost = {label.removeprefix("to "): f"{sum(each < 1 for each in some)} of {len(some)}" for label, some in speeds.items() if min(some) < 1}
    return Chart([name], f"{len(cases)} such permutations on an {run(name)['gpu']} beside the libraries that can do them, a single run. "
                 f"Faster than cornerturn are {' and '.join(f'{other} in {count}' for other, count in lost.items())}.",
                 "speed of cornerturn as a ratio", speeds, logarithmic=True, own=[*speeds])


def files():
    """Files on a CPU, beside cp."""
    name = "zen4-files.json"
    seconds = run(name)["seconds"]
    cp = [each["cp"] for each in seconds]
    lines = {way: [statistics.median(each[way] for each in seconds)] for way in ("cp", OWN)}
    return Chart([name], "Transposing a file of 4 GiB with 1 GiB of memory on a Zen 4 beside cp of the same file, medians of five. Disks "
                 f"of virtual machines vary: cp's slowest run took {max(cp) / min(cp):.1f} times as long as its fastest.",
                 "seconds", lines, bars=True, own=[OWN], unit="{:.1f}")


def ladder(*rungs):
    """The rungs of the ladder at 32768 x 32768 f32; with names, up to the last of these, which are highlighted."""
    runs = plot_ladder.load(run_files.RESULTS / "h200-ladder.json.gz")
    [shown] = [each for each in runs if (each["rows"], each["cols"], each["type"]) == (32768, 32768, "f32")]
    rows = [row for row in plot_ladder.rows_of(shown) if not row["name"].startswith("cublas")]
    last = max((place for place, row in enumerate(rows) if row["name"] in rungs), default=len(rows) - 1)
    lines = {row["name"]: [row["ratio"]] for row in rows[:last + 1]}
    return Chart(["h200-ladder.json"], f"A matrix of 32768 x 32768 f32 on an {shown['device']}, medians of {shown.get('cards', 1)} cards.",
                 "speed as a ratio to memcpy", lines, bars=True, own=rungs or [name for name in lines if name == "vec-both"], unit="{:.3f}")


CHARTS = {each.__name__: each for each in (gpu, tensors, arrays, calls, jax, inplace, elements, others, files, ladder)}


def draw(name, arguments, folder):
    """Draws a chart in both themes as NAME-light.svg and NAME-dark.svg, and returns the names, the caption and the files."""
    chart = CHARTS[name](*arguments)
    stem = "-".join([name, *arguments])
    for theme, colours in plot_hero.THEMES.items():
        chart.draw(colours, folder / f"{stem}-{theme}.svg")
    return stem, chart.caption, chart.files
