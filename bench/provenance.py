"""Describes the builds that a run measures: commits, compilers, digests. Needs only Python's standard library."""

import datetime
import hashlib
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPILERS = re.compile(rb"(?:GCC: \([^)\0]*\)|clang version) [\w.+~-]+")


def said(*command):
    """The output of a command; None if it fails or does not exist."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit_around(path):
    """The commit of the checkout that contains a file or folder, with -dirty if files have changed; None outside a checkout."""
    folder = pathlib.Path(path).resolve()
    return said("git", "-C", str(folder if folder.is_dir() else folder.parent), "describe", "--always", "--dirty")


def commit():
    """The commit of this project."""
    return commit_around(ROOT) if (ROOT / ".git").exists() else None


def processor():
    """The name of this machine's processor."""
    return next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")


def card():
    """A digest of the first GPU's UUID; None without nvidia-smi."""
    uuid = said("nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader", "--id=0")
    return digest(uuid.encode()) if uuid else None


def places(runs):
    """The distinct pairs of card and day among runs, sorted."""
    return sorted({(run.get("card"), run.get("date")) for run in runs}, key=str)


def compilers(path):
    """The compilers named in a program or library, those of its static libraries included."""
    return sorted({name.decode() for name in COMPILERS.findall(pathlib.Path(path).read_bytes())})


def digest(content):
    return hashlib.sha256(content).hexdigest()[:12]


def of_run(library, versions, before=None):
    """Describes a run of a library of this project with peers of these versions. `before` is the path of an earlier build among them."""
    described = {"date": datetime.date.today().isoformat(), "commit": commit(),
                 "library": digest(pathlib.Path(library).read_bytes()), "compilers": compilers(library), "versions": versions}
    return described | ({"before": of_library(before)} if before else {})


def loaded_by(program):
    """The path of the library of this project that a program loads; the program itself if it is linked statically."""
    return next(iter(re.findall(r"libcornerturn\.so\S* => (\S+)", said("ldd", str(program)) or "")), program)


def of_ladder():
    """Describes a run of the ladder, which names its build itself: the commit, the date and the card."""
    return {"commit": commit(), "date": datetime.date.today().isoformat(), "card": card()}


def of_library(path):
    """Describes a library that was built elsewhere: its file, commit and compilers. The commit is None if the library is in a checkout
    of this project, which is not its source."""
    found = commit_around(path)
    return {"path": str(path), "digest": digest(pathlib.Path(path).read_bytes()), "commit": None if found == commit() else found,
            "compilers": compilers(path)}
