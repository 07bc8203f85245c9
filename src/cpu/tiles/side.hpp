#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/tiles/plan.hpp"

namespace cornerturn {

/// A mode whose strides are in bytes.
struct byte_mode {
  std::int64_t extent, source, destination;
};

/// The offset of every index of the modes, the first one running fastest.
std::vector<std::int64_t> offsets_of(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride);

/// True if these offsets are 0, `step`, 2 * `step` and so on.
bool is_progression(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride, std::int64_t step);

/// The distance from each of these offsets to the next one in bytes; 0 if it varies, or if there is only one offset.
std::int64_t even_step(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride);

/// One side of a tile: columns, which are contiguous in the source, or rows, which are contiguous in the destination. It takes
/// its modes from a list that both sides share.
class cpu_side {
 public:
  static constexpr std::int64_t kStep = 16;  ///< units; the pieces of a cut mode are multiples of it
  static constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

  /// `first` is the stride, in bytes, of this side's first mode: a unit, or more if there are gaps.
  cpu_side(std::vector<byte_mode>& left, std::int64_t byte_mode::*along, std::int64_t first);

  /// True if there is a mode with the stride of the first one.
  bool starts() const { return first_ != 0; }
  /// Reserves the other side's first mode for that side. If `for_lines` is true and this side's first mode fills a cache line,
  /// also reserves the modes with which the other side fills a cache line.
  void bar(cpu_side const& other, bool for_lines = true);
  /// The most units that this side could have.
  std::int64_t available(cpu_side const& other) const;
  /// Lets this side continue after whole modes of the other side.
  void share(cpu_side const& other) { shared_ = &other; }
  /// True if the next mode is the first mode of the other side.
  bool ends_at(cpu_side const& other, std::vector<byte_mode> const& all) const;
  /// Takes the contiguous modes that follow until there are `most` units or `enough` bytes. The last mode may be cut; pieces of
  /// the first mode are multiples of `step`, and the last of them has `least` units if pieces of about the same size allow it.
  void take(std::int64_t most, std::int64_t step = kStep, std::int64_t enough = kAny, std::int64_t least = 1);

  /// The units taken.
  std::int64_t count() const { return count_; }
  /// The loop over the pieces of the cut mode; a loop of one tile if no mode was cut.
  tile_loop const& repeated() const { return cut_; }
  bool is_cut() const { return cut_.count > 1; }
  /// The units of the last piece of the mode that was cut.
  std::int64_t last() const { return last_; }
  /// The modes of a full tile, the fastest first.
  std::vector<byte_mode> const& modes() const { return taken_; }

 private:
  std::vector<byte_mode>::iterator find(std::int64_t stride) const;
  /// Moves `next_` past the modes of `shared_` that follow.
  void pass();

  std::vector<byte_mode>& left_;
  std::int64_t byte_mode::*along_;
  std::int64_t next_;                 ///< the stride, in bytes, of the mode that this side takes next
  std::int64_t count_ = 1;            ///< units taken
  std::int64_t last_ = 0;             ///< units of the last piece of the mode that was cut
  std::int64_t first_ = 0;            ///< the destination stride, in bytes, of the first mode; 0 if there is none
  std::vector<std::int64_t> barred_;  ///< destination strides, in bytes, of the modes left to the other side
  cpu_side const* shared_ = nullptr;
  std::vector<byte_mode> taken_;
  tile_loop cut_;
};

}  // namespace cornerturn
