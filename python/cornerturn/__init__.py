"""Transposes matrices and permutes arrays at the speed of a copy."""

from ._cornerturn import __version__, ascontiguous, copy, permute, transpose

__all__ = ["__version__", "ascontiguous", "copy", "permute", "transpose"]
