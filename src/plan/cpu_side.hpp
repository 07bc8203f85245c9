#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/cpu_plan.hpp"

namespace cornerturn {

/// A mode with its strides in bytes.
struct byte_mode {
  std::int64_t extent, source, destination;
};

/// The offset of every index of the modes, the first one running fastest.
std::vector<std::int64_t> offsets_of(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride);

/// Whether these offsets are 0, `step`, twice that and so on.
bool is_progression(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride, std::int64_t step);

/// From each of these offsets to the next; 0 if that varies, or there is only one.
std::int64_t even_step(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*stride);

/// Takes modes from those left, one after another, and makes one side of a tile of them: those that follow each other in the
/// source or, `along` the other stride, in the destination.
class cpu_side {
 public:
  static constexpr std::int64_t kStep = 16;

  cpu_side(std::vector<byte_mode>& left, std::int64_t byte_mode::*along, std::int64_t unit);

  /// Whether there is a mode that follows without a gap.
  bool starts() const { return first_ != 0; }
  /// Leaves the other side the mode that it starts with; and if this side's own first mode is long enough, those that the other
  /// goes on with until it has a cache line, too.
  void bar(cpu_side const& other);
  /// How many units this side could have.
  std::int64_t available(cpu_side const& other) const;
  /// Goes on over whole modes that the other side has.
  void share(cpu_side const& other) { shared_ = &other; }
  /// Whether the next mode is the one that the other side starts with.
  bool ends_at(cpu_side const& other, std::vector<byte_mode> const& all) const;
  /// Takes the modes that follow without a gap until there are `most` units, of which the last one may be cut, or `enough` bytes.
  /// Pieces of the first mode are whole steps.
  void take(std::int64_t most, std::int64_t step = kStep, std::int64_t enough = std::numeric_limits<std::int64_t>::max());

  std::int64_t count() const { return count_; }
  /// The loop over the pieces of what was cut; of one piece where nothing was.
  tile_loop const& repeated() const { return cut_; }
  bool is_cut() const { return cut_.count > 1; }
  std::int64_t last() const { return last_; }
  /// Of a full tile, the fastest first.
  std::vector<byte_mode> const& modes() const { return taken_; }

 private:
  std::vector<byte_mode>::iterator find(std::int64_t stride) const;
  void pass();

  std::vector<byte_mode>& left_;
  std::int64_t byte_mode::*along_;
  std::int64_t next_, count_ = 1, last_ = 0, first_ = 0;
  std::vector<std::int64_t> barred_;  ///< what these modes have in the destination
  cpu_side const* shared_ = nullptr;
  std::vector<byte_mode> taken_;
  tile_loop cut_;
};

}  // namespace cornerturn
