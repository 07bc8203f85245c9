#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "plan/limited.hpp"
#include "support/limited.hpp"

namespace cornerturn::fuzz {

std::string check_gpu_limited(random_source& random, memories&, std::string_view, decision_counts& counts) {
  auto& generator = random.generator32();
  auto const each = generator() % 2 ? test::random_limited_case(generator()) : test::random_swizzled_case(generator());
  bool const is_plain = !each.copy.move.is_limited() && !each.copy.move.is_swizzled();
  if (is_plain || std::ranges::count(each.copy.move.destination.shape, 0) > 0) return {};
  auto const wanted = test::moved_plainly(each);
  auto result = each.destination;
  for (auto const& way : limited_candidates(each.copy, alignment_of(each.from(), each.to(result)), h200_model())) {
    std::ranges::copy(each.destination, result.begin());
    host::run(way.steps, {.source = each.from(), .destination = each.to(result)});
    if (result != wanted) return fmt::format("a byte is wrong: {} by {}", to_string(each.copy), describe(way));
    auto const& kernel = way.steps.front().kernel;
    bool const is_known = std::holds_alternative<limited_plan>(kernel) || std::holds_alternative<swizzled_plan>(kernel);
    if (!is_known || way.steps.size() > 1) continue;
    auto const decided = decisions_of(way.steps.front());
    counts.add(decided.family, decided.values);
  }
  return {};
}

}  // namespace cornerturn::fuzz
