"""Counts the words of each document and of all, without code, tables, comments and the addresses of links."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("site/pages/**/*.md")])
LEFT_OUT = re.compile(r"^```.*?^```|<!--.*?-->|^\|[^\n]*|(?<=\])\([^)]*\)|`[^`]*`", re.DOTALL | re.MULTILINE)


def words_of(text):
    """The words that begin with a letter."""
    return len(re.findall(r"[^\W\d_][\w'.-]*", LEFT_OUT.sub(" ", text)))


if __name__ == "__main__":
    counts = {path.relative_to(ROOT).as_posix(): words_of(path.read_text()) for path in DOCUMENTS}
    for name, count in sorted(counts.items(), key=lambda each: -each[1]):
        print(f"{count:6} {name}")
    print(f"{sum(counts.values()):6} in all")
