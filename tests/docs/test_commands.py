"""Checks the commands in documents against the tree and against the output of --help. Commands in blocks that are quick and need no
GPU are run in a copy of the tree.
"""

import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("site/pages/**/*.md")])
SCRIPTS = sorted(path for path in ROOT.glob("bench/*.py") if path.read_text().startswith("#!"))
HEADS = ("cornerturn ", "bench/", "scripts/", "build/", "make ", "PYTHONPATH=")
PYTHON = "build/venv/bin/python"
SUBCOMMANDS = ("transpose", "plan", "tune", "ladder", "explain", "layout", "info")
OPTIONS_OF_OTHERS = {"--clock-control"}  # ncu's


def in_blocks(text):
    """Lines of blocks without a language; a line that ends with a backslash, and a command with an open quote, continue."""
    blocks = re.findall(r"^```([^\n]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    found = []
    for language, block in blocks:
        is_open = False
        for line in re.sub(r"\\\n *", "", block).splitlines() if not language else ():
            found[-1:] = [found[-1] + "\n" + line] if is_open else [*found[-1:], line]
            is_open = found[-1].startswith(HEADS) and re.sub("  +#.*", "", found[-1]).count("'") % 2 == 1
    return found


def commands_of(text):
    """Lines of blocks without a language, and code within sentences, that begin like a command."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    found = in_blocks(text) + [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]
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
    return str(script).endswith(".py") and (re.search(r"^import cornerturn\b", (ROOT / script).read_text(), re.MULTILINE) or
                                       any("python" in word.split(",") for word in arguments))


def options_in(words):
    return [word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)]


def options_of(script):
    """The options that a script's --help lists. Those of a script that imports the package are read from its source, because the
    package may not be built."""
    if needs_package(script, []):
        return set(re.findall(r'add_argument\("(--[a-z-]+)"', (ROOT / script).read_text()))
    said = help_of(sys.executable, ROOT / script)
    said += help_of(os.environ["CORNERTURN"], "ladder") if "go to the ladder" in said else ""
    return set(re.findall("--[a-z-]+", said))


def options_of_program(subcommand):
    return set(re.findall("--[a-z-]+", help_of(os.environ["CORNERTURN"], subcommand)))


@functools.cache
def programs():
    """The names of all programs that the tree builds."""
    lists = [path.read_text() for pattern in ("*/CMakeLists.txt", "cmake/*.cmake") for path in ROOT.glob(pattern)]
    found = [each for text in lists for each in
             re.findall(r"(?:add_executable|add_gtest_program|add_test_program)\((\w+)|OUTPUT_NAME (\w+)|foreach\(program ([\w ]+)\)", text)]
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
        if words[0] == "-c":
            return
        assert (ROOT / words[0]).suffix == ".py"
    program, *rest = words
    assert not [word for word in words if word.startswith("build/") and "/bin/" in word and not is_built(word)]
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert all(word in targets for word in rest if "=" not in word)
    elif pathlib.Path(program).name == "cornerturn":
        assert set(options_in(rest)) <= options_of_program(rest[0])
    elif not program.startswith("build/"):
        assert os.access(ROOT / program, os.X_OK), f"{program} cannot be run"
        if needs_package(program, rest):
            assert "PYTHONPATH" in settings, "the package is on no path"
        if program.endswith(".py"):
            assert set(options_in(rest)) <= options_of(program)


def parts_in_prose(text):
    """Code within sentences that begins with an option or a subcommand."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [span for span in re.findall(r"`([^`]+)`", prose) if span.startswith(("--", *(f"{each} -" for each in SUBCOMMANDS)))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_an_option_in_a_sentence_exists(document):
    parts = parts_in_prose(document.read_text())
    known = OPTIONS_OF_OTHERS.union(*map(options_of_program, SUBCOMMANDS), *map(options_of, SCRIPTS)) if parts else set()
    assert {option for part in parts for option in options_in(part.split())} <= known


def is_quick_without_a_gpu(command):
    """False for ladders, which take minutes on the CPU (tests/cli runs small ones), for runs of peers, and for builds."""
    if command.startswith("cornerturn "):
        return not command.startswith("cornerturn ladder --device cpu")
    return command.startswith(PYTHON) and ("-c" in command or "bench/" in command and "overhead" not in command)


TO_RUN = {document: [command for command in in_blocks(document.read_text()) if is_quick_without_a_gpu(command)]
          for document in DOCUMENTS}


def copy_of_the_tree(folder):
    """The files of a built clone that commands need: documents, scripts, results, and the Python of build/venv."""
    for name in ("bench", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "site"))
    for document in ROOT.glob("*.md"):
        shutil.copy(document, folder)
    python = folder / PYTHON
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


@pytest.mark.parametrize("document", [each for each, commands in TO_RUN.items() if commands], ids=lambda path: path.name)
def test_the_commands_of_blocks_succeed(document, tmp_path):
    """The commands run one after another, so that a command can use the files that earlier ones made."""
    copy_of_the_tree(tmp_path)
    program = pathlib.Path(os.environ["CORNERTURN"]).resolve()
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "CORNERTURN_CACHE_DIR": str(tmp_path / "choices")}
    for command in TO_RUN[document]:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.skipif(not shutil.which("gfortran"), reason="there is no gfortran")
def test_the_program_in_fortran_runs(tmp_path):
    [shown] = re.findall("```fortran\n(.*?)```", (ROOT / "docs/cpp.md").read_text(), re.DOTALL)
    (tmp_path / "turn.f90").write_text(shown)
    libraries = pathlib.Path(os.environ["CORNERTURN"]).resolve().parents[1] / "lib"
    subprocess.run(["gfortran", "turn.f90", "-o", "turn", "-L", libraries, "-lcornerturn", f"-Wl,-rpath,{libraries}"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "turn"]).returncode == 0


def test_the_plan_of_ranks_is_what_the_program_prints():
    text = (ROOT / "docs/distributed.md").read_text()
    [shown] = re.findall(r"^The second command prints:\n\n```text\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    _, command, *_ = [line for line in in_blocks(text) if line.startswith("cornerturn plan")]
    done = subprocess.run([os.environ["CORNERTURN"], *command.split()[1:]], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, shown), done.stderr


def test_blocks_without_a_language_are_told_from_others():
    text = "```python\nimport a\n```\nprose\n```\nmake b \\\n  c\n```\nprose\n```text\nd\n```\n"
    assert in_blocks(text) == ["make b c"]


def test_the_commands_that_are_run_are_not_few():
    """Every subcommand is run."""
    run = [command.split()[1] for commands in TO_RUN.values() for command in commands if command.startswith("cornerturn ")]
    assert set(SUBCOMMANDS) <= set(run)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_run(script):
    assert os.access(script, os.X_OK)
    if not needs_package(script, []):
        assert "usage:" in help_of(sys.executable, script)


def test_the_picture_of_explain_is_what_the_program_draws(tmp_path):
    """scripts/page_picture.py makes it anew."""
    for picture in (ROOT / "docs").glob("explain-*.svg"):
        rung = picture.stem.removeprefix("explain-")
        done = subprocess.run([os.environ["CORNERTURN"], "explain", rung, "--svg", tmp_path / "rung.svg"], capture_output=True)
        assert done.returncode == 0 and (tmp_path / "rung.svg").read_bytes() == picture.read_bytes(), rung
