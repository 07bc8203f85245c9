"""The page of `cornerturn explain --trace`, in Chromium. CORNERTURN names the program."""

import os
import subprocess

from selenium.webdriver.common.by import By

from page_view import View

COLUMN = "".join(f"read 0 {lane} k.cu:2 0 load shared {128 * lane} 4\n" for lane in range(32))
ROW = "".join(f"write 3 {lane} k.cu:3 0 store global {2**40 + 8 * lane} 4\n" for lane in range(32))


def test_the_page_of_a_trace(browser, tmp_path):
    (tmp_path / "trace.txt").write_text(COLUMN + ROW)
    command = [os.environ["CORNERTURN"], "explain", "--trace", tmp_path / "trace.txt", "--html", tmp_path / "page.html"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    view = View(browser, tmp_path / "page.html").open()
    assert "2 traced kernels" in browser.find_element(By.ID, "about").text
    assert view.part("subject").text == "Kernel" and not view.part("type").is_displayed()
    assert "32-way bank conflict" in view.part("verdict").text
    assert "1" in view.part("facts").text and "blocks in the trace" in view.part("facts").text
    browser.find_element(By.ID, "compare").click()
    assert view.complaints() == []
    view.choose("rung", "write")
    assert "2 times the bytes" in view.part("verdict").text
    assert view.complaints() == []
