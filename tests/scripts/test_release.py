"""`scripts/release --dry-run`, in a small tree where another program makes the source distribution."""

import hashlib
import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "release"
MAKES_SDIST = "#!/bin/sh\necho source > build/release/cornerturn-1.2.3.tar.gz\n"


@pytest.fixture
def tree(tmp_path):
    """A committed tree of version 1.2.3 with a wheel and a site."""
    for folder in ("scripts", "build/venv/bin", "build/wheel", "docs/site"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "scripts/release")
    (tmp_path / "build/venv/bin/python").write_text(MAKES_SDIST)
    (tmp_path / "build/venv/bin/python").chmod(0o755)
    (tmp_path / "build/wheel/cornerturn-1.2.3-1gpu-py3-none-any.whl").write_text("wheel")
    (tmp_path / ".gitignore").write_text("build/\ndocs/site/\n")
    (tmp_path / "docs/site/index.html").write_text("site")
    (tmp_path / "CMakeLists.txt").write_text("project(cornerturn VERSION 1.2.3 LANGUAGES CXX)\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 (2026-01-02)\n\n- New.\n\n## 1.2.2 (2026-01-01)\n\n- Old.\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(tree, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tree, check=True, capture_output=True)


def commit(tree):
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--message", "A change")


def release(tree, *arguments):
    return subprocess.run([tree / "scripts/release", *arguments], capture_output=True, text=True)


def test_a_dry_run_collects_everything_with_checksums(tree):
    done = release(tree, "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    out = tree / "build/release"
    assert (out / "CHANGES.md").read_text() == "## 1.2.3 (2026-01-02)\n\n- New.\n"
    sums = dict(reversed(line.split()) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert sums.keys() == {"CHANGES.md", "cornerturn-1.2.3-1gpu-py3-none-any.whl", "cornerturn-1.2.3.tar.gz",
                           "cornerturn-1.2.3-site.tar.gz"}
    assert all(hashlib.sha256((out / name).read_bytes()).hexdigest() == each for name, each in sums.items())


def test_a_dry_run_reports_what_stops_a_release(tree):
    git(tree, "tag", "v1.2.3")
    (tree / "CHANGELOG.md").write_text("## 1.2.3 (unreleased)\n")
    (tree / "docs/site/index.html").unlink()
    said = release(tree, "--dry-run").stderr
    for part in ("has no date", "not committed", "the tag v1.2.3 exists", "docs/site has no site"):
        assert part in said
    assert release(tree).returncode == 1


def test_a_version_without_changes_is_no_release(tree):
    (tree / "CMakeLists.txt").write_text("project(cornerturn VERSION 1.2.4 LANGUAGES CXX)\n")
    done = release(tree, "--dry-run")
    assert done.returncode == 1 and "no section '## 1.2.4'" in done.stderr


def test_a_wheel_of_another_version_is_refused(tree):
    (tree / "build/wheel/cornerturn-1.2.2-1gpu-py3-none-any.whl").write_text("old")
    done = release(tree, "--dry-run")
    assert done.returncode == 1 and "cornerturn-1.2.2-1gpu-py3-none-any.whl is not of version 1.2.3" in done.stderr


def test_a_wheel_without_the_gpu_engine_is_refused_as_the_wheel(tree):
    (tree / "build/wheel/cornerturn-1.2.3-0cpu-py3-none-any.whl").write_text("cpu")
    done = release(tree, "--dry-run")
    assert done.returncode == 1 and "cornerturn-1.2.3-0cpu-py3-none-any.whl is the wheel of another build" in done.stderr


def test_a_wheel_of_more_than_12_megabytes_is_refused(tree):
    (tree / "build/wheel/cornerturn-1.2.3-1gpu-py3-none-any.whl").write_bytes(bytes(12_000_001))
    done = release(tree, "--dry-run")
    assert done.returncode == 1 and "is too large: 12000001 bytes; the most are 12000000" in done.stderr


def test_other_arguments_are_refused(tree):
    assert release(tree, "--dry").returncode == release(tree, "--dry-run", "now").returncode == 2
