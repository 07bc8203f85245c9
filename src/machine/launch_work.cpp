#include "machine/launch_work.hpp"

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

double waves_of(launch_work const& each, gpu_model const& gpu) { return each.tiles / (gpu.limits.sm_count * each.resident); }

double combined(resource_seconds const& times, double sharpness) {
  auto const all = {times.dram, times.l2, times.wavefronts, times.instructions, times.latency};
  if (sharpness == kUnlimited) return std::max(all);
  double total = 0;
  for (double const seconds : all) total += std::pow(seconds, sharpness);
  return std::pow(total, 1 / sharpness);
}

/// The factor by which a launch takes longer because its last wave leaves SMs idle.
double idle_factor(double tiles, last_wave last, gpu_model const& gpu) {
  if (last == last_wave::partial) return 1;
  double const each = std::max(tiles, 1.0) / gpu.limits.sm_count, whole = std::ceil(each) / each;
  return last == last_wave::overlaps ? std::sqrt(whole) : whole;
}

}  // namespace

double resident_blocks(block_needs const& each, gpu_attributes const& limits) {
  auto const fit = [](double room, double needed) { return std::max(1.0, std::floor(room / needed)); };
  return std::min({double(limits.blocks_per_sm), fit(limits.threads_per_sm, each.threads),
                   fit(limits.registers_per_sm, each.threads * each.registers),
                   fit(limits.shared_bytes_per_sm, each.shared_bytes + limits.reserved_shared_bytes)});
}

double tiles_of(double blocks, gpu_model const& gpu) { return std::max(blocks, double(gpu.limits.sm_count)); }

resource_seconds resources_of(launch_work const& each, kernel_rates const& rate, gpu_model const& gpu) {
  double const cycles = gpu.limits.sm_count * gpu.clock_hz, waves = waves_of(each, gpu);
  return {.dram = each.bytes / (rate.bytes_per_second * each.share) * each.detour,
          .l2 = each.sectors / rate.sectors_per_second + each.split_rows * gpu.split_row_seconds,
          .wavefronts = each.wavefronts / (cycles * rate.wavefronts_per_cycle),
          .instructions = each.instructions / (cycles * rate.instructions_per_cycle),
          .latency = (rate.last == last_wave::partial ? waves : std::max(1.0, waves)) * rate.tile_seconds};
}

double seconds_of(launch_work const& each, kernel_rates const& rate, gpu_model const& gpu) {
  // With few blocks on an SM, store phases overlap less with load phases of other blocks.
  double const moving = combined(resources_of(each, rate, gpu), rate.sharpness) * (1 + rate.lone_block_share / each.resident) *
                        idle_factor(each.tiles, rate.last, gpu);
  return rate.margin * (std::max(moving, waves_of(each, gpu) * rate.wave_seconds) + rate.start_seconds +
                        each.waited_instructions * rate.waited_seconds);
}

}  // namespace cornerturn
