#include "cpu/limited/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "problem/canonical.hpp"
#include "problem/limited.hpp"

namespace cornerturn {
namespace {

template <class Count>
std::int64_t sum_of(cpu_limited const& plan, Count const& count) {
  std::int64_t sum = 0;
  for (auto const* const boxes : {&plan.copied, &plan.padded})
    for (auto const& each : *boxes) sum += count(each);
  return sum;
}

/// Adds plans that write the pad to a box. They read as many copies of it as the box has in a row, but not many more than fill
/// `kMost` bytes.
void add_fill(problem const& box, std::span<std::byte const> pad, cpu_tile_hint const& hint, cpu_limited& to) {
  constexpr std::int64_t kMost = 16 << 10;
  auto fill = written_in(box);
  fill.source_offset = 0;
  for (auto& each : fill.modes) each.source_stride = 0;
  if (!fill.modes.empty() && fill.modes.back().destination_stride == 1) {
    auto const size = fill.element_size.source, most = round_up(kMost, std::ssize(pad)) / size;
    auto const all = fill.modes.back().extent, row = std::min(all, most);
    auto const last = fill.modes.size() - 1;
    if (auto const rest = all % row; rest > 0) {
      add_fill(slice(fill, last, all - rest, rest), pad, hint, to);
      fill = slice(fill, last, 0, all - rest);
    }
    fill.modes.back() = {all / row, 0, row};
    fill.modes.push_back({row, 1, 1});
    for (auto i = std::ssize(to.pad); i < row * size; ++i) to.pad.push_back(pad[std::size_t(i % std::ssize(pad))]);
  }
  to.padded.push_back(plan_cpu(canonical(fill), hint));
}

}  // namespace

cpu_limited plan_cpu_limited(boxed_problems const& boxes, std::span<std::byte const> pad, cpu_tile_hint const& hint) {
  cpu_limited plan{.copied = {}, .padded = {}, .pad = {pad.begin(), pad.end()}};
  for (auto const& box : boxes.copied) plan.copied.push_back(plan_cpu(canonical(box), hint));
  for (auto const& box : boxes.padded) add_fill(box, pad, hint, plan);
  return plan;
}

std::int64_t cpu_limited::bytes() const {
  return sum_of(*this, [](cpu_plan const& each) { return each.bytes; });
}

std::int64_t cpu_limited::pieces_of(cpu_plan const& box) {
  return std::clamp<std::int64_t>(box.bytes / box.limits.threads.share, 1, box.tasks());
}

std::int64_t cpu_limited::pieces() const { return sum_of(*this, pieces_of); }

std::int64_t cpu_limited::image_bytes() const {
  std::int64_t most = 0;
  for (auto const* const boxes : {&copied, &padded})
    for (auto const& each : *boxes)
      if (each.needs_image()) most = std::max(most, each.image_bytes());
  return most;
}

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
