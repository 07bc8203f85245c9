"""What the tests of `cornerturn explain` and `cornerturn layout` share. CORNERTURN names the program."""

import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

PROGRAM = os.environ["CORNERTURN"]
TILE = ["(64,64):(64,1)", "--threads", "(32,8):(1,32)"]
ACROSS = ["--other-threads", "(8,32):(32,1)"]
WIDTH = 80
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **options)


def printed(*arguments):
    """What a run that must succeed prints. A rung that does not support the matrix is explained, too, and is no success."""
    done = run(*arguments)
    assert done.returncode == (2 if "\nn/a for " in done.stdout else 0) and done.stderr == "", done
    return done.stdout


def refused(*arguments, **options):
    """The line by which bad input is refused."""
    done = run(*arguments, **options)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("cornerturn: "), done
    return done.stderr.removeprefix("cornerturn: ").rstrip("\n")


def has_gpu():
    return "\nGPUs          none: " not in run("info").stdout


def instrumented():
    return any(b"__asan_init" in file.read_bytes()
               for file in [Path(PROGRAM), *Path(PROGRAM).parent.parent.glob("lib/libcornerturn.so")])


def counts(folder, *arguments):
    """What is printed, and what --json writes beside it."""
    text, told = printed(*arguments, "--json", folder / "counts.json"), f"{folder / 'counts.json'}: written\n"
    assert told in text
    return text.replace(told, ""), json.loads((folder / "counts.json").read_text())


def decimal(value):
    return f"{value:.1f}".removesuffix(".0")


def cost(instructions):
    """Sectors or wavefronts a request, and the ideal."""
    what = "wavefronts" if instructions[0]["space"] == "shared" else "sectors"
    requests = sum(each["requests"] for each in instructions)
    return [decimal(sum(each[name] for each in instructions) / requests) for name in (what, "ideal_" + what)]


def expect_narrow(text):
    for line in text.splitlines():
        assert len(line) <= WIDTH, line


def groups_of(lanes, bytes):
    """Lanes that shared memory serves together, of (lane, address) pairs."""
    together, address = min(32, 128 // bytes), dict(lanes)
    def joined(first):
        around = range(first, first + 2 * together)
        return any(all(address.get(lane ^ bit, at) == at for lane, at in lanes if lane in around) for bit in (1, 2))
    starts = {first for first in range(0, 32, 2 * together) if together < 32 and joined(first)}
    return {lane: (first,) if (first := lane // (2 * together) * (2 * together)) in starts else (first, lane // together)
            for lane in address}


def check_sample(sample, instruction):
    """A request's counts, counted again from its addresses."""
    shared, bytes = instruction["space"] == "shared", instruction["bytes"]
    lanes = [(lane, address) for lane, address in zip(sample["lanes"], sample["addresses"]) if address is not None]
    if shared:
        group_of, groups = groups_of(lanes, bytes), {}
        for lane, address in lanes:
            for word in range(address // 4, (address + bytes - 1) // 4 + 1):
                groups.setdefault(group_of[lane], {}).setdefault(word % 32, set()).add(word)
        assert sample["wavefronts"] == sum(max(map(len, banks.values())) for banks in groups.values())
        assert sample["ideal_wavefronts"] == len(groups)
        numbers = dict(zip(sample["lanes"], sample["groups"]))
        pairs = {(numbers[lane], group) for lane, group in group_of.items()}
        assert len(groups) == len({numbers[lane] for lane in group_of}) == len(pairs)
        assert {phase for phase, address in zip(sample["phases"], sample["addresses"]) if address is not None} == set(
            range(sample["wavefronts"]))
    else:
        touched = {byte // 32 for _, address in lanes for byte in (address, address + bytes - 1)}
        touched |= {byte // 32 for _, address in lanes for byte in range(address, address + bytes, 32)}
        assert sample["sectors"] == len(touched)
        assert sample["ideal_sectors"] == -(-len(lanes) * bytes // 32) or instruction["box"]


def drawn(folder, *arguments):
    """Widths and heights of the picture's rectangles, and its texts."""
    printed(*arguments, "--svg", folder / "picture.svg")
    root = xml.fromstring((folder / "picture.svg").read_text())
    assert root.tag == SVG + "svg"
    return ([(rect.get("width"), rect.get("height")) for rect in root.iter(SVG + "rect")],
            [text.text for text in root.iter(SVG + "text")])


def tile_cells(rects):
    return rects.count(("28", "17"))


def bank_cells(rects):
    return rects.count(("28", "16"))


def wavefronts_of(texts):
    """Of every drawn request, with the swizzle and without."""
    return [int(number) for text in texts
            for number in re.findall(r"^(?:Without the swizzle: )?(\d+) wavefronts?[;.]", text)]
