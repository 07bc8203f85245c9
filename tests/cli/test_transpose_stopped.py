"""`cornerturn transpose --inplace` after it was stopped: crashes at every write, and files that are half permuted."""

import os
import pickle
import random
import re
import signal

import numpy as np
import pytest

from arrays import FUZZ_SECONDS, filled, raw, refused, replaced_functions, run, send_and_continue, stopped_before_write
from inplace import CRASH, expect, inplace, is_readable, journal_of, tmp_path  # noqa: F401 (a fixture)


def is_finished(path, array, expected):
    """True if no journal is left and the file has the result. Checks that a file that NumPy reads is whole."""
    if not is_readable(path, array, expected) or journal_of(path).exists():
        return False
    got = np.load(path)
    return got.shape == expected.shape and raw(got) == raw(expected)


@pytest.mark.parametrize("shape, axes, memory", [
    ((29, 23), (1, 0), 1400),           # two passes, and a workspace
    ((32, 32), (1, 0), 2250),           # pairs of tiles
    ((6, 30, 20), (2, 0, 1), 9000), ((3000, 3), (1, 0), 30_000), ((1, 50), (1, 0), 3000)], ids=str)
def test_a_crash_at_any_change_of_a_file_is_recovered_from(tmp_path, shape, axes, memory):
    environment = replaced_functions(CRASH)
    folder = tmp_path / "folder"
    folder.mkdir()
    path, array = folder / "a.npy", filled(shape, "<f4")
    expected = array.transpose(axes)
    all_changes = range(1, 10_000)
    some_changes = [*range(1, 25), *range(25, 10_000, 13)]  # every one where there is time
    for at in all_changes if FUZZ_SECONDS else some_changes:
        np.save(path, array)
        done = inplace(path, axes, "--memory", memory, env=environment | {"CRASH_AT": str(at)})
        if done.returncode == 0:
            break
        # it crashes again while it recovers, soon or later, then it does not
        for again in (at % 7 + at % 3 * 13 + 1, 0):
            assert done.returncode == 99, (at, again, done)
            if is_finished(path, array, expected):
                break
            done = inplace(path, axes, "--memory", memory, env=environment | {"CRASH_AT": str(again)})
            if done.returncode == 0:
                break
        expect(path, expected)
    assert at > 8


def test_a_killed_process_is_recovered_from(tmp_path):
    path, array = tmp_path / "a.npy", filled((701, 361), "<f4")
    choose = random.Random(5)
    kills = 0
    for _ in range(3):
        np.save(path, array)
        while True:
            process = stopped_before_write(choose.randint(1, 6000), path, "--inplace", "--memory", "40KB")
            process.kill()
            errors = process.communicate(timeout=600)[1]
            if process.returncode == 0:
                break
            assert process.returncode == -signal.SIGKILL, errors
            kills += journal_of(path).exists()
            if is_finished(path, array, array.T):
                break
        expect(path, array.T)
    assert kills > 2


def test_a_signal_says_how_to_go_on(tmp_path):
    path, array = tmp_path / "a.npy", filled((301, 131), "<f4")
    np.save(path, array)
    process = stopped_before_write(100, path, "--inplace", "--memory", "30KB")
    assert journal_of(path).exists()
    send_and_continue(process, signal.SIGINT)
    message = process.communicate(timeout=600)[1].decode()
    assert process.returncode == 130
    assert message == f"cornerturn: stopped by SIGINT; {path} is half permuted, and the same command finishes it\n"
    assert refused(tmp_path, path, tmp_path / "out.npy") == (
        f"{path}: half permuted: cornerturn transpose --inplace was stopped, and the same call finishes it")
    assert refused(tmp_path, path, "--inplace", "--axes", "0,1") == (
        f"{path} is half permuted: {journal_of(path)} is of a transpose with --axes 1,0 of an array of shape (301, 131), and only "
        "a call with these arguments finishes it")
    assert run(path, "--inplace").returncode == 0
    expect(path, array.T)


def test_the_report_of_a_call_that_finishes_another_is_of_its_own_work(tmp_path):
    environment = replaced_functions(CRASH)
    path, array = tmp_path / "a.npy", filled((2503, 1201), "<f4")
    np.save(path, array)
    assert inplace(path, (1, 0), "--memory", "1250KB", env=environment | {"CRASH_AT": "900"}).returncode == 99
    report = inplace(path, (1, 0)).stdout
    found = re.search(r" of <f4, 12 MB, of which (\S+) MB moved in (\S+) s, (\S+) GB/s; moved in memory at ", report.replace("\n ", ""))
    assert found, report
    moved, seconds, speed = map(float, found.groups())
    assert moved < 11 and speed == pytest.approx(2e-3 * moved / seconds, rel=0.3, abs=0.01), report
    expect(path, array.T)


@pytest.fixture
def stopped(tmp_path):
    """A file whose permutation was stopped after some units, and its array."""
    environment = replaced_functions(CRASH)
    folder = tmp_path / "folder"
    folder.mkdir()
    path, array = folder / "a.npy", filled((61, 47), "<f4")
    np.save(path, array)
    assert inplace(path, (1, 0), "--memory", 6000, env=environment | {"CRASH_AT": "60"}).returncode == 99
    assert journal_of(path).exists() and not is_readable(path)
    assert journal_of(path).stat().st_mode & 0o777 == 0o600
    return path, array


def test_numpy_takes_a_half_permuted_file_for_pickled_data(stopped):
    path, _ = stopped
    with pytest.raises(ValueError, match="pickled .*data"):
        np.load(path)
    with pytest.raises(pickle.UnpicklingError):
        np.load(path, allow_pickle=True)


def test_a_raw_file_is_not_read_or_replaced_before_it_is_finished(tmp_path):
    environment = replaced_functions(CRASH)
    path, other, array = tmp_path / "a.raw", tmp_path / "b.raw", filled((61, 47), "<f4")
    link = tmp_path / "link.raw"
    (tmp_path / "links").mkdir()
    (tmp_path / "links/a.raw").symlink_to(path)
    link.symlink_to("links/a.raw")
    arguments = ("--raw", "--shape", "61x47", "--type", "f32")
    for each in (path, other):
        each.write_bytes(raw(array))
    assert inplace(path, (1, 0), *arguments, "--memory", 6000, env=environment | {"CRASH_AT": "60"}).returncode == 99
    half = path.read_bytes()
    assert half not in (raw(array), raw(array.T))
    for name, *pair in ((path, path, tmp_path / "c.raw"), (path, path, path), (path, other, path), (link, link, tmp_path / "c.raw"),
                        (link, other, link)):
        assert refused(tmp_path, *pair, *arguments) == (
            f"{name} may be half permuted: cornerturn transpose --inplace was stopped, and the same call finishes it; if the file is "
            f"whole, delete {journal_of(path)}")
        assert path.read_bytes() == half
    assert inplace(path, (1, 0), *arguments).returncode == 0
    assert path.read_bytes() == raw(array.T)


def test_a_file_that_has_changed_is_left_alone(stopped):
    path, array = stopped
    backup = path.with_name("backup.npy")
    np.save(backup, array)
    path.write_bytes(backup.read_bytes())  # into the same inode
    assert refused(path.parent, path, "--inplace") == (
        f"{path} has changed since cornerturn transpose --inplace was stopped; if it is whole, delete {journal_of(path)}")
    os.replace(backup, path)
    assert refused(path.parent, path, "--inplace").startswith(f"{path} has changed since ")
    with open(path, "ab") as file:
        file.write(b"more")
    assert refused(path.parent, path, "--inplace") == (
        f"{path} has changed since cornerturn transpose --inplace was stopped: it had {path.stat().st_size - 4} bytes and has "
        f"{path.stat().st_size}; if it is whole, delete {journal_of(path)}")
    os.truncate(path, path.stat().st_size - 4)
    journal_of(path).unlink()
    assert run(path, "--inplace").returncode == 0
    expect(path, array.T)


def test_a_half_permuted_file_with_another_hard_link_is_finished_without_it(stopped):
    path, array = stopped
    os.link(path, path.with_name("b.npy"))
    assert refused(path.parent, path, "--inplace") == (
        f"{path} cannot be transposed in place: it has several hard links, and the journal is beside one of them only")
    assert refused(path.parent, path.with_name("b.npy"), path.with_name("c.npy")).endswith("and the same call finishes it")
    path.with_name("b.npy").unlink()
    assert run(path, "--inplace").returncode == 0
    expect(path, array.T)


@pytest.mark.parametrize("writes", [3, 40])  # before the first unit, and after some
def test_another_file_that_gets_the_name_of_one_that_is_permuted(tmp_path, writes):
    """It would take the journal over, or lose its own when the first one is finished."""
    path, moved, array, other = tmp_path / "a.raw", tmp_path / "b.raw", filled((61, 47), "<f4", 1), filled((61, 47), "<f4", 2)
    arguments = (path, "--inplace", "--raw", "--shape", "61x47", "--type", "f32", "--memory", 8000)
    path.write_bytes(raw(array))
    process = stopped_before_write(writes, *arguments)
    path.rename(moved)
    path.write_bytes(raw(other))
    assert refused(tmp_path, *arguments) == f"{journal_of(path)} is in use by another process, whose file has been renamed"
    process.send_signal(signal.SIGCONT)
    assert process.communicate(timeout=600)[1] == b"" and process.returncode == 0
    assert moved.read_bytes() == raw(array.T) and path.read_bytes() == raw(other)
    assert run(*arguments).returncode == 0
    assert path.read_bytes() == raw(other.T) and not journal_of(path).exists()


def written_anew(path, data):
    """Writes a file into its inode, as numpy.tofile does."""
    inode = path.stat().st_ino
    path.write_bytes(data)
    assert path.stat().st_ino == inode


@pytest.mark.parametrize("shape, steps", [((61, 47), 31), ((3, 2), 1)], ids=str)
def test_a_raw_file_made_anew_is_left_alone(tmp_path, shape, steps):
    """Its writer makes the file anew under its name, with its size, while the journal is there."""
    environment = replaced_functions(CRASH)
    folder = tmp_path / "folder"
    folder.mkdir()
    path, array, other = folder / "a.raw", filled(shape, "<f4", 1), filled(shape, "<f4", 2)
    arguments = ("--raw", "--shape", f"{shape[0]}x{shape[1]}", "--type", "f32", "--memory", 8000)
    stops = 0
    for at in range(steps, 10_000, steps):
        path.write_bytes(raw(array))
        if inplace(path, (1, 0), *arguments, env=environment | {"CRASH_AT": str(at)}).returncode == 0:
            break
        half = path.read_bytes()
        for anew in (other, array):
            written_anew(path, raw(anew))
            had_journal = journal_of(path).exists()
            done = inplace(path, (1, 0), *arguments)
            if done.returncode == 0:  # no unit was begun, or these are the bytes that were there
                assert path.read_bytes() == raw(anew.T), at
                break
            assert had_journal and done.returncode == 2 and done.stderr == (
                f"cornerturn: {path} has changed since cornerturn transpose --inplace was stopped; if it is whole, delete "
                f"{journal_of(path)}\n"), (at, done)
            assert path.read_bytes() == raw(anew)
            stops += 1
        else:
            written_anew(path, half)  # as it was
            assert inplace(path, (1, 0), *arguments).returncode == 0
            assert path.read_bytes() == raw(array.T)
    assert stops > 0


def test_a_journal_that_is_damaged_foreign_or_lost_is_not_used(stopped):
    path, _ = stopped
    journal = journal_of(path)
    kept = journal.read_bytes()
    journal.write_bytes(kept[:4100] + bytes([kept[4100] ^ 1]) + kept[4101:])
    assert refused(path.parent, path, "--inplace") == f"{journal} is damaged"
    journal.write_bytes(kept[:-1])
    assert refused(path.parent, path, "--inplace") == f"{journal} is damaged"
    journal.write_bytes(bytes(8192))
    assert refused(path.parent, path, "--inplace") == f"{journal} is not a journal of cornerturn, or one of another version"
    journal.write_bytes(kept)
    journal.chmod(0o622)
    assert refused(path.parent, path, "--inplace") == f"{journal} can be changed by other users"
    journal.unlink()
    assert refused(path.parent, path, "--inplace") == (
        f"{path}: half permuted: cornerturn transpose --inplace was stopped, and the same call finishes it")
