#include "explain/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "explain/requests.hpp"

namespace cornerturn {
namespace {

// An H200: its multiprocessors, their limits, and speeds that its copies reach.
constexpr double kProcessors = 132, kClock = 1.755e9, kDramBytes = 4.28e12, kL2Bytes = 4.62e12, kCopyOverhead = 0.33e-6;
constexpr int kThreads = 2048, kRegisters = 65536, kSharedBytes = 228 << 10, kReservedBytes = 1 << 10, kBlocks = 32;

// Fitted to bench/results/h200-ladder.json.
constexpr double kSourceWalk = 1.06;       // walking the source's rows first costs DRAM this much
constexpr double kFarSectors = 3.1;        // sectors that one costs whose rest is written much later
constexpr double kSwizzledRequest = 0.75;  // requests' worth of address arithmetic for a swizzled one
constexpr double kWarpInstructions = 100, kRequestInstructions = 5.8, kOwnRegisters = 44;
constexpr double kLoadLatency = 0.79e-6, kSharedLatency = 0.18e-6, kBoxLatency = 0.17e-6;
constexpr double kSharpness = 10;  // the norm that stands for the maximum

/// Sectors' worth of the L2's time: it takes a request 64 bytes at a time. The L1 catches some of what several warps load twice.
double l2_sectors(memory_instruction const& each) {
  if (each.box) return double(each.sectors);
  double const asked = 2.0 * double(each.half_lines), needed = double(each.ideal_sectors);
  return each.store || asked <= needed ? asked : std::sqrt(asked * needed);
}

/// Blocks that a multiprocessor holds at once.
double resident(launch_shape const& shape) {
  auto const fit = [](double room, double each) { return std::max(1.0, std::floor(room / each)); };
  return std::min({double(kBlocks), fit(kThreads, shape.threads),
                   fit(kRegisters, shape.threads * (kOwnRegisters + shape.held_words)),
                   fit(kSharedBytes, shape.shared_bytes + kReservedBytes)});
}

}  // namespace

prediction predict(std::vector<memory_instruction> const& instructions, launch_shape const& shape) {
  double bytes = 0, l2 = 0, wavefronts = 0, requests = 0, chain = kLoadLatency;
  for (auto const& each : instructions) {
    bool const shared = each.space == memory_space::shared;
    if (!shared) bytes += double(each.bytes_needed), l2 += l2_sectors(each);
    if (each.box) chain += kBoxLatency;
    if (each.box) continue;
    wavefronts += double(shared ? each.wavefronts : each.lines);
    requests += double(each.requests) * (shared && each.swizzled ? 1 + kSwizzledRequest : 1);
  }
  if (shape.shared_bytes > 0) chain += kSharedLatency;
  if (!shape.rest_soon) l2 += kFarSectors * double(shape.torn_sectors);
  double const warps = double(shape.blocks) * std::ceil(shape.threads / double(kWarp));

  struct resource {
    std::string_view name;
    double seconds;
  };
  std::array const resources{
      resource{"DRAM", bytes / kDramBytes * (shape.rest_soon ? 1 : kSourceWalk)},
      resource{"L2 sectors", l2 * kSectorBytes / kL2Bytes}, resource{"L1 wavefronts", wavefronts / (kProcessors * kClock)},
      resource{"issue slots", (warps * kWarpInstructions + requests * kRequestInstructions) / (4 * kProcessors * kClock)},
      resource{"latency", double(shape.blocks) / (kProcessors * resident(shape)) * chain}};
  double total = 0;
  for (auto const& each : resources) total += std::pow(each.seconds, kSharpness);
  double const seconds = std::pow(total, 1 / kSharpness) + chain;
  auto const& limit = *std::ranges::max_element(resources, {}, &resource::seconds);
  return {(bytes / kDramBytes + kCopyOverhead) / seconds, std::string(limit.seconds > chain ? limit.name : "latency")};
}

}  // namespace cornerturn
