#include "cpu/shared_tiles.hpp"

#include <algorithm>

namespace cornerturn::cpu {
namespace {

constexpr std::int64_t kPieceBytes = 1 << 20;  ///< about 50 us of a thread's time

}  // namespace

shared_tiles::shared_tiles(std::int64_t tiles, std::int64_t bytes, int shares)
    : shares_(std::size_t(shares)), piece_(std::max<std::int64_t>(1, tiles * kPieceBytes / std::max<std::int64_t>(1, bytes))) {
  for (std::int64_t i = 0; i < shares; ++i)
    shares_[std::size_t(i)].next = tiles * i / shares, shares_[std::size_t(i)].end = tiles * (i + 1) / shares;
}

void shared_tiles::move_as(int index, reporter const& report,
                           std::function<void(std::int64_t, std::int64_t, reporter const&)> const& move) {
  bool goes_on = true;
  reporter const tell = [&](std::int64_t moved) { return goes_on = report(moved); };
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    auto& from = shares_[(std::size_t(index) + i) % shares_.size()];
    while (goes_on && from.next < from.end)
      if (auto const first = from.next.fetch_add(piece_); first < from.end) move(first, std::min(first + piece_, from.end), tell);
  }
}

}  // namespace cornerturn::cpu
