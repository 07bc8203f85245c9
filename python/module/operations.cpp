#include "operations.hpp"

#include <complex>
#include <cornerturn/cornerturn.hpp>
#include <tuple>
#include <utility>

#include "arguments.hpp"
#include "attribute.hpp"
#include "dtypes.hpp"
#include "framework.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

std::complex<double> factor_of(nb::handle given, std::string_view name) {
  if (PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "a number");
  auto const number = nb::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), given.ptr(), nullptr));
  if (!number.is_valid()) refuse_number(given, name);
  return {PyComplex_RealAsDouble(number.ptr()), PyComplex_ImagAsDouble(number.ptr())};
}

bool is_default(nb::handle given, long value) {
  if (PyBool_Check(given.ptr())) return is_true(given) == (value != 0);
  return PyLong_Check(given.ptr()) && try_int64(given) == value;
}

/// Reads scale or bias. For host memory it may be any sequence of numbers, which become an array of NumPy.
nb::object factor_array_of(nb::handle given, std::string_view name, view const& source, std::string const& dtype) {
  refuse_masked(given, name);
  if (source.device != kHost) return nb::borrow(given);
  try {
    // No imaginary part is dropped: complex numbers and text are of another kind than the dtype.
    auto const array = owned(PyObject_CallMethod(nb::module_::import_("numpy").ptr(), "asarray", "(O)", given.ptr()));
    return owned(
        PyObject_CallMethod(array.ptr(), "astype", "sssOO", dtype.c_str(), "C", "same_kind", Py_True, Py_False));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    refuse_because(e, PyExc_TypeError, name, repr_of(given), "real numbers");
  }
}

/// Describes scale or bias: memory that the device of x can read, whose shape broadcasts to that of the result.
view factors_of(nb::handle array, std::string_view name, view const& source, std::string_view source_name,
                std::string const& dtype) {
  auto const seen = view_of(array, name);
  auto const found = dtype_name(seen);
  if (found != dtype) refuse(PyExc_TypeError, fmt::format("{}.dtype", name), found, dtype);
  expect_same_device(source, source_name, seen, name);
  expect_dense(seen, name);
  bool broadcasts = seen.rank <= source.rank;
  for (int i = 1; broadcasts && i <= seen.rank; ++i) {
    auto const extent = seen.extents[std::size_t(seen.rank - i)];
    broadcasts = extent == 1 || extent == source.extents[std::size_t(source.rank - i)];
  }
  if (!broadcasts)
    refuse(PyExc_ValueError, fmt::format("{}.shape", name), text_of(tuple_of(seen.shape())),
           fmt::format("one that broadcasts to the result's, {}", text_of(tuple_of(source.shape()))));
  return seen;
}

/// The strides over the result of dense factors, whose shape broadcasts to the result's.
std::vector<std::int64_t> factor_strides_of(view const& factors, int rank) {
  std::vector<std::int64_t> strides(std::size_t(rank), 0);
  std::int64_t next = 1;
  for (int i = 1; i <= factors.rank; ++i) {
    auto const extent = factors.extents[std::size_t(factors.rank - i)];
    if (extent > 1) strides[std::size_t(rank - i)] = next;
    next *= extent;
  }
  return strides;
}

}  // namespace

bool operation_arguments::are_default() const {
  return dtype.is_none() && is_default(alpha, 1) && is_default(beta, 0) && is_default(conj, 0) && is_default(saturate, 0) &&
         scale.is_none() && bias.is_none();
}

bool operation_arguments::only_have_dtype() const {
  auto others = *this;
  others.dtype = Py_None;
  return !dtype.is_none() && others.are_default();
}

number_type number_named(std::string const& dtype, std::string_view name) {
  if (auto const found = number_of_dtype(dtype)) return *found;
  std::string all;
  for (auto const& each : kElementTypes) all += (all.empty() ? "" : ", ") + std::string(each.dtype);
  refuse(PyExc_TypeError, name, dtype, "a number, to change it: " + all);
}

element_operation operation_of(operation_arguments const& given, view const& source, std::string_view dtype_name) {
  auto const found = python::dtype_name(source);
  auto const from = number_named(found, dtype_name);
  element_operation result{.source = from.type,
                           .alpha = factor_of(given.alpha, "alpha"),
                           .beta = factor_of(given.beta, "beta"),
                           .conjugate = bool_of(given.conj, "conj"),
                           .saturate = bool_of(given.saturate, "saturate"),
                           .source_swapped = from.swapped};
  auto const to = given.dtype.is_none() ? from : number_named(read_dtype_name(given.dtype), "dtype");
  result.destination = to.type, result.destination_swapped = to.swapped;
  return result;
}

void expect_out_to_read(element_operation const& operation, nb::handle out) {
  if (out.is_none() && operation.beta != 0.0)
    refuse(PyExc_ValueError, "out", "None", "an array, whose elements are multiplied by beta");
}

factor_arrays add_factors(element_operation& operation, operation_arguments const& given, view const& source,
                          std::string_view name) {
  factor_arrays result;
  std::string const dtype = is_wide(operation.source) || is_wide(operation.destination) ? "float64" : "float32";
  // Both are read before one is described, because reading may run Python code that resizes the other.
  if (!given.scale.is_none()) result.scale.array = factor_array_of(given.scale, "scale", source, dtype);
  if (!given.bias.is_none()) result.bias.array = factor_array_of(given.bias, "bias", source, dtype);
  for (auto const& [factors_name, keeps, at] :
       {std::tuple{"scale", &result.scale, &operation.scale}, {"bias", &result.bias, &operation.bias}}) {
    if (!keeps->array.is_valid()) continue;
    auto const seen = factors_of(keeps->array, factors_name, source, name, dtype);
    keeps->bytes = range_of(seen, factors_name);
    auto const strides = factor_strides_of(seen, source.rank);
    if (operation.scale && strides != operation.factor_strides)
      refuse(PyExc_ValueError, "bias.shape", text_of(tuple_of(seen.shape())), "that of scale");
    *at = seen.data, operation.factor_strides = strides;
  }
  return result;
}

void factor_arrays::expect_apart(view const& written, std::string_view name) const {
  auto const range = range_of(written, name);
  for (auto const& [factors_name, bytes] : {std::pair{"scale", scale.bytes}, {"bias", bias.bytes}})
    if (bytes.low < range.high && range.low < bytes.high)
      refuse(PyExc_ValueError, factors_name, fmt::format("within the addresses of {}", name),
             fmt::format("memory that does not overlap {}, such as its copy()", name));
}

receiver receiver_of_changed(nb::handle x, view const& whole, operation_arguments const& given, nb::handle out) {
  auto const wanted = given.dtype.is_none() ? dtype_name(whole) : read_dtype_name(given.dtype);
  receiver to(out, [&] { return whole.of->empty_of(x, whole, tuple_of(whole.shape()), wanted); });
  expect_room_for(whole, "x", to.seen, to.name);
  auto const found = dtype_name(to.seen);
  if (found != wanted)
    refuse(PyExc_ValueError, fmt::format("{}.dtype", to.name), found,
           given.dtype.is_none() ? fmt::format("{}, as in x, unless dtype='{}' is given", wanted, found)
                                 : fmt::format("{}, as dtype", wanted));
  if (to.is_new) expect_dense(to.seen, to.name);
  return to;
}

nb::object fill_changed(nb::handle x, view const& source, operation_arguments const& given, nb::handle out, nb::handle stream,
                        int threads) {
  auto operation = operation_of(given, source, "x.dtype");
  expect_out_to_read(operation, out);
  auto const to = receiver_of_changed(x, source, given, out);
  auto const factors = add_factors(operation, given, source, "x");
  factors.expect_apart(to.seen, to.name);
  element_strides(source, "x"), element_strides(to.seen, to.name);  // which names x in messages
  expect_unmoved(x, source, "x");
  expect_unmoved(to.array, to.seen, to.name);
  return to.fill(x, source, stream, {factors.scale.array, factors.bias.array}, [&](call_stream const& work) {
    if (!source.is_empty()) move_changed(source, operation, to.seen, to.name, work.get(), threads);
  });
}

}  // namespace cornerturn::python
