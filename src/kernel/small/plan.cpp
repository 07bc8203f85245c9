#include "kernel/small/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/round.hpp"
#include "kernel/int_limit.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostPitch = kIntMax / 2;  ///< elements of an extent or pitch; a tile may extend past the matrix

}  // namespace

std::optional<small_plan> plan_small(rung_plan const& vec_both, gpu_model const& gpu) {
  auto const& shape = vec_both.shape;
  if (vec_both.element_size > 8 || vec_both.load_bytes() != 16 || vec_both.store_bytes() != 16) return {};
  if (std::max({shape.rows, shape.cols, shape.source_pitch, shape.destination_pitch}) > kMostPitch) return {};
  for (int which = 0; which < small_tiles_of(vec_both.element_size); ++which) {
    auto const most = std::int64_t(gpu.small.blocks.at(std::size_t(which)));
    auto const tile = small_tile_of(vec_both.element_size, which);
    auto const down = ceil_div(shape.rows, tile.rows), across = ceil_div(shape.cols, tile.cols);
    if (down > most || across > most / down || shape.batch > most / (down * across)) continue;
    return small_plan{.job = {.rows = int(shape.rows),
                              .cols = int(shape.cols),
                              .source_pitch = int(shape.source_pitch),
                              .destination_pitch = int(shape.destination_pitch),
                              .source_batch_stride = shape.source_batch_stride,
                              .destination_batch_stride = shape.destination_batch_stride,
                              .tiles_down = fast_divmod(int(down)),
                              .tiles_across = fast_divmod(int(across))},
                      .tile = which,
                      .element_size = vec_both.element_size,
                      .batch = int(shape.batch),
                      .blocks = int(down * across * shape.batch),
                      .source_offset = vec_both.source_offset,
                      .destination_offset = vec_both.destination_offset};
  }
  return {};
}

std::string_view idea_of(small_plan const&) {
  return "few tiles: a thread loads its one or two vectors at once and scatters their elements into shared memory";
}

std::string describe(small_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("small {}x{}, {} threads, 16-byte loads and stores: {} x {} x {} of {}", plan.shape().rows,
                     plan.shape().cols, plan.shape().threads, plan.batch, job.rows, job.cols,
                     count_text(plan.element_size, "byte"));
}

std::vector<estimate<small_plan>> small_plan::candidates(problem const& refitted, alignment const& aligned,
                                                         gpu_model const& gpu) {
  auto const matrices = plan_problem(refitted, aligned);
  if (!matrices || matrices->kernel != rung::vec_both) return {};
  auto const plan = plan_small(*matrices, gpu);
  if (!plan) return {};
  return {{*plan, expected_seconds(*plan, gpu)}};
}

plan_choices<small_plan> small_plan::choices() {
  return {{element_choice<small_plan>(4),
           {"tile", {"tile 0", "tile 1"}, [](small_plan const& plan) { return plan.tile; }},
           {"batch", {"matrix", "batch"}, [](small_plan const& plan) { return plan.batch > 1; }},
           {"tiles",
            {"one tile", "several tiles"},
            [](small_plan const& plan) { return plan.job.tiles_down.divisor * plan.job.tiles_across.divisor > 1; }}},
          {{"1 byte", {"tile 1"}, "bytes have one tile"}}};
}

}  // namespace cornerturn
