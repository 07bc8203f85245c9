"""The page that explains accesses in the browser: fields, the engine as WebAssembly, and the page of `explain` that it makes."""

import base64
import subprocess

import engine

SOURCES = engine.ROOT / "site/engine"


def page(build, work):
    """A page that needs neither a server nor other files."""
    work.mkdir(parents=True, exist_ok=True)
    template = work / "page.html"
    command = [build / "bin/cornerturn", "explain", "--code", "float s[32]; s[lane]", "--html", template]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    text = (SOURCES / "try.html").read_text()
    parts = {"/*STYLE*/": (engine.ROOT / "src/page/page.css").read_text(), "/*SCRIPT*/": (SOURCES / "try.js").read_text(),
             "ENGINE": base64.b64encode(engine.compiled(build, work)).decode(), "PAGE": base64.b64encode(template.read_bytes()).decode()}
    for placeholder, content in parts.items():
        text = text.replace(placeholder, content, 1)
    return text
