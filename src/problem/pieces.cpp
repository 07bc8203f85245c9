#include "problem/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/round.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/text.hpp"
#include "problem/canonical.hpp"
#include "problem/piece_extents.hpp"

namespace cornerturn {
namespace {

using extents = std::vector<std::int64_t>;

/// Computes the strides of a dense buffer for one side of a box. Modes keep the order and the sign that they have in the array; a
/// repeated mode (stride 0) is stored once. Returns the number of elements of the buffer; adds the offset of index (0, …, 0) to
/// `offset`.
std::int64_t lay_out(problem const& part, std::int64_t mode::*stride, extents& strides, std::int64_t& offset) {
  std::vector<std::size_t> order(part.modes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(part.modes[i].*stride); });
  strides.assign(order.size(), 0);
  std::int64_t elements = 1;
  for (auto const i : order) {
    mode const& m = part.modes[i];
    if (m.*stride == 0) continue;
    strides[i] = m.*stride < 0 ? -elements : elements;
    if (m.*stride < 0) offset += (m.extent - 1) * elements;
    elements *= m.extent;
  }
  return elements;
}

piece piece_of(problem const& part, std::int64_t index) {
  auto const [source_size, destination_size] = part.element_size;
  problem pack{.modes = {}, .element_size = source_size}, unpack{.modes = {}, .element_size = destination_size};
  problem move = part;
  move.modes.clear(), move.source_offset = move.destination_offset = 0;
  extents packed, moved;
  auto const packed_elements = lay_out(part, &mode::source_stride, packed, move.source_offset);
  auto const moved_elements = lay_out(part, &mode::destination_stride, moved, move.destination_offset);
  pack.source_offset = part.source_offset, pack.destination_offset = move.source_offset;
  unpack.source_offset = move.destination_offset, unpack.destination_offset = part.destination_offset;
  for (std::size_t i = 0; i < part.modes.size(); ++i) {
    mode const& m = part.modes[i];
    if (packed[i] != 0) pack.modes.push_back({m.extent, m.source_stride, packed[i]});
    move.modes.push_back({m.extent, packed[i], moved[i]});
    unpack.modes.push_back({m.extent, moved[i], m.destination_stride});
  }
  return {index,
          canonical(pack),
          canonical(move),
          canonical(unpack),
          packed_elements * source_size,
          moved_elements * destination_size};
}

}  // namespace

piece_list::piece_list(problem canonical, std::vector<std::int64_t> extents)
    : whole_(std::move(canonical)), extents_(std::move(extents)) {
  for (std::size_t i = 0; i < extents_.size(); ++i) size_ *= parts(i);
}

std::int64_t piece_list::parts(std::size_t mode) const { return ceil_div(whole_.modes[mode].extent, extents_[mode]); }

piece piece_list::operator[](std::int64_t index) const {
  auto part = whole_;
  auto rest = index;
  for (auto i = extents_.size(); i-- > 0; rest /= parts(i)) {
    auto const begin = rest % parts(i) * extents_[i];
    part = slice(std::move(part), i, begin, std::min(extents_[i], whole_.modes[i].extent - begin));
  }
  return piece_of(part, index);
}

piece_list pieces_of(problem const& canonical, std::int64_t most_bytes) {
  return {canonical, piece_extents(canonical, std::max<std::int64_t>(most_bytes / canonical.element_size.larger(), 1))};
}

std::int64_t room_for_piece(problem const& canonical, std::int64_t free_bytes, std::int64_t buffers) {
  constexpr std::int64_t kLeastBytes = 1 << 20, kShare = 2;
  auto const room = free_bytes / kShare / buffers, least = std::min(bytes_of(canonical), kLeastBytes);
  if (room < least)
    throw error(error_kind::memory, fmt::format("the GPU has {} of free memory; moving this array from and to the host takes {}",
                                                count_text(free_bytes, "byte"), least * buffers * kShare));
  return room;
}

}  // namespace cornerturn
