#include "kernel/planes/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "problem/element_types.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {

int planes_plan::vector() const { return kUnitBytes / int(size_of(operation.destination)); }

std::optional<planes_plan> plan_planes(problem const& p, alignment const& aligned) {
  auto const& operation = *p.operation;
  bool const is_compiled = element::visit_pair_of(planes_pairs{}, operation, [](auto) {});
  if (!is_compiled || operation.beta != 0.0 || p.modes.size() > planes_job::kMostDigits) return {};
  planes_plan plan{.operation = operation,
                   .source_offset = p.source_offset,
                   .destination_offset = p.destination_offset,
                   .factor_offset = p.factor_offset};
  auto const bytes = std::ranges::find(p.modes, 1, &mode::source_stride),
             pixels = std::ranges::find(p.modes, 1, &mode::destination_stride);
  if (bytes == p.modes.end() || pixels == p.modes.end() || bytes == pixels) return {};
  auto const pixel_bytes = pixels->source_stride;
  if (pixel_bytes < kFewestPixelBytes || pixel_bytes > kMostPixelBytes || bytes->extent != pixel_bytes) return {};
  auto const vector = std::int64_t(plan.vector());
  auto const is_aligned = [&](std::int64_t source, std::int64_t destination) {
    return source % vector == 0 && destination % vector == 0;
  };
  if (pixels->extent % vector != 0 || pixels->extent > kIntMax / pixel_bytes || pixels->factor_stride != 0) return {};
  if (aligned.source < vector || aligned.destination < kUnitBytes) return {};
  if (!is_aligned(p.source_offset, p.destination_offset) || !is_aligned(0, bytes->destination_stride)) return {};
  if (!std::in_range<int>(bytes->factor_stride)) return {};

  plan.pixel_bytes = int(pixel_bytes);
  auto& job = plan.job;
  job.vectors = int(pixels->extent / vector);
  job.plane_step = bytes->destination_stride;
  job.factor_step = int(bytes->factor_stride);
  auto const tiles = ceil_div(job.vectors, kPlanesThreads * kPlanesSteps);
  job.tiles = fast_divmod(tiles);
  std::int64_t blocks = tiles;
  for (auto const& each : p.modes | std::views::reverse) {
    if (&each == &*bytes || &each == &*pixels) continue;
    if (!is_aligned(each.source_stride, each.destination_stride) || !std::in_range<int>(each.factor_stride)) return {};
    if (each.extent > kIntMax / blocks) return {};
    blocks *= each.extent;
    job.digits[std::size_t(job.part_digits.end++)] = {.radix = fast_divmod(int(each.extent)),
                                                      .source = each.source_stride,
                                                      .destination = each.destination_stride,
                                                      .vector_index = int(each.factor_stride)};
  }
  plan.blocks = int(blocks);
  return plan;
}

std::string_view idea_of(planes_plan const&) {
  return "whole pixels are loaded to registers; each thread stores a vector of every plane";
}

std::string describe(planes_plan const& plan) {
  return fmt::format("planes {}, {} threads: {} of up to {} pixels of {} in {}", to_string(plan.operation), kPlanesThreads,
                     count_text(plan.blocks, "block"), plan.vector() * kPlanesThreads * kPlanesSteps,
                     count_text(plan.pixel_bytes, "byte"), count_text(plan.pixel_bytes, "plane"));
}

std::vector<planes_plan> planes_plan::candidates(problem const& canonical, alignment const& aligned, gpu_model const&) {
  if (auto const plan = plan_planes(canonical, aligned)) return {*plan};
  return {};
}

plan_decisions<planes_plan> planes_plan::decisions() {
  return {{{"planes", {"3 planes", "4 planes"}, [](planes_plan const& plan) { return plan.pixel_bytes - kFewestPixelBytes; }},
           {"blocks", {"one block", "several blocks"}, [](planes_plan const& plan) { return plan.blocks > 1; }},
           {"operation", {"a factor", "scale or bias"}, [](planes_plan const& plan) { return is_affine(plan.operation); }}}};
}

}  // namespace cornerturn
