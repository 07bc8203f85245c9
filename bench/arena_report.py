"""Reports of arena runs: medians, tables with the losses first, a plot, and a comparison of two builds."""

import math
import statistics

import arena_cases
from provenance import places

OWN = "cornerturn"
OURS = (OWN, "cornerturn-measure", "python", "before", "eager-enabled", "hptt-calls")
SIZES = sorted(set(arena_cases.SIZES.values()))
RUNS = 3  # the minimum number of cards or days, each with a run, for a published figure


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


# the colours of cornerturn in every chart; no peer is green
OWN_COLOURS = {"cornerturn": "#1a7f5a", "cornerturn-measure": "#7fc4a6"}


def peers_of(rows):
    """All peers with a figure in one of the rows, in order."""
    return list(dict.fromkeys(peer for row in rows for peer in row if peer != "copy"))


def slower_by_over_5_percent(speeds):
    """How many of our speeds, as ratios to a peer's, are below 0.95. Tables and charts count 'by over 5 %' in this way."""
    return sum(speed < 0.95 for speed in speeds)


def title(row):
    steps = f" every {','.join(map(str, row['steps']))}" if "steps" in row else ""
    return f"{'x'.join(map(str, row['shape']))} ({','.join(map(str, row['axes']))}) {row['type']}{steps}"


def key(row):
    return row.get("part", "cases"), tuple(row["shape"]), tuple(row["axes"]), row["type"], tuple(row.get("steps", ()))


def gathered(rows):
    """One case of several runs: the ratios of each peer that has a figure in all of them."""
    def ratios(of):
        """Ratios to the faster of the two ways to launch the copy."""
        common = [peer for peer in rows[0][of] if peer != "copy" and all(peer in row[of] for row in rows)]
        copies = [min(row[each]["copy"] for each in {"ms", of}) for row in rows]
        return {peer: [copy / row[of][peer] for copy, row in zip(copies, rows)] for peer in common}

    result = {"part": key(rows[0])[0], **{name: rows[0][name] for name in ("shape", "axes", "type", "bytes", "steps") if name in rows[0]},
              "gbs": [row["bytes"] / row["ms"]["copy"] * 1e-6 for row in rows], "ratios": ratios("ms")}
    if all("single_ms" in row for row in rows):
        result["single"] = ratios("single_ms")
    failed = {name: why for row in rows for name, why in row["failed"].items()}
    return {**result, "failed": failed, "plan": rows[0]["plans"].get(OWN, "")}


def merge(runs, least=RUNS, runs_of_case=None):
    """Merges runs of at least `least` cards or days: the cases that `runs_of_case` of the runs have, by default `least`. Raises
    ValueError if the runs cannot be combined."""
    runs_of_case = least if runs_of_case is None else runs_of_case
    if (count := len(places(runs))) < least:
        raise ValueError(f"{len(runs)} runs of {count} cards or days, fewer than {least}")
    if not 1 <= runs_of_case <= len(runs):
        raise ValueError(f"cases of {runs_of_case} runs; there are 1 to {len(runs)}")
    if len({run.get("library") for run in runs}) > 1:
        raise ValueError("the runs are of different builds")
    if found := [title(row) for run in runs for row in run["rows"] if "measured before" in row["plans"].get(OWN, "")]:
        raise ValueError(f"{len(found)} estimated plans are measured ones, of {found[0]} and others")
    rows = {}
    for run in runs:
        for row in run["rows"]:
            rows.setdefault(key(row), []).append(row)
    return {"runs": [{name: value for name, value in run.items() if name != "rows"} for run in runs],
            "rows": [gathered(each) for each in rows.values() if len(each) >= runs_of_case]}


def merged_of(content):
    """The merged runs of a file, which may also be a single run."""
    return content if "runs" in content else merge([content], 1)


def in_a_row(row, peer):
    """The ratio to a copy, or None. If the case is timed as a graph, a launch may overlap with the previous one."""
    return statistics.median(row["ratios"][peer]) if peer in row["ratios"] else None


def single(row, peer):
    """The ratio of a single launch, which does not overlap with equal launches, or None."""
    alone = row.get("single", row["ratios"])
    return statistics.median(alone[peer]) if peer in alone else None


def best_peer(row):
    """The fastest other peer in single launches."""
    return max((peer for peer in row["ratios"] if peer not in OURS), key=lambda peer: single(row, peer), default=None)


def speed(row, peer):
    """Our speed as a ratio to the peer's, in single launches: the median over the runs."""
    alone = row.get("single", row["ratios"])
    if not {OWN, peer} <= alone.keys():
        return None
    return statistics.median(own / other for own, other in zip(alone[OWN], alone[peer]))


def cell(row, peer):
    """A ratio; if it exceeds 1 because launches overlap, with the ratio of single launches."""
    ratio, alone = in_a_row(row, peer), single(row, peer)
    if ratio is None:
        return "–"
    how = "overlapped" if peer in OURS else "in a row"
    return f"{ratio:.3f} {how}, {alone:.3f} single" if ratio > 1 and alone < ratio else f"{ratio:.3f}"


def markdown(heads, lines):
    return "\n".join(["| " + " | ".join(heads) + " |", "| :-- |" + " --: |" * (len(heads) - 1),
                      *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"


def mean_and_worst(values):
    return f"{geometric_mean(values):.3f}; {min(values):.3f} ({len(values)})" if values else "–"


def number(value):
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def losses_first(rows):
    """The cases by our speed as a ratio to the best peer; cases without a peer come last."""
    return sorted(rows, key=lambda row: speed(row, best_peer(row)) or math.inf)


def case_table(rows):
    """The ratio to a copy of every peer in every case, and our speed as a ratio to the best peer."""
    peers = peers_of(row["ratios"] for row in rows)
    lines = [[title(row), f"{statistics.median(row['gbs']):.0f}", *(cell(row, peer) for peer in peers),
              number(speed(row, best_peer(row)))] for row in losses_first(rows)]
    return markdown(["case", "copy GB/s", *peers, "to the best"], lines)


def groups(rows):
    """(name, rows) of every part, and of every element size of the random problems."""
    parts = list(dict.fromkeys(row["part"] for row in rows))
    for part in parts:
        own = [row for row in rows if row["part"] == part]
        if part == "random":
            for size in SIZES:
                if some := [row for row in own if arena_cases.SIZES[row["type"]] == size]:
                    yield f"random, {size} byte{'s' if size > 1 else ''}", some
        yield part, own


def mean_table(rows):
    """Geometric mean and minimum over the cases that a peer supports, of single launches and of launches in a row."""
    peers = peers_of(row["ratios"] for row in rows)
    lines = []
    for name, some in groups(rows):
        ways = [("", single)] + ([(", in a row", in_a_row)] if any("single" in row for row in some) else [])
        for suffix, of in ways:
            cells = []
            for peer in peers:
                cells.append(mean_and_worst([value for row in some if (value := of(row, peer)) is not None]))
            lines.append([name + suffix, *cells])
    return markdown(["geometric mean; worst (cases)", *peers], lines)


def wins_and_losses(rows):
    """Wins and losses against every peer and, in the cases with `compile`, against the best peer. Each group begins with the peer
    that wins most cases."""
    lines = []
    for name, some in groups(rows):
        compiled = [row for row in some if "compile" in row["ratios"]]
        against = {peer: [speed(row, peer) for row in some] for peer in peers_of(row["ratios"] for row in some)
                   if peer not in OURS}
        against["the best of all"] = [speed(row, best_peer(row)) for row in compiled]
        met = {peer: speeds for peer, all_speeds in against.items() if (speeds := [each for each in all_speeds if each is not None])}
        below = lambda speeds, limit: sum(each < limit for each in speeds)
        for peer, speeds in sorted(met.items(), key=lambda each: (-below(each[1], 1), min(each[1]))):
            lines.append([f"{name}, {peer}", f"{len(speeds)} of {len(some)}", str(below(speeds, 1)), str(slower_by_over_5_percent(speeds)),
                          str(len(speeds) - below(speeds, 1)), number(min(speeds)), number(geometric_mean(speeds))])
    return markdown(["against", "cases", "lost", "of these by over 5 %", "won", "worst", "geometric mean"], lines)


def provenance(merged):
    """One line per run."""
    known = lambda run: {"commit": run["commit"]} if run.get("commit") else {}
    versions = lambda run: ", ".join(f"{name} {version}" for name, version in (known(run) | run.get("versions", {})).items())
    return "".join(f"- {run.get('device')}, card {run.get('card', 'unknown')}, {run.get('date', 'no date')}: {versions(run)}\n"
                   for run in merged["runs"])


def text(merged):
    rows = merged["rows"]
    tables = [wins_and_losses(rows), mean_table(rows)]
    tables += [case_table([row for row in rows if row["part"] == part]) for part in dict.fromkeys(row["part"] for row in rows)]
    return "\n".join([provenance(merged), *tables])


def slower_than_before(rows, limit=0.03):
    """The cases in which `cornerturn` is more than `limit` slower than `before`, with the loss."""
    lost = []
    for row in rows:
        if {"cornerturn", "before"} <= row["ms"].keys():
            loss = row["ms"]["cornerturn"] / row["ms"]["before"] - 1
            if loss > limit:
                lost.append((title(row), loss))
    return lost


def plot(rows, path, ceiling):
    """Draws the rows (title, ratios of each peer): the median, and a line from the minimum to the maximum."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(figsize=(10, max(2.5, 0.26 * len(rows))))
    others = iter(["#4c72b0", "#dd8452", "#8172b3", "#c44e52", "#8c8c8c", "#937860", "#64b5cd"])
    for peer in peers_of(each for _, each in rows):
        colour = OWN_COLOURS.get(peer) or next(others)
        points = [(index, each[peer]) for index, (_, each) in enumerate(rows) if peer in each]
        own = peer == "cornerturn"
        dots, = axes.plot([statistics.median(each) for _, each in points], [index for index, _ in points], "o", label=peer,
                          color=colour, markersize=6 if own else 4, alpha=1 if own else 0.6)
        axes.hlines([index for index, _ in points], [min(each) for _, each in points], [max(each) for _, each in points],
                    colors=dots.get_color(), linewidth=1, alpha=dots.get_alpha())
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=7)
    axes.invert_yaxis()
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_xlim(0, max(1.15, axes.get_xlim()[1]))
    axes.set_xlabel(f"speed as a ratio to {ceiling}")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
