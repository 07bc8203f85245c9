#!/usr/bin/env python3
"""Fits the rates of src/machine/gpus/h200.cpp, from which the time of a launch is expected, to the times of all candidates of random
problems. Prints the losses before and after, and with --write puts the rates into the machine's file.

    for kind in between rows matrices; do bench/fit_gpu.py --draw $kind > $kind.json; done
    candidates --between between.json > between-times.json; candidates rows.json > rows-times.json     # on the GPU
    candidates matrices.json > matrices-times.json
    bench/fit_gpu.py *-times.json --write

The program `candidates` counts the work of each launch (src/machine/launch_work.hpp). A seeded fifth of the problems is held out. A
loss is the time of the candidate with the least expected time as a ratio to the fastest one's. Candidates near the fastest one
weigh more, because they are chosen among. Needs only Python's standard library.
"""

import argparse
import collections
import itertools
import json
import math
import pathlib
import random
import re
import statistics
import sys

import arena_cases
import provenance
import run_files

MODEL = provenance.ROOT / "src/machine/gpus/h200.cpp"
# first seed, problems, bytes
DRAWN = {"between": (2000, 300, 8 << 10, 64 << 20), "rows": (3000, 200, 4 << 20, 512 << 20), "matrices": (4000, 100, 4 << 20, 1 << 30)}
LIMITS = ("bytes_per_second", "sectors_per_second", "instructions_per_cycle", "wavefronts_per_cycle", "tile_seconds", "sharpness",
          "lone_block_share", "start_seconds", "waited_seconds")
SIZES, SMALL_FORMS = (1, 2, 4, 8, 16), (4, 5, 3, 2, 2)  # bytes of an element, and the forms of `small` for each
CACHED = 60e6  # `gpu_model::cached_bytes`
UNCERTAIN = 0.002  # what a parameter's distance from today's value adds to the mean error, so that one that limits nothing stays


def matrix(seed, least, most):
    """A large matrix or a batch of small ones. Every second side is a multiple of 32."""
    generator = random.Random(seed)
    element = generator.choice(["u8", "bf16", "f32", "f64", "c128"])
    elements = math.exp(generator.uniform(math.log(least), math.log(most))) / arena_cases.SIZES[element]

    def side(length):
        return max(1, round(length / 32)) * 32 if generator.random() < 0.5 else max(2, round(length))

    if seed % 2:
        rows, columns = (side(math.exp(generator.uniform(math.log(4), math.log(160)))) for _ in range(2))
        return (max(2, round(elements / rows / columns)), rows, columns), (0, 2, 1), element
    ratio = math.exp(generator.uniform(-1, 1))
    return (side(math.sqrt(elements * ratio)), side(math.sqrt(elements / ratio))), (1, 0), element


def problems(kind):
    """Random problems; every second one of those between kernels is a matrix or a batch of them."""
    first, count, least, most = DRAWN[kind]
    for seed in range(first, first + count):
        if kind == "matrices":
            yield matrix(seed, least, most)
            continue
        if kind == "between" and seed % 2:
            generator = random.Random(seed)
            element = generator.choice(["u8", "bf16", "f32", "f64", "c128"])
            elements = math.exp(generator.uniform(math.log(least), math.log(most))) / arena_cases.SIZES[element]
            batch = generator.choice([1, 1, generator.randint(2, 64)])
            rows = max(2, round(math.exp(generator.uniform(math.log(2), math.log(max(4, elements / batch / 2))))))
            shape = (batch, rows, max(2, round(elements / batch / rows)))
            yield shape, (0, 2, 1), element
        else:
            yield arena_cases.drawn(seed, least, most)


def parameters(each):
    """The names of the parameters whose product is each rate of a candidate. Rates that are not fitted are left out: those of `tiled`,
    `gather`, `unaligned` and of the rungs are for arrays that random problems have few of, such as large squares."""
    kernel, numbers = each["kernel"], [int(number) for number in re.findall(r"-?\d+", each["id"].partition(":")[2])]
    if kernel == "small":
        size, form = numbers[:2]
        return {"start_seconds": [f"small.{size}.{form}.start_seconds"], "wave_seconds": [f"small.{size}.{form}.block_seconds"]}
    if kernel == "flat":
        size, form, tile = numbers[:3]
        return {"start_seconds": [f"flat.start_seconds.{form}"], "wave_seconds": [f"flat.block_seconds.{size}.{tile}", f"flat.digits.{form}"]}
    if kernel == "direct" or kernel == "interleave" and each["rates"]["tile_seconds"]:
        family = "direct" if kernel == "direct" else "interleave.unaligned"
        return {name: [f"{family}.{name}"] for name in LIMITS if name in each["rates"]}
    if kernel == "interleave" and each["work"]["bytes"] <= CACHED:
        return {"start_seconds": ["interleave.start_seconds"]}
    return {}


def expected(each, run, rates):
    """The expected seconds of a launch, as `seconds_of` in src/machine/launch_work.cpp has them."""
    work, rate = each["work"], {"sharpness": math.inf, **rates}
    cycles, waves = run["sm_count"] * run["clock_hz"], work["tiles"] / (run["sm_count"] * work["resident"])
    partial = rate["last"] == 2
    times = [work["bytes"] / (rate.get("bytes_per_second", math.inf) * work["share"]) * work["detour"],
             work["sectors"] / rate.get("sectors_per_second", math.inf) + work["split_rows"] * run["split_row_seconds"],
             work["wavefronts"] / (cycles * rate.get("wavefronts_per_cycle", math.inf)),
             work["instructions"] / (cycles * rate.get("instructions_per_cycle", math.inf)),
             (waves if partial else max(1.0, waves)) * rate["tile_seconds"]]
    longest, sharpness = max(times), rate["sharpness"]
    moving = longest if sharpness == math.inf else longest * sum((time / longest) ** sharpness for time in times) ** (1 / sharpness)
    tiles = max(work["tiles"], 1.0) / run["sm_count"]
    whole = math.ceil(tiles) / tiles
    idle = {0: whole, 1: math.sqrt(whole), 2: 1}[rate["last"]]
    moving *= (1 + rate["lone_block_share"] / work["resident"]) * idle
    return rate["margin"] * (max(moving, waves * rate["wave_seconds"]) + rate["start_seconds"]
                             + work["waited_instructions"] * rate["waited_seconds"])


def rates_by(values, each):
    """The rates of a candidate by these values of the parameters."""
    return each["rates"] | {rate: math.prod(values[name] for name in names) for rate, names in parameters(each).items()}


def today(runs):
    """Today's values of all parameters, from the rates of the candidates. Digits are relative to the first form."""
    values = {}
    for run in runs:
        for case in run["cases"]:
            for each in case["candidates"]:
                for rate, names in parameters(each).items():
                    if len(names) == 1:
                        values[names[0]] = each["rates"][rate]
    flat = [each for run in runs for case in run["cases"] for each in case["candidates"] if each["kernel"] == "flat"]
    for each in sorted(flat, key=lambda each: each["id"]):
        block, digits = parameters(each)["wave_seconds"]
        if digits.endswith(".0"):
            values[digits], values[block] = 1.0, each["rates"]["wave_seconds"]
    for each in flat:
        block, digits = parameters(each)["wave_seconds"]
        values.setdefault(block, each["rates"]["wave_seconds"])
        values.setdefault(digits, each["rates"]["wave_seconds"] / values[block])
    return values


def mean_error(rows, values, begun, names):
    """The mean of |log(expected / measured)|, weighted, with what parameters far from today's values add."""
    total = sum(row["weight"] * abs(math.log(expected(row["each"], row["run"], rates_by(values, row["each"])) / row["seconds"])) for row in rows)
    return total / sum(row["weight"] for row in rows) + UNCERTAIN * statistics.fmean(abs(math.log(values[name] / begun[name])) for name in names)


def rows_of(runs, cases):
    """The launches of these cases. One that takes a tenth longer than the fastest weighs half."""
    for run, case in cases:
        fastest = min(each["time"] for each in case["candidates"])
        for each in case["candidates"]:
            if parameters(each) and each["time"] > 0:
                yield {"run": run, "each": each, "seconds": each["time"] / 1e6, "weight": 1 / (1 + 10 * (each["time"] / fastest - 1))}


def fitted(runs, cases, values):
    """The values with the least mean error, family after family, by steps of one parameter after another that become smaller."""
    begun, values = dict(values), dict(values)
    families = collections.defaultdict(list)
    for row in rows_of(runs, cases):
        names = next(iter(parameters(row["each"]).values()))[0].split(".")
        families["flat" if names[0] == "flat" else ".".join(names[:-1])].append(row)
    for rows in families.values():
        names = sorted({name for row in rows for all in parameters(row["each"]).values() for name in all if values[name]} - {"flat.digits.0"})
        step, best = 1.5, mean_error(rows, values, begun, names)
        while step > 1.01:
            before = best
            for name, factor in itertools.product(names, (step, 1 / step)):
                tried = values | {name: values[name] * factor}
                if name.endswith("sharpness") and not 1 <= tried[name] <= 16:
                    continue
                if (error := mean_error(rows, tried, begun, names)) < best - 1e-6:
                    values, best = tried, error
            step = step if best < before - 1e-4 else math.sqrt(step)
    return values


def losses(cases, values):
    """The times of the candidates that these values choose, as ratios to the fastest ones'."""
    result = []
    for run, case in cases:
        chosen = min(case["candidates"], key=lambda each: expected(each, run, rates_by(values, each)))
        result.append(chosen["time"] / min(each["time"] for each in case["candidates"]))
    return result


def described(cases, values):
    """The losses of the cases of each run."""
    result = collections.defaultdict(list)
    for (run, _), loss in zip(cases, losses(cases, values)):
        result[run["name"]].append(loss)
    return {name: {"problems": len(all), "mean": statistics.fmean(all), "worst": max(all)} for name, all in sorted(result.items())}


def initialiser(text, name, after=0):
    """The place of the first initialiser of a member in the machine's file; without `after` of a member of the model itself."""
    found = re.compile(rf"\.{name} = " if after else rf"^ {{6,10}}\.{name} = ", re.MULTILINE).search(text, after)
    start = end = found.end()
    depth = 0
    while depth or end == start:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return start, end


def with_rates(text, values):
    """The machine's file with these values. Those that no problem has stay."""
    number = r"(?<![\w.-])\d+(?:\.\d+)?(?:e-?\d+)?"

    def shown(value):
        return re.sub(r"e([+-])0*", lambda found: f"e{found[1].strip('+')}", f"{value:.3g}")

    def with_named(text, name, prefixes):
        """The rates of one family; prefixes[i] is what the names in the i-th part begin with, which ends before bytes_per_second."""
        start, end = initialiser(text, name)
        named = []
        for prefix, part in zip(prefixes, re.split(r"(?=\.bytes_per_second)", text[start:end]), strict=True):
            named.append(re.sub(rf"\.(\w+) = ({number})", lambda found: f".{found[1]} = {shown(values[f'{prefix}.{found[1]}'])}"
                                if f"{prefix}.{found[1]}" in values else found[0], part))
        return text[:start] + "".join(named) + text[end:]

    def with_listed(text, family, name, names):
        """A list of a family, in the order of the names."""
        start, end = initialiser(text, name, initialiser(text, family)[0])
        names = iter(names)
        listed = re.sub(number, lambda found: shown(values[name]) if (name := next(names)) in values else found[0], text[start:end])
        return text[:start] + listed + text[end:]

    text = with_named(text, "direct", [None, "direct"])
    text = with_named(text, "interleave", ["interleave", "interleave.unaligned"])
    text = with_listed(text, "small", "forms", [f"small.{size}.{form}.{name}" for size, forms in zip(SIZES, SMALL_FORMS)
                                                for form in range(forms) for name in ("start_seconds", "block_seconds")])
    text = with_listed(text, "flat", "start_seconds", [f"flat.start_seconds.{form}" for form in range(4)])
    text = with_listed(text, "flat", "digits", [f"flat.digits.{form}" for form in range(4)])
    return with_listed(text, "flat", "block_seconds", [f"flat.block_seconds.{size}.{tile}" for size in SIZES for tile in range(3)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=pathlib.Path, help="what the program candidates prints")
    parser.add_argument("--draw", choices=DRAWN, help="print the problems for the program candidates instead")
    parser.add_argument("--write", action="store_true", help=f"write the rates into {MODEL.name}")
    options = parser.parse_args()
    if options.draw:
        print(json.dumps([*problems(options.draw)]))
        return
    runs = [run_files.read(path) | {"name": path.name.partition(".")[0]} for path in options.runs]
    cases = [(run, case) for run in runs for case in run["cases"] if len(case["candidates"]) > 1]
    random.Random(1).shuffle(cases)
    held_out, others = cases[::5], [case for i, case in enumerate(cases) if i % 5]
    begun = today(runs)
    partly = fitted(runs, others, begun)
    for name, kept, values in (("today", cases, begun), ("today, held out", held_out, begun), ("fitted", others, partly), ("held out", held_out, partly)):
        print(name, described(kept, values))
    if options.write:
        MODEL.write_text(with_rates(MODEL.read_text(), fitted(runs, cases, begun)))


if __name__ == "__main__":
    main()
