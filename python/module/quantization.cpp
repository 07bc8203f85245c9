#include "quantization.hpp"

#include <algorithm>
#include <cornerturn/quantize.hpp>
#include <functional>
#include <limits>
#include <numeric>

#include "arguments.hpp"
#include "attribute.hpp"
#include "element_types.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "refuse.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

element_type element_type_of(view const& array) {
  auto const name = dtype_name(array);
  auto const found = std::ranges::find(kElementTypes, std::string_view(name), [](auto const& each) { return each.first; });
  if (found == kElementTypes.end()) refuse(PyExc_TypeError, "x.dtype", name, "float32, float16 or bfloat16");
  return found->second;
}

constexpr float kLeast = 1e-30f;  // the least scale and amax that the library takes

/// The elements from one index of an axis to the next.
std::int64_t stride_of(view const& array, int axis) { return array.stride_bytes[std::size_t(axis)] / array.item_size; }

/// An output in arrays that cornerturn.fp8 has made; none if `values` is None.
quantized_matrix output_of(nb::handle values, nb::handle scales, element_type& type) {
  if (values.is_none()) return {};
  auto const matrix = view_of(values, "values");
  type = element_type_of(matrix);
  quantized_matrix result{.values = matrix.data, .pitch = matrix.extents[1]};
  if (scales.is_none()) return result;
  auto const seen = view_of(scales, "scales");
  result.scales = static_cast<float*>(seen.data);
  result.scale_row_stride = stride_of(seen, 0), result.scale_block_stride = stride_of(seen, 1);
  return result;
}

float number_of(nb::handle given, std::string_view name, float least, float most) {
  auto const number = float(PyFloat_AsDouble(given.ptr()));
  if (number == -1 && PyErr_Occurred()) {
    clear_conversion_error();
    refuse(PyExc_TypeError, name, text_of(nb::repr(given)), "a number");
  }
  if (!(number >= least && number <= most)) refuse(PyExc_ValueError, name, number, fmt::format("from {} to {}", least, most));
  return number;
}

/// A scale that is a number, or the address of one in an array. The work keeps the array.
struct given_scale {
  float number = 1;
  float const* address = nullptr;
};

given_scale scale_of(nb::handle given, view const& x, call_stream const& work) {
  if (!nb::hasattr(given, "__dlpack__")) return {number_of(given, "scale", kLeast, 1 / kLeast), nullptr};
  auto const array = view_of(given, "scale");
  auto const count =
      std::accumulate(array.extents.begin(), array.extents.begin() + array.rank, std::int64_t(1), std::multiplies<>());
  if (dtype_name(array) != "float32") refuse(PyExc_TypeError, "scale.dtype", dtype_name(array), "float32");
  if (count != 1) refuse(PyExc_ValueError, "scale.size", count, "1");
  expect_same_device(x, "x", array, "scale");
  work.keep(given);
  return {1, static_cast<float const*>(array.data)};
}

/// Fills the outputs, and `amax` with the largest magnitude of x.
void quantize_into(nb::handle x, nb::handle values, nb::handle scales, nb::handle column_values, nb::handle column_scales,
                   nb::handle amax, nb::handle blocks, nb::handle scale, nb::handle least, nb::handle power_of_two,
                   nb::handle stream, nb::handle threads) {
  auto const source = view_of(x, "x"), most = view_of(amax, "amax");
  if (source.rank != 2) refuse(PyExc_ValueError, "x.ndim", source.rank, "2");
  bool const is_empty = source.extents[0] == 0 || source.extents[1] == 0;  // NumPy's strides of empty arrays are 0
  auto const pitch = source.extents[0] > 1 && !is_empty ? stride_of(source, 0) : source.extents[1];
  if (!is_empty && ((source.extents[1] > 1 && stride_of(source, 1) != 1) || pitch < source.extents[1]))
    refuse(PyExc_ValueError, "x.strides", text_of(tuple_of(source.strides())), "those of contiguous rows");
  auto const source_type = element_type_of(source);
  if (source_type != element_type::f32 && source_type != element_type::f16 && source_type != element_type::bf16)
    refuse(PyExc_TypeError, "x.dtype", dtype_name(source), "float32, float16 or bfloat16");
  auto type = element_type::f8_e4m3fn;
  auto const rows = output_of(values, scales, type), columns = output_of(column_values, column_scales, type);
  call_stream const work(stream, x, source, amax, most, true);
  for (auto const array : {values, scales, column_values, column_scales}) work.keep(array);
  auto const by = scale_of(scale, source, work);
  quantize_options const options{.blocks = scale_blocks(integer_of(blocks, "blocks", 0, 3)),
                                 .scale = by.number,
                                 .scale_address = by.address,
                                 .least = number_of(least, "least", kLeast, std::numeric_limits<float>::max()),
                                 .power_of_two = is_true(power_of_two),
                                 .amax = static_cast<float*>(most.data),
                                 .stream = work.get(),
                                 .device = source.device >= 0 ? source.device : -1,
                                 .threads = threads_of(threads)};
  {
    gil_release const released(should_release_gil(source));
    quantize(source.data, source_type, source.extents[0], source.extents[1], pitch, type, rows, columns, options);
  }
  work.finish();
}

}  // namespace

void add_quantization(nb::module_& m) {
  builtin<quantize_into>::add(
      m, "_quantize(x, values, scales, column_values, column_scales, amax, blocks, scale, least, power_of_two, stream, threads)",
      R"(Fills the arrays that cornerturn.fp8.quantize has made.)");
}

}  // namespace cornerturn::python
