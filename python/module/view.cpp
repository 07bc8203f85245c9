#include "view.hpp"

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

std::int64_t view::bytes() const {
  std::int64_t count = item_size;
  for (std::int64_t const extent : shape()) count *= extent;
  return count;
}

byte_range range_of(view const& array) {
  if (array.is_empty()) return {};
  std::int64_t low = 0, high = array.item_size;
  for (int i = 0; i < array.rank; ++i) {
    std::int64_t const reach = (array.extents[i] - 1) * array.steps[i];
    (reach < 0 ? low : high) += reach;
  }
  auto const address = reinterpret_cast<std::uintptr_t>(array.data);
  return {address + std::uintptr_t(low), address + std::uintptr_t(high)};
}

bool is_dense(view const& array, bool fortran) {
  if (array.is_empty()) return true;
  std::int64_t step = array.item_size;
  for (int k = 0; k < array.rank; ++k) {
    int const i = fortran ? k : array.rank - 1 - k;
    if (array.extents[i] == 1) continue;
    if (array.steps[i] != step) return false;
    step *= array.extents[i];
  }
  return true;
}

void set_rank(view& array, std::int64_t rank, std::string_view name) {
  if (rank > kMaxRank) refuse(PyExc_ValueError, fmt::format("{}.ndim", name), rank, fmt::format("{} or less", kMaxRank));
  array.rank = int(rank);
}

void set_dense_steps(view& array) {
  auto step = std::uint64_t(array.item_size);  // of a shape that nothing can hold, and that the library refuses, it may wrap
  for (int i = array.rank; i-- > 0; step *= std::uint64_t(array.extents[i])) array.steps[i] = std::int64_t(step);
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
