"""Sphinx's settings for the site. site/build.py writes the pages and the folder of Doxygen's output, which it names by variables."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]

project = "cornerturn"
release = re.search(r"^project\(cornerturn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
copyright = "the authors of cornerturn, Apache-2.0"
extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton", "breathe"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["files"]
myst_enable_extensions = ["colon_fence", "attrs_block"]
myst_heading_anchors = 4
breathe_projects = {"cornerturn": os.environ["CORNERTURN_SITE_XML"]}
breathe_default_project = "cornerturn"
breathe_domain_by_extension = {"h": "c"}
# the namespace is declared on every page of headers
suppress_warnings = ["duplicate_declaration.cpp"]
highlight_language = "none"
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"cornerturn {release}"
html_favicon = "theme/favicon.svg"
html_static_path = ["theme"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_extra_path = [os.environ["CORNERTURN_SITE_EXTRA"]]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1a7f5a", "color-brand-content": "#17704f"},
    "dark_css_variables": {"color-brand-primary": "#3fb68b", "color-brand-content": "#5cc79f"},
}
