"""What a person sees of the page and does there, and what its data say should be seen."""

import re

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

DESKTOP, PHONE = (1366, 900), (360, 740)
JSON_OF_PAGE = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.S)
CONTROLS = ("rung", "type", "instruction", "sample")


class View:
    """The page in a browser, and what a person sees and does there."""

    def __init__(self, browser, path):
        self.browser, self.address = browser, path.as_uri()

    def open(self, hash="", size=DESKTOP, scheme="light", motion="no-preference"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]})
        self.browser.get("about:blank")
        self.browser.get_log("browser"), self.browser.get_log("performance")
        self.browser.get(self.address + hash)
        return self

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def panel(self, which=0):
        return self.browser.find_elements(By.CLASS_NAME, "panel")[which]

    def part(self, name, which=0):
        return self.panel(which).find_element(By.CSS_SELECTOR, f'[data-part="{name}"]')

    def choose(self, name, value, which=0):
        Select(self.part(name, which)).select_by_value(str(value))

    def choose_request(self, explained, at=0, sample=0, which=0):
        for name, value in zip(CONTROLS, (explained["rung"], explained["type"], at, sample)):
            self.choose(name, value, which)

    def choices(self, which=0):
        return [self.part(name, which).get_attribute("value") for name in CONTROLS]

    def lane(self, at, which=0):
        return self.part("lanes", which).find_elements(By.TAG_NAME, "button")[at]

    def fields(self, which=0):
        return self.script("""return Object.fromEntries([...arguments[0].querySelectorAll('dd')]
            .map(each => [each.dataset.field, each.textContent]))""", self.part("readout", which))

    def address_shown(self, which=0):
        decimal, sixteen = re.fullmatch(r"(\d+) \((0x[0-9a-f]+)\)", self.fields(which)["address"].replace("\u202f", "")).groups()
        assert int(decimal) == int(sixteen, 16)
        return int(decimal)

    def marked(self, which=0):
        """The lanes and the banks marked as busy in the step."""
        return self.script("""const busy = (part, from) => [...arguments[0].querySelectorAll(part)].map(from);
            return [busy('[data-part="lanes"] .now', each => Number(each.textContent)),
                    busy('[data-bank].now', each => Number(each.dataset.bank))]""", self.panel(which))

    def steps_drawn(self, which=0):
        return self.script("""return new Set([...arguments[0].querySelectorAll('.cell')].map(each => each.dataset.step)).size""",
                           self.part("picture", which))

    def table(self, which=0):
        return self.script("return [...arguments[0].rows].map(row => [...row.cells].map(each => each.textContent))",
                           self.part("table", which))

    def hash(self):
        """The address. The page writes it by a timer of 150 ms, which ends before a later one of that length."""
        return self.browser.execute_async_script("const done = arguments[0]; setTimeout(() => done(location.hash), 150)")

    def complaints(self):
        return self.browser.get_log("browser")

    def width(self):
        return self.script("return document.documentElement.scrollWidth")


def available(data):
    return [each for each in data["explanations"] if not each["unavailable"]]


def requests(data):
    """(explanation, index of instruction, instruction, index of sample, sample)"""
    return [(explained, at, instruction, i, sample) for explained in available(data)
            for at, instruction in enumerate(explained["instructions"]) for i, sample in enumerate(instruction["samples"])]


def first_request(data, fits):
    return next(each for each in requests(data) if fits(each[2], each[4]))


def a_conflict(instruction, sample):
    return instruction["space"] == "shared" and instruction["bytes"] == 4 and sample["wavefronts"] == 32


def vectors_without_conflict(instruction, sample):
    return instruction["space"] == "shared" and instruction["bytes"] == 16 and sample["wavefronts"] == 4


def scattered(instruction, sample):
    return instruction["space"] == "global" and not instruction["box"] and sample["sectors"] == 32 > sample["ideal_sectors"]


def boxes(instruction, sample):
    return instruction["space"] == "global" and instruction["box"]


KINDS = [a_conflict, vectors_without_conflict, scattered, boxes]


def pieces(address, size, piece):
    return list(range(address // piece, (address + size - 1) // piece + 1))


def banks(address, size):
    return sorted({word % 32 for word in pieces(address, size, 4)})


def numbers(text):
    """"0–2, 5" -> [0, 1, 2, 5]"""
    ends = [part.split("–") for part in text.split(", ")]
    return [number for end in ends for number in range(int(end[0]), int(end[-1]) + 1)]
