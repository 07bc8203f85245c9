"""What a run of the arena says: tables, a plot, and a gate that compares two builds."""

import math
import statistics


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def ratios(rows, peer):
    return [row["ms"]["copy"] / row["ms"][peer] for row in rows if peer in row["ms"]]


def peers_of(rows):
    """All who have a figure in one of the rows, in their order."""
    return list(dict.fromkeys(peer for row in rows for peer in row if peer != "copy"))


def title(row):
    return f"{'x'.join(map(str, row['shape']))} ({','.join(map(str, row['axes']))}) {row['type']}"


def table(rows):
    """Markdown: the ratio to copy of every peer in every case, and a summary."""
    peers = peers_of(row["ms"] for row in rows)
    lines = ["| case | copy GB/s | " + " | ".join(peers) + " |", "| :-- | --: |" + " --: |" * len(peers)]
    for row in rows:
        cells = [f"{row['ms']['copy'] / row['ms'][peer]:.3f}" if peer in row["ms"] else "–" for peer in peers]
        lines.append(f"| {title(row)} | {row['bytes'] / row['ms']['copy'] * 1e-6:.0f} | " + " | ".join(cells) + " |")
    for name, of in (("geometric mean", geometric_mean), ("worst", lambda values: min(values, default=float("nan")))):
        lines.append(f"| {name} | | " + " | ".join(f"{of(ratios(rows, peer)):.3f}" for peer in peers) + " |")
    return "\n".join(lines) + "\n"


def losses(rows, limit=0.03):
    """Cases in which `cornerturn` is more than `limit` slower than `before`, with how much."""
    lost = []
    for row in rows:
        if {"cornerturn", "before"} <= row["ms"].keys():
            loss = row["ms"]["cornerturn"] / row["ms"]["before"] - 1
            if loss > limit:
                lost.append((title(row), loss))
    return lost


def plot(rows, path, ceiling):
    """Draws (title, ratios of each peer) row by row: the median of several, and a line from the lowest to the highest."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(figsize=(10, max(2.5, 0.26 * len(rows))))
    for peer in peers_of(each for _, each in rows):
        points = [(index, each[peer]) for index, (_, each) in enumerate(rows) if peer in each]
        own = peer == "cornerturn"
        dots, = axes.plot([statistics.median(each) for _, each in points], [index for index, _ in points], "o", label=peer,
                          markersize=6 if own else 4, alpha=1 if own else 0.6)
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
