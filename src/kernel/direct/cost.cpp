#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "block/sizes.hpp"
#include "kernel/direct/plan.hpp"

namespace cornerturn {
namespace {

/// The runs of contiguous bytes that consecutive elements of a tile have on one side.
struct footprint {
  double rows = 1, bytes = 0;
  std::int64_t grid = 0;  ///< bytes: every run begins a multiple of `grid` after the first run; 0 if there is one run
  double element = 1;     ///< bytes

  /// The aligned pieces of `piece` bytes that the runs touch. A run that may begin within a piece touches one more.
  double pieces(double piece) const {
    bool const aligned = std::fmod(double(grid), piece) == 0;
    double const full = bytes / piece, each = aligned ? std::ceil(full) : full + 1 - std::min(element / piece, 1.0);
    // With short gaps between the runs, neighbouring runs share pieces.
    bool const share = grid > 0 && double(grid) < piece;
    return share ? std::min(rows * each, std::max(1.0, rows * double(grid) / piece)) : rows * each;
  }
};

/// The footprint of `count` consecutive elements, which begin where all digits are 0.
footprint footprint_of(direct_plan const& plan, std::int64_t radix_digit::*stride, double count) {
  struct footprint_digit {
    std::int64_t stride;
    double count;
  };
  std::array<footprint_digit, direct_job::kMostDigits> steps;
  auto end = steps.begin();
  auto const& job = plan.job;
  for (int i = 0; i < job.part_digits.end && count > 1; ++i) {
    auto const& each = job.digits[std::size_t(i)];
    double const taken = std::min(count, double(each.radix.divisor));
    count /= taken;
    // Repeated elements are not read again.
    if (each.*stride != 0) *end++ = {std::abs(each.*stride), taken};
  }
  std::sort(steps.begin(), end, [](footprint_digit const& a, footprint_digit const& b) { return a.stride < b.stride; });
  double run = 1;
  footprint result{.element = double(plan.element_size)};
  for (auto each = steps.begin(); each != end; ++each)
    if (double(each->stride) == run) {
      run *= each->count;
    } else {
      result.rows *= each->count;
      result.grid = std::gcd(result.grid, each->stride * plan.element_size);
    }
  result.bytes = run * plan.element_size;
  return result;
}

/// The registers of a thread, as ptxas allocates them.
double registers_of(direct_plan const& plan) {
  constexpr double kFixed = 21, kPerElement = 2.5;
  return kFixed + plan.depth * (std::max(1.0, plan.element_size / 4.0) + kPerElement);
}

/// The digits of an element of a part, if the job had parts.
int looped_digits(direct_plan const& plan) {
  int digits = 0;
  std::int64_t elements = 1;
  while (digits < plan.job.element_digits.end && !is_part(elements, plan.tile()))
    elements *= plan.job.digits[std::size_t(digits++)].radix.divisor;
  return digits;
}

}  // namespace

launch_work work_of(direct_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  double const tile = plan.tile(), parts = double(plan.blocks) / job.tiles.divisor, elements = parts * job.elements,
               window = std::max(tile, gpu.write_window_bytes / plan.element_size);
  auto const share = [&](std::int64_t radix_digit::*stride, double count) {
    return footprint_of(plan, stride, std::min(count, elements));
  };
  auto const source = &radix_digit::source, destination = &radix_digit::destination;
  auto const times = [&](double count) { return elements / std::min(count, elements); };

  launch_work result;
  result.tiles = tiles_of(plan.blocks, gpu);
  result.resident = resident_blocks({.threads = kDirectThreads, .registers = registers_of(plan)}, gpu.limits);
  double const dram = gpu.dram_access_bytes;
  result.bytes = times(window) *
                 (share(source, window).pieces(dram) * dram + share(destination, window).pieces(kSectorBytes) * kSectorBytes);
  // The L1 cache serves the loads of a block. It does not combine the stores of several warps.
  auto const stored = share(destination, kWarp);
  result.sectors = times(tile) * share(source, tile).pieces(kSectorBytes) + times(kWarp) * stored.pieces(kSectorBytes);
  // The L1 cache looks up one line of a request at a time.
  result.wavefronts =
      times(kWarp) * (share(source, kWarp).pieces(kLineBytes) + gpu.stored_line_share * stored.pieces(kLineBytes));
  // The factors were counted in the machine code with loops, to which the rates were fitted. They include idle lanes.
  int const inner = looped_digits(plan), outer = job.part_digits.end - inner;
  double const warps = double(plan.blocks) * kDirectThreads / kWarp, each_digit = plan.wide ? 13 : 7,
               of_warp = 50 + outer * 22 + inner * 12 + plan.depth * (14 + inner * each_digit);
  result.instructions = warps * of_warp;
  // Without loops the digits of all elements are found at once.
  if (plan.short_digits == 0) result.waited_instructions = of_warp;
  return result;
}

kernel_rates rates_of(direct_plan const&, gpu_model const& gpu) { return gpu.direct; }

}  // namespace cornerturn
