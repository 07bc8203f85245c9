#include <bit>

#include "block/sizes.hpp"
#include "kernel/convert/plan.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

double expected_seconds(convert_plan const& plan, gpu_model const& gpu) {
  auto each = demand_of(plan, plan.sizes, plan.widths(), kConvertThreads, gpu);
  auto rate = gpu.tiled.at(std::size_t(std::countr_zero(std::uint64_t(plan.sizes.source))));
  double const elements = double(plan.blocks) * plan.elements, source = double(plan.sizes.source),
               destination = double(plan.sizes.destination);
  bool const reads = plan.operation.beta != 0.0;
  // Rates are of copies, which read as much as they write. Memory takes less time to read a byte than to write one: the shares
  // were fitted to the operations without a permutation in bench/results/h200-operations.json.gz.
  constexpr double kWritten = 1.1, kRead = 2 - kWritten;
  each.bytes = elements * (kRead * (source + reads * destination) + kWritten * destination);
  constexpr double kWide = 1.1;  // fitted there, too: tiles of 8 bytes and more do not reach the rates of `tiled`
  if (source >= 8) each.bytes *= kWide;
  // `tile_seconds` is for a tile whose load phase and store phase move the same number of bytes.
  rate.tile_seconds *= (source + destination) / (2 * source);
  if (reads) each.sectors *= 1.5;  // a third access, besides one load and one store
  // Warp instructions that change 32 elements: more if they are rounded to 8 bits, or if types are selected at run time.
  constexpr double kTyped = 6, kTo8BitFloat = 14, kSelecting = 20;
  each.instructions += elements / kWarp *
                       (plan.selects_types()                         ? kSelecting
                        : is_8_bit_float(plan.operation.destination) ? kTo8BitFloat
                                                                     : kTyped);
  return seconds_of(each, rate, gpu);
}

}  // namespace cornerturn
