"""The rungs of the ladder in its order, as the program lists them."""

RUNGS = [
    "copy", "copy-tma", "naive-read", "naive-write", "smem-conflict-read", "smem-conflict-write", "smem-padded", "smem-swizzled",
    "vec-conflict-read", "vec-padded", "vec-swizzled", "vec-both", "tma-store", "tma-conflict", "tma", "register",
    "register-shuffle",
]
