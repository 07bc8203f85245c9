"""What the tests of `cornerturn transpose` share. CORNERTURN names the program."""

import functools
import os
import shutil
import signal
import subprocess
import tempfile

import numpy as np
import pytest

PROGRAM = os.environ["CORNERTURN"]
FUZZ_SECONDS = float(os.environ.get("CORNERTURN_FUZZ_SECONDS", 0))

POINT = np.dtype([("x", ">f4"), ("y", "<i2", (2, 3)), ("name", "S5")])
DTYPES = [
    "?", "i1", "<u2", ">i4", "<i8", "<f2", "<f4", ">f8", "<c8", ">c16", "g", "G", "S1", "S5", "S0", "<U3", "V7", "V33",
    "<M8[ns]", "<m8[25s]", POINT, np.dtype([("p", POINT, (2,)), ("q", "u1")]),
    np.dtype([("a", "u1"), ("b", "f8")], align=True), np.dtype([("größe", "f4"), ("x'y", "u1")]),
]


def run(*arguments, **options):
    return subprocess.run([PROGRAM, "transpose", *map(str, arguments)], capture_output=True, text=True, **options)


def filled(shape, dtype, seed=0):
    """An array of random bytes, so that hardly any two elements are alike."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == bool:
        return np.random.default_rng(seed).integers(0, 2, count).astype(bool).reshape(shape)
    data = np.random.default_rng(seed).bytes(count * dtype.itemsize)
    if dtype.kind == "U":
        return (np.frombuffer(data, "<u4") % 0x7F).view(dtype).reshape(shape)  # code points
    if dtype.itemsize == 0:
        return np.zeros(shape, dtype)
    return np.frombuffer(data, dtype).reshape(shape)


def raw(array):
    """Its bytes in C order; those of padding too, which NumPy would leave out."""
    return (array.view(f"V{array.itemsize}") if array.itemsize else array).tobytes()


def check(folder, array, axes=None, *options):
    """Transposes by the program and by NumPy and compares dtype, shape and every byte. Returns the report as one line."""
    source, result = folder / "in.npy", folder / "out.npy"
    np.save(source, array, allow_pickle=False)
    given = [] if axes is None else ["--axes", ",".join(map(str, axes))]
    command = f"cornerturn transpose in.npy out.npy {' '.join(given)} on {array.shape} {array.dtype} {array.flags.f_contiguous=}"
    done = run(source, result, *given, *options)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    assert done.stderr == "", command
    assert all(len(line) <= 80 or line == f"{result}:" for line in done.stdout.splitlines()), command
    expected, got = np.transpose(np.load(source), axes), np.load(result, allow_pickle=False)
    assert got.dtype == expected.dtype and got.shape == expected.shape, command
    assert got.flags.c_contiguous, command
    assert raw(got) == raw(expected), command
    return " ".join(done.stdout.split())


def refused(folder, *arguments, code=2, **options):
    """Runs the program, which must fail by one line and change nothing in `folder`. Returns the line."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = run(*arguments, **options)
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert done.returncode == code, (arguments, done)
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1 and done.stderr.endswith("\n"), (arguments, done)
    assert done.stderr.startswith("cornerturn: "), done
    assert after == before, arguments
    return done.stderr.removeprefix("cornerturn: ").rstrip("\n")


LIBRARIES = tempfile.TemporaryDirectory()


@functools.cache
def replaced_functions(source):
    """The environment in which functions in C stand for the system's. Skips where they cannot."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    library = os.path.join(LIBRARIES.name, f"{replaced_functions.cache_info().currsize}.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True, check=True)
    environment = os.environ | {"LD_PRELOAD": library}
    if subprocess.run([PROGRAM, "--version"], env=environment, capture_output=True).returncode != 0:
        pytest.skip("the program lets nothing be loaded before it, as under sanitizers")
    return environment


STOPS_BEFORE_A_WRITE = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int writes;
ssize_t pwrite64(int file, void const *from, size_t size, off_t offset) {
  if (++writes == atoi(getenv("STOP_AT"))) raise(SIGSTOP);
  return syscall(SYS_pwrite64, file, from, size, offset);
}
ssize_t pwrite(int file, void const *from, size_t size, off_t offset) { return pwrite64(file, from, size, offset); }
"""


def stopped_before_write(number, *arguments, replaced="", stderr=subprocess.PIPE):
    """Starts the program, which SIGSTOP stops before it writes to its files for the so many-th time. Returns the process when it
    has stopped or ended. Functions in C may be `replaced` besides."""
    environment = replaced_functions(STOPS_BEFORE_A_WRITE + replaced) | {"STOP_AT": str(number)}
    process = subprocess.Popen([PROGRAM, "transpose", *map(str, arguments)], stdout=subprocess.PIPE, stderr=stderr, env=environment)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return process


def send_and_continue(process, number):
    """Sends a signal to a stopped process, which handles it before anything else."""
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
