#include "cpu/tiles/tiling.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "cpu/sizes.hpp"
#include "cpu/tiles/strategy.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The least bytes of a tile whose units have gaps in the source. A smaller tile takes more modes, because each tile costs an
/// iteration of the loops.
constexpr std::int64_t kGathered = 256;
/// With fewer rows, a table lookup is faster than reversing the mode that runs backwards.
constexpr std::int64_t kRowsToReverse = 24;

std::vector<byte_mode> modes_of(problem const& p) {
  auto const size = shared_element_size(p);
  std::vector<byte_mode> modes;
  for (mode const& m : p.modes) modes.push_back({m.extent, m.source_stride * size, m.destination_stride * size});
  return modes;
}

/// The loops over tiles, and the extents that they cut.
class loop_nest {
 public:
  void add(tile_loop const& loop, tile_cut cpu_tile::*cut = nullptr, std::int64_t last = 0) { all_.push_back({loop, cut, last}); }

  /// Cuts a mode, which is an extent of the tile, into pieces of at most `most`. Returns the extent of a piece.
  std::int64_t cut(byte_mode const& m, std::int64_t most, tile_cut cpu_tile::*extent) {
    auto const piece = std::min(m.extent, most), count = ceil_div(m.extent, piece);
    if (count > 1) add({count, piece * m.source, piece * m.destination}, extent, m.extent - (count - 1) * piece);
    return piece;
  }

  /// Orders the loops. The loop that cuts `fastest` runs fastest: over rows, so that a tile continues the runs that the tile
  /// before has written, or over columns. Loops whose steps are short on either side come next, because they stay in the same
  /// pages.
  void append_to(cpu_plan& plan, tile_cut cpu_tile::*fastest) {
    std::ranges::stable_sort(all_, std::greater{}, [&](entry const& each) {
      return each.cut == fastest ? -1 : std::min(std::abs(each.loop.source), std::abs(each.loop.destination));
    });
    for (auto const& each : all_) {
      if (each.cut) plan.tile.*each.cut = {int(plan.loops.size()), each.last};
      plan.loops.push_back(each.loop);
    }
  }

 private:
  struct entry {
    tile_loop loop;
    tile_cut cpu_tile::*cut;
    std::int64_t last;
  };
  std::vector<entry> all_;
};

/// The distance in bytes between neighbouring columns of tiles. It is a unit if a mode is contiguous in the source. Otherwise it
/// is the least source stride shorter than a cache line, among modes other than the destination's first, or else a unit.
std::int64_t column_step_of(std::vector<byte_mode> const& modes, std::int64_t unit) {
  auto step = kCacheLine;
  for (auto const& m : modes) {
    auto const distance = std::abs(m.source);
    if (distance == unit) return unit;
    if (distance > unit && distance < step && m.destination != unit) step = distance;
  }
  return step < kCacheLine ? step : unit;
}

/// Reverses the mode that runs backwards through the source in steps of `step` bytes, so that it runs backwards in the
/// destination instead and tiles have columns along it. Does nothing if rows would be too short without the mode.
void reverse_mode(cpu_plan& plan, std::vector<byte_mode>& left, std::int64_t step) {
  auto const backwards = std::ranges::find(left, -step, &byte_mode::source);
  if (backwards == left.end() || std::ranges::find(left, step, &byte_mode::source) != left.end()) return;
  auto reversed = left;
  auto& m = reversed[std::size_t(backwards - left.begin())];
  m = {m.extent, -m.source, -m.destination};
  cpu_side const rows(reversed, &byte_mode::destination, plan.tile.unit), columns(reversed, &byte_mode::source, step);
  if (!rows.starts() || rows.available(columns) < kRowsToReverse) return;
  plan.load.offset -= (m.extent - 1) * m.source;
  plan.store.offset -= (m.extent - 1) * m.destination;
  left = std::move(reversed);
}

/// Chooses the modes of both sides of a tile. A side may take a mode of the other side only after the first mode of that side.
/// Short rows that are written past the caches are not cut: where they end, lines are written in parts.
void take_sides(cpu_side& rows, cpu_side& columns, std::int64_t unit, cpu_tile_hint const& hint, bool streams) {
  auto const most = std::max<std::int64_t>(1, hint.tile / unit);
  if (!rows.starts() && unit < kCacheLine) return;  // the destination has gaps between units
  if (unit >= hint.tile / 4) return rows.take(most);
  if (!columns.starts() && unit >= kCacheLine) return rows.take(most);
  auto const small = std::max<std::int64_t>(1, level1_tile(hint) / unit);
  if (!columns.starts()) return rows.take(small, cpu_side::kStep, kGathered);
  auto const hinted = std::max<std::int64_t>(1, unit <= 4 ? hint.columns : hint.columns / 2);
  auto const most_columns = std::min({columns.available(rows), hinted, std::max(cpu_side::kStep, hint.row / unit), most});
  columns.bar(rows), rows.bar(columns, !hint.cached_source);
  auto const two_lines = 2 * kCacheLine / unit;
  auto const step = hint.direct ? std::max(cpu_side::kStep, two_lines) : cpu_side::kStep;
  auto const least = hint.direct && !hint.limits.line_vectors ? two_lines : 1;
  auto const whole = rows.available(columns);
  bool const takes_whole =
      streams && !hint.direct && is_element(unit) && whole > most / most_columns && whole * unit < hint.limits.short_column;
  rows.take(std::max({std::int64_t(1), most / most_columns, hint.run / unit, takes_whole ? whole : 1}), step, cpu_side::kAny,
            least);
  bool const are_long = hint.direct && rows.count() * unit >= 4 * kCacheLine;
  auto const fitting = most / rows.count();
  columns.take(are_long ? most_columns : std::max(takes_whole ? cpu_side::kStep : most_columns, fitting));
}

/// True if a side is short because its next mode is the first mode of the other side. A side that has all units of the problem
/// is not short.
bool are_short(cpu_side const& rows, cpu_side const& columns, std::vector<byte_mode> const& all, std::int64_t unit) {
  constexpr std::int64_t kShort = 16;
  auto const is_short = [&](cpu_side const& one, cpu_side const& other) {
    return one.count() * unit <= kShort && one.ends_at(other, all);
  };
  if (!rows.starts() || !columns.starts()) return false;
  return (is_short(rows, columns) && !is_progression(columns.modes(), &byte_mode::destination, rows.count() * unit)) ||
         (is_short(columns, rows) && !is_progression(rows.modes(), &byte_mode::source, columns.count() * unit));
}

/// The contiguous part of some modes along one side, and the other modes.
struct contiguous_run {
  std::int64_t bytes;
  std::vector<byte_mode> others;
};

contiguous_run run_of(std::vector<byte_mode> const& modes, std::int64_t byte_mode::*along, std::int64_t unit) {
  contiguous_run result{unit, modes};
  auto const next = [&] { return std::ranges::find(result.others, result.bytes, along); };
  for (auto m = next(); m != result.others.end(); m = next()) {
    result.bytes *= m->extent;
    result.others.erase(m);
  }
  return result;
}

/// Both sides of a tile, and the remaining modes, which become loops over tiles.
struct tile_sides {
  tile_sides(std::vector<byte_mode> const& modes, std::int64_t unit, std::int64_t column_step)
      : left(modes), rows(left, &byte_mode::destination, unit), columns(left, &byte_mode::source, column_step), unit_(unit) {}
  tile_sides(tile_sides const&) = delete;

  /// The modes of a full tile.
  std::vector<byte_mode> modes() const {
    auto result = rows.modes();
    result.insert(result.end(), columns.modes().begin(), columns.modes().end());
    return result;
  }
  /// True if columns are contiguous in the destination.
  bool is_dense() const {
    return !rows.is_cut() && is_progression(columns.modes(), &byte_mode::destination, rows.count() * unit_);
  }
  /// The bytes of a tile's runs on the side where they are shorter. A `dense` image is written as one run.
  std::int64_t shorter_run(bool dense) const {
    auto const written = dense ? rows.count() * columns.count() : rows.count();
    return std::min(run_of(modes(), &byte_mode::source, unit_).bytes, written * unit_);
  }

  /// True if some columns are adjacent in the source.
  bool has_groups() const { return !columns.modes().empty() && columns.modes().front().source == unit_; }

  std::vector<byte_mode> left;
  cpu_side rows, columns;

 private:
  std::int64_t unit_;
};

/// Sides that share modes: rows take the destination's first modes, and columns take the other ones of the source's first modes.
/// `run` is the fewest bytes of the runs of the destination. If `adjacent`, columns keep the source's first mode, so that some
/// columns are contiguous.
std::unique_ptr<tile_sides> shared_sides(std::vector<byte_mode> const& modes, std::int64_t unit, cpu_tile_hint const& hint,
                                         std::int64_t run, bool adjacent) {
  auto result = std::make_unique<tile_sides>(modes, unit, unit);
  auto &rows = result->rows, &columns = result->columns;
  if (adjacent) rows.bar(columns);
  rows.take(2 * run / unit, 1, run);
  columns.share(rows);
  columns.take(std::max<std::int64_t>(1, hint.tile / 2 / unit / rows.count()), 1, 2 * hint.limits.shared_run);
  return result;
}

/// The sides that share modes and have the longest runs, if the plan `prefers_runs`; otherwise the sides that share modes and
/// have long enough runs.
std::unique_ptr<tile_sides> best_shared_sides(std::vector<byte_mode> const& modes, std::int64_t unit, cpu_tile_hint const& hint,
                                              bool prefers_runs) {
  auto const most = hint.limits.shared_run, enough = most / 2;
  if (!prefers_runs) return shared_sides(modes, unit, hint, enough, false);
  std::unique_ptr<tile_sides> best;
  std::int64_t longest = 0;
  for (bool const adjacent : {true, false}) {
    for (auto const run : {most, most / 2, most / 4, 4 * most}) {
      auto sides = shared_sides(modes, unit, hint, run, adjacent);
      if (auto const length = std::min(sides->shorter_run(false), most); length > longest)
        best = std::move(sides), longest = length;
    }
    if (longest >= enough) break;
  }
  return best;
}

/// Makes the tile a row of units with gaps on both sides, because no mode is contiguous on either side.
void take_scattered_row(cpu_tiling& tile, std::vector<byte_mode>& left, loop_nest& loops) {
  auto& plan = tile.plan;
  auto const m = left.back();
  left.pop_back();
  plan.tile.rows = loops.cut(m, plan.limits.scattered_row, &cpu_tile::cut_rows);
  plan.store.row_step = m.destination;
  plan.load.row_step = m.source;
  tile.rows = {{plan.tile.rows, m.source, m.destination}};
  plan.store.dense = plan.load.dense = false;
}

/// Joins small tiles that are contiguous in the destination to one tile.
void take_batch(cpu_tiling& tile, std::vector<byte_mode>& left, loop_nest& loops, std::int64_t most) {
  auto& plan = tile.plan;
  auto const bytes = plan.tile.bytes();
  if (bytes >= most / 4) return;
  cpu_side batch(left, &byte_mode::destination, bytes);
  batch.take(most / 2 / bytes);
  plan.tile.batch = batch.count();
  tile.batch = batch.modes();
  if (batch.is_cut()) loops.add(batch.repeated(), &cpu_tile::cut_batch, batch.last());
}

/// The columns of a group, if a group is contiguous in the destination. A column has `bytes` bytes.
std::int64_t adjacent_of(std::vector<byte_mode> const& columns, std::int64_t bytes) {
  std::int64_t result = 1;
  for (byte_mode const& m : columns) {
    if (m.extent > 1 && m.destination != result * bytes) break;
    result *= m.extent;
  }
  return result;
}

/// The alignment in bytes, at most a cache line's, of the destination of every index if the first one is aligned to a cache line.
std::int64_t alignment_of(std::vector<byte_mode> const& modes) {
  auto bits = kCacheLine;
  for (byte_mode const& m : modes)
    if (m.extent > 1) bits |= m.destination;
  return bits & -bits;
}

}  // namespace

cpu_plan cpu_tiling::with_tables() const {
  auto result = plan;
  result.tables.row_source = offsets_of(rows, &byte_mode::source);
  if (plan.load.is_apart()) result.tables.column_source = offsets_of(columns, &byte_mode::source);
  // a dense image is written as a whole, and units that are shorter than a block are never copied without an image.
  if (!plan.store.dense || plan.tile.unit >= cpu_shuffle::kBytes)
    result.tables.column_destination = offsets_of(columns, &byte_mode::destination);
  if (plan.load.run) result.tables.run_source = offsets_of(runs, &byte_mode::source);
  result.tables.batch_source = offsets_of(batch, &byte_mode::source);
  return result;
}

bool is_connected(problem const& p) {
  auto modes = modes_of(p);
  std::ranges::sort(modes, {}, [](byte_mode const& m) { return std::abs(m.source); });
  auto span = shared_element_size(p);
  for (auto const& m : modes) {
    if (std::abs(m.source) - span >= kPage) return false;
    span += (m.extent - 1) * std::abs(m.source);
  }
  return true;
}

cpu_tiling plan_tiles(problem const& p, cpu_tile_hint const& hint) {
  ++work_of_planning.tilings;
  cpu_tiling tile;
  auto& plan = tile.plan;
  auto& unit = plan.tile.unit;
  auto& load = plan.load;
  auto& store = plan.store;
  unit = shared_element_size(p);
  load.offset = p.source_offset * unit, load.begin = source_range(p).low, load.end = source_range(p).high;
  store.offset = p.destination_offset * unit;
  plan.bytes = bytes_of(p);
  plan.limits = hint.limits;
  auto left = modes_of(p);
  store.streams = plan.bytes > hint.streamed_above;
  loop_nest loops;

  if (!left.empty() && left.back().source == unit && left.back().destination == unit) {
    unit *= left.back().extent;
    left.pop_back();
  }
  unit = loops.cut({unit, 1, 1}, hint.tile, &cpu_tile::cut_unit);
  auto const column_step = column_step_of(left, unit);
  reverse_mode(plan, left, column_step);
  auto own = std::make_unique<tile_sides>(left, unit, column_step);
  take_sides(own->rows, own->columns, unit, hint, store.streams);
  load.has_gaps = column_step > unit && !own->columns.modes().empty();
  std::unique_ptr<tile_sides> shared;
  if (own->rows.starts() && own->columns.starts() && !load.has_gaps && is_connected(p)) {
    bool const are_too_short = are_short(own->rows, own->columns, left, unit);
    auto const run = own->shorter_run(own->is_dense());
    bool const prefers_runs = hint.prefetches && store.streams;
    bool const may_gain = prefers_runs && run < hint.limits.shared_run / 4;
    if (are_too_short || may_gain) shared = best_shared_sides(left, unit, hint, prefers_runs);
    // copying single columns pays only if runs would have less than a cache line
    if (shared && !are_too_short && (shared->shorter_run(false) < 2 * run || (run > kCacheLine && !shared->has_groups())))
      shared.reset();
  }
  load.shared_modes = shared != nullptr;
  auto& sides = shared ? *shared : *own;
  auto const &rows = sides.rows, &columns = sides.columns;
  left = sides.left;
  plan.tile.rows = rows.count();
  plan.tile.columns = columns.count();
  tile.rows = rows.modes();
  tile.columns = columns.modes();
  store.row_step = unit;
  store.alignment = alignment_of(tile.columns);
  load.adjacent = run_of(tile.columns, &byte_mode::source, unit).bytes / unit;
  for (auto const& m : sides.modes()) load.last += std::max<std::int64_t>(0, (m.extent - 1) * m.source);
  load.row_step = even_step(tile.rows, &byte_mode::source);
  store.column_step = even_step(tile.columns, &byte_mode::destination);
  store.adjacent = rows.is_cut() ? 1 : int(adjacent_of(tile.columns, plan.tile.column_bytes()));
  store.dense = !load.is_apart() && sides.is_dense();
  load.dense = !load.is_apart() && !columns.is_cut() && is_progression(tile.rows, &byte_mode::source, plan.tile.row_bytes());
  if (rows.is_cut()) loops.add(rows.repeated(), &cpu_tile::cut_rows, rows.last());
  if (columns.is_cut()) loops.add(columns.repeated(), &cpu_tile::cut_columns, columns.last());

  if (plan.tile.rows == 1 && plan.tile.columns == 1 && !left.empty() && unit < kCacheLine) take_scattered_row(tile, left, loops);
  if (!hint.direct && store.dense && !columns.is_cut() && (columns.starts() || plan.tile.column_bytes() < kGathered))
    take_batch(tile, left, loops, hint.tile);
  if ((hint.prefetches && store.streams) || load.dense) {
    auto all = sides.modes();
    all.insert(all.end(), tile.batch.begin(), tile.batch.end());
    bool const has_row_gaps = plan.tile.columns == 1 && load.row_step > unit && load.row_step < kCacheLine;
    auto run = run_of(all, &byte_mode::source, load.has_gaps ? column_step : has_row_gaps ? load.row_step : unit);
    load.run = run.bytes, tile.runs = std::move(run.others);
  }
  tile.may_stage = unit <= hint.staged && store.streams && !load.is_apart();
  for (auto const& m : left) loops.add({m.extent, m.source, m.destination});
  loops.append_to(plan, hint.along_source ? &cpu_tile::cut_columns : &cpu_tile::cut_rows);
  return tile;
}

}  // namespace cornerturn
