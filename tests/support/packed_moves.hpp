#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "pattern/packed_boxes.hpp"
#include "support/limited.hpp"
#include "support/packed.hpp"

namespace cornerturn::test {

/// A rearrangement of packed elements between arrays of whole bytes, often padded or cropped. The pointers of both sides are
/// `*_first` bytes after the arrays' first bytes.
struct packed_move {
  pattern_move move;
  bit_packing packed;
  std::byte pad{};
  std::int64_t source_first = 0, destination_first = 0;
  bytes_list source, destination;

  bool has_result() const { return std::ranges::count(move.destination.shape, 0) == 0; }
};

inline packed_move random_packed_move(unsigned seed) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kExtents[] = {1, 2, 3, 4, 5, 8, 16, 32};
  packed_move result{.move = {}, .packed = {1 << draw(0, 2), bool(draw(0, 1))}};
  auto const per_byte = result.packed.per_byte();
  rearrangement steps;
  auto const modes = std::size_t(draw(1, 5));
  for (std::int64_t i = 0, room = 32; i < std::int64_t(modes); ++i) {
    steps.split.push_back(std::min(kExtents[draw(0, i < 2 ? 7 : 4)], room));
    steps.order.push_back(i);
    room /= steps.split.back();
  }
  std::ranges::shuffle(steps.order, generator);
  auto const cut = [&](std::vector<int>& counts) {
    for (auto left = std::int64_t(modes); left > 0; left -= counts.back())
      counts.push_back(int(draw(1, std::min<std::int64_t>(left, 3))));
  };
  cut(steps.split_counts), cut(steps.merged_counts);
  // The last axes consist of whole bytes.
  auto const last_of = [&](std::vector<int> const& counts) { return modes - 1 - std::size_t(draw(0, counts.back() - 1)); };
  steps.split[last_of(steps.split_counts)] *= per_byte;
  if (auto const last = std::size_t(steps.order[last_of(steps.merged_counts)]); steps.split[last] % per_byte != 0 || draw(0, 1))
    steps.split[last] *= per_byte;
  bool const is_padded = draw(0, 1), is_cropped = draw(0, 2) == 0;
  auto const shape_of = [&](std::vector<int> const& counts, auto const& extent_of, bool is_shorter) {
    std::vector<std::int64_t> shape;
    std::size_t mode = 0;
    for (auto const count : counts) {
      std::int64_t extent = 1;
      for (int i = 0; i < count; ++i) extent *= extent_of(mode++);
      shape.push_back(is_shorter && draw(0, 2) ? draw(draw(0, 7) ? extent / 2 : 0, extent) : extent);
    }
    shape.back() -= shape.back() % per_byte;
    return shape;
  };
  auto const shape = shape_of(
      steps.split_counts, [&](std::size_t i) { return steps.split[i]; }, is_padded);
  steps.shape = shape_of(
      steps.merged_counts, [&](std::size_t i) { return steps.split[std::size_t(steps.order[i])]; }, is_cropped);
  // Strides of rows of bytes, in elements. Returns the bytes before the first row, and all bytes.
  auto const draw_rows = [&](std::vector<std::int64_t> const& extents, std::vector<std::int64_t>& strides, bool may_repeat) {
    std::vector<std::int64_t> const outer(extents.begin(), extents.end() - 1);
    auto const [first, count] = draw_strides(outer, strides, generator, may_repeat);
    auto const pitch = extents.back() + per_byte * draw(0, 3);
    for (auto& each : strides) each *= pitch;
    strides.push_back(1);
    return std::pair(first * pitch / per_byte, count * pitch / per_byte);
  };
  rearrange_options options;
  auto const [source_first, source_size] = draw_rows(shape, options.source_strides, true);
  auto const [destination_first, destination_size] = draw_rows(steps.shape, options.destination_strides, false);
  result.source_first = source_first, result.destination_first = destination_first;
  result.move = move_of(steps, shape, options);
  result.pad = std::byte(draw(0, 255));
  result.source = filled(source_size), result.destination = filled(destination_size);
  return result;
}

/// The result of the definition: each element in turn.
inline bytes_list moved_plainly(packed_move const& each) {
  auto result = each.destination;
  auto const& move = each.move;
  auto const& packed = each.packed;
  auto const per_byte = packed.per_byte();
  std::vector<std::int64_t> index(move.extents.size(), 0);
  if (!each.has_result()) return result;
  while (true) {
    auto const from = place_of(move.source, index, move, each.source_first * per_byte),
               to = place_of(move.destination, index, move, each.destination_first * per_byte);
    if (to >= 0) {
      int const element =
                    from < 0 ? int(each.pad) : int(each.source[std::size_t(from / per_byte)]) >> packed.shift(from % per_byte),
                shift = packed.shift(to % per_byte);
      auto& byte = result[std::size_t(to / per_byte)];
      byte = std::byte((int(byte) & ~(packed.mask() << shift)) | (element & packed.mask()) << shift);
    }
    std::size_t mode = 0;
    while (mode < index.size() && ++index[mode] == move.extents[mode]) index[mode++] = 0;
    if (mode == index.size()) return result;
  }
}

}  // namespace cornerturn::test
