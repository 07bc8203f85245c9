#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "cornerturn/processor.hpp"
#include "plan/file_limits.hpp"
#include "problem/pieces.hpp"

namespace cornerturn {

/// One piece of a file in memory: `packed` in the order of the input file, `moved` in the order of the output file.
struct piece_buffers {
  static constexpr std::int64_t kCount = 2;

  explicit piece_buffers(piece const& largest);
  std::unique_ptr<std::byte[]> packed, moved;
};

/// Moves pieces of a file from one buffer to the other by a processor.
class piece_mover {
 public:
  explicit piece_mover(processor_kind asked);

  /// `report` is called with numbers of bytes that add up to the piece's. If the GPU was not asked for and has no room or fails,
  /// the CPU moves this piece and all later ones.
  void move(piece const& each, piece_buffers const& in, std::function<void(std::int64_t)> const& report);

  /// Seconds that all moves have taken.
  double seconds() const { return seconds_; }
  /// "cpu" or "gpu": the processor of the last piece.
  char const* processor() const { return on_gpu_ ? "gpu" : "cpu"; }

 private:
  processor_kind asked_;
  bool on_gpu_;
  double seconds_ = 0;
};

/// The least memory in bytes for a problem. With less, its runs in the files would be very short.
std::int64_t least_memory(problem const& canonical, file_limits const& limits = {});

/// The default memory in bytes for a problem.
std::int64_t usual_memory(problem const& canonical, processor_kind asked, file_limits const& limits = {});

}  // namespace cornerturn
