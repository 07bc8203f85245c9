#pragma once

#include <algorithm>
#include <cstdint>

namespace cornerturn {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

/// Divides `extent` indices into nearly equal parts of about `wanted` indices. Returns their size, a multiple of `grain` if
/// possible.
constexpr std::int64_t balanced_part(std::int64_t extent, std::int64_t wanted, std::int64_t grain) {
  if (2 * extent <= 3 * wanted) return extent;
  auto const piece = extent < 8 * wanted ? ceil_div(extent, ceil_div(extent, wanted)) : wanted;
  return grain > wanted ? piece : std::min(round_up(piece, grain), extent);
}

}  // namespace cornerturn
