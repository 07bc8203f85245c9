"""Each size of the hardware is defined once: a GPU's in src/block/sizes.hpp, a CPU's in src/cpu/sizes.hpp."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
HOMES = [ROOT / "src/block/sizes.hpp", ROOT / "src/cpu/sizes.hpp"]
DEFINITION = re.compile(r"\b(k[A-Z]\w*)\s*=\s*(\w*)")
FOLDERS = ["bench", "cli", "include", "python", "src"]


NAMES = [name for home in HOMES for name, _ in DEFINITION.findall(home.read_text())]
SIZES = {*NAMES, *(name.removesuffix("Bytes") for name in NAMES)}


def second_definitions(text):
    return [name for name, value in DEFINITION.findall(text) if name in SIZES and value[:1].isdigit()]


def test_the_sizes_are_found():
    assert {"kWarp", "kUnitBytes", "kUnit", "kSector", "kLine", "kBanks", "kCacheLine", "kPage"} <= SIZES
    assert second_definitions("constexpr int kSize = 4, kUnit = 16;\nstatic constexpr long kPage=4096;") == ["kUnit", "kPage"]
    assert not second_definitions("if (kUnitBytes == 16) kMost = 16, kWavefront = kWavefrontBytes / 4;")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_size_has_a_second_definition(folder):
    wrong = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".h", ".hpp", ".cpp", ".cuh", ".cu", ".in") and path not in HOMES:
            wrong += [f"{path.relative_to(ROOT)} defines {name}" for name in second_definitions(path.read_text())]
    assert not wrong
