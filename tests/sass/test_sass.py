"""Reads the machine code of every kernel in the library: accesses are as wide as they claim to be, and nothing spills."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig

import pytest

PROGRAM = pathlib.Path(os.environ["CORNERTURN"])
LIBRARY = PROGRAM.parent.parent / "lib" / "libcornerturn.so"
SIZES = {"unsigned char": 1, "unsigned short": 2, "unsigned int": 4, "unsigned long": 8, "cornerturn::bits128": 16}
WIDTHS = {".U8": 1, ".S8": 1, ".U16": 2, ".S16": 2, ".64": 8, ".128": 16}
KERNEL = re.compile(r"run_program<cornerturn::tile::(\w+)<([\w: ]+), (.*)>, cornerturn::tile::(?:matrices|boxed)<")
BOX = "box"  # the width of an access by TMA


def tool():
    """cuobjdump, of the toolkit or of a wheel; it needs nvdisasm beside it."""
    wheel = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin", str(wheel)])
    return shutil.which("cuobjdump", path=path), {**os.environ, "PATH": path}


def kernels():
    """For every kernel: its demangled name, and how often each access of each width stands in it, e.g. {("LDG", 16): 8}."""
    info = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, check=True).stdout
    if "not built in" in info:
        return []
    cuobjdump, environment = tool()
    text = subprocess.run([cuobjdump, "--dump-sass", LIBRARY], env=environment, capture_output=True, text=True, check=True).stdout
    text = subprocess.run(["c++filt"], input=text, capture_output=True, text=True, check=True).stdout
    found = []
    architecture, (before, *parts) = "", text.split("Function : ")
    for part in parts:
        name = part.split("\n", 1)[0]
        architecture = next(iter(re.findall(r"arch = sm_(\d+)", before)[-1:]), architecture)
        before = part
        if "run_program" not in name:
            continue
        if int(architecture) < 90 and "boxed<" in name:  # no TMA there: the kernel is never launched
            continue
        accesses = collections.Counter()
        for operation, suffixes in re.findall(r"\b(LDG|STG|LDS|STS|LDL|STL|UTMALDG|UTMASTG)((?:\.\w+)*)", part):
            width = next((bytes for suffix, bytes in WIDTHS.items() if re.search(re.escape(suffix) + r"(\.|$)", suffixes)), 4)
            accesses[operation, BOX if operation.startswith("UTMA") else width] += 1
        found.append((name, accesses))
    return found


KERNELS = kernels()


@pytest.fixture(params=KERNELS or [None], ids=lambda kernel: kernel[0] if kernel else "none")
def kernel(request):
    if request.param is None:
        pytest.skip("this build has no GPU engine")
    return request.param


def widths(accesses, operation):
    return {width for found, width in accesses if found == operation}


def test_nothing_spills(kernel):
    name, accesses = kernel
    assert not widths(accesses, "LDL") and not widths(accesses, "STL"), (name, accesses)


def test_accesses_are_as_wide_as_claimed(kernel):
    name, accesses = kernel
    program, element, rest = KERNEL.search(name).groups()
    size = SIZES[element]
    numbers = [int(number) for number in re.findall(r"\b\d+\b", rest)]
    *_, load, store = numbers  # elements of one access, where the program has both
    single, vector, none = {size}, {16}, set()
    expected = {
        "naive": {"LDG": single, "STG": single},
        # vectors, and single elements where a row ends
        "copy": {"LDG": {store * size, size}, "STG": {store * size, size}},
        "smem": {"LDG": {load * size}, "STG": {store * size}},
        "vec_both": {"LDG": {load * size}, "STG": {store * size}, "STS": vector, "LDS": {store * size}},
        "registers": {"LDG": {load * size}, "STG": {store * size}, "STS": none, "LDS": none},
        "shuffle": {"LDG": {store * size}, "STG": {store * size}, "STS": none, "LDS": none},
        "copy_tma": {"LDG": none, "STG": none, "STS": none, "LDS": none, "UTMALDG": {BOX}, "UTMASTG": {BOX}},
        "tma_store": {"LDG": {store * size}, "STG": none, "STS": vector, "LDS": none, "UTMALDG": none, "UTMASTG": {BOX}},
        "tma": {"LDG": none, "STG": none, "STS": single if "straight" in rest else vector,
                "LDS": single if "straight" in rest else vector, "UTMALDG": {BOX}, "UTMASTG": {BOX}},
    }[program]
    assert {operation: widths(accesses, operation) for operation in expected} == expected, (name, accesses)


def test_every_rung_is_there():
    if not KERNELS:
        pytest.skip("this build has no GPU engine")
    programs = {KERNEL.search(name).group(1) for name, _ in KERNELS}
    assert all(any(layout in name for name, _ in KERNELS) for layout in ["straight", "diagonal", "padded", "swizzled"])
    assert programs == {"copy", "copy_tma", "naive", "smem", "vec_both", "tma_store", "tma", "registers", "shuffle"}
