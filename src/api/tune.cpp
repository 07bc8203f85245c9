#include "cornerturn/tune.hpp"

#include "api/prepare.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

tuned tune_permute(index_list shape, index_list axes, elements const& element, plan_options const& options) {
  auto const given = permutation(shape, options.source_strides, axes, element, options.destination_strides);
  auto const plan = unplanned(given, where_given(options));
  if (plan.is_empty()) return {};
  auto const [chosen, figures] = measure_choice(selection_of(plan));
  return {describe(chosen), figures.seconds, figures.first_seconds};
}

}  // namespace cornerturn
