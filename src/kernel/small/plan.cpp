#include "kernel/small/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "kernel/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostPitch = kIntMax / 2;  ///< elements of an extent or pitch; a tile may extend past the matrix
constexpr std::int64_t kLeastSide = 9;            ///< narrower matrices would leave most of a tile empty; `interleave` moves them

}  // namespace

std::optional<small_plan> plan_small(rung_plan const& vec_both, gpu_model const& gpu) {
  auto const& shape = vec_both.shape;
  if (std::max({shape.rows, shape.cols, shape.source_pitch, shape.destination_pitch}) > kMostPitch) return {};
  int const size = vec_both.element_size;
  bool const has_vectors = size < 16 && vec_both.load_bytes() == 16 && vec_both.store_bytes() == 16;
  if (!has_vectors && std::min(shape.rows, shape.cols) < kLeastSide) return {};
  for (int which = 0; which < small_tiles_of(size); ++which) {
    if (has_vectors != (small_vector_of(size, which) > 1)) continue;
    auto const most =
        std::int64_t(has_vectors ? gpu.small.blocks.at(std::size_t(which)) : gpu_model::of_size(gpu.small.elements, size).blocks);
    auto const tile = small_tile_of(size, which);
    auto const down = ceil_div(shape.rows, tile.rows), across = ceil_div(shape.cols, tile.cols);
    if (down > most || across > most / down || shape.batch > most / (down * across)) continue;
    bool const is_empty = shape.rows * shape.cols * 4 < down * across * tile.rows * tile.cols;
    if (!has_vectors && is_empty && shape.batch > gpu.limits.sm_count) return {};
    return small_plan{.job = {.rows = int(shape.rows),
                              .cols = int(shape.cols),
                              .source_pitch = int(shape.source_pitch),
                              .destination_pitch = int(shape.destination_pitch),
                              .source_batch_stride = shape.source_batch_stride,
                              .destination_batch_stride = shape.destination_batch_stride,
                              .tiles_down = fast_divmod(int(down)),
                              .tiles_across = fast_divmod(int(across))},
                      .tile = which,
                      .element_size = size,
                      .batch = int(shape.batch),
                      .blocks = int(down * across * shape.batch),
                      .source_offset = vec_both.source_offset,
                      .destination_offset = vec_both.destination_offset};
  }
  return {};
}

std::string_view idea_of(small_plan const& plan) {
  return plan.vector() > 1
             ? "few tiles: a thread loads its one or two vectors at once and scatters their elements into shared memory"
             : "few tiles of any alignment: a thread loads its few elements at once and passes them through shared memory";
}

std::string describe(small_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("small {}x{}, {} threads, {}-byte loads and stores: {} x {} x {} of {}", plan.shape().rows,
                     plan.shape().cols, plan.shape().threads, plan.vector() * plan.element_size, plan.batch, job.rows, job.cols,
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
  return {{element_choice<small_plan>(),
           {"accesses", {"vectors", "elements"}, [](small_plan const& plan) { return plan.vector() == 1; }},
           {"tile", {"smallest tile", "larger tile"}, [](small_plan const& plan) { return plan.tile > 0; }},
           {"batch", {"matrix", "batch"}, [](small_plan const& plan) { return plan.batch > 1; }},
           {"tiles",
            {"one tile", "several tiles"},
            [](small_plan const& plan) { return plan.job.tiles_down.divisor * plan.job.tiles_across.divisor > 1; }}},
          {{"16 bytes", {"vectors", "larger tile"}, "an element is a vector"}}};
}

}  // namespace cornerturn
