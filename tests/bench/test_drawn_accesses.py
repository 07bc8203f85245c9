"""Accesses that were drawn by somebody who had not read the counting, bench/drawn_accesses.json: the program counts what a few lines
count from the addresses of the lanes. CORNERTURN names the program."""

import json
import os
import pathlib
import sys

import pytest

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import user_counters  # noqa: E402

PROGRAM = os.environ["CORNERTURN"]
CASES = json.loads(user_counters.DRAWN.read_text())
# bytes per lane, values of the loop's variable, and the byte address of thread (x, y, z) after a multiple of 256, or None
ADDRESSES = {
    "bytes five apart": (1, [0], lambda x, y, z, i: x * 5),
    "shorts by threes, modulo": (2, [0], lambda x, y, z, i: x * 3 % 2048 * 2),
    "columns of a tile padded by four": (4, range(4), lambda x, y, z, i: (x * 36 + y * 4 + i) * 4),
    "doubles down a padded column": (8, [0], lambda x, y, z, i: (x % 64 * 17 + x // 64) * 8),
    "halves of a column, XORed by the row": (2, [0], lambda x, y, z, i: ((x & 63) * 64 + (x >> 6 ^ x & 63)) * 2),
    "float2 by fives": (8, [0], lambda x, y, z, i: (x // 2 * 16 + x % 2 * 5 + y) * 8),
    "float4 down a column of nine": (16, [0], lambda x, y, z, i: (x * 9 + y) * 16),
    "vectors of halves down a swizzled column": (16, range(8), lambda x, y, z, i: (x * 64 + (i ^ x & 7) * 8) * 2),
    "every third lane, eight words apart": (4, [0], lambda x, y, z, i: x * 32 if x % 3 == 0 else None),
    "one word of each warp": (4, [0], lambda x, y, z, i: (x >> 5) * 4),
    "pairs of words of a column, four lanes each": (4, [0], lambda x, y, z, i: (x // 4 * 32 + (x & 1)) * 4),
    "tree of a scan": (4, [1, 2, 4, 8, 16, 32, 64], lambda x, y, z, i: (i * (2 * x + 1) - 1) * 4 if x < 128 // i else None),
    "shorts backwards": (2, [0], lambda x, y, z, i: (255 - x) * 2),
    "second word of structures of three": (4, [0], lambda x, y, z, i: x * 12 + 4),
    "structures of five words, member by member": (4, range(5), lambda x, y, z, i: (x * 5 + i) * 4),
    "structures of 24 bytes, a double of each": (8, [0], lambda x, y, z, i: (x * 3 + 2) * 8),
    "butterflies of a Fourier transform": (8, [1, 2, 4, 8, 16, 32], lambda x, y, z, i: (x // i * 2 * i + x % i + i) * 8),
    "doubles in rows of 18": (8, [0], lambda x, y, z, i: ((y + 1) * 18 + x + 1) * 8),
    "a brick, in its order": (4, [0], lambda x, y, z, i: (z * 36 + y * 9 + x) * 4),
    "a brick, turned": (4, [0], lambda x, y, z, i: (x * 20 + z * 5 + y) * 4),
    "vectors of bytes nine apart, modulo": (4, [0], lambda x, y, z, i: x * 9 % 256 * 4),
    "64-bit words XORed by an eighth": (8, [0], lambda x, y, z, i: (x ^ x >> 3) * 8),
    "float2 of odd lanes": (8, [0], lambda x, y, z, i: x * 16 if x & 1 else None),
    "float4 that pairs share, three apart": (16, [0], lambda x, y, z, i: x // 2 * 48),
    "rotated rows": (4, [0], lambda x, y, z, i: (x * 32 + (x + y) % 32) * 4),
    "dense below, strided above": (4, [0], lambda x, y, z, i: (x if x < 16 else x * 32) * 4),
    "blocks of 24 threads": (4, [0], lambda x, y, z, i: (y * 40 + x + 3) * 4),
    "int4 by quarters of a warp": (16, [0], lambda x, y, z, i: (x % 8 * 8 + x // 8) * 16),
    "bytes in a row": (1, [0], lambda x, y, z, i: x),
    "shorts seven apart": (2, [0], lambda x, y, z, i: x * 14),
    "rows of an image with a frame": (4, [0], lambda x, y, z, i: ((y + 1) * 130 + x + 2) * 4),
    "doubles down columns": (8, [0], lambda x, y, z, i: (x * 100 + y) * 8),
    "every second float4, from the second on": (16, [0], lambda x, y, z, i: (x * 2 + 1) * 16),
    "eight lanes a row, rows of a thousand": (4, [0], lambda x, y, z, i: (x // 8 * 1000 + x % 8) * 4),
    "the first hundred threads, two apart": (4, [0], lambda x, y, z, i: x * 8 if x < 100 else None),
    "hashed by 97, modulo": (4, [0], lambda x, y, z, i: x * 97 % 1024 * 4),
    "last member of structures of 16 bytes": (4, [0], lambda x, y, z, i: x * 16 + 12),
    "a double of structures of 48 bytes": (8, [0], lambda x, y, z, i: (x * 6 + 2) * 8),
    "words backwards from 1000": (4, [0], lambda x, y, z, i: (1000 - x) * 4),
    "three channels of pixels": (1, range(3), lambda x, y, z, i: x * 3 + i),
    "float2 in rows of 513": (8, [0], lambda x, y, z, i: (y * 513 + x) * 8),
    "both ends of rows": (4, [0], lambda x, y, z, i: (y * 64 + x) * 4 if x < 2 or x >= 30 else None),
    "one value for each row": (2, [0], lambda x, y, z, i: y * 40),
    "a box of a volume, turned": (4, [0], lambda x, y, z, i: (z * 64 + x * 8 + y) * 4),
    "uint4 down four columns": (16, [0], lambda x, y, z, i: (x % 4 * 64 + x // 4) * 16),
    "packed lower triangle": (4, [0], lambda x, y, z, i: (y * (y + 1) // 2 + x) * 4 if x <= y else None),
    "shorts by all threads, twice": (2, range(2), lambda x, y, z, i: (i * 96 + x + 1) * 2),
    "Morton order of a square": (4, [0], lambda x, y, z, i: 4 * sum((x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1 for bit in range(3))),
    "a checkerboard's black squares": (8, [0], lambda x, y, z, i: (y * 40 + x) * 8 if (x + y) % 2 else None),
    "rows of 33 bytes": (1, [0], lambda x, y, z, i: (x + y * 32) * 33 + 31),
    "diagonals of a table of the device": (8, [0], lambda x, y, z, i: (x * 33 + x + y) * 8),
    "halves of int2, by quads": (4, [0], lambda x, y, z, i: (x // 4 * 10 + x % 4) * 8 + 4),
    "words from an address of 4": (4, [0], lambda x, y, z, i: 4 + x * 4),
    "bytes from an odd address": (1, [0], lambda x, y, z, i: 1 + x),
    "float4 from an address of 16": (16, [0], lambda x, y, z, i: 16 + x * 16),
    "every second double from an address of 8": (8, [0], lambda x, y, z, i: 8 + x * 16),
    "rows of 100 words from an address of 64": (4, [0], lambda x, y, z, i: 64 + (y * 100 + x) * 4),
}


def warps_of(block):
    """The threads (x, y, z) of each warp."""
    x, y, z = (*block, 1, 1)[:3]
    threads = [(a, b, c) for c in range(z) for b in range(y) for a in range(x)]
    return [threads[first:first + 32] for first in range(0, len(threads), 32)]


def wavefronts_of(lanes, size, is_load):
    """The largest number of words in one bank, for each part of the warp that is served at a time."""
    def shared(distance):
        return all(lane ^ distance not in lanes or lanes[lane ^ distance] == at for lane, at in lanes.items())

    at_a_time = {8: 16, 16: 8}.get(size, 32) * (2 if size > 4 and is_load and (shared(1) or shared(2)) else 1)
    result = 0
    for first in range(0, 32, at_a_time):
        words = {(at + byte) // 4 for lane, at in lanes.items() if first <= lane < first + at_a_time for byte in range(size)}
        result += max((sum(word % 32 == bank for word in words) for bank in range(32)), default=0)
    return result


def counted(case):
    """Requests, sectors or wavefronts, and active lanes, each the sum of all warps."""
    size, values, address = ADDRESSES[case["name"]]
    of = [{lane: at for lane, thread in enumerate(warp) if (at := address(*thread, i)) is not None}
          for warp in warps_of(case["block"]) for i in values]
    of = [lanes for lanes in of if lanes]
    if user_counters.space_of(case) == "shared":
        pieces = sum(wavefronts_of(lanes, size, case["op"] == "ld") for lanes in of)
    else:
        pieces = sum(len({(at + byte) // 32 for at in lanes.values() for byte in range(size)}) for lanes in of)
    return len(of), pieces, sum(map(len, of))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_program_counts_what_the_addresses_give(case):
    [instruction] = user_counters.explained_case(PROGRAM, case)["instructions"]
    space = user_counters.space_of(case)
    assert (instruction["space"], instruction["store"], instruction["bytes"]) == (space, case["op"] == "st", ADDRESSES[case["name"]][0])
    assert (instruction["requests"], instruction[user_counters.COUNTED[space][1]], instruction["active_lanes"]) == counted(case)
