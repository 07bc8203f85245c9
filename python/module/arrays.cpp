#include "arrays.hpp"

#include <nanobind/typing.h>

#include "arguments.hpp"
#include "axes.hpp"
#include "deliver.hpp"
#include "framework.hpp"
#include "move.hpp"
#include "refuse.hpp"
#include "streams.hpp"

using namespace nanobind::literals;

namespace cornerturn::python {
namespace {

nb::object permute(nb::handle x, nb::handle axes, nb::handle out, nb::handle stream) {
  if (axes.is_none()) refuse(PyExc_TypeError, "axes", "None", "a sequence of integers");
  auto source = look(x, "x");
  permute_modes(source, axes);
  return deliver(x, source, out, stream, move);
}

nb::object transpose(nb::handle x, nb::handle axes, nb::handle out, nb::handle stream) {
  auto source = look(x, "x");
  permute_modes(source, axes);
  return deliver(x, source, out, stream, move);
}

nb::object ascontiguous(nb::handle x, nb::handle order, nb::handle out, nb::handle stream) {
  auto const asked = PyUnicode_Check(order.ptr()) ? text_of(order) : "";
  if (asked != "C" && asked != "F") refuse(PyExc_ValueError, "order", repr_of(order), "'C' or 'F'");
  auto source = look(x, "x");
  bool const fortran = asked == "F", is_new = out.is_none();
  if (is_new && is_dense(source, fortran)) {
    expect_stream(stream, source);
    return source.is_resolved ? source.owner : nb::borrow(x);
  }
  if (is_new && fortran) {
    permute_modes(source, nb::none());
    return source.of->reversed(deliver(x, source, out, stream, move));
  }
  if (!is_new) {
    auto const given = look(out, "out");
    if (!is_dense(given, fortran))
      refuse(PyExc_ValueError, "out.strides", text_of(tuple_of(given.strides())),
             fmt::format("those of a dense array in order '{}'", asked));
  }
  return deliver(x, source, out, stream, move);
}

void copy(nb::handle src, nb::handle dst, nb::handle stream) {
  auto const source = look(src, "src"), destination = look(dst, "dst");
  expect_fitting(source, "src", destination, "dst");
  stream_of_call const work(stream, src, source, dst, destination, false);
  move(source, destination, "dst", work.get());
  work.finish();
}

}  // namespace

void add_arrays(nb::module_& m) {
  m.attr("Array") = nb::type_var("Array");
  m.def(
      "permute", strict(permute, "permute(x, axes, *, out=None, stream=None)", {{"x"}, {"axes"}}), nb::arg().none() = missing(),
      nb::arg().none() = missing(), "positional"_a, "out"_a = nb::none(), "stream"_a = nb::none(), "named"_a,
      nb::sig("def permute(x: Array, axes: collections.abc.Sequence[typing.SupportsIndex] | numpy.typing.NDArray[numpy.integer], "
              "*, out: Array | None = None, stream: object = None) -> Array"),
      R"(Copies an array with its axes in another order, bit for bit.

Axis i of the result is axis axes[i] of x, as in numpy.transpose; negative axes count from the end.

Parameters
----------
x : array of NumPy, PyTorch or CuPy, or of another that has DLPack or __cuda_array_interface__
    Of any shape up to 64 axes, any strides and any dtype whose elements are plain bytes.
axes : sequence of int
    A permutation of x's axes.
out : array, optional
    Takes the result: of its shape, and of x's dtype and device, writable, and in any layout whose elements lie apart. It must
    begin behind the last byte of x or end before its first: x[1::2] is no out for x[::2], though they share no element.
stream : int or stream, optional
    The CUDA stream for arrays on a GPU. By default it is the current one of x's framework, and ordered with that of out's.

Returns
-------
out, or a new array in C order, of x's framework, dtype and device. On a GPU it is filled when the stream comes to it.

Raises
------
ValueError
    axes that are no permutation; an out of another shape, dtype or device, read-only, or that overlaps x or itself; a shape of
    more bytes than 64 bits count.
TypeError
    What is no array, holds objects, or is sparse, masked or quantized; an argument that is missing or unknown.
BufferError
    An array whose memory its framework does not export.
MemoryError
    There is no memory for a new array.
RuntimeError
    CUDA failed.

Examples
--------
>>> import cornerturn, numpy as np
>>> images = np.zeros((8, 224, 160, 3), np.uint8)
>>> cornerturn.permute(images, (0, 3, 1, 2)).shape
(8, 3, 224, 160)
>>> planes = np.empty((8, 3, 224, 160), np.uint8)
>>> cornerturn.permute(images, (0, 3, 1, 2), out=planes) is planes
True
>>> cornerturn.permute(images, (0, 1, 1, 2))
Traceback (most recent call last):
ValueError: axes is (0, 1, 1, 2); it must be a permutation of 0 to 3 for an array of rank 4
)");
  m.def("transpose", strict(transpose, "transpose(x, axes=None, *, out=None, stream=None)", {{"x"}, {"axes", nb::none()}}),
        nb::arg().none() = missing(), nb::arg().none() = missing(), "positional"_a, "out"_a = nb::none(), "stream"_a = nb::none(),
        "named"_a,
        nb::sig("def transpose(x: Array, axes: collections.abc.Sequence[typing.SupportsIndex] | "
                "numpy.typing.NDArray[numpy.integer] | None"
                " = None, *, out: Array | None = None, stream: object = None) -> Array"),
        R"(What permute does, with all axes reversed where none are given, as in numpy.transpose; but the result is a copy.

Examples
--------
>>> import cornerturn, numpy as np
>>> cornerturn.transpose(np.array([[1, 2, 3], [4, 5, 6]]))
array([[1, 4],
       [2, 5],
       [3, 6]])
)");
  m.def("ascontiguous",
        strict(ascontiguous, "ascontiguous(x, order='C', *, out=None, stream=None)", {{"x"}, {"order", nb::str("C").release()}}),
        nb::arg().none() = missing(), nb::arg().none() = missing(), "positional"_a, "out"_a = nb::none(), "stream"_a = nb::none(),
        "named"_a,
        nb::sig("def ascontiguous(x: Array, order: typing.Literal['C', 'F'] = 'C', *, out: Array | None = None, stream: object = "
                "None) -> Array"),
        R"(The elements of x without gaps, in C order or ('F') in Fortran's: x itself where it is so already, else a copy.

x, out, stream and what is raised are those of permute; an out must be without gaps, too, and is then always filled.

Examples
--------
>>> import cornerturn, numpy as np
>>> x = np.arange(6).reshape(2, 3)
>>> cornerturn.ascontiguous(x) is x
True
>>> cornerturn.ascontiguous(x.T).strides == (16, 8), cornerturn.ascontiguous(x, "F").strides == (8, 16)
(True, True)
)");
  m.def("copy", strict(copy, "copy(src, dst, *, stream=None)", {{"src"}, {"dst"}}), nb::arg().none() = missing(),
        nb::arg().none() = missing(), "positional"_a, "stream"_a = nb::none(), "named"_a,
        nb::sig("def copy(src: object, dst: object, *, stream: object = None) -> None"),
        R"(Copies src to dst, element by element: two arrays of one shape, one dtype and one device, each in its layout.

What permute says of x and out holds for src and dst: neither may begin between the first and the last byte of the other, so
a[::2] is not copied to a[1::2]. A mode of src may repeat (stride 0).

Examples
--------
>>> import cornerturn, numpy as np
>>> mirrored = np.empty((2, 3), int)
>>> cornerturn.copy(np.array([[1, 2, 3], [4, 5, 6]])[:, ::-1], mirrored)
>>> mirrored
array([[3, 2, 1],
       [6, 5, 4]])
)");
}

}  // namespace cornerturn::python
