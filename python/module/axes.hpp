#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// Reads axes with NumPy's meaning (None: all reversed) and puts the modes of an array into their order.
void permute_modes(view& array, nb::handle axes);

/// Integers in a tuple, a list or another sequence.
struct index_list_argument {
  int size = 0;
  std::array<std::int64_t, kMaxRank> numbers;
  std::span<std::int64_t const> span() const { return {numbers.data(), std::size_t(size)}; }
};

/// Throws TypeError for what is no sequence of integers, ValueError where it is longer than kMaxRank.
index_list_argument read_index_list(nb::handle list, std::string_view name);

}  // namespace cornerturn::python
