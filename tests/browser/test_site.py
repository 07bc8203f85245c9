"""The site that `make site` builds, in Chromium, opened from its files: without a network and without a server."""

import functools
import html.parser
import json
import pathlib
import re
import urllib.parse

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from page_view import View

SITE = pathlib.Path(__file__).parents[2] / "docs/site"
WIDTHS = (400, 800, 1400)
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
ARTICLES = [name for name in PAGES if not name.startswith("explain/")]


class Targets(html.parser.HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag in ("a", "iframe") and "href" in found | {"href": found.get("src")}:
            self.links.append(found.get("href") or found.get("src") or "")
        elif tag == "link" and found.get("rel") != "canonical" or "src" in found:
            self.loaded.append(found.get("href") or found.get("src"))


@functools.cache
def targets_of(name):
    return Targets((SITE / name).read_text())


@pytest.fixture
def view(browser):
    """Opens a page of the site; what the page stores in the browser is forgotten."""
    def opened(name, **how):
        return View(browser, SITE / name).open(**how)
    yield opened
    browser.switch_to.default_content()
    browser.execute_script("localStorage.clear()")


def messages(browser):
    return [each["message"] for each in browser.get_log("browser")]


@pytest.mark.parametrize("name", ["index.html", "start/gpu.html", "explain.html", "layouts.html"])
def test_learners_find_the_page_for_their_own_accesses(name):
    assert "explain/try.html" in {each.removeprefix("../") for each in targets_of(name).links}


def test_the_site_is_built():
    assert {"index.html", "search.html", "speed.html", "layouts.html", "ladder/index.html", "ladder/tma.html", "api/cornerturn.html",
            "api/cpp-permute.html", "api/cpp-c.html", "start/gpu.html", "explain/ladder.html", "inplace.html", "elements.html",
            "adopt.html", "distributed.html", "notebook/gpu.html"} <= set(PAGES), "make site builds it"


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name):
    """Links between pages lead to pages and anchors that exist, and nothing is loaded from a network."""
    broken = []
    for link in targets_of(name).links + targets_of(name).loaded:
        place, fragment = urllib.parse.urldefrag(urllib.parse.unquote(link))
        if urllib.parse.urlsplit(link).scheme:
            broken += [link] if link in targets_of(name).loaded and not link.startswith("data:") else []
            continue
        path = (SITE / name).parent / place.partition("?")[0] if place else SITE / name
        inside = path.resolve().relative_to(SITE.resolve()).as_posix()
        if not path.is_file() or (inside in ARTICLES and fragment not in targets_of(inside).anchors):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_width_and_asks_for_nothing_outside(view, name):
    page = view(name, size=(WIDTHS[0], 800), scheme="dark")
    too_wide = {}
    for width in WIDTHS:
        page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        # on narrow screens the theme lets the content scroll sideways
        content = page.script("""const content = document.querySelector('.content');
            return content ? content.scrollWidth - content.clientWidth : 0""")
        if page.width() > width or content > 0:
            too_wide[width] = page.width(), content
    events = [json.loads(each["message"])["message"] for each in page.browser.get_log("performance")]
    asked = {each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"}
    outside = [each for each in asked if not each.startswith((SITE.as_uri(), "data:", "blob:"))]
    assert (too_wide, outside, messages(page.browser)) == ({}, [], [])


def results(browser):
    return browser.find_elements(By.CSS_SELECTOR, "#search-results ul.search li a")


@pytest.mark.parametrize("words, place", [("rearrange", "python.html"), ("permute_inplace", "inplace.html"),
                                          ("strided_copy", "api/cpp-permute.html"), ("ldmatrix", "layouts.html"),
                                          ("HDF5", "start/science.html"), ("NIfTI", "start/science.html"),
                                          ("xarray", "start/science.html"), ("Zarr", "start/science.html"),
                                          ("attention heads", "start/science.html"), ("fp8", "elements.html")])
def test_search_finds(view, words, place):
    page = view("index.html", size=(1400, 900))
    box = page.browser.find_element(By.CSS_SELECTOR, "input.sidebar-search")
    box.send_keys(words)
    box.submit()
    WebDriverWait(page.browser, 10).until(lambda browser: results(browser) and "Searching" not in browser.title)
    WebDriverWait(page.browser, 10).until(
        lambda browser: any(place in each.get_attribute("href") for each in results(browser)))
    found = next(each for each in results(page.browser) if place in each.get_attribute("href"))
    page.script("arguments[0].click()", found)
    assert words.lower() in page.browser.find_element(By.TAG_NAME, "article").text.lower()
    assert messages(page.browser) == []


def test_the_pages_of_explain_step_and_compare(view):
    page = view("start/gpu.html", size=(1400, 900))
    frame = page.browser.find_element(By.CSS_SELECTOR, "iframe.explain")
    page.script("arguments[0].scrollIntoView()", frame)
    page.browser.switch_to.frame(frame)
    WebDriverWait(page.browser, 10).until(lambda browser: len(browser.find_elements(By.CLASS_NAME, "panel")) == 2)
    assert [page.choices(which)[0] for which in (0, 1)] == ["smem-conflict-read", "smem-swizzled"]
    # in a frame the banks of both kernels are in view at once, without what the page around it tells
    shown = [page.part("picture", which).rect for which in (0, 1)]
    assert shown[0]["y"] < 600 and abs(shown[0]["y"] - shown[1]["y"]) < 100 and shown[0]["x"] < shown[1]["x"]
    assert not page.part("facts").is_displayed() and not page.browser.find_element(By.TAG_NAME, "h1").is_displayed()
    page.choose("instruction", 2)
    assert page.steps_drawn() == 32
    page.script("arguments[0].click()", page.part("next"))
    assert page.part("caption").text.startswith("Wavefront 0 ")
    assert messages(page.browser) == []


@pytest.mark.parametrize("section, said", [
        ("an-array-of-cuda-c", "__shared__ float tile[32][33];"), ("the-conflict", "32-way bank conflict"), ("padding", "No bank conflict."), ("a-swizzle", "No bank conflict."),
    ("a-swizzle-that-keeps-vectors-whole", "No bank conflict."), ("ldmatrix", "128-byte mode of TMA and wgmma"),
    ("tma", "No bank conflict."), ("addresses-without-a-layout", "No bank conflict.")])
def test_the_gallery_shows_what_it_tells(view, section, said):
    shown = view("layouts.html", size=(1400, 900)).browser.find_element(By.ID, section)
    assert said in " ".join(shown.text.split())
    assert all(int(each.get_attribute("naturalWidth")) > 900 for each in shown.find_elements(By.TAG_NAME, "img"))


@pytest.mark.parametrize("name", ARTICLES)
def test_code_in_sentences_is_rendered(name):
    """Outside of blocks, a backtick is left by a span that a list or a quote broke, and so is a dash in place of an option's hyphens."""
    text = re.sub(r"<pre>.*?</pre>|<code.*?</code>|<(?:script|style).*?</(?:script|style)>", "", (SITE / name).read_text(), flags=re.DOTALL)
    assert re.findall(r".{0,30}(?:`|[–—](?:access|store|load|suggest|html|device)).{0,30}", re.sub(r"<[^>]*>", "", text)) == []


def test_the_ladder_shows_its_kernels(view):
    page = view("ladder/tma.html", size=(1400, 900))
    assert "block.tma_load(args.source_map" in page.browser.find_element(By.ID, "tma-conflict").text
    frame = page.browser.find_element(By.CSS_SELECTOR, "iframe.explain")
    page.script("arguments[0].scrollIntoView()", frame)
    page.browser.switch_to.frame(frame)
    WebDriverWait(page.browser, 10).until(lambda browser: len(browser.find_elements(By.CLASS_NAME, "panel")) == 2)
    assert [page.choices(which)[0] for which in (0, 1)] == ["tma-conflict", "tma"]
    assert page.part("verdict").text.startswith("32 wavefronts instead of 1") and "the minimum" in page.part("verdict", 1).text
    page.browser.switch_to.default_content()


def test_the_theme_follows_the_system_and_the_button(view):
    background = lambda page: page.script("return getComputedStyle(document.body).backgroundColor")
    light, dark = (background(view("index.html", scheme=scheme)) for scheme in ("light", "dark"))
    assert light != dark
    page = view("index.html", size=(1400, 900), scheme="light")
    seen = set()
    for _ in range(3):
        next(each for each in page.browser.find_elements(By.CLASS_NAME, "theme-toggle") if each.is_displayed()).click()
        seen.add(background(page))
        shown = [each.get_attribute("src") for each in page.browser.find_elements(By.CSS_SELECTOR, "article img") if each.is_displayed()]
        hero = [src for src in shown if "hero-" in src]
        assert len(hero) == 1 and ("dark" in hero[0]) == (background(page) == dark)
    assert seen == {light, dark}


@pytest.mark.parametrize("name", ["layouts.html", "speed.html", "explain.html", "performance.html", "ladder/results.html", "index.html"])
def test_pictures_follow_the_button(view, name):
    """Each is drawn for both themes, and what a button chose counts more than the system."""
    page = view(name, size=(1400, 900), scheme="light")
    for theme in ("dark", "light"):
        page.script("document.body.dataset.theme = arguments[0]", theme)
        images = page.browser.find_elements(By.CSS_SELECTOR, "article img")
        shown = [pathlib.Path(each.get_attribute("src")).stem for each in images if each.is_displayed()]
        assert shown and all(("dark" in each) == (theme == "dark") for each in shown)


def test_pictures_keep_a_readable_size_on_a_phone(view):
    page = view("layouts.html", size=(400, 800))
    sizes = page.script("return [...document.querySelectorAll('.wide img')].filter(each => each.offsetParent).map(each => each.width)")
    assert sizes and min(sizes) > 800


def test_home_begins_with_the_starts(view):
    page = view("index.html", size=(1400, 900))
    cards, hero = (page.browser.find_element(By.CSS_SELECTOR, each).rect for each in (".starts", "article img.only-light.broad"))
    assert cards["y"] + cards["height"] < min(900, hero["y"])


def test_the_pages_of_explain_follow_the_button(view):
    page = view("start/gpu.html", size=(1400, 900), scheme="")  # an emulated scheme would hold in the frame, too
    for theme in ("dark", "light"):
        page.script("document.body.dataset.theme = arguments[0]", theme)
        page.browser.switch_to.frame(page.browser.find_element(By.CSS_SELECTOR, "iframe.explain"))
        assert page.script("return matchMedia('(prefers-color-scheme: dark)').matches") == (theme == "dark")
        page.browser.switch_to.default_content()
