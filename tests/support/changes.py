"""Changes of elements on the way between ranks, for tests of `cornerturn.distributed` with tensors of PyTorch."""

import cornerturn
import torch
from shardings import random_permutation

# The dtype of the source, and arguments of permute.
CHANGES = [(torch.float32, {"dtype": "bfloat16"}), (torch.bfloat16, {"dtype": torch.float32}), (torch.int32, {"dtype": "float64", "alpha": 0.5}),
           (torch.float64, {"dtype": "float32", "beta": 0.25}), (torch.complex64, {"conj": True}), (torch.complex64, {"alpha": 2j, "beta": 1}),
           (torch.float16, {"alpha": 3}), (torch.float32, {"dtype": "float8_e4m3fn", "saturate": True}), (torch.uint8, {"dtype": "bool"})]


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def random_change(seed, ranks, device="cpu"):
    """A whole array, its axes, the other arguments of permute by name, and the whole result before the call and after it, which is that of
    cornerturn.permute."""
    shape, axes, source, destination = random_permutation(seed, ranks)
    dtype, change = CHANGES[seed % len(CHANGES)]
    whole = torch.arange(1, 1 + torch.Size(shape).numel(), device=device).reshape(shape).to(dtype)
    made = getattr(torch, str(change.get("dtype", dtype)).split(".")[-1])
    before = torch.full([shape[axis] for axis in axes], 7, dtype=dtype, device=device).to(made)
    wanted = cornerturn.permute(whole, axes, out=before.clone(), **change)
    return whole, axes, {"shape": shape, "source": source, "destination": destination, **change}, before, wanted
