#include "module.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cornerturn/plan.hpp>
#include <cornerturn/text.hpp>
#include <functional>
#include <iterator>
#include <numeric>

#include "arguments.hpp"
#include "attribute.hpp"
#include "dtypes.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

/// The dtypes of matrices without scales.
std::string unscaled_dtypes() {
  auto const is_unscaled = [](element_type type) { return is_quantizable(type) && !is_8_bit_float(type); };
  return list_text(names_of_types(is_unscaled, &element_type_row::dtype));
}

element_type element_type_named(std::string_view name, std::string_view argument) {
  auto const* const row = row_of_dtype(name);
  if (!row) refuse(PyExc_TypeError, argument, name, unscaled_dtypes());
  return row->type;
}

element_type element_type_of(view const& array) { return element_type_named(dtype_name(array), "x.dtype"); }

/// The elements from one index of an axis to the next. Throws ValueError if an element does not begin a whole number of elements
/// after the one before it, as in a field of a packed struct.
std::int64_t stride_of(view const& array, int axis, std::string_view name) {
  auto const bytes = array.stride_bytes[std::size_t(axis)];
  if (bytes % array.item_size)
    refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(array.strides())),
           fmt::format("multiples of its itemsize, {}", array.item_size));
  return bytes / array.item_size;
}

using matrix_shape = std::array<std::int64_t, 2>;

/// Throws unless an array that cornerturn.fp8 has made has this shape and the device of x. It was made as the attributes of x
/// say, which may be wrong in a subclass.
void expect_made(view const& made, index_list shape, view const& x) {
  constexpr std::string_view kName = "the new array";
  expect_shape(made, kName, shape);
  expect_same_device(x, "x", made, kName);
}

/// The shape of the scales of an output of this shape.
matrix_shape scales_shape(matrix_shape const& values, scale_blocks blocks) {
  auto const& block = kScaleBlocks[std::size_t(blocks)];
  auto const count = [](std::int64_t length, std::int64_t of_block) {
    return of_block == 0 ? std::min<std::int64_t>(length, 1) : (length + of_block - 1) / of_block;
  };
  return {count(values[0], block.rows), count(values[1], block.cols)};
}

/// An output of this shape in arrays that cornerturn.fp8 has made; none if `values` is None.
quantized_matrix output_of(nb::handle values, nb::handle scales, matrix_shape const& shape, scale_blocks blocks, view const& x,
                           element_type& type) {
  if (values.is_none()) return {};
  auto const matrix = view_of(values, "values");
  expect_made(matrix, shape, x);
  expect_dense(matrix, "the new array");
  type = element_type_of(matrix);
  quantized_matrix result{.values = matrix.data, .pitch = matrix.extents[1]};
  if (scales.is_none()) return result;
  auto const seen = view_of(scales, "scales");
  expect_made(seen, scales_shape(shape, blocks), x);
  result.scales = static_cast<float*>(seen.data);
  result.scale_row_stride = stride_of(seen, 0, "scales"), result.scale_block_stride = stride_of(seen, 1, "scales");
  return result;
}

/// A number, whose range the library checks.
float number_of(nb::handle given, std::string_view name) {
  auto const number = float(PyFloat_AsDouble(given.ptr()));
  if (number == -1 && PyErr_Occurred()) refuse_number(given, name);
  return number;
}

/// A scale that is a number, or the address of one in an array. The work keeps the array.
struct given_scale {
  float number = 1;
  float const* address = nullptr;
};

given_scale scale_of(nb::handle given, view const& x, call_stream const& work) {
  if (!nb::hasattr(given, "__dlpack__")) return {number_of(given, "scale"), nullptr};
  auto const array = view_of(given, "scale");
  auto const count =
      std::accumulate(array.extents.begin(), array.extents.begin() + array.rank, std::int64_t(1), std::multiplies<>());
  if (dtype_name(array) != "float32") refuse(PyExc_TypeError, "scale.dtype", dtype_name(array), "float32");
  if (count != 1) refuse(PyExc_ValueError, "scale.size", count, "1");
  expect_same_device(x, "x", array, "scale");
  work.keep(given);
  return {1, static_cast<float const*>(array.data)};
}

/// The scales of a matrix that has been quantised in blocks of 128 elements of a row. Strides count elements.
struct block_scales {
  float const* first = nullptr;
  std::int64_t row_stride = 0, block_stride = 0;
};

block_scales scales_of(nb::handle given, view const& x) {
  auto const scales = view_of(given, "x.scales");
  if (dtype_name(scales) != "float32") refuse(PyExc_TypeError, "x.scales.dtype", dtype_name(scales), "float32");
  std::array const wanted{x.extents[0], (x.extents[1] + 127) / 128};
  expect_shape(scales, "x.scales", wanted, ", one for each 128 elements of a row");
  expect_same_device(x, "x.values", scales, "x.scales");
  return {static_cast<float const*>(scales.data), stride_of(scales, 0, "x.scales"), stride_of(scales, 1, "x.scales")};
}

/// Fills the outputs, and `amax` with the largest magnitude of x.
void quantize_into(nb::handle x, nb::handle x_scales, nb::handle values, nb::handle scales, nb::handle column_values,
                   nb::handle column_scales, nb::handle amax, nb::handle blocks, nb::handle scale, nb::handle least,
                   nb::handle power_of_two, nb::handle stream, nb::handle threads) {
  auto const by_blocks = scale_blocks(integer_of(blocks, "blocks", 0, std::ssize(kScaleBlocks) - 1));
  auto const least_number = number_of(least, "least");
  bool const is_power = bool_of(power_of_two, "power_of_two");
  int const limit = threads_of(threads);
  auto const source = view_of(x, "x"), most = view_of(amax, "amax");
  if (source.rank != 2) refuse(PyExc_ValueError, "x.ndim", source.rank, "2");
  auto const source_type = element_type_of(source);
  bool const has_scales = is_8_bit_float(source_type);
  if (has_scales == x_scales.is_none() || !is_quantizable(source_type))
    refuse(PyExc_TypeError, "x.dtype", dtype_name(source),
           x_scales.is_none() ? unscaled_dtypes() + ", or an 8-bit float with scales, in a Quantized"
                              : list_text(names_of_types(is_8_bit_float, &element_type_row::dtype)) + ", since it has scales");
  bool const is_empty = source.extents[0] == 0 || source.extents[1] == 0;  // NumPy's strides of empty arrays are 0
  auto const pitch = source.extents[0] > 1 && !is_empty ? stride_of(source, 0, "x") : source.extents[1];
  if (!is_empty && ((source.extents[1] > 1 && stride_of(source, 1, "x") != 1) || pitch < source.extents[1]))
    refuse(PyExc_ValueError, "x.strides", text_of(tuple_of(source.strides())), "those of contiguous rows that follow each other");
  auto type = element_type::f8_e4m3fn;
  matrix_shape const shape{source.extents[0], source.extents[1]}, transposed{shape[1], shape[0]};
  auto const rows = output_of(values, scales, shape, by_blocks, source, type),
             columns = output_of(column_values, column_scales, transposed, by_blocks, source, type);
  expect_made(most, {}, source);
  if (has_scales && type != source_type)
    refuse(PyExc_ValueError, "dtype", kElementTypes[std::size_t(type)].dtype,
           fmt::format("{}, as that of x", dtype_name(source)));
  call_stream const work(stream, x, source, amax, most, true);
  for (auto const array : {x_scales, values, scales, column_values, column_scales}) work.keep(array);
  auto const by = scale_of(scale, source, work);
  auto const source_scales = has_scales ? scales_of(x_scales, source) : block_scales();
  expect_unmoved(x, source, "x");
  quantize_options const options{.blocks = by_blocks,
                                 .scale = by.number,
                                 .scale_address = by.address,
                                 .source_scales = source_scales.first,
                                 .source_scale_row_stride = source_scales.row_stride,
                                 .source_scale_block_stride = source_scales.block_stride,
                                 .least = least_number,
                                 .power_of_two = is_power,
                                 .amax = static_cast<float*>(most.data),
                                 .stream = work.get(),
                                 .device = source.device >= 0 ? source.device : -1,
                                 .threads = limit};
  {
    gil_release const released(should_release_gil(source));
    quantize(source.data, source_type, source.extents[0], source.extents[1], pitch, type, rows, columns, options);
  }
  work.finish();
}

/// The matrix that cornerturn.fp8.plan_quantize was asked for, a tuple: its rows, columns, types and blocks, and whether it has
/// an output along rows and along columns.
quantized_case matrix_of(nb::handle matrix) {
  constexpr std::int64_t kMost = std::int64_t(1) << 30;
  auto const at = [&](Py_ssize_t i) { return nb::handle(PyTuple_GetItem(matrix.ptr(), i)); };
  return {.rows = integer_of(at(0), "shape[0]", 1, kMost),
          .cols = integer_of(at(1), "shape[1]", 1, kMost),
          .source = element_type_named(text_of(at(2)), "source"),
          .type = element_type_named(text_of(at(3)), "dtype"),
          .blocks = scale_blocks(integer_of(at(4), "blocks", 0, std::ssize(kScaleBlocks) - 1)),
          .row_wise = is_true(at(5)),
          .column_wise = is_true(at(6))};
}

nb::tuple plan_matrix(nb::handle matrix) {
  auto const planned = plan_quantize(matrix_of(matrix));
  return nb::make_tuple(planned.kernel, planned.launches, planned.read_bytes, planned.written_bytes, planned.seconds,
                        planned.ratio, planned.model);
}

std::string explain_matrix(nb::handle matrix) {
  auto const asked = matrix_of(matrix);
  gil_release const released;
  return report_of(explain_quantize(asked));
}

}  // namespace

void add_quantization(nb::module_& m) {
  builtin<plan_matrix>::add(
      m, "_plan_quantize(matrix)",
      R"(The kernel of a matrix, its launches, the bytes that they read and write, their seconds, their ratio to a copy, and the estimate's GPU.)");
  builtin<explain_matrix>::add(m, "_explain_quantize(matrix)", R"(The report of the kernel's memory requests.)");
  builtin<quantize_into>::add(m,
                              "_quantize(x, x_scales, values, scales, column_values, column_scales, amax, blocks, scale, least, "
                              "power_of_two, stream, threads)",
                              R"(Fills the arrays that cornerturn.fp8.quantize has made.)");
  nb::list blocks;
  auto const extent = [](std::int64_t elements) {
    return elements == 0 ? nb::object(nb::none()) : nb::object(nb::int_(elements));
  };
  for (auto const& each : kScaleBlocks)
    blocks.append(each.rows == 0 ? nb::object(nb::none()) : nb::object(nb::make_tuple(extent(each.rows), extent(each.cols))));
  m.attr("_scale_blocks") = blocks;
}

}  // namespace cornerturn::python
