#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "cpu/run.hpp"
#include "cpu/sizes.hpp"

namespace cornerturn::cpu {

/// Tiles that several threads move: a thread takes pieces of its own share first, and then those that other threads have not
/// begun. So a thread that starts late, or is interrupted, delays a run by one piece.
class shared_tiles {
 public:
  /// Divides `tiles` tiles of `bytes` bytes in all among `shares` threads.
  shared_tiles(std::int64_t tiles, std::int64_t bytes, int shares);

  /// Calls move(first, end, report) for pieces, as the thread whose own share is `index`, until no piece is left or `report`
  /// returns false.
  void move_as(int index, reporter const& report, std::function<void(std::int64_t, std::int64_t, reporter const&)> const& move);

 private:
  struct alignas(sizeof(cache_line)) share {
    std::atomic<std::int64_t> next = 0;  ///< the first tile that no thread has taken
    std::int64_t end = 0;
  };

  std::vector<share> shares_;
  std::int64_t piece_;  ///< tiles
};

}  // namespace cornerturn::cpu
