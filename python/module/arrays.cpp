#include "arrays.hpp"

#include "axes.hpp"
#include "framework.hpp"
#include "move.hpp"
#include "refuse.hpp"
#include "streams.hpp"

using namespace nanobind::literals;

namespace cornerturn::python {
namespace {

/// Fills `out`, or where it is None a new dense array beside x, with what `source` sees of x.
nb::object deliver(nb::handle x, view const& source, nb::handle out, nb::handle stream) {
  bool const is_new = out.is_none();
  auto const result = is_new ? source.of->empty(x, source, make_tuple(source.shape())) : nb::borrow(out);
  auto const destination = look(result, "out");
  if (!is_new) expect_fitting(source, "x", destination, "out");
  stream_of_call const work(stream, x, source, result, destination, is_new);
  move(source, destination, work.get());
  work.finish();
  return is_new ? source.of->finished(x, result) : result;
}

nb::object permute(nb::handle x, nb::handle axes, nb::handle out, nb::handle stream) {
  if (axes.is_none()) refuse(PyExc_TypeError, "axes", "None", "a sequence of integers");
  auto source = look(x, "x");
  permute_modes(source, axes);
  return deliver(x, source, out, stream);
}

nb::object transpose(nb::handle x, nb::handle axes, nb::handle out, nb::handle stream) {
  auto source = look(x, "x");
  permute_modes(source, axes);
  return deliver(x, source, out, stream);
}

nb::object ascontiguous(nb::handle x, nb::handle order, nb::handle out, nb::handle stream) {
  auto const asked = PyUnicode_Check(order.ptr()) ? text_of(order) : "";
  if (asked != "C" && asked != "F") refuse(PyExc_ValueError, "order", text_of(nb::repr(order)), "'C' or 'F'");
  auto source = look(x, "x");
  bool const fortran = asked == "F", is_new = out.is_none();
  if (is_new && is_dense(source, fortran)) return nb::borrow(x);
  if (is_new && fortran) {
    permute_modes(source, nb::none());
    return source.of->reversed(deliver(x, source, out, stream));
  }
  if (!is_new) {
    auto const given = look(out, "out");
    if (!is_dense(given, fortran))
      refuse(PyExc_ValueError, "the strides of out", text_of(make_tuple(given.strides())),
             fmt::format("those of a dense array in order '{}'", asked));
  }
  return deliver(x, source, out, stream);
}

void copy(nb::handle src, nb::handle dst, nb::handle stream) {
  auto const source = look(src, "src"), destination = look(dst, "dst");
  expect_fitting(source, "src", destination, "dst");
  stream_of_call const work(stream, src, source, dst, destination, false);
  move(source, destination, work.get());
  work.finish();
}

}  // namespace

void add_arrays(nb::module_& m) {
  m.def("permute", permute, "x"_a, "axes"_a.none(), nb::kw_only(), "out"_a = nb::none(), "stream"_a = nb::none());
  m.def("transpose", transpose, "x"_a, "axes"_a = nb::none(), nb::kw_only(), "out"_a = nb::none(), "stream"_a = nb::none());
  m.def("ascontiguous", ascontiguous, "x"_a, "order"_a = "C", nb::kw_only(), "out"_a = nb::none(), "stream"_a = nb::none());
  m.def("copy", copy, "src"_a, "dst"_a, nb::kw_only(), "stream"_a = nb::none());
}

}  // namespace cornerturn::python
