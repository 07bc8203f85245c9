"""Sequence-parallel attention: the sequence is divided among ranks, and for attention the heads are.

Run it by torchrun --nproc-per-node 4 torch_ranks.py
"""

import cornerturn.torch.distributed
import torch
import torch.distributed as dist
from cornerturn.distributed import Sharding, permute
from torch.distributed.tensor import DTensor, Shard, init_device_mesh

dist.init_process_group("gloo")
ranks, rank = dist.get_world_size(), dist.get_rank()
batch, sequence, heads, width = 2, 8 * ranks, 2 * ranks, 16
queries = torch.randn(batch, sequence // ranks, heads, width)

# (batch, sequence, heads, width), divided along the sequence, to (batch, heads, sequence, width), divided along the heads.
shape = (batch, sequence, heads, width)
by_sequence, by_heads = Sharding((ranks,), (1,)), Sharding((ranks,), (1,))
q = permute(queries, (0, 2, 1, 3), shape=shape, source=by_sequence, destination=by_heads)
attended = torch.nn.functional.scaled_dot_product_attention(q, q, q)

# The inverse: the axes are swapped back, and the sequence is divided again.
back = permute(q, (0, 2, 1, 3), shape=(batch, heads, sequence, width), source=by_heads, destination=by_sequence)

# The same with DTensor, which knows how it is divided: x.permute(axes).redistribute(placements=...) in one exchange.
by_tokens = DTensor.from_local(queries, init_device_mesh("cpu", (ranks,)), [Shard(1)])
heads_of_ranks = cornerturn.torch.distributed.permute(by_tokens, (0, 2, 1, 3), [Shard(1)])

assert torch.equal(back, queries) and attended.shape == (batch, heads // ranks, sequence, width)
assert torch.equal(heads_of_ranks.to_local(), q)
if rank == 0:
    print(q.shape)
dist.destroy_process_group()
