"""The rungs of the ladder, in its order."""

import pathlib
import re

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/ladder.md"
# Its headings are the names of the rungs: tests/docs/layouts_test.cpp compares them with the table in src/kernel/rung.
RUNGS = re.findall(r"^## `([\w-]+)`$", DOCUMENT.read_text(), re.MULTILINE)
