"""Comments are sentences or noun phrases: they do not begin like fragments."""

import io
import pathlib
import re
import tokenize

import pytest

ROOT = pathlib.Path(__file__).parents[2]
OPENINGS = "of|that|those of|what of|as so|and|or|nor|than|who|whom|whose|which|by which|to which|whether|where|it|its|they"
FRAGMENT = re.compile(rf"({OPENINGS})\b", re.IGNORECASE)
C_COMMENT = re.compile(r"(?:^|\s)(?://+<?|/\*+<?)\s+(.*)")
FOLDERS = ["include", "cli", "python", "bench", "examples", "site", "src"]


def comments_of_c(text):
    """The beginnings of comments, with line numbers. A comment over several lines begins once."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        alone = line.lstrip().startswith(("//", "/*", "* "))
        found = C_COMMENT.search(line)
        if found and not (alone and inside):
            yield number, found[1]
        inside = alone


def comments_of_python(text):
    """The beginnings of comments and docstrings, with line numbers."""
    inside = False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line.lstrip().startswith("#")
            if not (alone and inside):
                yield token.start[0], token.string.lstrip("#!% ")
            inside = alone
        elif token.type == tokenize.STRING and token.line.lstrip().startswith('"""'):
            yield token.start[0], token.string.strip('"').lstrip()
        elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            inside = False


def fragments_in(folder):
    for path in sorted((ROOT / folder).rglob("*")):
        comments = {".py": comments_of_python}.get(path.suffix, comments_of_c)
        if path.suffix in (".py", ".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".in"):
            for number, comment in comments(path.read_text()):
                if FRAGMENT.match(comment):
                    yield f"{path.relative_to(ROOT)}:{number}: {comment}"


def numbers_of_fragments(comments):
    return [number for number, comment in comments if FRAGMENT.match(comment)]


def test_fragments_are_found():
    assert numbers_of_fragments(comments_of_c("int a;  ///< of a\n/// The end\n/// of a\n/* of b */")) == [1]
    assert numbers_of_fragments(comments_of_python('# The end\n# of a\nb = 1  # of c\n"""Of d."""\n')) == [3, 4]


@pytest.mark.parametrize("folder", FOLDERS)
def test_comments_are_not_fragments(folder):
    assert not list(fragments_in(folder))
