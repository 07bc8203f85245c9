"""What a run of the arena says: tables, a plot, and a gate that compares two builds."""

import math


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def ratios(rows, peer):
    return [row["ms"]["copy"] / row["ms"][peer] for row in rows if peer in row["ms"]]


def peers_of(rows):
    return list(dict.fromkeys(peer for row in rows for peer in row["ms"] if peer != "copy"))


def title(row):
    return f"{'x'.join(map(str, row['shape']))} ({','.join(map(str, row['axes']))}) {row['type']}"


def table(rows):
    """Markdown: the ratio to copy of every peer in every case, and a summary."""
    peers = peers_of(rows)
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


def plot(rows, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    peers = peers_of(rows)
    figure, axes = pyplot.subplots(figsize=(10, max(2.5, 0.26 * len(rows))))
    for peer in peers:
        points = [(row["ms"]["copy"] / row["ms"][peer], index) for index, row in enumerate(rows) if peer in row["ms"]]
        axes.plot(*zip(*points), "o", label=peer, markersize=6 if peer == "cornerturn" else 4,
                  alpha=1 if peer == "cornerturn" else 0.6)
    axes.set_yticks(range(len(rows)), [title(row) for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set_xlim(0, 1.15)
    axes.set_xlabel("speed as a ratio to a copy of the same bytes")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
