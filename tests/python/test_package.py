"""The package as it is delivered: docstrings, stubs, the program, examples."""

import ast
import copy
import doctest
import inspect
import itertools
import os
import pathlib
import pickle
import re
import subprocess
import sys

import cornerturn
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(cornerturn.__file__).parent
FUNCTIONS = [name for name in cornerturn.__all__ if callable(getattr(cornerturn, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings(name):
    documentation = getattr(cornerturn, name).__doc__
    assert documentation.strip()
    examples = doctest.DocTestParser().get_doctest(documentation, {}, name, None, 0)
    results = doctest.DocTestRunner().run(examples)
    assert results.failed == 0
    if name in ("permute", "transpose", "ascontiguous", "copy", "plan", "explain", "explain_code"):
        assert results.attempted


def test_all_names_are_exported_and_in_the_stubs():
    tree = ast.parse((PACKAGE / "_cornerturn.pyi").read_text())
    stubbed = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))} - {"_DLPack", "_CudaArray"}
    public = {name for name in vars(cornerturn._cornerturn) if not name.startswith("_")}
    assert stubbed == public and set(FUNCTIONS) <= public and (PACKAGE / "py.typed").exists()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert ast.get_docstring(node), node.name
    assert not [node for node in tree.body if isinstance(node, ast.AnnAssign)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_exported_is_the_package_s(name):
    assert getattr(cornerturn, name).__module__ == "cornerturn"


def test_the_stubs_tell_arrays_from_lists():
    text = (PACKAGE / "_cornerturn.pyi").read_text()
    assert 'Array = TypeVar("Array", bound=_DLPack | _CudaArray)' in text
    assert "Axes = Sequence[SupportsIndex] | NDArray[integer]" in text
    assert "order: Literal['C', 'F', 'K'] = 'C'" in text and "effort: Literal['estimate', 'measure'] = 'estimate'" in text


def signature_of_stub(node):
    """The signature of a function of the stubs without its types, as text."""
    for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.kwarg]:
        if argument:
            argument.annotation = None
    return f"({ast.unparse(node.args)})"


def test_signatures_are_readable_and_those_of_the_stubs():
    tree = ast.parse((PACKAGE / "_cornerturn.pyi").read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert functions.keys() == {name for name in FUNCTIONS if not isinstance(getattr(cornerturn, name), type)}
    for name, node in functions.items():
        assert str(inspect.signature(getattr(cornerturn, name))) == signature_of_stub(node), name
    [plan] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Plan"]
    methods = {node.name: node for node in plan.body if isinstance(node, ast.FunctionDef) and node.name != "__repr__"}
    assert methods.keys() == {"__call__", "describe", "explain"}
    for name, node in methods.items():
        readable = str(inspect.signature(getattr(cornerturn.Plan, name)))
        assert readable.replace("(self, /", "(self") == signature_of_stub(node), name
    for method, parameters in ((cornerturn.LayoutExplanation.html, "(self, /, path)"), (cornerturn.LayoutExplanation.picture, "(self, /)"),
                               (cornerturn.Explanation.picture, "(self, /)"), (cornerturn.CodeExplanation.html, "(self, /, path)")):
        assert str(inspect.signature(method)) == parameters
    assert str(inspect.signature(cornerturn.plan((2, 3), dtype="f4"))) == "(x, out=None, *, stream=None)"


def test_what_is_for_torch_is_annotated():
    for node in itertools.chain(*(ast.walk(ast.parse(file.read_text())) for file in (PACKAGE / "torch").glob("*.py"))):
        if isinstance(node, ast.FunctionDef):
            arguments = [each for each in [*node.args.args, *node.args.kwonlyargs] if each.arg != "self"]
            assert node.returns and all(argument.annotation for argument in arguments), node.name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_pickled_by_name(name):
    value = getattr(cornerturn, name)
    assert pickle.loads(pickle.dumps(value)) is value and copy.deepcopy(value) is value


def test_the_program():
    run = lambda *arguments, **options: subprocess.run([sys.executable, "-m", "cornerturn", *arguments], capture_output=True,
                                                       text=True, **options)
    program = subprocess.run([os.environ["CORNERTURN"], "info"], capture_output=True, text=True)
    without_memory = lambda text: [line for line in text.splitlines() if not line.startswith("memory")]  # as others take of it
    assert without_memory(run("info").stdout) == without_memory(program.stdout) and run("info").returncode == 0
    alone = subprocess.run([os.environ["CORNERTURN"]], capture_output=True, text=True)
    assert (run().returncode, run().stdout, run().stderr) == (alone.returncode, alone.stdout, alone.stderr) and alone.stderr
    assert run("transpose", "nowhere.npy", "out.npy").returncode == 2
    assert cornerturn.__version__ in run("--version").stdout


def test_the_page_s_examples():
    examples = re.findall("```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.DOTALL)
    names = {}
    for example in examples:
        if "torch" not in example:
            exec(example, names)
    assert {"whcn", "patches"} <= names.keys()


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/numpy_*.py")), ids=lambda path: path.name)
def test_examples(example, tmp_path):
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "" and done.stdout, done
