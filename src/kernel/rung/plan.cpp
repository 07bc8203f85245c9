#include "kernel/rung/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>

#include "base/refuse.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "kernel/rung/last_use.hpp"
#include "kernel/rung/visit_use.hpp"

namespace cornerturn {
namespace {

/// One side of a job: `rows` rows of `row` contiguous elements, `pitch` elements apart. There are `batch` such matrices.
struct job_side {
  std::string_view name;
  std::int64_t row, rows, pitch, batch, batch_stride;
  int aligned;       ///< bytes: alignment of the address
  int element_size;  ///< bytes

  bool rows_begin_on(int bytes) const {
    auto const whole = [&](std::int64_t elements) { return elements * element_size % bytes == 0; };
    return aligned % bytes == 0 && (rows <= 1 || whole(pitch)) && (batch <= 1 || whole(batch_stride));
  }
  bool takes_vectors(int bytes) const { return rows_begin_on(bytes) && row * element_size % bytes == 0; }

  /// Refuses a side whose boxes TMA cannot copy. TMA stores whole 16-byte units, so it would write past the end of a row whose
  /// length is not a multiple of 16 bytes.
  void expect_boxes(bool stored) const {
    constexpr int kMultiple = 16;
    constexpr std::int64_t kMostExtent = std::numeric_limits<std::int32_t>::max(), kMostStride = (std::int64_t(1) << 40) - 1;
    auto const expect_stride = [&](std::string_view what, std::int64_t times, std::int64_t elements) {
      auto const bytes = elements * element_size;
      if (times > 1 && (bytes % kMultiple || bytes > kMostStride))
        refuse(fmt::format("the {}'s {} in bytes", name, what), bytes, "a multiple of 16 below 2^40 for TMA");
    };
    auto const expect_extent = [&](std::string_view what, std::int64_t extent) {
      if (extent > kMostExtent)
        refuse(fmt::format("the {}'s {}", name, what), extent, fmt::format("at most {} for TMA", kMostExtent));
    };
    if (aligned % kMultiple) refuse(fmt::format("the {}'s alignment in bytes", name), aligned, "a multiple of 16 for TMA");
    expect_stride("pitch", rows, pitch);
    expect_stride("batch stride", batch, batch_stride);
    if (stored && row * element_size % kMultiple)
      refuse(fmt::format("the {}'s row length in bytes", name), row * element_size, "a multiple of 16 for a TMA store");
    expect_extent("row length", row * std::max(1, element_size / 8));
    expect_extent("number of rows", rows);
    expect_extent("batch", batch);
  }
};

access_widths choose_widths(rung kernel, job const& shape, int element_size, alignment const& aligned) {
  auto const& info = info_of(kernel);
  job_side const source{"source",       shape.cols,  shape.rows, shape.source_pitch, shape.batch, shape.source_batch_stride,
                        aligned.source, element_size};
  job_side destination{"destination",           shape.rows,  shape.cols,
                       shape.destination_pitch, shape.batch, shape.destination_batch_stride,
                       aligned.destination,     element_size};
  if (info.is_copy) std::swap(destination.row, destination.rows);
  if (info.source == access_kind::boxes) source.expect_boxes(false);
  if (info.destination == access_kind::boxes) destination.expect_boxes(true);

  bool read = info.source == access_kind::vectors && source.takes_vectors(info.vector_bytes);
  bool write = info.destination == access_kind::vectors && destination.takes_vectors(info.vector_bytes);
  if (kernel == rung::copy)  // copies the rest of a row element by element
    read = write = source.rows_begin_on(info.vector_bytes) && destination.rows_begin_on(info.vector_bytes);
  else if (info.sides == vector_sides::both_or_none)
    read = write = read && write;
  else if (info.sides == vector_sides::one)
    write = write && !read;

  int const vector = vector_length(kernel, element_size);
  auto const width = [&](access_kind side, bool vectors) {
    return side == access_kind::boxes ? kBoxAccess : vectors ? vector : 1;
  };
  return {width(info.source, read), width(info.destination, write)};
}

}  // namespace

std::vector<tile_shape> tiles_of(rung kernel, int element_size, access_widths widths) {
  std::vector<tile_shape> tiles;
  for (auto const& each : variants_of(kernel, element_size))
    if (each.widths == widths && (each.use != variant_use::sweeps || kLastUse == variant_use::sweeps)) tiles.push_back(each.tile);
  return tiles;
}

variant_use use_of(rung_plan const& plan) {
  auto const forms = variants_of(plan.kernel, plan.element_size);
  return std::ranges::find_if(forms, [&](auto const& each) { return each.widths == plan.widths && each.tile == plan.tile; })->use;
}

rung_plan with_tile(rung_plan each, tile_shape const& tile) {
  each.tile = tile;
  auto const tiles = ceil_div(each.shape.rows, tile.rows) * ceil_div(each.shape.cols, tile.cols) * each.shape.batch;
  each.blocks = ceil_div(tiles, tile.tiles);
  return each;
}

rung_plan plan_rung(rung kernel, job const& shape, int element_size, alignment const& aligned) {
  if (aligned.source % element_size)
    refuse("the source's alignment in bytes", aligned.source, fmt::format("a multiple of the element size, {}", element_size));
  if (aligned.destination % element_size)
    refuse("the destination's alignment in bytes", aligned.destination,
           fmt::format("a multiple of the element size, {}", element_size));
  rung_plan result{.kernel = kernel, .element_size = element_size, .shape = shape};
  result.widths = choose_widths(kernel, shape, element_size, aligned);
  return with_tile(result, tiles_of(kernel, element_size, result.widths).front());
}

std::optional<rung_plan> plan_problem(problem const& canonical, alignment const& aligned) {
  auto const seen = fold(canonical);
  if (!seen) return std::nullopt;
  int const element_size = int(shared_element_size(canonical));
  auto const shifted = [&](int bytes, std::int64_t offset) { return int(std::gcd(std::int64_t(bytes), offset * element_size)); };
  auto result =
      plan_rung(seen->transposed ? rung::vec_both : rung::copy, seen->shape, element_size,
                {shifted(aligned.source, canonical.source_offset), shifted(aligned.destination, canonical.destination_offset)});
  result.source_offset = canonical.source_offset;
  result.destination_offset = canonical.destination_offset;
  return result;
}

std::string_view name_of(rung_plan const& plan) { return name_of(plan.kernel); }
std::string_view idea_of(rung_plan const& plan) { return info_of(plan.kernel).idea; }

std::string describe(rung_plan const& plan) {
  auto const access = [](int bytes, std::string_view what) {
    return bytes ? fmt::format("{}-byte {}", bytes, what) : fmt::format("{} of boxes", what);
  };
  auto const accesses = plan.load_bytes() == plan.store_bytes()
                            ? access(plan.load_bytes(), "loads and stores")
                            : fmt::format("{}, {}", access(plan.load_bytes(), "loads"), access(plan.store_bytes(), "stores"));
  return fmt::format("{} {}x{}, {} threads, {}: {} x {} x {} of {}", name_of(plan.kernel), plan.tile.rows, plan.tile.cols,
                     plan.tile.threads, accesses, plan.shape.batch, plan.shape.rows, plan.shape.cols,
                     count_text(plan.element_size, "byte"));
}

std::vector<rung_plan> rung_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const&) {
  auto const plan = plan_problem(refitted, aligned);
  if (!plan) return {};
  std::vector<rung_plan> result;
  for (auto const& tile : tiles_of(plan->kernel, plan->element_size, plan->widths)) result.push_back(with_tile(*plan, tile));
  return result;
}

plan_decisions<rung_plan> rung_plan::decisions() {
  return {{{"kernel", {"copy", "vec-both"}, [](rung_plan const& plan) { return plan.kernel == rung::vec_both; }},
           element_decision<rung_plan>(),
           {"accesses",
            {"vectors", "shorter accesses"},
            [](rung_plan const& plan) { return plan.load_bytes() != kUnitBytes || plan.store_bytes() != kUnitBytes; }}},
          {{"16 bytes", {"shorter accesses"}, "an element is a vector"}}};
}

}  // namespace cornerturn
