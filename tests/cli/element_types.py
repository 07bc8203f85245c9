"""The types of elements, read from their rows."""

import pathlib
import re
import typing


class Row(typing.NamedTuple):
    name: str
    dtype: str
    code: str
    kind: str
    bytes: int
    representation: str


_TEXT = (pathlib.Path(__file__).parents[2] / "include/cornerturn/element_types.def").read_text()
ROWS = [Row(*(cell.strip('"') for cell in cells[2:5]), cells[5], int(cells[6]), cells[7])
        for cells in (re.split(", +", each) for each in re.findall(r"^CORNERTURN_ELEMENT_TYPE\((.*)\)$", _TEXT, re.MULTILINE))]
BY_SIZE = sorted(ROWS, key=lambda row: row.bytes)  # types of one size stay in their order
MOVED = [row for row in BY_SIZE if row.kind != "boolean"]  # the types of ladder, transpose and others that move bits
F8 = [row.name for row in ROWS if row.kind in ("floating", "finite") and row.bytes == 1]
QUANTIZABLE = ["f32", "f16", "bf16", *F8]


def any_of(names):
    """The names as messages list them."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
