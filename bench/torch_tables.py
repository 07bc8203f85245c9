"""The tables of runs with cornerturn.torch.enable, for bench/tables.py. Needs only Python's standard library."""

import statistics

import arena_report


def within(values, digits):
    """A median, and in brackets its interval."""
    median, low, high = (f"{value:.{digits}f}" for value in values)
    return f"{median} ({low}–{high})"


def gain(off, on):
    """What `on` is as a ratio to `off`; a dash if there is nothing."""
    return f"{on / off:.2f}" if off else "–"


def models(words, run):
    """Training steps with cornerturn.torch disabled and enabled; those that gain least come first."""
    rows = sorted(run["models"].items(), key=lambda row: -row[1]["ratio"][0])
    busy = lambda row: gain(row["ms"]["off"][0], row["gpu_ms"]["off"]) if "gpu_ms" in row else "–"
    lines = [[name, str(row["input"][0]), f"{row['ms']['off'][0]:,.1f}", busy(row), within(row["ratio"], 3),
              gain(row["copies_us"]["off"], row["copies_us"]["on"]), str(row["taken"])] for name, row in rows]
    return arena_report.markdown(["model", "batch", "off, ms", "GPU busy", "on to off", "copies, on to off", "taken"], lines)


def call_cost(words, run):
    """What a call costs on the host, in microseconds; the dearest decision comes first."""
    lines = [[name, f"{call['without']:.2f}", *(within(call[part], 2) for part in ("wrapping", "deciding", "both")),
              "yes" if call["taken"] else "no"] for name, call in sorted(run["calls"].items(), key=lambda call: -call[1]["both"][0])]
    return arena_report.markdown(["call", "PyTorch, us", "wrapping", "deciding", "both", "taken"], lines)


def rule(words, *runs):
    """How often the rule is right about a copy: PyTorch's time over ours by at least 5 % on one side of 1."""
    lines = []
    for run in runs:
        for threads in dict.fromkeys(row["threads"] for row in run["cases"]):
            for case in dict.fromkeys(row["case"] for row in run["cases"]):
                rows = [row for row in run["cases"] if (row["case"], row["threads"]) == (case, threads)]
                taken = [row["ratio"] for row in rows if row["verdict"] == "taken"]
                left = [row["ratio"] for row in rows if row["verdict"] != "taken"]
                lines.append([f"{run['device']}, {threads}", case, str(len(taken)), str(arena_report.slower_by_over_5_percent(taken)),
                              arena_report.number(min(taken, default=None)), str(len(left)),
                              str(arena_report.slower_by_over_5_percent(1 / ratio for ratio in left)),
                              arena_report.number(max(left, default=None))])
    return arena_report.markdown(["machine, threads", "copy", "taken", "slower by over 5 %", "at worst", "left", "faster by over 5 %", "at best"],
                                 lines)


def torch_copies(words, run):
    """PyTorch's copies and models with cornerturn.torch disabled and enabled; in brackets the quartiles of the rounds, if the run has them."""
    def quartiles(each):
        low, _, high = statistics.quantiles(each["ratios"], n=4)
        return f" ({low:.2f}–{high:.2f})"

    rows = [(each["off"] / each["on"], name, each) for part in ("taken", "models") for name, each in run[part].items()]
    lines = [[name, f"{each['off']:,.1f}", f"{each['on']:,.1f}", f"{ratio:.2f}" + (quartiles(each) if "ratios" in each else ""),
              f"{each['taken']:g}"] for ratio, name, each in sorted(rows, key=lambda row: row[:2])]
    return arena_report.markdown(["call", "off, us", "on, us", "times as fast", "copies taken"], lines)


KINDS = {"torch-copies": torch_copies, "torch-models": models, "torch-call-cost": call_cost, "torch-rule": rule}
