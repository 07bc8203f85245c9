#include "cpu/convert/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "cpu/sizes.hpp"
#include "element/apply.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/piece_extents.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The least bytes of the rows in which a box reads the source.
constexpr std::int64_t kRow = 256;
/// From this number of elements per source row on, elements change before the permutation. If rows are shorter, elements change
/// after the permutation, in rows of the destination.
constexpr std::int64_t kFirst = 32;

/// The distance in bytes from the source that goes to an image in the destination's order to the source that is prefetched. The
/// hardware's prefetcher stops at the end of each page.
constexpr std::int64_t kAhead = 3072;

using extents = std::vector<std::int64_t>;

/// The strides of an image in the order of one side's strides, in elements. In the source's order the rows of the first mode are
/// padded, so that rows fall into different sets of the caches.
extents image_strides(problem const& p, extents const& box, std::int64_t mode::*side, std::int64_t padding) {
  std::vector<std::size_t> order(p.modes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::uint64_t(std::abs(p.modes[i].*side)) - 1; });
  extents strides(p.modes.size());
  std::int64_t next = 1;
  for (auto const i : order) {
    strides[i] = next;
    next = next * box[i] + (next == 1 ? padding : 0);
  }
  return strides;
}

/// The index of the mode that is contiguous in the source, or the number of modes if there is none.
std::size_t row_mode_of(problem const& p) {
  return std::size_t(std::ranges::find(p.modes, 1, &mode::source_stride) - p.modes.begin());
}

/// True if elements change before the permutation, because the source has rows that are long enough, or at least as long as the
/// destination's.
bool changes_first(problem const& p) {
  auto const row_mode = row_mode_of(p);
  return row_mode < p.modes.size() && p.modes[row_mode].extent >= std::min(kFirst, p.modes.back().extent);
}

/// A box, and the bytes of its image.
std::pair<convert_box, std::int64_t> box_of(problem const& p, extents const& box, cpu_convert const& whole,
                                            cpu_tile_hint const& hint) {
  auto const [source_size, destination_size] = p.element_size;
  bool const first = whole.order == change_order::first, has_image = whole.order != change_order::in_place_of_copy;
  auto const size = first ? destination_size : source_size;
  auto const image = first ? image_strides(p, box, &mode::source_stride, 2 * kCacheLine / size)
                           : image_strides(p, box, &mode::destination_stride, 0);
  auto const row_mode = first ? row_mode_of(p) : p.modes.size() - 1;
  convert_box result;
  problem permute{.modes = {}, .element_size = size};
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    auto const& m = p.modes[i];
    permute.modes.push_back(first ? mode{box[i], image[i], m.destination_stride} : mode{box[i], m.source_stride, image[i]});
    convert_loop const loop{box[i], (has_image && !first ? image[i] : m.source_stride) * source_size,
                            (first ? image[i] : m.destination_stride) * destination_size, m.factor_stride};
    if (i == row_mode)
      result.length = loop.count;
    else if (loop.count > 1)
      result.loops.push_back(loop);
    elements += (box[i] - 1) * image[i];
  }
  if (!has_image) return {result, 0};
  auto in_box = hint;
  in_box.streamed_above = first && whole.streams ? 0 : std::int64_t(1) << 40;
  in_box.limits.cached_parts = 1;  // one thread moves a box
  result.permute = plan_cpu(canonical(permute), in_box);
  if (!first) result.permute.load.prefetch_distance = kAhead;
  return {result, elements * size};
}

}  // namespace

std::int64_t cpu_convert::permute_bytes() const {
  if (order == change_order::in_place_of_copy) return 0;
  return std::ranges::max(boxes, {}, [](auto const& each) { return each.permute.image_bytes(); }).permute.image_bytes();
}

cpu_convert plan_cpu_convert(problem const& p, cpu_tile_hint const& hint) {
  refuse_beyond(p, kCpuAddressBits, "a CPU");
  auto const sizes = p.element_size;
  cpu_convert plan{.operation = p.operation.value(), .sizes = sizes, .limits = hint.limits};
  plan.source_offset = p.source_offset * sizes.source, plan.destination_offset = p.destination_offset * sizes.destination;
  std::int64_t elements = 1;
  for (mode const& m : p.modes) elements *= m.extent;
  plan.bytes = elements * sizes.destination;
  plan.streams = plan.bytes > hint.streamed_above;
  plan.factor_offset = p.factor_offset;
  if (!p.modes.empty()) plan.row_step = p.modes.back().destination_stride;
  bool const stays = p.modes.empty() || (p.modes.back().source_stride == 1 && p.modes.back().extent * sizes.larger() >= kRow);
  plan.order = stays                                            ? change_order::in_place_of_copy
               : plan.operation.beta == 0.0 && changes_first(p) ? change_order::first
                                                                : change_order::last;
  if (!p.modes.empty())
    plan.factor_step = (plan.order == change_order::first ? p.modes[row_mode_of(p)] : p.modes.back()).factor_stride;

  auto const image_size = plan.order == change_order::last ? sizes.source : sizes.destination;
  auto const full = piece_extents(p, std::max<std::int64_t>(1, hint.limits.convert_box / image_size));
  std::vector<std::size_t> uneven;  // modes whose last piece is smaller
  auto last = full;
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    auto const& m = p.modes[i];
    auto const count = ceil_div(m.extent, full[i]);
    if (count == 1) continue;
    last[i] = m.extent - (count - 1) * full[i];
    bool const is_uneven = last[i] < full[i];
    plan.loops.push_back({count, full[i] * m.source_stride * sizes.source, full[i] * m.destination_stride * sizes.destination,
                          full[i] * m.factor_stride, is_uneven ? std::size_t(1) << uneven.size() : 0});
    if (is_uneven) uneven.push_back(i);
  }
  for (std::size_t which = 0; which < std::size_t(1) << uneven.size(); ++which) {
    auto extents = full;
    for (std::size_t k = 0; k < uneven.size(); ++k)
      if (which >> k & 1) extents[uneven[k]] = last[uneven[k]];
    auto [box, bytes] = box_of(p, extents, plan, hint);
    plan.boxes.push_back(std::move(box));
    plan.image_bytes = std::max(plan.image_bytes, bytes);
  }
  return plan;
}

cpu_convert cpu_convert::part(std::int64_t most_bytes) const {
  auto plan = *this;
  auto const box = std::max<std::int64_t>(1, bytes / tasks());
  auto most = std::max<std::int64_t>(1, most_bytes / box);
  for (auto k = plan.loops.size(); k-- > 0;) {
    auto& loop = plan.loops[k];
    if (most < loop.count) loop.count = most, loop.smaller = 0;
    most = std::max<std::int64_t>(1, most / loop.count);
  }
  plan.bytes = std::min(bytes, plan.tasks() * box);
  return plan;
}

std::string describe(cpu_convert const& plan) {
  auto const& box = plan.boxes.front();
  bool const is_said = plan.order == change_order::first && box.permute.store.streams;  // by the description of the permutation
  return fmt::format("convert {} in boxes of {} of {}{}{}", to_string(plan.operation), count_text(box.rows(), "row"),
                     count_text(box.length, "element"),
                     plan.order == change_order::in_place_of_copy
                         ? ""
                         : fmt::format(", {} {}", plan.order == change_order::first ? "before" : "after", describe(box.permute)),
                     plan.streams && !is_said ? ", with non-temporal stores" : "");
}

plan_decisions<cpu_convert> cpu_convert::decisions() {
  constexpr std::int64_t kLongRow = 64;  // elements, several vectors of each type
  return {
      {{"order", {"in place of a copy", "before", "after"}, [](cpu_convert const& plan) { return int(plan.order); }},
       {"stores", {"cached", "streamed"}, [](cpu_convert const& plan) { return plan.streams; }},
       {"boxes", {"one box", "several boxes"}, [](cpu_convert const& plan) { return plan.tasks() > 1; }},
       {"last box", {"boxes of one size", "smaller boxes"}, [](cpu_convert const& plan) { return plan.boxes.size() > 1; }},
       {"rows", {"rows with gaps", "dense rows"}, [](cpu_convert const& plan) { return plan.row_step == 1; }},
       sizes_decision<cpu_convert>([](cpu_convert const& plan) { return plan.sizes; }),
       {"factors",
        {"real factors", "complex factors", "reads", "factors of rows", "factors of elements"},
        [](cpu_convert const& plan) {
          auto const by = element::factors::of(plan.operation);
          if (is_affine(plan.operation)) return plan.factor_step == 0 ? 3 : 4;
          return by.reads_destination ? 2 : by.are_complex ? 1 : 0;
        }},
       {"length", {"short rows", "long rows"}, [](cpu_convert const& plan) { return plan.boxes.front().length >= kLongRow; }}},
      {{"before", {"reads"}, "the image does not hold the old elements"}, {"one box", {"smaller boxes"}, "nothing is cut"}}};
}

}  // namespace cornerturn
