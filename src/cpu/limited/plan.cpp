#include "cpu/limited/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cornerturn/text.hpp"

namespace cornerturn {
namespace {

template <class Count>
std::int64_t sum_of(cpu_limited const& plan, Count const& count) {
  std::int64_t sum = 0;
  for (auto const* const boxes : {&plan.copied, &plan.padded})
    for (auto const& each : *boxes) sum += count(each);
  return sum;
}

}  // namespace

std::int64_t cpu_limited::bytes() const {
  return sum_of(*this, [](cpu_plan const& each) { return each.bytes; });
}

std::int64_t cpu_limited::pieces_of(cpu_plan const& box) {
  return std::clamp<std::int64_t>(box.bytes / box.limits.threads.share, 1, box.tasks());
}

std::int64_t cpu_limited::pieces() const { return sum_of(*this, pieces_of); }

std::string describe(cpu_limited const& plan) {
  auto text = fmt::format("boxes of indices: {} copied, {} padded, {}", plan.copied.size(), plan.padded.size(),
                          count_text(plan.pieces(), "piece"));
  auto const largest = std::ranges::max_element(plan.copied, {}, &cpu_plan::bytes);
  return largest == plan.copied.end() ? text : fmt::format("{}; the largest by {}", text, describe(*largest));
}

plan_decisions<cpu_limited> cpu_limited::decisions() {
  return {{{"copies",
            {"nothing copied", "one copy", "several copies"},
            [](cpu_limited const& plan) { return std::min<std::size_t>(plan.copied.size(), 2); }},
           {"pads", {"nothing padded", "padded"}, [](cpu_limited const& plan) { return !plan.padded.empty(); }},
           {"pieces",
            {"a piece a box", "several pieces a box"},
            [](cpu_limited const& plan) { return plan.pieces() > std::ssize(plan.copied) + std::ssize(plan.padded); }}},
          {{"nothing copied", {"nothing padded"}, "a plan has boxes"}}};
}

}  // namespace cornerturn
