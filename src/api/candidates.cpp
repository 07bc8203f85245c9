#include <fmt/format.h>

#include <algorithm>

#include "api/prepare.hpp"
#include "cornerturn/text.hpp"
#include "cornerturn/tune.hpp"
#include "cpu/machine.hpp"
#include "cpu/threads.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The processor whose times the CPU's candidates have.
std::string estimated_cpu(int limit) {
  int const threads = std::min(cpu::thread_count(limit), kZen4Rates.threads);
  auto const name = fmt::format("{} of {}", count_text(threads, "thread"), kZen4Rates.name);
  return cpu::resembles_zen4() ? name : fmt::format("{}, because {} has no model", name, cpu::model());
}

}  // namespace

std::vector<plan_candidate> plan_candidates(index_list shape, index_list axes, elements const& element,
                                            plan_options const& options, estimated_gpu on) {
  auto const given = permutation(shape, options.source_strides, axes, element, options.destination_strides);
  auto const aligned = alignment_given(options);
  if (destination_range(given) == byte_range{}) return {};

  std::vector<plan_candidate> result;
  if (options.processor == processor_kind::cpu) {
    int const threads = threads_given(options.threads);
    auto const hint = cpu::usual_tile_hint(threads);
    double const copied = seconds_of(cpu_work_of_copy(copied_bytes(given), hint), kZen4Rates);
    for (auto const& each : cpu_candidates_of(canonical(given), hint)) {
      double const seconds = seconds_of(cpu_work_of(each), kZen4Rates);
      result.push_back({describe(each), seconds, copied / seconds, estimated_cpu(threads)});
    }
    return result;
  }
  auto const& gpu = estimated_model(on, options.processor, options.device);
  auto const all = candidates_of(canonical(given), aligned, gpu);
  double const copied = copy_seconds(copied_bytes(given), gpu);
  for (auto const& each : all) result.push_back({describe(each), each.seconds, copied / each.seconds, gpu.name});
  return result;
}

tuned tune_permute(index_list shape, index_list axes, elements const& element, plan_options const& options) {
  auto const given = permutation(shape, options.source_strides, axes, element, options.destination_strides);
  auto const plan = unplanned(given, where_given(options));
  if (plan.is_empty()) return {};
  auto const [chosen, figures] = measure_choice(selection_of(plan));
  return {describe(chosen), figures.seconds, figures.first_seconds};
}

}  // namespace cornerturn
