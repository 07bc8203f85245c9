"""Reads the machine code of every kernel in the library: accesses are as wide as they claim to be, nothing spills, and kernels
whose launches overlap wait for the launch in front before they touch memory."""

import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import typing

import pytest

PROGRAM = pathlib.Path(os.environ["CORNERTURN"])
LIBRARY = PROGRAM.parent.parent / "lib" / "libcornerturn.so"
SOURCES = pathlib.Path(__file__).parents[2] / "src"
ROWS = (SOURCES.parent / "include/cornerturn/element_types.def").read_text()
SMALL_FLOATS = {name: int(size) for size, name in re.findall(r"(\d+), +(\w+_bits)\)$", ROWS, re.MULTILINE)}
SIZES = {"unsigned char": 1, "unsigned short": 2, "unsigned int": 4, "unsigned long": 8, "cornerturn::bits128": 16, "float": 4,
         **{f"cornerturn::element::{name}": size for name, size in SMALL_FLOATS.items()}}
WIDTHS = {".U8": 1, ".S8": 1, ".U16": 2, ".S16": 2, ".64": 8, ".128": 16}
KERNEL = re.compile(r"gpu::run_program<cornerturn::tile::(\w+)<([\w:]+(?: \w+)*)((?:, .*)?)>, "
                    r"cornerturn::(?:gpu::ordered<cornerturn::)?tile::\w+[<>]")
CHANGE = re.compile(r"gpu::run_program<cornerturn::tile::(convert|convert_affine)<cornerturn::tile::(?:typed|selected)_(?:change|affine)<(.+?)>, "
                    r"\(cornerturn::convert_form\)(\d)>, ")
ELEMENTS = {"float": 4, "double": 8, "complex_of<float>": 8, "complex_of<double>": 16, "unsigned char": 1, **SMALL_FLOATS}
RUNGS = {path.stem for path in (SOURCES / "kernel/rung").glob("*.hpp") if "run(Block& block" in path.read_text()}
BESIDE = {path.stem for path in (SOURCES / "kernel").glob("*/*.hpp") if "kRunsBeside = true" in path.read_text()}
NO_PROGRAMS = re.compile(r"\(anonymous namespace\)::(fill|compare|keep_busy|probe)\b")  # of patterns, the timer, the inventory
INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(@\S+ )?\s*([A-Z]\w*)((?:\.\w+)*)", re.MULTILINE)
TOUCHES_MEMORY = re.compile(r"LDG|STG|LDGSTS|ATOMG?|REDG?|CCTL|UBLK\w+|UTMA\w+")
LEAVES = re.compile(r"BRA|BRX|JMP|JMX|CALL|RET|EXIT")
WAIT, START_NEXT = "ACQBULK", "PREEXIT"  # griddepcontrol.wait and .launch_dependents
GENERIC = {"LD": "LDG", "ST": "STG"}  # their addresses came from integers, and are global
BOX, ROW = "box", "row"  # the widths of accesses by TMA


class Instruction(typing.NamedTuple):
    predicate: str
    operation: str
    width: object


class Kernel(typing.NamedTuple):
    name: str
    architecture: int
    instructions: list

    def widths(self, operation):
        return {each.width for each in self.instructions if each.operation == operation}


def tool():
    """cuobjdump, of the toolkit or of a wheel; it needs nvdisasm beside it."""
    wheel = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")
    path = os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin", str(wheel)])
    return shutil.which("cuobjdump", path=path), {**os.environ, "PATH": path}


def instruction(predicate, operation, suffixes):
    width = next((bytes for suffix, bytes in WIDTHS.items() if re.search(re.escape(suffix) + r"(\.|$)", suffixes)), 4)
    if operation.startswith("UTMA"):
        width = BOX
    if operation.startswith("UBLK"):
        width = ROW
    return Instruction(predicate, GENERIC.get(operation, operation), width)


def kernels():
    """Every kernel of the library, but for those by TMA where there is none: these are never launched."""
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
        if int(architecture) >= 90 or "tma_args<" not in name:
            found.append(Kernel(name, int(architecture), [instruction(*each) for each in INSTRUCTION.findall(part)]))
    return found


def known(kernel):
    """The match of a kernel's name, whose first group is its program."""
    return KERNEL.search(kernel.name) or CHANGE.search(kernel.name)


KERNELS = kernels()
PROGRAMS = [each for each in KERNELS if not NO_PROGRAMS.search(each.name)]


@pytest.fixture(params=PROGRAMS or [None], ids=lambda kernel: kernel and f"sm_{kernel.architecture} {kernel.name}" or "none")
def kernel(request):
    if request.param is None:
        pytest.skip("this build has no GPU engine")
    return request.param


def test_nothing_spills(kernel):
    assert not kernel.widths("LDL") and not kernel.widths("STL"), kernel.name


def widths_of_rungs(program, size, rest):
    numbers = [int(number) for number in re.findall(r"\b\d+\b", rest)]
    *_, load, store = numbers  # elements of one access, where the program has both
    single, vector, none = {size}, {16}, set()
    return {
        "naive": {"LDG": single, "STG": single},
        # vectors, and single elements where a row ends
        "copy": {"LDG": {store * size, size}, "STG": {store * size, size}},
        "smem": {"LDG": {load * size}, "STG": {store * size}},
        "vec_both": {"LDG": {load * size}, "STG": {store * size}, "STS": vector, "LDS": {store * size}},
        "registers": {"LDG": {load * size}, "STG": {store * size}, "STS": none, "LDS": none},
        "register_shuffle": {"LDG": {store * size}, "STG": {store * size}, "STS": none, "LDS": none},
        "copy_tma": {"LDG": none, "STG": none, "STS": none, "LDS": none, "UTMALDG": {BOX}, "UTMASTG": {BOX}},
        "tma_store": {"LDG": {store * size}, "STG": none, "STS": vector, "LDS": none, "UTMALDG": none, "UTMASTG": {BOX}},
        "tma": {"LDG": none, "STG": none, "STS": single if "unswizzled" in rest else vector,
                "LDS": single if "unswizzled" in rest else vector, "UTMALDG": {BOX}, "UTMASTG": {BOX}},
    }[program]


def widths_of_planned(program, size, rest, has_tma):
    single, vector, none = {size}, {16}, set()
    words = re.findall(r"\w+", rest)
    if program == "swap":
        access = {int(words[-1]) * size}  # elements of one access
        return {"LDG": access, "LDGSTS": none, "STS": vector, "LDS": access, "STG": access}
    if program == "panels":  # flags, and what nvcc loads for the cluster's barrier, have 4 bytes
        if words[-1] == "true":
            return {"LDG": {4}, "LDGSTS": vector, "STS": none, "LDS": vector | {4}, "STG": vector | {4}}
        pieces = {bytes for bytes in (1, 2, 4, 8) if bytes >= size}  # the ends of rows that are loaded; those that are stored are elements
        return {"LDG": pieces | {4}, "LDGSTS": vector, "STS": pieces, "LDS": single | {4}, "STG": vector | {4, size}}
    if program == "panels_exchange":  # flags have 4 bytes
        is_after = words[-1] == "1"  # cp.async loads rows, and nvcc loads 4 bytes for the cluster's barrier
        return {"LDG": vector | {4}, "LDGSTS": vector if is_after else none, "STS": none if is_after else vector,
                "LDS": vector | {4} if is_after else vector, "STG": vector | {4}}
    if program == "boxes":
        elements = none if size == 16 else single  # at the ends of parts
        # words of units that begin anywhere, and what nvcc loads for the cluster's barrier after cp.async
        return {"LDG": elements, "LDGSTS": vector, "STS": elements, "LDS": {4} if elements else {4, 16}, "STG": vector | elements}
    if program in ("tiled", "swizzled_tiles"):
        load, rows, store = map(int, words[:3])  # elements of a load, loads of a square, elements of a store
        return {"LDG": {load * size}, "LDGSTS": none, "STS": {rows * size}, "LDS": {store * size}, "STG": {store * size}}
    if program == "small":
        load, store = (int(each) * size for each in words[-2:])  # the last arguments are the elements of an access
        return {"LDG": {load}, "LDGSTS": none, "STS": single, "LDS": {store}, "STG": {store}}
    if program == "flat":
        offset = {4}  # of a column in the destination
        return {"LDG": single, "LDGSTS": none, "STS": single | offset, "LDS": single | offset, "STG": single}
    if program == "gather":
        _, elements, ragged = words  # of a vector; ragged rows end in words and single elements
        stores = {int(elements) * size} | ({size, max(size, 4)} if ragged == "true" else none)
        return {"LDG": single, "LDGSTS": vector, "UBLKCP": {ROW} if has_tma else none, "STG": stores}
    if program == "interleave":
        joins = words[-1] == "true"
        offset = {8}  # of a group in the destination
        return {"LDG": vector, "LDGSTS": none, "STS": vector | offset, "LDS": vector | offset, "STG": vector} if joins else {
            "LDG": none, "LDGSTS": vector, "STS": none, "STG": vector}
    if program == "packed":  # bytes, words and, for stores, vectors
        return {"LDG": {1, 4}, "LDGSTS": none, "STS": {4}, "LDS": {1, 4}, "STG": {1, 4, 16}}
    if program == "quantize_rows":
        return {"LDG": vector, "LDGSTS": none, "STS": {4}, "LDS": {4}, "STG": {4, 16 // size}}
    if program == "quantize_amax":  # vectors, and single elements where a row ends; scales and magnitudes have 4 bytes
        return {"LDG": vector | single | ({4} if size == 1 else none), "LDGSTS": none, "STS": vector, "LDS": {4}, "STG": none}
    if program == "quantize":  # scales and magnitudes have 4 bytes, and a vector of the source becomes as many bytes as it has elements
        return {"LDG": vector | single | {4}, "LDGSTS": none, "STS": vector | {4}, "LDS": vector | {4}, "STG": vector | {1, 4, 16 // size}}
    return {
        "direct": {"LDG": single, "STG": single, "LDGSTS": none, "STS": none, "LDS": none},
        "direct_short": {"LDG": single, "STG": single, "LDGSTS": none, "STS": none, "LDS": none},
        "limited": {"LDG": single, "STG": single, "LDGSTS": none, "STS": none, "LDS": none},
        "interleave_unaligned": {"LDG": single, "LDGSTS": vector, "STG": vector | single},
        "unaligned": {"LDG": single, "LDGSTS": vector, "STG": vector | single},
        "planes": {"LDG": {16 // size, 4}, "LDGSTS": none, "STS": none, "LDS": none, "STG": vector},
        "swap_rows": {"LDG": single, "LDGSTS": vector, "STS": single, "LDS": single | {4}, "STG": vector | single},
        "swap_runs": {"LDG": single, "LDGSTS": none, "STS": none, "LDS": none, "STG": single},
    }[program]


def widths_of_convert(program, types, form):
    """Vectors have 16 bytes on the side of the larger elements. Old elements of the destination are loaded as they are stored;
    scale and bias are floats or, if numbers may have 64 bits, doubles."""
    names = [each.strip().replace("cornerturn::element::", "").replace(" >", ">") for each in types.split(", ")]
    source, destination = (ELEMENTS.get(each) or int(re.sub(r"\(int\)", "", each)) for each in names)
    rows = {1: 4, 2: 2, 4: 4, 8: 2, 16: 1}[source]
    many = 16 // max(source, destination)
    load, held, stored = [(16, rows * source, many), (16, 16, many), (source, source, many), (source, source, 1)][form]
    others = {stored * destination} if program == "convert" else {4, 8} if 8 in (source, destination) else {4}
    return {"LDG": {load} | others, "STS": {held}, "LDS": {stored * source}, "STG": {stored * destination},
            "LDGSTS": set()}


def test_accesses_are_as_wide_as_claimed(kernel):
    if change := CHANGE.search(kernel.name):
        program, types, form = change.groups()
        expected = widths_of_convert(program, types, int(form))
        assert {operation: kernel.widths(operation) for operation in expected} == expected, kernel.name
        return
    program, element, rest = KERNEL.search(kernel.name).groups()
    size = SIZES.get(element)  # none of packed elements
    expected = widths_of_rungs(program, size, rest) if program in RUNGS else widths_of_planned(
        program, size, rest, kernel.architecture >= 90)
    assert {operation: kernel.widths(operation) for operation in expected} == expected, kernel.name


def test_all_loads_come_before_the_shuffles(kernel):
    """In the way for tiles within the matrix, and in the one for tiles at its edge."""
    if "register_shuffle<" in kernel.name:
        operations = "".join(each.operation[0] for each in kernel.instructions if each.operation in ("LDG", "SHFL"))
        assert re.fullmatch("(L+S+){2}", operations), kernel.name


def test_overlapping_launches_wait_before_they_touch_memory(kernel):
    """The wait stands in the kernel's first basic block, so every later instruction comes after it, however it is reached. A launch
    that may run beside the previous one can pass it by, and waits behind its last access."""
    operations = [each.operation for each in kernel.instructions]
    if known(kernel).group(1) in RUNGS or kernel.architecture < 90:
        assert WAIT not in operations and START_NEXT not in operations, kernel.name
        return
    assert WAIT in operations, f"{kernel.name} does not wait"
    wait = operations.index(WAIT)
    assert not kernel.instructions[wait].predicate, f"{kernel.name} does not always wait"
    before, behind = operations[:wait], operations[wait + 1:]
    for operation in before:
        assert not TOUCHES_MEMORY.fullmatch(operation), f"{kernel.name}: {operation} comes before the wait"
        assert operation != START_NEXT, f"{kernel.name} lets the next launch start before the wait"
    is_beside = known(kernel).group(1) in BESIDE
    assert [each for each in before if LEAVES.fullmatch(each)] == ["BRA"] * is_beside, f"{kernel.name} may pass the wait by"
    assert behind.count(WAIT) == is_beside, kernel.name
    if is_beside:
        last = [each for each in behind[behind.index(WAIT):] if TOUCHES_MEMORY.fullmatch(each) or LEAVES.fullmatch(each)]
        assert last == ["EXIT", "BRA"], f"{kernel.name}: {last} behind the last wait"
    assert START_NEXT in operations, f"{kernel.name} never lets the next launch start"


def test_clusters_do_not_wait_for_stores(kernel):
    """A barrier that releases stores would wait for those of all blocks on the SM."""
    if known(kernel).group(1) in ("panels", "boxes"):
        assert "MEMBAR" not in [each.operation for each in kernel.instructions], kernel.name


def sources_with(text):
    return {path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.cu*") if text in path.read_text()}


def test_only_programs_that_wait_are_launched_overlapping():
    assert sources_with("launch_kernel(") & sources_with("overlaps_launches()") == {"launch/launch.cuh"}


def test_launches_tell_their_own_status():
    """A launch by chevrons leaves its status in cudaGetLastError, beside what the caller has left there."""
    assert not sources_with("<<<")


def test_every_kernel_is_known():
    """A family of programs that the tests above know nothing of fails here."""
    if not KERNELS:
        pytest.skip("this build has no GPU engine")
    found = [known(each) for each in PROGRAMS]
    assert [each.name for each, match in zip(PROGRAMS, found) if not match] == []
    programs = {each.group(1) for each in found}
    assert all(any(layout in each.name for each in PROGRAMS) for layout in ["unswizzled", "diagonal", "padded", "::swizzled"])
    assert programs >= RUNGS
    families = {path.name for path in (SOURCES / "kernel").iterdir() if path.is_dir()} - {"rung"}
    assert {each.split("_")[0] for each in programs - RUNGS} == families
