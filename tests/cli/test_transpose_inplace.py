"""`cornerturn transpose --inplace`: results, and what is refused."""

import os
import random
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from arrays import DTYPES, filled, raw, refused, replaced_functions, run, stopped_before_write
from inplace import expect, inplace, journal_of, listed, tmp_path  # noqa: F401 (a fixture)


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
    ((307, 257), (1, 0)), ((100_003, 3), (1, 0)), ((3, 10_007), (1, 0)), ((20, 25, 30), (2, 1, 0)), ((307, 2, 101), (2, 0, 1)),
    ((5, 7, 11, 13), (3, 2, 1, 0))], ids=str)
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


def test_the_report_of_a_new_header_has_no_speed(tmp_path):
    np.save(tmp_path / "a.npy", np.asfortranarray(filled((700, 900), "<i4")))
    report = run(tmp_path / "a.npy", "--inplace").stdout
    assert re.search(r": \(900, 700\) of <i4, 2.5 MB, of which 0 bytes moved in \S+ s$", report.strip().replace("\n ", "")), report


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
                               "fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); time.sleep(600)", path], stdout=subprocess.PIPE)
    holder.stdout.readline()
    assert refused(tmp_path, path, "--inplace") == f"{path} cannot be transposed in place: another process has locked it"
    holder.kill()
    holder.wait()


def test_a_file_is_not_permuted_while_it_is_read(tmp_path):
    path, out, array = tmp_path / "a.npy", tmp_path / "b.npy", filled((20, 30), "<i2")
    np.save(path, array)
    reader = stopped_before_write(2, path, out)
    assert refused(tmp_path, path, "--inplace") == f"{path} cannot be transposed in place: another process has locked it"
    assert run(path, tmp_path / "c.npy").returncode == 0
    reader.send_signal(signal.SIGCONT)
    assert reader.communicate(timeout=600)[1] == b""
    expect(out, array.T)
    writer = stopped_before_write(1, path, "--inplace")  # no journal is there yet
    assert refused(tmp_path, path, out) == f"{path} cannot be read: another process has locked it"
    writer.send_signal(signal.SIGCONT)
    assert writer.communicate(timeout=600)[1] == b""
    expect(path, array.T)


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
    environment = replaced_functions(BEFORE_THE_LOCK) | {"CHANGED": str(tmp_path / "a.npy")}
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
    environment = replaced_functions(NO_THREADS)
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
    environment = replaced_functions(NO_ROOM)
    folder = tmp_path / "folder"
    folder.mkdir()
    np.save(folder / "a.npy", filled((20, 30), "<i2"))
    message = refused(folder, folder / "a.npy", "--inplace", env=environment)
    assert message.startswith(f"{folder}/a.npy.cornerturn-journal cannot be made with "), message
    assert message.endswith(" bytes: No space left on device"), message


def test_arguments(tmp_path):
    np.save(tmp_path / "a.npy", filled((20, 30), "<i2"))
    assert "OUT and --inplace exclude each other" in refused(tmp_path, tmp_path / "a.npy", tmp_path / "b.npy", "--inplace")
    assert refused(tmp_path, tmp_path / "a.npy").startswith("OUT is required")
    assert "With --inplace there is no OUT, and IN is half\npermuted until the command ends" in run("--help").stdout
