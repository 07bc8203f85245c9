#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cpu/limited/plan.hpp"
#include "cpu/run.hpp"
#include "cpu/tiles/plan.hpp"
#include "problem/limited.hpp"

namespace cornerturn {

/// A loop over chunks.
struct chunk_loop : tile_loop {
  std::array<std::int64_t, limited_problem::kMostLimits> steps{};  ///< indices of each limited axis from one chunk to the next
};

/// An axis of the plain array that is shorter than its modes.
struct chunk_limit {
  struct digit {
    std::int64_t extent, step;
  };
  std::int64_t end = 0;       ///< indices from here on do not exist
  std::vector<digit> digits;  ///< of a chunk's index along the axis, the outermost first

  /// The indices that exist in a chunk whose first index is `first`. They are the lowest of the chunk's.
  std::int64_t count_from(std::int64_t first) const;
};

/// How the CPU copies between a plain array, which may be padded or cropped, and a dense one whose byte offsets are swizzled: in
/// chunks that are contiguous in the latter, by way of a cache. The boxes of a chunk are copied between the plain array and
/// memory of the chunk's size, and units of 16 bytes between this memory and their places. The threads divide the chunks.
struct cpu_swizzled {
  static constexpr std::string_view family = "cpu-swizzled";
  static constexpr int version = 1;

  /// The boxes of all chunks that have as many indices of each limited axis.
  struct chunk_kind {
    std::array<std::int64_t, limited_problem::kMostLimits> counts{};
    cpu_limited boxes;
  };

  std::vector<chunk_kind> kinds;    ///< the one with the most indices first
  std::int64_t chunk_bytes = 0;     ///< of a chunk of the swizzled array
  std::vector<chunk_loop> loops;    ///< over chunks, the last one fastest
  std::vector<chunk_limit> limits;  ///< of the plain array
  offset_swizzle swizzle;
  bool of_source = false;  ///< else of the destination
  bool streams = false;    ///< the result is written past the caches

  std::int64_t chunks() const { return iterations_of(loops); }
  std::int64_t bytes() const { return chunks() * chunk_bytes; }  ///< of the swizzled array
  std::int64_t image_bytes() const;                              ///< of the memory that the boxes of any kind need

  auto parameters() const { return std::tuple(chunks(), chunk_bytes); }

  static plan_decisions<cpu_swizzled> decisions();
};

/// Plans a canonical problem. Returns nothing unless one side is swizzled and dense and has no limit, and parts of it of 64 KiB
/// or less, or of one index of a mode, are whole periods of the swizzle and at most 1 MiB, of few kinds.
std::optional<cpu_swizzled> plan_cpu_swizzled(limited_problem const& canonical, cpu_tile_hint const& hint = {});

std::string describe(cpu_swizzled const& plan);

namespace cpu {

void run(cpu_swizzled const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cpu
}  // namespace cornerturn
