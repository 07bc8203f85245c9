#include <nanobind/stl/string.h>

#include <cornerturn/cornerturn.hpp>

#include "axes.hpp"
#include "framework.hpp"
#include "move.hpp"

using namespace nanobind::literals;

namespace cornerturn::python {
namespace {

nb::object permute(nb::handle x, nb::handle axes, nb::handle out, nb::handle stream) {
  auto source = look(x, "x");
  permute_modes(source, axes);
  return deliver(x, source, out, stream);
}

void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (error const& e) {
    PyErr_SetString(e.kind() == error_kind::argument ? PyExc_ValueError : PyExc_RuntimeError, e.what());
  }
}

}  // namespace

NB_MODULE(_cornerturn, m) {
  nb::register_exception_translator(translate);
  m.attr("__version__") = info().version;
  m.def("permute", permute, "x"_a, "axes"_a.none(), nb::kw_only(), "out"_a = nb::none(), "stream"_a = nb::none());
}

}  // namespace cornerturn::python
