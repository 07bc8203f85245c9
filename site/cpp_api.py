"""The reference of C++ and C from the public headers, which Doxygen reads and Breathe shows."""

import hashlib
import re
import subprocess

import documents

HEADERS = documents.ROOT / "include/cornerturn"
# the page, its title and its headers
PAGES = [
    ("permute", "Permute and copy", ["permute.hpp", "typed.hpp", "mdspan.hpp", "transpose.hpp", "index_list.hpp", "processor.hpp"]),
    ("rearrange", "Patterns and formats", ["rearrange.hpp", "formats.hpp"]),
    ("plan", "Plans and threads", ["plan.hpp", "tune.hpp", "cache.hpp", "threads.hpp", "worker_threads.hpp"]),
    ("inplace", "In place", ["inplace.hpp"]),
    ("elements", "Elements that change", ["element_type.hpp", "element_operation.hpp", "quantize.hpp"]),
    ("file", "Files", ["file.hpp"]),
    ("distributed", "Ranks", ["distributed.hpp", "distributed_mpi.hpp", "distributed_nccl.hpp"]),
    ("explain", "Explain and layouts", ["explain.hpp", "code.hpp", "trace.hpp", "layout.hpp", "page.hpp", "text.hpp"]),
    ("ladder", "The ladder", ["ladder.hpp"]),
    ("errors", "Errors, logs and information", ["error.hpp", "log.hpp", "info.hpp"]),
    ("c", "C", ["cornerturn.h"]),
]
SECTIONS = ("briefdescription detaileddescription innernamespace innerclass define enum typedef func var public-attrib "
            "public-func public-static-func public-type")  # Breathe's names of what it shows
# includes, a check of the compiler, a macro, rows; docs/tile.md describes the headers of CUDA
WITHOUT_PAGE = {"cornerturn.hpp", "cxx20.hpp", "export.h", "element_types.def", "tile.cuh", "rows.cuh", "exchange.cuh",
                "packed.cuh", "trace.cuh"}
PLACE = {f"include/cornerturn/{header}": f"api/cpp-{page}" for page, _, headers in PAGES for header in headers}
PLACE["include/cornerturn"] = "api/index"
# Doxygen expands the macros of rows, but not their inclusion.
ROWS = f"sed -E -e '/^#include .*element_types.def/{{r {HEADERS}/element_types.def' -e 'd}}'"
# comments of C begin with /* in the headers
C_COMMENTS = r"-e 's@^/\* @/** @; s@([;,}0-9a-zA-Z_]) +/\* @\1 /**< @; s@^  /\* @  /** @'"
SETTINGS = f"""
PROJECT_NAME = cornerturn
INPUT = {HEADERS}
FILE_PATTERNS = *.hpp *.h
STRIP_FROM_PATH = {HEADERS.parent}
STRIP_FROM_INC_PATH = {HEADERS.parent}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
JAVADOC_AUTOBRIEF = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
EXPAND_AS_DEFINED = CORNERTURN_ELEMENT_TYPE
PREDEFINED = CORNERTURN_API= __cplusplus=202002L
MAX_INITIALIZER_LINES = 1
SORT_MEMBER_DOCS = NO
EXTRACT_ALL = YES
TYPEDEF_HIDES_STRUCT = YES
EXCLUDE_SYMBOLS = cornerturn::detail std CORNERTURN_ELEMENT_TYPE
FILTER_PATTERNS = "*.hpp={ROWS}" "*.h={ROWS} {C_COMMENTS}"
QUIET = YES
WARNINGS = NO
"""


def headers_without_page():
    return sorted({path.name for path in HEADERS.iterdir()} - WITHOUT_PAGE - {name for _, _, names in PAGES for name in names})


def write_xml(folder):
    """Runs Doxygen unless the headers and settings are those of its last run. Returns the folder of its output."""
    if missing := headers_without_page():
        raise SystemExit(f"site: no page of site/cpp_api.py has {missing}")
    stamp = hashlib.sha256(SETTINGS.encode() + b"".join(path.read_bytes() for path in sorted(HEADERS.iterdir()))).hexdigest()
    if not (folder / "stamp").exists() or (folder / "stamp").read_text() != stamp:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["doxygen", "-"], input=f"{SETTINGS}OUTPUT_DIRECTORY = {folder}\n", text=True, check=True)
        (folder / "stamp").write_text(stamp)
    return folder / "xml"


def notes_of(text):
    """What a header says of itself before its first declaration, which Doxygen does not read."""
    if found := re.match(r"/\* (.*?) \*/", text, re.DOTALL):
        return re.sub(r"^ \* ?", "", found[1], flags=re.MULTILINE)
    return "\n".join(re.findall(r"^// (.*)$", text.partition("namespace")[0], re.MULTILINE))


def pages():
    """The pages by name."""
    made = {}
    for page, title, headers in PAGES:
        parts = []
        for header in headers:
            notes = notes_of((HEADERS / header).read_text())
            parts.append(f"## cornerturn/{header}\n\n{notes}\n\n```{{doxygenfile}} {header}\n:sections: {SECTIONS}\n```\n")
        made[f"api/cpp-{page}"] = f"# {'C++: ' if page != 'c' else ''}{title}\n\n" + "\n".join(parts)
    return made
