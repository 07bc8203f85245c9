#!/usr/bin/env python3
"""Prints the table of docs/measured.md: predicted milliseconds of a permutation over GPUs, by the model of docs/distributed.md."""

import argparse
import dataclasses
import math

BLOCK = 4 << 30  # bytes of a GPU's block
DOMAIN = 8  # GPUs that reach each other by NVLink
UNIT = 64 << 20  # bytes: n bytes are sent in sqrt(n / UNIT) batches
PART = 64 << 20  # bytes that are packed before a copy engine begins


@dataclasses.dataclass(frozen=True)
class Machine:
    """Bandwidths in bytes per second, and a latency in seconds."""
    nvlink: float = 380e9  # what a GPU sends to its peers
    infiniband: float = 50e9  # a port of 400 Gb/s, one for each GPU
    memory: float = 4.8e12 / 2  # copied
    latency: float = 5e-6  # between the starts of two messages


def wire(ranks, block=BLOCK, machine=Machine()):
    """Seconds on the wire. Messages within a domain and between domains are on their way at the same time."""
    near = min(ranks, DOMAIN) - 1
    message = block / ranks
    return max(near * message / machine.nvlink, (ranks - 1 - near) * message / machine.infiniband) + (ranks - 1) * machine.latency


def packed(ranks, block=BLOCK, machine=Machine()):
    """Seconds with NCCL: beside the wire one batch is packed and one is unpacked, and each batch starts once."""
    sent = block // ranks * (ranks - 1)
    batches = max(1, math.isqrt(sent // UNIT))
    return wire(ranks, block, machine) + 2 * sent / batches / machine.memory + (batches - 1) * machine.latency


def direct(ranks, block=BLOCK, machine=Machine()):
    """Seconds with writes into the blocks of peers, before which one part is packed."""
    return wire(ranks, block, machine) + min(block / ranks, PART) / machine.memory


def table():
    lines = ["| GPUs | MiB of a message | messages alone | packed, by NCCL | written directly |", "|--:|--:|--:|--:|--:|"]
    for ranks in (2, 4, 8, 16, 64, 256, 1024):
        into_peers = f"{1e3 * direct(ranks):.1f}" if ranks <= DOMAIN else "–"
        lines.append(f"| {ranks:,} | {BLOCK // ranks >> 20} | {1e3 * wire(ranks):.1f} | {1e3 * packed(ranks):.1f} | {into_peers} |")
    return "\n".join(lines)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(table())
