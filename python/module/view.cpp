#include "view.hpp"

#include "arguments.hpp"
#include "attribute.hpp"

namespace cornerturn::python {

std::int64_t view::bytes() const {
  std::int64_t count = item_size;
  for (std::int64_t const extent : shape()) count *= extent;
  return count;
}

address_range range_of(view const& array, std::string_view name) {
  if (array.is_empty()) return {};
  std::int64_t low = 0, high = array.item_size;
  bool past = false;
  for (int i = 0; i < array.rank; ++i) {
    std::int64_t reach;
    past |= __builtin_mul_overflow(array.extents[i] - 1, array.stride_bytes[i], &reach);
    std::int64_t& end = reach < 0 ? low : high;
    past |= __builtin_add_overflow(end, reach, &end);
  }
  if (past)
    refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(array.strides())),
           fmt::format("of elements within 2^63 - 1 bytes, for the shape {}", text_of(tuple_of(array.shape()))));
  auto const address = reinterpret_cast<std::uintptr_t>(array.data);
  return {address + std::uintptr_t(low), address + std::uintptr_t(high)};
}

void expect_countable(view const& array, std::string_view name) {
  auto const shape = array.shape();
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; }))
    refuse(PyExc_ValueError, name, text_of(tuple_of(shape)), "of extents of 0 or more");
  std::int64_t bytes = array.item_size;
  bool past = false;
  for (std::int64_t const extent : shape) past |= __builtin_mul_overflow(bytes, extent, &bytes);
  if (past && !array.is_empty())
    refuse(PyExc_ValueError, name, text_of(tuple_of(shape)),
           fmt::format("of at most 2^63 - 1 bytes, with {} to an element", array.item_size));
}

void expect_shape(view const& array, std::string_view name, index_list wanted, std::string_view why) {
  if (!std::ranges::equal(array.shape(), wanted))
    refuse(PyExc_ValueError, fmt::format("{}.shape", name), text_of(tuple_of(array.shape())),
           fmt::format("{}{}", text_of(tuple_of(wanted)), why));
}

bool is_dense(view const& array, bool fortran) {
  if (array.is_empty()) return true;
  std::int64_t step = array.item_size;
  for (int k = 0; k < array.rank; ++k) {
    int const i = fortran ? k : array.rank - 1 - k;
    if (array.extents[i] == 1) continue;
    if (array.stride_bytes[i] != step) return false;
    step *= array.extents[i];
  }
  return true;
}

void expect_dense(view const& array, std::string_view name) {
  if (!is_dense(array))
    refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(array.strides())),
           "those of a dense array in C order");
}

std::int64_t stride_bytes_of(std::int64_t stride, std::int64_t item_size, std::int64_t extent, std::string_view name) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(stride, item_size, &bytes) && extent > 1)
    refuse(PyExc_ValueError, fmt::format("a stride of {}", name), fmt::format("{} elements of {} bytes", stride, item_size),
           "one of fewer than 2^63 bytes");
  return bytes;
}

void set_rank(view& array, std::int64_t rank, std::string_view name) {
  if (rank > kMaxRank) refuse(PyExc_ValueError, fmt::format("{}.ndim", name), rank, fmt::format("{} or less", kMaxRank));
  array.rank = int(rank);
}

void add_first_axis(view& array, std::int64_t extent, std::int64_t stride_bytes, std::string_view name) {
  set_rank(array, array.rank + 1, name);
  auto const end = std::size_t(array.rank - 1);
  std::copy_backward(array.extents.begin(), array.extents.begin() + end, array.extents.begin() + end + 1);
  std::copy_backward(array.stride_bytes.begin(), array.stride_bytes.begin() + end, array.stride_bytes.begin() + end + 1);
  array.extents[0] = extent;
  array.stride_bytes[0] = stride_bytes;
}

void set_c_order(view& array) {
  auto step = std::uint64_t(array.item_size);  // unsigned: it may wrap for an impossible shape, which the library rejects
  for (int i = array.rank; i-- > 0; step *= std::uint64_t(array.extents[i])) array.stride_bytes[i] = std::int64_t(step);
}

void read_tuple(nb::handle tuple, std::span<std::int64_t> into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    PyObject* const item = PyTuple_GetItem(tuple.ptr(), Py_ssize_t(i));
    into[i] = item ? PyLong_AsLongLong(item) : -1;
    if (into[i] == -1 && PyErr_Occurred()) throw nb::python_error();
  }
}

nb::object tuple_of(std::span<std::int64_t const> numbers) {
  auto result = owned(PyTuple_New(Py_ssize_t(numbers.size())));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    PyTuple_SetItem(result.ptr(), Py_ssize_t(i), owned(PyLong_FromLongLong(numbers[i])).release().ptr());
  return result;
}

}  // namespace cornerturn::python
