#include "cpu/shared_tiles.hpp"

#include <algorithm>
#include <utility>

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
  move_rows_as(index, report,
               [&](std::int64_t first, std::int64_t end, extension const&, reporter const& tell) { move(first, end, tell); });
}

void shared_tiles::move_rows_as(int index, reporter const& report,
                                std::function<void(std::int64_t, std::int64_t, extension const&, reporter const&)> const& move) {
  bool goes_on = true;
  reporter const tell = [&](std::int64_t moved) { return goes_on = report(moved); };
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    auto& from = shares_[(std::size_t(index) + i) % shares_.size()];
    piece ahead;
    auto const has_next = [&] {
      if (ahead.is_empty()) ahead = take(from);
      return !ahead.is_empty();
    };
    extension const extend = [&](std::int64_t end) {
      return has_next() && ahead.first == end ? std::exchange(ahead, {}).end : end;
    };
    while (goes_on && has_next()) {
      auto const now = std::exchange(ahead, {});
      move(now.first, now.end, extend, tell);
    }
  }
}

shared_tiles::piece shared_tiles::take(share& from) const {
  if (from.next >= from.end) return {};
  auto const first = from.next.fetch_add(piece_);
  return first < from.end ? piece{first, std::min(first + piece_, from.end)} : piece{};
}

}  // namespace cornerturn::cpu
