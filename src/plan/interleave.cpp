#include "plan/interleave.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cornerturn {
namespace {

constexpr std::int64_t kUnit = 16, kFewest = 2, kMost = 8;
constexpr std::int64_t kMostGroups = std::numeric_limits<int>::max() - 256;  ///< a block counts past the last

}  // namespace

std::optional<interleave_plan> plan_interleave(problem const& p, alignment const& aligned) {
  auto const size = p.element_size;
  if (size >= kUnit || aligned.source % kUnit || aligned.destination % kUnit) return {};
  auto const on_units = [&](std::int64_t elements) { return elements * size % kUnit == 0; };
  auto const fastest = [&](std::int64_t mode::*stride) {
    return std::ranges::find_if(p.modes, [&](mode const& each) { return each.*stride == 1; });
  };
  auto const by_source = fastest(&mode::source_stride), by_destination = fastest(&mode::destination_stride);
  if (by_source == p.modes.end() || by_destination == p.modes.end() || by_source == by_destination) return {};

  auto const suit = [&](mode const& few, mode const& many, std::int64_t mode::*stride) {
    return few.extent >= kFewest && few.extent <= kMost && many.*stride == few.extent && on_units(many.extent);
  };
  bool const split = suit(*by_source, *by_destination, &mode::source_stride),
             together = !split && suit(*by_destination, *by_source, &mode::destination_stride);
  if (!split && !together) return {};
  auto const &few = together ? *by_destination : *by_source, &many = together ? *by_source : *by_destination;
  auto const apart = together ? few.source_stride : few.destination_stride;
  if (!on_units(apart) || !on_units(p.source_offset) || !on_units(p.destination_offset)) return {};

  interleave_plan plan{.few = int(few.extent),
                       .together = together,
                       .element_size = int(size),
                       .source_offset = p.source_offset,
                       .destination_offset = p.destination_offset};
  plan.job.apart = apart * size;
  auto const per_unit = kUnit / size;
  std::vector<mode> counted;
  for (auto const& each : p.modes) {
    if (&each == &few || &each == &many) continue;
    if (!on_units(each.source_stride) || !on_units(each.destination_stride)) return {};
    counted.push_back(each);
  }
  // Blocks walk the side where groups lie in one piece.
  std::ranges::sort(counted, {},
                    [&](mode const& each) { return together ? each.destination_stride : std::abs(each.source_stride); });
  counted.insert(counted.begin(), {many.extent / per_unit, many.source_stride * per_unit, many.destination_stride * per_unit});

  std::int64_t groups = 1;
  for (auto const& each : counted) {
    if (each.extent == 1) continue;
    groups *= each.extent;
    if (groups > kMostGroups || plan.job.groups.end == interleave_job::kMostDigits) return {};
    auto& next = plan.job.digits[std::size_t(plan.job.groups.end++)];
    next.radix = cutlass::FastDivmod(int(each.extent));
    next.source = each.source_stride * size;
    next.destination = each.destination_stride * size;
  }
  plan.job.count = int(groups);
  return plan;
}

std::string describe(interleave_plan const& plan) {
  return fmt::format("interleave of {} rows {}, 256 threads, 16-byte loads and stores: {} groups of {} x {} bytes", plan.few,
                     plan.together ? "to elements side by side" : "from elements side by side", plan.job.count, plan.few, kUnit);
}

}  // namespace cornerturn
