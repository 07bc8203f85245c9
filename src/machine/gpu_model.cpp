#include "machine/gpu_model.hpp"

#include <fmt/format.h>

#include "base/fork_safe_static.hpp"

namespace cornerturn {
namespace {

/// A card's attributes, with the H200's in place of the counts and sizes that CUDA does not report: estimates divide by them.
gpu_attributes completed(gpu_attributes card, gpu_attributes const& known) {
  for (auto const count : {&gpu_attributes::sm_count, &gpu_attributes::threads_per_sm, &gpu_attributes::registers_per_sm,
                           &gpu_attributes::blocks_per_sm, &gpu_attributes::shared_bytes_per_sm})
    if (card.*count <= 0) card.*count = known.*count;
  return card;
}

}  // namespace

gpu_model const& model_without_gpu() {
  static constinit fork_safe_static<gpu_model const> model;
  return model.get([] {
    auto result = h200_model();
    result.name += ", because no GPU can be used here";
    return result;
  });
}

/// Rates of bytes scale with the memory bandwidth. Rates of sectors scale with the number of SMs and their clock, because the L2
/// cache serves a few bytes per cycle to each SM. Instructions and wavefronts are counted per cycle of an SM. Numbers of blocks
/// scale with the SMs, and bytes in caches with the size of the L2 cache. Latencies, and the ratios of one cost to another, are
/// assumed to be the H200's.
gpu_model model_for(gpu_attributes const& reported) {
  for (auto const& each : known_gpus())
    if (reported.name == each.limits.name) return each;
  auto result = h200_model();
  auto const known = result.limits;
  auto const card = completed(reported, known);
  auto const ratio = [](double own, double known, double otherwise) { return own > 0 ? own / known : otherwise; };
  double const sms = double(card.sm_count) / known.sm_count, clock = ratio(card.clock_hz, known.clock_hz, 1),
               memory = ratio(card.memory_bytes_per_second, known.memory_bytes_per_second, sms),
               l2 = ratio(card.l2_bytes, known.l2_bytes, sms);
  result.name = fmt::format("{}, scaled from {}", card.name, result.name);
  result.is_scaled = true;
  result.limits = card;
  result.clock_hz *= clock;
  result.cached_bytes *= l2;
  result.write_window_bytes *= l2;
  result.few_tiles_bytes *= sms;
  result.small.blocks *= sms;
  result.flat.blocks *= sms;
  result.flat.sectors_per_second *= sms * clock;
  result.split_row_seconds /= memory;
  result.for_each_rates([&](kernel_rates& rates) {
    rates.bytes_per_second *= memory;
    rates.sectors_per_second *= sms * clock;
  });
  return result;
}

}  // namespace cornerturn
