"""What the documents say of the tree, held against it."""

import importlib.metadata
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "scripts")]
import count_words  # noqa: E402
import run_files  # noqa: E402

DOCUMENTS = count_words.DOCUMENTS
C = ("stddef.h", "stdint.h")
FOLDERS = "bench|cli|cmake|docs|examples|include|python|scripts|site|src|tests"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_named_exists(document):
    text = document.read_text()
    prose = re.sub(r"`[^`]*`", "", text)
    links = [target for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose) if "://" not in target]
    paths = re.findall(rf"`((?:{FOLDERS})(?:/[\w.*-]+)*/?)`", text)
    missing = [link for link in links if not (document.parent / link).exists()]
    missing += [path for path in paths if not list(ROOT.glob(path))]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_section_named_exists(document):
    missing = []
    for file, section in re.findall(r"\]\(([^)#:]*)#([\w-]+)\)", document.read_text()):
        headings = re.findall(r"^#+ (.*)$", (document.parent / file if file else document).read_text(), re.MULTILINE)
        if section not in [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]:
            missing.append(f"{file}#{section}")
    assert not missing


# Headers of which others show more, and which programs do not include.
WITHOUT_EXAMPLE = {"cornerturn.hpp", "cxx20.hpp", "index_list.hpp", "processor.hpp", "text.hpp", "tune.hpp", "typed.hpp", "mdspan.hpp",
                   "distributed.hpp", "distributed_mpi.hpp", "distributed_nccl.hpp"}


@pytest.mark.parametrize("header", sorted(path.name for path in (ROOT / "include/cornerturn").glob("*.hpp")))
def test_a_header_shows_what_the_examples_run(header):
    if header in WITHOUT_EXAMPLE:
        return
    blocks = re.findall(r"^/// ```cpp\n(.*?)^/// ```$", (ROOT / "include/cornerturn" / header).read_text(), re.DOTALL | re.MULTILINE)
    run = [line.strip() for line in (ROOT / "examples/headers.cpp").read_text().splitlines()]
    assert blocks
    assert not [line for line in "".join(blocks).splitlines() if line.removeprefix("///").strip() not in run]


@pytest.mark.parametrize("document", ["docs/adopt.md", "docs/cpu.md", "docs/python.md"])
def test_the_size_from_which_a_call_has_several_threads(document):
    share = re.search(r"share = 1 << (\d+);", (ROOT / "src/machine/cpu_model.hpp").read_text())[1]
    assert f"{2 << int(share) >> 10} KiB" in (ROOT / document).read_text()


@pytest.mark.parametrize("document, language, examples", [("docs/cpp.md", "cpp", ["permute.cpp", "threads.cpp"]),
                                                          ("docs/start/cpp.md", "cpp", ["permute.cpp"]),
                                                          ("docs/start/cpp.md", "c", ["plan.c"]),
                                                          ("README.md", "python", ["numpy_arrays.py", "torch_tensors.py"]),
                                                          ("docs/start/python.md", "python", ["numpy_arrays.py", "torch_tensors.py"]),
                                                          ("docs/start/science.md", "python", ["science_arrays.py"]),
                                                          ("docs/tile.md", "cpp", ["tile/transpose.cu", "tile/bias_gelu.cu", "tile/softmax.cu", "tile/attention_values.cu", "tile/cute_transpose.cu"]),
                                                          ("docs/distributed.md", "cpp", ["mpi/corner_turn.cpp"]),
                                                          ("docs/distributed.md", "python", ["torch_ranks.py", "torch_gpus.py", "mpi/corner_turn.py"])])
def test_a_document_shows_what_the_examples_run(document, language, examples):
    """Each paragraph of its code stands in an example that is run."""
    flat = lambda code: "\n".join(line.strip() for line in textwrap.dedent(code).strip().splitlines())
    run = "\n".join(flat((ROOT / "examples" / example).read_text()) for example in examples)
    blocks = re.findall(rf"```{language}\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert blocks
    for paragraph in map(flat, "\n\n".join(blocks).split("\n\n")):
        parts = paragraph.splitlines() if "#include" in paragraph else [paragraph.removesuffix("\n}")]
        assert all(part in run for part in parts), paragraph


def compiled(source, *options):
    """What the compiler says of a program that includes the public headers alone."""
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-I", ROOT / "include", *options, source]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("document", ["docs/start/cpp.md", "docs/cpp.md"])
def test_a_document_s_first_code_in_cpp_is_a_program(document, tmp_path):
    """It compiles as it stands."""
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)[1]
    (tmp_path / "shown.cpp").write_text(shown)
    done = compiled(tmp_path / "shown.cpp")
    assert done.returncode == 0 and "int main() {" in shown, done.stderr


@pytest.mark.parametrize("example", sorted(ROOT.glob("examples/*.cpp")), ids=lambda path: path.name)
def test_an_example_has_no_warning(example):
    done = compiled(example, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fopenmp")
    assert done.returncode == 0, done.stderr


def test_older_cpp_is_refused_by_one_message():
    done = compiled(ROOT / "examples/permute.cpp", "-std=c++17")
    said = re.findall("error: (.*)", done.stderr)
    assert done.returncode == 1 and len(said) == 2, done.stderr
    assert said[0].startswith('#error "cornerturn') and said[1].startswith("cornerturn/needs_cxx20: No such file")


@pytest.mark.parametrize("document", [each for each in DOCUMENTS if each.parent.name == "docs"], ids=lambda path: path.name)
def test_a_document_begins_with_its_readers(document):
    assert re.match(r"# .*\n\nFor (those|a) ", document.read_text())


def test_the_readme_s_minutes_are_those_measured():
    """CONTRIBUTING.md has the measurements, to a tenth of a minute."""
    known = dict(re.findall(r"^\| `([^`]*)`[^|]*\| ([\d.]+) \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    told = re.findall(r"^(\S[^#\n]*?) +# (\d+) minutes", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert len(told) == 3
    for command, minutes in told:
        measured = known["make demo" if command == "make demo" else "make wheel" if command == "pip install ." else command]
        assert round(float(measured)) == int(minutes), command


def sentences(text):
    """The sentences of a document, without its code, tables and pictures; a span of code or the words of a link count as they read."""
    prose = re.sub(r"^```.*?^```|^<picture>.*?</picture>|^\|.*?$|^#.*?$", "\n", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"\]\([^)]*\)", "]", prose)
    return [sentence for paragraph in re.split(r"\n\n|^- ", prose, flags=re.MULTILINE)
            for sentence in re.split(r"(?<=[.!?])\s+", " ".join(paragraph.split())) if sentence]


def test_sentences_are_told_apart():
    text = "# A. B\n\nOne `a. b`\n[two](c.md).\n```\nno. no\n```\n| no. no |\n- Three 1.5 x. Four:\n  five\n- six\n"
    assert sentences(text) == ["One `a.", "b` [two].", "Three 1.5 x.", "Four: five", "six"]


def test_words_are_counted_without_code_and_tables():
    assert count_words.words_of("# One\n\nTwo's `no` [three](no.md) 4\n<!-- no -->\n```\nno\n```\n| no |\n- **five**, six-six") == 5


def test_the_documents_are_short():
    """A word that is added asks for one that goes."""
    assert sum(count_words.words_of(path.read_text()) for path in DOCUMENTS) <= 38_387


def test_the_readme_is_read_in_three_minutes():
    """A sentence, code, a picture, and the rest in short sentences. What is measured and lost is in docs/performance.md."""
    text = (ROOT / "README.md").read_text()
    lines = text.splitlines()
    assert len(lines) <= 90 and lines.index("```python") < 15
    assert [each for each in sentences(text) if len(each.split()) > 25] == []


def test_the_readme_leads_to_every_start_page():
    told = re.findall(r"^\| .*\]\((docs/start/[\w-]+\.md)\) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(told) == [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/start/*.md"))]


@pytest.mark.parametrize("package, name", [("numpy", "NumPy"), ("torch", "PyTorch"), ("jax", "JAX"), ("dask", "dask")])
def test_the_versions_that_are_tested_are_told(package, name):
    lists = "".join((ROOT / "scripts/requirements" / each).read_text() for each in ("python.txt", "frameworks.txt"))
    pinned = re.search(rf"^{package}(?:\[.*\])?==(\d+\.\d+)", lists, re.MULTILINE)[1]
    tested = re.search(r"^\| its packages \|[^|]*\|([^|]*)\|", (ROOT / "docs/packaging.md").read_text(), re.MULTILINE)[1]
    assert re.search(rf"{name} [\d., ]*\b{re.escape(pinned)}\b", tested), (name, pinned)


def test_the_ladder_s_numbers_are_those_of_the_committed_run():
    runs = run_files.committed("h200-ladder.json")
    [run] = [run for run in runs if (run["rows"], run["type"]) == (32768, "f32")]
    sections = re.split(r"^## (.*)$", (ROOT / "docs/ladder.md").read_text(), flags=re.MULTILINE)
    told = dict(zip(sections[1::2], sections[2::2]))
    for row in run["rungs"]:
        if row["name"] not in ("memcpy", "cublas-geam"):
            assert f"**{row['ratio']:.3f}" in told[f"`{row['name']}`"], row["name"]


def test_the_map_is_short():
    assert len((ROOT / "docs/design.md").read_text().splitlines()) < 150


@pytest.mark.parametrize("room, most", [("plan", 30), ("api", 36)])
def test_a_room_that_all_calls_pass_is_small(room, most):
    """What such a room holds for one caller belongs to that caller's room."""
    assert len(list((ROOT / "src" / room).iterdir())) <= most


def test_every_family_of_kernels_is_described():
    text = (ROOT / "docs/kernels.md").read_text()
    families = [path.name for path in (ROOT / "src/kernel").iterdir() if path.is_dir() and path.name != "rung"]
    assert not [name for name in families if f"`{name}` (`src/kernel/{name}/{name}.hpp`)" not in text]


def test_rooms_use_the_rooms_below_them():
    """docs/design.md lists the rooms from top to bottom."""
    rooms = re.findall(r"^src/([\w/]+)/ ", (ROOT / "docs/design.md").read_text(), re.MULTILINE)
    room_of = lambda path: next((room for room in rooms if path.startswith(room + "/")), None)
    wrong = []
    for source in [path for path in (ROOT / "src").rglob("*") if path.suffix in (".hpp", ".cpp", ".cuh", ".cu")]:
        name = source.relative_to(ROOT / "src").as_posix()
        assert room_of(name), f"docs/design.md does not list the room of src/{name}"
        for used in re.findall(r'#include "([\w./]+)"', source.read_text()):
            if used.startswith("cornerturn/"):
                continue
            if not room_of(used) or rooms.index(room_of(used)) < rooms.index(room_of(name)):
                wrong.append(f"src/{name} includes {used}")
    assert not wrong


def test_planning_compiles_without_cute():
    """CuTe's headers take seconds to compile, and what plans has no layouts."""
    def reached(source, seen):
        for used in re.findall(r"^#include [<\"]([\w./-]+)[>\"]", source.read_text(), re.MULTILINE):
            own = ROOT / "src" / used
            if used not in seen:
                seen.add(used)
                if own.exists():
                    reached(own, seen)
        return seen

    for room in ("problem", "plan", "file", "api", "kernel", "kernel/*"):
        for source in (ROOT / "src").glob(f"{room}/*.cpp"):
            if source.name in ("host.cpp", "launch.cpp"):  # these run kernels
                continue
            assert not [used for used in reached(source, set()) if used.startswith(("cute/", "cutlass/"))], source.name


def test_front_ends_see_only_the_public_headers():
    for source in [*ROOT.glob("cli/*.[ch]pp"), *ROOT.glob("examples/*.cpp"), *ROOT.glob("interfaces/*/*.cpp"),
                   *ROOT.glob("python/*/*.[ch]pp")]:
        for used in re.findall(r'#include "([\w./]+)"', source.read_text()):
            own = any(path.exists() for path in [source.parent / used, source.parents[1] / used, source.parent / f"page/{used}.in"])
            assert used.startswith("cornerturn/") or own, f"{source.name} includes {used}"


def test_public_headers_include_no_others():
    for header in ROOT.glob("include/cornerturn/*.h*"):
        for used in re.findall(r"#include [<\"]([\w./]+)[>\"]", header.read_text()):
            own_mpi = header.name == "distributed_mpi.hpp" and used in ("dlfcn.h", "mpi.h")
            assert used.startswith("cornerturn/") or used in C or re.fullmatch(r"\w+", used) or own_mpi, f"{header.name} includes {used}"


@pytest.mark.parametrize("name, distribution", [("cutlass", "nvidia-cutlass"), ("nanobind", "nanobind")])
def test_licences_are_those_of_the_versions_that_are_used(name, distribution):
    licence = next(path for path in importlib.metadata.files(distribution) if ".dist-info/licenses/" in str(path))
    assert (ROOT / "LICENSES" / f"{name}.txt").read_text() == licence.read_text()
