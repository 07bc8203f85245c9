"""The blocks in pages that the site fills: documents, layouts, formats, charts and pages of explain."""

import re

import charts
import documents
import formats
import pictures
import themes

ROOT = documents.ROOT
BLOCK = re.compile(r"^```\{(opening|rest|layout|formats|chart|explain)\} *([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Blocks:
    """Fills the blocks of pages that name a document, a layout, a chart, or rungs."""

    def __init__(self, source, links, program, rungs, drawn, extra):
        self.source, self.links, self.program, self.rungs, self.drawn, self.extra = source, links, program, rungs, drawn, extra

    def filled(self, text, page):
        return BLOCK.sub(lambda block: getattr(self, block[1])(block[2].split(), block[3].strip(), page), text)

    def opening(self, words, _, page):
        """The first paragraph of a document, after its title."""
        return self.links.rewritten((ROOT / words[0]).read_text().split("\n\n")[1], words[0], page)

    def rest(self, words, _, page):
        """A document without its title, its first paragraph and the sections that are named by their anchors."""
        document, *without = words
        parts = documents.sections((ROOT / document).read_text())
        text = "".join(part for anchor, part in parts.items() if anchor not in without)
        return self.links.rewritten(text.split("\n\n", 2)[2], document, page)

    def up(self, page):
        return "../" * page.count("/")

    def layout(self, words, arguments, page):
        name = words[0]
        line = re.sub(r"\\\n *", "", arguments)
        report = pictures.layout(self.program, name, line.removeprefix("cornerturn layout "), self.extra)
        picture = self.extra / f"{name}.svg"
        for theme, text in themes.of(picture.read_text()).items():
            self.source.put(f"drawn/{name}-{theme}.svg", text)
        picture.unlink()
        up = self.up(page)
        shown = documents.figures("The tile and its banks", *(f"{up}drawn/{name}-{theme}.svg" for theme in ("light", "dark")))
        return (f"```\n{arguments}\n```\n\n```text\n{report}\n```\n\n{shown}\n\n"
                f"<a class=\"open\" href=\"{up}explain/{name}.html\">Open it lane by lane</a>\n")

    def formats(self, words, _, page):
        """All layouts with names, each with its pattern and a picture."""
        parts = []
        for name, (pattern, description) in formats.listed(self.program).items():
            caption = formats.draw(self.program, name, self.drawn)
            for theme in ("light", "dark"):
                self.source.put(f"drawn/format-{name}-{theme}.svg", (self.drawn / f"format-{name}-{theme}.svg").read_bytes())
            up = self.up(page)
            shown = documents.figures(caption, *(f"{up}drawn/format-{name}-{theme}.svg" for theme in ("light", "dark")))
            parts.append(f"## {name}\n\n`{pattern}`\n\n{description}\n\n{shown}\n\n{{.caption}}\n{caption}\n")
        return "\n".join(parts)

    def chart(self, words, _, page):
        stem, caption, files = charts.draw(words[0], words[1:], self.drawn)
        for theme in ("light", "dark"):
            self.source.put(f"drawn/{stem}-{theme}.svg", (self.drawn / f"{stem}-{theme}.svg").read_bytes())
        sources = ", ".join(f"[{name}]({self.up(page)}files/bench/results/{name})" for name in files)
        self.links.files.update(f"bench/results/{name}.gz" for name in files)
        images = "".join(f"```{{image}} {self.up(page)}drawn/{stem}-{theme}.svg\n:class: chart only-{theme}\n:alt: {caption}\n```\n"
                         for theme in ("light", "dark"))
        return f"{images}\n{{.caption}}\n{caption} From {sources}.\n"

    def explain(self, words, _, page):
        """The page of explain with one rung, or with two side by side, in place of the command that writes it."""
        address = f"{self.up(page)}explain/{pictures.LADDER}#{pictures.view_of([self.rungs[rung] for rung in words])}"
        return (f"<iframe class=\"explain\" title=\"Requests of {' and '.join(words)}, lane by lane\" loading=\"lazy\" "
                f"src=\"{address}\"></iframe>\n\n<a class=\"open\" href=\"{address}\">Open it on a page of its own</a>\n")
