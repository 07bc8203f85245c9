#include "cpu/tiles/plan.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstdlib>
#include <utility>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "cpu/tiles/strategy.hpp"
#include "cpu/tiles/tiling.hpp"
#include "element/pairs.hpp"
#include "problem/element_types.hpp"
#include "problem/validate.hpp"

namespace cornerturn {

std::int64_t cpu_plan::pitch() const {
  if (strategy == cpu_strategy::transpose_nt || strategy == cpu_strategy::deinterleave_nt) return 2 * kCacheLine;
  if (store.dense || writes_groups()) return tile.column_bytes();
  auto const padded = kCacheLine + round_up(tile.column_bytes(), kCacheLine);
  return padded % 1024 ? padded : padded + kCacheLine;  // so that columns fall into different sets of the cache
}

std::int64_t cpu_plan::source_of(std::int64_t index) const {
  auto const all = index / tile.rows, column = all % tile.columns;
  return tables.row_source[std::size_t(index % tile.rows)] +
         (load.is_apart() ? tables.column_source[std::size_t(column)] : column * tile.unit) +
         tables.batch_source[std::size_t(all / tile.columns)];
}

std::int64_t cpu_plan::stage_offset() const {
  return kCacheLine + round_up(tile.batch * tile.columns * pitch(), kCacheLine) + 2 * kCacheLine;
}

std::int64_t cpu_plan::stage_bytes() const {
  if (strategy == cpu_strategy::transpose_nt) return kCacheLine * tile.columns * (joins_columns() ? 2 : 1);
  return strategy == cpu_strategy::transpose_staged ? two_pass_bytes() : 0;
}

std::int64_t cpu_plan::two_pass_bytes() const { return kCacheLine * (tile.columns + kCacheLine); }

cpu_plan cpu_plan::part(std::int64_t most_bytes) const {
  auto plan = *this;
  auto const pages_of = [](std::int64_t runs, std::int64_t run) { return runs * (1 + run / kPage); };
  auto const read = load.dense ? pages_of(1, tile.bytes()) : tile.batch * pages_of(tile.rows, tile.row_bytes());
  auto const written = store.dense ? pages_of(1, tile.bytes()) : pages_of(tile.columns, tile.rows * store.row_step);
  auto most = std::max<std::int64_t>(1, std::min(most_bytes / tile.bytes(), most_bytes / kCacheLine / (read + written)));
  for (auto k = int(plan.loops.size()); k-- > 0;) {
    auto& count = plan.loops[std::size_t(k)].count;
    auto const last_of = [&](tile_cut& cut, std::int64_t full) {
      if (cut.loop == k && most < count) cut.last = full;
    };
    last_of(plan.tile.cut_unit, tile.unit), last_of(plan.tile.cut_batch, tile.batch);
    last_of(plan.tile.cut_rows, tile.rows), last_of(plan.tile.cut_columns, tile.columns);
    count = std::min(count, most);
    most /= count;
  }
  plan.bytes = std::min(bytes, plan.tasks() * tile.bytes());
  return plan;
}

namespace {

cpu_tiling plan_tiles(problem const& p, cpu_tile_hint hint, std::int64_t tile) {
  hint.tile = tile;
  return plan_tiles(p, hint);
}

/// The plan of tiles that may have an image. Their size follows from their shape.
cpu_tiling plan_with_image(problem const& p, cpu_tile_hint hint) {
  auto const bytes = bytes_of(p);
  if (bytes > hint.streamed_above && bytes <= hint.near) hint.columns /= 2;
  // In the caches, tiles are as small as many threads need them.
  auto const& limits = hint.limits;
  if (limits.cached_parts > 1 && bytes <= hint.streamed_above && bytes / 2 >= limits.threads.share) {
    hint.tile = std::max(2 * kCacheLine, hint.tile / limits.cached_parts);
    hint.columns = std::min(hint.columns, std::max<std::int64_t>(1, hint.tile / limits.cached_column));
  }
  auto const tile = plan_tiles(p, hint);
  auto const& plan = tile.plan;
  if (suits_squares(plan)) return plan_tiles(p, hint, 4 * hint.tile);  // large, because squares overlap at the edges of tiles
  // the image of many columns of a few bytes has a cache line for each of them
  auto const image = tile.image_bytes();
  if (image > 4 * std::max(hint.tile, plan.tile.rows * plan.tile.row_bytes()) && plan.tile.columns > 1)
    return plan_tiles(p, hint, std::max(plan.tile.column_bytes(), hint.tile * hint.tile / image));
  // contiguous rows of the source may be short: an image that fits the level 1 cache is then enough, with runs of 256 bytes
  auto const small = std::max(plan.store.streams ? hint.dense : level1_tile(hint), plan.tile.columns * 4 * kCacheLine);
  std::int64_t const most = plan.store.streams ? 16 : 8;  // bytes; in the caches, few rows of 16-byte units gain nothing
  if (!plan.load.dense || plan.tile.columns == 1 || plan.tile.unit > most || small >= hint.tile) return tile;
  return plan_tiles(p, hint, small);
}

/// True if this many bytes are a multiple of a page, or nearly.
bool is_about_pages(std::int64_t bytes) {
  auto const over = std::abs(bytes) % kPage;
  return std::min(over, kPage - over) < kCacheLine / 4;
}

/// The hint for a problem: that for small elements, unless several stay together or rows are whole pages apart.
cpu_tile_hint hint_for(problem const& p, cpu_tile_hint hint) {
  constexpr std::int64_t kSmall = 2, kLarge = 64 << 20;
  auto const size = shared_element_size(p);
  if (hint.small_tile == 0 || size > kSmall || bytes_of(p) < kLarge) return hint;
  auto const first = std::ranges::find(p.modes, 1, &mode::destination_stride);
  if (first == p.modes.end() || first->source_stride == 1) return hint;
  if (first->source_stride * size % kPage == 0) return hint;
  hint.tile = hint.small_tile, hint.columns /= 2, hint.run = hint.tile / hint.columns;
  return hint;
}

/// The plan of tiles without an image; nothing if every strategy for them has an image.
std::optional<cpu_plan> plan_direct(problem const& p, cpu_tile_hint const& hint) {
  auto const& limits = hint.limits;
  auto const as = [](cpu_tiling tile, cpu_strategy strategy) {
    tile.plan.strategy = strategy;
    return tile.with_tables();
  };
  auto const tile = plan_tiles(p, hint);
  auto const& plan = tile.plan;
  if (!plan.store.streams || plan.store.row_step != plan.tile.unit || plan.tile.columns == 1) return {};
  if (plan.tile.unit >= kCacheLine) {
    if (plan.load.is_apart()) return {};
    if (plan.tile.unit >= limits.long_unit || (plan.tile.unit % kCacheLine == 0 && plan.store.alignment == kCacheLine))
      return as(tile, cpu_strategy::copy_nt);
    return {};
  }
  // fields are (de)interleaved by vectors of whole cache lines
  if (!is_element(plan.tile.unit) || (!limits.line_vectors && plan.tile.row_bytes() < kCacheLine)) return {};
  bool const may_be_field = limits.line_vectors && plan.tile.unit < cpu_shuffle::kBytes;
  if (may_be_field && plan.store.dense && are_fields(plan.tile.rows, hint.fields) && plan.tile.columns >= 4 * kCacheLine)
    return as(tile, cpu_strategy::interleave_nt);

  // Rows whose distance is a multiple of a page share sets of the caches, and the sets cannot hold many prefetched rows.
  auto const row_step = tile.rows.empty() ? 1 : tile.rows.front().source;
  // 128 rows at once have twice the lines, and shorter vectors transpose bytes in as many instructions by an image
  if (plan.tile.unit == 1 && (!limits.line_vectors || row_step % (limits.same_sets / 2) == 0)) return {};
  bool const in_pages = plan.tile.unit <= 2 ? is_about_pages(row_step) : row_step % limits.same_sets == 0;
  auto const tall = [&](std::int64_t bytes) {
    auto other = hint;
    other.tile = bytes, other.row = limits.direct_row, other.run = 0;
    other.columns = limits.direct_columns * (in_pages || plan.tile.unit > 4 ? 2 : 1);
    return plan_tiles(p, other);
  };
  auto tall_tile = tall(std::clamp(plan.bytes / 16, hint.tile, std::max(hint.tile, limits.direct_tile)));
  if (auto const most = limits.direct_rows; tall_tile.plan.tile.rows > most)
    tall_tile = tall(tall_tile.plan.tile.row_bytes() * most);
  // Columns that end with the tile write a part of a line on either side, so short ones take the next mode, too.
  auto const ends_short = [&](cpu_plan const& each) {
    return each.tile.cut_rows.loop < 0 && each.tile.column_bytes() < limits.short_column;
  };
  if (ends_short(tall_tile.plan)) tall_tile = tall(4 * tall_tile.plan.tile.column_bytes() * limits.direct_columns);
  auto& squares = tall_tile.plan;
  // An image of adjacent columns is written as one run, wherever lines begin.
  if (squares.store.dense && squares.store.alignment < kCacheLine && ends_short(squares)) return {};
  if (squares.load.is_apart() || squares.tile.column_bytes() < 4 * kCacheLine) return {};
  squares.store.dense = false;  // an image has a few rows at a time
  squares.load.prefetch_distance = in_pages ? 4 * kCacheLine : 0;
  if (squares.tile.row_bytes() >= kCacheLine) return as(tall_tile, cpu_strategy::transpose_nt);
  bool const starts_anywhere = squares.tile.columns > 4;
  if (may_be_field && squares.load.dense && are_fields(squares.tile.columns, hint.fields) &&
      (starts_anywhere || squares.store.alignment == kCacheLine))
    return as(tall_tile, cpu_strategy::deinterleave_nt);
  return {};
}

}  // namespace

cpu_plan plan_cpu(problem const& p, cpu_tile_hint const& usual) {
  refuse_beyond(p, kCpuAddressBits, "a CPU");
  auto const hint = hint_for(p, usual);
  if (hint.direct)
    if (auto plan = plan_direct(p, hint)) return *std::move(plan);
  auto with_image = hint;
  with_image.direct = false;
  auto const tile = plan_with_image(p, with_image);
  auto plan = tile.with_tables();
  plan.shuffle = shuffle_of(plan, tile.rows, tile.batch, hint.fields);
  plan.shuffle.within_pages = !is_connected(p);
  plan.strategy = strategy_of(plan, tile.may_stage);
  return plan;
}

std::optional<cpu_plan> plan_cpu_changing(problem const& p, cpu_tile_hint const& hint) {
  refuse_beyond(p, kCpuAddressBits, "a CPU");
  auto const& operation = p.operation.value();
  bool const reads = operation.beta != 0.0;
  bool const may_read = element::visit_pair_of(element::transposed_pairs{}, operation, [](auto) {});
  if (!hint.direct || (reads && !may_read) || is_affine(operation)) return {};
  auto const [source_size, destination_size] = p.element_size;
  auto as_bits = p;
  as_bits.element_size = destination_size, as_bits.operation.reset();
  auto plan = plan_direct(as_bits, hint);
  // Elements change one by one, so a unit must be a single element.
  if (!plan || plan->strategy != cpu_strategy::transpose_nt || plan->tile.unit != destination_size) return {};
  if (reads && plan->tile.columns * source_size < kCacheLine) return {};
  auto const scale = [&](std::int64_t& bytes) {
    assert(bytes % destination_size == 0);
    bytes = bytes / destination_size * source_size;
  };
  for (auto& each : plan->loops) scale(each.source);
  auto& tables = plan->tables;
  for (auto* const table : {&tables.row_source, &tables.batch_source, &tables.column_source, &tables.run_source})
    for (auto& each : *table) scale(each);
  auto& load = plan->load;
  for (auto* const each : {&load.offset, &load.begin, &load.end, &load.row_step, &load.run, &load.last}) scale(*each);
  plan->change = cpu_change{*p.operation, source_size};
  return plan;
}

std::string describe(cpu_plan const& plan) {
  return fmt::format("{} in tiles of {}{} x {} units of {}{}{}", name_of(plan.strategy),
                     plan.tile.batch > 1 ? fmt::format("{} x ", plan.tile.batch) : "", plan.tile.rows, plan.tile.columns,
                     count_text(plan.tile.unit, "byte"), plan.is_along_source() ? ", along the source" : "",
                     plan.store.streams ? ", with non-temporal stores" : "");
}

}  // namespace cornerturn
