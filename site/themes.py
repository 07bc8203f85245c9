"""Pictures for light and for dark pages. A page's button may choose another theme than the system's, so that a picture must not ask
the system."""

import re
import sys

import documents

sys.path.insert(0, str(documents.ROOT / "bench"))
import plot_hero  # noqa: E402

LIGHT, DARK = plot_hero.THEMES["light"], plot_hero.THEMES["dark"]
# what charts that are drawn on white have on a dark page
DARK_COLOURS = {"#000000": DARK["text"], "#ffffff": "#131416", "#b0b0b0": "#303335", "#cccccc": "#303335",
                **{LIGHT[name]: DARK[name] for name in LIGHT}}
DARK_RULES = re.compile(r"@media \(prefers-color-scheme: dark\) \{\n(.*)\n\}\n")  # of a picture that the program draws


def of(picture):
    """An SVG picture by the name of the theme."""
    if DARK_RULES.search(picture):
        return {"light": DARK_RULES.sub("", picture), "dark": DARK_RULES.sub(r"\1\n", picture)}
    dark = re.sub("|".join(DARK_COLOURS), lambda colour: DARK_COLOURS[colour[0]], picture)
    return {"light": picture, "dark": dark.replace("<svg ", f"<svg fill=\"{DARK['text']}\" ", 1)}
