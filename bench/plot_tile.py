#!/usr/bin/env python3
"""Draws docs/tile-exchanges.svg: what the functions of tile.cuh, exchange.cuh and packed.cuh do with the elements of a tile, as docs/tile.md shows it."""

import argparse
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIGHT = ["#ffc2bc", "#f6cc9f", "#d6d9a0", "#afe3be", "#98e4e5", "#a7dcff", "#cccfff", "#eec4f0"]
DARK = ["#6a3633", "#623f14", "#4a4b14", "#225334", "#005455", "#194d6c", "#42426f", "#5c395e"]
WIDTH, CELL, HEIGHT = 1000, 22, 15


def style():
    rules = lambda fills, text, line, empty: (f"text{{fill:{text}}}rect{{stroke:{line}}}.empty{{fill:{empty}}}"
                                              + "".join(f".p{i}{{fill:{fill}}}" for i, fill in enumerate(fills)))
    return ("<style>\nrect{stroke-width:.5px}.h{font-size:15px;font-weight:bold}.t{font-size:12px}.n{font-size:9px;text-anchor:middle}\n"
            + rules(LIGHT, "#1f2328", "#8a9099", "#ffffff") + "\n@media (prefers-color-scheme: dark) {\n"
            + rules(DARK, "#e6edf3", "#767d86", "#1a1c1e") + "\n}\n</style>\n")


class Picture:
    """Grids of cells, each with a text and one of eight colours or none."""

    def __init__(self):
        self.parts, self.y = [], 20

    def text(self, kind, x, y, text):
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}">{text}</text>')

    def heading(self, title, line):
        self.text("h", 20, self.y + 15, title)
        self.text("t", 20, self.y + 35, line)
        self.y += 48

    def grids(self, *grids):
        """Grids beside each other: (title, rows, columns, cell(row, column) -> (text, colour or None))."""
        x, most = 20, 0
        for title, rows, columns, cell in grids:
            self.text("t", x, self.y + 12, title)
            for row in range(rows):
                for column in range(columns):
                    text, colour = cell(row, column)
                    left, top = x + column * CELL, self.y + 20 + row * HEIGHT
                    self.parts.append(f'<rect class="{"empty" if colour is None else f"p{colour}"}" x="{left}" y="{top}" width="{CELL}" height="{HEIGHT}"/>')
                    self.text("n", left + CELL // 2, top + 11, text)
            x += max(columns * CELL, 7 * len(title)) + 30
            most = max(most, rows)
        self.y += 20 + most * HEIGHT + 28

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.y}" viewBox="0 0 {WIDTH} {self.y}" '
                'font-family="DejaVu Sans, Verdana, sans-serif">\n' + style() + '<rect class="empty" width="100%" height="100%"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def mode(size):
    """TMA's mode of `size` bytes: the column and the 16 bytes of it that are in a unit of shared memory, for the first eight columns."""
    units = size // 16

    def cell(line, unit):
        address = line * 128 + unit * 16
        address ^= address >> 3 & (units - 1) << 4
        column, within = address // size, address % size // 16
        return f"{column}.{within}", column

    return f"tma_{size}", size // 16, 8, cell


def draw(path):
    picture = Picture()
    picture.heading("tile_transpose, 64 x 64 elements of 4 bytes: Swizzle&lt;3, 4, 6&gt;",
                    "A thread loads a square of 4 x 4. Eight lanes store a column of their squares at once: 16 bytes each, to columns 0, 4, ..., 28 of the tile.")
    stored = lambda swizzled: lambda lane, unit: (str(lane) if unit == lane * swizzled else "", lane if unit == lane * swizzled else None)
    picture.grids(("one unit: 8 wavefronts", 8, 8, stored(0)), ("swizzled: 1 wavefront", 8, 8, stored(1)),
                  ("rows: lanes 0 to 7, columns: the eight units of all banks", 0, 0, None))

    picture.heading("tile_transpose in a mode of TMA",
                    "Shared memory in lines of 128 bytes. 3.1: bytes 16 to 31 of column 3. The last grid: the column that a lane's store has, by the lane's square.")
    picture.grids(mode(32), mode(64), mode(128), ("in turn: tma_32", 4, 4, lambda step, lane: (str(step ^ lane), step ^ lane)))

    picture.heading("exchange: registers of neighbouring lanes", "Rows: lanes. Columns: registers. 2.1: register 1 of lane 2.")
    picture.grids(("before", 4, 4, lambda lane, i: (f"{lane}.{i}", lane)), ("after", 4, 4, lambda lane, i: (f"{i}.{lane}", i)))

    picture.heading("exchange_packed&lt;4&gt;, transpose_packed&lt;4&gt;", "Rows: the words of eight lanes, or of one thread. Columns: nibbles.")
    picture.grids(("before", 8, 8, lambda lane, i: (f"{lane}.{i}", lane)), ("after", 8, 8, lambda lane, i: (f"{i}.{lane}", i)))

    picture.heading("packed_transpose&lt;4, 32, 256&gt;: a tile of nibbles by 32 threads",
                    "2.1: square 1 of thread 2. Shared memory has a pitch of five words, so that the words of a store, one colour, are in different banks.")
    words, pitch = 4, 5
    stored = lambda shown: lambda thread, word: (shown(thread, word), word) if word < words else ("", None)
    picture.grids(("words of the source: eight threads", 32, 8, lambda row, thread: (f"{thread}.{row // 8}", row // 8)),
                  ("shared memory: the threads of words 0 to 3", 32, pitch, stored(lambda thread, word: str(thread))),
                  ("banks", 32, pitch, stored(lambda thread, word: str((thread * pitch + word) % 32))),
                  ("with a pitch of four words", 32, words, stored(lambda thread, word: str((thread * words + word) % 32))))

    picture.heading("load_transposed: 32 rows of 16 bytes by ldmatrix.x4.trans",
                    "The matrix of each row has every row modulo 8 once, so that its rows are in different banks. Then a lane has eight rows of a column.")
    matrix = lambda row: row // 2 % 4 ^ row // 8
    lane = lambda row, column: 4 * column + row // 8
    picture.grids(("matrix", 32, 1, lambda row, _: (str(matrix(row)), matrix(row))),
                  ("lane, 2 bytes", 32, 8, lambda row, column: (str(lane(row, column)), column)),
                  ("lane, 1 byte", 32, 16, lambda row, column: (str(lane(row, column // 2)), column // 2)))

    picture.heading("transpose_fragments: movmatrix", "The lane that has an element of 8 x 8, two of a row in a register.")
    picture.grids(("before", 8, 8, lambda row, column: (str(4 * row + column // 2), row)),
                  ("after", 8, 8, lambda row, column: (str(4 * column + row // 2), column)))
    path.write_text(picture.svg())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    default = ROOT / "docs/tile-exchanges.svg"
    parser.add_argument("--out", type=pathlib.Path, default=default, help="default: docs/tile-exchanges.svg")
    draw(parser.parse_args().out)


if __name__ == "__main__":
    main()
