"""The suggestions for CuTe DSL and Gluon have the offsets that `cornerturn.layout` has counted, for hundreds of tiles."""

import importlib.util
import itertools
import math
import random
import re

import cornerturn
import pytest

SIDES = 8, 16, 32, 64, 128
TOGETHER = 24  # layouts of a function, because compiling each by itself takes a minute


def suggestion(rows, columns, is_row_major, size, vector, swizzles):
    """One side is along the contiguous axis in vectors, the other one along the other axis."""
    fast, slow = (columns, rows) if is_row_major else (rows, columns)
    along = lambda extent, is_fast: f"(1,{extent})" if is_fast == is_row_major else f"({extent},1)"
    return cornerturn.layout(f"({rows},{columns}):{f'({columns},1)' if is_row_major else f'(1,{rows})'}", along(min(slow, 32), False),
                             load_threads=along(min(fast // vector, 32), True), load_values=along(vector, True),
                             load_vector=vector * size, element=size, suggest=True, swizzles=swizzles)


@pytest.fixture(scope="module")
def suggestions():
    """(element size, what is suggested), each layout once."""
    found = {}
    for rows, columns, is_row_major, size, swizzles in itertools.product(SIDES, SIDES, (True, False), (1, 2, 4, 8), ("any", "tma")):
        for vector in {1, min(16 // size, columns if is_row_major else rows)}:
            each = suggestion(rows, columns, is_row_major, size, vector, swizzles)
            found[each.suggestion, size] = size, each
    for tile in "(64,64):(65,1)", "(32,(4,8)):(36,(1,4))", "(8,16,4):(1,9,152)", "((4,8),32):((1,128),4)":
        found[tile, 4] = 4, cornerturn.layout(tile, store_threads="(8,4)", suggest=True)
    return list(found.values())


def numbers(text):
    return [int(each) for each in re.findall(r"-?\d+", text)]


def offset_of(layout):
    """A function from an element's index, with the first mode as the fastest, to its offset; and the elements."""
    *swizzle, plain = layout.split(" o ")
    shape, stride = map(numbers, plain.split(":"))
    bits, base, shift = numbers(swizzle[0]) if swizzle else (0, 0, 0)

    def offset(index):
        plain = 0
        for extent, step in zip(shape, stride):
            plain, index = plain + index % extent * step, index // extent
        ones = (1 << bits) - 1 << base
        return plain ^ ((plain >> shift) & ones if shift >= 0 else (plain & ones) << -shift)
    return offset, math.prod(shape)


def samples(elements):
    """All bits of an index, and others."""
    bits = (1 << bit for bit in range(elements.bit_length() - 1))
    return sorted({0, elements - 1, *bits, *random.Random(56).sample(range(elements), min(elements, 48))})


def test_cute_dsl_has_the_offsets(suggestions, tmp_path):
    pytest.importorskip("cutlass.cute")
    lines = ["import cutlass.cute as cute", "tables = {}"]
    for number, (_, each) in enumerate(suggestions):
        elements = offset_of(each.suggestion)[1]
        if number % TOGETHER == 0:
            lines += ["@cute.jit", f"def layouts_from_{number}():"]
        lines += [f"    {each.cute_dsl_code}", f"    tables[{number}] = [layout(i) for i in {samples(elements)}], cute.size(layout)"]
    source = tmp_path / "pasted.py"
    source.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("pasted", source)
    pasted = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pasted)
    for number, (_, each) in enumerate(suggestions):
        if number % TOGETHER == 0:
            getattr(pasted, f"layouts_from_{number}")()
        offset, elements = offset_of(each.suggestion)
        assert pasted.tables[number] == ([offset(i) for i in samples(elements)], elements), each.cute_dsl_code
    assert len(suggestions) > 300


def test_gluon_has_the_offsets(suggestions):
    gl = pytest.importorskip("triton.experimental.gluon.language")
    from triton._C.libtriton import gluon_ir, ir
    if not hasattr(gluon_ir, "get_layout_view"):
        pytest.skip("this Triton cannot tell the bases of a layout in shared memory")
    context = ir.context()
    ir.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    kinds = {}
    for size, each in suggestions:
        shape = shape_of(each.suggestion)
        scope = {"gl": gl}
        assert each.gluon_code, each.suggestion
        exec(each.gluon_code, scope)
        layout = scope["layout"]
        kinds[type(layout).__name__] = kinds.get(type(layout).__name__, 0) + 1
        paddings = getattr(layout, "interval_padding_pairs", [])
        bases = (layout if paddings else builder.to_linear_layout(layout._to_ir(builder), shape)).offset_bases
        offset, elements = offset_of(each.suggestion)
        assert 1 << len(bases) == elements == math.prod(shape)
        for place in samples(elements):  # in shared memory, without padding
            coordinates = [0] * len(shape)
            for bit, basis in enumerate(bases):
                if place >> bit & 1:
                    coordinates = [a ^ b for a, b in zip(coordinates, basis)]
            index = sum(coordinate * math.prod(shape[:axis]) for axis, coordinate in enumerate(coordinates))
            assert offset(index) == place + sum(place // interval * padding for interval, padding in paddings), each.gluon_code
    assert all(kinds[f"{kind}SharedLayout"] > 2 for kind in ("Swizzled", "NVMMA", "Padded")) and kinds["SharedLinearLayout"] > 2
    assert len(suggestions) > 300


def shape_of(layout):
    """The extents of the outer modes."""
    text = layout.split(" o ")[-1].split(":")[0]
    return [math.prod(numbers(each)) for each in re.findall(r"\([\d,]+\)|\d+", text[1:-1])]
