"""What the loader reads in the built programs and libraries. They look for shared libraries only in folders beside them: an empty
entry of a run path would mean the current folder, and an absolute one a folder that another user might fill."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

BUILD = pathlib.Path(os.environ["CORNERTURN"]).parents[1]


def built():
    return sorted(each for folder in ("bin", "lib", "python/cornerturn") for each in (BUILD / folder).glob("*")
                  if each.is_file() and each.read_bytes()[:4] == b"\x7fELF")


def dynamic(path):
    return subprocess.run(["readelf", "--dynamic", path], capture_output=True, text=True, check=True).stdout


def run_paths(path):
    return [entry for found in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic(path)) for entry in found.split(":")]


@pytest.mark.parametrize("path", built(), ids=lambda path: path.name)
def test_libraries_are_found_beside_the_file(path):
    assert [entry for entry in run_paths(path) if not entry.startswith("$ORIGIN")] == []


def test_the_program_has_a_run_path():
    assert run_paths(pathlib.Path(os.environ["CORNERTURN"]))


def test_the_library_stays_when_it_is_closed():
    """Its threads sleep in its code."""
    assert "NODELETE" in dynamic(BUILD / "lib/libcornerturn.so")


@pytest.mark.parametrize("library", [path.relative_to(BUILD) for path in built() if ".so" in path.name and not path.is_symlink()], ids=str)
def test_a_static_standard_library_stays_within_the_file(library, tmp_path):
    """Some systems link libstdc++ statically. If others could see it, two of them would share the locales of one, and PyTorch's import
    after the package's would end the process."""
    ninja = shutil.which("ninja", path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if not ninja or not (BUILD / "build.ninja").exists():
        pytest.skip("the build is not one of Ninja")
    commands = subprocess.run([ninja, "-t", "commands", "-s", library], cwd=BUILD, capture_output=True, text=True, check=True).stdout
    link = commands.replace(f"-o {library} ", f"-static-libstdc++ -o {shlex.quote(str(tmp_path / library.name))} ").split(" && ")[1]
    assert str(tmp_path) in link
    subprocess.run(link, shell=True, cwd=BUILD, check=True)
    symbols = subprocess.run(["nm", "-D", "--defined-only", tmp_path / library.name], capture_output=True, text=True, check=True).stdout
    assert symbols and [line for line in symbols.splitlines() if "St6locale" in line] == []
