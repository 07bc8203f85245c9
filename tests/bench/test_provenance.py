"""Tests of the commits and compilers that runs name."""

import pathlib
import re
import subprocess
import sys

BENCH = pathlib.Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import provenance  # noqa: E402

# arena_machine.py describes the runs of arena.py; median_runs.py keeps the descriptions of the runs that it merges; fit_gpu.py prints
# problems
OTHERS = ("arena", "arena_programs", "fit_gpu", "median_runs", "provenance", "run_files")
WRITERS = ["arena_machine", "counters", "cpu_arena", "cpu_calls", "dask_arrays", "distributed_cpu", "distributed_gpus", "files",
           "first_picture", "fit_cpu", "inplace", "jax_permute", "ladder_runs", "ladder_torch", "large_gpu", "limits", "line_pieces", "named_layouts", "operations_cpu",
           "operations_peers", "pack_gpu", "python_overhead", "shared_sides", "tile_compile", "tile_header", "torch_call_cost", "torch_copies",
           "torch_new_results", "torch_rule", "torch_steps",
           "user_counters"]
def test_a_commit_is_named_with_what_was_changed(tmp_path):
    git = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a"]
    (tmp_path / "file").write_text("a")
    assert provenance.commit_around(tmp_path) is None
    for command in (["init", "-q"], ["add", "file"], ["commit", "-q", "-m", "a"]):
        subprocess.run([*git, *command], check=True)
    clean = provenance.commit_around(tmp_path / "file")
    assert re.fullmatch("[0-9a-f]{7,40}", clean)
    (tmp_path / "file").write_text("b")
    assert provenance.commit_around(tmp_path) == clean + "-dirty"


def test_a_source_without_a_checkout_has_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert provenance.commit() is None


def test_compilers_are_those_that_a_build_names(tmp_path):
    (tmp_path / "library").write_bytes(b"x\0GCC: (Debian 12.2.0-14) 12.2.0\0GCC: (GNU) 8.5.0 2021\0GCC: (GNU) 8.5.0\0clang version 14.0.6\0")
    assert provenance.compilers(tmp_path / "library") == ["GCC: (Debian 12.2.0-14) 12.2.0", "GCC: (GNU) 8.5.0", "clang version 14.0.6"]


def test_every_script_that_writes_a_run_says_of_which_commit_it_is():
    marks = r"json\.dumps|run_files\.write|datetime|provenance\.of_(run|ladder)\("
    writers = [path for path in BENCH.glob("*.py") if re.search(marks, path.read_text()) and path.stem not in OTHERS]
    assert sorted(path.stem for path in writers) == WRITERS
    assert provenance.of_run(__file__, {})["commit"] == provenance.commit()
    assert all(re.search(r'"commit": provenance\.commit\(\)|provenance\.of_(run|ladder)\(', path.read_text()) for path in writers)
