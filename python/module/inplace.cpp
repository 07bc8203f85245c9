#include "module.hpp"

#include <algorithm>
#include <cornerturn/inplace.hpp>
#include <limits>

#include "arguments.hpp"
#include "axes.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

/// Describes an array. Throws unless it is dense memory that the caller may write to.
view writable_view_of(nb::handle x) {
  auto const* const owner = owner_of(x);
  if (!owner || !owner->has_writable_arrays())
    refuse(PyExc_TypeError, "x", kind_of(x),
           fmt::format("an array of NumPy, PyTorch or CuPy{}",
                       is_path(x) ? "; the command cornerturn transpose --inplace permutes a file" : ""));
  auto array = owner->view_of(x, "x");
  expect_writable(array, "x");
  if (array.rank > 1 && !is_dense(array) && is_dense(array, true))
    refuse(PyExc_ValueError, "x", "in Fortran order",
           "dense in C order, as x.T, whose axes are those of x from the last to the first");
  expect_dense(array, "x");
  return array;
}

/// Converts the argument `workspace`: bytes, or None for the usual limit.
std::int64_t workspace_of(nb::handle given) {
  return given.is_none() ? -1 : integer_of(given, "workspace", 0, std::numeric_limits<std::int64_t>::max());
}

nb::object transpose_in_place(nb::handle x, nb::handle given_axes, nb::handle workspace, nb::handle stream, nb::handle threads) {
  int const limit = threads_of(threads);
  auto const most_workspace = workspace_of(workspace);
  axes_argument const order(given_axes);
  auto const array = writable_view_of(x);
  auto const axes = order.of(array.rank);
  auto permuted = array;
  permute_modes(permuted, axes);
  call_stream const work(stream, x, array, x, array, false);
  if (!array.is_empty()) {
    inplace_options options{.processor = processor_kind::cpu, .threads = limit, .workspace = most_workspace};
    if (array.device != kHost) options = {.stream = work.get(), .device = array.device, .workspace = most_workspace};
    {
      gil_release const released(should_release_gil(array));
      permute_inplace(array.data, array.shape(), axes.list(), array.item_size, options);
    }
    array.of->note_write(x);
  }
  work.finish();
  if (std::ranges::equal(permuted.shape(), array.shape())) return nb::borrow(x);
  return array.of->reshaped(x, tuple_of(permuted.shape()));
}

nb::object permute_in_place(nb::handle x, nb::handle axes, nb::handle workspace, nb::handle stream, nb::handle threads) {
  if (axes.is_none()) refuse(PyExc_TypeError, "axes", "None", "a sequence of integers");
  return transpose_in_place(x, axes, workspace, stream, threads);
}

}  // namespace

void add_inplace(nb::module_& m) {
  builtin<permute_in_place>::add(m,
                                 "permute_inplace(x: Array, axes: Axes, *, workspace: SupportsIndex | None = None, "
                                 "stream: object = None, threads: SupportsIndex = 0) -> Array",
                                 R"(Permutes the axes of an array within its memory, bit for bit, without a second array.

Axis i of the result is axis axes[i] of x before the call, as in numpy.transpose; negative axes count from the end. All axes are
supported. Two axes that are exchanged, as in the transpose of a matrix, take one pass over the array if their extents are equal, else
two; other axes take a sequence of such exchanges. Consecutive axes that stay together count as one.

Parameters
----------
x : array of NumPy, PyTorch or CuPy
    Up to 64 axes, dense in C order, writable, any dtype without Python objects. Other arrays and views of this
    memory see the permuted elements in their own old shapes, and the header of a mapped .npy file keeps its own. PyTorch's autograd
    is told of the write.
axes : sequence of int
    A permutation of the axes of x.
workspace : int, optional
    The limit of the workspace in bytes. Default: the larger of 2 % of the array and 8 MB. Only axes of unequal extents may need a
    workspace, often a smaller one, which the call allocates.
stream : int or stream, optional
    The CUDA stream for arrays on a GPU. Default: the current stream of the framework of x.
threads : int
    As in permute.

Returns
-------
array
    An array of the permuted shape over the memory of x: x itself if its shape stays the same, else a view. On a GPU it is permuted
    in stream order. A second call with the inverse axes restores the elements.

Raises
------
ValueError
    axes is not a permutation, or it exchanges axes that are too long (docs/inplace.md); x is not dense in C order (slices, broadcast and transposed views),
    read-only, or tracked by autograd; workspace is negative or too small, and then the message has the least that would do. No
    element has moved.
TypeError
    x is not an array of these frameworks, contains Python objects, or is sparse, masked or quantized.
MemoryError
    There is no memory for the workspace, and no element has moved; or the CPU's threads find none for their tiles.
RuntimeError
    A CUDA call failed. This and the CPU's threads without memory are the only errors after which elements may have moved.

Examples
--------
>>> import cornerturn, numpy as np
>>> x = np.arange(9).reshape(3, 3)
>>> cornerturn.permute_inplace(x, (1, 0)) is x
True
>>> x
array([[0, 3, 6],
       [1, 4, 7],
       [2, 5, 8]])
>>> cornerturn.permute_inplace(np.zeros((2, 3, 6)), (2, 0, 1)).shape
(6, 2, 3)
>>> cornerturn.transpose_inplace(np.arange(6).reshape(2, 3))
array([[0, 3],
       [1, 4],
       [2, 5]])
)");
  builtin<transpose_in_place>::add(
      m,
      "transpose_inplace(x: Array, axes: Axes | None = None, *, workspace: SupportsIndex | None = None, "
      "stream: object = None, threads: SupportsIndex = 0) -> Array",
      R"(Like permute_inplace, but axes defaults to all axes reversed.

Returns
-------
array
    As in permute_inplace.

Raises
------
ValueError, TypeError, MemoryError, RuntimeError
    As in permute_inplace.

Examples
--------
>>> import cornerturn, numpy as np
>>> cornerturn.transpose_inplace(np.array([[1, 2], [3, 4]]))
array([[1, 3],
       [2, 4]])
)");
}

}  // namespace cornerturn::python
