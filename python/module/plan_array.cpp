#include "plan_array.hpp"

#include <algorithm>
#include <charconv>
#include <cornerturn/info.hpp>

#include "arguments.hpp"
#include "attribute.hpp"
#include "dtypes.hpp"
#include "framework.hpp"

namespace cornerturn::python {
namespace {

/// The largest alignment in bytes that affects a plan.
constexpr std::uintptr_t kMostAlignment = 16;

int number_of_device(nb::handle device) {
  if (device.is_none()) return kHost;
  auto const text = text_of(device);
  if (text == "cpu" || text == "cpu:0") return kHost;
  constexpr std::string_view kCuda = "cuda:", kGpu = "gpu:";  // the second is the name of the command line
  auto const digits = std::string_view(text).substr(text.starts_with(kCuda)  ? kCuda.size()
                                                    : text.starts_with(kGpu) ? kGpu.size()
                                                                             : 0);
  int number = 0;
  auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (text == "cuda" || text == "gpu") return kSomeGpu;
  if (failed != std::errc() || end != digits.data() + digits.size() || number < 0)
    refuse(PyExc_ValueError, "device", repr_of(device),
           "'cpu', 'cuda' or 'cuda:N', e.g. 'cuda:0'" + hint_at(device, {"cpu", "cuda"}));
  return number;
}

int read_device(nb::handle device) {
  int const number = number_of_device(device);
  if (number != kHost)
    if (auto const why = info().gpu_problem; !why.empty())
      refuse(PyExc_ValueError, "device", repr_of(device), fmt::format("'cpu' here: {}", why));
  return number;
}

bool is_shape(nb::handle given) { return PyTuple_Check(given.ptr()) || PyList_Check(given.ptr()); }

/// The array that a plan is made for. `dtype`, the argument `name`, is that of its elements if there is a shape.
view planned_array(planned_arguments const& given, nb::handle dtype, std::string_view name) {
  if (!is_shape(given.x_or_shape)) {
    if (!given.source.is_none()) refuse(PyExc_TypeError, "source", repr_of(given.source), "None with an array");
    if (!given.device.is_none()) refuse(PyExc_TypeError, "device", repr_of(given.device), "None with an array");
    return view_of(given.x_or_shape, "x_or_shape");
  }
  if (dtype.is_none()) refuse(PyExc_TypeError, "dtype", "None", "given with a shape");
  auto const shape = read_index_list(given.x_or_shape, "shape");
  view result{.dtype = read_dtype(dtype, name), .device = read_device(given.device), .rank = shape.size};
  result.item_size = item_size_of(result.dtype);
  std::ranges::copy(shape.list(), result.extents.begin());
  expect_countable(result, "shape");
  set_c_order(result);
  return result;
}

/// A contiguous array in C order of the same shape.
view dense_like(view const& seen) {
  view result = seen;
  set_c_order(result);
  return result;
}

}  // namespace

planned_permutation planned_permutation::of(planned_arguments const& given, bool is_dense) {
  auto change = given.operation;
  bool const has_source = !given.source.is_none(), has_shape = is_shape(given.x_or_shape);
  auto array = planned_array(given, has_source ? given.source : change.dtype, has_source ? "source" : "dtype");
  if (is_dense) set_c_order(array);
  auto const axes = axes_argument(given.axes).of(array.rank);
  auto permuted = array;
  permute_modes(permuted, axes);
  planned_permutation result{.array = array, .axes = axes, .permuted = permuted, .result = dense_like(permuted)};
  if (has_shape && !has_source) change.dtype = Py_None;  // the array and the result have this dtype
  if (!change.dtype.is_none()) {
    auto const dtype = read_dtype(change.dtype);
    if (name_of_dtype(dtype) == dtype_name(array)) change.dtype = Py_None;
    result.result.dtype = dtype, result.result.item_size = item_size_of(dtype);
    set_c_order(result.result);
    if (change.only_have_dtype() && differ_in_byte_order(array.dtype, dtype)) {
      result.operation = swap_between(array.dtype, dtype);
      if (!result.operation)
        refuse(PyExc_TypeError, "dtype", text_of(dtype),
               fmt::format("{}, the dtype of the arrays, because only a call of permute swaps the bytes of these",
                           text_of(array.dtype)));
      return result;
    }
  }
  if (change.are_default()) return result;
  result.operation = operation_of(change, permuted, !has_shape ? "x_or_shape.dtype" : has_source ? "source" : "dtype");
  result.factors = add_factors(*result.operation, change, permuted, has_shape ? "the plan" : "x_or_shape");
  return result;
}

plan_options options_for(view const& array, nb::handle effort) {
  auto const asked = PyUnicode_Check(effort.ptr()) ? text_of(effort) : "";
  if (asked != "estimate" && asked != "measure")
    refuse(PyExc_ValueError, "effort", repr_of(effort), "'estimate' or 'measure'" + hint_at(effort, {"estimate", "measure"}));
  bool const on_host = array.device == kHost;
  auto const address = reinterpret_cast<std::uintptr_t>(array.data) | kMostAlignment;
  return {.processor = on_host ? processor_kind::cpu : processor_kind::gpu,
          .effort = asked == "measure" ? planning_effort::measure : planning_effort::estimate,
          .source_alignment = on_host ? 1 : int(address & -address),
          .destination_alignment = on_host ? 1 : int(kMostAlignment),
          .device = array.device >= 0 ? array.device : -1};
}

}  // namespace cornerturn::python
