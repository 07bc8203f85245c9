"""Lets the environment variable CORNERTURN_TORCH=1 call cornerturn.torch.enable() in programs that do not name cornerturn.

PyTorch calls `start` at the end of `import torch`, through the entry point torch.backends. This is a package of its own, so that
`import torch` imports cornerturn only if the variable is set.
"""

import contextlib
import os
import sys
import warnings

_VARIABLE = "CORNERTURN_TORCH"


def start() -> None:
    """Calls cornerturn.torch.enable() if CORNERTURN_TORCH is 1. It never raises, because `import torch` would fail."""
    value = os.environ.get(_VARIABLE, "0")
    if value == "1":
        try:
            from cornerturn.torch import enable

            enable()
        except Exception as error:
            _warn(f"{_VARIABLE} is 1, but cornerturn.torch.enable() failed: {error}")
    elif value not in ("", "0"):
        _warn(f"{_VARIABLE} is {value!r}; it must be 1 or 0")


def _warn(message: str) -> None:
    """Warns, or prints the warning if a filter turns it into an exception."""
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    except Exception:
        with contextlib.suppress(Exception):
            sys.stderr.write(f"RuntimeWarning: {message}\n")
