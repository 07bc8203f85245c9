"""Parts of source files, which pages show."""

import re
import textwrap

import documents


def definition(path, name):
    """The definition of a function, a struct or an alias, with the lines of its template and comment above it. The tree is formatted
    by clang-format, so that a definition ends at the indentation at which it begins."""
    lines = (documents.ROOT / path).read_text().splitlines()
    starts = [at for at, line in enumerate(lines) if re.match(rf"\s*(?:struct {name} {{|using {name} =|[\w ]* {name}\()", line)]
    if len(starts) != 1:
        raise SystemExit(f"site: {path} has {len(starts)} definitions of {name}")
    [start] = starts
    indent = re.match(" *", lines[start])[0]
    ends = {indent + "}", indent + "};"}
    one_statement = "using" in lines[start]
    end = next(at for at in range(start, len(lines)) if (lines[at].endswith(";") if one_statement else lines[at] in ends))
    while re.match(rf"{indent}(?:template|///)", lines[start - 1]):
        start -= 1
    return textwrap.dedent("\n".join(lines[start:end + 1]))
