"""The reference of the Python package from the docstrings of its modules and of the stubs of its extension, which are read and not
imported, so that neither PyTorch nor JAX must be there."""

import re

import griffe
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring

MODULES = {"cornerturn": "Arrays", "cornerturn.torch": "PyTorch", "cornerturn.jax": "JAX", "cornerturn.dask": "dask",
           "cornerturn.distributed": "Ranks", "cornerturn.torch.distributed": "DTensor", "cornerturn.images": "Images",
           "cornerturn.xarray": "xarray", "cornerturn.fp8": "8-bit floats", "cornerturn.formats": "Formats"}
CONFIG = Config(napoleon_use_rtype=False, napoleon_use_ivar=True)


def indented(text, by=3):
    return "\n".join(" " * by + line if line else "" for line in text.splitlines())


def docstring(thing):
    """The docstring as reStructuredText, in which an underscore at the end of a word outside of code would be a link."""
    if not thing.docstring:
        return ""
    lines = [line if line.lstrip().startswith((">>>", "...")) else
             "".join(part if part.startswith("`") else re.sub(r"(?<=\w)_(?!\w)", r"\\_", part) for part in re.split("(`[^`]*`)", line))
             for line in thing.docstring.value.splitlines()]
    # documents are named by their files, which readers of help() have
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r":doc:`/\1`", str(NumpyDocstring(lines, CONFIG)))


def parameters(function):
    """The parameters without the types, which the docstring tells."""
    shown, keyword_only = [], False
    for each in function.parameters:
        if each.name == "self":
            continue
        if each.kind is griffe.ParameterKind.keyword_only and not keyword_only:
            keyword_only = True
            shown.append("*")
        star = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(each.kind, "")
        keyword_only |= star == "*"
        shown.append(star + each.name + (f"={each.default}" if each.default is not None and not star else ""))
    return ", ".join(shown)


def directive(kind, signature, body):
    return f".. py:{kind}:: {signature}\n\n{indented(body)}\n"


def described(name, thing):
    """The directive of a function or class, with its documented members."""
    if thing.is_function:
        return directive("function", f"{name}({parameters(thing)})", docstring(thing))
    if not thing.is_class:
        return ""
    bases = ", ".join(f"`{str(base).rpartition('.')[2]}`" for base in thing.bases)
    parts = [docstring(thing), f"Bases: {bases}" if bases else ""]
    for member_name, member in thing.members.items():
        if member.docstring and not member_name.startswith("_"):
            kind, shown = ("attribute", member_name) if member.is_attribute else ("method", f"{member_name}({parameters(member)})")
            parts.append(directive(kind, shown, docstring(member)))
        elif member_name == "__call__" and member.docstring:
            parts.append(directive("method", f"__call__({parameters(member)})", docstring(member)))
    kind = "exception" if name.endswith("Error") else "class"
    return directive(kind, name, "\n\n".join(part for part in parts if part))


def page(module_name, module):
    """The page of a module: its functions, classes and exceptions in the order of their names."""
    public = {name: module.members[name] for name in map(str, module.exports) if name in module.members}
    things = {name: each.final_target if each.is_alias else each for name, each in public.items()}
    order = lambda name: (not things[name].is_function, name.endswith("Error"), name)
    body = "\n".join(described(name, things[name]) for name in sorted(things, key=order))
    title = f"{module_name}: {MODULES[module_name]}"
    return f"{title}\n{'=' * len(title)}\n\n.. default-role:: code\n\n.. py:module:: {module_name}\n\n{docstring(module)}\n\n{body}"


def pages(folder):
    """The pages by name, from the package in the folder."""
    files = (folder / "cornerturn").rglob("*.py")
    names = {".".join(file.relative_to(folder).with_suffix("").parts).removesuffix(".__init__") for file in files}
    public = {name for name in names if "._" not in name}
    if missing := public - MODULES.keys():
        raise SystemExit(f"site: no page of site/python_api.py has {sorted(missing)}")
    loader = griffe.GriffeLoader(search_paths=[folder], allow_inspection=False)
    package = loader.load("cornerturn", submodules=True)
    loader.resolve_aliases(implicit=False)
    return {f"api/{name.replace('.', '-')}": page(name, package if name == "cornerturn" else package[name.partition(".")[2]])
            for name in MODULES}
