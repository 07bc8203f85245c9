"""Permutes the axes of any array, on GPU or CPU, at the speed of a copy."""

import copyreg as _copyreg
import operator as _operator

from ._cornerturn import (ArgumentError, ArgumentTypeError, CacheInfo, DeviceError, Error, ExchangeError, Explanation, Finding,
                          LaneAccess, MemoryInstruction, MemoryRequest, OutOfMemoryError, Plan, TileMap, Tuned, ascontiguous,
                          cache_clear, cache_info, copy, explain, num_threads, permute, plan, rung_names, set_num_threads,
                          transpose, tune, version as __version__)

__all__ = ["ArgumentError", "ArgumentTypeError", "CacheInfo", "DeviceError", "Error", "ExchangeError", "Explanation", "Finding",
           "LaneAccess", "MemoryInstruction", "MemoryRequest", "OutOfMemoryError", "Plan", "TileMap", "Tuned", "__version__",
           "ascontiguous", "cache_clear", "cache_info", "copy", "explain", "num_threads", "permute", "plan", "rung_names",
           "set_num_threads", "transpose", "tune"]

# Pickles nanobind's functions by name, like Python functions.
_copyreg.pickle(type(permute), _operator.attrgetter("__qualname__"))
