#include "pattern/swizzle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "layout/notation.hpp"
#include "pattern/grammar.hpp"

namespace cornerturn {
namespace {

swizzle_bits read_swizzle(std::string_view argument, std::string_view text) {
  constexpr int kUnitBits = 4, kMostBits = 5;  // each value of the bits is a copy
  auto const swizzle = parse_swizzle(argument, text);
  if (swizzle.base < kUnitBits || swizzle.bits < 1 || swizzle.bits > kMostBits)
    refuse(argument, quoted(text),
           fmt::format("one of units of at least {} bytes and of 1 to {} bits, e.g. Sw<3,4,3>", 1 << kUnitBits, kMostBits));
  return swizzle;
}

/// A side with a swizzle, and the words for it.
struct swizzled_side {
  std::string_view argument, text, shape, strides, place;
  pattern_side pattern_move::*of;
  int tile_axes;
  std::int64_t element_bits;
  swizzle_bits swizzle = {};
};

/// The modes of a tile.
std::span<std::size_t const> tile_modes(pattern_side const& side, int tile_axes) {
  std::size_t count = 0;
  for (auto axis = side.counts.size() - std::size_t(tile_axes); axis < side.counts.size(); ++axis)
    count += std::size_t(side.counts[axis]);
  return std::span(side.modes).last(count);
}

/// Throws `error` unless all elements of a tile are there, one after another.
void expect_whole_tile(swizzled_side const& given, pattern_move const& move) {
  auto const& side = move.*given.of;
  bool const is_empty = std::ranges::count(side.shape, 0) > 0;
  auto end = side.modes.size();
  std::int64_t stride = 1;
  for (auto axis = side.counts.size(); axis-- > side.counts.size() - std::size_t(given.tile_axes);) {
    std::int64_t whole = 1;
    for (int i = 0; i < side.counts[axis]; ++i) whole *= move.extents[side.modes[--end]];
    if (side.shape[axis] != whole)
      refuse(fmt::format("{}[{}]", given.shape, axis), side.shape[axis],
             fmt::format("{}, because a tile with a swizzle is whole", whole));
    if (!is_empty && whole > 1 && side.strides[axis] != stride)
      refuse(fmt::format("{}[{}]", given.strides, axis), side.strides[axis],
             fmt::format("{}, because a tile with a swizzle is dense", stride));
    stride *= whole;
  }
}

/// Puts `added` after `number` in a list that has the latter.
void insert_after(std::vector<std::size_t>& list, std::size_t number, std::size_t added) {
  if (auto const found = std::ranges::find(list, number); found != list.end()) list.insert(found + 1, added);
}

/// Splits a mode: the last `inner` indices become a mode of their own.
void split_mode(pattern_move& move, std::size_t mode, std::int64_t inner) {
  auto const added = move.extents.size();
  move.extents[mode] /= inner;
  move.extents.push_back(inner);
  for (auto* const side : {&move.source, &move.destination}) {
    auto const at = std::ranges::find(side->modes, mode) - side->modes.begin();
    std::ptrdiff_t end = 0;
    auto const axis = std::ranges::find_if(side->counts, [&](int count) { return (end += count) > at; });
    ++*axis;
    insert_after(side->modes, mode, added);
    for (auto& limit : side->limits) insert_after(limit.modes, mode, added);
    side->mode_strides.push_back(side->mode_strides[mode]);
    side->mode_strides[mode] *= inner;
  }
}

/// The number of elements in 2^bit bytes; 0 if they are no whole elements.
std::int64_t elements_below(swizzled_side const& given, int bit) {
  auto const bits = std::int64_t(8) << bit;
  return bits % given.element_bits == 0 ? bits / given.element_bits : 0;
}

std::int64_t tile_size(swizzled_side const& given, pattern_move const& move) {
  std::int64_t size = 1;
  for (auto const mode : tile_modes(move.*given.of, given.tile_axes)) size *= move.extents[mode];
  return size;
}

[[noreturn]] void refuse_tile(swizzled_side const& given, pattern_move const& move, int bit) {
  auto const& shape = (move.*given.of).shape;
  std::string const tile =
      fmt::format("{} elements of {}", fmt::join(std::span(shape).last(std::size_t(given.tile_axes)), "x"),
                  given.element_bits % 8 ? count_text(given.element_bits, "bit") : count_text(given.element_bits / 8, "byte"));
  refuse(
      {given.argument, "the tile of {}"}, tile,
      fmt::format("of axes that {} bytes divide, as a boundary of the bits of {}", std::int64_t(1) << bit, quoted(given.text)));
}

/// Makes a boundary between modes at a bit of the byte offset in a tile.
void split_tile(swizzled_side const& given, pattern_move& move, int bit) {
  auto const at = elements_below(given, bit);
  auto const modes = tile_modes(move.*given.of, given.tile_axes);
  std::int64_t inner = 1;
  for (auto i = modes.size(); i-- > 0 && inner < at;) {
    auto const extent = move.extents[modes[i]];
    if (inner * extent > at && at % inner == 0 && extent % (at / inner) == 0) return split_mode(move, modes[i], at / inner);
    inner *= extent;
  }
  if (inner != at) refuse_tile(given, move, bit);
}

/// The lowest bits of the two bit fields of a swizzle.
struct bit_fields {
  int flipped, selecting;
};
bit_fields fields_of(swizzle_bits const& of) {
  auto const high = of.base + std::abs(of.shift);
  return of.shift > 0 ? bit_fields{of.base, high} : bit_fields{high, of.base};
}

void split_tile(swizzled_side const& given, pattern_move& move) {
  auto const [flipped, selecting] = fields_of(given.swizzle);
  for (int bit = flipped; bit <= flipped + given.swizzle.bits; ++bit) split_tile(given, move, bit);
  auto const size = tile_size(given, move);
  for (auto const bit : {selecting, selecting + given.swizzle.bits})
    if (elements_below(given, bit) < size) split_tile(given, move, bit);
}

/// The modes between two bits of the byte offset in a tile, the innermost last. Modes of extent 1 are left out.
std::vector<std::size_t> modes_between(swizzled_side const& given, pattern_move const& move, int low, int high) {
  auto const modes = tile_modes(move.*given.of, given.tile_axes);
  std::vector<std::size_t> found;
  std::int64_t inner = 1;
  for (auto i = modes.size(); i-- > 0;) {
    auto const extent = move.extents[modes[i]];
    if (extent > 1 && inner >= elements_below(given, low) && inner < elements_below(given, high))
      found.insert(found.begin(), modes[i]);
    inner *= extent;
  }
  return found;
}

/// The swizzle of the offsets in a tile as one of the offsets in the array: tiles begin at multiples of its period. None for
/// other tiles, and for bits that select lower ones.
offset_swizzle of_offsets(swizzled_side const& given, pattern_move const& move) {
  auto const [bits, base, shift] = given.swizzle;
  constexpr int kMostBits = 30;
  if (shift <= 0 || bits + base + shift > kMostBits) return {};
  offset_swizzle const result{shift, ((1 << bits) - 1) << base};
  auto const& side = move.*given.of;
  auto const whole = 8 * result.period() / std::gcd(8 * result.period(), given.element_bits);  // elements
  auto const is_whole = [&](std::int64_t elements) { return elements % whole == 0; };
  auto const outer = side.modes.size() - tile_modes(side, given.tile_axes).size();
  for (auto const mode : std::span(side.modes).first(outer))
    if (move.extents[mode] > 1 && !is_whole(side.mode_strides[mode])) return {};
  return is_whole(tile_size(given, move)) ? result : offset_swizzle{};
}

/// Divides boxes so that each has one index of each selector.
std::vector<index_box> by_selectors(std::vector<index_box> boxes, pattern_move const& move) {
  for (auto const* const side : {&move.source, &move.destination})
    for (auto const mode : side->swizzle.selectors) {
      std::vector<index_box> divided;
      for (auto const& box : boxes)
        for (auto index = box[mode].begin; index < box[mode].end; ++index) {
          divided.push_back(box);
          divided.back()[mode] = {index, index + 1};
        }
      boxes = std::move(divided);
    }
  return boxes;
}

}  // namespace

void expect_swizzle(std::string_view argument, std::string_view text) { read_swizzle(argument, text); }

void refuse_without_tile(std::string_view argument, std::string_view side, std::string_view pattern) {
  refuse(argument, "given", fmt::format("left out without a | on the {} of pattern {}", side, quoted(pattern)));
}

void swizzle_sides(pattern_move& move, std::string_view pattern, rearrangement const& steps, rearrange_options const& options,
                   element_sizes const& element_bits) {
  swizzled_side both[] = {{"source_swizzle", options.source_swizzle, "shape", "source_strides", "left", &pattern_move::source,
                           steps.source_tile, element_bits.source},
                          {"swizzle", options.swizzle, "result_shape", "destination_strides", "right", &pattern_move::destination,
                           steps.result_tile, element_bits.destination}};
  std::vector<swizzled_side> swizzled;
  for (auto& each : both) {
    if (each.text.empty()) continue;
    each.swizzle = read_swizzle(each.argument, each.text);
    if (each.tile_axes == 0) refuse_without_tile(each.argument, each.place, pattern);
    swizzled.push_back(each);
  }
  if (std::ranges::count(move.extents, 0)) return;
  for (auto const& each : swizzled) expect_whole_tile(each, move);
  for (auto const& each : swizzled) split_tile(each, move);
  for (auto const& each : swizzled) {
    auto const [flipped, selecting] = fields_of(each.swizzle);
    auto& found = (move.*each.of).swizzle;
    found.selectors = modes_between(each, move, selecting, selecting + each.swizzle.bits);
    for (int bit = flipped; bit < flipped + each.swizzle.bits; ++bit)
      found.flipped.push_back(modes_between(each, move, bit, bit + 1).front());
    found.of_offsets = of_offsets(each, move);
  }
}

limited_boxes boxes_of(pattern_move const& move) {
  auto boxes = boxes_within(move.extents, move.source.limits, move.destination.limits);
  return {by_selectors(std::move(boxes.copied), move), by_selectors(std::move(boxes.padded), move)};
}

}  // namespace cornerturn
