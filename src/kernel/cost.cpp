#include "kernel/cost.hpp"

#include <algorithm>
#include <cmath>

#include "block/sizes.hpp"

namespace cornerturn {

int wavefronts_of(std::array<int, kWarp> const& offsets, int bytes) {
  // One wavefront moves 128 bytes, so 8- and 16-byte elements take at least two and four.
  int const lanes = kWarp * 4 / std::max(bytes, 4);
  int wavefronts = 0;
  for (int first = 0; first < kWarp; first += lanes) {
    std::array<std::array<int, kWarp>, kBanks> words;
    std::array<int, kBanks> counts{};
    int most = 1;
    for (int lane = first; lane < first + lanes; ++lane) {
      auto const word = offsets[std::size_t(lane)] >> 2;  // negative strides give offsets before the origin
      auto const bank = std::size_t(word & (kBanks - 1));
      auto const end = words[bank].begin() + counts[bank];
      if (std::find(words[bank].begin(), end, word) != end) continue;
      *end = word;
      most = std::max(most, ++counts[bank]);
    }
    wavefronts += most;
  }
  return wavefronts;
}

double resident_blocks(double shared_bytes, double threads, gpu_attributes const& limits) {
  return std::max(1.0, std::min(std::floor(limits.shared_bytes_per_sm / (shared_bytes + limits.reserved_shared_bytes)),
                                limits.threads_per_sm / threads));
}

double resident_by_registers(double registers, double threads, gpu_attributes const& limits) {
  return std::min(std::floor(limits.registers_per_sm / (registers * threads)), limits.threads_per_sm / threads);
}

double wave_quantization(double blocks, gpu_model const& gpu) {
  double const each = std::max(blocks, 1.0) / gpu.limits.sm_count;
  return std::ceil(each) / each;
}

double tiles_of(double blocks, gpu_model const& gpu) { return std::max(blocks, double(gpu.limits.sm_count)); }

double seconds_of(demand const& each, kernel_rates const& rate, gpu_model const& gpu) {
  double const sms = gpu.limits.sm_count, waves = std::max(1.0, each.tiles / (sms * each.resident));
  double total = 0;
  for (double const seconds :
       {each.bytes / rate.bytes_per_second, each.sectors / rate.sectors_per_second + each.split_rows * gpu.split_row_seconds,
        each.wavefronts / (sms * gpu.clock_hz * rate.wavefronts_per_cycle),
        each.instructions / (sms * gpu.clock_hz * rate.instructions_per_cycle), waves * rate.tile_seconds})
    total += std::pow(seconds, rate.sharpness);
  // With few blocks on an SM, store phases overlap less with load phases of other blocks.
  return std::pow(total, 1 / rate.sharpness) * (1 + rate.lone_block_share / each.resident) * wave_quantization(each.tiles, gpu) +
         rate.start_seconds;
}

}  // namespace cornerturn
