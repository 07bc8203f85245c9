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

  /// Takes the piece after the tiles that a thread has: extend(end) is the end of that piece if the piece begins at `end`, else
  /// `end`. For example extend(8) is 16 if tiles 8 to 15 were free.
  using extension = std::function<std::int64_t(std::int64_t)>;

  /// Like `move_as`. The functions move(first, end, extend, report) may call `extend` before the last tile, to move the tiles of
  /// several pieces in one row.
  void move_rows_as(int index, reporter const& report,
                    std::function<void(std::int64_t, std::int64_t, extension const&, reporter const&)> const& move);

 private:
  struct piece {
    std::int64_t first = 0, end = 0;
    bool is_empty() const { return first == end; }
  };
  struct alignas(sizeof(cache_line)) share {
    std::atomic<std::int64_t> next = 0;  ///< the first tile that no thread has taken
    std::int64_t end = 0;
  };

  piece take(share& from) const;

  std::vector<share> shares_;
  std::int64_t piece_;  ///< tiles
};

}  // namespace cornerturn::cpu
