#include "api/prepare.hpp"
#include "engine/cpu/machine.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

std::vector<plan_candidate> plan_candidates(index_list shape, index_list axes, std::int64_t element_size,
                                            plan_options const& options) {
  auto const aligned = alignment_given(options);
  auto const given = permutation(shape, options.source_strides, axes, element_size, options.destination_strides);
  auto const written = destination_range(given);
  if (written == byte_range{}) return {};

  std::vector<plan_candidate> result;
  if (options.processor == processor_kind::cpu) {
    for (auto const& each : cpu_candidates_of(canonical(given), cpu::usual_tile_hint())) result.push_back({describe(each)});
    return result;
  }
  bool const here = gpu::why_unavailable().empty();
  auto const& gpu = here ? gpu::model_of(place_given(options)) : h200_model();
  auto const all = candidates_of(canonical(given), aligned, gpu);
  double const copied = copy_seconds(written.high - written.low, gpu);
  for (auto const& each : all) result.push_back({describe(each), each.seconds, copied / each.seconds, gpu.name});
  return result;
}

}  // namespace cornerturn
