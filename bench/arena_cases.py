"""The arena's cases: a shape, a permutation of its modes, an element type, and perhaps the steps between the indices of each mode."""

import json
import math
import pathlib
import random

HERE = pathlib.Path(__file__).parent
SIZES = {"u8": 1, "bf16": 2, "f32": 4, "f64": 8, "c64": 8, "c128": 16}
DTYPES = {"u8": "uint8", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}


def named(name):
    """The cases of bench/cases/NAME.json or of a file."""
    path = HERE / "cases" / f"{name}.json" if "/" not in name and not name.endswith(".json") else pathlib.Path(name)
    return [(tuple(shape), tuple(axes), kind, *map(tuple, steps)) for shape, axes, kind, *steps in json.loads(path.read_text())]


def of_whole_arrays(name):
    """The same for programs without steps. Exits if a case has them."""
    cases = named(name)
    if found := next((case for case in cases if len(case) > 3), None):
        raise SystemExit(f"cases {name}: {found} has steps, which this program does not time")
    return cases


def moves_nothing(shape, axes):
    """True if the problem is a plain copy: the axes with extents above 1 are in order."""
    kept = [axis for axis in axes if shape[axis] > 1]
    return kept == sorted(kept)


def draw(generator, least, most):
    kind = generator.choice(["u8", "bf16", "f32", "f64", "c128"])
    elements = math.exp(generator.uniform(math.log(least), math.log(most))) / SIZES[kind]
    rank = generator.randint(1, 12)
    # the logarithms of the extents have random weights
    weights = [generator.expovariate(1) for _ in range(rank)]
    shape = [max(2, round(elements ** (weight / sum(weights)))) for weight in weights]
    while math.prod(shape) * SIZES[kind] > most:
        longest = max(range(rank), key=shape.__getitem__)
        shape[longest] = max(1, shape[longest] * 9 // 10)
    axes = list(range(rank))
    generator.shuffle(axes)
    return tuple(shape), tuple(axes), kind


def drawn(seed, least=16 << 20, most=1 << 30):
    """A random problem by its seed: rank 2 to 12, any element size, `least` to `most` bytes, not a plain copy."""
    generator = random.Random(seed)
    while True:
        shape, axes, kind = draw(generator, least, most)
        if not moves_nothing(shape, axes):
            return shape, axes, kind


def drawn_between(text):
    """The random problems of the seeds FIRST:COUNT."""
    first, count = map(int, text.split(":"))
    return [drawn(seed) for seed in range(first, first + count)]
