"""The page that `cornerturn layout --html` writes, in Chromium. CORNERTURN names the program."""

import json
import os
import subprocess

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from page_view import JSON_OF_PAGE, PHONE, View

PROGRAM = os.environ["CORNERTURN"]
COLUMNS_AND_ROWS = ["(64,64):(64,1)", "--threads", "(32,8):(1,32)", "--other-threads", "(8,32):(32,1)"]
TORN = ["(64,64):(64,1)", "--threads", "(16,8):(1,16)", "--values", "(4,1):(1,0)", "--vector", "16"]


@pytest.fixture
def layout_page(browser, tmp_path):
    views = []

    def made(*arguments):
        command = [PROGRAM, "layout", *arguments, "--html", str(tmp_path / "page.html")]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done
        text = (tmp_path / "page.html").read_text()
        views.append(View(browser, tmp_path / "page.html").open())
        return views[-1], json.loads(JSON_OF_PAGE.search(text)[2]), done.stdout
    yield made
    for view in views:
        assert view.complaints() == []


def test_the_page_has_the_counts_of_the_text(layout_page):
    view, data, text = layout_page(*COLUMNS_AND_ROWS)
    rows = [line.split() for line in text.splitlines() if line.startswith(("store ", "load "))]
    [layout] = data["layouts"]
    for row, one in zip(rows, layout["instructions"], strict=True):
        assert [float(number) for number in row[4:6] + row[7:]] == [
            one[name] / one["requests"] for name in ["wavefronts", "ideal_wavefronts", "sectors", "ideal_sectors"]]
    seen = view.table()
    assert [row[:4] for row in seen] == [
        ["--store-threads", "shared store", *rows[0][4:6]], ["--load-threads", "shared load", *rows[1][4:6]],
        ["--store-threads", "global store", *rows[0][7:]], ["--load-threads", "global load", *rows[1][7:]]]
    assert [each.text for each in view.part("findings").find_elements(By.CLASS_NAME, "kind")] == [
        each["kind"] for each in layout["findings"]]


def test_the_page_opens_on_the_conflict(layout_page):
    view, _, _ = layout_page(*COLUMNS_AND_ROWS)
    assert "32 wavefronts instead of 1" in view.part("verdict").text
    assert view.steps_drawn() == 32
    assert "4224 wavefronts" in view.part("idea").text and "256 without bank conflicts" in view.part("idea").text
    assert not view.browser.find_element(By.ID, "compare").is_displayed() and not view.part("type").is_displayed()
    view.lane(3).click()
    assert view.fields()["bank"] == "0" and view.address_shown() == 3 * 256
    assert view.width() <= 1366 and view.open(size=PHONE).width() == PHONE[0]


def test_the_page_of_a_load_alone(layout_page):
    view, _, _ = layout_page("(64,64):(64,1)", "--other-threads", "(32,8):(1,32)")
    assert [row[0] for row in view.table()] == ["--load-threads"] * 2
    assert view.part("title").text.startswith("--load-threads · shared load")
    assert "threads of the store" not in view.part("facts").text


def test_the_page_of_ldmatrix_has_no_global_load(layout_page):
    view, _, _ = layout_page("(64,64):(64,1)", "--ldmatrix", "x4", "--element", "2", "--threads", "(8,4):(1,8)")
    assert [row[:2] for row in view.table()] == [["--store-threads", "shared store"], ["ldmatrix.x4", "shared load"],
                                                 ["--store-threads", "global store"]]


def test_the_page_shows_the_suggestion_beside_the_layout(layout_page):
    view, data, text = layout_page(*COLUMNS_AND_ROWS, "--suggest")
    assert [each["layout"] for each in data["layouts"]] == ["(64,64):(64,1)", "Sw<5,0,6> o _0 o (64,64):(64,1)"]
    assert [view.choices(i)[0] for i in (0, 1)] == ["given", "suggested"]
    assert "32-way bank conflict" in view.part("verdict", 0).text and "the minimum" in view.part("verdict", 1).text
    assert "swizzle of TMA and wgmma\nnone" in view.part("facts", 1).text
    code = next(line.strip() for line in text.splitlines() if "auto const layout" in line)
    assert code in view.part("facts", 1).text and "256 wavefronts" in view.part("idea", 1).text
    assert "without CuTe\n__shared__ float tile[64][64];  // element (i, j) is tile[i][j ^ (i & 31)]" in view.part("facts", 1).text
    assert "in CuTe DSL\nlayout = cute.make_composed_layout(" in view.part("facts", 1).text
    assert "in Gluon\nlayout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 32, [1, 0])" in view.part("facts", 1).text
    assert "or padded\n__shared__ float tile[64][65];" in view.part("facts", 1).text
    view.open(view.hash())
    assert [view.choices(i)[0] for i in (0, 1)] == ["given", "suggested"]
    assert [option.text for option in Select(view.part("rung")).options] == [
        "given: (64,64):(64,1)", "suggested: Sw<5,0,6> o _0 o (64,64):(64,1)"]


def test_the_page_shows_sectors_as_if_the_tile_were_in_global_memory(layout_page):
    view, _, _ = layout_page(*COLUMNS_AND_ROWS, "--element", "2")
    finding = view.part("findings").find_elements(By.TAG_NAME, "li")[-1]
    assert "In global memory" in view.part("findings").text
    finding.find_element(By.TAG_NAME, "button").click()
    assert view.part("title").text.startswith("--store-threads · global store") and "instead of 2" in view.part("verdict").text
    assert view.steps_drawn() == 32


@pytest.mark.parametrize("space, other", [("shared", "global"), ("global", "shared")])
def test_the_page_of_one_memory_shows_no_other(layout_page, space, other):
    view, _, _ = layout_page(*COLUMNS_AND_ROWS, "--space", space)
    assert [row[1] for row in view.table()] == [f"{space} store", f"{space} load"]
    assert f"In {other} memory" not in view.part("findings").text and f"In {space} memory" in view.part("findings").text
    assert f"{space} memory" in view.part("idea").text


def test_a_colour_is_a_bank_or_a_sector(layout_page):
    view, _, _ = layout_page("--addresses", "lane%2*128+lane/2*4")
    hues = lambda: view.script("""return [...arguments[0].querySelectorAll('button')].map(each => each.style.getPropertyValue('--hue'))""",
                               view.part("lanes"))
    swatches = lambda: view.script("""return [...arguments[0].querySelectorAll('.legend .swatch')]
        .map(each => each.style.getPropertyValue('--hue'))""", view.part("key"))
    banks = hues()
    assert (swatches()[0], swatches()[-1]) == ("25", "325")  # the scale ends before it comes back to its first hue
    assert len(swatches()) == 32 and banks == [swatches()[lane // 2] for lane in range(32)]
    assert view.script("""return [...arguments[0].querySelectorAll('.cell')].every(each =>
        each.style.getPropertyValue('--hue') === arguments[1][each.dataset.at])""", view.part("picture"), banks)
    view.choose("instruction", 1)
    assert len(swatches()) == 8 and hues() == [swatches()[lane % 2 * 4 + lane // 16] for lane in range(32)]


def test_the_page_of_addresses(layout_page):
    view, _, _ = layout_page("--addresses", "lane*128")
    assert [row[:2] for row in view.table()] == [["--addresses", "shared load"], ["--addresses", "global load"]]
    assert "32 wavefronts" in view.part("idea").text and "32-way bank conflict" in view.part("verdict").text
    assert "lane*128" in view.part("name").text and "lane*128" in view.part("facts").text
    view.lane(2).click()
    assert view.address_shown() == 256


def test_the_page_gives_no_cost_to_what_no_gpu_does(layout_page):
    view, _, text = layout_page(*TORN)
    assert "torn-vector" in text and "no GPU does" in view.part("idea").text
    assert view.table()[0][2:5] == ["–", "–", "–"] and not view.part("request").is_displayed()
    assert not view.part("sample").is_displayed()
    assert view.script("return arguments[0].offsetWidth", view.browser.find_element(By.CLASS_NAME, "kernel")) > 1000


def test_a_scale_is_one_line_and_bank_names_stand_apart(layout_page):
    view, _, _ = layout_page(*COLUMNS_AND_ROWS)
    for size in [(1366, 900), (700, 900), (400, 900), PHONE]:
        view.open(size=size)
        assert view.script("""return new Set([...arguments[0].querySelectorAll('.scale .swatch')]
            .map(each => each.getBoundingClientRect().top)).size""", view.part("key")) == 1, size
        rights = view.script("""const range = document.createRange();
            return [...arguments[0].querySelectorAll('[data-bank]')].filter(each =>
                getComputedStyle(each).color !== 'rgba(0, 0, 0, 0)').map(each => {
                range.selectNodeContents(each);
                const {left, right} = range.getBoundingClientRect();
                return [left, right];
            })""", view.part("picture"))
        assert len(rights) >= 8 and all(one[1] < other[0] for one, other in zip(rights, rights[1:])), (size, rights)


def test_the_choice_of_a_request_is_not_cut(layout_page):
    view, _, _ = layout_page(*COLUMNS_AND_ROWS, "--suggest")
    view.open(size=(1400, 900))
    for which in (0, 1):
        needed = view.script("""const select = arguments[0], copy = document.createElement('span');
            copy.style.font = getComputedStyle(select).font, copy.style.whiteSpace = 'pre', copy.style.position = 'absolute';
            copy.textContent = select.selectedOptions[0].textContent, document.body.append(copy);
            const needed = copy.offsetWidth + 45;  // its padding and its arrow
            copy.remove();
            return needed - select.offsetWidth""", view.part("sample", which))
        assert needed <= 0, needed


def test_the_button_says_what_it_does(layout_page):
    view, _, _ = layout_page(*COLUMNS_AND_ROWS, "--suggest")
    button = view.browser.find_element(By.ID, "compare")
    assert button.text == "Show one layout"
    button.click()
    assert button.text == "Compare side by side" and len(view.browser.find_elements(By.CLASS_NAME, "panel")) == 1
