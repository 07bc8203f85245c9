"""The sources of the site, without building it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "site"))
import blocks  # noqa: E402
import cpp_api  # noqa: E402
import documents  # noqa: E402
import ladder  # noqa: E402
import sources  # noqa: E402
import themes  # noqa: E402


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


def test_every_rung_has_its_plain_kernel_beside_it():
    """Those of TMA have none, as their chapter says."""
    sections = ladder.sections()
    assert "no plain kernel" in sections["tma-in-half-a-page"]
    for name, text in [(name, text) for name, text in sections.items() if text.startswith("## `")]:
        function = "registers" if name == "register" else name.replace("-", "_")  # `register` is a keyword
        plain = [] if "tma" in name else [sources.definition("docs/ladder.cuh", function)]
        assert re.findall(r"```cuda\n(.*?)\n```", text, re.DOTALL) == plain, name


def test_links_with_code_and_files_named_in_code_lead_to_pages():
    links = documents.Links(ladder.PAGE_OF, {})
    text = "See [`naive-read`](#naive-read), `src/tile/maps.hpp`, `[a](b)`, `src/tile` and\n```\n`src/tile/cut.hpp`\n```\n"
    assert links.rewritten(text, "docs/ladder.md", "ladder/layouts") == (
        "See [`naive-read`](naive.md#naive-read), [`src/tile/maps.hpp`](../files/src/tile/maps.hpp), `[a](b)`, `src/tile` and\n"
        "```\n`src/tile/cut.hpp`\n```\n")
    assert links.files == {"src/tile/maps.hpp"}


def test_a_document_called_by_its_file_gets_its_title():
    links = documents.Links(ladder.PAGE_OF, {})
    assert links.rewritten("[CHANGELOG.md](CHANGELOG.md), [why](docs/adopt.md)", "README.md", "index") == (
        "[](changelog.md), [why](adopt.md)")


def test_the_page_for_own_accesses_is_linked_although_sphinx_does_not_make_it():
    links = documents.Links(ladder.PAGE_OF, {})
    assert links.rewritten("[Type](../site/engine/try.html)", "docs/explain.md", "explain") == '<a href="explain/try.html">Type</a>'
    assert '<a href="../explain/try.html">' in links.rewritten(
        "[A page](../../site/engine/try.html)", "docs/start/gpu.md", "start/gpu")
    assert links.files == set()


def test_compressed_runs_are_text_on_the_site():
    links = documents.Links(ladder.PAGE_OF, {})
    assert links.place_of("bench/results/h200-ladder.json.gz", "") == "files/bench/results/h200-ladder.json"
    assert links.files == {"bench/results/h200-ladder.json.gz"}


def test_every_header_has_a_page():
    assert cpp_api.headers_without_page() == []


def test_every_section_of_the_ladder_is_in_a_chapter():
    anchors = ladder.anchors_of_chapters()
    assert all(anchors) and sum(anchors, []) == list(ladder.sections())


def test_a_picture_of_the_program_has_the_colours_of_the_page_s_theme():
    shown = themes.of((ROOT / "docs/explain-vec-swizzled.svg").read_text())
    fills = {name: dict(re.findall(r"\.([\w-]+)\{fill:(#\w+)\}", text)) for name, text in shown.items()}  # the last rule of each
    assert "@media" not in shown["light"] + shown["dark"]
    assert (fills["light"]["empty"], fills["dark"]["empty"]) == ("#ffffff", "#1a1c1e")
    assert fills["light"].keys() == fills["dark"].keys()


def test_a_chart_on_white_becomes_dark():
    shown = themes.of('<svg ><path style="fill: #ffffff; stroke: #a3aab2"/><path style="fill: #1a7f5a"/>'
                      '<path style="stroke: #000000"/></svg>')
    assert shown["dark"] == ('<svg fill="#e6edf3" ><path style="fill: #131416; stroke: #6e7681"/><path style="fill: #3fb68b"/>'
                             '<path style="stroke: #e6edf3"/></svg>')
    for picture in ROOT.glob("docs/*.svg"):
        if not picture.name.startswith(("hero-", "explain-", "tile-")):  # which have both themes themselves
            assert not re.search("#(?:000000|ffffff|1f2328)", themes.of(picture.read_text())["dark"]), picture.name


def test_the_home_page_has_the_readme_with_the_starts_after_its_first_sentence():
    links = documents.Links(ladder.PAGE_OF, {})
    filler = blocks.Blocks(None, links, None, None, None, None)
    home, readme = (ROOT / "site/pages/index.md").read_text(), (ROOT / "README.md").read_text()
    shown = filler.filled(home, "index")
    opening = readme.split("\n\n")[1]
    places = [shown.index(part) for part in (opening, ":link: start/python", "\n## Install", ":caption: Start")]
    assert places == sorted(places) and shown.count(opening) == 1
    starts = {path.stem for path in (ROOT / "docs/start").glob("*.md")}
    assert set(re.findall(r":link: start/([\w-]+)", home)) == starts == set(re.findall(r"^start/([\w-]+)$", home, re.MULTILINE))


def test_pictures_are_shown_for_both_themes():
    links = documents.Links(ladder.PAGE_OF, {})
    text = links.rewritten("![Bars](cpu.svg)\n\n![Page](explain-page.png)\n", "docs/cpu.md", "cpu")
    assert re.findall(r"\{figure\} (\S+)\n:figclass: wide only-(\w+)", text) == [
        ("files/docs/cpu-light.svg", "light"), ("files/docs/cpu-dark.svg", "dark"),
        ("files/docs/explain-page.png", "light"), ("files/docs/explain-page-dark.png", "dark")]
    assert links.drawings == {"docs/cpu.svg"}
