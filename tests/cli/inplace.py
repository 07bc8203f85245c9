"""Calls of `cornerturn transpose --inplace`, and what stops them."""

import os
import pathlib
import tempfile

import numpy as np
import pytest

from arrays import raw, run


@pytest.fixture
def tmp_path():
    """A folder in memory, where the system has one: files in place are synced after each unit, and a disk takes long for that."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield pathlib.Path(folder)


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

int renameat2(int from_folder, char const *from, int to_folder, char const *to, unsigned flags) {
  if (is_last()) crash();
  return syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
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
