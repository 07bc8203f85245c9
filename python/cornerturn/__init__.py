"""Transposes matrices and permutes arrays at the speed of a copy."""

from ._cornerturn import __version__, permute

__all__ = ["__version__", "permute"]
