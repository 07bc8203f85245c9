"""`cornerturn transpose` on files larger than the memory that it may take, on raw files, and on disks without room."""

import itertools
import os
import random
import re
import resource
import subprocess
import sys
import time

import numpy as np
import pytest

from arrays import DTYPES, FUZZ_SECONDS, PROGRAM, check, filled, raw, refused, replaced_functions, run

RAW_TYPES = {"u8": "u1", "i16": "<i2", "f16": "<f2", "f32": "<f4", "f64": "<f8", "c128": "<c16"}


def least_memory(folder, array, axes):
    """What the program names as the least for this array."""
    np.save(folder / "in.npy", array, allow_pickle=False)
    message = refused(folder, folder / "in.npy", folder / "out.npy", "--memory", "1", "--axes", ",".join(map(str, axes)))
    return int(re.fullmatch(r"--memory is 1; it must be at least (\d+) bytes for this array", message)[1])


def test_random_arrays_in_pieces(tmp_path):
    """CORNERTURN_SEED picks one."""
    only = os.environ.get("CORNERTURN_SEED")
    end = time.monotonic() + FUZZ_SECONDS
    for seed in itertools.count(int(only or 0)):
        if not only and seed >= 12 and time.monotonic() >= end:
            break
        choose = random.Random(seed)
        rank = choose.randint(1, 6)
        side = int(1e6 ** (1 / rank))
        shape = [max(1, int(side * choose.choice([0.6, 1, 1.5]))) for _ in range(rank)]
        if rank > 1 and choose.random() < 0.4:
            shape[choose.randrange(rank)] = choose.randint(1, 3)
        dtype = np.dtype(choose.choice(DTYPES))
        shape[0] = max(1, shape[0] // max(dtype.itemsize, 1))
        array = np.array(filled(shape, dtype, seed), order=choose.choice("CF"))
        if array.nbytes < 2:
            continue
        try:
            axes = choose.sample(range(rank), rank)
            memory = int(least_memory(tmp_path, array, axes) * choose.choice([1, 1.2, 1.5, 2, 4]))
            check(tmp_path, array, axes, "--device", "cpu", "--memory", memory)
        except AssertionError as problem:
            raise AssertionError(f"to repeat: CORNERTURN_SEED={seed} pytest {__file__} -k in_pieces") from problem
        if only:
            break


@pytest.mark.parametrize("shape, least", [((3000, 2000), 2 * 128 * 128 * 4), ((100, 70), 2 * 28000),
                                          ((3, 10**5), 2 * 3 * 128 * 4)], ids=str)
def test_the_least_memory_named_is_enough(tmp_path, shape, least):
    array = filled(shape, "<f4")
    assert least_memory(tmp_path, array, (1, 0)) == least
    check(tmp_path, array, None, "--device", "cpu", "--memory", least)
    message = refused(tmp_path, tmp_path / "in.npy", tmp_path / "none.npy", "--memory", least - 1)
    assert message == f"--memory is {least - 1}; it must be at least {least} bytes for this array"


def little_memory():
    """For a child: 400 MiB of addresses. Skips where the program cannot start in them."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
    if subprocess.run([PROGRAM, "--version"], preexec_fn=limit, capture_output=True).returncode != 0:
        pytest.skip("the program cannot start in 400 MiB of addresses, as under sanitizers")
    return limit


def test_more_memory_than_the_system_has(tmp_path):
    limit = little_memory()
    folder = tmp_path / "folder"
    folder.mkdir()
    with open(tmp_path / "in.raw", "wb") as file:
        file.truncate(1 << 30)
    options = ["--raw", "--shape", "32768x32768", "--type", "u8", "--device", "cpu", "--memory", "2GiB"]
    message = refused(folder, tmp_path / "in.raw", folder / "out.raw", *options, preexec_fn=limit)
    assert message == "--memory allows 1073741824 bytes for a piece of the array, and the system has none left; less may do"


def test_no_thread_is_needed(tmp_path):
    """None starts: this limit makes them ask for stacks that find no room; one on processes does not hold for root."""
    array = filled((1500, 2000), "<i4")
    np.save(tmp_path / "in.npy", array)
    done = run(tmp_path / "in.npy", tmp_path / "out.npy", "--memory", "4MiB", "--device", "cpu",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 47, resource.RLIM_INFINITY)))
    assert done.returncode == 0 and done.stderr == "", done
    assert np.array_equal(np.load(tmp_path / "out.npy"), array.T)


@pytest.mark.parametrize("text", ["0", "-1", "x", "GiB", "2Gi", "2GiBs", "2E", "0.5", "1e9", "1,5G", "1 MiB", "0x10", "inf",
                                  "nan", "-2GiB", "9000000TiB", "99999999999999999999"])
def test_memory_that_is_no_number_of_bytes(tmp_path, text):
    np.save(tmp_path / "in.npy", filled((3, 4), "<f4"))
    message = refused(tmp_path, tmp_path / "in.npy", tmp_path / "out.npy", f"--memory={text}")
    assert message == f"--memory is '{text}'; it must be a number of bytes above 0, e.g. 2GiB, 1.5G, 500MB or 1000000"


@pytest.mark.parametrize("text", ["1000000", "900KiB", "1MiB", "1GiB", "1TiB", "2G", "2GB", "1.5GiB", "256M", "500MB"])
def test_units_of_memory(tmp_path, text):
    check(tmp_path, filled((1000, 500), "<f4"), None, "--memory", text)


@pytest.mark.parametrize("text, size", [
    ("1000", 1000), ("1000B", 1000), ("1K", 1 << 10), ("1KiB", 1 << 10), ("1KB", 1000), ("1.5KiB", 1536), ("1.5k", 1536),
    ("2kb", 2000), ("0.0625M", 1 << 16), ("0.1MB", 100_000), ("0.0625MiB", 1 << 16), ("0.00006103515625G", 1 << 16),
    ("0.000064GB", 64_000), ("0.00006103515625GiB", 1 << 16), ("0.00000005T", (1 << 40) // 20_000_000), ("0.00000005TB", 50_000),
])
def test_what_a_unit_means(tmp_path, text, size):
    """Too little memory is refused, so that the program names it in bytes."""
    (tmp_path / "in.raw").write_bytes(bytes(6_000_000))
    options = ["--raw", "--shape", "3000x2000", "--type", "u8", "--memory", text]
    message = refused(tmp_path, tmp_path / "in.raw", tmp_path / "out.raw", *options)
    assert message.startswith(f"--memory is {size}; it must be at least "), message


@pytest.mark.parametrize("type, dtype", RAW_TYPES.items())
def test_raw_files(tmp_path, type, dtype):
    array = filled((60, 50, 70), dtype)
    source, result = tmp_path / "in.raw", tmp_path / "out.raw"
    source.write_bytes(raw(array))
    size = f"{array.nbytes // 1000} KB" if array.nbytes < 10**6 else f"{array.nbytes / 10**6:.1f} MB"
    for options in [[], ["--memory", "600KiB"]]:
        done = run(source, result, "--raw", "--shape", "60x50x70", "--type", type, "--axes", "2,0,1", "--device", "cpu", *options)
        assert done.returncode == 0 and done.stderr == "", done
        assert " ".join(done.stdout.split()).startswith(f"{result}: (70, 60, 50) of {type}, {size} in ")
        assert result.read_bytes() == raw(np.transpose(array, (2, 0, 1)))


def test_bytes_before_a_raw_array(tmp_path):
    array = filled((60, 50, 70), "<u2")
    options = ["--raw", "--shape", "60x50x70", "--type", "u16", "--axes", "2,0,1", "--memory", "100KB", "--offset", "13"]
    (tmp_path / "in.raw").write_bytes(b"thirteen byte" + raw(array))
    assert run(tmp_path / "in.raw", tmp_path / "out.raw", *options).returncode == 0
    assert (tmp_path / "out.raw").read_bytes() == raw(array.transpose(2, 0, 1))
    assert run(tmp_path / "in.raw", "--inplace", *options).returncode == 0
    assert (tmp_path / "in.raw").read_bytes() == b"thirteen byte" + raw(array.transpose(2, 0, 1))


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("given", ["--type >i2", "--type i16 --byteorder big", "--type >i2 --byteorder big"])
@pytest.mark.parametrize("more", [[], ["--memory", "100KB"], ["--flip", "0,-1"]], ids=str)
def test_raw_files_of_any_order(tmp_path, order, given, more):
    array = np.array(filled((60, 50, 70), ">i2"), order=order)
    (tmp_path / "in.raw").write_bytes(b"head" + array.tobytes(order))
    options = ["--raw", "--shape", "60x50x70", *given.split(), "--axes", "2,0,1", "--offset", "4", "--order", order, *more]
    wanted = (array[::-1, :, ::-1] if "--flip" in more else array).transpose(2, 0, 1)
    for to, dtype in (([], ">i2"), (["--dtype", "int16"], "<i2"), (["--dtype", ">f4"], ">f4")):
        done = run(tmp_path / "in.raw", tmp_path / "out.raw", *options, *to)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.raw").read_bytes() == wanted.astype(dtype).tobytes()
    if "--flip" not in more:
        assert run(tmp_path / "in.raw", "--inplace", *options).returncode == 0
        assert (tmp_path / "in.raw").read_bytes() == b"head" + wanted.tobytes()


@pytest.mark.parametrize("flip", ["0", "1,2", "-1", "0,1,2"])
def test_axes_that_run_backwards(tmp_path, flip):
    array = np.asfortranarray(np.arange(120000.0).reshape(40, 50, 60))
    np.save(tmp_path / "in.npy", array)
    for options in [], ["--memory", "60000"], ["--dtype", "<f4"]:
        assert run(tmp_path / "in.npy", tmp_path / "out.npy", "--flip", flip, "--axes", "1,2,0", *options).returncode == 0
        wanted = np.flip(array, tuple(map(int, flip.split(",")))).transpose(1, 2, 0)
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), wanted.astype("f4") if "<f4" in options else wanted)


@pytest.mark.parametrize("options, message", [
    ("--raw --shape 3x4 --type f32 --byteorder pdp", "--byteorder is 'pdp'; it must be big or little"),
    ("--raw --shape 3x4 --type >f4 --byteorder little", "--byteorder is 'little'; it must be big, as in --type"),
    ("--raw --shape 3x4 --type <f4 --byteorder big", "--byteorder is 'big'; it must be little, as in --type"),
    ("--raw --shape 3x4 --type f32 --order K", "--order is 'K'; it must be C or F"),
    ("--raw --shape 3x4 --type f32 --flip 0,-2", "--flip is (0, -2); it must be of different axes from -2 to 1"),
    ("--raw --shape 3x4 --type f32 --flip 2", "--flip is (2); it must be of different axes from -2 to 1"),
    ("--raw --shape 3x4 --type f32 --flip up", "--flip is 'up'; it must be whole numbers with commas between them, e.g. 2,0,1"),
    ("--order F", "--order requires --raw; see cornerturn transpose --help"),
    ("--byteorder big", "--byteorder requires --raw; see cornerturn transpose --help"),
    ("--raw --shape 3x5 --type f32", "IN has 48 bytes; an array of 3x5 f32 has 60"),
    ("--raw --shape 3x3 --type f32", "IN has 48 bytes; an array of 3x3 f32 has 36"),
    ("--raw --shape 0x99999999999 --type u8", "IN has 48 bytes; an array of 0x99999999999 u8 has 0"),
    ("--raw --shape 3x-4 --type f32", "--shape is '3x-4'; it must be of extents of 0 or more"),
    ("--raw --shape 3xx4 --type f32",
     "--shape is '3xx4'; it must be whole numbers with an x or commas between them, e.g. 256x224x224x3"),
    ("--raw --shape 3x4 --type f33", "--type is 'f33'; it must be one of "),
    ("--raw --shape 3x4 --type f32 --axes 0,1,2", "--axes is (0, 1, 2); it must be a permutation of 0 to 1 for an array of rank 2"),
    ("--raw --shape 4294967296x4294967296 --type u8", "size is 4294967296 x 4294967296 elements; it must be at most "),
    ("--raw --shape 3x4 --type f32 --offset 4", "IN has 48 bytes with 4 before the array; an array of 3x4 f32 has 48"),
    *((f"--raw --shape 3x4 --type f32 --offset {text}", f"--offset is '{text}'; it must be a number of bytes from 0 on, e.g. 352 or 4KiB")
      for text in ("-4", "4x", "99999999999999999999")),
    ("--raw --shape 3x4 --type f32 --offset 1KiB", "IN has 48 bytes with 1024 before the array; an array of 3x4 f32 has 48"),
    ("--offset 4", "--offset requires --raw; see cornerturn transpose --help"),
    ("--raw --type f32", "--raw requires --shape; see cornerturn transpose --help"),
    ("--raw --shape 3x4", "--raw requires --type; see cornerturn transpose --help"),
    ("--shape 3x4 --type f32", "--shape requires --raw; see cornerturn transpose --help"),
])
def test_raw_files_that_do_not_fit(tmp_path, options, message):
    (tmp_path / "in.raw").write_bytes(bytes(48))
    (tmp_path / "out.raw").write_bytes(b"old")
    got = refused(tmp_path, tmp_path / "in.raw", tmp_path / "out.raw", *options.split())
    assert got.replace(str(tmp_path / "in.raw"), "IN").startswith(message), got


@pytest.mark.parametrize("name", ["memory", "kernel", "shape", "in"])
def test_a_file_that_is_called_like_an_option(tmp_path, name):
    (tmp_path / name).write_bytes(bytes(48))
    got = refused(tmp_path, name, "out.raw", "--raw", "--shape", "3x5", "--type", "f32", cwd=tmp_path)
    assert got == f"{name} has 48 bytes; an array of 3x5 f32 has 60"


def test_empty_raw_files(tmp_path):
    (tmp_path / "in.raw").touch()
    assert run(tmp_path / "in.raw", tmp_path / "out.raw", "--raw", "--shape", "3x0", "--type", "f32").returncode == 0
    assert (tmp_path / "out.raw").read_bytes() == b""


SMALL = 4 << 20


def on_a_small_disk(script, *arguments):
    """Runs a shell script in a folder that has room for SMALL bytes and is gone afterwards; skips where nobody may make one."""
    mount = f"mount -t tmpfs -o size={SMALL} none /mnt && cd /mnt"
    unshare = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if subprocess.run([*unshare, mount], capture_output=True).returncode != 0:
        pytest.skip("a small filesystem cannot be mounted here")
    return subprocess.run([*unshare, f"{mount} && {script}", "sh", *map(str, arguments)], capture_output=True, text=True)


@pytest.mark.parametrize("old", ["", "printf old > out.npy"])
def test_a_disk_without_room(tmp_path, old):
    np.save(tmp_path / "in.npy", filled((1500, 1000), "<f4"))  # 5.7 MiB
    done = on_a_small_disk(f'{old}\n"$@"; echo $? $(ls -A) $(cat out.npy 2> /dev/null)',
                           PROGRAM, "transpose", tmp_path / "in.npy", "out.npy")
    assert done.stdout == ("2 out.npy old\n" if old else "2\n")
    free = "4.0 MiB" if not old else r"[34]\.\d MiB"
    assert re.fullmatch(rf"cornerturn: out\.npy cannot be written: it needs 5\.7 MiB in \., and {free} are free\n",
                        done.stderr), done.stderr


def test_a_disk_with_room(tmp_path):
    array = filled((900, 1000), "<f4")
    np.save(tmp_path / "in.npy", array)
    done = on_a_small_disk('"$@" && cp out.npy "$3.out"', PROGRAM, "transpose", tmp_path / "in.npy", "out.npy")
    assert done.returncode == 0, done
    assert raw(np.load(tmp_path / "in.npy.out")) == raw(array.T)


FULL_DISK = """
#include <errno.h>
#include <unistd.h>
int fallocate64(int file, int mode, off_t offset, off_t bytes) { errno = EOPNOTSUPP; return -1; }
ssize_t pwrite64(int file, void const* from, size_t bytes, off_t offset) { errno = ENOSPC; return -1; }
int fallocate(int file, int mode, off_t offset, off_t bytes) { return fallocate64(file, mode, offset, bytes); }
ssize_t pwrite(int file, void const* from, size_t bytes, off_t offset) { return pwrite64(file, from, bytes, offset); }
"""


def refused_with_a_library(tmp_path, source, array, *options):
    """What the program says when functions in C stand for the system's; an old OUT is left as it was."""
    environment = replaced_functions(source)
    folder = tmp_path / "folder"
    folder.mkdir()
    np.save(tmp_path / "in.npy", array)
    (folder / "out.npy").write_bytes(b"old")
    return refused(folder, tmp_path / "in.npy", folder / "out.npy", *options, env=environment)


def test_a_disk_that_is_full_when_it_is_written_to(tmp_path):
    """As on a filesystem that cannot promise room."""
    message = refused_with_a_library(tmp_path, FULL_DISK, filled((1000, 1000), "<f4"))
    folder = tmp_path / "folder"
    assert re.fullmatch(rf"{folder}/out\.npy cannot be written: it needs 3\.8 MiB in {folder}, and .* are free", message)


NO_COUNT = """
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
int fstatfs64(int file, struct statfs *status) {
  int const result = syscall(SYS_fstatfs, file, status);
  CHANGE
  return result;
}
int fstatfs(int file, struct statfs *status) { return fstatfs64(file, status); }
"""


@pytest.mark.parametrize("change, warning", [
    ("status->f_type = 0xEF53, status->f_bavail = 0;", ""),
    ("status->f_type = 0x65735546, status->f_bavail = status->f_bfree = 0;",
     r"cornerturn: OUT may not fit: it needs 3\.8 MiB in FOLDER, and 0\.0 KiB are free\n"),
], ids=["root's reserve", "FUSE"])
def test_a_disk_that_has_more_room_than_it_says(tmp_path, change, warning):
    environment = replaced_functions(NO_COUNT.replace("CHANGE", change))
    array = filled((1000, 1000), "<i4")
    np.save(tmp_path / "in.npy", array)
    done = run(tmp_path / "in.npy", tmp_path / "out.npy", env=environment)
    assert done.returncode == 0, done
    assert re.fullmatch(warning.replace("OUT", f"{tmp_path}/out.npy").replace("FOLDER", str(tmp_path)), done.stderr), done.stderr
    assert np.array_equal(np.load(tmp_path / "out.npy"), array.T)


BAD_DISK = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
int sync_file_range(int file, off64_t offset, off64_t bytes, unsigned flags) { errno = EIO; return -1; }
"""


def test_a_disk_that_fails_before_all_is_written(tmp_path):
    """The system tells of a failure once only: fsync may find nothing wrong afterwards."""
    message = refused_with_a_library(tmp_path, BAD_DISK, filled((3000, 1000), "<f4"), "--memory", "2MiB")
    assert message == f"{tmp_path}/folder/out.npy cannot be written: Input/output error"


# A small process, as a child's peak is never less than its parent's.
PEAK = """
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_peak_memory(tmp_path):
    """Of a file of four times what the program may take; mapped pages are counted."""
    little_memory()  # sanitizers keep what was freed for a while
    cap, slack = 128 << 20, 100_000_000
    source, some = tmp_path / "in.raw", np.random.default_rng(1).bytes(1 << 24)
    with open(source, "wb") as file:
        for _ in range(4 * cap >> 24):
            file.write(some)
    peak = {}
    for memory in [cap, 2 * cap, None]:
        command = [PROGRAM, "transpose", source, tmp_path / "out.raw", "--raw", "--shape", "8192x16384", "--type", "f32"]
        command += ["--device", "cpu"] + ([] if memory is None else ["--memory", str(memory)])
        done = subprocess.run([sys.executable, "-c", PEAK, *command], capture_output=True, text=True, check=True)
        peak[memory] = int(done.stdout) * 1024
    assert peak[cap] < cap + slack
    assert peak[None] < 2 * cap + slack, "more memory than is good for it"
    assert peak[2 * cap] > cap + slack, "what this test would see"
