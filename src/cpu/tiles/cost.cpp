#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "base/round.hpp"
#include "cpu/tiles/strategy.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn {
namespace {

/// The bytes of the cache lines that hold `units` units which are `distance` bytes apart.
double line_bytes(double units, std::int64_t unit, std::int64_t distance) {
  return units * double(std::clamp(distance, unit, std::max(unit, kCacheLine)));
}

/// The bytes of the source's cache lines. Gaps of less than a line between units are read, too. They are at most those of the
/// source's range, because units may repeat or fill the gaps of others.
double source_bytes(cpu_plan const& plan, double units, std::int64_t unit) {
  auto const step = [](std::vector<std::int64_t> const& offsets) {
    return offsets.size() > 1 ? std::abs(offsets[1] - offsets[0]) : 0;
  };
  auto const distance = plan.load.has_gaps       ? step(plan.tables.column_source)
                        : plan.tile.columns == 1 ? step(plan.tables.row_source)
                                                 : unit;
  return std::min(line_bytes(units, unit, distance), double(plan.load.end - plan.load.begin));
}

/// The instructions that transpose `bytes` bytes by squares of vectors, whose side is at most `side` bytes: a load and a store of
/// each vector, and a shuffle of it for each doubling of a unit to a vector.
double transposing(double bytes, std::int64_t unit, std::int64_t side) {
  double const vector = double(std::bit_floor(std::uint64_t(std::clamp(side, unit, kCacheLine))));
  return bytes / vector * (2 + std::log2(vector / double(unit)));
}

/// The instructions that copy units one by one.
double copying(double units, std::int64_t unit) { return units * 2 * double(ceil_div(unit, kVectorBlock)); }

/// The instructions of table lookups: of each piece a load, a lookup and a union, and a store of each block.
double looking_up(cpu_shuffle const& shuffle, double units) {
  double each = 0;
  for (auto const& block : shuffle.blocks) each += 3 * double(block.pieces.size()) + 1;
  return units / double(shuffle.units) * each / double(shuffle.across ? shuffle.lanes : 1);
}

double instructions_of(cpu_plan const& plan) {
  auto const& tile = plan.tile;
  auto const unit = tile.unit;
  double const bytes = double(plan.bytes), units = bytes / double(unit);
  switch (plan.strategy) {
    case cpu_strategy::copy_runs:
    case cpu_strategy::copy_nt:
      return 2 * bytes / kCacheLine;
    case cpu_strategy::copy_units:
    case cpu_strategy::copy_blocks:
      return copying(units, unit);
    case cpu_strategy::deinterleave_nt:
    case cpu_strategy::interleave_nt:
      return transposing(bytes, unit, kCacheLine);
    case cpu_strategy::shuffle:
      return looking_up(plan.shuffle, units);
    case cpu_strategy::gather:
    case cpu_strategy::transpose_cached:
    case cpu_strategy::transpose_image:
    case cpu_strategy::transpose_staged:
    case cpu_strategy::transpose_nt:
      break;
  }
  auto const columns = plan.strategy == cpu_strategy::gather ? plan.load.adjacent : tile.columns;
  if (!is_element(unit) || columns == 1) return copying(units, unit);
  // Two to four rows or columns are interleaved or deinterleaved by vectors along the other side.
  auto const [shorter, longer] = std::minmax({tile.rows, columns});
  return transposing(bytes, unit, (are_fields(shorter) ? longer : shorter) * unit);
}

}  // namespace

cpu_work work_of(cpu_plan const& plan) {
  auto const& tile = plan.tile;
  auto const& load = plan.load;
  auto const source_unit = plan.change ? plan.change->source_unit : tile.unit;
  double const bytes = double(plan.bytes), units = bytes / double(tile.unit);
  cpu_work result{.read = source_bytes(plan, units, source_unit),
                  .written = line_bytes(units, tile.unit, plan.store.row_step),
                  .streams = plan.store.streams && plan.strategy != cpu_strategy::copy_units,
                  .instructions = instructions_of(plan),
                  .threads = cpu::threads_for(plan)};
  auto const run = load.run ? load.run : (load.is_apart() ? load.adjacent : tile.columns) * source_unit;
  // In the caches, no run is waited for. The rate was fitted to results whose tiles had rows of at least 2 KiB there.
  result.source_runs = result.read / double(plan.store.streams ? run : std::max<std::int64_t>(run, 2 << 10));
  // The elements of `transpose_staged` also pass through its stage.
  if (plan.store.streams && has_image(plan.strategy))
    result.image_bytes = bytes * (plan.strategy == cpu_strategy::transpose_staged ? 4 : 2);
  if (plan.strategy == cpu_strategy::transpose_nt && plan.store.alignment < kCacheLine) result.joined_bytes = bytes;
  if (plan.change) {
    result.changed_bytes = units * double(source_unit + tile.unit);
    if (plan.change->operation.beta != 0.0) result.read += result.written;
  }
  return result;
}

}  // namespace cornerturn
