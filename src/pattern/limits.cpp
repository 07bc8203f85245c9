#include "pattern/limits.hpp"

#include <algorithm>

namespace cornerturn {
namespace {

using boxes = std::vector<index_box>;

/// Adds the part of a box in which one mode has only the indices of a range.
void add_part(boxes& to, index_box box, std::size_t mode, index_range range) {
  box[mode] = {std::max(box[mode].begin, range.begin), std::min(box[mode].end, range.end)};
  if (std::ranges::all_of(box, [](index_range const& each) { return each.begin < each.end; })) to.push_back(std::move(box));
}

/// Divides boxes at the limit of an axis into those before it and those from it on. An index is before the limit if, at the
/// outermost digit in which they differ, the index has the smaller one.
void divide(boxes const& whole, std::span<std::int64_t const> extents, axis_limit const& limit, boxes& before, boxes& from) {
  for (auto box : whole) {
    std::int64_t inner = 1;
    for (auto const mode : limit.modes) inner *= extents[mode];
    if (limit.extent >= inner) {
      before.push_back(box);
      continue;
    }
    if (limit.modes.empty()) from.push_back(box);  // an axis of extent 1, without its only index
    for (auto const mode : limit.modes) {
      inner /= extents[mode];
      auto const digit = limit.extent / inner % extents[mode];
      bool const is_last = mode == limit.modes.back();
      add_part(before, box, mode, {0, digit});
      add_part(from, box, mode, {is_last ? digit : digit + 1, extents[mode]});
      box[mode] = {std::max(box[mode].begin, digit), std::min(box[mode].end, digit + 1)};
    }
  }
}

}  // namespace

std::vector<std::int64_t> extents_of(index_box const& box) {
  std::vector<std::int64_t> extents;
  for (auto const& [begin, end] : box) extents.push_back(end - begin);
  return extents;
}

limited_boxes boxes_within(std::span<std::int64_t const> extents, std::span<axis_limit const> source,
                           std::span<axis_limit const> destination) {
  limited_boxes result;
  index_box all;
  for (auto const extent : extents) all.push_back({0, extent});
  result.copied = {all};
  for (auto const& each : destination) {
    boxes kept, cropped;
    divide(result.copied, extents, each, kept, cropped);
    result.copied = std::move(kept);
  }
  for (auto const& each : source) {
    boxes kept;
    divide(result.copied, extents, each, kept, result.padded);
    result.copied = std::move(kept);
  }
  return result;
}

}  // namespace cornerturn
