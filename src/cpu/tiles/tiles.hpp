#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "cpu/run.hpp"
#include "cpu/shared_tiles.hpp"
#include "cpu/tiles/plan.hpp"

namespace cornerturn::cpu {

/// A share of a plan's tiles, and the memory that moving it needs.
struct tile_share {
  std::byte const* source = nullptr;  ///< the caller's pointer
  std::byte* destination = nullptr;   ///< the caller's pointer
  std::int64_t first = 0, end = 0;    ///< tiles, numbered in the order of the plan's loops
  std::byte* image = nullptr;         ///< plan.image_bytes() bytes, aligned to a cache line, if the plan needs an image
  /// Called with the bytes moved since the last call, every few megabytes; the share ends if it returns false or throws.
  std::function<bool(std::int64_t)> const* report = nullptr;
  /// Called before the last tile if the tile after it continues its columns. The result is the new end of the share.
  shared_tiles::extension const* extend = nullptr;
};

/// Moves a share of the tiles with the best enabled vector instructions of this processor.
void move_tiles(cpu_plan const& plan, tile_share const& share);

/// The number of threads that run a plan.
int threads_for(cpu_plan const& plan);

/// Runs a plan (cpu/run.hpp), or runs it on the caller's thread alone.
void run(cpu_plan const& plan, void const* source, void* destination, run_context const& context = {});
void run_alone(cpu_plan const& plan, void const* source, void* destination);

/// Highway's name of these instructions, e.g. "AVX2".
std::string instructions();

}  // namespace cornerturn::cpu
