#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// The integers of a Python sequence.
struct index_list_argument {
  int size = 0;
  std::array<std::int64_t, kMaxRank> numbers;
  index_list list() const { return {numbers.data(), std::size_t(size)}; }
};

/// Reads a sequence of integers. Throws TypeError for anything else, ValueError for more than kMaxRank integers.
index_list_argument read_index_list(nb::handle list, std::string_view name);

/// NumPy's axes (None: all reversed). They are read before the array is described, because reading them may run Python code that
/// resizes the array.
class axes_argument {
 public:
  /// Throws as `read_index_list`.
  explicit axes_argument(nb::handle given);

  /// Makes negative axes positive. Throws ValueError if they are not a permutation of this many axes.
  index_list_argument of(int rank) const;

 private:
  nb::handle given_;
  index_list_argument read_;
};

/// Adds `_checked_axes`, with which the modules of frameworks read axes.
void add_axes(nb::module_& m);

/// Permutes the modes of a view.
void permute_modes(view& array, index_list_argument const& axes);
inline void permute_modes(view& array, axes_argument const& axes) { permute_modes(array, axes.of(array.rank)); }

}  // namespace cornerturn::python
