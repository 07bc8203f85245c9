#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "fuzz/places.hpp"
#include "plan/limited.hpp"
#include "support/limited.hpp"

namespace cornerturn::fuzz {

std::string check_gpu_limited(random_source& random, memories& in, std::string_view, decision_counts& counts) {
  auto& generator = random.generator32();
  auto const each = generator() % 2 ? test::random_limited_case(generator()) : test::random_swizzled_case(generator());
  bool const is_plain = !each.copy.move.is_limited() && !each.copy.move.is_swizzled();
  if (is_plain || std::ranges::count(each.copy.move.destination.shape, 0) > 0) return {};
  auto const wanted = test::moved_plainly(each);
  auto const source = in.source.place(each.source.size(), {random.one_in(2), random_into_line(random)});
  auto const result = in.destination.place(each.destination.size(), {random.one_in(2), random_into_line(random)});
  std::ranges::copy(each.source, source.begin());
  auto const* const from = source.data() + each.source_first * each.copy.element_size;
  auto* const to = result.data() + each.destination_first * each.copy.element_size;
  for (auto const& way : limited_candidates(each.copy, alignment_of(from, to), h200_model())) {
    std::ranges::copy(each.destination, result.begin());
    host::run(way.steps, {.source = from, .destination = to});
    if (!std::ranges::equal(result, wanted)) return fmt::format("a byte is wrong: {} by {}", to_string(each.copy), describe(way));
    if (!in.source.is_whole() || !in.destination.is_whole())
      return fmt::format("a byte outside the arrays was written: {} by {}", to_string(each.copy), describe(way));
    auto const& kernel = way.steps.front().kernel;
    bool const is_known = std::holds_alternative<limited_plan>(kernel) || std::holds_alternative<swizzled_plan>(kernel);
    if (!is_known || way.steps.size() > 1) continue;
    auto const decided = decisions_of(way.steps.front());
    counts.add(decided.family, decided.values);
  }
  return {};
}

}  // namespace cornerturn::fuzz
