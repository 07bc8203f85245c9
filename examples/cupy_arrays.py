# %% [markdown]
# # cornerturn with CuPy
# Run it as a script, or cell by cell in an editor with support for `# %%`.

# %% A permuted copy, in place of cupy.ascontiguousarray(x.transpose(...)).
import cornerturn
import cupy

x = cupy.random.random((16, 56, 56, 64), dtype=cupy.float32)
y = cornerturn.permute(x, (0, 3, 1, 2))
assert isinstance(y, cupy.ndarray) and cupy.array_equal(y, x.transpose(0, 3, 1, 2))

# %% The work is enqueued on CuPy's current stream.
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    doubled = x * 2
    planes = cornerturn.permute(doubled, (0, 3, 1, 2))
stream.synchronize()
assert cupy.array_equal(planes, (x * 2).transpose(0, 3, 1, 2))

# %% A plan for arrays with the same layout, with an existing result array.
plan = cornerturn.plan(x, (0, 3, 1, 2))
assert plan(x, y) is y
print(plan.describe())
