#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cpu/run.hpp"
#include "cpu/tiles/plan.hpp"
#include "problem/limited.hpp"

namespace cornerturn {

/// How the CPU copies between a plain array and a dense one whose byte offsets are swizzled: in chunks that are contiguous in the
/// latter, by way of a cache. A chunk is copied between the plain array and memory of its size, and its units of 16 bytes between
/// this memory and their places. The threads divide the chunks.
struct cpu_swizzled {
  static constexpr std::string_view family = "cpu-swizzled";
  static constexpr int version = 1;

  cpu_plan chunk;                ///< of a chunk that is not swizzled
  std::vector<tile_loop> loops;  ///< over chunks, the last one fastest
  offset_swizzle swizzle;
  bool of_source = false;  ///< else of the destination
  bool streams = false;    ///< the result is written past the caches

  std::int64_t chunks() const { return iterations_of(loops); }
  std::int64_t bytes() const { return chunks() * chunk.bytes; }  ///< of the result

  auto parameters() const { return std::tuple(chunks(), chunk.bytes); }

  static plan_decisions<cpu_swizzled> decisions();
};

/// Plans a canonical problem without limits. Returns nothing unless one side is swizzled and dense, and parts of it of 64 KiB or
/// less, or of one index of a mode, are whole periods of the swizzle and at most 1 MiB.
std::optional<cpu_swizzled> plan_cpu_swizzled(limited_problem const& canonical, cpu_tile_hint const& hint = {});

std::string describe(cpu_swizzled const& plan);

namespace cpu {

void run(cpu_swizzled const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cpu
}  // namespace cornerturn
