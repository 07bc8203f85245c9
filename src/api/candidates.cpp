#include "api/prepare.hpp"
#include "cpu/machine.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

std::vector<plan_candidate> plan_candidates(index_list shape, index_list axes, elements const& element,
                                            plan_options const& options, estimated_gpu on) {
  auto const given = permutation(shape, options.source_strides, axes, element, options.destination_strides);
  auto const aligned = alignment_given(options);
  if (destination_range(given) == byte_range{}) return {};

  std::vector<plan_candidate> result;
  if (options.processor == processor_kind::cpu) {
    for (auto const& each : cpu_candidates_of(canonical(given), cpu::usual_tile_hint())) result.push_back({describe(each)});
    return result;
  }
  auto const& gpu = estimated_model(on, options.processor, options.device);
  auto const all = candidates_of(canonical(given), aligned, gpu);
  double const copied = copy_seconds(copied_bytes(given), gpu);
  for (auto const& each : all) result.push_back({describe(each), each.seconds, copied / each.seconds, gpu.name});
  return result;
}

}  // namespace cornerturn
