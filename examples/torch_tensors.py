# %% [markdown]
# # cornerturn with PyTorch
# On the GPU if there is one. Run it as a script, or cell by cell in an editor with support for `# %%`.

# %% Attention heads by a pattern of einops, and a permuted copy; on a GPU they are enqueued on torch's current stream.
import cornerturn
import cornerturn.torch
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(8, 512, 1024, device=device, dtype=torch.bfloat16)
heads = cornerturn.rearrange(x, "b t (h d) -> b h t d", h=16)  # attention heads
keys = cornerturn.permute(heads, (0, 1, 3, 2))  # was heads.permute(0, 1, 3, 2).contiguous()
assert torch.equal(heads, x.view(8, 512, 16, 64).transpose(1, 2)) and torch.equal(keys, heads.transpose(2, 3))

# %% An existing result, which saves its allocation.
x = torch.randn(16, 56, 56, 64, device=device, dtype=torch.bfloat16)
y = cornerturn.permute(x, (0, 3, 1, 2))
assert y.is_contiguous() and torch.equal(y, x.permute(0, 3, 1, 2))

out = torch.empty_like(y)
assert cornerturn.permute(x, (0, 3, 1, 2), out=out) is out

# %% NumPy arrays and torch tensors in one call.
if device == "cpu":
    import numpy as np
    matrix = np.empty((64, 32), np.float32)
    cornerturn.transpose(torch.randn(32, 64), out=matrix)

# %% The operator supports autograd and torch.compile.
weights = torch.randn(3, 4, 5, device=device, requires_grad=True)
cornerturn.torch.permute(weights, (2, 0, 1)).sum().backward()
assert torch.equal(weights.grad, torch.ones_like(weights))


@torch.compile(fullgraph=True, backend="eager")
def scaled(t):
    return cornerturn.torch.permute(t, (0, 3, 1, 2)) * 2


assert torch.equal(scaled(x), x.permute(0, 3, 1, 2) * 2)

# %% Channels last, in both directions.
nchw = torch.randn(8, 32, 28, 28, device=device)
last = cornerturn.torch.contiguous(nchw, memory_format=torch.channels_last)
assert last.is_contiguous(memory_format=torch.channels_last) and torch.equal(last, nchw)
assert cornerturn.torch.contiguous(last).is_contiguous()

# %% PyTorch's own copies, until disable().
cornerturn.torch.enable()
keys = heads.transpose(2, 3).contiguous()  # the same: PyTorch's own copies run on cornerturn where it is faster
assert cornerturn.torch.report().devices and torch.equal(keys, cornerturn.permute(heads, (0, 1, 3, 2)))
cornerturn.torch.disable()

# %% In a CUDA graph, after one call has made the plan.
if device == "cuda":
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        cornerturn.permute(x, (0, 3, 1, 2), out=out)
    x.normal_()
    graph.replay()
    assert torch.equal(out, x.permute(0, 3, 1, 2))

print(f"all examples ran on {device}")
