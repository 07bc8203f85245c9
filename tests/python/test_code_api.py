"""`cornerturn.explain_code`, against the program's counts. CORNERTURN names the program."""

import json
import os
import subprocess

import cornerturn
import pytest

COLUMN = "dim3 block(32, 8); __shared__ float t[32][32]; float* out; out[threadIdx.x] = t[threadIdx.x][threadIdx.y];"


def test_counts_are_those_of_the_program(tmp_path):
    subprocess.run([os.environ["CORNERTURN"], "explain", "--suggest", "--code", COLUMN, "--json", tmp_path / "counts.json"], check=True,
                   capture_output=True)
    told = json.loads((tmp_path / "counts.json").read_text())
    explained = cornerturn.explain_code(COLUMN, suggest=True)
    counts = told["explanations"][0]
    names = ("file", "line", "source", "space", "store", "bytes", "requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
    assert [[getattr(each, name) for name in names] for each in explained.instructions] == [
        [each[name] for name in names] for each in counts["instructions"]]
    assert [[each.kind, each.instruction, each.text] for each in explained.findings] == [
        [each[name] for name in ("kind", "instruction", "text")] for each in counts["findings"]]
    assert (explained.block, explained.threads, explained.idea, explained.code) == ("32 x 8", 256, counts["idea"], COLUMN)
    [found], [suggestion] = explained.suggestions, told["suggestions"]
    for name in ("array", "layout", "code", "cuda_code", "given_wavefronts", "wavefronts", "ideal_wavefronts", "given_elements", "elements",
                 "tma_swizzle", "cute_dsl_code", "gluon_code"):
        assert getattr(found, name) == suggestion[name]
    assert found.padded_code == suggestion.get("padding", {}).get("cuda_code") and found.tma_code == suggestion.get("tma", {}).get("cuda_code")


def test_objects_are_those_of_explain():
    explained, rung = cornerturn.explain_code(COLUMN), cornerturn.explain("smem-conflict-read", rows=64, cols=64)
    for name in ("instructions", "findings", "tiles"):
        assert type(getattr(explained, name)[0]) is type(getattr(rung, name)[0])
    assert explained.suggestions == [] and explained.findings[0].kind == "stride-32"
    assert repr(explained) == f"CodeExplanation({explained.idea}; suggestions=[])"


def test_a_suggestion_is_shown_and_drawn(tmp_path):
    explained = cornerturn.explain_code("__shared__ float t[32][32]; t[threadIdx.x][0] = 1; *(float4*)&t[threadIdx.x % 32][0];", suggest=True)
    [found] = explained.suggestions
    assert repr(found) == f"CodeSuggestion(t: {found.layout}, wavefronts={found.wavefronts} instead of {found.given_wavefronts})"
    assert repr(explained).endswith(f"suggestions=[t: {found.layout}])") and found.wavefronts < found.given_wavefronts
    assert explained.picture() != cornerturn.explain_code(explained.code).picture()
    explained.html(tmp_path / "page.html")
    assert '"rung":"suggested"' in (tmp_path / "page.html").read_text()
    with pytest.raises(ValueError, match="^path is .*; it must be a file that can be written$"):
        explained.html(tmp_path / "none" / "page.html")


def test_wrong_code_names_the_character():
    with pytest.raises(cornerturn.ArgumentError, match=r"^code 't\[i\]' is wrong at line 2, character 1, 't': "):
        cornerturn.explain_code("int i = 0;\nt[i]")
    for code, kind in (("", ValueError), (None, TypeError), (b"t[0]", TypeError)):
        with pytest.raises(kind, match="^code "):
            cornerturn.explain_code(code)
    with pytest.raises(TypeError, match="^suggest is 'no'"):
        cornerturn.explain_code(COLUMN, suggest="no")
