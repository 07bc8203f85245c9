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

/// Reads NumPy's axes (None: all reversed) and makes negative ones positive. Throws ValueError if they are not a permutation.
index_list_argument axes_of(nb::handle axes, int rank);

/// Permutes the modes of a view.
void permute_modes(view& array, index_list_argument const& axes);
inline void permute_modes(view& array, nb::handle axes) { permute_modes(array, axes_of(axes, array.rank)); }

}  // namespace cornerturn::python
