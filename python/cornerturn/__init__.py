"""Transposes matrices and permutes arrays at the speed of a copy."""

from ._cornerturn import (CacheInfo, Explanation, Plan, Tuned, __version__, ascontiguous, cache_clear, cache_info, copy, explain,
                          num_threads, permute, plan, rung_names, set_num_threads, transpose, tune)

__all__ = ["CacheInfo", "Explanation", "Plan", "Tuned", "__version__", "ascontiguous", "cache_clear", "cache_info", "copy",
           "explain", "num_threads", "permute", "plan", "rung_names", "set_num_threads", "transpose", "tune"]
