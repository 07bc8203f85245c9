"""Transposes a matrix whose rows are divided among the GPUs of this machine, by one process.

Without a GPU it has two blocks in host memory.
"""

import torch
from cornerturn.distributed import Sharding, permute_blocks

devices = [f"cuda:{number}" for number in range(torch.cuda.device_count())] or ["cpu", "cpu"]
rows, columns = 1024 * len(devices), 768 * len(devices)
matrix = torch.arange(rows * columns, dtype=torch.float32).reshape(rows, columns)
blocks = [block.to(device) for block, device in zip(matrix.chunk(len(devices)), devices)]

# Rows are divided among the GPUs; in the result, columns are. Each GPU writes into the memory of the others.
divided = Sharding((len(devices),), (0,))
turned = permute_blocks(blocks, (1, 0), shape=(rows, columns), source=divided, destination=divided)

assert all(torch.equal(mine.cpu(), wanted) for mine, wanted in zip(turned, matrix.t().chunk(len(devices))))
print(len(turned), "blocks of", tuple(turned[0].shape))
