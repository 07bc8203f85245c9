"""The committed run of compute-sanitizer is clean, by all tools over all kernels."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
FIRST, *RUNS = (ROOT / "bench/results/h200-sanitizer.txt").read_text().splitlines()


def test_every_kernel_was_run():
    kernels = FIRST.partition("kernels: ")[2].split()
    assert sorted(kernels) == sorted(path.name for path in (ROOT / "src/kernel").iterdir() if path.is_dir())


def test_every_tool_was_run_and_found_nothing():
    found = [re.match(r"(\w+) (\S+): clean, (\d+) of \3 tests, .* 0 (?:errors|hazards)", line) for line in RUNS]
    assert all(found), [line for line, match in zip(RUNS, found) if not match]
    script = (ROOT / "scripts/bundle-sanitize").read_text()
    tools, programs = re.search(r"for tool in ([\w ]+);.*?'(.*?)'", script, re.DOTALL).groups()
    assert [(each[1], each[2]) for each in found] == [
        *((tool, programs) for tool in tools.split()), *re.findall(r"^run (\w+) '(.*)'$", script, re.MULTILINE)]
