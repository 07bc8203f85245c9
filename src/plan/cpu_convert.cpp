#include "plan/cpu_convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "kernel/round.hpp"
#include "plan/cpu_sizes.hpp"
#include "plan/piece_extents.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// Bytes of a box in the larger of its elements: image and destination rows share the level 2 cache.
constexpr std::int64_t kBox = 128 << 10;
/// Bytes of a row that is read from the source, at least.
constexpr std::int64_t kRow = 256;

/// The box of these extents. Its image is dense in the destination's order, the last mode fastest.
convert_box box_of(problem const& p, std::vector<std::int64_t> const& extents, bool has_image, cpu_tile_hint const& hint) {
  auto const [source_size, destination_size] = p.element_size;
  convert_box box;
  problem gather{.modes = {}, .element_size = source_size};
  std::int64_t dense = 1;
  for (auto i = p.modes.size(); i-- > 0;) {
    auto const& m = p.modes[i];
    gather.modes.push_back({extents[i], m.source_stride, dense});
    row_loop const loop{extents[i], (has_image ? dense : m.source_stride) * source_size, m.destination_stride * destination_size};
    if (i + 1 == p.modes.size())
      box.length = loop.count;
    else if (loop.count > 1)
      box.loops.insert(box.loops.begin(), loop);
    dense *= extents[i];
  }
  if (has_image) {
    auto cached = hint;
    cached.cached = std::int64_t(1) << 40;
    box.gather = plan_cpu(canonical(gather), cached);
  }
  return box;
}

}  // namespace

std::int64_t cpu_convert::tasks() const {
  std::int64_t result = 1;
  for (auto const& each : loops) result *= each.count;
  return result;
}

std::int64_t cpu_convert::image_bytes() const { return has_image ? boxes.front().gather.bytes : 0; }

std::int64_t cpu_convert::gather_bytes() const {
  std::int64_t most = 0;
  for (auto const& each : boxes) most = std::max(most, has_image ? each.gather.image_bytes() : 0);
  return most;
}

cpu_convert plan_cpu_convert(problem const& p, cpu_tile_hint const& hint) {
  refuse_beyond(p, kCpuAddressBits, "a CPU");
  auto const sizes = p.element_size;
  cpu_convert plan{.operation = p.operation.value(), .sizes = sizes, .threads = hint.threads};
  plan.source_offset = p.source_offset * sizes.source, plan.destination_offset = p.destination_offset * sizes.destination;
  std::int64_t elements = 1;
  for (mode const& m : p.modes) elements *= m.extent;
  plan.bytes = elements * sizes.destination;
  plan.streams = plan.bytes > hint.cached;
  if (!p.modes.empty()) {
    auto const& fastest = p.modes.back();
    plan.row_step = fastest.destination_stride;
    plan.has_image = fastest.source_stride != 1 || fastest.extent * sizes.larger() < kRow;
  } else {
    plan.has_image = false;
  }

  auto const full = piece_extents(p, std::max<std::int64_t>(1, kBox / sizes.larger()));
  std::vector<std::size_t> cut;
  auto last = full;
  for (std::size_t i = 0; i < p.modes.size(); ++i) {
    auto const& m = p.modes[i];
    auto const count = ceil_div(m.extent, full[i]);
    if (count == 1) continue;
    cut.push_back(i);
    last[i] = m.extent - (count - 1) * full[i];
    plan.loops.push_back({count, full[i] * m.source_stride * sizes.source, full[i] * m.destination_stride * sizes.destination});
  }
  for (std::size_t which = 0; which < std::size_t(1) << cut.size(); ++which) {
    auto extents = full;
    bool is_new = true;
    auto same = which;
    for (std::size_t k = 0; k < cut.size(); ++k)
      if (which >> k & 1) {
        extents[cut[k]] = last[cut[k]];
        if (last[cut[k]] == full[cut[k]]) is_new = false, same &= ~(std::size_t(1) << k);
      }
    plan.boxes.push_back(is_new ? box_of(p, extents, plan.has_image, hint) : plan.boxes[same]);
  }
  return plan;
}

std::string describe(cpu_convert const& plan) {
  auto const& box = plan.boxes.front();
  std::int64_t rows = 1;
  for (auto const& each : box.loops) rows *= each.count;
  return fmt::format("convert {} in boxes of {} of {}{}{}", to_string(plan.operation), count_text(rows, "row"),
                     count_text(box.length, "element"), plan.has_image ? fmt::format(" by way of {}", describe(box.gather)) : "",
                     plan.streams ? ", past the caches" : "");
}

}  // namespace cornerturn
