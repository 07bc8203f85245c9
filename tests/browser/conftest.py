"""The page that `cornerturn explain --html` writes, in Chromium. CORNERTURN names the program."""

import json
import os
import shutil
import subprocess

import pytest
from selenium import webdriver

from page_view import JSON_OF_PAGE, View

PROGRAM = os.environ["CORNERTURN"]


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    done = subprocess.run([PROGRAM, "explain", "--html", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done
    return path


@pytest.fixture(scope="session")
def data(page):
    return json.loads(JSON_OF_PAGE.search(page.read_text())[2])


@pytest.fixture(scope="session")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def view(browser, page):
    view = View(browser, page)
    yield view
    assert view.complaints() == []


@pytest.fixture
def changed_page(browser, page, data, tmp_path):
    """Makes a View of a page whose data a function has changed."""
    def changed(change):
        copy = json.loads(json.dumps(data))
        change(copy)
        path = tmp_path / "changed.html"
        text = json.dumps(copy).replace("<", "\\u003c")
        path.write_text(JSON_OF_PAGE.sub(lambda match: match[1] + text + match[3], page.read_text()))
        return View(browser, path)
    return changed
