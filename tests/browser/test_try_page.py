"""The page of the site that explains one's own accesses, in Chromium, opened from its file. CORNERTURN names the program."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from page_view import View

PAGE = pathlib.Path(__file__).parents[2] / "docs/site/explain/try.html"
PROGRAM = os.environ["CORNERTURN"]
TILE = "__shared__ float tile[32][32];"
GOLDEN = [
    f"{TILE} tile[lane][0]",
    f"{TILE} float* in; dim3 block(32, 8);\nfor (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[lane * 3 + j];",
    "__shared__ half s[64][64]; ldmatrix_x4(&s[lane % 16][lane / 16 * 8]);",
    "__shared__ half s : Swizzle<3,3,3> o (64,64):(64,1);\n*(uint4*)&s(lane, 0);",
    "__shared__ half s : [64, 64], gl.NVMMASharedLayout(128, 16);\n*(uint4*)&s(lane, 0);",
    "float4 const* in; __shared__ float4 s[40]; cp_async(&s[lane], &in[lane * 2], 16);",
    "__nv_fp4_e2m1* in; if (lane < 20) in[lane * 5];",
    "double d[64]; d[lane * 2] = 0;",
    "alignas(4) float* in; in[lane];",
    "struct P { float x, y, z; };\nP* p; p[lane].y;",
    "__shared__ half t[64][64]; __device__ half m[256][256];\nif (lane == 0) tma_load(&t, &m, 64, 224);\nt[lane][0];",
    "__shared__ float s[8][32][64]; for (int k = 0; k < 4; ++k) s[k][lane][k];",
]


@pytest.fixture
def view(browser):
    view = View(browser, PAGE).open()
    yield view
    assert [each for each in browser.get_log("browser") if each["level"] == "SEVERE"] == []


def explained(view):
    """Waits until the page shows the last answer that it was asked for."""
    WebDriverWait(view.browser, 30).until(lambda _: view.script(
        "const {asked, explained} = document.body.dataset; return asked && explained === asked"))


def typed(view, **fields):
    explained(view)
    for name, text in fields.items():
        box = view.browser.find_element(By.ID, name)
        box.clear()
        box.send_keys(text)
    view.browser.find_element(By.CSS_SELECTOR, "button[type=submit]").click()
    explained(view)


def verdicts(view):
    """What the panels of the result say of their request."""
    view.browser.switch_to.frame(WebDriverWait(view.browser, 30).until(lambda b: b.find_element(By.ID, "result")))
    try:
        WebDriverWait(view.browser, 30).until(lambda b: b.find_elements(By.CLASS_NAME, "panel"))
        return [each.text for each in view.browser.find_elements(By.CSS_SELECTOR, '[data-part="verdict"]')]
    finally:
        view.browser.switch_to.default_content()


@pytest.mark.parametrize("code", GOLDEN)
def test_the_engine_counts_as_the_program_does(view, code, tmp_path):
    path = tmp_path / "counts.json"
    subprocess.run([PROGRAM, "explain", "--code", code, "--suggest", "--json", path], check=True, stdout=subprocess.DEVNULL)
    said = view.browser.execute_async_script("engine('explain', arguments[0]).then(arguments[1])", code)
    assert json.loads(said) == json.loads(path.read_text())
    subprocess.run([PROGRAM, "explain", "--code", code, "--svg", path], check=True, stdout=subprocess.DEVNULL)
    drawn = view.browser.execute_async_script("engine('picture', arguments[0], 0).then(arguments[1])", code)
    assert drawn == path.read_text()


def test_what_is_typed_is_explained_and_its_link_opens_again(view):
    typed(view, declarations=TILE, accesses="tile[threadIdx.x][threadIdx.y];", block="16, 16")
    first = verdicts(view)
    assert view.browser.find_element(By.ID, "example").get_attribute("value") == ""
    assert "bank conflict" in first[0] and "the minimum" in first[1]
    link = view.script("return location.hash")
    view.open(link)
    explained(view)
    assert view.browser.find_element(By.ID, "declarations").get_attribute("value") == TILE
    assert view.browser.find_element(By.ID, "block").get_attribute("value") == "16, 16"
    assert verdicts(view) == first


def test_what_was_submitted_is_not_explained_again_by_the_timer_of_its_typing(view):
    asked = lambda: int(view.script("return document.body.dataset.asked"))
    explained(view)
    view.script("for (const event of ['input', 'submit']) document.getElementById(event === 'input' ? 'accesses' : 'form')"
                ".dispatchEvent(new Event(event, {cancelable: true}))")
    before = asked()
    view.browser.execute_async_script("setTimeout(arguments[0], 500)")
    assert asked() == before


def result_of(view, script):
    """What a script returns in the result's page."""
    verdicts(view)
    view.browser.switch_to.frame(view.browser.find_element(By.ID, "result"))
    try:
        return view.script(script)
    finally:
        view.browser.switch_to.default_content()


def test_places_are_lines_of_the_fields(view):
    typed(view, declarations=f"{TILE}\nfloat* in;", accesses="int i = threadIdx.x;\n\ntile[i][0] = in[i];", block="32")
    text = result_of(view, "return document.body.innerText")
    assert "accesses:3" in text and "shared store at accesses:3: 32-way bank conflict" in text and "code:" not in text


def test_a_conflict_is_named_in_english_and_equal_memory_is_not_a_change(view):
    typed(view, declarations="__shared__ half s[64][64];", accesses="ldmatrix_x4(a, &s[lane % 16][lane / 16 * 8]);", block="32")
    assert verdicts(view)[0] == "32 wavefronts instead of 4: an 8-way bank conflict."
    facts = result_of(view, "return [...document.querySelectorAll('.facts')].map(each => each.innerText)")
    assert "threads of a block\n32" in facts[0] and "32 =" not in facts[0] and "4096, as before" in facts[1]


@pytest.mark.parametrize("width", [400, 1400])
def test_the_cure_is_beside_the_conflict_or_with_its_findings(view, width):
    view.open(size=(width, 900))
    typed(view, declarations=TILE, accesses="tile[threadIdx.x][0] = 1;", block="32")
    cures = result_of(view, """return [...document.querySelectorAll('.cure')].filter(each => each.checkVisibility())
        .map(each => each.innerText)""")
    assert len(cures) == (width == 400) and all("instead of 32" in each and "__shared__ float tile[32]" in each for each in cures)


@pytest.mark.parametrize("block", ["32x8", "32 × 8", "dim3(32, 8)", "(32, 8)"])
def test_a_block_is_read_as_people_write_it(view, block):
    typed(view, declarations=TILE, accesses="tile[threadIdx.y][threadIdx.x] = 1;", block=block)
    assert "32 x 8 = 256" in result_of(view, "return document.querySelector('.facts').innerText")


def test_an_error_of_a_field_is_named_by_it(view):
    error = lambda: view.browser.find_element(By.ID, "error").text
    typed(view, declarations=TILE, accesses="tile[lane][0];", block="4000")
    assert error() == "Block: a block has 1 to 1024 threads"
    assert view.browser.find_element(By.ID, "block").get_attribute("aria-invalid") == "true"
    typed(view, accesses="int n = 3;", block="32")
    assert error().startswith("Line 1 of the accesses: no thread accesses memory")
    typed(view, declarations="enum { N };", accesses="p[lane].x;")
    assert error().startswith("Line 1 of the declarations: an enumeration is not read")
    typed(view, declarations=TILE, accesses="tile[threadIdx.x][threadIdx.y];", block="")
    assert error().startswith("Line 1 of the accesses: the shape of a block is not given; write it into the field Block, e.g. 32, 8\n")


def test_an_error_stands_at_its_character(view):
    typed(view, declarations=TILE, accesses="tile[lane][n];", block="")
    error = view.browser.find_element(By.ID, "error")
    assert error.text.startswith("Line 1 of the accesses: the value of 'n' is not known") and error.text.splitlines()[-2:] == ["tile[lane][n];", " " * 11 + "^"]
    assert view.browser.find_element(By.ID, "accesses").get_attribute("aria-invalid") == "true"
    typed(view, accesses="tile[lane][0];")
    assert not error.is_displayed() and "32-way" in verdicts(view)[0]


def test_every_example_is_explained(view):
    explained(view)
    examples = Select(view.browser.find_element(By.ID, "example"))
    for name in [option.text for option in examples.options]:
        view.script("const box = arguments[0]; box.value = arguments[1]; box.onchange()", examples._el, name)
        explained(view)
        assert not view.browser.find_element(By.ID, "error").is_displayed(), name
        assert verdicts(view), name


def test_a_page_that_the_program_wrote_can_be_changed(browser, tmp_path):
    path, code = tmp_path / "live.html", "__shared__ float t[32][32]; // <100 % of it>\nt[lane][0];"
    subprocess.run([PROGRAM, "explain", "--code", code, "--html", path, "--live"], check=True, stdout=subprocess.DEVNULL)
    view = View(browser, path).open()
    explained(view)
    assert view.browser.find_element(By.ID, "accesses").get_attribute("value") == code
    assert view.script("return document.querySelectorAll('[href]').length") == 0
    assert verdicts(view)[0].startswith("32 wavefronts")
    typed(view, accesses=code.replace("[32];", "[33];"))
    assert verdicts(view) == ["1 wavefront, the minimum for its bytes."]
    view.open("#accesses=float*+p%3B+p%5Blane%5D&block=32")
    explained(view)
    assert verdicts(view) == ["4 sectors, the minimum for its bytes."]


def test_a_picture_is_saved(view, tmp_path):
    view.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    typed(view, declarations=TILE, accesses="tile[lane][0];", block="32")
    view.browser.find_element(By.ID, "save").click()
    path = tmp_path / "explained.svg"
    WebDriverWait(view.browser, 30).until(lambda _: path.exists() and path.read_text().endswith("</svg>\n"))
    assert "Tile of 32 rows and 32 columns" in path.read_text()
    typed(view, accesses="tile[lane][n];")
    assert not view.browser.find_element(By.ID, "save").is_enabled()


@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_is_as_wide_as_the_window(view, width):
    view.open(size=(width, 900))
    explained(view)
    verdicts(view)
    assert view.script("return document.documentElement.scrollWidth") <= width


def test_a_question_is_answered_when_its_reader_asks(view):
    sys.path.insert(0, str(PAGE.parents[3] / "site"))
    import questions
    asked = questions.QUESTIONS["shared-memory"]
    view.open("#" + asked.address().partition("#")[2])
    explained(view)
    shown = lambda name: view.browser.find_element(By.ID, name).is_displayed()
    assert view.browser.find_element(By.ID, "question").text == asked.text and not shown("answer") and not shown("result")
    view.browser.find_element(By.ID, "reveal").click()
    assert "lanes 0..31 all in bank 0" in view.browser.find_element(By.ID, "answer").text and shown("result") and not shown("reveal")
    typed(view, declarations=TILE.replace("[32];", "[33];"))
    assert view.browser.find_element(By.ID, "answer").text == "8 wavefronts of shared memory, 8 would do."
    assert view.script("return new URLSearchParams(location.hash.slice(1)).get('question')") == asked.text
