#include "cpu/swizzled/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "cornerturn/text.hpp"
#include "pattern/limits.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kUsualChunk = 64 << 10, kLargestChunk = 1 << 20;  // bytes
constexpr std::size_t kMostKinds = 16;

/// The largest divisor of `whole` that is at most `most`, and at least 1.
std::int64_t divisor_of(std::int64_t whole, std::int64_t most) {
  auto part = std::clamp<std::int64_t>(most, 1, whole);
  while (whole % part) --part;
  return part;
}

std::int64_t step_of(mode const& each, std::size_t axis) { return limited_indices::from(each.factor_stride).of_axis[axis]; }

/// The modes of a chunk that a limited axis has, the outermost first.
std::vector<std::size_t> modes_of(problem const& chunk, std::size_t axis) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < chunk.modes.size(); ++i)
    if (step_of(chunk.modes[i], axis) != 0) result.push_back(i);
  std::ranges::sort(result, std::ranges::greater(), [&](std::size_t i) { return step_of(chunk.modes[i], axis); });
  return result;
}

/// The numbers of indices along a limited axis that chunks have, the largest first.
std::vector<std::int64_t> counts_of(std::vector<chunk_loop> const& loops, chunk_limit const& limit, std::size_t axis) {
  std::vector<std::int64_t> firsts{0}, counts;
  for (auto const& loop : loops) {
    if (loop.steps[axis] == 0) continue;
    auto const before = std::exchange(firsts, {});
    for (auto const first : before)
      for (std::int64_t i = 0; i < loop.count; ++i) firsts.push_back(first + i * loop.steps[axis]);
  }
  for (auto const first : firsts) counts.push_back(limit.count_from(first));
  std::ranges::sort(counts, std::ranges::greater());
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  return counts;
}

/// The boxes of a chunk in which some axes have only their first indices: the plain array's, if it is the source, are padded.
boxed_problems boxes_of_chunk(problem const& chunk, std::vector<axis_limit> const& limits, bool of_source) {
  std::vector<std::int64_t> extents;
  for (auto const& each : chunk.modes) extents.push_back(each.extent);
  std::vector<axis_limit> const none;
  auto const boxes = boxes_within(extents, of_source ? limits : none, of_source ? none : limits);
  auto const problems_of = [&](std::vector<index_box> const& all) {
    std::vector<problem> result;
    for (auto const& box : all) {
      auto& part = result.emplace_back(chunk);
      for (std::size_t i = 0; i < box.size(); ++i) part = slice(part, i, box[i].begin, box[i].end - box[i].begin);
    }
    return result;
  };
  return {problems_of(boxes.copied), problems_of(boxes.padded)};
}

/// Adds the kinds of chunks. Returns false if there are many.
bool add_kinds(problem chunk, limited_problem const& all, cpu_tile_hint const& hint, cpu_swizzled& to) {
  std::vector<std::array<std::int64_t, limited_problem::kMostLimits>> kinds{{}};
  std::vector<axis_limit> limits;
  for (std::size_t axis = 0; axis < all.limits.size(); ++axis) {
    auto& limit = to.limits.emplace_back(chunk_limit{all.limits[axis].end, {}});
    limits.push_back({modes_of(chunk, axis), 0});
    for (auto const i : limits.back().modes) limit.digits.push_back({chunk.modes[i].extent, step_of(chunk.modes[i], axis)});
    auto const before = std::exchange(kinds, {});
    for (auto const count : counts_of(to.loops, limit, axis))
      for (auto each : before) each[axis] = count, kinds.push_back(each);
    if (kinds.size() > kMostKinds) return false;
  }
  std::ranges::sort(kinds, std::ranges::greater());
  for (auto& each : chunk.modes) each.factor_stride = 0;
  auto const pad = std::span(all.pad).first(std::size_t(chunk.element_size.source));
  for (auto const& counts : kinds) {
    for (std::size_t axis = 0; axis < limits.size(); ++axis) limits[axis].extent = counts[axis];
    to.kinds.push_back({counts, plan_cpu_limited(boxes_of_chunk(chunk, limits, !to.of_source), pad, hint)});
  }
  return true;
}

}  // namespace

std::int64_t chunk_limit::count_from(std::int64_t first) const {
  auto left = end - first;
  if (left <= 0) return 0;
  std::int64_t inner = 1, count = 0;
  for (auto const& each : digits) inner *= each.extent;
  for (auto const& [extent, step] : digits) {
    inner /= extent;
    auto const whole = std::min((left - 1) / step, extent);
    count += whole * inner;
    if (whole == extent) return count;
    left -= whole * step;
  }
  return count + 1;
}

std::optional<cpu_swizzled> plan_cpu_swizzled(limited_problem const& canonical, cpu_tile_hint const& hint) {
  bool const of_source = bool(canonical.source_swizzle);
  auto whole = canonical.whole;
  if (of_source == bool(canonical.destination_swizzle)) return {};
  if (std::ranges::count(canonical.limits, of_source, &index_limit::of_source)) return {};
  if (whole.source_offset || whole.destination_offset || whole.factor_offset) return {};
  auto const stride = of_source ? &mode::source_stride : &mode::destination_stride;
  auto const size = whole.element_size.source;
  std::ranges::sort(whole.modes, std::ranges::greater(), stride);
  auto region = size;  // bytes of the modes that are left
  for (auto each = whole.modes.rbegin(); each != whole.modes.rend(); region *= each++->extent)
    if ((*each).*stride * size != region) return {};
  cpu_swizzled result{.kinds = {},
                      .loops = {},
                      .limits = {},
                      .swizzle = of_source ? canonical.source_swizzle : canonical.destination_swizzle,
                      .of_source = of_source,
                      .streams = bytes_of(whole) > hint.streamed_above};
  while (region > kUsualChunk) {
    auto& outer = whole.modes.front();
    auto const inner = outer.*stride * size, taken = divisor_of(outer.extent, kUsualChunk / inner);
    auto& loop = result.loops.emplace_back();
    loop.count = outer.extent / taken;
    loop.source = taken * outer.source_stride * size, loop.destination = taken * outer.destination_stride * size;
    for (std::size_t axis = 0; axis < loop.steps.size(); ++axis) loop.steps[axis] = taken * step_of(outer, axis);
    region = taken * inner;
    outer.extent = taken;
    if (taken > 1 || region <= kLargestChunk) break;
    whole.modes.erase(whole.modes.begin());
  }
  if (region > kLargestChunk || region % result.swizzle.period()) return {};
  result.chunk_bytes = region;
  auto of_chunk = hint;
  of_chunk.streamed_above = of_source && result.streams ? 0 : kLargestChunk;
  if (!add_kinds(std::move(whole), canonical, of_chunk, result)) return {};
  return result;
}

std::int64_t cpu_swizzled::image_bytes() const {
  std::int64_t most = 0;
  for (auto const& each : kinds) most = std::max(most, each.boxes.image_bytes());
  return most;
}

std::string describe(cpu_swizzled const& plan) {
  auto const& boxes = plan.kinds.front().boxes;
  bool const is_whole = plan.kinds.size() == 1 && boxes.copied.size() == 1 && boxes.padded.empty();
  return fmt::format("{} of {}, {} swizzled by way of a cache{}: {}", count_text(plan.chunks(), "chunk"),
                     count_text(plan.chunk_bytes, "byte"), plan.of_source ? "the source" : "the result",
                     plan.streams && !plan.of_source ? ", with non-temporal stores" : "",
                     is_whole ? describe(boxes.copied.front()) : describe(boxes));
}

plan_decisions<cpu_swizzled> cpu_swizzled::decisions() {
  auto const has_pads = [](cpu_swizzled const& plan) {
    return std::ranges::any_of(plan.kinds, [](chunk_kind const& each) { return !each.boxes.padded.empty(); });
  };
  return {{{"side", {"source", "destination"}, [](cpu_swizzled const& plan) { return !plan.of_source; }},
           {"chunks", {"one chunk", "several chunks"}, [](cpu_swizzled const& plan) { return plan.chunks() > 1; }},
           {"kinds",
            {"chunks of one kind", "chunks of several kinds"},
            [](cpu_swizzled const& plan) { return plan.kinds.size() > 1; }},
           {"limits",
            {"whole axes", "cropped axes", "padded axes"},
            [=](cpu_swizzled const& plan) { return has_pads(plan)        ? 2
                                                   : plan.limits.empty() ? 0
                                                                         : 1; }},
           {"stores", {"ordinary stores", "non-temporal stores"}, [](cpu_swizzled const& plan) { return plan.streams; }}},
          {{"one chunk", {"chunks of several kinds"}, "each kind has a chunk"},
           {"whole axes", {"chunks of several kinds"}, "kinds differ in indices that exist"},
           {"source", {"padded axes"}, "the plain array is the destination"},
           {"destination", {"cropped axes"}, "the plain array is the source"}}};
}

}  // namespace cornerturn
