"""What a run's file says of the builds that took part. Needs nothing but Python's own library."""

import hashlib
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPILERS = re.compile(rb"(?:GCC: \([^)\0]*\)|clang version) [\w.+~-]+")


def said(*command):
    """What a command prints; None where it fails or is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit_around(path):
    """The commit of the checkout that a file or folder lies in, with -dirty where files have changed; None outside of one."""
    folder = pathlib.Path(path).resolve()
    return said("git", "-C", str(folder if folder.is_dir() else folder.parent), "describe", "--always", "--dirty")


def commit():
    """This project's."""
    return commit_around(ROOT) if (ROOT / ".git").exists() else None


def compilers(path):
    """That have left their names in a program or library, those of what is linked into it among them."""
    return sorted({name.decode() for name in COMPILERS.findall(pathlib.Path(path).read_bytes())})


def digest(content):
    return hashlib.sha256(content).hexdigest()[:12]


def of_library(path):
    """A library that was built elsewhere: its file, what it was built from and by. A checkout of this project says nothing of it."""
    found = commit_around(path)
    return {"path": str(path), "digest": digest(pathlib.Path(path).read_bytes()), "commit": None if found == commit() else found,
            "compilers": compilers(path)}
