#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// Integers in a tuple, a list or another sequence.
struct index_list_argument {
  int size = 0;
  std::array<std::int64_t, kMaxRank> numbers;
  index_list list() const { return {numbers.data(), std::size_t(size)}; }
};

/// Throws TypeError for what is no sequence of integers, ValueError where it is longer than kMaxRank.
index_list_argument read_index_list(nb::handle list, std::string_view name);

/// Axes with NumPy's meaning (None: all reversed), none of them negative. Throws ValueError for what is no permutation.
index_list_argument axes_of(nb::handle axes, int rank);

/// Puts the modes of an array into the order of axes.
void permute_modes(view& array, index_list_argument const& axes);
inline void permute_modes(view& array, nb::handle axes) { permute_modes(array, axes_of(axes, array.rank)); }

}  // namespace cornerturn::python
