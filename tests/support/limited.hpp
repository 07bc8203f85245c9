#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pattern/grammar.hpp"
#include "pattern/problems.hpp"
#include "pattern/sides.hpp"
#include "pattern/swizzle.hpp"

namespace cornerturn::test {

/// A copy that is padded, cropped or swizzled, with its arrays. The pointers of both are `*_first` elements after the arrays'
/// first bytes.
struct limited_case {
  pattern_copy copy;
  std::int64_t source_first = 0, destination_first = 0;
  std::vector<std::byte> source, destination;

  std::byte const* from() const { return source.data() + source_first * copy.element_size; }
  std::byte* to(std::vector<std::byte>& result) const { return result.data() + destination_first * copy.element_size; }
};

/// Strides of an array in elements, with gaps, in any order and direction; some are 0 if it `may_repeat`. Returns the elements
/// before the array's first one, and all elements.
inline std::pair<std::int64_t, std::int64_t> draw_strides(std::vector<std::int64_t> const& shape,
                                                          std::vector<std::int64_t>& strides, std::mt19937& generator,
                                                          bool may_repeat = false) {
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t(0));
  if (generator() % 4 == 0) std::ranges::shuffle(axes, generator);
  strides.resize(shape.size());
  std::int64_t step = 1, first = 0;
  for (auto i = axes.size(); i-- > 0;) {
    auto const axis = axes[i];
    if (may_repeat && generator() % 16 == 0) continue;
    if (generator() % 4 == 0) step += std::int64_t(generator() % 4);
    bool const is_reversed = generator() % 8 == 0;
    strides[axis] = is_reversed ? -step : step;
    if (is_reversed) first += std::max<std::int64_t>(shape[axis] - 1, 0) * step;
    step *= std::max<std::int64_t>(shape[axis], 1);
  }
  return {first, step};
}

/// A matrix that is brought to swizzled tiles, or back, or tiles whose swizzle changes. Some tiles have more rows than the
/// swizzle repeats after, some matrices are padded or cropped, and rows have gaps of any alignment.
inline limited_case random_swizzled_case(unsigned seed) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  std::int64_t const size = std::int64_t(1) << draw(0, 4), bits = draw(1, 3);
  std::array<std::int64_t, 2> const tile{8 << draw(0, 1), (std::int64_t(16) << bits) / size},
      counts{draw(1, 8), draw(1, draw(0, 1) ? 6 : 64)};
  bool const is_transposed = draw(0, 1), is_packed = draw(0, 1), is_limited = draw(0, 3) == 0, keeps_tiles = draw(0, 3) == 0;
  auto const matrix = std::string(is_transposed ? "(m b) (k a)" : "(m a) (k b)");
  auto const tiles = std::string(draw(0, 1) ? "m k | a b" : "k m | a b"),
             others = std::string(is_transposed ? "m k | b a" : "m k | a b");
  std::vector<std::int64_t> tiled{counts[0], counts[1], tile[0], tile[1]},
      extents{counts[0] * tile[is_transposed], counts[1] * tile[!is_transposed]};
  if (tiles.starts_with("k")) std::swap(tiled[0], tiled[1]);
  if (is_limited && !keeps_tiles)
    for (std::size_t axis = 0; axis < 2; ++axis) extents[axis] -= draw(0, tile[axis == 0 ? is_transposed : !is_transposed] - 1);
  auto const swizzle = fmt::format("Sw<{},4,3>", bits);
  std::vector<std::int64_t> gapped{extents[1] + draw(0, 1) * (draw(0, 1) ? std::max<std::int64_t>(1, 16 / size) : draw(0, 3)), 1};
  rearrange_options options{.swizzle = is_packed || keeps_tiles ? swizzle : "",
                            .source_swizzle = !is_packed || keeps_tiles ? swizzle : ""};
  std::string pattern;
  std::vector<std::int64_t> shape = tiled, cropped;
  if (keeps_tiles) {
    pattern = tiles + " -> " + others;
  } else if (is_packed) {
    pattern = matrix + " -> " + tiles, shape = extents, options.source_strides = gapped;
  } else {
    pattern = tiles + " -> " + matrix, cropped = extents, options.destination_strides = gapped;
  }
  bool const is_padded = is_packed && is_limited && !keeps_tiles;
  auto const steps = rearrangement_of(pattern, shape, std::vector<axis_length>{{"a", tile[0]}, {"b", tile[1]}},
                                      {.padded = is_padded, .shape = cropped});
  limited_case result;
  result.copy.element_size = size;
  result.copy.move = move_of(*steps, shape, options);
  swizzle_sides(result.copy.move, pattern, *steps, options, {size * 8, size * 8});
  if (is_padded) result.copy.pad.assign(std::size_t(size), std::byte{0xA5});
  auto const bytes_of = [&](bool is_tiled) {
    return std::size_t((is_tiled ? counts[0] * counts[1] * tile[0] * tile[1] : extents[0] * gapped[0]) * size);
  };
  result.source.resize(bytes_of(keeps_tiles || !is_packed)),
      result.destination.resize(bytes_of(keeps_tiles || is_packed), std::byte{0xEE});
  for (std::size_t i = 0; i < result.source.size(); ++i) result.source[i] = std::byte(i * 7 % 251 + i / 251);
  return result;
}

inline limited_case random_limited_case(unsigned seed) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 8, 12, 16, 20, 32}, kExtents[] = {1, 2, 3, 4, 5, 8, 16};
  limited_case result;
  result.copy.element_size = kSizes[draw(0, std::size(kSizes) - 1)];
  rearrangement steps;
  auto const modes = draw(1, 6);
  for (std::int64_t i = 0, room = 16'000; i < modes; ++i) {
    auto const extent = draw(0, 9) ? kExtents[draw(0, std::size(kExtents) - 1)] : draw(1, 70);
    steps.split.push_back(std::min(extent, room));
    steps.order.push_back(i);
    room /= steps.split.back();
  }
  std::ranges::shuffle(steps.order, generator);
  auto const cut = [&](std::vector<int>& counts) {
    for (auto left = modes; left > 0; left -= counts.back()) counts.push_back(int(draw(1, std::min<std::int64_t>(left, 3))));
  };
  cut(steps.split_counts), cut(steps.merged_counts);
  bool const is_padded = draw(0, 3) > 0, is_cropped = !is_padded || draw(0, 2) == 0;
  auto const shape_of = [&](std::vector<int> const& counts, auto const& extent_of, bool is_shorter) {
    std::vector<std::int64_t> shape;
    for (std::size_t axis = 0, mode = 0; axis < counts.size(); ++axis) {
      std::int64_t extent = 1;
      for (int i = 0; i < counts[axis]; ++i) extent *= extent_of(mode++);
      auto const least = draw(0, 3) ? extent / 2 : 0;
      shape.push_back(is_shorter && draw(0, 3) ? draw(least, extent) : extent);
    }
    return shape;
  };
  auto const shape = shape_of(
      steps.split_counts, [&](std::size_t i) { return steps.split[i]; }, is_padded);
  steps.shape = shape_of(
      steps.merged_counts, [&](std::size_t i) { return steps.split[std::size_t(steps.order[i])]; }, is_cropped);
  rearrange_options options;
  auto const [source_first, source_size] = draw_strides(shape, options.source_strides, generator, true);
  auto const [destination_first, destination_size] = draw_strides(steps.shape, options.destination_strides, generator);
  result.source_first = source_first, result.destination_first = destination_first;
  result.copy.move = move_of(steps, shape, options);
  result.copy.pad.resize(std::size_t(is_padded ? result.copy.element_size : 0));
  bool const is_uniform = draw(0, 1);
  for (std::size_t i = 0; i < result.copy.pad.size(); ++i) result.copy.pad[i] = std::byte(is_uniform ? 0xA5 : 0xA5 + 3 * i);
  auto const bytes = [&](std::int64_t elements) { return std::size_t(elements * result.copy.element_size); };
  result.source.resize(bytes(source_size)), result.destination.resize(bytes(destination_size), std::byte{0xEE});
  for (std::size_t i = 0; i < result.source.size(); ++i) result.source[i] = std::byte(i * 7 % 251 + i / 251);
  return result;
}

/// The offset of an index on a side, in elements; -1 if the index does not exist there, and offsets begin at `first`.
inline std::int64_t place_of(pattern_side const& side, std::vector<std::int64_t> const& index, pattern_move const& move,
                             std::int64_t first) {
  std::int64_t selected = 0;
  for (auto const selector : side.swizzle.selectors) selected = selected * move.extents[selector] + index[selector];
  for (std::size_t bit = 0; bit < side.swizzle.flipped.size(); ++bit)
    if (auto const flipped = side.swizzle.flipped[bit]; selected >> bit & 1)
      first += (1 - 2 * index[flipped]) * side.mode_strides[flipped];
  std::size_t mode = 0;
  for (std::size_t axis = 0; axis < side.counts.size(); ++axis) {
    std::int64_t of_axis = 0;
    for (int i = 0; i < side.counts[axis]; ++i, ++mode)
      of_axis = of_axis * move.extents[side.modes[mode]] + index[side.modes[mode]];
    if (of_axis >= side.shape[axis]) return -1;
    first += of_axis * side.strides[axis];
  }
  return first;
}

/// The result of the definition: each index in turn.
inline std::vector<std::byte> moved_plainly(limited_case const& each) {
  auto result = each.destination;
  auto const& move = each.copy.move;
  auto const size = std::size_t(each.copy.element_size);
  std::vector<std::int64_t> index(move.extents.size(), 0);
  if (std::ranges::count(move.extents, 0)) return result;
  while (true) {
    auto const from = place_of(move.source, index, move, each.source_first),
               to = place_of(move.destination, index, move, each.destination_first);
    if (to >= 0)
      std::memcpy(result.data() + std::size_t(to) * size,
                  from >= 0 ? each.source.data() + std::size_t(from) * size : each.copy.pad.data(), size);
    auto mode = index.size();
    while (mode > 0 && ++index[mode - 1] == move.extents[mode - 1]) index[--mode] = 0;
    if (mode == 0) return result;
  }
}

}  // namespace cornerturn::test
