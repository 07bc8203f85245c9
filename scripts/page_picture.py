#!/usr/bin/env python3
"""Remakes the pictures of docs/explain.md and the README: screenshots of the page of `explain` in Chromium in both themes, and the SVG
of a rung.

`scripts/setup check` installs what this needs.
"""

import argparse
import base64
import io
import pathlib
import shutil
import subprocess
import tempfile

from PIL import Image
from selenium import webdriver

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT = 1200, 1320
VIEW = "#rung=smem-conflict-read&type=f32&at=2&sample=0&lane=0"
RUNG = "vec-swizzled"


def screenshot(page, theme, path):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        browser.get(page.as_uri() + VIEW)
        shot = base64.b64decode(browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"])
        Image.open(io.BytesIO(shot)).convert("RGB").quantize(128).save(path, optimize=True)  # a third of the size
    finally:
        browser.quit()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program cornerturn")
    program = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "explain.html"
        subprocess.run([program, "explain", "--html", page], check=True, stdout=subprocess.DEVNULL)
        screenshot(page, "light", DOCS / "explain-page.png")
        screenshot(page, "dark", DOCS / "explain-page-dark.png")
    subprocess.run([program, "explain", RUNG, "--svg", DOCS / f"explain-{RUNG}.svg"], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
