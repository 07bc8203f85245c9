#include "axes.hpp"

#include <bitset>

#include "arguments.hpp"
#include "attribute.hpp"
#include "functions.hpp"

namespace cornerturn::python {
namespace {

std::int64_t read_index(nb::handle number, std::string_view name, nb::handle list) {
  auto const result = PyBool_Check(number.ptr()) ? std::nullopt : try_int64(number);
  if (!result) refuse(PyExc_TypeError, name, excerpt_of(list), "a sequence of 64-bit integers");
  return *result;
}

/// The length of a sequence; -1 for anything else, such as an array without axes.
Py_ssize_t size_of_sequence(nb::handle object) {
  auto const size = PySequence_Check(object.ptr()) ? PySequence_Size(object.ptr()) : -1;
  if (size < 0) clear_conversion_error();
  return size;
}

[[noreturn]] void refuse_axes(nb::handle axes, int rank) {
  refuse(PyExc_IndexError, "axes", excerpt_of(axes),
         rank == 0 ? std::string("empty for an array of rank 0")
                   : fmt::format("a permutation of 0 to {} for an array of rank {}", rank - 1, rank));
}

/// The axes of `axes`, which were read of `given`, without negative ones. Throws unless they are a permutation.
index_list_argument permutation_of(index_list_argument axes, nb::handle given, int rank) {
  if (axes.size != rank) refuse_axes(given, rank);
  std::bitset<kMaxRank> seen;
  for (int i = 0; i < rank; ++i) {
    auto& axis = axes.numbers[std::size_t(i)];
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || seen[std::size_t(axis)]) refuse_axes(given, rank);
    seen[std::size_t(axis)] = true;
  }
  return axes;
}

/// The axes of permute as a tuple, for the modules of frameworks.
nb::object checked_axes(nb::handle axes, nb::handle rank) {
  if (axes.is_none()) read_index_list(axes, "axes");  // refuses it
  return tuple_of(axes_argument(axes).of(int(integer_of(rank, "x.ndim", 0, kMaxRank))).list());
}

}  // namespace

index_list_argument read_index_list(nb::handle list, std::string_view name) {
  if (!PySequence_Check(list.ptr()) || PyUnicode_Check(list.ptr()))
    refuse(PyExc_TypeError, name, kind_of(list), fmt::format("a sequence of integers{}", name == "axes" ? ", e.g. (1, 0)" : ""));
  auto const size = PySequence_Size(list.ptr());
  if (size < 0) {
    clear_conversion_error();
    refuse(PyExc_TypeError, name, excerpt_of(list), "a sequence of integers");
  }
  if (size > kMaxRank) refuse(PyExc_ValueError, fmt::format("len({})", name), size, fmt::format("{} or less", kMaxRank));
  index_list_argument result{.size = int(size), .numbers = {}};
  for (int i = 0; i < result.size; ++i) result.numbers[i] = read_index(owned(PySequence_GetItem(list.ptr(), i)), name, list);
  return result;
}

/// NumPy takes a number as the axes of a vector.
axes_argument::axes_argument(nb::handle given) : given_(given) {
  if (given.is_none()) return;
  bool const is_number = PyIndex_Check(given.ptr()) && !PyBool_Check(given.ptr()) && size_of_sequence(given) < 0;
  if (!is_number)
    read_ = read_index_list(given, "axes");
  else
    read_ = {.size = 1, .numbers = {read_index(given, "axes", given)}};
}

index_list_argument axes_argument::of(int rank) const {
  if (given_.is_none()) {
    index_list_argument reversed{.size = rank, .numbers = {}};
    for (int i = 0; i < rank; ++i) reversed.numbers[std::size_t(i)] = rank - 1 - i;
    return reversed;
  }
  return permutation_of(read_, given_, rank);
}

void permute_modes(view& array, index_list_argument const& axes) {
  auto const extents = array.extents, strides = array.stride_bytes;
  for (std::size_t i = 0; i < std::size_t(array.rank); ++i) {
    auto const axis = std::size_t(axes.numbers[i]);
    array.extents[i] = extents[axis], array.stride_bytes[i] = strides[axis];
  }
}

void add_axes(nb::module_& m) {
  builtin<checked_axes>::add(m, "_checked_axes(axes, rank)", "The axes of permute, from 0 on, or an error for other axes.");
}

}  // namespace cornerturn::python
