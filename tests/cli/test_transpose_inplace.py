"""`cornerturn transpose --inplace`: results, crashes at every write, and what is refused."""

import os
import pickle
import random
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from arrays import DTYPES, FUZZ_SECONDS, PROGRAM, filled, raw, refused, replaced_functions, run, send_and_continue, stopped_before_write


def listed(axes):
    return ",".join(map(str, axes))


def journal_of(path):
    return path.with_name(path.name + ".cornerturn-journal")


def inplace(path, axes, *options, **environment):
    return run(path, "--inplace", "--axes", listed(axes), "--device", "cpu", *options, **environment)


def expect(path, expected):
    got = np.load(path, allow_pickle=False)
    assert got.dtype == expected.dtype and got.shape == expected.shape and raw(got) == raw(expected)
    assert not journal_of(path).exists() and not journal_of(path).with_name(journal_of(path).name + ".new").exists()


@pytest.mark.parametrize("seed", range(40))
def test_random_arrays(tmp_path, seed):
    choose = random.Random(seed)
    rank = choose.randint(1, 5)
    shape = [choose.randint(1, int(20000 ** (1 / rank))) for _ in range(rank)]
    dtype = np.dtype(choose.choice(DTYPES))
    array = np.array(filled(shape, dtype, seed), order=choose.choice("CF"))
    axes = choose.sample(range(rank), rank)
    path = tmp_path / "a.npy"
    np.save(path, array, allow_pickle=False)
    before = path.stat()
    done = inplace(path, axes, *choose.choice([[], ["--memory", max(3000, array.nbytes // 2)]]))
    if done.returncode == 2 and "--memory" in done.stderr:  # the units are too small for a long axis
        expect(path, np.load(path))
        assert raw(np.load(path)) == raw(array)
        return
    assert done.returncode == 0 and done.stderr == "", done
    expect(path, np.load(path).reshape(array.transpose(axes).shape))
    assert raw(np.load(path)) == raw(array.transpose(axes))
    assert (path.stat().st_ino, path.stat().st_size) == (before.st_ino, before.st_size)


@pytest.mark.parametrize("shape, axes, memory", [
    ((613, 509), (1, 0), 200_000), ((512, 512), (1, 0), 100_000), ((40, 50, 60), (2, 1, 0), 60_000), ((100_000, 3), (1, 0), 300_000),
    ((3, 100_000), (1, 0), 300_000), ((1000, 2, 300), (2, 0, 1), 300_000)], ids=str)
def test_arrays_of_many_units(tmp_path, shape, axes, memory):
    array = filled(shape, "<f4")
    path = tmp_path / "a.npy"
    np.save(path, array)
    done = inplace(path, axes, "--memory", memory)
    assert done.returncode == 0, done
    expect(path, array.transpose(axes))


@pytest.mark.parametrize("shape, axes", [
    ((613, 509), (1, 0)), ((100_003, 3), (1, 0)), ((3, 10_007), (1, 0)), ((40, 50, 60), (2, 1, 0)), ((1009, 2, 307), (2, 0, 1)),
    ((7, 11, 13, 17), (3, 2, 1, 0))], ids=str)
def test_the_memory_of_the_message_is_enough(tmp_path, shape, axes):
    array = filled(shape, "<f4")
    path = tmp_path / "a.npy"
    np.save(path, array)
    for memory in (1, 600, 1100):
        message = refused(tmp_path, path, "--inplace", "--axes", listed(axes), "--memory", memory)
        found = re.fullmatch(rf"--memory is {memory}; it must be more; (\d+) bytes are enough for this array in place", message)
        assert found, message
    done = inplace(path, axes, "--memory", found[1])
    assert done.returncode == 0, done
    expect(path, array.transpose(axes))


def test_all_axes_are_reversed_by_default(tmp_path):
    array = filled((7, 20, 30), "<i2")
    np.save(tmp_path / "a.npy", array)
    done = run(tmp_path / "a.npy", "--inplace")
    assert done.returncode == 0 and done.stdout.startswith(f"{tmp_path}/a.npy:"), done
    expect(tmp_path / "a.npy", array.T)


def test_a_symbolic_link_is_followed(tmp_path):
    array = filled((20, 30), "<i2")
    (tmp_path / "real").mkdir()
    np.save(tmp_path / "real/a.npy", array)
    (tmp_path / "link.npy").symlink_to("real/a.npy")
    assert run(tmp_path / "link.npy", "--inplace").returncode == 0
    assert (tmp_path / "link.npy").is_symlink()
    expect(tmp_path / "real/a.npy", array.T)


def test_raw_files_and_bytes_after_the_array(tmp_path):
    array = filled((50, 60, 70), "<f4")
    (tmp_path / "a.raw").write_bytes(raw(array))
    done = inplace(tmp_path / "a.raw", (2, 0, 1), "--raw", "--shape", "50x60x70", "--type", "f32", "--memory", 90_000)
    assert done.returncode == 0, done
    assert (tmp_path / "a.raw").read_bytes() == raw(array.transpose(2, 0, 1))
    np.save(tmp_path / "a.npy", array)
    with open(tmp_path / "a.npy", "ab") as file:
        file.write(b"more")
    assert inplace(tmp_path / "a.npy", (2, 0, 1)).returncode == 0
    assert (tmp_path / "a.npy").read_bytes().endswith(b"more")
    expect(tmp_path / "a.npy", array.transpose(2, 0, 1))


def test_only_the_header_changes_if_no_element_moves(tmp_path):
    array = np.asfortranarray(filled((20, 30), "<i2"))
    np.save(tmp_path / "a.npy", array)
    assert run(tmp_path / "a.npy", "--inplace").returncode == 0
    expect(tmp_path / "a.npy", array.T)
    before = (tmp_path / "a.npy").read_bytes()
    assert inplace(tmp_path / "a.npy", (0, 1)).returncode == 0
    assert (tmp_path / "a.npy").read_bytes() == before


# The process ends at its CRASH_AT-th change of a file, in the middle of that change. Then a part of the writes that were not
# synced is lost, as when a machine loses its power.
CRASH = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct lost { ino_t inode; int file; off_t offset; size_t size; char *old; };
static struct lost writes[4096];
static int count, changes;

static ino_t inode_of(int file) {
  struct stat status;
  fstat(file, &status);
  return status.st_ino;
}

static int is_last(void) {
  char const *at = getenv("CRASH_AT");
  return at && ++changes == atoi(at);
}

static void crash(void) {
  srand(changes);
  for (int i = count; i-- > 0;)
    if (rand() % 2) syscall(SYS_pwrite64, writes[i].file, writes[i].old, writes[i].size, writes[i].offset);
  _exit(99);
}

ssize_t pwrite64(int file, void const *from, size_t size, off_t offset) {
  struct lost *w = &writes[count++ % 4096];
  *w = (struct lost){inode_of(file), dup(file), offset, size, malloc(size)};
  ssize_t const got = syscall(SYS_pread64, file, w->old, size, offset);
  if (got < (ssize_t)size) memset(w->old + (got > 0 ? got : 0), 0, size - (got > 0 ? got : 0));
  if (is_last()) syscall(SYS_pwrite64, file, from, size / 2, offset), crash();
  return syscall(SYS_pwrite64, file, from, size, offset);
}
ssize_t pwrite(int file, void const *from, size_t size, off_t offset) { return pwrite64(file, from, size, offset); }

static int synced(int file) {
  if (is_last()) crash();
  ino_t const inode = inode_of(file);
  int kept = 0;
  for (int i = 0; i < count; ++i)
    if (writes[i].inode == inode) close(writes[i].file), free(writes[i].old);
    else writes[kept++] = writes[i];
  count = kept;
  return syscall(SYS_fdatasync, file);
}
int fsync(int file) { return synced(file); }
int fdatasync(int file) { return synced(file); }

int rename(char const *from, char const *to) {
  if (is_last()) crash();
  return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(char const *path) {
  if (is_last()) crash();
  return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
"""


def is_readable(path, *arrays):
    """True if NumPy reads one of the arrays, False if it reads none. A half-permuted array must not be read."""
    try:
        got = np.load(path, allow_pickle=False)
    except ValueError:
        return False
    assert any(got.shape == each.shape and raw(got) == raw(each) for each in arrays), "a half-permuted file is read"
    return True


def is_finished(path, array, expected):
    """True if no journal is left and the file has the result. Checks that a file that NumPy reads is whole."""
    if not is_readable(path, array, expected) or journal_of(path).exists():
        return False
    got = np.load(path)
    return got.shape == expected.shape and raw(got) == raw(expected)


@pytest.mark.parametrize("shape, axes, memory", [
    ((61, 47), (1, 0), 6000),           # two passes, and a workspace
    ((64, 64), (1, 0), 9000),           # pairs of tiles
    ((6, 30, 20), (2, 0, 1), 9000), ((3000, 3), (1, 0), 30_000), ((1, 50), (1, 0), 3000)], ids=str)
def test_a_crash_at_any_change_of_a_file_is_recovered_from(tmp_path, shape, axes, memory):
    environment = replaced_functions(tmp_path, CRASH)
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
        # it crashes again while it recovers, then it does not
        for again in [*range(at % 7 + 1, at % 7 + 40, 13), 0]:
            assert done.returncode == 99, (at, again, done)
            if is_finished(path, array, expected):
                break
            done = inplace(path, axes, "--memory", memory, env=environment | {"CRASH_AT": str(again)})
            if done.returncode == 0:
                break
        expect(path, expected)
    assert at > 8


def test_a_killed_process_is_recovered_from(tmp_path):
    path, array = tmp_path / "a.npy", filled((3511, 1801), "<f4")
    choose = random.Random(5)
    kills = 0
    for _ in range(3):
        np.save(path, array)
        while True:
            process = stopped_before_write(tmp_path, choose.randint(1, 15_000), path, "--inplace", "--memory", "1MB")
            process.kill()
            errors = process.communicate(timeout=60)[1]
            if process.returncode == 0:
                break
            assert process.returncode == -signal.SIGKILL, errors
            kills += journal_of(path).exists()
            if is_finished(path, array, array.T):
                break
        expect(path, array.T)
    assert kills > 2


def test_a_signal_says_how_to_go_on(tmp_path):
    path, array = tmp_path / "a.npy", filled((3001, 1301), "<f4")
    np.save(path, array)
    process = stopped_before_write(tmp_path, 100, path, "--inplace", "--memory", "300KB")
    assert journal_of(path).exists()
    send_and_continue(process, signal.SIGINT)
    message = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 130
    assert message == f"cornerturn: stopped by SIGINT; {path} is half permuted, and the same command finishes it\n"
    assert refused(tmp_path, path, tmp_path / "out.npy") == (
        f"{path}: half permuted: cornerturn transpose --inplace was stopped, and the same call finishes it")
    assert refused(tmp_path, path, "--inplace", "--axes", "0,1") == (
        f"{path} is half permuted: {journal_of(path)} is of a transpose with --axes 1,0 of an array of shape (3001, 1301), and only "
        "a call with these arguments finishes it")
    assert run(path, "--inplace").returncode == 0
    expect(path, array.T)


def test_the_report_of_a_call_that_finishes_another_is_of_its_own_work(tmp_path):
    environment = replaced_functions(tmp_path, CRASH)
    path, array = tmp_path / "a.npy", filled((2503, 1201), "<f4")
    np.save(path, array)
    assert inplace(path, (1, 0), "--memory", "1250KB", env=environment | {"CRASH_AT": "900"}).returncode == 99
    report = inplace(path, (1, 0)).stdout
    found = re.search(r" of <f4, 12 MB, of which (\S+) MB moved in (\S+) s, (\S+) GB/s; moved in memory at ", report.replace("\n ", ""))
    assert found, report
    moved, seconds, speed = map(float, found.groups())
    assert moved < 11 and speed == pytest.approx(2e-3 * moved / seconds, rel=0.3, abs=0.01), report
    expect(path, array.T)


def test_the_report_of_a_new_header_has_no_speed(tmp_path):
    np.save(tmp_path / "a.npy", np.asfortranarray(filled((700, 900), "<i4")))
    report = run(tmp_path / "a.npy", "--inplace").stdout
    assert re.search(r": \(900, 700\) of <i4, 2.5 MB, of which 0 bytes moved in \S+ s$", report.strip().replace("\n ", "")), report


@pytest.fixture
def stopped(tmp_path):
    """A file whose permutation was stopped after some units, and its array."""
    environment = replaced_functions(tmp_path, CRASH)
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
    environment = replaced_functions(tmp_path, CRASH)
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


def written_anew(path, data):
    """Writes a file into its inode, as numpy.tofile does."""
    inode = path.stat().st_ino
    path.write_bytes(data)
    assert path.stat().st_ino == inode


@pytest.mark.parametrize("shape, steps", [((61, 47), 31), ((3, 2), 1)], ids=str)
def test_a_raw_file_made_anew_is_left_alone(tmp_path, shape, steps):
    """Its writer makes the file anew under its name, with its size, while the journal is there."""
    environment = replaced_functions(tmp_path, CRASH)
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


def test_what_cannot_be_made_safe_is_refused(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, filled((20, 30), "<i2"))
    os.link(path, tmp_path / "b.npy")
    assert refused(tmp_path, path, "--inplace") == (
        f"{path} cannot be transposed in place: it has several hard links, and the journal is beside one of them only")
    (tmp_path / "b.npy").unlink()
    assert refused(tmp_path, tmp_path, "--inplace") == f"{tmp_path} cannot be transposed in place: it is not a regular file"
    assert refused(tmp_path, tmp_path / "none.npy", "--inplace") == f"{tmp_path}/none.npy cannot be read: No such file or directory"
    journal_of(path).symlink_to("b.npy")
    assert refused(tmp_path, path, "--inplace").startswith(f"{journal_of(path)} cannot be opened: ")
    journal_of(path).unlink()
    assert refused(tmp_path, path, "--inplace", "--memory", "1").startswith("--memory is 1; it must be ")
    holder = subprocess.Popen([sys.executable, "-c", "import fcntl, sys, time; f = open(sys.argv[1]); "
                               "fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); time.sleep(60)", path], stdout=subprocess.PIPE)
    holder.stdout.readline()
    assert refused(tmp_path, path, "--inplace") == f"{path} cannot be transposed in place: another process has locked it"
    holder.kill()
    holder.wait()


# Another process links or deletes the file before it is locked.
BEFORE_THE_LOCK = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
int flock(int file, int operation) {
  if (getenv("LINK")) link(getenv("CHANGED"), getenv("LINK"));
  else unlink(getenv("CHANGED"));
  return syscall(SYS_flock, file, operation);
}
"""


def test_a_file_that_changes_before_it_is_locked_is_refused(tmp_path):
    environment = replaced_functions(tmp_path, BEFORE_THE_LOCK) | {"CHANGED": str(tmp_path / "a.npy")}
    path = tmp_path / "a.npy"
    np.save(path, filled((20, 30), "<i2"))
    done = inplace(path, (1, 0), env=environment | {"LINK": str(tmp_path / "b.npy")})
    assert done.returncode == 2 and "it has several hard links" in done.stderr, done
    (tmp_path / "b.npy").unlink()
    done = inplace(path, (1, 0), env=environment)
    assert done.returncode == 2 and "it has been deleted or replaced meanwhile" in done.stderr, done
    assert not journal_of(path).exists()


def test_a_header_without_room_is_refused(tmp_path):
    """The header of another writer, without padding."""
    text = "{'descr':'<i2','fortran_order':False,'shape':(20,30)}\n"
    data = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode() + raw(filled((20, 30), "<i2"))
    (tmp_path / "a.npy").write_bytes(data)
    assert refused(tmp_path, tmp_path / "a.npy", "--inplace") == (
        f"{tmp_path}/a.npy cannot be transposed in place: its header of 64 bytes has no room for the new shape")


def test_files_that_may_not_be_written_are_refused(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write to any file")
    path = tmp_path / "a.npy"
    np.save(path, filled((20, 30), "<i2"))
    path.chmod(0o444)
    assert refused(tmp_path, path, "--inplace") == f"{path} cannot be written: Permission denied"
    path.chmod(0o644)
    tmp_path.chmod(0o555)
    try:
        assert refused(tmp_path, path, "--inplace") == f"{journal_of(path)} cannot be made: Permission denied"
        tmp_path.chmod(0o333)
        assert run(path, "--inplace").stderr == f"cornerturn: {tmp_path} cannot be synced: Permission denied\n"
        assert not journal_of(path).exists()
    finally:
        tmp_path.chmod(0o755)


NO_THREADS = """
#include <errno.h>
#include <pthread.h>
int pthread_create(pthread_t *thread, pthread_attr_t const *attributes, void *(*start)(void *), void *of) { return EAGAIN; }
"""


@pytest.mark.parametrize("out", [[], ["out.npy"]], ids=["in place", "to another file"])
def test_no_thread_is_needed(tmp_path, out):
    environment = replaced_functions(tmp_path, NO_THREADS)
    array = filled((613, 509), "<f4")
    np.save(tmp_path / "a.npy", array)
    result = [tmp_path / name for name in out] or [tmp_path / "a.npy", "--inplace"]
    done = run(*dict.fromkeys([tmp_path / "a.npy", *result]), "--device", "cpu", "--memory", 600_000, env=environment)
    assert done.returncode == 0, done
    expect(result[0], array.T)


NO_ROOM = """
#include <errno.h>
#include <sys/types.h>
int fallocate64(int file, int mode, off_t offset, off_t bytes) { errno = ENOSPC; return -1; }
int fallocate(int file, int mode, off_t offset, off_t bytes) { return fallocate64(file, mode, offset, bytes); }
"""


def test_a_disk_without_room_for_the_journal(tmp_path):
    environment = replaced_functions(tmp_path, NO_ROOM)
    folder = tmp_path / "folder"
    folder.mkdir()
    np.save(folder / "a.npy", filled((20, 30), "<i2"))
    message = refused(folder, folder / "a.npy", "--inplace", env=environment)
    assert message.startswith(f"{folder}/a.npy.cornerturn-journal cannot be made with "), message
    assert message.endswith(" bytes: No space left on device"), message


def test_arguments(tmp_path):
    np.save(tmp_path / "a.npy", filled((20, 30), "<i2"))
    assert "OUT excludes --inplace" in refused(tmp_path, tmp_path / "a.npy", tmp_path / "b.npy", "--inplace")
    assert refused(tmp_path, tmp_path / "a.npy").startswith("OUT is required")
    assert "With --inplace there is no OUT, and IN is\nhalf permuted until the command ends" in run("--help").stdout
