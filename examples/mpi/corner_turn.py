"""Turns the corner of a distributed FFT with mpi4py: mpiexec -n 4 python -m mpi4py corner_turn.py"""

import numpy as np
from cornerturn.distributed import Sharding, permute
from mpi4py import MPI

ranks = MPI.COMM_WORLD
shape = planes, rows, columns = 60, 45, 16

# Planes are divided among the ranks; in the result, rows are, and the planes of a row stand side by side.
divided = Sharding(grid=(ranks.size,), axes=(0,))
mine, _, _ = divided.slices(shape, ranks.rank)  # the planes of this rank
slab = np.empty((mine.stop - mine.start, rows, columns), np.complex64)
slab[:] = np.arange(mine.start, mine.stop)[:, None, None]

turned = permute(slab, (1, 2, 0), shape=shape, source=divided, destination=divided, group=ranks)
spectrum = np.fft.fft(turned)  # along the planes, which are local now

assert np.array_equal(turned, np.broadcast_to(np.arange(planes), turned.shape))
if ranks.rank == 0:
    print(turned.shape)
