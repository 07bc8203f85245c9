#include <algorithm>
#include <cstdint>
#include <vector>

#include "block/sizes.hpp"
#include "kernel/cost.hpp"
#include "kernel/interleave/plan.hpp"

namespace cornerturn {

/// The demand of a plan with unaligned rows. Every tile counts as full, although the last tile of a row may not be.
demand demand_of(interleave_plan const& plan, gpu_attributes const& limits) {
  constexpr double kTile = 255 * kUnitBytes;
  constexpr double kBlockInstructions = 100, kUnitInstructions = 100,
                   kUnitWavefronts = 32;  // counts for a warp, and for each of its units
  demand result;
  double const fields = plan.fields, units = fields * kTile / (kWarp * kUnitBytes);
  result.tiles = plan.job.count;
  result.resident = resident_blocks(fields * 256 * kUnitBytes, 256, limits);
  result.bytes = result.tiles * fields * kTile * 2;
  result.sectors = result.tiles * (2 * fields * kTile / kSectorBytes + fields * 2);
  result.instructions = result.tiles * (kWarpsPerBlock * kBlockInstructions + units * kUnitInstructions);
  result.wavefronts = result.tiles * units * kUnitWavefronts;
  return result;
}

namespace {

/// The contiguous bytes of a row that one block moves.
double run_of_rows(interleave_plan const& plan) {
  struct row_digit {
    std::int64_t stride, count;
  };
  std::vector<row_digit> steps;
  std::int64_t left = 256;
  for (int i = plan.job.index_digits.begin; i < plan.job.index_digits.end && left > 1; ++i) {
    auto const& each = plan.job.digits[std::size_t(i)];
    steps.push_back({plan.to_aos ? each.source : each.destination, std::min<std::int64_t>(left, each.radix.divisor)});
    left /= steps.back().count;
  }
  std::int64_t run = kUnitBytes;
  std::ranges::sort(steps, {}, &row_digit::stride);
  for (auto const& each : steps)
    if (each.stride == run) run *= each.count;
  return double(run);
}

}  // namespace

double expected_seconds(interleave_plan const& plan, gpu_model const& gpu) {
  if (plan.unaligned) return seconds_of(demand_of(plan, gpu.limits), gpu.interleave, gpu);
  double const bytes = 2.0 * plan.job.count * plan.fields * kUnitBytes, blocks = plan.job.count / 256.0;
  double const row = run_of_rows(plan);
  constexpr double kShare = 0.98;               // share of a copy's speed that the kernel reaches with long rows
  double const half_jump = gpu.jump_bytes / 2;  // each side moves half of the bytes
  return bytes / (gpu.copy_bytes_per_second * kShare) * (1 + half_jump / row + half_jump / (row * plan.fields)) *
             wave_quantization(blocks, gpu) +
         gpu.start_seconds;
}

}  // namespace cornerturn
