#include "module.hpp"

#include <nanobind/typing.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "dtypes.hpp"
#include "fill_result.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "operations.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

nb::object permute(nb::handle given, nb::handle axes, nb::handle out, nb::handle stream, nb::handle threads, nb::handle dtype,
                   nb::handle alpha, nb::handle beta, nb::handle conj, nb::handle saturate, nb::handle scale, nb::handle bias) {
  if (axes.is_none()) refuse(PyExc_TypeError, "axes", "None", "a sequence of integers");
  auto const x = array_of(given, "x");
  auto const& of = framework_of(x, "x");
  axes_argument const order(axes);
  int const limit = threads_of(threads);
  operation_arguments const operation{dtype, alpha, beta, conj, saturate, scale, bias};
  auto wanted = operation.only_have_dtype() ? read_dtype(dtype) : nb::object();
  auto source = of.view_of(x, "x");
  permute_modes(source, order);
  if (wanted.is_valid() && are_same_dtypes(source.dtype, wanted)) wanted = source.dtype;  // of the framework of x
  bool const keeps_bits = wanted.is_valid() && (wanted.is(source.dtype) || differ_in_byte_order(source.dtype, wanted));
  if (operation.are_default() || keeps_bits)
    return fill_result(x, source, out, stream, limit, keeps_bits ? wanted : nb::handle());
  return fill_changed(x, source, operation, out, stream, limit);
}

nb::object transpose(nb::handle given, nb::handle axes, nb::handle out, nb::handle stream, nb::handle threads) {
  axes_argument const order(axes);
  int const limit = threads_of(threads);
  auto const x = array_of(given, "x");
  auto source = view_of(x, "x");
  permute_modes(source, order);
  return fill_result(x, source, out, stream, limit);
}

/// The axes of an array from the slowest to the fastest in memory of an order: 'C', 'F' or 'K', the order of its strides.
index_list_argument axes_in_order(view const& array, std::string_view order) {
  index_list_argument axes{.size = array.rank, .numbers = {}};
  auto const used = std::span(axes.numbers).first(std::size_t(array.rank));
  std::iota(used.begin(), used.end(), 0);
  if (order == "F") std::ranges::reverse(used);
  auto const stride = [&](std::int64_t axis) { return std::uint64_t(std::abs(array.stride_bytes[std::size_t(axis)])); };
  if (order == "K") std::ranges::stable_sort(used, std::ranges::greater(), stride);
  return axes;
}

/// The axes that undo a permutation.
nb::object inverse_of(index_list_argument const& axes) {
  std::array<std::int64_t, kMaxRank> result;
  for (int i = 0; i < axes.size; ++i) result[std::size_t(axes.numbers[std::size_t(i)])] = i;
  return tuple_of({result.data(), std::size_t(axes.size)});
}

nb::object ascontiguous(nb::handle given, nb::handle order, nb::handle out, nb::handle stream, nb::handle threads) {
  auto const asked = PyUnicode_Check(order.ptr()) ? text_of(order) : "";
  if (asked != "C" && asked != "F" && asked != "K") refuse(PyExc_ValueError, "order", repr_of(order), "'C', 'F' or 'K'");
  int const limit = threads_of(threads);
  auto const x = array_of(given, "x");
  auto source = view_of(x, "x");
  auto const axes = axes_in_order(source, asked);
  auto const has_bytes = source.item_size > 0;  // NumPy's flags of items without bytes do not follow from their strides
  auto in_order = source;
  permute_modes(in_order, axes);
  if (out.is_none()) {
    if (has_bytes && is_dense(in_order)) {
      expect_stream(stream, source);
      return source.is_resolved ? source.owner : x;
    }
    auto const made = fill_result(x, in_order, out, stream, limit);
    return asked == "C" ? made : source.of->permuted(made, inverse_of(axes));
  }
  auto const seen = view_of(out, "out");
  expect_shape(seen, "out", source.shape());
  auto to = seen;
  permute_modes(to, axes);
  if (!is_dense(to))
    refuse(PyExc_ValueError, "out.strides", text_of(tuple_of(seen.strides())),
           fmt::format("those of a dense array in order '{}'", asked));
  return fill_result(x, source, out, stream, limit);
}

}  // namespace

void add_arrays(nb::module_& m) {
  if (is_for_stubs()) m.attr("Array") = nb::type_var("Array");
  builtin<permute>::add(m,
                        "permute(x: Array, axes: Axes, *, out: Array | None = None, stream: object = None, "
                        "threads: SupportsIndex = 0, dtype: object = None, alpha: complex = 1, beta: complex = 0, "
                        "conj: bool = False, saturate: bool = False, scale: object = None, bias: object = None) -> Array",
                        R"(Copies an array with its axes permuted, bit for bit or with its elements changed.

Axis i of the result is axis axes[i] of x, as in numpy.transpose; negative axes count from the end.

Parameters
----------
x : array of NumPy, PyTorch or CuPy, or with DLPack or __cuda_array_interface__
    Up to 64 axes, any strides, any dtype without Python objects. Of a list, a tuple, a range, a number or a buffer such as a memoryview NumPy
    makes an array.
axes : sequence of int
    A permutation of the axes of x; of a vector also the number 0.
out : array, optional
    Receives the result. It has the shape and dtype of the result and the device of x, is writable, and its elements do not
    overlap. If its byte order differs, the bytes of the elements are swapped. Its address range must not overlap that of x:
    x[1::2] cannot be out for x[::2], though they share no element.
    An array that was written before is much faster than a new one for results of about 32 MB or more in host memory, because the
    system must clear the pages of a new array. Smaller arrays, and those of torch and CuPy on a GPU, get memory that was used
    before.
stream : int or stream, optional
    The CUDA stream for arrays on a GPU. Default: the current stream of the framework of x, ordered with that of out's.
threads : int
    Maximum number of threads for arrays in host memory; 0: no limit besides that of `set_num_threads`.
dtype : dtype or str, optional
    The dtype of the result: bool, an integer or a float of 8 to 64 bits, or a complex number of 64 or 128 bits. It is a dtype of
    NumPy or PyTorch, its name, or NumPy's code, whose digits count bytes: 'u1', 'f4', '<f4', '>f4'. NumPy needs ml_dtypes for bfloat16 and
    the 8-bit floats. The dtype of x, which may be any, changes nothing, and one that differs in the byte order swaps bytes. Default:
    that of x.
alpha, beta : number
    The result is alpha * x + beta * out, computed with 64 bits if x or the result has 64-bit integers, float64 or complex128, else
    with 32 bits, and rounded once, to the nearest. Integer results are truncated and limited to their range. Without alpha and
    beta, integers become others modulo their size, as in numpy.ndarray.astype.
conj : bool
    Conjugate the elements of x.
saturate : bool
    Numbers beyond the range of an 8-bit float become its largest number; else infinite, or NaN in a type without infinities, such as
    float8_e4m3fn.
    It is refused for a result of another dtype. Floats that become integers are limited to their range in any case.
scale, bias : array, optional
    Factors and summands instead of alpha and beta: the result is scale * x + bias, computed and rounded once like alpha * x. Both
    have one shape, which broadcasts to that of the result, e.g. (3, 1, 1) for the channels of images in planes. For an x in host
    memory they may be any numbers. For an x on a GPU they are dense arrays there, of float64 if 64 bits are computed with, else of
    float32, and must not change before the work is done. Neither may share memory with out.

Returns
-------
array
    out, or a new array in C order with the framework and device of x. On a GPU it is filled in stream order.

Raises
------
IndexError
    axes is not a permutation. The exception is a ValueError, too, and NumPy's AxisError once NumPy is imported.
ValueError
    scale or bias does not broadcast, has another shape than the other, is given with alpha, beta or
    complex numbers, or overlaps out; out has another shape, dtype or device, is read-only, is exported by DLPack as a copy, or
    overlaps x or itself; the size exceeds 64 bits; beta is given without out; saturate is given without a result of 8-bit floats; a
    complex x would become real.
TypeError
    x or out is not an array, contains Python objects, or is sparse, masked or quantized; an argument is missing or unknown.
BufferError
    The framework does not export the memory of x or out.
MemoryError
    A new array cannot be allocated.
RuntimeError
    A CUDA call failed.

Examples
--------
>>> import cornerturn, numpy as np
>>> images = np.zeros((8, 224, 160, 3), np.uint8)
>>> cornerturn.permute(images, (0, 3, 1, 2)).shape
(8, 3, 224, 160)
>>> planes = np.empty((8, 3, 224, 160), np.uint8)
>>> cornerturn.permute(images, (0, 3, 1, 2), out=planes) is planes
True
>>> cornerturn.permute(images, (0, 3, 1, 2), dtype="float32", alpha=1 / 255).dtype
dtype('float32')
>>> cornerturn.permute(images, (0, 1, 1, 2))
Traceback (most recent call last):
cornerturn.AxisError: axes is (0, 1, 1, 2); it must be a permutation of 0 to 3 for an array of rank 4
)");
  builtin<transpose>::add(
      m,
      "transpose(x: Array, axes: Axes | None = None, *, out: Array | None = None, "
      "stream: object = None, threads: SupportsIndex = 0) -> Array",
      documented("Like permute, but axes defaults to all axes reversed. Unlike numpy.transpose it returns a copy.",
                 "out, or a new array, as in permute.", "As in permute.",
                 R"(>>> cornerturn.transpose(np.array([[1, 2, 3], [4, 5, 6]]))
array([[1, 4],
       [2, 5],
       [3, 6]]))"));
  builtin<ascontiguous>::add(
      m,
      "ascontiguous(x: Array, order: Literal['C', 'F', 'K'] = 'C', *, out: Array | None = None, stream: object = None, "
      "threads: SupportsIndex = 0) -> Array",
      documented(
          R"(Returns x as a contiguous array in C order, for 'F' in Fortran order, or for 'K' in the order of its strides: x itself if it already is, else a copy.

x, out, stream, threads and the exceptions are those of permute. out must be contiguous in that order and is always filled.)",
          "x itself, out, or a new array that is contiguous in the order.", "As in permute; also for an order other than these.",
          R"(>>> x = np.arange(6).reshape(2, 3)
>>> cornerturn.ascontiguous(x) is x
True
>>> cornerturn.ascontiguous(x.T).strides == (16, 8), cornerturn.ascontiguous(x, "F").strides == (8, 16)
(True, True))"));
}

}  // namespace cornerturn::python
