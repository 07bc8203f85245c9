#include "plan/limited.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpu/run.hpp"
#include "engine/cpu/cpu.hpp"
#include "fuzz/check.hpp"
#include "fuzz/places.hpp"
#include "fuzz/problems.hpp"
#include "support/limited.hpp"

namespace cornerturn::fuzz {

std::string check_limited(random_source& random, memories& in, std::string_view target, decision_counts& counts) {
  auto& generator = random.generator32();
  auto const each = generator() % 4 ? test::random_limited_case(generator()) : test::random_swizzled_case(generator());
  auto const size = std::size_t(each.copy.element_size);
  bool const is_plain = !each.copy.move.is_limited() && !each.copy.move.is_swizzled();
  if (is_plain || std::ranges::count(each.copy.move.destination.shape, 0) > 0) return {};
  auto hint = random_hint(random, shape_kind::any);
  auto const way = cpu_limited_candidate(each.copy, hint);
  auto const source = in.source.place(each.source.size(), {random.one_in(2), random_into_line(random)});
  auto const destination = in.destination.place(each.destination.size(), {random.one_in(2), random_into_line(random)});
  std::ranges::copy(each.source, source.begin()), std::ranges::copy(each.destination, destination.begin());
  auto* const first = destination.data() + std::size_t(each.destination_first) * size;
  cpu::run(way, {.source = source.data() + std::size_t(each.source_first) * size, .destination = first});
  auto const threads = std::visit(
      [&]<class Plan>(Plan const& plan) {
        if constexpr (std::same_as<Plan, cpu_limited>) return cpu::threads_for(plan.bytes(), plan.pieces(), hint.limits.threads);
        if constexpr (std::same_as<Plan, cpu_swizzled>) return cpu::threads_for(plan.bytes(), plan.chunks(), hint.limits.threads);
        return 1;
      },
      only_step(way).kernel);
  counts.add(only_step(way), {.begins_a_line = begins_a_line(first), .in_shares = threads > 1, .target = target});
  if (!std::ranges::equal(destination, test::moved_plainly(each)))
    return fmt::format("a byte is wrong: {} by {}", to_string(each.copy), describe(way));
  return in.source.is_whole() && in.destination.is_whole() ? "" : "a byte outside the arrays was written";
}

}  // namespace cornerturn::fuzz
