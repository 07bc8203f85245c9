#include "kernel/direct/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <ranges>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "problem/canonical.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

/// The smallest vectors, in bytes, that neighbouring threads may load from places far apart.
constexpr std::int64_t kSmallestApart = 8;

/// The number of digits of the kernel for short jobs that the problem can use; 0 if there is none.
int short_digits_of(problem const& p, int element_size) {
  auto const modes = int(p.modes.size());
  if (modes <= kShortDirectDigits[0]) return kShortDirectDigits[0];
  return modes <= kShortDirectDigits[1] && element_size >= kLeastSizeOfManyDigits ? kShortDirectDigits[1] : 0;
}

}  // namespace

std::optional<direct_plan> plan_direct(problem const& p, int depth, bool may_be_short) {
  if (p.modes.size() > direct_job::kMostDigits) return {};
  direct_plan plan{.depth = depth,
                   .wide = !has_int_offsets(p.modes),
                   .element_size = int(shared_element_size(p)),
                   .source_offset = p.source_offset,
                   .destination_offset = p.destination_offset};
  if (plan.wide && depth != kWideDirectDepth) return {};
  auto& job = plan.job;
  std::int64_t const tile = plan.tile(), most = kIntMax - tile;
  if (may_be_short && !plan.wide && bytes_of(p) / plan.element_size <= most)
    plan.short_digits = short_digits_of(p, plan.element_size);
  std::int64_t elements = 1, parts = 1;
  int digits = 0;
  bool in_part = true;
  for (auto const& each : p.modes | std::views::reverse) {
    if (each.extent > most) return {};
    // A count of elements has 32 bits.
    if (plan.short_digits == 0 && (is_part(elements, plan.tile()) || elements > most / each.extent)) in_part = false;
    auto& count = in_part ? elements : parts;
    if (each.extent > kIntMax / count) return {};
    count *= each.extent;
    job.digits[std::size_t(digits++)] = {
        .radix = fast_divmod(int(each.extent)), .source = each.source_stride, .destination = each.destination_stride};
    if (in_part) job.element_digits.end = digits;
  }
  job.part_digits = {job.element_digits.end, digits};
  job.elements = int(elements);
  auto const tiles = ceil_div(elements, tile);
  if (parts > kIntMax / tiles) return {};
  job.tiles = fast_divmod(int(tiles));
  plan.blocks = int(tiles * parts);
  return plan;
}

std::string_view idea_of(direct_plan const&) {
  return "vectors stay whole: each is loaded to registers and stored, in the destination's order";
}

std::string describe(direct_plan const& plan) {
  return fmt::format("direct with {} of {} per thread, {} threads: {} of {}", count_text(plan.depth, "vector"),
                     count_text(plan.element_size, "byte"), kDirectThreads, count_text(plan.blocks, "block"),
                     count_text(std::int64_t(plan.tile()) * plan.element_size, "byte"));
}

std::vector<direct_plan> direct_plan::candidates(problem const& refitted, alignment const&, gpu_model const&) {
  std::vector<direct_plan> result;
  if (std::ranges::all_of(refitted.modes, stays)) return result;  // a plain copy: the rung `copy` needs no division
  // Small vectors that are far apart in the source are slower than through shared memory, and estimating them costs planning
  // time.
  bool const are_apart = std::abs(refitted.modes.back().source_stride) > 1;
  if (are_apart && shared_element_size(refitted) < kSmallestApart) return result;
  result.reserve(std::size(kDirectDepths));
  for (int const depth : kDirectDepths)
    if (auto const plan = plan_direct(refitted, depth)) result.push_back(*plan);
  return result;
}

plan_decisions<direct_plan> direct_plan::decisions() {
  return {{element_decision<direct_plan>(),
           {"depth",
            {"2 elements a thread", "4 elements a thread"},
            [](direct_plan const& plan) { return plan.depth != kDirectDepths[0]; }},
           {"job", {"long job", "short job"}, [](direct_plan const& plan) { return plan.short_digits > 0; }},
           {"blocks", {"one block", "several blocks"}, [](direct_plan const& plan) { return plan.blocks > 1; }}}};
}

}  // namespace cornerturn
