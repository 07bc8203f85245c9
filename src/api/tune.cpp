#include "cornerturn/tune.hpp"

#include "api/prepare.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {

tuned tune_permute(index_list shape, index_list axes, std::int64_t element_size, plan_options const& options) {
  auto const aligned = alignment_given(options);
  auto const given = permutation(shape, {}, axes, element_size);
  auto const plan = unplanned(given, aligned, place_given(options));
  if (plan.is_empty()) return {};
  auto const among = contest_of(plan);
  auto const found = measure_choice(among);
  return {describe(among.candidates[found.index]), found.seconds, found.first_seconds};
}

}  // namespace cornerturn
