#include "cornerturn/tune.hpp"

#include "api/prepare.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

tuned tune(problem const& given, plan_options const& options) {
  auto const aligned = alignment_given(options);
  auto const plan = unplanned(given, aligned, place_given(options), threads_given(options.threads));
  if (plan.is_empty()) return {};
  auto const [chosen, figures] = measure_choice(selection_of(plan));
  return {describe(chosen), figures.seconds, figures.first_seconds};
}

}  // namespace

tuned tune_permute(index_list shape, index_list axes, std::int64_t element_size, plan_options const& options) {
  return tune(permutation(shape, options.source_strides, axes, element_size, options.destination_strides), options);
}

tuned tune_permute(index_list shape, index_list axes, element_operation const& operation, plan_options const& options) {
  auto const moved = permutation(shape, options.source_strides, axes, sizes_of(operation), options.destination_strides);
  return tune(with_operation(moved, operation), options);
}

}  // namespace cornerturn
