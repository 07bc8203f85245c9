# %% [markdown]
# # cornerturn with NumPy
# Run it as a script, or cell by cell in an editor with support for `# %%`.

# %% A transposed copy: NumPy uses one thread, column by column; cornerturn uses all threads, tile by tile.
import time

import cornerturn
import numpy as np

x = np.arange(4096 * 4096, dtype=np.float32).reshape(4096, 4096)


def milliseconds(work, repeats=5):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return 1000 * min(times)


assert np.array_equal(cornerturn.transpose(x), x.T)
print(f"np.ascontiguousarray(x.T)   {milliseconds(lambda: np.ascontiguousarray(x.T)):7.1f} ms")
print(f"cornerturn.transpose(x)     {milliseconds(lambda: cornerturn.transpose(x)):7.1f} ms")

# %% An existing result array, for which the system need not allocate new pages.
out = np.empty_like(x)
print(f"np.copyto(out, x.T)         {milliseconds(lambda: np.copyto(out, x.T)):7.1f} ms")
print(f"transpose(x, out=out)       {milliseconds(lambda: cornerturn.transpose(x, out=out)):7.1f} ms")

# %% Any permutation of axes, any strides, any dtype without Python objects. The program `cornerturn` permutes images.npy, written here.
images = np.random.default_rng(0).integers(0, 256, (16, 224, 224, 3), np.uint8)
planes = cornerturn.permute(images, (0, 3, 1, 2))  # NHWC to NCHW
upside_down = cornerturn.permute(images[:, ::-1], (0, 3, 1, 2))
np.save("images.npy", images)
assert np.array_equal(planes, images.transpose(0, 3, 1, 2)) and np.array_equal(upside_down, planes[:, :, ::-1])

stars = np.zeros((300, 200), [("name", "S7"), ("magnitude", "f4")])
assert cornerturn.transpose(stars).dtype == stars.dtype
assert cornerturn.transpose(stars["magnitude"]).shape == (200, 300)

# %% copy writes to a part of another array.
canvas = np.zeros((3, 300, 300), np.uint8)
cornerturn.copy(images[0].transpose(2, 0, 1), canvas[:, 10:234, 20:244])
assert np.array_equal(canvas[:, 10:234, 20:244], images[0].transpose(2, 0, 1))

# %% A plan describes its kernel and can be used many times.
plan = cornerturn.plan(images, (0, 3, 1, 2))
print(plan.describe())
assert np.array_equal(plan(images), images.transpose(0, 3, 1, 2))
