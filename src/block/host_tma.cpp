#include "block/host_tma.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "block/sizes.hpp"

namespace cornerturn {
namespace {

/// TMA's 128-byte swizzle: bits 4 to 6 of an offset are XORed with bits 7 to 9.
std::size_t swizzle_128(std::size_t offset) { return offset ^ (offset >> 3 & 0x70); }

/// Calls copy(shared, global, bytes) for every 16-byte unit of a box. The unit's first `bytes` bytes lie within the matrix.
template <class Copy>
void for_units(box_copy const& each, Copy const& copy) {
  for (int r = 0; r < each.map.box_rows; ++r) {
    int const within = bytes_within(each.map, each.col, each.row + r, each.batch);
    std::byte* const global = within ? address_in(each.map, each.col, each.row + r, each.batch) : nullptr;
    for (int at = 0; at < tensor_map::kRowBytes; at += kUnitBytes) {
      auto const offset = std::size_t(each.box - each.shared) + std::size_t(r * tensor_map::kRowBytes + at);
      int const bytes = std::clamp(within - at, 0, kUnitBytes);
      copy(each.shared + (each.map.swizzled ? swizzle_128(offset) : offset), bytes ? global + at : nullptr, std::size_t(bytes));
    }
  }
}

}  // namespace

int bytes_within(tensor_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch) {
  if (row >= map.rows || batch >= map.batch) return 0;
  return int(std::clamp<std::int64_t>((map.cols - col) * map.element_size, 0, tensor_map::kRowBytes));
}

std::byte* address_in(tensor_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch) {
  return map.base + batch * map.batch_bytes + row * map.pitch_bytes + col * map.element_size;
}

void box_copy::load() const {
  for_units(*this, [](std::byte* shared, std::byte const* global, std::size_t bytes) {
    std::memset(shared, 0, kUnitBytes);
    if (bytes) std::memcpy(shared, global, bytes);
  });
}

void box_copy::store() const {
  for_units(*this, [](std::byte const* shared, std::byte* global, std::size_t bytes) {
    if (bytes) std::memcpy(global, shared, kUnitBytes);
  });
}

void host_tma::bulk_copy(mbarrier& arrived, row_copy const& each) {
  if (arrived.has_arrived) throw std::logic_error("a bulk copy is requested after the arrival at its mbarrier");
  arrived.pending_bytes += each.bytes;
  rows_.push_back({&arrived, each});
}

void host_tma::complete(mbarrier& arrived) {
  std::erase_if(rows_, [&](auto const& each) {
    if (each.first != &arrived) return false;
    auto const& [from, to, bytes] = each.second;
    std::memcpy(to, from, std::size_t(bytes));
    arrived.pending_bytes -= bytes;
    return true;
  });
  std::erase_if(loads_, [&](auto const& each) {
    if (each.first != &arrived) return false;
    each.second.load();
    arrived.pending_bytes -= each.second.map.box_rows * tensor_map::kRowBytes;
    return true;
  });
  if (!arrived.has_arrived || arrived.pending_bytes != 0) return;
  arrived.phase ^= 1;
  arrived.has_arrived = false;
}

void host_tma::wait_group_read(std::size_t pending) {
  for (; groups_.size() > pending; groups_.pop_front())
    for (auto const& each : groups_.front()) each.store();
}

}  // namespace cornerturn
