#include "explain/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "explain/requests.hpp"

namespace cornerturn {
namespace {

// These constants describe the kernels; gpu_model has the GPU's constants. They were fitted to bench/results/h200-ladder.json.gz.
constexpr double kSwizzledRequest = 0.75;     // the address arithmetic of a swizzled request, in requests
constexpr double kWarpInstructions = 100;     // instructions of a warp besides its requests
constexpr double kRequestInstructions = 5.8;  // instructions of a request and of its address
constexpr double kOwnRegisters = 44;          // registers of a thread besides the loaded elements

/// The L2 cache's time for one instruction, in sectors. The L2 cache serves a request 64 bytes at a time, and the L1 cache hits
/// in some of the lines that several warps load.
double l2_sectors(memory_instruction const& each) {
  if (each.box) return double(each.sectors);
  double const asked = 2.0 * double(each.half_lines), needed = double(each.ideal_sectors);
  return each.store || asked <= needed ? asked : std::sqrt(asked * needed);
}

/// The number of blocks that one SM holds at once.
double resident_blocks(launch_resources const& shape, gpu_attributes const& limits) {
  auto const fit = [](double room, double each) { return std::max(1.0, std::floor(room / each)); };
  return std::min({double(limits.blocks_per_sm), fit(limits.threads_per_sm, shape.threads),
                   fit(limits.registers_per_sm, shape.threads * (kOwnRegisters + shape.loaded_registers)),
                   fit(limits.shared_bytes_per_sm, shape.shared_bytes + limits.reserved_shared_bytes)});
}

}  // namespace

prediction predict(std::vector<memory_instruction> const& instructions, launch_resources const& shape, gpu_model const& gpu) {
  auto const& rates = gpu.rungs;
  double bytes = 0, l2 = 0, wavefronts = 0, requests = 0, chain = rates.load_seconds;
  for (auto const& each : instructions) {
    bool const shared = each.space == memory_space::shared;
    if (!shared) bytes += double(each.bytes_needed), l2 += l2_sectors(each);
    if (each.box) chain += rates.tma_box_seconds;
    if (each.box) continue;
    wavefronts += double(shared ? each.wavefronts : each.lines);
    requests += double(each.requests) * (shared && each.swizzled ? 1 + kSwizzledRequest : 1);
  }
  if (shape.shared_bytes > 0) chain += rates.shared_memory_seconds;
  if (!shape.sectors_merge) l2 += rates.far_sectors * double(shape.partial_sectors);
  double const warps = double(shape.blocks) * std::ceil(shape.threads / double(kWarp));

  double const sms = gpu.limits.sm_count, clock = gpu.clock_hz;
  struct resource {
    std::string_view name;
    double seconds;
  };
  std::array const resources{
      resource{"DRAM", bytes / rates.dram_bytes_per_second * (shape.sectors_merge ? 1 : rates.source_order_factor)},
      resource{"L2 sectors", l2 * kSectorBytes / rates.l2_bytes_per_second},
      resource{"L1 wavefronts", wavefronts / (sms * clock)},
      resource{"issue slots",
               (warps * kWarpInstructions + requests * kRequestInstructions) / (rates.instructions_per_cycle * sms * clock)},
      resource{"latency", double(shape.blocks) / (sms * resident_blocks(shape, gpu.limits)) * chain}};
  double total = 0;
  for (auto const& each : resources) total += std::pow(each.seconds, rates.sharpness);
  double const seconds = std::pow(total, 1 / rates.sharpness) + chain;
  auto const& limit = *std::ranges::max_element(resources, {}, &resource::seconds);
  return {(bytes / rates.dram_bytes_per_second + rates.copy_start_seconds) / seconds,
          std::string(limit.seconds > chain ? limit.name : "latency")};
}

}  // namespace cornerturn
