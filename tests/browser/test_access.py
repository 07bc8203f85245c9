"""Whom the page serves: by keyboard alone, on a phone, in the dark, with readable text."""

import re

import pytest
from selenium.webdriver import Keys
from selenium.webdriver.common.by import By

from page_view import CONTROLS, KINDS, PHONE, a_conflict, first_request, scattered

ALL = -1  # the step that shows all wavefronts or sectors


def focused(view):
    return view.browser.switch_to.active_element


def tab_to(view, target, limit=60):
    for _ in range(limit):
        if focused(view) == target:
            style = view.script("const it = getComputedStyle(arguments[0]); return [it.outlineStyle, it.outlineWidth]", target)
            assert style[0] != "none" and style[1] != "0px"
            return
        focused(view).send_keys(Keys.TAB)
    raise AssertionError("Tab does not reach it")


def test_needs_no_mouse(view, data):
    explained, at, _, i, sample = first_request(data, a_conflict)
    view.open(f'#rung={explained["rung"]}&type={explained["type"]}&at={at}&sample={i}')
    for name in CONTROLS:
        tab_to(view, view.part(name))
    tab_to(view, view.part("table").find_element(By.TAG_NAME, "button"))
    tab_to(view, view.lane(0))
    for key, lane in ((Keys.ARROW_RIGHT, 1), (Keys.ARROW_RIGHT, 2), (Keys.ARROW_LEFT, 1), (Keys.END, 31), (Keys.HOME, 0),
                      (Keys.ARROW_LEFT, 0)):
        focused(view).send_keys(key)
        assert focused(view) == view.lane(lane)
        assert view.address_shown() == sample["addresses"][lane]
    tab_to(view, view.part("next"))
    focused(view).send_keys(Keys.ENTER)
    assert view.marked()[0] == [lane for lane, phase in enumerate(sample["phases"]) if phase == 0]
    tab_to(view, view.part("step"))
    focused(view).send_keys(Keys.ARROW_RIGHT)
    assert view.marked()[0] == [lane for lane, phase in enumerate(sample["phases"]) if phase == 1]
    assert "Wavefront 1 " in view.part("step").get_attribute("aria-valuetext")
    view.script("document.activeElement.blur()")
    tab_to(view, view.browser.find_element(By.ID, "compare"))
    focused(view).send_keys(Keys.SPACE)
    tab_to(view, view.part("rung", 1))


def test_arrows_follow_the_grid_on_a_phone(view, data):
    explained, at, _, i, _ = first_request(data, a_conflict)
    view.open(f'#rung={explained["rung"]}&type={explained["type"]}&at={at}&sample={i}&lane=0', PHONE)
    below = view.lane(8)
    assert below.location["x"] == view.lane(0).location["x"] and below.location["y"] > view.lane(0).location["y"]
    view.lane(0).send_keys(Keys.ARROW_DOWN)
    assert focused(view) == below


def test_names_its_controls(view):
    view.open()
    unnamed = view.script("""
        const named = each => each.getAttribute('aria-label') || each.labels?.[0]?.textContent.trim() ||
                              (each.tagName === 'BUTTON' && each.textContent.trim());
        return [...document.querySelectorAll('button, select, input, [role=region], [role=img], [role=group]')]
            .filter(each => each.offsetParent && !named(each)).map(each => each.outerHTML)""")
    assert unnamed == []
    assert view.part("readout").get_attribute("aria-live") == "polite"
    assert view.browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"


@pytest.mark.parametrize("kind", KINDS)
def test_fits_a_phone(view, data, kind):
    explained, at, _, i, _ = first_request(data, kind)
    view.open(size=PHONE)
    view.choose_request(explained, at, i)
    assert view.width() == PHONE[0]
    view.browser.find_element(By.ID, "compare").click()
    assert view.width() == PHONE[0]
    out = view.script("""return [...document.querySelectorAll('body *')].filter(each => {
            const box = each.getBoundingClientRect();
            return box.width && !each.closest('.scroll *') && (box.left < 0 || box.right > innerWidth + 0.5);
        }).map(each => each.outerHTML.slice(0, 200))""")
    assert out == []
    region = view.part("pictureregion")
    assert view.script("arguments[0].scrollLeft = 1e6; return arguments[0].scrollLeft", region) == 0
    tap = view.lane(1).size
    assert tap["width"] >= 24 and tap["height"] >= 24


CONTRAST = """
const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgba = color => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
};
const background = element => {
    const color = rgba(element ? getComputedStyle(element).backgroundColor : 'white');
    return color[3] === 255 ? color : background(element.parentElement);
};
const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const speaks = each => [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim());
return [...document.querySelectorAll('body *')]
    .filter(each => each.offsetParent && !each.matches('script, option, :disabled') && speaks(each))
    .map(each => [contrast(luminance(rgba(getComputedStyle(each).color)), luminance(background(each))),
                  each.outerHTML.slice(0, 160)]);
"""


@pytest.mark.parametrize("step", [ALL, 2])
@pytest.mark.parametrize("kind", [a_conflict, scattered])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(view, data, scheme, kind, step):
    explained, at, _, i, _ = first_request(data, kind)
    stepped = "" if step == ALL else f"&step={step}"
    view.open(f'#rung={explained["rung"]}&type={explained["type"]}&at={at}&sample={i}{stepped}', scheme=scheme, motion="reduce")
    paper = view.script("return getComputedStyle(document.body).backgroundColor")
    dark = sum(map(int, re.findall(r"\d+", paper)[:3])) < 384
    assert dark == (scheme == "dark")
    measured = view.script(CONTRAST)
    assert len(measured) > 80
    assert [each for each in measured if each[0] < 4.5] == []


def test_keeps_still_where_motion_is_unwanted(view):
    moving = """return [...document.querySelectorAll('.cell')]
        .some(each => parseFloat(getComputedStyle(each).transitionDuration) > 0)"""
    assert view.open(motion="no-preference").script(moving)
    assert not view.open(motion="reduce").script(moving)


@pytest.mark.parametrize("width", [360, 400, 800])
@pytest.mark.parametrize("kind", KINDS)
def test_costs_and_banks_need_no_scrolling(view, data, kind, width):
    explained, at, _, i, _ = first_request(data, kind)
    view.open(f'#rung={explained["rung"]}&type={explained["type"]}&at={at}&sample={i}', (width, 900))
    hidden = view.script("""return [...document.querySelectorAll('td.number, th, .track > *')]
        .filter(each => each.getBoundingClientRect().right > each.closest('.scroll').getBoundingClientRect().right + 0.5)
        .map(each => each.textContent)""")
    assert hidden == []
