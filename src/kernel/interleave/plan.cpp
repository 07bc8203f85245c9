#include "kernel/interleave/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/round.hpp"
#include "block/sizes.hpp"
#include "kernel/source_range.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kFewestFields = 2, kMostFields = 8;
constexpr std::int64_t kMostCount = kIntMax - kInterleaveThreads;  ///< groups; threads of the last block count past the end
constexpr std::int64_t kShortestRow = 2048;  ///< bytes of a row below which its tile would be mostly empty, if rows are unaligned

/// The modes of a problem that interleaves rows.
struct interleaved_modes {
  mode fields, elements;
  std::vector<mode> others;  ///< modes that repeat these two
  bool to_aos;               ///< true if the destination is interleaved, false if the source is
};

std::optional<interleaved_modes> interleaved_modes_of(problem const& p) {
  auto const by_source = std::ranges::find(p.modes, 1, &mode::source_stride),
             by_destination = std::ranges::find(p.modes, 1, &mode::destination_stride);
  if (by_source == p.modes.end() || by_destination == p.modes.end() || by_source == by_destination) return {};
  auto const suit = [&](mode const& fields, mode const& elements, std::int64_t mode::*stride) {
    return fields.extent >= kFewestFields && fields.extent <= kMostFields && elements.*stride == fields.extent;
  };
  bool const from_aos = suit(*by_source, *by_destination, &mode::source_stride),
             may_be_to_aos = suit(*by_destination, *by_source, &mode::destination_stride);
  if (!from_aos && !may_be_to_aos) return {};
  // If both modes have 2 to 8 indices, the elements are the mode with whole 16-byte units.
  bool const to_aos = may_be_to_aos && (!from_aos || by_source->extent * shared_element_size(p) % kUnitBytes == 0);
  auto const &fields = to_aos ? *by_destination : *by_source, &elements = to_aos ? *by_source : *by_destination;
  interleaved_modes result{fields, elements, {}, to_aos};
  for (auto const& each : p.modes)
    if (&each != &fields && &each != &elements) result.others.push_back(each);
  // Consecutive blocks are contiguous on the interleaved side.
  std::ranges::sort(result.others, {},
                    [&](mode const& each) { return to_aos ? each.destination_stride : std::abs(each.source_stride); });
  return result;
}

/// Appends a mode to the digits of the index. `count` is the product of the extents so far. Returns false if there are too many
/// groups or digits.
bool append(interleave_job& job, std::int64_t& count, std::int64_t extent, radix_digit each) {
  if (extent == 1) return true;
  if (extent > kMostCount / count || job.index_digits.end == interleave_job::kMostDigits) return false;
  count *= extent;
  each.radix = fast_divmod(int(extent));
  job.digits[std::size_t(job.index_digits.end++)] = each;
  return true;
}

}  // namespace

std::optional<interleave_plan> plan_interleave(problem const& p, alignment const& aligned) {
  auto const size = shared_element_size(p), per_unit = kUnitBytes / size;
  if (size >= kUnitBytes) return {};
  auto const found = interleaved_modes_of(p);
  if (!found) return {};
  auto const& [fields, elements, others, to_aos] = *found;
  auto const row_pitch = to_aos ? fields.source_stride : fields.destination_stride;

  interleave_plan plan{.fields = int(fields.extent),
                       .to_aos = to_aos,
                       .element_size = int(size),
                       .source_offset = p.source_offset,
                       .destination_offset = p.destination_offset};
  auto const divides = [&](std::int64_t grain, auto const&... elements) { return ((elements % grain == 0) && ...); };
  bool const on_units = aligned.source % kUnitBytes == 0 && aligned.destination % kUnitBytes == 0 &&
                        divides(per_unit, elements.extent, row_pitch, p.source_offset, p.destination_offset) &&
                        std::ranges::all_of(others, [&](mode const& each) {
                          return divides(per_unit, each.source_stride, each.destination_stride);
                        });
  plan.unaligned = !on_units;
  if (plan.unaligned) {
    // A group begins with an aligned unit of the interleaved side, so an element must begin there.
    auto const grain = std::gcd(fields.extent, per_unit);
    bool const element_begins = divides(grain * size, std::int64_t(to_aos ? aligned.destination : aligned.source)) &&
                                divides(grain, to_aos ? p.destination_offset : p.source_offset) &&
                                std::ranges::all_of(others, [&](mode const& each) {
                                  return divides(grain, to_aos ? each.destination_stride : each.source_stride);
                                });
    if (size > 2 || !element_begins || elements.extent * size < kShortestRow) return {};
  }

  auto& job = plan.job;
  job.row_pitch = row_pitch * size;
  job.row_elements = elements.extent;
  std::int64_t count = 1;
  bool const first =
      plan.unaligned
          ? append(job, count, ceil_div(elements.extent + per_unit - 1, kInterleaveGroups * per_unit), {.run_index = 1})
          : append(job, count, elements.extent / per_unit,
                   {.source = elements.source_stride * kUnitBytes, .destination = elements.destination_stride * kUnitBytes});
  if (!first) return {};
  for (auto const& each : others)
    if (!append(job, count, each.extent, {.source = each.source_stride * size, .destination = each.destination_stride * size}))
      return {};
  job.count = int(count);
  write_source_range(job, p);
  return plan;
}

std::string_view idea_of(interleave_plan const& plan) {
  return plan.to_aos ? "rows become an array of structures: 16-byte units of the rows are interleaved in registers"
                     : "an array of structures becomes rows: 16-byte units of the rows are deinterleaved in registers";
}

std::string describe(interleave_plan const& plan) {
  return fmt::format("interleave of {} rows {}, {} threads, 16-byte loads and stores: {} {} of {} x {} bytes", plan.fields,
                     plan.to_aos ? "to elements side by side" : "from elements side by side", kInterleaveThreads, plan.job.count,
                     plan.unaligned ? "tiles" : "groups", plan.fields,
                     plan.unaligned ? kInterleaveGroups * kUnitBytes : kUnitBytes);
}

std::vector<interleave_plan> interleave_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const&) {
  auto const plan = plan_interleave(refitted, aligned);
  if (!plan) return {};
  return {*plan};
}

plan_decisions<interleave_plan> interleave_plan::decisions() {
  return {{element_decision<interleave_plan>(4),
           {"rows",
            {"2 rows", "3 rows", "4 rows", "5 rows", "6 rows", "7 rows", "8 rows"},
            [](interleave_plan const& plan) { return plan.fields - 2; }},
           {"direction", {"from structures", "to structures"}, [](interleave_plan const& plan) { return plan.to_aos; }},
           {"alignment", {"aligned rows", "any rows"}, [](interleave_plan const& plan) { return plan.unaligned; }}},
          {{"any rows", {"4 bytes", "8 bytes"}, "only rows of small elements are moved in tiles"}}};
}

}  // namespace cornerturn
