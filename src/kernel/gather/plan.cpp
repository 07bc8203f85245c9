#include "kernel/gather/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include "kernel/gather/cutting.hpp"
#include "kernel/gather/place_table.hpp"
#include "problem/canonical.hpp"
#include "problem/fail.hpp"
#include "problem/print.hpp"
#include "tile/digit_sum.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kUnit = 16, kSector = 32, kBankRow = 128;
/// Tiles with a halo write the destination in aligned pieces of so many bytes: a partly written sector costs more than the halo.
constexpr std::int64_t grain_of(std::int64_t size) { return size == 1 ? kUnit : kSector; }
constexpr std::int64_t kMostShared = 112 << 10;     ///< bytes of shared memory of a tile, so that two tiles fit on an SM
constexpr std::int64_t kMostRows = 2048;            ///< source or destination rows, 16 bytes of table each
constexpr std::int64_t kMostPlaces = 4400;          ///< entries of the table of places
constexpr std::int64_t kThreads = 256, kLanes = 8;  ///< per block; neighbours on one row, which write 128 bytes

/// What a tile reads and writes. Members count elements unless their comment says bytes.
struct tile_box {
  std::int64_t size, width = 1;       ///< bytes of an element; elements of a vector
  int run_cut = -1, vector_cut = -1;  ///< modes that a tile has in part, on either side; -1: none
  std::int64_t span = 1, columns = 1, lines = 1, batch = 1, vector_elements = 1;
  std::int64_t halo = 0;  ///< indices of mode `vector_cut` that a tile reads beyond its own
  std::int64_t period = 1, period_bytes = 0, places = 1;
  std::int64_t together = 1, pitch = 1, row_area = 1;  ///< columns between gaps; bytes from column to column, and of all
  bool source_aligned = false, ragged = false;
  bool along = false;  ///< the elements of a destination vector are contiguous in a source row, too

  tile_box(cutting const& cut, problem const& p, alignment const& aligned) : size(cut.size) {
    auto const on_units = [&](std::int64_t elements) { return elements * size % kUnit == 0; };
    bool const single = cut.vector_chain.empty();
    if (!single) width = kUnit / size;
    source_aligned =
        aligned.source % kUnit == 0 && on_units(p.source_offset) && std::ranges::all_of(cut.parts, [&](part const& each) {
          auto const stride = each.whole.source_stride, step = stride * std::max<std::int64_t>(each.run, 1);
          return each.run == each.whole.extent ? stride > 0 || on_units(stride) : on_units(step) && (each.run == 0 || stride > 0);
        });
    for (int i = 0; i < int(cut.parts.size()); ++i) {
      auto const& each = cut.parts[std::size_t(i)];
      batch *= each.batch;
      if (each.run) span += (each.run - 1) * std::abs(each.whole.source_stride);
      if (each.run && !each.vectors) lines *= each.run;
      if (each.vectors) vector_elements *= each.vectors, columns *= each.columns();
      if (each.run_cut()) run_cut = i;
      if (each.vector_cut()) vector_cut = i;
    }
    auto const* const fastest = single ? nullptr : &cut.parts[std::size_t(cut.vector_chain.front())];
    along = fastest && fastest->vectors && fastest->run > 1;
    std::int64_t const common = along ? fastest->run : 1;
    together = common >= width || width % common ? 1 : width / common;

    ragged = !single && cut.ragged(aligned, width, p.destination_offset, vector_elements, vector_cut);
    find_period(cut);

    // With a halo, each destination row of a tile ends with a whole vector.
    auto const part = vector_cut < 0 ? 1 : cut.parts[std::size_t(vector_cut)].vectors;
    if (ragged && vector_cut >= 0 && !cut.parts[std::size_t(vector_cut)].run && cut.parts[std::size_t(vector_cut)].left() > 1) {
      halo = ceil_div(grain_of(size) / size - 1, vector_elements / part);
      columns = columns / part * (part + halo);
    }
    auto const row_bytes = round_up(span * size, kUnit) + (source_aligned ? 0 : 2 * kUnit);
    pitch = columns > 1 ? round_up(row_bytes, std::max(kUnit, kBankRow / together)) : row_bytes;
    row_area = columns * pitch + ceil_div(columns, together) * kUnit;
    auto const elements = vector_elements + halo * vector_elements / part;
    places = round_up((period_bytes ? std::min(period + width, elements) : elements) + 2 * table().before(), 4);
  }

  /// If the vectors' slowest mode is contiguous in a source row, the table of places repeats from one index of it to the next. A
  /// period has as many indices as it takes to begin with a whole vector again.
  void find_period(cutting const& cut) {
    int const last = cut.slowest(cut.vector_chain, &part::vectors);
    if (last < 0) return;
    auto const& slowest = cut.parts[std::size_t(last)];
    if (slowest.run != slowest.vectors) return;
    auto const each = vector_elements / slowest.vectors, indices = ragged ? 1 : width / std::gcd(width, each);
    if (indices >= slowest.vectors) return;
    period = each * indices;
    period_bytes = slowest.whole.source_stride * size * indices;
  }

  tile::place_table_form table() const { return {int(width), ragged}; }
  std::int64_t places_bytes() const { return round_up(table().copies * table().pitch(int(places)), kUnit); }

  bool fits() const {
    auto const rows = (columns + lines) * batch;
    return columns * batch <= kMostRows && lines * batch <= kMostRows && places <= kMostPlaces &&
           table().reaches(row_area * batch + span * size + 2 * kUnit) &&
           row_area * batch + kUnit * rows + places_bytes() + gather_job::kHeadBytes <= kMostShared;
  }
};

/// Cuts tiles near a hint that fit into shared memory.
tile_box cut_tiles(cutting& cut, problem const& p, alignment const& aligned, tile_hint const& hint) {
  auto const elements = [&](std::int64_t bytes) { return std::max<std::int64_t>(1, bytes / cut.size); };
  auto run = elements(hint.run), vectors = elements(hint.vectors), all = elements(hint.tile);
  for (;;) {
    cut.take(run, vectors, all);
    tile_box const box(cut, p, aligned);
    if (box.fits()) return box;
    if (box.batch > 1)
      all = std::min(all, cut.elements()) / 2;
    else
      (run >= vectors ? run : vectors) /= 2;
  }
}

/// Fills in which modes a tile has in part, and how far its rows reach.
void write_extents(gather_job& job, cutting const& cut, tile_box& box) {
  auto const part_of = [&](int i) -> part const& { return cut.parts[std::size_t(i)]; };
  job.vector_elements = int(box.vector_elements);
  job.halo = int(box.halo);
  if (box.run_cut >= 0) {
    auto const& each = part_of(box.run_cut);
    job.run_part = int(each.run);
    job.run_step = int(each.whole.source_stride * box.size);
    job.run_reach = int(each.tile());
  }
  if (box.vector_cut >= 0) {
    job.vector_part = int(part_of(box.vector_cut).vectors);
    job.vector_reach = int(part_of(box.vector_cut).tile() + box.halo);
  }
  job.vector_rest = job.vector_elements / job.vector_part;
  job.run_rest = int(box.size);
  std::int64_t lines_before = 0, vectors_before = 0;
  for (int i = 0; i < int(cut.parts.size()); ++i) {
    auto const& each = part_of(i);
    if (!each.run) continue;
    auto const reach = (each.run - 1) * each.whole.source_stride * box.size;
    if (reach < 0) (each.vectors ? vectors_before : lines_before) -= reach;
    if (i == box.run_cut) continue;
    job.run_rest += int(std::abs(reach));
    job.run_low += int(std::min<std::int64_t>(reach, 0));
  }
  job.lines_origin = int(round_up(lines_before, kUnit));
  job.vectors_origin = int(round_up(vectors_before, kUnit));
  // A side on which no mode is cut can hold a mode of the batch whose last part is smaller.
  for (int i = 0; i < int(cut.parts.size()); ++i) {
    auto const& each = part_of(i);
    if (each.batch == 1 || each.run_cut() || each.vector_cut() || each.divides()) continue;
    bool const vectors = box.vector_cut < 0;
    (vectors ? box.vector_cut : box.run_cut) = i;
    (vectors ? job.vector_reach : job.run_reach) = int(each.tile());
  }
  if (box.run_cut >= 0) job.run_extent = part_of(box.run_cut).whole.extent;
  if (box.vector_cut >= 0) job.vector_extent = part_of(box.vector_cut).whole.extent;
}

/// Fills in the radix digits of a block's index and of its rows. Returns true if offsets within a tile need 64 bits.
bool write_digits(gather_job& job, cutting const& cut, tile_box const& box) {
  std::int64_t tiles = 1;
  for (auto const& each : cut.parts) tiles *= each.left();
  if (tiles > std::numeric_limits<int>::max()) refuse("the array's number of tiles", tiles, "at most 2^31 - 1 on a GPU");
  job.tiles = int(tiles);
  std::size_t digits = 0;
  std::int64_t low = 0, high = 0, furthest = (box.vector_elements + box.halo * job.vector_rest) * box.size;
  auto const add = [&](int i, std::int64_t radix, std::int64_t step, digit each) {
    if (radix == 1) return;
    each.radix = fast_divmod(int(radix));
    if (i == box.run_cut) each.of_run = int(step);
    if (i == box.vector_cut) each.of_vectors = int(step);
    job.digits.at(digits++) = each;
  };
  auto const list = [&](digit_range& range, std::vector<int> const& order, auto const& each) {
    range.begin = int(digits);
    for (int const i : order) each(i, cut.parts[std::size_t(i)]);
    range.end = int(digits);
  };
  auto const source_step = [&](part const& each, std::int64_t step) { return step * each.whole.source_stride * box.size; };
  auto const destination_step = [&](part const& each, std::int64_t step) {
    return step * each.whole.destination_stride * box.size;
  };

  list(job.outer, cut.by_destination, [&](int i, part const& each) {
    add(i, each.left(), each.tile(),
        {.source = source_step(each, each.tile()), .destination = destination_step(each, each.tile())});
  });
  std::int64_t at = box.row_area;
  list(job.batch, cut.by_destination, [&](int i, part const& each) {
    add(i, each.batch, each.inner(),
        {.at = int(at), .source = source_step(each, each.inner()), .destination = destination_step(each, each.inner())});
    at *= each.batch;
  });
  std::int64_t column = 1;
  list(job.columns, cut.vector_chain, [&](int i, part const& each) {
    if (!each.vectors) return;
    auto const run = std::max<std::int64_t>(each.run, 1), count = each.columns() + (i == box.vector_cut ? box.halo : 0);
    add(i, count, run, {.at = int(column * box.pitch), .source = source_step(each, run)});
    column *= count;
  });
  list(job.lines, box.size <= 2 ? cut.run_chain : cut.by_destination, [&](int i, part const& each) {
    if (each.run && !each.vectors)
      add(i, each.run, 1, {.at = int(source_step(each, 1)), .destination = destination_step(each, 1)});
  });
  column = 1;
  list(job.vectors, cut.vector_chain, [&](int i, part const& each) {
    if (!each.vectors) return;
    if (each.run) add(i, each.run, 1, {.at = int(source_step(each, 1))});
    auto const run = std::max<std::int64_t>(each.run, 1);
    add(i, each.columns() + (i == box.vector_cut ? box.halo : 0), run,
        {.at = int(column * box.pitch), .source = source_step(each, run), .destination = column});
    column *= each.columns();
  });
  for (auto const& each : cut.parts) {
    auto const reach = source_step(each, each.tile() - 1 + (each.vector_cut() ? box.halo : 0));
    (reach < 0 ? low : high) += reach;
    furthest += destination_step(each, each.tile() - 1);
  }
  job.tile_low = low - kUnit;
  job.tile_high = high + box.size + kUnit;
  return std::max(furthest, job.tile_high - job.tile_low) >= std::int64_t(1) << 31;
}

/// How neighbouring threads write one destination row: `lanes` threads write a vector each, `turns` times. The first turn begins
/// `address & mask` bytes before the row, so that every later turn begins with a sector or a line.
struct row_lanes {
  std::int64_t lanes, turns, mask;
};

/// A row is written in one turn, or in turns of whole sectors: a sector that two turns write costs twice. If rows begin
/// unaligned, each turn of a long row is as long as its lanes are wide. More than eight lanes on one row have bank
/// conflicts.
template <class Begins>
row_lanes lanes_for(std::int64_t vectors, std::int64_t size, bool ragged, int lanes_hint, Begins const& rows_begin_on) {
  constexpr std::int64_t kWholeRow = 12;
  if (lanes_hint > 0) {
    std::int64_t const lanes = std::min<std::int64_t>(lanes_hint, vectors),
                       piece = kUnit * (ragged && vectors >= 2 * lanes ? lanes : 2),
                       mask = lanes == vectors || rows_begin_on(kUnit * lanes) ? 0 : piece - kUnit;
    return {lanes, ceil_div(vectors + mask / kUnit, lanes), mask};
  }
  if (vectors <= kWholeRow) return {vectors, 1, 0};
  if (ragged && vectors >= 2 * kLanes) return {kLanes, ceil_div(vectors + kLanes - 1, kLanes), kBankRow - kUnit};
  bool const is_dear = size == 1 && vectors % kLanes == 0;  // one more turn is too much: bytes are limited by instructions
  std::int64_t const mask = is_dear || rows_begin_on(kSector) ? 0 : kSector - kUnit;
  auto const with = [&](std::int64_t lanes) { return row_lanes{lanes, ceil_div(vectors + mask / kUnit, lanes), mask}; };
  auto const cost = [&](row_lanes const& each) { return double(each.turns) / double(kThreads / each.lanes); };
  row_lanes best = with(kLanes);
  for (std::int64_t const lanes : {std::int64_t(6), std::int64_t(10)})
    if (auto const other = with(lanes); cost(other) < 0.9 * cost(best)) best = other;
  return best;
}

/// True if the destination rows of all tiles begin at the same offset modulo `bytes`.
bool rows_begin_on(gather_job const& job, std::int64_t bytes) {
  return std::ranges::all_of(job.digits | std::views::take(job.lines.end),
                             [&](digit const& each) { return each.destination % bytes == 0; });
}

/// Fills in which thread loads and stores what.
void write_lanes(gather_job& job, cutting const& cut, tile_box const& box, int lanes_hint) {
  job.source_rows = int(box.columns * box.batch);
  job.destination_rows = int(box.lines * box.batch);
  job.columns_per_batch = fast_divmod(int(box.columns));
  job.lines_per_batch = fast_divmod(int(box.lines));
  job.loads = fast_divmod(int(ceil_div(box.span * box.size + (box.source_aligned ? 0 : kUnit - box.size), kUnit)));
  constexpr std::int64_t kLongRow = 128;
  job.by_rows = job.loads.divisor * kUnit >= kLongRow && job.source_rows <= kThreads;
  auto const vector = box.width * box.size, grain = box.halo ? grain_of(box.size) : vector;
  job.log_grain = std::countr_zero(unsigned(grain));
  auto const each = lanes_for(round_up(box.vector_elements * box.size, grain) / vector, box.size, box.ragged, lanes_hint,
                              [&](std::int64_t bytes) { return box.ragged ? grain % bytes == 0 : rows_begin_on(job, bytes); });
  job.line_mask = int(each.mask);
  job.lanes = fast_divmod(int(each.lanes));
  job.stands = int(kThreads / each.lanes);
  job.stores = int(each.turns);
  job.rows = fast_divmod(job.destination_rows);
  // The bytes of a vector lie in one source row. Neighbouring destination rows that begin side by side already share words.
  if (box.size == 1 && box.along) {
    auto const& first = cut.parts[std::size_t(cut.run_chain.front())];
    if (first.vectors || std::abs(first.whole.source_stride) != 1) job.swaps = 3;
  }
}

/// Fills in the offsets of the tables in a block's shared memory.
void write_shared(gather_job& job, tile_box const& box) {
  job.log_together = std::countr_zero(unsigned(box.together));
  job.places = int(box.places);
  job.places_pitch = box.table().pitch(job.places);
  if (box.period_bytes) {
    job.period = fast_divmod(int(box.period));
    job.period_bytes = int(box.period_bytes);
  }
  auto const tile_bytes = round_up(box.batch * box.row_area + job.lines_origin + job.vectors_origin, kUnit);
  job.head_at = int(tile_bytes);
  job.rows_at = job.head_at + gather_job::kHeadBytes;
  job.places_at = int(job.rows_at + kUnit * (job.source_rows + job.destination_rows));
  job.shared_bytes = int(job.places_at + box.places_bytes());
}

}  // namespace

problem refit_elements(problem const& given, alignment const& aligned) {
  problem p = given;
  auto size = shared_element_size(given);
  auto const least = std::min<std::int64_t>(aligned.source, aligned.destination);
  if (least < size) {
    auto const factor = size / least;
    for (auto& each : p.modes) each.source_stride *= factor, each.destination_stride *= factor;
    p.modes.push_back({factor, 1, 1});
    p.element_size = least;
    p.source_offset *= factor;
    p.destination_offset *= factor;
    return canonical(p);
  }
  auto const is_run = [](mode const& m) { return m.source_stride == 1 && m.destination_stride == 1; };
  auto const doubles = [&] {
    auto const even = [&](mode const& m) {
      return is_run(m) ? m.extent % 2 == 0 : m.source_stride % 2 == 0 && m.destination_stride % 2 == 0;
    };
    return 2 * size <= std::min<std::int64_t>(16, least) && p.source_offset % 2 == 0 && p.destination_offset % 2 == 0 &&
           std::ranges::any_of(p.modes, is_run) && std::ranges::all_of(p.modes, even);
  };
  while (doubles()) {
    for (auto& each : p.modes)
      if (is_run(each))
        each.extent /= 2;
      else
        each.source_stride /= 2, each.destination_stride /= 2;
    size *= 2;
    p.source_offset /= 2;
    p.destination_offset /= 2;
  }
  p.element_size = size;
  return p == given ? p : canonical(p);
}

gather_plan plan_gather(problem const& p, alignment const& aligned, tile_hint const& hint) {
  cutting cut(p);
  auto box = cut_tiles(cut, p, aligned, hint);
  gather_plan plan{};
  auto const size = shared_element_size(p);
  plan.element_size = int(size);
  plan.source_offset = p.source_offset;
  plan.destination_offset = p.destination_offset;
  plan.form.single = box.width == 1;
  plan.form.ragged = box.ragged;
  write_extents(plan.job, cut, box);
  plan.form.wide = write_digits(plan.job, cut, box);
  write_lanes(plan.job, cut, box, hint.lanes);
  write_shared(plan.job, box);
  for (auto const& each : p.modes)
    (each.source_stride < 0 ? plan.job.source_low : plan.job.source_high) +=
        (each.extent - 1) * each.source_stride * size;
  plan.job.source_high += size;
  return plan;
}

std::string_view name_of(gather_plan const&) { return gather_family::name; }
std::string_view idea_of(gather_plan const&) {
  return "any permutation: source rows are fetched as they lie, destination vectors gathered from shared memory";
}

std::string describe(gather_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("gather of {}: {} of {} bytes, {} of {} bytes{}, {}, {} bytes of shared memory",
                     count_text(job.tiles, "tile"), count_text(job.source_rows, "source row"),
                     (job.run_part - 1) * std::abs(job.run_step) + job.run_rest,
                     count_text(job.destination_rows, "destination row"), job.vector_elements * plan.element_size,
                     plan.form.ragged ? ", ragged" : "", count_text(job.lanes.divisor, "lane"), job.shared_bytes);
}

}  // namespace cornerturn
