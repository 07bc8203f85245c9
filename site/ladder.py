"""The chapters of docs/ladder.md: one page for a few of its sections, each rung with its requests lane by lane."""

import re

import documents
import questions
import sources

DOCUMENT = "docs/ladder.md"
# The page of a chapter, its title, what it is about, and the anchor of its first section. It has the sections up to the next
# chapter's first one. The first page has the beginning of the document.
CHAPTERS = [
    ("index", "The ladder", "", ""),
    ("layouts", "Layouts and counters", "Two tools for all chapters: layouts that say which thread moves which element, and counters "
     "that say what the moves cost.", "a-layout-and-what-an-access-costs"),
    ("ceiling", "The ceiling: a copy", "A transpose cannot be faster than a copy of the same bytes. So a copy comes first.", "copy"),
    ("naive", "One element per thread", "One side of a naive transpose coalesces, and the other side scatters.", "naive-read"),
    ("shared-memory", "Shared memory and its banks", "A tile in shared memory lets both sides coalesce. Now its banks conflict, until "
     "padding or a swizzle spreads them.", "smem-conflict-read"),
    ("vectors", "Vectors", "16-byte accesses take fewer instructions. They need a swizzle that keeps vectors whole.",
     "vec-conflict-read"),
    ("tma", "TMA", "One thread asks the hardware for whole boxes, whose swizzle is TMA's own.", "tma-in-half-a-page"),
    ("registers", "Registers only", "Without shared memory, registers or shuffles transpose, and whole sectors still move.", "register"),
    ("questions", "Questions that remain", "What the rungs together prove, what a check costs, and what limits TMA.",
     "two-questions-that-tutorials-leave-open"),
    ("in-place", "In place", "A transpose within one array has a ladder of its own, whose steps are not rungs.",
     "in-place-another-ladder"),
    ("results", "All measurements", "Every rung on nine matrices, and what the counters say about them.", "how-far-from-a-copy"),
]
# The sentence of a section that names what its rung runs, which is shown below the sentence.
CODE = re.compile(r"^Its \w+ is (.*) in \[[^\]]*\]\(\.\./([^)]*)\)\.$", re.MULTILINE)


def sections():
    """The sections of the document by anchor."""
    return documents.sections((documents.ROOT / DOCUMENT).read_text())


def anchors_of_chapters():
    """The anchors of each chapter's sections. Refuses chapters in another order than the document's."""
    anchors = list(sections())
    firsts = [anchors.index(first) if first in anchors else -1 for *_, first in CHAPTERS]
    if firsts[0] != 0 or firsts != sorted(set(firsts)):
        raise SystemExit(f"site: the chapters of site/ladder.py do not begin with sections of {DOCUMENT} in their order")
    return [anchors[begin:end] for begin, end in zip(firsts, firsts[1:] + [None])]


PAGE_OF = {anchor: f"ladder/{page}" for (page, *_), anchors in zip(CHAPTERS, anchors_of_chapters()) for anchor in anchors if anchor}


def with_code(section):
    """A section with the code that it names."""
    def shown(found):
        parts = [sources.definition(found[2], name) for name in re.findall(r"`(\w+)`", found[1])]
        return "\n\n".join([found[0], *(f"```cpp\n{part}\n```" for part in parts)])
    return CODE.sub(shown, section)


def chapters(links, rungs):
    """The pages of the chapters by name. `rungs` are the explanations of the rungs by name, whose sections get a chart and requests."""
    parts = sections()
    made = {}
    for number, ((page, title, about, _), names) in enumerate(zip(CHAPTERS, anchors_of_chapters())):
        body = links.rewritten("".join(with_code(parts[name]) for name in names), DOCUMENT, f"ladder/{page}")
        if number == 0:
            made["ladder/index"] = f"{body}\n```{{chart}} ladder\n```\n\n{contents()}"
            continue
        shown = [name for name in names if name in rungs]
        chart = f"```{{chart}} ladder {' '.join(shown)}\n```\n\n" if shown else ""
        made[f"ladder/{page}"] = f"# {number}. {title}\n\n{about}\n\n{chart}{body}\n{requests({name: rungs[name] for name in shown})}\n"
        made[f"ladder/{page}"] += questions.section(page)
    return made


def contents():
    listed = "\n".join(f"{number}. [{title}]({page}.md): {about}" for number, (page, title, about, _) in enumerate(CHAPTERS) if number)
    hidden = "\n".join(page for page, *_ in CHAPTERS[1:])
    return f"""## Chapters

{listed}

```{{toctree}}
:hidden:

{hidden}
```
"""


def wasted(explanation):
    """The wavefronts and sectors beyond the ideal."""
    return sum(each[unit] - each[f"ideal_{unit}"] for each in explanation["instructions"] for unit in ("wavefronts", "sectors"))


def requests(rungs):
    """The page of explain, which compares the most wasteful rung of a chapter with its last one."""
    if not rungs:
        return ""
    *others, last = rungs
    first = max(others, key=lambda name: wasted(rungs[name]))
    return f"""## See it lane by lane

Choose an instruction, click a lane, and step through the wavefronts or sectors. Every rung of the ladder is in the list.

```{{explain}} {first} {last}
```
"""
