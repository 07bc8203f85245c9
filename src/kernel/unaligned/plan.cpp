#include "kernel/unaligned/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "kernel/source_range.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostIndices = 1 << 30;  ///< rows or columns, so that a tile past them still counts in 32 bits

/// Modes that are contiguous on one side, fastest first.
struct mode_chain {
  std::int64_t mode::*stride;
  std::vector<mode> modes;
  std::int64_t count = 1;  ///< product of the extents

  /// Moves the next contiguous mode from `left` to the chain. Returns false if `left` has none.
  bool grow(std::vector<mode>& left) {
    auto const next = std::ranges::find(left, count, stride);
    if (next == left.end() || next->extent > kMostIndices / count) return false;
    count *= next->extent;
    modes.push_back(*next);
    left.erase(next);
    return true;
  }
};

/// Divides `count` indices evenly among tiles with at most `most` indices each. Returns the indices of a tile, a multiple of
/// `grain`.
std::int64_t tile_extent(std::int64_t count, std::int64_t most, std::int64_t grain) {
  return std::min(round_up(ceil_div(count, ceil_div(count, most)), grain), most);
}

std::optional<unaligned_plan> plan_tile(problem const& p, int which) {
  ++work_of_planning.tilings;
  auto const size = shared_element_size(p);
  auto const shape = unaligned_tile_of(int(size), which);
  auto left = p.modes;
  mode_chain rows{&mode::destination_stride, {}, 1}, cols{&mode::source_stride, {}, 1};
  if (!cols.grow(left) || !rows.grow(left)) return {};
  for (bool grew = true; grew;) {
    grew = rows.count < shape.rows && rows.grow(left);
    grew |= cols.count < shape.cols && cols.grow(left);
  }

  unaligned_plan plan{
      .tile = which, .element_size = int(size), .source_offset = p.source_offset, .destination_offset = p.destination_offset};
  auto& job = plan.job;
  job.rows = int(rows.count);
  job.cols = int(cols.count);
  job.tile_rows = int(tile_extent(rows.count, shape.rows, kUnitBytes / size));
  job.tile_cols = int(tile_extent(cols.count, shape.cols, kSectorBytes / size));

  std::size_t digits = 0;
  auto const list = [&](digit_range& range, auto const& add_all) {
    range.begin = int(digits);
    add_all();
    range.end = int(digits);
  };
  auto const add = [&](std::int64_t radix, radix_digit each) {
    each.radix = fast_divmod(int(radix));
    job.digits.at(digits++) = each;
  };
  std::int64_t tiles = 1;
  list(job.tile_digits, [&] {
    auto const add_tiles = [&](std::int64_t count, radix_digit const& each) {
      tiles *= count;
      if (count > 1 && tiles <= kIntMax) add(count, each);
    };
    add_tiles(ceil_div(rows.count, job.tile_rows), {.destination = job.tile_rows * size, .vector_index = job.tile_rows});
    add_tiles(ceil_div(cols.count, job.tile_cols), {.source = job.tile_cols * size, .run_index = job.tile_cols});
    std::ranges::sort(left, {}, &mode::destination_stride);
    for (auto const& each : left)
      add_tiles(each.extent, {.source = each.source_stride * size, .destination = each.destination_stride * size});
  });
  if (tiles > kIntMax) return {};
  list(job.row_digits, [&] {
    for (auto const& each : rows.modes) add(each.extent, {.source = each.source_stride * size});
  });
  list(job.col_digits, [&] {
    for (auto const& each : cols.modes) add(each.extent, {.destination = each.destination_stride * size});
  });
  job.tiles = int(tiles);

  write_source_range(job, p);
  return plan;
}

}  // namespace

std::vector<unaligned_plan> plan_unaligned(problem const& p) {
  int const size = int(shared_element_size(p));
  if (size > 2 || p.modes.size() + 2 > unaligned_job::kMostDigits) return {};
  std::vector<unaligned_plan> plans;
  for (int which = 0; which < unaligned_tiles(size); ++which)
    if (auto const plan = plan_tile(p, which)) plans.push_back(*plan);
  return plans;
}

std::string_view idea_of(unaligned_plan const&) {
  return "rows of any alignment: aligned units are loaded, words transposed in registers, aligned units assembled and stored";
}

std::string describe(unaligned_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("unaligned {}x{}, {} threads, 16-byte loads and stores: {} tiles of {} x {} of {}", plan.shape().rows,
                     plan.shape().cols, plan.shape().threads, job.tiles, job.tile_rows, job.tile_cols,
                     count_text(plan.element_size, "byte"));
}

std::vector<unaligned_plan> unaligned_plan::candidates(problem const& refitted, alignment const&, gpu_model const&) {
  return plan_unaligned(refitted);
}

plan_decisions<unaligned_plan> unaligned_plan::decisions() {
  return {{element_decision<unaligned_plan>(2),
           {"tile", {"tile 0", "tile 1", "tile 2", "tile 3"}, [](unaligned_plan const& plan) { return plan.tile; }},
           {"tiles", {"one tile", "several tiles"}, [](unaligned_plan const& plan) { return plan.job.tiles > 1; }}},
          {{"2 bytes", {"tile 3"}, "2 bytes have three tiles"}}};
}

}  // namespace cornerturn
