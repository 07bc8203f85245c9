"""The commands in documents, held against the tree and against what each program says with --help."""

import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import types

import numpy
import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
SCRIPTS = sorted(path for path in ROOT.glob("bench/*.py") if path.read_text().startswith("#!"))
HEADS = ("cornerturn ", "bench/", "scripts/", "build/", "make ", "PYTHONPATH=")
PYTHON = "build/venv/bin/python"


def commands_of(text):
    """Lines of blocks without a language, and code within sentences, that begin as a command does."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found = [line for block in blocks for line in block.splitlines()]
    found += [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
    return [command for command in found if command.startswith(HEADS) and " " in command and "…" not in command]


COMMANDS = sorted({(document.relative_to(ROOT).as_posix(), command) for document in DOCUMENTS
                   for command in commands_of(document.read_text())})


@functools.cache
def help_of(*program):
    done = subprocess.run([*program, "--help"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done
    return done.stdout


def needs_package(script, arguments):
    """True if the script imports the package, itself or for a peer that is asked for."""
    return str(script).endswith(".py") and ("\nimport cornerturn\n" in (ROOT / script).read_text() or
                                       any("python" in word.split(",") for word in arguments))


def options_in(words):
    return [word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)]


@functools.cache
def programs():
    """The names of all programs that the tree builds."""
    lists = [path.read_text() for path in ROOT.glob("*/CMakeLists.txt")]
    found = [each for text in lists for each in
             re.findall(r"(?:add_executable|add_gtest_program)\((\w+)|OUTPUT_NAME (\w+)|foreach\(program ([\w ]+)\)", text)]
    return {name for groups in found for name in " ".join(groups).split()}


def is_built(path):
    return re.match(r"build/\w+/bin/", path) and pathlib.Path(path).name in programs()


@pytest.mark.parametrize("document, command", COMMANDS)
def test_a_command_runs_as_written(document, command):
    words = shlex.split(command, comments=True)
    settings = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        settings[name] = value
    if words[0] == PYTHON:
        words.pop(0)
        assert (ROOT / words[0]).suffix == ".py"
    program, *rest = words
    assert not [word for word in words if word.startswith("build/") and "/bin/" in word and not is_built(word)]
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert all(word in targets for word in rest if "=" not in word)
    elif pathlib.Path(program).name == "cornerturn":
        assert set(options_in(rest)) <= set(re.findall("--[a-z-]+", help_of(os.environ["CORNERTURN"], rest[0])))
    elif not program.startswith("build/"):
        assert os.access(ROOT / program, os.X_OK), f"{program} cannot be run"
        if needs_package(program, rest):
            assert "PYTHONPATH" in settings, "the package is on no path"
        elif program.endswith(".py"):
            said = help_of(sys.executable, ROOT / program)
            said += help_of(os.environ["CORNERTURN"], "ladder") if "go to the ladder" in said else ""
            assert set(options_in(rest)) <= set(re.findall("--[a-z-]+", said))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_run(script):
    assert os.access(script, os.X_OK)
    if not needs_package(script, []):
        assert "usage:" in help_of(sys.executable, script)


def test_the_readme_s_python_runs():
    """With NumPy in the package's place: every name is defined."""
    [shown] = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    plan = types.SimpleNamespace(describe=lambda: "a plan")
    package = types.SimpleNamespace(permute=lambda x, axes: numpy.ascontiguousarray(x.transpose(axes)), plan=lambda x, axes: plan)
    code = shown.replace("import cornerturn\n", "")
    exec(compile(code, "README.md", "exec"), {"cornerturn": package})
