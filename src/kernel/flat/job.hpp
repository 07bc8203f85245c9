#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "block/grid.hpp"
#include "block/host_device.hpp"
#include "tile/fast_divmod.hpp"
#include "tile/tile_shape.hpp"

namespace cornerturn {

/// A mode as a digit of a row's or a column's number.
struct flat_digit {
  fast_divmod radix{1};
  int source = 0, destination = 0;  ///< elements between two values
};

/// Elements from the first element of each array.
struct flat_offsets {
  int source = 0, destination = 0;
};

/// A problem for the flat kernel: a matrix whose rows are numbered by the fast modes of the destination, and whose columns are
/// numbered by all other modes, those that are fast in the source first. Unused digits have the radix 1. All offsets have 32
/// bits.
///
/// For example, arrays of 1000 x 17 x 19 elements whose last two axes change places have 17 rows and 19,000 columns. A column has
/// the digits 19 (source 1, destination 17) and 1000 (source and destination 323).
template <int RowDigits, int ColDigits>
struct flat_job {
  int rows = 1, cols = 1;
  grid_shape tiles;  ///< along the columns and along the rows
  std::array<flat_digit, RowDigits> row_digits;
  std::array<flat_digit, ColDigits> col_digits;

  flat_job() = default;
  /// The same job with fewer digits, which are the used ones.
  template <int MoreRowDigits, int MoreColDigits>
  explicit flat_job(flat_job<MoreRowDigits, MoreColDigits> const& job) : rows(job.rows), cols(job.cols), tiles(job.tiles) {
    std::copy_n(job.row_digits.begin(), RowDigits, row_digits.begin());
    std::copy_n(job.col_digits.begin(), ColDigits, col_digits.begin());
  }
};

/// The offsets of a row or a column, given its number, which is below the product of the radices.
template <std::size_t Digits>
CORNERTURN_HOST_DEVICE flat_offsets decode(std::array<flat_digit, Digits> const& digits, int number) {
  flat_offsets result;
  CORNERTURN_UNROLL
  for (std::size_t i = 0; i < Digits; ++i) {
    flat_digit const& each = digits[i];
    int const quotient = i + 1 == Digits ? 0 : each.radix.divide_above_one(number),
              value = number - quotient * each.radix.divisor;
    result.source += value * each.source;
    result.destination += value * each.destination;
    number = quotient;
  }
  return result;
}

/// The digits that a compiled kernel has for a row and for a column.
struct flat_form {
  int row_digits, col_digits;
};
inline constexpr flat_form kFlatForms[] = {{1, 2}, {2, 4}, {3, 6}, {4, 8}};
using any_flat_job = flat_job<4, 8>;
/// The compiled tiles: for few elements, for few rows, and for more rows.
inline constexpr tile_shape kFlatTiles[] = {{16, 32, 128}, {16, 64, 128}, {32, 32, 128}};

}  // namespace cornerturn
