"""The chapters of docs/ladder.md: one page for a few of its sections, each rung with its requests lane by lane."""

import documents

DOCUMENT = "docs/ladder.md"
# The page of a chapter, its title, what it is about, and its sections by anchor. The first page has the beginning of the document.
CHAPTERS = [
    ("index", "The ladder", "", ["", "how-far-from-a-copy"]),
    ("layouts", "Layouts and counters", "Two tools for all chapters: layouts that say which thread moves which element, and counters "
     "that say what the moves cost.", ["the-transpose-as-a-composition-of-layouts", "how-to-read-the-counters"]),
    ("ceiling", "The ceiling: a copy", "A transpose cannot be faster than a copy of the same bytes. So a copy comes first.",
     ["copy", "copy-tma"]),
    ("naive", "One element per thread", "One side of a naive transpose coalesces, and the other side scatters.",
     ["naive-read", "naive-write"]),
    ("shared-memory", "Shared memory and its banks", "A tile in shared memory lets both sides coalesce. Now its banks conflict, until "
     "padding or a swizzle spreads them.", ["smem-conflict-read", "smem-conflict-write", "smem-padded", "smem-swizzled"]),
    ("vectors", "Vectors", "16-byte accesses take fewer instructions. They need a swizzle that keeps vectors whole.",
     ["vec-conflict-read", "vec-padded", "vec-swizzled", "vec-both"]),
    ("tma", "TMA", "One thread asks the hardware for whole boxes, whose swizzle is TMA's own.", ["tma-store", "tma-conflict", "tma"]),
    ("registers", "Registers only", "Without shared memory, registers or shuffles transpose, and whole sectors still move.",
     ["register", "register-shuffle"]),
    ("questions", "Questions that remain", "What the rungs together prove, what a check costs, and what limits TMA.",
     ["two-questions-that-tutorials-leave-open", "the-cost-of-boundary-checks", "what-limits-tma"]),
    ("in-place", "In place", "A transpose within one array has a ladder of its own, whose steps are not rungs.", ["in-place-another-ladder"]),
]
PAGE_OF = {section: f"ladder/{page}" for page, _, _, parts in CHAPTERS for section in parts if section}


def sections():
    """The sections of the document by anchor."""
    return documents.sections((documents.ROOT / DOCUMENT).read_text())


def sections_that_differ():
    """The sections that only the document or only the chapters have."""
    return sorted(sections().keys() ^ {section for _, _, _, names in CHAPTERS for section in names})


def chapters(links, rungs):
    """The pages of the chapters by name. `rungs` are the names of the rungs, whose sections get their chart and requests."""
    parts = sections()
    if differing := sections_that_differ():
        raise SystemExit(f"site: the chapters of site/ladder.py and the sections of {DOCUMENT} differ in {differing}")
    made = {}
    for number, (page, title, about, names) in enumerate(CHAPTERS):
        body = links.rewritten("".join(parts[name] for name in names if name), DOCUMENT, f"ladder/{page}")
        if number == 0:
            head = links.rewritten(parts[""], DOCUMENT, "ladder/index")
            made["ladder/index"] = f"{head}\n{contents()}\n{body}"
            continue
        shown = [name for name in names if name in rungs]
        chart = f"```{{chart}} ladder {' '.join(shown)}\n```\n\n" if shown else ""
        made[f"ladder/{page}"] = f"# {number}. {title}\n\n{about}\n\n{chart}{body}\n{requests(shown)}"
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


def requests(rungs):
    """The page of explain, which compares the first and the last rung of a chapter."""
    if not rungs:
        return ""
    return f"""## See it lane by lane

Choose an instruction, click a lane, and step through the wavefronts or sectors. Every rung of the ladder is in the list.

```{{explain}} {rungs[0]} {rungs[-1]}
```
"""
