"""How messages show values that a caller gave."""

import typing


def shown(value: typing.Any) -> str:
    """A value in one line. The middle of a long one is left out, so that a message stays within what ranks tell one another."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 240 else f"{text[:160]} ... {text[-60:]}"


def listed(names: list[str]) -> str:
    """The names of a list: "a", "a or b", "a, b or c"."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
