#include "pattern/sides.hpp"

#include <numeric>
#include <utility>

#include "base/refuse.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

pattern_side side_of(std::string_view name, std::vector<std::int64_t> const& strides, index_list const& shape,
                     std::vector<int> const& counts, std::vector<std::size_t> modes, std::span<std::int64_t const> extents) {
  if (!strides.empty() && strides.size() != shape.size())
    refuse({name, "the number of {}"}, strides.size(), fmt::format("{}, one for each axis", shape.size()));
  pattern_side side{.shape = {shape.begin(), shape.end()},
                    .strides = {},
                    .counts = counts,
                    .modes = std::move(modes),
                    .mode_strides = {},
                    .limits = {},
                    .swizzle = {}};
  set_strides(side, strides.empty() ? dense_strides(shape, storage_order::c) : strides, extents);
  std::size_t end = 0;
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    auto const own = std::span(side.modes).subspan(end, std::size_t(counts[axis]));
    end += own.size();
    std::int64_t extent = 1;
    for (auto const mode : own) extent *= extents[mode];
    if (extent > shape[axis]) side.limits.push_back({{own.begin(), own.end()}, shape[axis]});
  }
  return side;
}

}  // namespace

void set_strides(pattern_side& side, std::vector<std::int64_t> strides, std::span<std::int64_t const> extents) {
  side.strides = std::move(strides);
  side.mode_strides.assign(extents.size(), 0);
  std::size_t end = 0;
  for (std::size_t axis = 0; axis < side.counts.size(); ++axis) {
    auto const first = std::exchange(end, end + std::size_t(side.counts[axis]));
    auto stride = std::uint64_t(side.strides[axis]);  // unsigned: it may wrap for an array without elements
    for (auto i = end; i-- > first;) {
      side.mode_strides[side.modes[i]] = std::int64_t(stride);
      stride *= std::uint64_t(extents[side.modes[i]]);
    }
  }
}

pattern_move move_of(rearrangement const& steps, index_list const& shape, rearrange_options const& options) {
  auto const rank = steps.order.size();
  std::vector<std::int64_t> extents(rank);
  std::vector<std::size_t> place(rank), in_order(rank);  // of each split axis in the permuted array
  std::iota(in_order.begin(), in_order.end(), std::size_t(0));
  for (auto const i : in_order) {
    place[std::size_t(steps.order[i])] = i;
    extents[i] = steps.split[std::size_t(steps.order[i])];
  }
  auto source = side_of("source_strides", options.source_strides, shape, steps.split_counts, std::move(place), extents);
  auto destination =
      side_of("destination_strides", options.destination_strides, steps.shape, steps.merged_counts, std::move(in_order), extents);
  return {std::move(extents), std::move(source), std::move(destination)};
}

box_layout layout_of(index_box const& box, pattern_side const& side, pattern_move const& move) {
  box_layout made{0, side.mode_strides};
  for (std::size_t i = 0; i < box.size(); ++i) made.offset += box[i].begin * side.mode_strides[i];
  std::int64_t selected = 0;
  for (auto const mode : side.swizzle.selectors) selected = selected * move.extents[mode] + box[mode].begin;
  for (std::size_t bit = 0; bit < side.swizzle.flipped.size(); ++bit) {
    if ((selected >> bit & 1) == 0) continue;
    auto const mode = side.swizzle.flipped[bit];
    made.offset += (1 - 2 * box[mode].begin) * side.mode_strides[mode];
    made.strides[mode] = -side.mode_strides[mode];
  }
  return made;
}

}  // namespace cornerturn
