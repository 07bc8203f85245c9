"""The sources of the site, without building it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "site"))
import cpp_api  # noqa: E402
import documents  # noqa: E402
import ladder  # noqa: E402


def test_every_kernel_s_code_is_shown():
    """The sections of the rungs name their code, or another rung that has it."""
    sections = {name: text for name, text in ladder.sections().items() if text.startswith("## `")}
    shown = {name: re.findall(r"```cpp\n(.*?)\n```", ladder.with_code(text), re.DOTALL) for name, text in sections.items()}
    assert [name for name, text in sections.items() if not shown[name] and "It runs the code of [" not in text] == []
    assert shown["naive-read"][0].startswith("template <int M, int N>\nusing reads_coalesce = ")
    assert shown["smem-padded"][0].splitlines()[2] == "struct padded {"
    for blocks in shown.values():
        for block in blocks:
            assert block.count("{") == block.count("}") and not block.startswith(" ") and block.endswith(("}", "};", ";"))
    assert "block.template global_load<1>(" in shown["naive-read"][1] and "block.tma_load(" in shown["tma-conflict"][0]


def test_links_with_code_and_files_named_in_code_lead_to_pages():
    links = documents.Links(ladder.PAGE_OF, {})
    text = "See [`naive-read`](#naive-read), `src/tile/maps.hpp`, `[a](b)`, `src/tile` and\n```\n`src/tile/cut.hpp`\n```\n"
    assert links.rewritten(text, "docs/ladder.md", "ladder/layouts") == (
        "See [`naive-read`](naive.md#naive-read), [`src/tile/maps.hpp`](../files/src/tile/maps.hpp), `[a](b)`, `src/tile` and\n"
        "```\n`src/tile/cut.hpp`\n```\n")
    assert links.files == {"src/tile/maps.hpp"}


def test_compressed_runs_are_text_on_the_site():
    links = documents.Links(ladder.PAGE_OF, {})
    assert links.place_of("bench/results/h200-ladder.json.gz", "") == "files/bench/results/h200-ladder.json"
    assert links.files == {"bench/results/h200-ladder.json.gz"}


def test_every_header_has_a_page():
    assert cpp_api.headers_without_page() == []


def test_every_section_of_the_ladder_is_in_a_chapter():
    anchors = ladder.anchors_of_chapters()
    assert all(anchors) and sum(anchors, []) == list(ladder.sections())
