#include "plan/limited.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "plan/choose.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// Appends launches that write the pad, whose bytes are all equal at multiples of the problem's element size.
void add_fill(problem const& given, std::span<std::byte const> pad, alignment const& aligned, std::vector<limited_plan>& to) {
  limited_problem fill{.whole = written_in(given), .limits = {{.end = 0, .of_source = true}}};
  for (std::size_t i = 0; i < fill.pad.size(); ++i) fill.pad[i] = pad[i % pad.size()];
  if (auto plan = plan_limited(fill, {aligned.destination, aligned.destination})) return to.push_back(*std::move(plan));
  auto const longest = std::size_t(std::ranges::max_element(given.modes, {}, &mode::extent) - given.modes.begin());
  auto const extent = given.modes[longest].extent, half = extent / 2;
  add_fill(slice(given, longest, 0, half), pad, aligned, to);
  add_fill(slice(given, longest, half, extent - half), pad, aligned, to);
}

/// The launches that write the pad to a box. Each writes a part of every element if the pad's bytes differ between parts.
std::vector<limited_plan> fills_of(problem const& box, std::span<std::byte const> pad, alignment const& aligned) {
  auto const size = std::ssize(pad), unit = std::gcd(size, std::int64_t(aligned.destination));
  auto const parts = split_elements(box, unit);
  std::vector<limited_plan> result;
  bool const is_uniform = std::equal(pad.begin() + unit, pad.end(), pad.begin());
  for (std::int64_t i = 0; i < (is_uniform ? 1 : size / unit); ++i)
    add_fill(is_uniform ? parts : slice(parts, parts.modes.size() - 1, i, 1),
             pad.subspan(std::size_t(i * unit), std::size_t(unit)), aligned, result);
  return result;
}

/// The candidates of one launch that pads and crops, or copies with the swizzles of offsets.
std::vector<candidate> launches_of(limited_problem const& p, alignment const& aligned, gpu_model const& gpu) {
  std::vector<candidate> result;
  auto const add = [&](auto const& plan) {
    result.push_back(single_step(plan, expected_seconds(plan, gpu)));
    result.back().is_scaled = gpu.is_scaled;
  };
  if (auto const plan = plan_limited(p, aligned)) add(*plan);
  for (auto const& plan : plan_swizzled(p, aligned, gpu)) add(plan);
  return result;
}

/// The fastest candidate that copies a box without limits. Empty if no launch can swizzle it.
std::optional<candidate> fastest_of_box(limited_problem const& box, alignment const& aligned, gpu_model const& gpu) {
  auto all = launches_of(box, aligned, gpu);
  if (!box.source_swizzle && !box.destination_swizzle) all.push_back(fastest_candidate(box.whole, aligned, gpu));
  if (all.empty()) return {};
  return *std::ranges::min_element(all, {}, &candidate::seconds);
}

void add_steps(candidate&& part, candidate& to) {
  std::ranges::move(part.steps, std::back_inserter(to.steps));
  to.seconds += part.seconds;
}

/// For steps that write different elements: launches that can run beside the one before them come last, and do so.
void run_side_by_side(candidate& all, gpu_model const& gpu) {
  auto const can_run_beside = [](step const& each) { return std::holds_alternative<limited_plan>(each.kernel); };
  std::ranges::stable_partition(all.steps, std::not_fn(can_run_beside));
  for (std::size_t i = 1; i < all.steps.size(); ++i)
    if (auto const* const plan = std::get_if<limited_plan>(&all.steps[i].kernel)) {
      all.steps[i].is_beside_last = true;
      all.seconds -= rates_of(*plan, gpu).start_seconds;
    }
}

candidate in_boxes(pattern_copy const& copy, alignment const& aligned, gpu_model const& gpu) {
  auto const boxes = boxed_problems_of(copy);
  candidate result{.steps = {}, .is_scaled = gpu.is_scaled};
  for (auto const& box : boxes.padded) add_steps(fill_of(box, copy.pad, aligned, gpu), result);
  for (auto const& box : boxes.copied) add_steps(fastest_of_box({.whole = canonical(box)}, aligned, gpu).value(), result);
  run_side_by_side(result, gpu);
  return result;
}

/// A launch for the box in which all indices exist, and one for each edge beside it. Empty if there is no such box.
std::optional<candidate> in_frame(pattern_copy const& copy, alignment const& aligned, gpu_model const& gpu) {
  auto const frame = framed_problems_of(copy);
  if (!frame || frame->edges.empty()) return {};
  auto result = fastest_of_box(frame->inside, aligned, gpu);
  if (!result) return {};
  for (auto const& edge : frame->edges) {
    auto const plan = plan_limited(edge, aligned);
    if (!plan) return {};
    add_steps(single_step(*plan, expected_seconds(*plan, gpu)), *result);
  }
  run_side_by_side(*result, gpu);
  return result;
}

}  // namespace

candidate fill_of(problem const& box, std::span<std::byte const> pad, alignment const& aligned, gpu_model const& gpu) {
  candidate result{.steps = {}, .is_scaled = gpu.is_scaled};
  for (auto const& fill : fills_of(box, pad, aligned)) {
    result.steps.push_back({fill, {buffer_role::destination}, {buffer_role::destination}});
    result.seconds += expected_seconds(fill, gpu);
  }
  return result;
}

std::vector<candidate> limited_candidates(pattern_copy const& copy, alignment const& aligned, gpu_model const& gpu) {
  std::vector<candidate> result;
  if (auto frame = in_frame(copy, aligned, gpu)) result.push_back(*std::move(frame));
  if (auto const limited = limited_of(copy)) std::ranges::move(launches_of(*limited, aligned, gpu), std::back_inserter(result));
  // A launch for each box of a swizzle is slower than its offsets.
  if (!copy.move.is_swizzled() || result.empty()) result.push_back(in_boxes(copy, aligned, gpu));
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

candidate cpu_limited_candidate(pattern_copy const& copy, cpu_tile_hint const& usual) {
  if (copy.move.is_swizzled())
    if (auto const limited = limited_of(copy))
      if (auto swizzled = plan_cpu_swizzled(*limited, usual)) return single_step(*std::move(swizzled));
  return single_step(plan_cpu_limited(boxed_problems_of(copy), copy.pad, usual));
}

}  // namespace cornerturn
