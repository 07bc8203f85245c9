"""Docstrings say what a function returns and raises, and what each attribute of a class is."""

import ast
import inspect
import pathlib
import re

import cornerturn
import pytest

FOLDER = pathlib.Path(cornerturn.__file__).parent
RETURN_NOTHING = {"copy", "cache_clear", "set_num_threads", "disable", "html"}
RAISE_NOTHING = {"cache_clear", "cache_info", "num_threads", "rung_names", "disable", "enable", "report", "picture", "describe"}


def expect_complete(name, text):
    heads = [*([] if name in RETURN_NOTHING else ["Returns"]), *([] if name in RAISE_NOTHING else ["Raises"])]
    assert not [head for head in heads if f"{head}\n---" not in inspect.cleandoc(text or "")], f"{name} lacks a part"


def told_parameters(text):
    """The names in the section of parameters; None without a section."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?:\n\n|\Z)", inspect.cleandoc(text), re.DOTALL | re.MULTILINE)
    return section and [name for line in section[1].splitlines() if line[0] != " " for name in line.partition(" : ")[0].split(", ")]


def public_classes():
    classes = [getattr(cornerturn, name) for name in cornerturn.__all__]
    return [each for each in classes if inspect.isclass(each) and not issubclass(each, Exception)]


@pytest.mark.parametrize("name", [name for name in cornerturn.__all__ if inspect.isbuiltin(getattr(cornerturn, name))])
def test_a_function_is_described(name):
    function = getattr(cornerturn, name)
    expect_complete(name, function.__doc__)
    if told := told_parameters(function.__doc__):
        stars = {inspect.Parameter.VAR_KEYWORD: "**"}
        assert sorted(told) == sorted(stars.get(each.kind, "") + each.name for each in inspect.signature(function).parameters.values())


def test_functions_are_found():
    assert {"permute", "tune"} <= {name for name in cornerturn.__all__ if inspect.isbuiltin(getattr(cornerturn, name))}


@pytest.mark.parametrize("kind", public_classes(), ids=lambda kind: kind.__name__)
def test_members_are_described(kind):
    members = {name: each for name, each in vars(kind).items() if name == "__call__" or not name.startswith("_")}
    for name, member in members.items():
        if callable(member):
            expect_complete(name, member.__doc__)
        else:
            assert member.__doc__, f"{kind.__name__}.{name} is not described"
    assert kind.__doc__ and members


def public_nodes():
    """The functions and classes that a module of the package lists in __all__, also from its private modules. Modules of frameworks
    are read and not imported."""
    trees = {path.stem: ast.parse(path.read_text()) for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "__main__")}
    listed = {name for tree in trees.values() for each in tree.body
              if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__" for name in ast.literal_eval(each.value)}
    return [(f"{module}.{each.name}", each) for module, tree in trees.items() for each in tree.body
            if isinstance(each, (ast.FunctionDef, ast.ClassDef)) and each.name in listed]


@pytest.mark.parametrize("name, node", public_nodes(), ids=lambda part: part if isinstance(part, str) else "")
def test_a_name_of_a_module_is_described(name, node):
    text = ast.get_docstring(node)
    if isinstance(node, ast.FunctionDef):
        return expect_complete(node.name, text)
    assert text
    for place, each in enumerate(node.body):
        if isinstance(each, ast.AnnAssign):
            after = node.body[place + 1] if place + 1 < len(node.body) else None
            described = f"{each.target.id} :" in text or isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            assert described, f"{name}.{each.target.id} is not described"
