"""Permutes the axes of any array, on GPU or CPU, at the speed of a copy."""

from ._cornerturn import *
from ._cornerturn import _version

__version__: str = _version

__all__ = ["ArgumentError", "ArgumentTypeError", "AxisError", "CacheInfo", "CodeExplanation", "CodeSuggestion", "DeviceError", "Error",
           "ExchangeError", "Explanation", "Finding", "LaneAccess", "LayoutExplanation", "MemoryInstruction", "MemoryRequest",
           "OutOfMemoryError", "Plan", "TileMap", "Tuned", "__version__", "ascontiguous", "cache_clear", "cache_info", "copy", "explain",
           "explain_code", "layout", "matrix_transpose", "moveaxis", "num_threads", "permute", "permute_dims", "permute_inplace", "plan",
           "plan_rearrange", "rearrange", "rollaxis", "rung_names", "set_num_threads", "swapaxes", "transpose", "transpose_inplace", "tune"]
