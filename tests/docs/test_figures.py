"""Figures in documents, held against the files in bench/results that they come from."""

import collections
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import arena_cases  # noqa: E402
import arena_report  # noqa: E402
import figure_sources  # noqa: E402
import plot_gpus  # noqa: E402
import plot_hero  # noqa: E402
import plot_ladder  # noqa: E402
import plot_model  # noqa: E402
import plot_tile  # noqa: E402
import provenance  # noqa: E402
import run_files  # noqa: E402
import tables  # noqa: E402

DOCUMENTS = tables.documents()


def numbers_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for each in value for number in numbers_in(each)]
    return [value] if isinstance(value, float) else []


def numbers_of(path):
    return numbers_in(run_files.read(path)) if path.suffix == ".gz" else list(map(float, figure_sources.RATIO.findall(path.read_text())))


def without_blocks(text):
    text = tables.BLOCK.sub("", text)
    return re.sub(rf"{plot_ladder.BEGIN}.*?{plot_ladder.END}|^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_tables_are_what_their_files_give(document):
    text = document.read_text()
    assert tables.rewritten(document, text) == text, "bench/tables.py writes them anew"
    assert text.count("<!-- table: ") == len(tables.BLOCK.findall(text)) == text.count("<!-- table:end -->")


def test_the_ladder_s_table_is_what_its_file_gives():
    runs = plot_ladder.load(run_files.RESULTS / "h200-ladder.json.gz")
    assert plot_ladder.block(runs, "bench/results/h200-ladder.json.gz", "ladder.svg") in (ROOT / "docs/ladder.md").read_text()


@pytest.mark.parametrize("narrow", ["", "narrow-"])
@pytest.mark.parametrize("theme", plot_hero.THEMES)
def test_the_chart_is_what_its_files_give(theme, narrow, tmp_path):
    plot_hero.draw(plot_hero.THEMES[theme], tmp_path / "chart.svg", bool(narrow))
    assert (tmp_path / "chart.svg").read_text() == (ROOT / f"docs/hero-{narrow}{theme}.svg").read_text()


def test_the_chart_of_peers_is_what_its_file_gives(tmp_path):
    plot_gpus.draw(run_files.committed(plot_gpus.RUN), tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text() == (ROOT / "docs/distributed.svg").read_text()


def test_the_chart_of_the_model_is_what_it_predicts(tmp_path):
    plot_model.draw(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text() == (ROOT / "docs/distributed-model.svg").read_text()


def test_the_picture_of_the_exchanges_is_what_its_script_draws(tmp_path):
    plot_tile.draw(tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_text() == (ROOT / "docs/tile-exchanges.svg").read_text()


def test_the_table_of_tiles_is_what_its_file_gives():
    """The header's kernels reach 0.95 of the library's speed in elements of each size, and of a copy with GELU."""
    cases = run_files.committed("h200-tile-header.json")["cases"]
    to_copy = {(case["kernel"], case["bytes"]): case["to_copy"] for case in cases}
    shown = re.findall(r"^\| (?:(\d) bytes?|bias \+ GELU .*), (?:tile of )?(\d+) x (\d+), (\d+) threads \| ([\d.]+) \| ([\d.]+) \|$",
                       (ROOT / "docs/tile.md").read_text(), re.MULTILINE)
    assert len(shown) == len(cases) == 5
    for size, rows, columns, threads, header, other in shown:
        speeds = to_copy["transpose" if size else "gelu", int(size or 4)]
        tile, peer = speeds[f"{rows}x{columns}, {threads}"], speeds["cornerturn" if size else "compile"]
        assert (header, other) == (f"{tile:.3f}", f"{peer:.3f}") and tile >= 0.95 * peer and (size or tile >= max(0.95, peer))


def test_the_tables_of_results_are_narrow():
    """In the document that readers open first; cells without the marks of links and code."""
    shown = lambda cell: len(re.sub(r"\[(.*?)\]\(.*?\)|`", r"\1", cell).strip())
    wide = []
    for directive, table in tables.BLOCK.findall((ROOT / "docs/performance.md").read_text()):
        rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ") and "--" not in line]
        width = sum(max(map(shown, column)) + 2 for column in zip(*rows))
        if width > 115:
            wide.append((directive, width))
    assert not wide


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_other_ratios_stand_in_a_file_that_the_document_names(document):
    rest = without_blocks(document.read_text())
    named = {ROOT / name for name in re.findall(r"bench/results/[\w.-]+\.(?:json\.gz|txt)", rest)}
    known = [number for path in named for number in numbers_of(path)]
    digits = lambda figure: len(figure.partition(".")[2])
    unknown = [figure for figure in figure_sources.RATIO.findall(rest)
               if not any(f"{number:.{digits(figure)}f}" == figure for number in known)]
    assert not unknown


@pytest.mark.parametrize("document", [each for each in DOCUMENTS if each.name != "README.md" and each.parent.name != "notebook"],
                         ids=lambda path: path.name)
def test_every_ratio_in_a_sentence_has_a_source(document):
    """A run has so many numbers that a wrong ratio may be among them."""
    known = [ratio for figure, _ in figure_sources.RATIOS.get(document.relative_to(ROOT).as_posix(), [])
             for ratio in figure_sources.RATIO.findall(figure)]
    assert collections.Counter(figure_sources.ratios_in(without_blocks(document.read_text()))) == collections.Counter(known)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_time_speed_and_share_has_a_source(document):
    name = document.relative_to(ROOT).as_posix()
    known = collections.Counter(figure for figure, _ in figure_sources.FIGURES.get(name, []))
    assert collections.Counter(figure_sources.figures_in(without_blocks(document.read_text()))) == known


@pytest.mark.parametrize("document, figure, source",
                         [(name, *each) for known in (figure_sources.FIGURES, figure_sources.RATIOS)
                          for name, some in known.items() for each in some],
                         ids=lambda part: part if isinstance(part, str) else "")
def test_a_time_speed_share_or_ratio_is_what_its_source_has(document, figure, source):
    numbers = source()
    assert figure_sources.rounds_to(figure, numbers), numbers


def test_figures_with_units_are_seen():
    seen = figure_sources.figures_in("1.2 s, 3-4 % of 93 and 89 %, `5 %` in\n6.0 GB/s and 7 to 8 us; 9 MiB, v1.0 s, 10 sectors")
    assert seen == ["1.2 s", "3-4 %", "93 and 89 %", "6.0 GB/s", "7 to 8 us"]
    assert figure_sources.rounds_to("3-4 %", [3.4, 3.6]) and not figure_sources.rounds_to("3-4 %", [3.4, 4.6])
    assert not figure_sources.rounds_to("3 %", [])
    assert figure_sources.ratios_in("0.25, `0.35` and 1.50.\n| 0.45 |\nNumPy 1.23.0") == ["0.25", "1.50"]


@pytest.mark.parametrize("document", ["README.md", "docs/performance.md"])
def test_what_the_figures_mean_is_told_in_words(document):
    told = " ".join((ROOT / document).read_text().split())
    large = [row for row in arena_report.merged_of(run_files.committed("h200-arena.json"))["rows"] if row["part"] == "main"]
    eager, slowest = ([arena_report.speed(row, peer) for row in large] for peer in ("eager", "max-autotune"))
    suite = [list(map(tables.cpu_speeds_of, tables.cpu_rows(run_files.committed(name)))) for name in ("cpu-ttc.json", "cpu-ttc-f64.json")]
    means = {peer: [arena_report.geometric_mean([each[peer] for each in some]) for some in suite] for peer in ("numpy", "hptt")}
    assert min(eager) > 1 and f"{arena_report.geometric_mean(eager):.1f} times as fast as eager PyTorch over {len(large)} large arrays, and slower on none" in told
    assert f"faster on {sum(speed < 1 for speed in slowest)} of the {len(large)} arrays" in told
    assert "{:.0f} to {:.0f} times as fast as NumPy".format(*sorted(means["numpy"])) in told
    assert {f"{mean:.1f} times as fast as HPTT over the {sum(map(len, suite))} permutations" for mean in means["hptt"]} == {
        found for found in re.findall(r"[\d.]+ times as fast as HPTT over the \d+ permutations", told)}


def test_what_many_cores_gain_is_told():
    run = run_files.committed("xeon-offset-16.json")
    gains = [tables.cpu_speeds_of(row)["torch"] for row in tables.cpu_rows(run)]
    told = f"With [{run['threads']} threads](docs/cpu-measured.md#many-cores) it is {arena_report.geometric_mean(gains):.0f} times as fast as PyTorch"
    assert min(gains) > 1 and f"{told} over {len(gains)} arrays, and slower on none" in (ROOT / "README.md").read_text()


def test_how_few_random_problems_are_compiled_is_told():
    rows = arena_report.merged_of(run_files.committed("h200-arena.json"))["rows"]
    some = [row for row in rows if row["part"] == "random"]
    met = [row for row in some if "compile" in row["ratios"]]
    assert met == [row for row in some if "max-autotune" in row["ratios"]]
    arena, short = (" ".join((ROOT / name).read_text().split()) for name in ("docs/arena.md", "docs/performance.md"))
    alone = [row for row in some if set(row["ratios"]) - set(arena_report.OURS) == {"eager"}]
    rest, size = len(some) - len(met), arena_cases.SIZES
    assert f"only {len(met)} of the {len(some)} arrays of random shapes have it beside them. Of the other {rest}, {rest - len(alone)} have" in short
    assert f"and {len(alone)} of 1-byte elements eager PyTorch alone." in short and {size[row["type"]] for row in alone} == {1}
    assert f"run only {len(met)} of the {len(some)} arrays of random shapes" in arena and f"about the other {len(some) - len(met)}." in arena
    assert f"for {len(some)} arrays of random shapes, of which `torch.compile` runs {len(met)}." in short
    assert all(arena_report.speed(row, "compile") < 1 for row in rows if row["part"] == "small")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_table_of_fewer_than_three_gpus_says_so(document):
    """A run of one card or day is named as single, with its file where several are. Runs of two cards or days are named as such;
    the README leaves that to docs/performance.md."""
    text = " ".join(document.read_text().split())
    files = {name for found in tables.BLOCK.findall(document.read_text()) for name in found[0].split() if name.startswith("h200")}
    files |= {"h200-ladder.json"} if plot_ladder.BEGIN in text else set()
    runs = {name: run_files.committed(name) for name in files}
    cards = {name: min(each.get("cards", 1) for each in run) if isinstance(run, list) else len(provenance.places(run.get("runs", [{}])))
             for name, run in runs.items()}
    single = [name for name, count in cards.items() if count == 1]
    assert arena_report.RUNS == 3 and (not single or "single run" in text)
    assert 2 not in cards.values() or "on two cards" in text or document.name == "README.md"
    if document.name in ("performance.md", "gpu.md"):
        told = [part for part in document.read_text().split("\n\n") if "single run" in part]
        assert all(any(name in part for part in told) for name in single)


def test_the_differences_between_explained_and_counted_are_those_of_the_test():
    rows = re.findall(r"^\|[^|]*\|[^|]*\| ([\d ]+) \| ([\d ]+) \|", (ROOT / "docs/notebook/explain.md").read_text(), re.MULTILINE)
    number = lambda text: int(text.replace(" ", ""))
    shown = sorted(number(count) - number(explained) for explained, count in rows)
    known = figure_sources.counted.DIFFERENCES.values()
    assert shown == sorted(difference for each in known for difference in each.values())


CPU_SUITES = {"f32": "cpu-ttc.json", "f64": "cpu-ttc-f64.json", "images": "cpu-arena.json"}


@pytest.mark.parametrize("document", ["docs/performance.md", "docs/cpu-measured.md"])
@pytest.mark.parametrize("suite", CPU_SUITES)
def test_the_losses_to_hptt_are_told_as_the_table_has_them(document, suite):
    run = run_files.committed(CPU_SUITES[suite])
    speeds = [each["hptt"] for each in map(tables.cpu_speeds_of, tables.cpu_rows(run)) if "hptt" in each]
    lost = sum(speed < 1 for speed in speeds)
    wanted = rf"HPTT is faster [^.]*on {lost} of {len(speeds)} " if lost else rf"HPTT is faster on none of the {len(speeds)} "
    assert re.search(wanted, " ".join(without_blocks((ROOT / document).read_text()).split())), wanted


def test_a_changed_figure_is_noticed(tmp_path):
    document = ROOT / "docs/performance.md"
    text = document.read_text()
    changed = re.sub(r"\| 0\.(\d)", lambda found: f"| 0.{9 - int(found[1])}", text, count=1)
    assert changed != text and tables.rewritten(document, changed) != changed


def test_every_run_is_told_of():
    texts = [path.read_text() for path in [*DOCUMENTS, *(ROOT / "tests").rglob("*.*py"), *(ROOT / "tests").rglob("CMakeLists.txt")]]
    names = [path.name.removesuffix(".gz") for path in run_files.RESULTS.iterdir()]
    assert not [name for name in names if not any(name in text for text in texts)]
