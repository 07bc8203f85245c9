#include "kernel/limited/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "cornerturn/text.hpp"
#include "kernel/gather/plan.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr bool is_run(mode const& m) { return m.source_stride == 1 && m.destination_stride == 1; }

/// The most elements that a vector can have so that none lies across a limit.
std::int64_t widest_within(limited_problem const& p) {
  auto widest = kLargestElement;
  auto const run = std::ranges::find_if(p.whole.modes, is_run);
  if (run == p.whole.modes.end()) return 1;
  auto const step = limited_indices::from(run->factor_stride), first = limited_indices::from(p.whole.factor_offset);
  for (std::size_t axis = 0; axis < p.limits.size(); ++axis) {
    if (step.of_axis[axis] == 0) continue;
    if (step.of_axis[axis] != 1) return 1;
    widest = std::gcd(widest, p.limits[axis].end - first.of_axis[axis]);
    for (auto const& each : p.whole.modes)
      if (&each != &*run) widest = std::gcd(widest, limited_indices::from(each.factor_stride).of_axis[axis]);
  }
  return widest;
}

/// The problem with elements as large as the alignment and the limits allow.
problem refitted_for(limited_problem const& p, alignment const& aligned) {
  auto const most = int(std::min(kLargestElement, shared_element_size(p.whole) * widest_within(p)));
  return refit_elements(p.whole, {std::min(aligned.source, most), std::min(aligned.destination, most)});
}

bool has_int_indices(problem const& p) {
  return std::ranges::all_of(limited_indices::from(p.factor_offset).of_axis,
                             [](std::int64_t each) { return std::abs(each) <= kIntMax; });
}

}  // namespace

std::optional<limited_plan> plan_limited(limited_problem const& canonical, alignment const& aligned) {
  auto const p = refitted_for(canonical, aligned);
  if (!has_int_offsets(p.modes) || !has_int_indices(p) || !canonical.is_pad_of(shared_element_size(p))) return {};
  auto copy = plan_direct(p, limited_plan::kDepth, false);
  if (!copy) return {};
  limited_plan plan{.copy = *std::move(copy),
                    .axes = {},
                    .pad = canonical.pad,
                    .source_swizzle = canonical.source_swizzle,
                    .destination_swizzle = canonical.destination_swizzle};
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    auto const steps = limited_indices::from(p.modes[p.modes.size() - 1 - i].factor_stride).of_axis;
    plan.axes.steps[i] = {int(steps[0]), int(steps[1])};
  }
  auto const first = limited_indices::from(p.factor_offset).of_axis;
  for (std::size_t axis = 0; axis < canonical.limits.size(); ++axis) {
    auto const& each = canonical.limits[axis];
    plan.axes.limits[axis] = {int(std::clamp(each.end - first[axis], -kIntMax, kIntMax)), each.of_source};
  }
  return plan;
}

std::string_view idea_of(limited_plan const&) {
  return "padded, cropped and swizzled axes: each vector is loaded to registers, or is the pad, and stored in the destination's "
         "order";
}

std::string describe(limited_plan const& plan) {
  return fmt::format("limited, {} of {} per thread, {} threads: {}", count_text(limited_plan::kDepth, "vector"),
                     count_text(plan.copy.element_size, "byte"), kDirectThreads, count_text(plan.copy.blocks, "block"));
}

plan_decisions<limited_plan> limited_plan::decisions() {
  auto const has = [](limited_plan const& plan, bool of_source) {
    return std::ranges::any_of(plan.axes.limits,
                               [&](auto const& each) { return each.end != kIntMax && each.of_source == of_source; });
  };
  return {{{"element",
            {"1 byte", "2 bytes", "4 bytes", "8 bytes", "16 bytes"},
            [](limited_plan const& plan) { return std::countr_zero(unsigned(plan.copy.element_size)); }},
           {"source", {"whole source", "padded"}, [=](limited_plan const& plan) { return has(plan, true); }},
           {"destination", {"whole destination", "cropped"}, [=](limited_plan const& plan) { return has(plan, false); }},
           {"offsets",
            {"plain offsets", "swizzled offsets"},
            [](limited_plan const& plan) { return plan.source_swizzle || plan.destination_swizzle; }},
           {"parts",
            {"one part", "several parts"},
            [](limited_plan const& plan) { return plan.copy.job.part_digits.end > plan.copy.job.part_digits.begin; }},
           {"blocks", {"one block", "several blocks"}, [](limited_plan const& plan) { return plan.copy.blocks > 1; }}},
          {{"several parts", {"one block"}, "each part has a block"}}};
}

}  // namespace cornerturn
