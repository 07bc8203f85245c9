#include <algorithm>
#include <cstdint>

#include "block/sizes.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn {

namespace {

double bytes_of(rung_plan const& plan) {
  return 2.0 * double(plan.shape.rows) * double(plan.shape.cols) * double(plan.shape.batch) * plan.element_size;
}

/// The factor by which a rung takes longer on a large matrix with this tile than with the first tile of `tiles_of`.
double tile_penalty(rung_plan const& plan, gpu_model const& gpu) {
  auto const& tile = plan.tile;
  auto const& rungs = gpu.rungs;
  if (tile == tiles_of(plan.kernel, plan.element_size, plan.widths).front()) return 1;
  if (plan.kernel == rung::copy) return rungs.other_copy_tile;
  double const narrowest = std::min(tile.rows, tile.cols) * plan.element_size,
               of_thread = double(tile.rows) * tile.cols * plan.element_size / tile.threads;
  if (narrowest > kLineBytes) return of_thread > kUnitBytes ? rungs.other_tile : rungs.short_thread;
  // Some of the tile's rows begin within a sector.
  auto const& shape = plan.shape;
  std::int64_t const pitches =
      (shape.source_pitch | shape.destination_pitch | shape.source_batch_stride | shape.destination_batch_stride) *
      plan.element_size;
  bool const off = pitches % kSectorBytes != 0;
  return off && bytes_of(plan) > gpu.cached_bytes ? rungs.narrow_unaligned : rungs.narrow_tile;
}

}  // namespace

launch_work work_of(rung_plan const& plan, gpu_model const& gpu) {
  auto const& rungs = gpu.rungs;
  double const bytes = bytes_of(plan), blocks = double(plan.blocks);
  double const tile_bytes = 2.0 * plan.tile.rows * plan.tile.cols * plan.element_size * plan.tile.tiles;
  bool const whole = plan.load_bytes() == kUnitBytes && plan.store_bytes() == kUnitBytes;
  // The part of a tile outside the matrix moves no bytes, but its threads take a share of the time that moving them would take.
  double const weight = plan.kernel == rung::copy ? 1 : plan.element_size > 2 ? rungs.idle_element : rungs.idle_small_element;
  double const idle = std::max(0.0, blocks * tile_bytes - bytes) * weight;
  return {.bytes = bytes + idle,
          .share = !whole                      ? rungs.elements
                   : plan.kernel == rung::copy ? rungs.copy
                                               : rungs.vectors,
          .detour = tile_penalty(plan, gpu),
          .tiles = blocks,
          .resident = double(gpu.limits.threads_per_sm) / plan.tile.threads};
}

/// A block takes its latency even if the matrix fills only a small part of its tile.
kernel_rates rates_of(rung_plan const&, gpu_model const& gpu) {
  auto result = gpu.copies;
  result.wave_seconds = gpu.rungs.wave_seconds;
  result.last = last_wave::overlaps;
  return result;
}

}  // namespace cornerturn
