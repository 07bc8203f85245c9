"""The engine of `cornerturn explain --code` as a WebAssembly module, compiled from the same sources by zig."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ["src/base/error.cpp", "src/base/printable.cpp", "src/base/text.cpp", "src/code/*.cpp", "src/layout/layout.cpp",
           "src/layout/notation.cpp", "src/layout/python_literal.cpp",
           "src/layout/row_major.cpp", "src/layout/triton_tile.cpp",
           "src/explain/cuda_code.cpp", "src/explain/findings.cpp", "src/explain/instructions.cpp",
           "src/explain/layout_findings.cpp", "src/explain/picture.cpp", "src/explain/python_code.cpp", "src/explain/requests.cpp",
           "src/explain/source_line.cpp", "src/explain/suggest.cpp", "src/explain/tiled.cpp", "src/page/page.cpp", "site/engine/engine.cpp"]
SYSTEM = ["/usr/include/fmt", "/usr/include/nlohmann"]
TARGET = ["--target=wasm32-wasi", "-std=c++20", "-Os", "-fexceptions", "-DNDEBUG"]
MOST_BYTES = 1 << 20


def zig(*arguments):
    command = [sys.executable, "-m", "ziglang", "c++", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"site: {' '.join(command)}\n{done.stderr}")


def headers(build, work):
    """A folder with the headers that the build makes, and links to those of the system, whose folder has the C library's, too."""
    folder = work / "include"
    for part in ("page", "explain"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "page/page_sources.hpp").write_text((build / "src/page/page_sources.hpp").read_text())
    # a kernel's own lines are quoted by the page, not from the library's sources
    (folder / "explain/kernel_sources.hpp").write_text(
        "#pragma once\n#include <string_view>\nnamespace cornerturn {\nstruct kernel_source { std::string_view name, text; };\n"
        "inline constexpr kernel_source kKernelSources[] = {{\"\", \"\"}};\n}\n")
    for library in map(pathlib.Path, SYSTEM):
        link = folder / library.name
        if not link.is_symlink():
            link.symlink_to(library)
    return folder


def compiled(build, work):
    """The module."""
    version = re.search(r"^project\(cornerturn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    options = [*TARGET, "-w", "-DFMT_HEADER_ONLY", "-DCORNERTURN_STATIC_DEFINE", "-DJSON_NOEXCEPTION", f"-DCORNERTURN_VERSION=\"{version}\"",
               "-I", headers(build, work), "-I", ROOT / "src", "-I", ROOT / "include"]
    sources = [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    batch, module = work / "engine.cpp", work / "engine.wasm"
    batch.write_text("".join(f"#include \"{path}\"\n" for path in sources))  # one, as most of the time goes into headers
    zig(*options, "-mexec-model=reactor", "-Wl,--gc-sections", "-Wl,--strip-all", "-Wl,-z,stack-size=1048576", batch, "-o", module)
    content = module.read_bytes()
    if len(content) > MOST_BYTES:
        raise SystemExit(f"site: the engine has {len(content)} bytes; it must have at most {MOST_BYTES}")
    return content
