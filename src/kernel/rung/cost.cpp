#include <algorithm>
#include <cmath>
#include <cstdint>

#include "block/sizes.hpp"
#include "kernel/cost.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn {

namespace {

double bytes_of(rung_plan const& plan) {
  return 2.0 * double(plan.shape.rows) * double(plan.shape.cols) * double(plan.shape.batch) * plan.element_size;
}

/// The factor by which a rung takes longer on a large matrix with this tile than with the first tile of `tiles_of`. The factors
/// describe the rungs' programs, and were fitted on an H200.
double tile_penalty(rung_plan const& plan, gpu_model const& gpu) {
  auto const& tile = plan.tile;
  if (tile == tiles_of(plan.kernel, plan.element_size, plan.widths).front()) return 1;
  if (plan.kernel == rung::copy) return 1.02;
  double const narrowest = std::min(tile.rows, tile.cols) * plan.element_size,
               of_thread = double(tile.rows) * tile.cols * plan.element_size / tile.threads;
  if (narrowest > 128) return of_thread > kUnitBytes ? 1.02 : 1.07;
  // Some of the tile's rows begin within a sector.
  auto const& shape = plan.shape;
  std::int64_t const pitches =
      (shape.source_pitch | shape.destination_pitch | shape.source_batch_stride | shape.destination_batch_stride) *
      plan.element_size;
  bool const off = pitches % kSectorBytes != 0;
  return off && bytes_of(plan) > gpu.cached_bytes ? 1.25 : 1.05;
}

}  // namespace

double expected_seconds(rung_plan const& plan, gpu_model const& gpu) {
  double const bytes = bytes_of(plan);
  double const tile_bytes = 2.0 * plan.tile.rows * plan.tile.cols * plan.element_size * plan.tile.tiles;
  bool const whole = plan.load_bytes() == kUnitBytes && plan.store_bytes() == kUnitBytes;
  // The part of a tile outside the matrix moves no bytes, but its threads take a share of the time that moving them would take.
  double const weight = plan.kernel == rung::copy ? 1 : plan.element_size > 2 ? 0.07 : 0.13;
  double const idle = std::max(0.0, double(plan.blocks) * tile_bytes - bytes) * weight;
  // The share of a copy's speed that the kernel reaches, which is less with single elements than with 16-byte vectors.
  double const share = !whole ? 0.4 : plan.kernel == rung::copy ? 0.98 : 0.97;
  double const blocks = double(plan.blocks),
               moving = (bytes + idle) / (gpu.copy_bytes_per_second * share) * tile_penalty(plan, gpu);
  // A block takes its latency even if the matrix fills only a small part of its tile.
  double const threads = double(gpu.limits.sm_count) * gpu.limits.threads_per_sm;
  return std::max(moving * std::sqrt(wave_quantization(blocks, gpu)), blocks * plan.tile.threads / threads * gpu.block_seconds) +
         gpu.start_seconds;
}

}  // namespace cornerturn
