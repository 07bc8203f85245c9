#include "block/boxes_in_flight.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace cornerturn {
namespace {

constexpr int kUnit = 16;

/// TMA's 128-byte swizzle: bits 4 to 6 of an offset XORed with bits 7 to 9.
std::size_t swizzle_128(std::size_t offset) { return offset ^ (offset >> 3 & 0x70); }

/// Calls move(shared, global, bytes) for every 16-byte unit of a box; only its first `bytes` lie within the matrix.
template <class Move>
void for_units(box_move const& each, Move const& move) {
  for (int r = 0; r < each.map.box_rows; ++r) {
    int const within = bytes_within(each.map, each.col, each.row + r, each.batch);
    std::byte* const global = within ? address_in(each.map, each.col, each.row + r, each.batch) : nullptr;
    for (int at = 0; at < box_map::kRowBytes; at += kUnit) {
      auto const offset = std::size_t(each.box - each.shared) + std::size_t(r * box_map::kRowBytes + at);
      int const bytes = std::clamp(within - at, 0, kUnit);
      move(each.shared + (each.map.swizzled ? swizzle_128(offset) : offset), bytes ? global + at : nullptr, std::size_t(bytes));
    }
  }
}

}  // namespace

int bytes_within(box_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch) {
  if (row >= map.rows || batch >= map.batch) return 0;
  return int(std::clamp<std::int64_t>((map.cols - col) * map.element_size, 0, box_map::kRowBytes));
}

std::byte* address_in(box_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch) {
  return map.base + batch * map.batch_bytes + row * map.pitch_bytes + col * map.element_size;
}

void box_move::load() const {
  for_units(*this, [](std::byte* shared, std::byte const* global, std::size_t bytes) {
    std::memset(shared, 0, kUnit);
    if (bytes) std::memcpy(shared, global, bytes);
  });
}

void box_move::store() const {
  for_units(*this, [](std::byte const* shared, std::byte* global, std::size_t bytes) {
    if (bytes) std::memcpy(global, shared, kUnit);
  });
}

void boxes_in_flight::fetch(barrier& arrived, row_fetch const& each) {
  if (arrived.complete) throw std::logic_error("a row is fetched after its barrier was told to expect no more");
  arrived.missing += each.bytes;
  rows_.push_back({&arrived, each});
}

void boxes_in_flight::arrive(barrier& arrived) {
  std::erase_if(rows_, [&](auto const& each) {
    if (each.first != &arrived) return false;
    auto const& [from, to, bytes] = each.second;
    std::memcpy(to, from, std::size_t(bytes));
    arrived.missing -= bytes;
    return true;
  });
  std::erase_if(loads_, [&](auto const& each) {
    if (each.first != &arrived) return false;
    each.second.load();
    arrived.missing -= each.second.map.box_rows * box_map::kRowBytes;
    return true;
  });
  if (!arrived.complete || arrived.missing != 0) return;
  arrived.phase ^= 1;
  arrived.complete = false;
}

void boxes_in_flight::leave(std::size_t pending) {
  for (; groups_.size() > pending; groups_.pop_front())
    for (auto const& each : groups_.front()) each.store();
}

}  // namespace cornerturn
