#!/usr/bin/env python3
"""Prints the table of docs/distributed.md: predicted milliseconds of a permutation over GPUs, by the model there."""

import argparse

BLOCK = 4 << 30  # bytes of a GPU's block
DOMAIN = 8  # GPUs that reach each other by NVLink
NVLINK = 380e9  # bytes per second that a GPU sends to its peers
INFINIBAND = 50e9  # bytes per second of a port of 400 Gb/s, one for each GPU
MEMORY = 4.8e12 / 2  # bytes copied per second
LATENCY = 5e-6  # seconds between the starts of two messages
BATCHES = 4


def wire(ranks):
    """Seconds on the wire. Messages within a domain and between domains are on their way at the same time."""
    near = min(ranks, DOMAIN) - 1
    message = BLOCK / ranks
    return max(near * message / NVLINK, (ranks - 1 - near) * message / INFINIBAND) + (ranks - 1) * LATENCY


def packed(ranks):
    """Seconds with NCCL: beside the wire one batch is packed and one is unpacked."""
    return wire(ranks) + 2 * BLOCK * (ranks - 1) / ranks / min(BATCHES, ranks - 1) / MEMORY


def direct(ranks):
    """Seconds with writes into the blocks of peers, after which the rank moves what it keeps."""
    return wire(ranks) + BLOCK / ranks / MEMORY


def table():
    lines = ["| GPUs | MiB of a message | messages alone | packed, by NCCL | into peers |", "|--:|--:|--:|--:|--:|"]
    for ranks in (2, 4, 8, 16, 64, 256, 1024):
        into_peers = f"{1e3 * direct(ranks):.1f}" if ranks <= DOMAIN else "–"
        lines.append(f"| {ranks:,} | {BLOCK // ranks >> 20} | {1e3 * wire(ranks):.1f} | {1e3 * packed(ranks):.1f} | {into_peers} |")
    return "\n".join(lines)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(table())
