"""The pages of the site from the documents of the tree: where each document goes, and links between them."""

import pathlib
import posixpath
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "site/pages"

# A page of the site for each document, without suffix. Documents of docs keep their names, and so do those of site/pages.
PLACES = {
    "README.md": "index", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog", "SECURITY.md": "security",
    "docs/ladder.md": "ladder/index",
    **{path.relative_to(ROOT).as_posix(): path.relative_to(ROOT / "docs").with_suffix("").as_posix()
       for folder in ("docs", "docs/notebook", "docs/start") for path in (ROOT / folder).glob("*.md") if path.name != "ladder.md"},
    **{path.relative_to(ROOT).as_posix(): path.relative_to(PAGES).with_suffix("").as_posix() for path in PAGES.rglob("*.md")},
}
TRIAL = "site/engine/try.html"  # the page that explains one's own accesses, which build.py makes
CODE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
# A link, whose words may have code, or code.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)|`([^`]*)`")
FILE = re.compile(r"(?:bench|cli|cmake|examples|include|interfaces|python|scripts|site|src|tests)/[\w./-]+\.\w+")
PICTURE = re.compile(r"<picture>.*?alt=\"(.*?)\" src=\"(.*?)\".*?</picture>", re.DOTALL)
HEADING = re.compile(r"^##+ (.*)$", re.MULTILINE)


def slug(heading):
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def sections(text):
    """The parts of a document by the anchors of its headings of the second level; the part before them has the name ''."""
    parts = re.split(r"^(?=## )", without_code(text), flags=re.MULTILINE)
    found, begin = {}, 0
    for part in parts:
        found[slug(part.splitlines()[0].removeprefix("## ")) if begin else ""] = text[begin:begin + len(part)]
        begin += len(part)
    return found


def without_code(text):
    """The text with equally long blanks in place of blocks of code, whose lines may look like headings."""
    return re.sub(r"^```.*?^```", lambda block: re.sub("[^\n]", " ", block[0]), text, flags=re.DOTALL | re.MULTILINE)


def figures(alt, light, dark):
    """A picture for each theme, which scrolls sideways on narrow screens."""
    return "\n".join(f"```{{figure}} {address}\n:figclass: wide only-{theme}\n:alt: {alt}\n```"
                     for theme, address in (("light", light), ("dark", dark)))


class Links:
    """Rewrites links between files of the tree to links between pages, and makes links of files that code names.

    `chapters` are the pages of the ladder's sections, by anchor. `apis` are the pages of headers. All other files of the tree that
    documents link to are collected in `files`, and the pictures that have to be made for both themes in `drawings`.
    """

    def __init__(self, chapters, apis):
        self.chapters, self.apis, self.files, self.drawings = chapters, apis, set(), set()

    def place_of(self, path, anchor):
        """The page or file of the site that has a file of the tree."""
        if path == "docs/ladder.md" and anchor:
            return self.chapters[anchor] + ".md"
        if path in PLACES or path in self.apis:
            return (PLACES.get(path) or self.apis[path]) + ".md"
        if not (ROOT / path).is_file():
            raise SystemExit(f"site: a document links to {path}, which is no file")
        self.files.add(path)
        return f"files/{path.removesuffix('.gz')}"

    def rewritten(self, text, document, page):
        """The text of a document, or of a part of it, as it stands on a page of the site."""
        def target_of(target):
            if "://" in target:
                return target
            path, _, anchor = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(document), path)) if path else document
            return posixpath.relpath(self.place_of(path, anchor), posixpath.dirname(page) or ".") + (f"#{anchor}" if anchor else "")

        def file_of(path):
            return posixpath.relpath(self.place_of(path, ""), posixpath.dirname(page) or ".")

        def in_both_themes(target):
            """The addresses of a picture for light and for dark pages: of a PNG and its companion, or of what an SVG becomes."""
            stem, suffix = posixpath.splitext(target)
            if suffix == ".png":
                return target_of(target), target_of(f"{stem}-dark.png")
            self.drawings.add(posixpath.normpath(posixpath.join(posixpath.dirname(document), target)))
            return [posixpath.splitext(target_of(target))[0] + f"-{theme}.svg" for theme in ("light", "dark")]

        def picture(alt, target):
            if "-light." not in target:
                return figures(alt, *in_both_themes(target))
            images = []
            for theme in ("light", "dark"):
                themed = target.replace("-light.", f"-{theme}.")
                images.append((target_of(themed), f"only-{theme}"))
                if (narrow := themed.replace("hero-", "hero-narrow-")) != themed:  # another version, for narrow screens
                    images[-1] = (target_of(themed), f"only-{theme} broad")
                    images.append((target_of(narrow), f"only-{theme} narrow"))
            return "\n".join(f"```{{image}} {each}\n:class: {kind}\n:alt: {alt}\n```" for each, kind in images)

        def link(found):
            is_image, words, target, code = found.groups()
            if code is not None:
                return f"[{found[0]}]({file_of(code)})" if FILE.fullmatch(code) and (ROOT / code).is_file() else found[0]
            if is_image:
                return picture(words, target)
            if target.endswith(TRIAL):  # no page of Sphinx
                return f"<a href=\"{posixpath.relpath('explain/try.html', posixpath.dirname(page) or '.')}\">{words}</a>"
            # a document that is called by its file gets its title
            return f"[{'' if re.fullmatch('[A-Za-z/_-]+[.]md', words) else words}]({target_of(target)})"

        text = PICTURE.sub(lambda found: f"![{found[1]}]({found[2]})", text)
        return "".join(part if CODE.fullmatch(part) else LINK.sub(link, part) for part in CODE.split(text))
