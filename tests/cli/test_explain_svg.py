"""The pictures of `cornerturn explain --svg`. CORNERTURN names the program."""

import math
import operator
import re
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from explain_program import SVG, bank_cells, drawn, printed, tile_cells, wavefronts_of
from rungs import RUNGS

SWIZZLED = ["smem-swizzled", "vec-swizzled", "vec-both", "tma-store", "tma"]


@pytest.mark.parametrize("rung", RUNGS)
def test_svg(tmp_path, rung):
    rects, texts = drawn(tmp_path, "explain", rung)
    pictures = 2 if rung in SWIZZLED else 1
    tiles = [re.match(r"Tile of (\d+) rows and (\d+) columns ", text) for text in texts]
    corners = [min(32, int(tile[1])) * min(32, int(tile[2])) for tile in tiles if tile]
    assert corners and tile_cells(rects) == pictures * sum(corners)
    assert texts.count("The same without the swizzle:") == (len(corners) if rung in SWIZZLED else 0)
    assert any(text.startswith("Without the swizzle: ") for text in texts) == (rung in SWIZZLED)
    assert texts.count("bank") == len(wavefronts_of(texts))
    assert rects.count(("896", "16")) == sum(wavefronts_of(texts))


def test_svg_has_one_meaning_for_a_colour(tmp_path):
    printed("explain", "smem-conflict-read", "--svg", tmp_path / "picture.svg")
    root = xml.fromstring((tmp_path / "picture.svg").read_text())
    elements = list(root)
    numbered = [(one.get("height"), one.get("x"), one.get("class"), other.text) for one, other in zip(elements, elements[1:])
                if one.tag == SVG + "rect" and other.tag == SVG + "text"]
    legend = {text: style for height, _, style, text in numbered if height == "14"}
    heads = {x: text for height, x, _, text in reversed(numbered) if height == "16"}
    assert list(legend) == [str(bank) for bank in range(32)]
    assert all(style == legend[heads[x]] for height, x, style, _ in numbered if height == "16")
    sectors = {}  # the styles of the bytes that are asked for, by the place of their sector in the line
    for one in elements:
        if one.get("height") == "18" and one.get("class") != "unused":
            sectors.setdefault((float(one.get("x")) - 84) // (32 * 7), set()).add(one.get("class"))
    assert [len(each) for each in sectors.values()] == [1] * 4 and len(set.union(*sectors.values())) == 4
    # in both themes each bank has a colour of its own, and bytes that are moved and not used have none of a sector
    for theme in root.find(SVG + "style").text.split("@media (prefers-color-scheme: dark)"):
        colour_of = dict(re.findall(r"\.([\w-]+)\{fill:(#\w+)\}", theme))
        assert len({colour_of[style] for style in legend.values()}) == 32
        assert colour_of["unused"] not in [colour_of[f"p8-{sector}"] for sector in range(8)]


def test_svg_has_tiles_banks_and_lines_in_one_grid(tmp_path):
    printed("explain", "smem-conflict-read", "--svg", tmp_path / "picture.svg")
    rects = list(xml.fromstring((tmp_path / "picture.svg").read_text()).iter(SVG + "rect"))
    columns = lambda height: {(one.get("x"), one.get("width")) for one in rects if one.get("height") == height}
    assert columns("14") == columns("17") and len(columns("14")) == 32  # the legend, and the cells of the tile
    assert columns("14") <= columns("16")  # the banks of a wavefront
    lines = [(float(one.get("x")), float(one.get("x")) + float(one.get("width"))) for one in rects if one.get("height") == "18"]
    places = [float(x) for x, _ in columns("14")]
    assert (min(lines)[0], max(lines)[1]) == (min(places), max(places) + 28)


def oklch(colour):
    """The lightness, chroma and hue of an sRGB colour, by the matrices of CSS Color 4."""
    channels = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [((each + 0.055) / 1.055) ** 2.4 if each > 0.04045 else each / 12.92 for each in channels]
    times = lambda matrix, vector: [sum(map(operator.mul, row, vector)) for row in matrix]
    cones = times([(0.41222147, 0.53633254, 0.05144599), (0.21190350, 0.68069955, 0.10739696), (0.08830246, 0.28171884, 0.62997870)],
                  linear)
    lightness, a, b = times([(0.21045426, 0.79361778, -0.00407205), (1.97799850, -2.42859221, 0.45059371),
                             (0.02590404, 0.78277177, -0.80867577)], [each ** (1 / 3) for each in cones])
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def test_svg_has_the_colours_of_the_page(tmp_path):
    """The browser computes them for the page. The picture has them as sRGB, which more programs read."""
    printed("explain", "copy", "--svg", tmp_path / "picture.svg")
    sheet = (Path(__file__).parents[2] / "src/page/page.css").read_text()
    numbers = lambda name: map(float, re.findall(rf"--{name}: ([\d.]+)", sheet))
    colours = lambda name: re.findall(rf"--{name}: (#\w+)", sheet)
    themes = (tmp_path / "picture.svg").read_text().split("@media (prefers-color-scheme: dark)")
    told = [re.search(r"text\{fill:(#\w+)\}rect\{stroke:(#\w+)\}\.empty\{fill:(#\w+)\}", theme).groups() for theme in themes]
    assert told == list(zip(colours("ink"), colours("edge"), colours("card")))
    for theme, *wanted in zip(themes, numbers("cell-light"), numbers("cell-chroma")):
        for bank in range(32):
            shown = oklch(re.search(rf"\.p32-{bank}\{{fill:(#\w+)\}}", theme)[1])
            # sRGB lacks a few of the colours, whose channels are clipped; two banks are 10 degrees apart
            assert shown[:2] == pytest.approx(wanted, abs=0.012) and shown[2] == pytest.approx(25 + 300 * bank / 31, abs=5)


def test_svg_tells_two_tiles_apart(tmp_path):
    _, texts = drawn(tmp_path, "explain", "tma")
    assert [text.split(" columns ")[1] for text in texts if text.startswith("Tile of ")] == [
        "in shared memory, as TMA fills it from the source (its corner)",
        "in shared memory, as TMA stores it to the destination (its corner)"]
    assert [text for text in texts if "Number: " in text] == [
        f"Colour: bank. Number: the thread that {moves} the element." for moves in ("loads", "stores")]


def test_svg_counts(tmp_path):
    rects, texts = drawn(tmp_path, "explain", "naive-read")
    assert sum(height == "18" for _, height in rects) == (4 + 32) + 12 * (4 + 1)  # a line of loads, 12 with a store each
    assert "… and 20 more lines" in texts
    rects, texts = drawn(tmp_path, "explain", "smem-conflict-read")
    assert wavefronts_of(texts) == [1, 32] and bank_cells(rects) == 2 * (32 + 32)  # a row of names, a cell a lane
    rects, texts = drawn(tmp_path, "explain", "smem-swizzled")
    assert wavefronts_of(texts) == [1, 1, 1, 32] and bank_cells(rects) == 4 * (32 + 32)


def test_svg_says_which_request_it_draws(tmp_path):
    _, texts = drawn(tmp_path, "explain", "smem-padded", "--rows", 37, "--cols", 41, "--type", "u16")
    assert [re.sub(r" at \S+:\d+", "", text) for text in texts if " request of the " in text] == [
        "The costliest request of the global load: warp 0, occurrence 9, 9 of 32 lanes",
        "A request of the shared store: warp 0, occurrence 0, 32 of 32 lanes",
        "A request of the shared load: warp 0, occurrence 0, 32 of 32 lanes",
        "The costliest request of the global store: warp 1, occurrence 3, 5 of 32 lanes"]
    _, texts = drawn(tmp_path, "explain", "tma")
    assert any(re.fullmatch(r"A request of the global load of boxes at \S+: warp 0, occurrence 0", text) for text in texts)


def test_svg_of_a_rung_that_cannot_serve(tmp_path):
    rects, texts = drawn(tmp_path, "explain", "tma", "--rows", 1999, "--cols", 3001)
    assert rects == [("100%", "100%")] and any(text.startswith("n/a: the source's pitch in bytes is 12004") for text in texts)
