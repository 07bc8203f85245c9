"""A name has one meaning: no two types in different files have one name. docs/design.md has the words of the project."""

import collections
import functools
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCES = [path for folder in ("src", "include", "interfaces", "python/module")
           for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".h", ".hpp", ".cpp", ".cuh", ".cu", ".in")]
WORDS = re.findall(r"^\| (\w+(?: \w+)?) \|", (ROOT / "docs/design.md").read_text().split("## Words")[1].split("##")[0], re.MULTILINE)[1:]

# A type that is defined, and its indentation. Types of a namespace have none, types within a type or a function have some.
DEFINITION = re.compile(r"^( *)(?:template <.*> *)?(?:struct|class|enum class|enum|union) (?:alignas\([^)]*\) |CORNERTURN_API )*(\w+)\b[^;:({]*(?:: [^;({]*)?\{",
                        re.MULTILINE)

# Names of several types, and what these have in common.
TWINS = {
    "buffers": "the two buffers of a ladder's run, of the CPU's ladder and of the GPU's",
}


def defined_types(text):
    """The names of the types that a source defines, each with whether it is a namespace's."""
    return [(name, not indent) for indent, name in DEFINITION.findall(re.sub(r"//.*", "", text))]


@functools.cache
def homes(with_inner_types):
    """The files that define types, by name: types of a namespace and, if asked for, types within a type or a function."""
    found = collections.defaultdict(set)
    for path in SOURCES:
        for name, is_of_namespace in defined_types(path.read_text()):
            if is_of_namespace or with_inner_types:
                found[name].add(path.relative_to(ROOT).as_posix())
    return found


def test_definitions_are_found():
    text = "struct a {\n  struct b : base {};\n};\ntemplate <class T> class c final {\nenum class d : int { e };\nclass CORNERTURN_API f {"
    assert defined_types(text) == [("a", True), ("b", False), ("c", True), ("d", True), ("f", True)]
    assert not defined_types("struct a;\nclass a::b {};\nstruct a f() {\n// struct b {\nvoid g(struct a const& b) {")
    assert {"problem", "mode", "request", "ceiling", "canonical problem", "exchange"} <= set(WORDS)
    assert len(homes(with_inner_types=False)) > 300


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_design_is_the_name_of_one_type_at_most(word):
    assert len(homes(with_inner_types=True).get(word, ())) <= 1, sorted(homes(with_inner_types=True)[word])


def test_a_name_has_one_meaning():
    several = {name: sorted(paths) for name, paths in homes(with_inner_types=False).items() if len(paths) > 1}
    assert not {name: paths for name, paths in several.items() if name not in TWINS}
    assert not [name for name in TWINS if name not in several], "these are no exceptions any more"
