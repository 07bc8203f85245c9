"""The command `cornerturn transpose` against NumPy."""

import itertools
import os
import random
import re
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

from arrays import (DTYPES, FUZZ_SECONDS, POINT, PROGRAM, check, filled, refused, replaced_functions, run, send_and_continue,
                    stopped_before_write)
from terminal import open_terminal, read_terminal, resize


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(np.dtype(dtype)).replace(" ", ""))
def test_every_dtype(tmp_path, dtype, order):
    array = filled((3, 5, 4), dtype)
    check(tmp_path, np.array(array, order=order), (2, 0, 1))


@pytest.mark.parametrize("rank", range(9))
def test_every_rank(tmp_path, rank):
    shape = [3, 2, 1, 4, 2, 3, 1, 2][:rank]
    array = filled(shape, "<f4")
    check(tmp_path, array)
    check(tmp_path, np.array(array, order="F"), random.Random(rank).sample(range(rank), rank))


@pytest.mark.parametrize("axes", list(itertools.permutations(range(4))), ids=str)
def test_every_permutation_of_four_axes(tmp_path, axes):
    check(tmp_path, filled((6, 7, 5, 3), "u1"), axes)


def test_negative_axes(tmp_path):
    check(tmp_path, filled((6, 7, 5), "<f8"), (-1, 0, -2))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3), (0, 0), (1, 1, 1), (1, 700), (700, 1)], ids=str)
def test_empty_and_thin_shapes(tmp_path, shape):
    for order in "CF":
        check(tmp_path, np.array(filled(shape, "<f8"), order=order))


@pytest.mark.parametrize("dtype", ["u1", "<u2", "<f4", "<f8", "<c16", "V3", "V12"])
def test_matrices_larger_than_a_tile(tmp_path, dtype):
    for shape in [(257, 1031), (1024, 512), (163, 3)]:
        check(tmp_path, filled(shape, dtype))


def test_random_arrays(tmp_path):
    """CORNERTURN_SEED picks one."""
    only = os.environ.get("CORNERTURN_SEED")
    end = time.monotonic() + FUZZ_SECONDS
    for seed in itertools.count(int(only or 0)):
        if not only and seed >= 60 and time.monotonic() >= end:
            break
        choose = random.Random(seed)
        rank = choose.randint(0, 6)
        shape = [choose.randint(1, choose.choice([2, 5, 40 if rank < 4 else 4])) for _ in range(rank)]
        array = np.array(filled(shape, choose.choice(DTYPES), seed), order=choose.choice("CF"))
        try:
            check(tmp_path, array, choose.sample(range(rank), rank))
        except AssertionError as problem:
            raise AssertionError(f"to repeat: CORNERTURN_SEED={seed} pytest {__file__} -k test_random_arrays") from problem
        if only:
            break


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_format(tmp_path, version):
    array = filled((4, 6), "<i4")
    with open(tmp_path / "in.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)
    assert run(tmp_path / "in.npy", tmp_path / "out.npy").returncode == 0
    assert np.array_equal(np.load(tmp_path / "out.npy"), array.T)


def test_the_report(tmp_path):
    report = check(tmp_path, filled((4, 6, 2), "<i4"), (2, 0, 1), "--device", "cpu")
    assert report.startswith(f"{tmp_path}/out.npy: (2, 4, 6) of <i4, 192 bytes in ")
    assert re.search(r" in \d\S* s; moved in memory on the CPU$", report), report
    report = check(tmp_path, filled((512, 512), "<i4"), (1, 0), "--device", "cpu")
    assert re.search(r" in \d\S* s, \d+\.\d\d GB/s; moved in memory at \d+\.\d\d GB/s on the CPU$", report) and ", 1 MB in " in report, report


def test_the_report_of_a_structured_dtype_is_short(tmp_path):
    fields = [(f"f{i}", "u1") for i in range(400)]
    assert "out.npy: (3, 2) of a structured dtype, 2.4 KB in " in check(tmp_path, filled((2, 3), fields))


def test_the_file_itself(tmp_path):
    array = filled((30, 50), "<f4")
    path = tmp_path / "a.npy"
    np.save(path, array)
    path.chmod(0o600)
    assert run(path, path).returncode == 0
    assert np.array_equal(np.load(path).view("u4"), array.T.view("u4"))
    assert path.stat().st_mode & 0o777 == 0o600
    (tmp_path / "link.npy").symlink_to("a.npy")
    assert run(tmp_path / "link.npy", path).returncode == 0
    assert run(path, tmp_path / "link.npy").returncode == 0
    assert np.array_equal(np.load(path).view("u4"), array.T.view("u4"))
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "link.npy"]


def test_a_suffix_of_another_format_is_refused_before_anything_is_read(tmp_path):
    array = filled((3, 4), "<f4")
    np.save(tmp_path / "a.npy", array)
    (tmp_path / "a.raw").write_bytes(array.tobytes())
    (tmp_path / "data.h5").write_bytes(b"of another program")
    as_raw = ["--raw", "--shape", "3x4", "--type", "f32"]
    assert "must be a .npy file without --raw" in refused(tmp_path, tmp_path / "missing", tmp_path / "data.h5")
    assert "must be a raw file with --raw" in refused(tmp_path, tmp_path / "a.raw", tmp_path / "data.h5", *as_raw)
    for result in ("b.NPY", "b", "b.npy.2"):
        assert run(tmp_path / "a.npy", tmp_path / result).returncode == 0, result
    for result in ("b.raw", "b.bin", "b.f32"):
        assert run(tmp_path / "a.raw", tmp_path / result, *as_raw).returncode == 0, result


def test_names_without_a_folder(tmp_path):
    np.save(tmp_path / "a.npy", filled((3, 4), "<f4"))
    assert run("a.npy", "b.npy", cwd=tmp_path).returncode == 0
    assert sorted(os.listdir(tmp_path)) == ["a.npy", "b.npy"]


def test_the_gpu(tmp_path):
    """Where there is one it serves any array; where there is none that is said."""
    np.save(tmp_path / "in.npy", filled((5, 300, 200), "<f4"))
    done = run(tmp_path / "in.npy", tmp_path / "out.npy", "--device", "gpu")
    if done.returncode == 0:
        for array, axes in [(filled((5, 300, 200), "<f4"), (0, 2, 1)), (filled((4, 5, 6, 7, 3), POINT), (3, 1, 4, 0, 2))]:
            assert check(tmp_path, array, axes, "--device", "gpu").endswith(" on the GPU")
            assert check(tmp_path, array, axes).endswith(" on the GPU")
    else:
        message = refused(tmp_path, tmp_path / "in.npy", tmp_path / "out.npy", "--device", "gpu")
        assert message.startswith("--device is 'gpu'; it must be cpu or auto here: ")
        assert check(tmp_path, filled((4, 5, 6, 7), "<f4")).endswith(" on the CPU")


@pytest.fixture
def pair(tmp_path):
    """A good input and an old output."""
    np.save(tmp_path / "in.npy", filled((3, 4), "<f4"))
    (tmp_path / "out.npy").write_bytes(b"old")
    return tmp_path / "in.npy", tmp_path / "out.npy"


@pytest.mark.parametrize("axes, message", [
    ("0,0", "--axes is (0, 0); it must be a permutation of 0 to 1 for an array of rank 2"),
    ("0", "--axes is (0); it must be a permutation of 0 to 1 for an array of rank 2"),
    ("0,2", "--axes is (0, 2); it must be a permutation of 0 to 1 for an array of rank 2"),
    ("-3,0", "--axes is (-3, 0); it must be a permutation of 0 to 1 for an array of rank 2"),
    ("", "--axes is (); it must be a permutation of 0 to 1 for an array of rank 2"),
    ("0,x", "--axes is '0,x'; it must be whole numbers with commas between them, e.g. 2,0,1"),
    ("0,1,", "--axes is '0,1,'; it must be whole numbers with commas between them, e.g. 2,0,1"),
    ("1;0", "--axes is '1;0'; it must be whole numbers with commas between them, e.g. 2,0,1"),
    ("99999999999999999999", "--axes is '99999999999999999999'; it must be whole numbers with commas between them, e.g. 2,0,1"),
])
def test_bad_axes(pair, tmp_path, axes, message):
    assert refused(tmp_path, *pair, "--axes", axes) == message


def test_bad_usage(pair, tmp_path):
    assert refused(tmp_path, *pair, "--device", "tpu") == "--device is 'tpu'; it must be auto, cpu or gpu; did you mean cpu or gpu?"
    assert refused(tmp_path, pair[0]) == "OUT is required; see cornerturn transpose --help"
    refused(tmp_path, *pair, "third")
    refused(tmp_path, *pair, "--no-such-option")


def test_unreadable_inputs(pair, tmp_path):
    source, result = pair
    missing = tmp_path / "none.npy"
    assert refused(tmp_path, missing, result) == f"{missing} cannot be read: No such file or directory"
    assert refused(tmp_path, "", result) == "'' cannot be read: No such file or directory"
    assert refused(tmp_path, tmp_path, result) == f"{tmp_path} cannot be read: not a regular file"
    os.mkfifo(tmp_path / "pipe")
    message = refused(tmp_path, tmp_path / "pipe", result, timeout=600)
    assert message == f"{tmp_path}/pipe cannot be read: it is a pipe; store its contents in a file first"
    refused(tmp_path, "/dev/zero", result, timeout=600)


def test_unwritable_outputs(pair, tmp_path):
    source, _ = pair
    (tmp_path / "folder").mkdir()
    for place, why in [("folder", "it is a folder"), ("none/out.npy", "No such file or directory"),
                       ("in.npy/out.npy", "Not a directory")]:
        assert refused(tmp_path, source, tmp_path / place) == f"{tmp_path / place} cannot be written: {why}"
    refused(tmp_path, source, "/dev/null")
    assert os.listdir(tmp_path / "folder") == []


def test_a_dash_is_neither_a_stream_nor_a_file(pair, tmp_path):
    source, result = pair
    why = "must be a file, because its elements are not {} in order; ./- names a file called -"
    assert refused(tmp_path, "-", result, cwd=tmp_path) == f"IN is '-'; it {why.format('read')}"
    assert refused(tmp_path, source, "-", cwd=tmp_path) == f"OUT is '-'; it {why.format('written')}"
    assert run(source, "./-", cwd=tmp_path).returncode == 0
    assert np.load(tmp_path / "-").shape == (4, 3)


def test_standard_input_and_output(pair, tmp_path):
    """These are taken if they are files, as in a redirection, and refused if they are pipes."""
    source, result = pair
    with open(source, "rb") as file:
        assert run("/dev/stdin", tmp_path / "new.npy", stdin=file).returncode == 0
    assert np.load(tmp_path / "new.npy").shape == (4, 3)
    message = refused(tmp_path, "/dev/stdin", result, input="")
    assert message == "/dev/stdin cannot be read: it is a pipe; store its contents in a file first"
    assert refused(tmp_path, source, "/dev/stdout") == "/dev/stdout cannot be written: it is not a regular file"
    with open(result, "wb") as file:
        assert subprocess.run([PROGRAM, "transpose", source, "/dev/stdout"], stdout=file).returncode == 0
    assert np.load(result).shape == (4, 3)


def test_no_room_for_the_output(pair, tmp_path):
    np.save(tmp_path / "in.npy", filled((1000, 1000), "<f4"))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    assert refused(tmp_path, *pair, preexec_fn=limit) == f"{pair[1]} cannot be written: File too large"


def test_objects(pair, tmp_path):
    for dtype in [object, [("a", "<i4"), ("b", [("c", object)])]]:
        np.save(tmp_path / "in.npy", np.zeros(3, dtype), allow_pickle=True)
        assert "holds Python objects" in refused(tmp_path, *pair)


def test_a_control_character_in_a_name(pair, tmp_path):
    refused(tmp_path, tmp_path / "two\nlines", pair[1])


def test_a_dtype_with_control_characters(pair, tmp_path):
    """The report names the dtype, and a terminal would obey them."""
    header = b"{'descr': '<M8[\x1bc]', 'fortran_order': False, 'shape': (2, 3), }"
    pair[0].write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(48))
    assert refused(tmp_path, *pair) == f"{pair[0]}: dtype '<M8[\\x1bc]' is unknown"


def test_truncated_files(pair, tmp_path):
    whole = pair[0].read_bytes()
    for length in range(len(whole)):
        if length % 7 and length < len(whole) - 3:
            continue
        pair[0].write_bytes(whole[:length])
        message = refused(tmp_path, *pair)
        assert "truncated" in message or length < 6, message


def test_a_header_that_promises_more_than_memory_holds(pair, tmp_path):
    for shape in ["(1000000000000,)", "(4294967296, 4294967296)", "(99999999999999999999,)"]:
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
        pair[0].write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(100))
        refused(tmp_path, *pair)


def test_damaged_headers(tmp_path):
    """Every damaged file is refused by one line, or is what NumPy takes it for. CORNERTURN_SEED picks one."""
    np.save(tmp_path / "whole.npy", filled((3, 4), [("a", "<f4"), ("b", "S3", (2,))]))
    whole = (tmp_path / "whole.npy").read_bytes()
    source, result = tmp_path / "in.npy", tmp_path / "out.npy"
    only = os.environ.get("CORNERTURN_SEED")
    end = time.monotonic() + FUZZ_SECONDS
    for seed in itertools.count(int(only or 0)):
        if not only and seed >= 150 and time.monotonic() >= end:
            break
        choose = random.Random(seed)
        damaged = bytearray(whole)
        for _ in range(choose.randint(1, 4)):
            damaged[choose.randrange(128)] = choose.choice([choose.randrange(256), *b"0123456789()[],:'<>OSVU \\"])
        source.write_bytes(damaged)
        done = run(source, result)
        repeat = f"to repeat: CORNERTURN_SEED={seed} pytest {__file__} -k test_damaged_headers"
        if done.returncode == 0:
            result.unlink()
        else:
            assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, f"{done}, {repeat}"
        assert sorted(os.listdir(tmp_path)) == ["in.npy", "whole.npy"], repeat
        if only:
            break


LARGE = (3000, 4000)  # f4: 48 MB, written by four calls or more


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.npy"
    np.save(path, np.arange(np.prod(LARGE), dtype="<f4").reshape(LARGE))
    yield path
    path.unlink()


def test_other_hard_links_keep_the_old_contents(pair):
    source, result = pair
    result.write_bytes(b"old")
    other = result.with_name("other")
    os.link(result, other)
    done = run(source, result)
    assert done.returncode == 0 and done.stderr == ""
    assert other.read_bytes() == b"old" and other.stat().st_nlink == result.stat().st_nlink == 1


@pytest.mark.parametrize("stop, codes", [(signal.SIGINT, {130}), (signal.SIGTERM, {143}), (signal.SIGKILL, {-9})])
@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("memory", ["1GiB", "32MiB"])
def test_stopped_in_the_middle(large, tmp_path, stop, codes, number, memory):
    folder = tmp_path / "folder"
    folder.mkdir()
    result = folder / "out.npy"
    result.write_bytes(b"old")
    process = stopped_before_write(number, large, result, "--device", "cpu", "--memory", memory)
    send_and_continue(process, stop)
    errors = process.communicate(timeout=600)[1]
    assert process.returncode in codes, errors
    assert errors == (b"" if stop == signal.SIGKILL else b"cornerturn: stopped by %b; %b is unchanged\n"
                      % (stop.name.encode(), bytes(result)))
    assert os.listdir(folder) == ["out.npy"] and result.read_bytes() == b"old"


NO_UNNAMED_FILES = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int open64(char const *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int const mode = va_arg(rest, int);
  if ((flags & O_TMPFILE) == O_TMPFILE) return errno = EOPNOTSUPP, -1;
  return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open(char const *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  return open64(path, flags, va_arg(rest, int));
}
"""


def test_a_named_temporary_file_is_removed(large, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    process = stopped_before_write(3, large, folder / "out.npy", "--device", "cpu", replaced=NO_UNNAMED_FILES)
    [name] = os.listdir(folder)
    assert re.fullmatch(r"\.cornerturn-[0-9a-f]{8}", name)
    send_and_continue(process, signal.SIGINT)
    assert process.communicate(timeout=600)[1] == b"cornerturn: stopped by SIGINT; %b is not written\n" % bytes(folder / "out.npy")
    assert process.returncode == 130 and os.listdir(folder) == []


def clock(milliseconds):
    """A clock in C that advances by so many milliseconds each time it is read, and otherwise stands still."""
    return """
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *result) {
  static long now;
  now += %d;
  *result = (struct timespec){now / 1000, now %% 1000 * 1000000};
  return 0;
}
""" % milliseconds


def test_no_progress_bar_for_quick_work(large, tmp_path):
    environment = replaced_functions(clock(0))
    terminal, theirs = open_terminal()
    process = subprocess.Popen([PROGRAM, "transpose", large, tmp_path / "out.npy"], stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    assert read_terminal(terminal) == b""
    assert process.wait() == 0


def watched(large, tmp_path, columns):
    """What a slow run prints, on standard output and on a terminal that gets another width before anything is drawn."""
    terminal, theirs = open_terminal()
    resize(terminal, 100)
    process = stopped_before_write(1, large, tmp_path / "out.npy", "--device", "cpu", "--memory", "1GiB",
                                   replaced=clock(300), stderr=theirs)
    os.close(theirs)
    resize(terminal, columns)
    process.send_signal(signal.SIGCONT)
    seen = read_terminal(terminal)
    assert process.wait() == 0
    return process.stdout.read().decode(), seen.decode()


@pytest.mark.parametrize("columns", [0, 20, 40, 80, 200])
def test_progress_bar_for_slow_work(large, tmp_path, columns):
    said, seen = watched(large, tmp_path, columns)
    assert seen.startswith("\r") and seen.endswith("\x1b[K\r\x1b[K"), seen
    lines = [line.removesuffix("\x1b[K") for line in seen.split("\r")[1:-1]]
    for line in lines:
        text = r"\[#*\.*\] +\d+ %, \d+\.\d\d GB/s, \d+:\d\d left"
        assert re.fullmatch(text, line) if columns != 20 else re.match(r" *\d+ %, ", line), line
        assert len(line) == (columns or 80) - 1, line
    ours, theirs = (float(re.search(r", (\d+\.\d\d) GB/s", text)[1]) for text in (lines[-1], said))
    assert abs(ours - theirs) <= 0.3 * theirs + 0.01, (lines[-1], said)


def test_the_plan_is_logged_if_the_environment_asks(tmp_path):
    np.save(tmp_path / "in.npy", filled((300, 200), "<f4"))
    said = {}
    for value in ("plan", "", "plans"):
        done = run(tmp_path / "in.npy", tmp_path / "out.npy", "--device", "cpu", env=os.environ | {"CORNERTURN_LOG": value})
        assert done.returncode == 0, done
        said[value] = done.stderr
    assert said[""] == "" and said["plans"] == "cornerturn: CORNERTURN_LOG is 'plans'; it must be plan\n"
    assert re.fullmatch(r"cornerturn: plan: shape \(200, 300\), .* of 4 bytes on the CPU, a piece of the file: [a-z_]+ in tiles of .*\n", said["plan"]), said
