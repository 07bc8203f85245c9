"""What the page shows: the request's lanes, banks and sectors, as its data have them."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from page_view import (
    JSON_OF_PAGE, KINDS, PHONE, a_conflict, available, banks, first_request, numbers, pieces, requests, scattered,
    vectors_without_conflict)


def rounded(value):
    digits = "1" if value == round(value) else "0.01" if value < 10 else "0.1"
    return str(Decimal(value).quantize(Decimal(digits), ROUND_HALF_UP))


def cost(instruction, of):
    names = ("wavefronts", "ideal_wavefronts") if instruction["space"] == "shared" else ("sectors", "ideal_sectors")
    return [of[name] for name in names]


def test_needs_no_network_and_says_nothing_on_the_console(view, page):
    assert not re.search(r"""(?:src|href|url\()\s*=?\s*["']?\s*(?:https?:)?//""", JSON_OF_PAGE.sub("", page.read_text()))
    view.open()
    assert view.part("picture").is_displayed()
    events = [json.loads(each["message"])["message"] for each in view.browser.get_log("performance")]
    asked = {each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"}
    assert asked == {view.address}


def test_stays_small(page):
    text = JSON_OF_PAGE.sub(r"\1\3", page.read_text())
    assert len(text.encode()) < 60_000
    assert all(placeholder not in text for placeholder in ("/*STYLE*/", "/*SCRIPT*/", '"DATA"'))


def test_explains_its_words(view):
    view.open()
    intro = view.browser.find_element(By.CLASS_NAME, "intro").text
    assert all(word in intro for word in ("sectors", "32 bytes", "banks", "4 bytes", "wavefront"))


def test_first_view_tells_something(view):
    view.open()
    assert " instead of " in view.part("verdict").text


def test_labels_the_predicted_speed(view):
    view.open()
    assert "predicted (model of an H200), ratio to a copy" in view.part("facts").text


def test_opens_on_the_type_asked_for(changed_page, data):
    def ask(data):
        data["type"] = "u16"
    view = changed_page(ask).open()
    assert view.part("type").get_attribute("value") == "u16"


def test_says_pitch_and_alignment(changed_page, data):
    def change(data):
        for each in data["explanations"]:
            each.update(source_pitch=4100, destination_pitch=4104, source_align=8, destination_align=16)
    view = changed_page(change).open()
    facts = view.part("facts").text.splitlines()
    assert "4100, 4104" in facts and "8, 16" in facts


def test_offers_every_rung_and_size(view, data):
    view.open()
    rungs = [option.get_attribute("value") for option in Select(view.part("rung")).options]
    assert rungs == list(dict.fromkeys(each["rung"] for each in data["explanations"]))
    for rung in (rungs[0], rungs[-1]):
        view.choose("rung", rung)
        types = [option.get_attribute("value") for option in Select(view.part("type")).options]
        assert types == [each["type"] for each in data["explanations"] if each["rung"] == rung]


SEEN = """
const part = name => document.querySelector(`[data-part="${name}"]`);
const choose = (name, value) => { part(name).value = value; part(name).dispatchEvent(new Event('change')); };
['rung', 'type', 'instruction', 'sample'].forEach((name, i) => choose(name, arguments[i]));
return {steps: new Set([...part('picture').querySelectorAll('.cell')].map(each => each.dataset.step)).size,
        table: [...part('table').rows].map(row => [...row.cells].map(each => each.textContent.replaceAll('\u202f', ''))),
        findings: [...part('findings').querySelectorAll('.kind')].map(each => each.textContent)};
"""


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_table_and_picture_follow_the_choice(view, data, size):
    view.open()
    for explained, at, instruction, i, sample in requests(data):
        if explained["element_size"] != size or sample not in (instruction["samples"][0], instruction["samples"][-1]):
            continue
        seen = view.script(SEEN, explained["rung"], explained["type"], at, i)
        if not (instruction["space"] == "shared" and instruction["box"]):
            assert seen["steps"] == cost(instruction, sample)[0], (explained["rung"], at, i)
        assert len(seen["table"]) == len(explained["instructions"])
        assert seen["table"][at] == row_of(instruction)
        assert seen["findings"] == [each["kind"] for each in explained["findings"]]


def row_of(instruction):
    pieces_in_all, best = cost(instruction, instruction)
    ratio = rounded(pieces_in_all / best) if best else "1"
    each = [rounded(value / max(1, instruction["requests"])) for value in (pieces_in_all, best, instruction["active_lanes"])]
    return [f'{instruction["file"]}:{instruction["line"]}',
            f'{instruction["space"]} {"store" if instruction["store"] else "load"}{" (box)" * instruction["box"]}',
            *each[:2], f"{ratio}-way" if instruction["space"] == "shared" else f"{ratio}×",
            str(instruction["bytes"]), each[2], str(instruction["requests"]), instruction["source"]]


def test_table_chooses_an_instruction(view, data):
    explained = max(available(data), key=lambda each: len(each["instructions"]))
    view.open()
    view.choose_request(explained)
    last = len(explained["instructions"]) - 1
    view.part("table").find_elements(By.TAG_NAME, "button")[last].click()
    assert view.part("instruction").get_attribute("value") == str(last)
    assert view.part("table").find_elements(By.TAG_NAME, "button")[last].get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("kind", KINDS)
def test_reads_out_a_lane(view, data, kind):
    explained, at, instruction, i, sample = first_request(data, kind)
    view.open()
    view.choose_request(explained, at, i)
    for index in {0, len(sample["addresses"]) // 3, len(sample["addresses"]) - 1}:
        view.lane(index).click()
        address, size, fields = sample["addresses"][index], instruction["bytes"], view.fields()
        assert fields["lane"] == str(sample["lanes"][index])
        assert view.address_shown() == address
        if instruction["space"] == "shared":
            assert numbers(fields["bank"]) == banks(address, size)
            assert fields["wavefront"].split()[0].rstrip(",") == str(sample["phases"][index])
        else:
            assert numbers(fields["sector"]) == pieces(address, size, 32)
            assert numbers(fields["line"]) == pieces(address, size, 128)


def test_says_who_waits_for_whom(view, data):
    view.open()
    for kind, others in ((a_conflict, 31), (vectors_without_conflict, 0)):
        explained, at, _, i, _ = first_request(data, kind)
        view.choose_request(explained, at, i)
        view.lane(7).click()
        contenders = view.fields()["contenders"]
        assert contenders == "none" if others == 0 else len(numbers(contenders.removeprefix("lanes "))) == others


def test_hovering_previews_a_lane(view, data):
    explained, at, _, i, sample = first_request(data, a_conflict)
    view.open(size=(1366, 1600))
    view.choose_request(explained, at, i)
    view.lane(3).click()
    cell = view.part("picture").find_element(By.CSS_SELECTOR, '.cell[data-lanes="9"]')
    for target in (view.lane(9), cell):
        ActionChains(view.browser).move_to_element(target).perform()
        assert view.address_shown() == sample["addresses"][9]
        assert "shown" in cell.get_attribute("class")
        ActionChains(view.browser).move_to_element(view.part("title")).perform()
        assert view.address_shown() == sample["addresses"][3]
    cell.click()
    assert view.lane(9).get_attribute("aria-checked") == "true"


@pytest.mark.parametrize("kind", [a_conflict, vectors_without_conflict])
def test_steps_through_the_wavefronts(view, data, kind):
    explained, at, instruction, i, sample = first_request(data, kind)
    served = [[index for index, phase in enumerate(sample["phases"]) if phase == step] for step in range(sample["wavefronts"])]
    view.open()
    view.choose_request(explained, at, i)
    assert view.marked() == [[], []]
    for step, lanes in enumerate(served):
        view.part("next").click()
        busy = {bank for lane in lanes for bank in banks(sample["addresses"][lane], instruction["bytes"])}
        assert view.marked() == [[sample["lanes"][lane] for lane in lanes], sorted(busy)]
        assert view.part("caption").text.startswith(f"Wavefront {step} ")
    assert not view.part("next").is_enabled()
    view.part("previous").click()
    assert view.marked()[0] == served[-2]


def test_steps_through_the_sectors(view, data):
    explained, at, instruction, i, sample = first_request(data, scattered)
    view.open()
    view.choose_request(explained, at, i)
    sectors = sorted({each for address in sample["addresses"] for each in pieces(address, instruction["bytes"], 32)})
    for sector in sectors[:3]:
        view.part("next").click()
        lanes = [lane for lane, address in zip(sample["lanes"], sample["addresses"])
                 if sector in pieces(address, instruction["bytes"], 32)]
        assert view.marked()[0] == lanes
        assert hex(sector * 32) in view.part("caption").text


def test_plays_to_the_end(view, data):
    explained, at, _, i, _ = first_request(data, vectors_without_conflict)
    view.open()
    view.choose_request(explained, at, i)
    play = view.part("play")
    play.click()
    assert play.text == "Pause"
    WebDriverWait(view.browser, 10).until(lambda _: view.part("play").text == "Play")
    assert view.part("step").get_attribute("value") == "3"


def test_compares_two_kernels(view, data):
    first, second = (first_request(data, kind) for kind in (a_conflict, scattered))
    view.open()
    view.choose_request(first[0], first[1], first[3])
    view.browser.find_element(By.ID, "compare").click()
    assert len(view.browser.find_elements(By.CLASS_NAME, "panel")) == 2
    before = view.choices(0), view.table(0), view.fields(0)
    view.choose_request(second[0], second[1], second[3], which=1)
    view.lane(5, 1).click()
    view.part("next", 1).click()
    assert (view.choices(0), view.table(0), view.fields(0)) == before
    assert view.choices(1)[:2] == [second[0]["rung"], second[0]["type"]]
    assert view.address_shown(1) == second[4]["addresses"][5]
    assert view.marked(0)[0] == [] and view.marked(1)[0] != []
    assert view.panel(0).location["y"] == view.panel(1).location["y"]
    view.open(view.hash(), PHONE)
    assert view.panel(1).location["y"] > view.panel(0).location["y"] + 300
    view.browser.find_element(By.ID, "compare").click()
    assert len(view.browser.find_elements(By.CLASS_NAME, "panel")) == 1


def test_address_restores_the_view(view, data):
    first, second = (first_request(data, kind) for kind in (vectors_without_conflict, scattered))
    view.open()
    view.choose_request(first[0], first[1], first[3])
    view.lane(11).click()
    view.part("next").click()
    view.browser.find_element(By.ID, "compare").click()
    view.choose_request(second[0], second[1], second[3], which=1)
    seen = [(view.choices(i), view.fields(i), view.marked(i), view.table(i)) for i in (0, 1)]
    view.open(view.hash())
    assert [(view.choices(i), view.fields(i), view.marked(i), view.table(i)) for i in (0, 1)] == seen
    view.script(f'location.hash = "#rung={second[0]["rung"]}&type={second[0]["type"]}&at={second[1]}"')
    WebDriverWait(view.browser, 5).until(lambda driver: len(driver.find_elements(By.CLASS_NAME, "panel")) == 1)
    assert view.choices()[:3] == [second[0]["rung"], second[0]["type"], str(second[1])]


@pytest.mark.parametrize("hash", [
    "#", "#rung=none&type=f32", "#rung=%E0%A4%A", "#at=1", "#rung={rung}&type={type}&at=99&sample=9&lane=77&step=999",
    "#rung={rung}&type={type}&at=-1&sample=x&lane=1e9&step=-7"])
def test_survives_any_address(view, data, hash):
    view.open(hash.format(**available(data)[0]))
    assert view.part("picture").is_displayed() and view.fields()["address"]


def test_says_why_a_rung_is_unavailable(changed_page, data):
    reason = "TMA needs <b>16</b>-byte units & \"more\" </script><img src=x onerror=alert(1)>"

    def change(copy):
        gone = copy["explanations"][0]
        copy["explanations"][0] = {**{key: gone[key] for key in ("rung", "rows", "cols", "type", "element_size")}, "idea": "",
                                   "unavailable": reason}
    view, gone = changed_page(change), data["explanations"][0]
    view.open()
    view.choose("rung", gone["rung"])
    view.choose("type", gone["type"])
    assert reason in view.part("notice").text
    assert not view.part("body").is_displayed()
    assert view.open(view.hash()).part("notice").is_displayed()
    view.browser.find_element(By.ID, "compare").click()
    other = next(each for each in available(data) if each["rung"] != gone["rung"])
    for which in (1, 0):
        view.choose_request(other, which=which)
        assert view.part("picture", which).is_displayed() and not view.part("notice", which).is_displayed()
    assert view.complaints() == []


def test_shows_lanes_that_are_predicated_off(changed_page, data):
    explained, at, instruction, i, sample = first_request(data, scattered)
    index = data["explanations"].index(explained)

    def change(copy):
        copy["explanations"][index]["instructions"][at]["samples"][i]["addresses"][20:] = [None] * 12
    view = changed_page(change).open(f'#rung={explained["rung"]}&type={explained["type"]}&at={at}&sample={i}')
    view.lane(25).click()
    assert "predicated off" in view.fields()["state"] and "address" not in view.fields()
    assert "predicated off" in view.lane(25).get_attribute("aria-label")
    left = {each for address in sample["addresses"][:20] for each in pieces(address, instruction["bytes"], 32)}
    assert view.steps_drawn() == len(left)
    view.lane(19).click()
    assert view.address_shown() == sample["addresses"][19]
    assert view.complaints() == []


def test_shows_a_page_without_kernels(changed_page):
    view = changed_page(lambda copy: copy.update(explanations=[])).open()
    assert "no kernel" in view.browser.find_element(By.ID, "panels").text
    assert view.complaints() == []
