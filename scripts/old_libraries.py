#!/usr/bin/env python3
"""Makes libraries without code, which the wheels of a release are linked with (scripts/manylinux): glibc as of 2.28 and libstdc++ as
of GCC 8, so that a wheel needs no later symbol of them. What the compiler's libstdc++ has beyond that is linked in. zig knows the
symbols of each glibc; those of libstdc++ are read from the compiler's own."""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

GLIBC = "2.28"
LAST = {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}  # what manylinux_2_28 allows
COMPILERS = {"x86_64": "g++", "aarch64": "aarch64-linux-gnu-g++"}

# What GCC 12 and its libstdc++ take from a later glibc. The first is false in a process of one thread only.
LATER = """
#include <sys/random.h>
extern "C" {
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;
[[gnu::visibility("hidden")]] unsigned arc4random() {
  unsigned value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) __builtin_trap();
  return value;
}
}
"""


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def make_glibc(processor, out):
    """libc and its companions, whose functions later versions have in libc itself; zig makes them for an empty program."""
    (out / "empty.c").write_text("int main(void) { return 0; }\n")
    cache = out / "zig"
    run(sys.executable, "-m", "ziglang", "cc", "-target", f"{processor}-linux-gnu.{GLIBC}", out / "empty.c", "-o", out / "empty",
        env={"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)})
    [libc] = cache.glob("o/*/libc.so.6")
    [nonshared] = cache.glob("o/*/libc_nonshared.a")
    shutil.copy(nonshared, out)
    for each in libc.parent.glob("lib*.so.*"):
        shutil.copy(each, out)
        if each != libc and each.name.split(".")[0] != "libc":
            (out / each.name.split(".")[0]).with_suffix(".so").symlink_to(each.name)
    shutil.rmtree(cache)


def symbols_of(library):
    """(name, type, binding, size, version) of each symbol that old systems have."""
    listed = run("readelf", "--wide", "--dyn-syms", library, capture_output=True).stdout
    for size, kind, binding, name, version in re.findall(
            r"^ *\d+: \w+ +(\w+) (FUNC|OBJECT|TLS) +(GLOBAL|WEAK|UNIQUE) +DEFAULT +\d+ (\S+)@@(\S+)$", listed, re.MULTILINE):
        library_of, _, number = version.partition("_")
        if re.fullmatch(r"\d+(\.\d+)+", number) and tuple(map(int, number.split("."))) <= LAST.get(library_of, ()):
            yield name, kind, binding, int(size, 0), version


def make_libstdcxx(compiler, out):
    path = run(compiler, "-print-file-name=libstdc++.so.6", capture_output=True).stdout.strip()
    sections = {"FUNC": ".text", "OBJECT": ".data", "TLS": '.section .tdata,"awT",%progbits'}
    types = {"FUNC": "%function", "OBJECT": "%object", "TLS": "%tls_object"}
    source, versions = ['.section .note.GNU-stack,"",%progbits'], collections.defaultdict(list)
    for name, kind, binding, size, version in symbols_of(path):
        versions[version].append(name)
        source += [sections[kind], f".{'weak' if binding == 'WEAK' else 'globl'} {name}", f".type {name}, {types[kind]}",
                   f".size {name}, {size}", f"{name}: .skip {max(size, 1)}"]
    (out / "libstdc++.s").write_text("\n".join(source) + "\n")
    (out / "libstdc++.map").write_text("".join(f"{version} {{ {' '.join(f'{name};' for name in names)} }};\n"
                                               for version, names in versions.items()))
    run(compiler, "-shared", "-nostdlib", "-Wl,-soname,libstdc++.so.6", f"-Wl,--version-script={out}/libstdc++.map",
        out / "libstdc++.s", "-o", out / "libstdc++.so.6")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processor", choices=COMPILERS)
    parser.add_argument("out", type=pathlib.Path, help="the folder; g++ links with it after -L OUT")
    options = parser.parse_args()
    compiler, out = COMPILERS[options.processor], options.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    make_glibc(options.processor, out)
    make_libstdcxx(compiler, out)
    (out / "later.cpp").write_text(LATER)
    run(compiler, "-O2", "-fPIC", "-c", out / "later.cpp", "-o", out / "later.o")
    archive = run(compiler, "-print-file-name=libstdc++.a", capture_output=True).stdout.strip()
    (out / "libc.so").write_text(f"GROUP ( {out}/libc.so.6 {out}/libc_nonshared.a {out}/later.o )\n")
    (out / "libstdc++.so").write_text(f"GROUP ( {out}/libstdc++.so.6 {archive} )\n")
    # fmt's own library needs a later glibc, so its functions are compiled with those that call them
    (out / "fmt-config.cmake").write_text("find_path(fmt_include fmt/format.h)\n"
                                          "add_library(fmt::fmt INTERFACE IMPORTED)\n"
                                          "target_include_directories(fmt::fmt INTERFACE ${fmt_include})\n"
                                          "target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)\n")


main()
