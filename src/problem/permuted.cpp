#include "problem/permuted.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/refuse.hpp"
#include "problem/element_types.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

using strides = std::vector<std::int64_t>;

void expect_one_each(std::string_view name, std::span<std::int64_t const> list, std::size_t rank) {
  if (list.size() != rank) {
    refuse(name, fmt::format("({})", fmt::join(list, ", ")), fmt::format("{} numbers, one for each mode", rank));
  }
}

strides strides_or_dense(std::span<std::int64_t const> given, std::span<std::int64_t const> extents) {
  return given.empty() ? dense_strides(extents, storage_order::c) : strides(given.begin(), given.end());
}

}  // namespace

std::vector<std::int64_t> dense_strides(std::span<std::int64_t const> extents, storage_order order) {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] < 0) refuse({"extents", fmt::format("extent of axis {}", i)}, extents[i], "0 or more");
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
  expect_rank(rank);
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

problem strided(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                std::span<std::int64_t const> destination_strides, elements const& element) {
  expect_one_each("source_strides", source_strides, extents.size());
  expect_one_each("destination_strides", destination_strides, extents.size());
  auto const& operation = element.operation();
  problem result{.modes = {}, .element_size = operation ? sizes_of(*operation) : element_sizes(element.bytes())};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    result.modes.push_back({extents[i], source_strides[i], destination_strides[i]});
  }
  validate(result);
  return operation ? with_operation(std::move(result), *operation) : result;
}

problem permutation(std::span<std::int64_t const> extents, std::span<std::int64_t const> source_strides,
                    std::span<std::int64_t const> axes, elements const& element,
                    std::span<std::int64_t const> destination_strides) {
  auto const source = strides_or_dense(source_strides, extents);
  expect_one_each("source_strides", source, extents.size());
  strides permuted_extents, permuted_source;
  for (std::int64_t axis : normalise_axes(axes, extents.size())) {
    permuted_extents.push_back(extents[axis]);
    permuted_source.push_back(source[axis]);
  }
  return strided(permuted_extents, permuted_source, strides_or_dense(destination_strides, permuted_extents), element);
}

}  // namespace cornerturn
