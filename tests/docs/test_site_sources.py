"""The sources of the site, without building it."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "site"))
import cpp_api  # noqa: E402
import ladder  # noqa: E402


def test_every_header_has_a_page():
    assert cpp_api.headers_without_page() == []


def test_every_section_of_the_ladder_is_in_a_chapter():
    assert ladder.sections_that_differ() == []
