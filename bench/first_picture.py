#!/usr/bin/env python3
"""Times the site's page of one's own accesses in Chromium, from the navigation to the first picture, and names its size.

    build/venv/bin/python bench/first_picture.py --json bench/results/first-picture.json.gz

Each run has a browser of its own, with nothing in its caches. The page is opened from its file, docs/site/explain/try.html, which
`make site` writes. On a machine that others use, give the script priority, as by nice.
"""

import argparse
import base64
import pathlib
import re
import shutil

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

import provenance
import run_files

PAGE = provenance.ROOT / "docs/site/explain/try.html"
RUNS, WIDTHS = 5, (400, 1400)
SHOWN = "return performance.getEntriesByName('explained')[0]?.startTime"


def run(width):
    """The browser's version, and the milliseconds from the navigation until the counts are drawn."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},900"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        browser.get(PAGE.as_uri())
        return browser.capabilities["browserVersion"], round(WebDriverWait(browser, 60).until(lambda each: each.execute_script(SHOWN)))
    finally:
        browser.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, help="file for the results")
    options = parser.parse_args()
    engine = re.search(r'id="engine">([^<]*)<', PAGE.read_text())[1]
    result = {"commit": provenance.commit(), "processor": provenance.processor(), "page_bytes": PAGE.stat().st_size,
              "engine_bytes": len(base64.b64decode(engine)), "milliseconds": {}}
    for width in WIDTHS:
        versions, result["milliseconds"][str(width)] = zip(*[run(width) for _ in range(RUNS)])
        result["browser"] = f"Chromium {versions[0]}"
        print(width, "pixels:", *sorted(result["milliseconds"][str(width)]), "ms")
    print(result["engine_bytes"], "bytes of", result["page_bytes"])
    if options.json:
        run_files.write(options.json, result)


if __name__ == "__main__":
    main()
