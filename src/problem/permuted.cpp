#include "problem/permuted.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "problem/fail.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

std::vector<std::int64_t> dense_strides(std::span<std::int64_t const> extents, storage_order order) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 0) refuse(fmt::format("extent of mode {}", i), extents[i], "0 or more");
  }
  std::vector<std::int64_t> strides(extents.size(), 0);
  if (std::ranges::find(extents, 0) != extents.end()) return strides;

  std::int64_t elements = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::size_t const i = order == storage_order::c ? extents.size() - 1 - k : k;
    strides[i] = elements;
    if (__builtin_mul_overflow(elements, extents[i], &elements)) {
      refuse("size", fmt::format("{} elements", fmt::join(extents, " x ")), "at most 2^63 - 1 elements");
    }
  }
  return strides;
}

std::vector<std::int64_t> normalise_axes(std::span<std::int64_t const> axes, std::size_t rank) {
  std::vector<std::int64_t> result(axes.begin(), axes.end());
  std::vector<bool> seen(rank, false);
  bool permutes = axes.size() == rank;
  for (std::int64_t& axis : result) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
    bool const inside = axis >= 0 && axis < static_cast<std::int64_t>(rank);
    permutes = permutes && inside && !seen[axis];
    if (inside) seen[axis] = true;
  }
  if (!permutes) {
    refuse("axes", fmt::format("({})", fmt::join(axes, ", ")),
           rank == 0 ? std::string("empty for an array of rank 0")
                     : fmt::format("a permutation of 0 to {} for an array of rank {}", rank - 1, rank));
  }
  return result;
}

problem permutation(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                    std::span<std::int64_t const> axes, std::int64_t element_size) {
  std::vector<std::int64_t> permuted_extents;
  std::vector<std::int64_t> const order = normalise_axes(axes, extents.size());
  for (std::int64_t axis : order) permuted_extents.push_back(extents[axis]);
  std::vector<std::int64_t> const destination_strides = dense_strides(permuted_extents, storage_order::c);

  problem result{.modes = {}, .element_size = element_size};
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.modes.push_back({permuted_extents[i], source_strides[order[i]], destination_strides[i]});
  }
  validate(result);
  return result;
}

}  // namespace cornerturn
