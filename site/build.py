#!/usr/bin/env python3
"""Builds the site: collects its pages from the documents, headers, docstrings, runs and the program, and runs Sphinx.

scripts/site runs it in an environment that has Sphinx. Pages go to build/site/source and the site to docs/site.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import blocks
import charts
import cpp_api
import documents
import ladder
import pictures
import python_api
import run_files
import themes
import trial

ROOT = documents.ROOT
WORK, SITE = ROOT / "build/site", ROOT / "docs/site"


class Source:
    """The folder of pages. A file is written only if it changed, so that Sphinx reads only changed pages; others are removed."""

    def __init__(self, folder):
        self.folder, self.written = folder, set()

    def put(self, name, content):
        path = self.folder / name
        self.written.add(path)
        content = content.encode() if isinstance(content, str) else content
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def remove_others(self):
        for path in [each for each in self.folder.rglob("*") if each.is_file() and each not in self.written]:
            path.unlink()


def collect(build, source, extra, drawn):
    """Writes all pages and files to `source`, and those that need no page of the site to `extra`."""
    program = build / "bin/cornerturn"
    for folder in (extra / "explain", drawn):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    rungs = pictures.explain(program, extra / "explain")
    page, installed = trial.page(build, WORK / "engine"), build / "share/cornerturn/try.html"  # the latter is of explain --live
    installed.parent.mkdir(parents=True, exist_ok=True)
    for path in (extra / "explain/try.html", installed):
        path.write_text(page)
    links = documents.Links(ladder.PAGE_OF, cpp_api.PLACE)
    filler = blocks.Blocks(source, links, program, rungs, drawn, extra / "explain")
    for drawing in drawn.iterdir():
        source.put(f"drawn/{drawing.name}", drawing.read_bytes())
    for document, page in documents.PLACES.items():
        if document not in ("README.md", ladder.DOCUMENT):  # the home page has the parts of README.md
            source.put(f"{page}.md", filler.filled(links.rewritten((ROOT / document).read_text(), document, page), page))
    for page, text in {**ladder.chapters(links, rungs), **cpp_api.pages()}.items():
        source.put(f"{page}.md", filler.filled(text, page))
    for page, text in python_api.pages(build / "python").items():
        source.put(f"{page}.rst", text)
    for drawing in links.drawings:
        for theme, text in themes.of((ROOT / drawing).read_text()).items():
            source.put(f"files/{drawing.removesuffix('.svg')}-{theme}.svg", text)
    for file in links.files:
        source.put(f"files/{file.removesuffix('.gz')}", run_files.content(ROOT / file))
    source.remove_others()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="a folder with the built program and Python package, such as build/cpu")
    options = parser.parse_args()
    shutil.rmtree(SITE, ignore_errors=True)  # Sphinx keeps the files of pages that are no more
    source, extra, drawn = Source(WORK / "source"), WORK / "extra", WORK / "drawn"
    collect(options.build.resolve(), source, extra, drawn)
    environment = {**os.environ, "CORNERTURN_SITE_XML": str(cpp_api.write_xml(WORK / "doxygen")), "CORNERTURN_SITE_EXTRA": str(extra)}
    # -W: a link to a page or anchor that does not exist is an error
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", ROOT / "site",
                           "-d", WORK / "doctrees", source.folder, SITE], env=environment)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
