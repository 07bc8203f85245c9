#include "module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "fill_result.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "move.hpp"

namespace cornerturn::python {
namespace {

/// Permutes an array whose axes were read after it was described, since their numbers depend on its rank.
nb::object permute_to_new(nb::handle x, view source, index_list_argument const& axes) {
  expect_unmoved(x, source, "x");
  permute_modes(source, axes);
  return fill_result(x, source, nb::none(), nb::none(), 0);
}

index_list_argument identity_axes(int rank) {
  index_list_argument axes{.size = rank, .numbers = {}};
  std::iota(axes.numbers.begin(), axes.numbers.begin() + rank, 0);
  return axes;
}

/// Reads the number of an axis; negative ones count from the end.
std::size_t axis_of(nb::handle axis, std::string_view name, int rank) {
  if (rank == 0) refuse(PyExc_IndexError, "x.ndim", 0, "1 or more");
  auto const number = integer_of(axis, name, -rank, rank - 1, PyExc_IndexError);
  return std::size_t(number < 0 ? number + rank : number);
}

/// Reads an integer or a sequence of integers as distinct axes.
index_list_argument distinct_axes_of(nb::handle axes, std::string_view name, int rank) {
  index_list_argument result{.size = 1, .numbers = {}};
  if (!PySequence_Check(axes.ptr()) || try_int64(axes)) {
    result.numbers[0] = std::int64_t(axis_of(axes, name, rank));
    return result;
  }
  result = read_index_list(axes, name);
  std::array<bool, kMaxRank> seen{};
  for (std::size_t i = 0; i < std::size_t(result.size); ++i) {
    auto& axis = result.numbers[i];
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || std::exchange(seen[std::size_t(axis)], true))
      refuse(PyExc_IndexError, name, text_of(axes),
             rank == 0 ? "empty for an array of rank 0" : fmt::format("of distinct axes from {} to {}", -rank, rank - 1));
  }
  return result;
}

/// The axes of a permutation that moves axes to other positions, as numpy.moveaxis.
index_list_argument moved_axes(nb::handle source, nb::handle destination, int rank) {
  auto const from = distinct_axes_of(source, "source", rank), to = distinct_axes_of(destination, "destination", rank);
  if (from.size != to.size)
    refuse(PyExc_ValueError, "destination", text_of(destination), fmt::format("of as many axes as source, {}", from.size));
  index_list_argument axes{.size = rank, .numbers = {}};
  std::array<bool, kMaxRank> is_source{}, is_destination{};
  for (std::size_t i = 0; i < std::size_t(from.size); ++i) {
    auto const axis = std::size_t(from.numbers[i]), place = std::size_t(to.numbers[i]);
    axes.numbers[place] = from.numbers[i];
    is_source[axis] = is_destination[place] = true;
  }
  std::size_t other = 0;
  for (std::size_t place = 0; place < std::size_t(rank); ++place) {
    if (is_destination[place]) continue;
    while (is_source[other]) ++other;
    axes.numbers[place] = std::int64_t(other++);
  }
  return axes;
}

/// The axes of a permutation that exchanges two axes, as numpy.swapaxes.
index_list_argument swapped_axes(nb::handle axis1, nb::handle axis2, int rank) {
  auto axes = identity_axes(rank);
  auto const first = axis_of(axis1, "axis1", rank), second = axis_of(axis2, "axis2", rank);
  std::swap(axes.numbers[first], axes.numbers[second]);
  return axes;
}

/// `Axes` for the modules of frameworks, as a tuple.
template <auto Axes>
nb::object axes_for(nb::handle first, nb::handle second, nb::handle rank) {
  return tuple_of(Axes(first, second, int(integer_of(rank, "x.ndim", 0, kMaxRank))).list());
}

nb::object moveaxis(nb::handle given, nb::handle source, nb::handle destination) {
  auto const x = array_of(given, "x");
  auto const seen = view_of(x, "x");
  return permute_to_new(x, seen, moved_axes(source, destination, seen.rank));
}

nb::object swapaxes(nb::handle given, nb::handle axis1, nb::handle axis2) {
  auto const x = array_of(given, "x");
  auto const seen = view_of(x, "x");
  return permute_to_new(x, seen, swapped_axes(axis1, axis2, seen.rank));
}

nb::object rollaxis(nb::handle given, nb::handle axis, nb::handle start) {
  auto const x = array_of(given, "x");
  auto const seen = view_of(x, "x");
  auto const from = std::int64_t(axis_of(axis, "axis", seen.rank));
  auto const before = integer_of(start, "start", -seen.rank, seen.rank, PyExc_IndexError);
  auto to = before < 0 ? before + seen.rank : before;
  to -= from < to;
  auto axes = identity_axes(seen.rank);
  auto const first = axes.numbers.begin();
  from < to ? std::rotate(first + from, first + from + 1, first + to + 1)
            : std::rotate(first + to, first + from, first + from + 1);
  return permute_to_new(x, seen, axes);
}

nb::object permute_dims(nb::handle given, nb::handle axes) {
  axes_argument const order(axes);
  auto const x = array_of(given, "x");
  auto const seen = view_of(x, "x");
  return permute_to_new(x, seen, order.of(seen.rank));
}

nb::object matrix_transpose(nb::handle given) {
  auto const x = array_of(given, "x");
  auto const seen = view_of(x, "x");
  if (seen.rank < 2) refuse(PyExc_ValueError, "x.ndim", seen.rank, "2 or more");
  auto axes = identity_axes(seen.rank);
  std::swap(axes.numbers[std::size_t(seen.rank) - 1], axes.numbers[std::size_t(seen.rank) - 2]);
  return permute_to_new(x, seen, axes);
}

/// The docstring of a function that returns a new array, with an example.
std::string documented(std::string_view text, std::string_view example) {
  return python::documented(text, "A new array in C order with the framework, dtype and device of x.", "As in permute.", example);
}

}  // namespace

void add_numpy_names(nb::module_& m) {
  builtin<axes_for<moved_axes>>::add(m, "_moved_axes(source, destination, rank)", "The axes of permute that make it moveaxis.");
  builtin<axes_for<swapped_axes>>::add(m, "_swapped_axes(axis1, axis2, rank)", "The axes of permute that make it swapaxes.");
  builtin<moveaxis>::add(
      m, "moveaxis(x: Array, source: SupportsIndex | Axes, destination: SupportsIndex | Axes) -> Array",
      documented(
          R"(Moves axes to other positions, as numpy.moveaxis, but returns a new array in C order. The other axes keep their order.

x is that of permute; source and destination are an axis or equally many distinct axes.)",
          ">>> cornerturn.moveaxis(np.zeros((8, 224, 160, 3), np.uint8), -1, 1).shape\n(8, 3, 224, 160)"));
  builtin<swapaxes>::add(
      m, "swapaxes(x: Array, axis1: SupportsIndex, axis2: SupportsIndex) -> Array",
      documented("Exchanges two axes, as numpy.swapaxes, but returns a new array in C order. x is that of permute.",
                 ">>> cornerturn.swapaxes(np.zeros((8, 224, 3), np.uint8), 0, -1).shape\n(3, 224, 8)"));
  builtin<rollaxis>::add(
      m, "rollaxis(x: Array, axis: SupportsIndex, start: SupportsIndex = 0) -> Array",
      documented(
          R"(Moves an axis before the axis start, as numpy.rollaxis, but returns a new array in C order. x is that of permute; start may be
the number of axes, after the last one. moveaxis says where the axis is in the result.)",
          ">>> cornerturn.rollaxis(np.zeros((8, 224, 160, 3), np.uint8), 3, 1).shape\n(8, 3, 224, 160)"));
  builtin<permute_dims>::add(
      m, "permute_dims(x: Array, axes: Axes | None = None) -> Array",
      documented(
          R"(Permutes the axes, as numpy.permute_dims and the array API, but returns a new array in C order. Without out and stream it
is transpose.)",
          ">>> cornerturn.permute_dims(np.zeros((8, 224, 3), np.uint8), (1, 2, 0)).shape\n(224, 3, 8)"));
  builtin<matrix_transpose>::add(
      m, "matrix_transpose(x: Array) -> Array",
      documented(
          R"(Exchanges the last two axes, as numpy.matrix_transpose and the array API, but returns a new array in C order. x is that of
permute, with at least 2 axes.)",
          ">>> cornerturn.matrix_transpose(np.zeros((8, 224, 160), np.uint8)).shape\n(8, 160, 224)"));
}

}  // namespace cornerturn::python
