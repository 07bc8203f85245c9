#include "plan/choose.hpp"

namespace cornerturn {

std::vector<candidate> candidates_of(problem const& canonical, alignment const& aligned) {
  std::vector<candidate> result;
  result.push_back({plan_gather(refit_elements(canonical, aligned), aligned, {}), 0});
  return result;
}

std::string describe(candidate const& each) {
  return std::visit([](auto const& plan) { return describe(plan); }, each.kernel);
}

}  // namespace cornerturn
