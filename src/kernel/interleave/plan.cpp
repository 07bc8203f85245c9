#include "kernel/interleave/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

namespace cornerturn {
namespace {

constexpr std::int64_t kUnit = 16, kFewest = 2, kMost = 8;
constexpr std::int64_t kMostCounted = std::numeric_limits<int>::max() - 256;  ///< the last block counts past the end
/// For rows that begin unaligned: the 16-byte groups of a tile, and the bytes of a row below which a tile would be mostly empty.
constexpr std::int64_t kTileGroups = 255, kShortestRow = 2048;

/// The two modes that are transposed, and the modes that repeat them.
struct turned {
  mode few, many;
  std::vector<mode> others;
  bool together;
};

std::optional<turned> turned_of(problem const& p) {
  auto const fastest = [&](std::int64_t mode::*stride) {
    return std::ranges::find_if(p.modes, [&](mode const& each) { return each.*stride == 1; });
  };
  auto const by_source = fastest(&mode::source_stride), by_destination = fastest(&mode::destination_stride);
  if (by_source == p.modes.end() || by_destination == p.modes.end() || by_source == by_destination) return {};
  auto const suit = [&](mode const& few, mode const& many, std::int64_t mode::*stride) {
    return few.extent >= kFewest && few.extent <= kMost && many.*stride == few.extent;
  };
  bool const split = suit(*by_source, *by_destination, &mode::source_stride),
             join = suit(*by_destination, *by_source, &mode::destination_stride);
  if (!split && !join) return {};
  // If both modes have 2 to 8 indices, the mode with whole 16-byte units becomes the long one.
  bool const together = join && (!split || by_source->extent * shared_element_size(p) % kUnit == 0);
  auto const &few = together ? *by_destination : *by_source, &many = together ? *by_source : *by_destination;
  turned result{few, many, {}, together};
  for (auto const& each : p.modes)
    if (&each != &few && &each != &many) result.others.push_back(each);
  // Consecutive blocks are contiguous on the interleaved side.
  std::ranges::sort(result.others, {},
                    [&](mode const& each) { return together ? each.destination_stride : std::abs(each.source_stride); });
  return result;
}

/// Appends a mode to the digits of the group's index. Returns false if there are too many groups or digits.
bool count(interleave_job& job, std::int64_t& counted, std::int64_t extent, digit each) {
  if (extent == 1) return true;
  if (extent > kMostCounted / counted || job.counted.end == interleave_job::kMostDigits) return false;
  counted *= extent;
  each.radix = fast_divmod(int(extent));
  job.digits[std::size_t(job.counted.end++)] = each;
  return true;
}

}  // namespace

std::optional<interleave_plan> plan_interleave(problem const& p, alignment const& aligned) {
  auto const size = shared_element_size(p), per_unit = kUnit / size;
  if (size >= kUnit) return {};
  auto const found = turned_of(p);
  if (!found) return {};
  auto const& [few, many, others, together] = *found;
  auto const apart = together ? few.source_stride : few.destination_stride;

  interleave_plan plan{.few = int(few.extent),
                       .together = together,
                       .element_size = int(size),
                       .source_offset = p.source_offset,
                       .destination_offset = p.destination_offset};
  auto const divides = [&](std::int64_t grain, auto const&... elements) { return ((elements % grain == 0) && ...); };
  bool const on_units = aligned.source % kUnit == 0 && aligned.destination % kUnit == 0 &&
                        divides(per_unit, many.extent, apart, p.source_offset, p.destination_offset) &&
                        std::ranges::all_of(others, [&](mode const& each) {
                          return divides(per_unit, each.source_stride, each.destination_stride);
                        });
  plan.anywhere = !on_units;
  if (plan.anywhere) {
    // A group begins with an aligned unit of the interleaved side, so an element must begin there.
    auto const grain = std::gcd(few.extent, per_unit);
    bool const meets = divides(grain * size, std::int64_t(together ? aligned.destination : aligned.source)) &&
                       divides(grain, together ? p.destination_offset : p.source_offset) &&
                       std::ranges::all_of(others, [&](mode const& each) {
                         return divides(grain, together ? each.destination_stride : each.source_stride);
                       });
    if (size > 2 || !meets || many.extent * size < kShortestRow) return {};
  }

  auto& job = plan.job;
  job.apart = apart * size;
  job.many = many.extent;
  std::int64_t counted = 1;
  bool const first =
      plan.anywhere ? count(job, counted, (many.extent + per_unit - 1 + kTileGroups * per_unit - 1) / (kTileGroups * per_unit),
                            {.of_run = 1})
                    : count(job, counted, many.extent / per_unit,
                            {.source = many.source_stride * kUnit, .destination = many.destination_stride * kUnit});
  if (!first) return {};
  for (auto const& each : others)
    if (!count(job, counted, each.extent, {.source = each.source_stride * size, .destination = each.destination_stride * size}))
      return {};
  job.count = int(counted);
  for (auto const& each : p.modes)
    (each.source_stride < 0 ? job.source_low : job.source_high) += (each.extent - 1) * each.source_stride * size;
  job.source_high += size;
  return plan;
}

std::string_view name_of(interleave_plan const&) { return interleave_family::name; }
std::string_view idea_of(interleave_plan const& plan) {
  return plan.together ? "a few rows become elements side by side: 16-byte units of each are joined in registers"
                       : "elements side by side become a few rows: 16-byte units of each are split in registers";
}

std::string describe(interleave_plan const& plan) {
  return fmt::format("interleave of {} rows {}, 256 threads, 16-byte loads and stores: {} {} of {} x {} bytes", plan.few,
                     plan.together ? "to elements side by side" : "from elements side by side", plan.job.count,
                     plan.anywhere ? "tiles" : "groups", plan.few, plan.anywhere ? kTileGroups * kUnit : kUnit);
}

std::vector<estimate<interleave_plan>> interleave_family::candidates(problem const& refitted, alignment const& aligned,
                                                                     gpu_model const& gpu) {
  auto const plan = plan_interleave(refitted, aligned);
  if (!plan) return {};
  return {{*plan, expected_seconds(*plan, gpu)}};
}

}  // namespace cornerturn
