#include <algorithm>
#include <cstdint>
#include <vector>

#include "block/sizes.hpp"
#include "kernel/interleave/plan.hpp"

namespace cornerturn {

namespace {

/// The work of a plan with unaligned rows. Every tile counts as full, although the last tile of a row may not be.
launch_work unaligned_work(interleave_plan const& plan, gpu_attributes const& limits) {
  constexpr double kTile = kInterleaveGroups * kUnitBytes;
  constexpr double kBlockInstructions = 100, kUnitInstructions = 100,
                   kUnitWavefronts = 32;  // counts for a warp, and for each of its units
  launch_work result;
  double const fields = plan.fields, units = fields * kTile / (kWarp * kUnitBytes);
  result.tiles = plan.job.count;
  result.resident =
      resident_blocks({.threads = kInterleaveThreads, .shared_bytes = fields * kInterleaveThreads * kUnitBytes}, limits);
  result.bytes = result.tiles * fields * kTile * 2;
  result.sectors = result.tiles * (2 * fields * kTile / kSectorBytes + fields * 2);
  result.instructions = result.tiles * (kInterleaveThreads / kWarp * kBlockInstructions + units * kUnitInstructions);
  result.wavefronts = result.tiles * units * kUnitWavefronts;
  return result;
}

/// The contiguous bytes of a row that one block moves.
double run_of_rows(interleave_plan const& plan) {
  struct row_digit {
    std::int64_t stride, count;
  };
  std::vector<row_digit> steps;
  std::int64_t left = kInterleaveThreads;
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

/// The bytes that a plan with aligned rows reads and writes.
double moved_bytes(interleave_plan const& plan) { return 2.0 * plan.job.count * plan.fields * kUnitBytes; }

}  // namespace

launch_work work_of(interleave_plan const& plan, gpu_model const& gpu) {
  if (plan.unaligned) return unaligned_work(plan, gpu.limits);
  double const row = run_of_rows(plan), half_jump = gpu.interleave.jump_bytes / 2;  // each side moves half of the bytes
  return {.bytes = moved_bytes(plan),
          .share = gpu.interleave.share,
          .detour = 1 + half_jump / row + half_jump / (row * plan.fields),
          .tiles = double(plan.job.count) / kInterleaveThreads};
}

kernel_rates rates_of(interleave_plan const& plan, gpu_model const& gpu) {
  if (plan.unaligned) return gpu.interleave.unaligned;
  auto result = gpu.copies;
  if (moved_bytes(plan) <= gpu.cached_bytes) result.start_seconds = gpu.interleave.start_seconds;
  return result;
}

}  // namespace cornerturn
