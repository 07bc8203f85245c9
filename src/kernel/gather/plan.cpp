#include "kernel/gather/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <ranges>

#include "base/refuse.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "kernel/gather/offset_table.hpp"
#include "kernel/gather/tiling.hpp"
#include "kernel/source_range.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// Bytes of the aligned pieces in which tiles with a halo write the destination. Partly written sectors would cost more.
constexpr std::int64_t granule_of(std::int64_t size) { return size == 1 ? kUnitBytes : kSectorBytes; }
constexpr std::int64_t kMostShared = 112 << 10;  ///< bytes of shared memory per tile, so that two tiles fit on an SM of an H200
constexpr std::int64_t kMostRows = 2048;         ///< source or destination rows of a tile, each with 16 bytes of table
constexpr std::int64_t kMostEntries = 4400;      ///< entries of the offset table
constexpr std::int64_t kThreads = kGatherThreads;
constexpr std::int64_t kLanes = 8;  ///< neighbouring threads that write one row, 128 bytes at a time

/// The extents of a tile. Members count elements unless their comment says otherwise.
struct tile_box {
  std::int64_t size;                                              ///< bytes of an element
  std::int64_t width = 1;                                         ///< elements of a vector
  int run_cut = -1, vector_cut = -1;                              ///< index of each side's cut mode; -1 if there is none
  std::int64_t span = 1, vector_elements = 1;                     ///< extent of a source row with its gaps; of a destination row
  std::int64_t source_rows = 1, destination_rows = 1, batch = 1;  ///< rows per index of the batch; indices of the batch
  std::int64_t halo = 0;                                   ///< indices of mode `vector_cut` that a tile reads beyond its own
  std::int64_t period = 1, period_bytes = 0, entries = 1;  ///< members of `gather_job::table_phase`
  std::int64_t gap_rows = 1;                               ///< source rows between gaps in shared memory
  std::int64_t pitch = 1, batch_bytes = 1;                 ///< bytes of shared memory per source row and per index of the batch
  bool source_aligned = false;                             ///< every source row begins with a 16-byte unit
  bool ragged = false;                                     ///< a destination row may begin or end within a vector
  bool vectors_in_row = false;                             ///< the elements of a vector are also contiguous in a source row

  tile_box(gather_tiling const& tiling, problem const& p, alignment const& aligned) : size(tiling.size) {
    auto const on_units = [&](std::int64_t elements) { return elements * size % kUnitBytes == 0; };
    bool const single = tiling.vector_chain.empty();
    if (!single) width = kUnitBytes / size;
    source_aligned =
        aligned.source % kUnitBytes == 0 && on_units(p.source_offset) &&
        std::ranges::all_of(tiling.modes, [&](tiled_mode const& each) {
          auto const stride = each.whole.source_stride, step = stride * std::max<std::int64_t>(each.run, 1);
          return each.run == each.whole.extent ? stride > 0 || on_units(stride) : on_units(step) && (each.run == 0 || stride > 0);
        });
    for (int i = 0; i < int(tiling.modes.size()); ++i) {
      auto const& each = tiling.modes[std::size_t(i)];
      batch *= each.batch;
      if (each.run) span += (each.run - 1) * std::abs(each.whole.source_stride);
      if (each.run && !each.vectors) destination_rows *= each.run;
      if (each.vectors) vector_elements *= each.vectors, source_rows *= each.source_rows();
      if (each.run_cut()) run_cut = i;
      if (each.vector_cut()) vector_cut = i;
    }
    auto const* const fastest = single ? nullptr : &tiling.modes[std::size_t(tiling.vector_chain.front())];
    vectors_in_row = fastest && fastest->vectors && fastest->run > 1;
    std::int64_t const common = vectors_in_row ? fastest->run : 1;
    gap_rows = common >= width || width % common ? 1 : width / common;

    ragged = !single && tiling.ragged(aligned, width, p.destination_offset, vector_elements, vector_cut);
    find_period(tiling);

    // With a halo, each destination row of a tile ends with a whole vector.
    auto const* const cut = vector_cut < 0 ? nullptr : &tiling.modes[std::size_t(vector_cut)];
    auto const part = cut ? cut->vectors : 1;
    if (ragged && cut && !cut->run && cut->tiles() > 1) {
      halo = ceil_div(granule_of(size) / size - 1, vector_elements / part);
      source_rows = source_rows / part * (part + halo);
    }
    auto const row_bytes = round_up(span * size, kUnitBytes) + (source_aligned ? 0 : 2 * kUnitBytes);
    pitch = source_rows > 1 ? round_up(row_bytes, std::max<std::int64_t>(kUnitBytes, kWavefrontBytes / gap_rows)) : row_bytes;
    batch_bytes = source_rows * pitch + ceil_div(source_rows, gap_rows) * kUnitBytes;
    auto const elements = vector_elements + halo * vector_elements / part;
    entries = round_up((period_bytes ? std::min(period + width, elements) : elements) + 2 * table().before(), 4);
  }

  /// If the vectors' slowest mode is contiguous in a source row, the offset table repeats from one index of it to the next. A
  /// period has enough indices to begin with a whole vector again.
  void find_period(gather_tiling const& tiling) {
    int const last = tiling.slowest(tiling.vector_chain, &tiled_mode::vectors);
    if (last < 0) return;
    auto const& slowest = tiling.modes[std::size_t(last)];
    if (slowest.run != slowest.vectors) return;
    auto const each = vector_elements / slowest.vectors, indices = ragged ? 1 : width / std::gcd(width, each);
    if (indices >= slowest.vectors) return;
    period = each * indices;
    period_bytes = slowest.whole.source_stride * size * indices;
  }

  tile::offset_table_form table() const { return {int(width), ragged}; }
  std::int64_t table_bytes() const { return round_up(table().copies * table().copy_bytes(int(entries)), kUnitBytes); }

  /// True if the tile fits into `most_shared` bytes of shared memory, and the kernel's tables can address all elements.
  bool fits(std::int64_t most_shared) const {
    auto const rows = (source_rows + destination_rows) * batch;
    return source_rows * batch <= kMostRows && destination_rows * batch <= kMostRows && entries <= kMostEntries &&
           table().reaches(batch_bytes * batch + span * size + 2 * kUnitBytes) &&
           batch_bytes * batch + kUnitBytes * rows + table_bytes() + gather_job::kHeadBytes <= most_shared;
  }
};

/// Chooses tiles near a hint that fit into shared memory.
tile_box choose_tiles(gather_tiling& tiling, problem const& p, alignment const& aligned, tile_hint const& hint,
                      std::int64_t most_shared) {
  auto const elements = [&](std::int64_t bytes) { return std::max<std::int64_t>(1, bytes / tiling.size); };
  auto run = elements(hint.run), vectors = elements(hint.vectors), all = elements(hint.tile);
  for (;;) {
    tiling.choose(run, vectors, all);
    tile_box const box(tiling, p, aligned);
    if (box.fits(most_shared)) return box;
    if (box.batch > 1)
      all = std::min(all, tiling.tile_elements()) / 2;
    else
      (run >= vectors ? run : vectors) /= 2;
  }
}

/// Fills in the cut modes and the extents of rows.
void write_extents(gather_job& job, gather_tiling const& tiling, tile_box& box) {
  auto const mode_at = [&](int i) -> tiled_mode const& { return tiling.modes[std::size_t(i)]; };
  auto &load = job.load.cut, &store = job.store.cut;
  job.store.elements = int(box.vector_elements);
  job.store.halo = int(box.halo);
  if (box.run_cut >= 0) {
    auto const& each = mode_at(box.run_cut);
    load.row_indices = int(each.run);
    load.tile_indices = int(each.tile());
    job.load.cut_step = int(each.whole.source_stride * box.size);
  }
  if (box.vector_cut >= 0) {
    store.row_indices = int(mode_at(box.vector_cut).vectors);
    store.tile_indices = int(mode_at(box.vector_cut).tile() + box.halo);
  }
  job.store.elements_per_index = job.store.elements / store.row_indices;
  job.load.uncut_span = int(box.size);
  std::int64_t rows_before = 0, elements_before = 0;
  for (int i = 0; i < int(tiling.modes.size()); ++i) {
    auto const& each = mode_at(i);
    if (!each.run) continue;
    auto const reach = (each.run - 1) * each.whole.source_stride * box.size;
    if (reach < 0) (each.vectors ? elements_before : rows_before) -= reach;
    if (i == box.run_cut) continue;
    job.load.uncut_span += int(std::abs(reach));
    job.load.uncut_low += int(std::min<std::int64_t>(reach, 0));
  }
  job.table.row_origin = int(round_up(rows_before, kUnitBytes));
  job.table.element_origin = int(round_up(elements_before, kUnitBytes));
  // A side without a cut mode can have a mode of the batch whose last part is smaller.
  for (int i = 0; i < int(tiling.modes.size()); ++i) {
    auto const& each = mode_at(i);
    if (each.batch == 1 || each.run_cut() || each.vector_cut() || each.divides()) continue;
    bool const on_store = box.vector_cut < 0;
    (on_store ? box.vector_cut : box.run_cut) = i;
    (on_store ? store : load).tile_indices = int(each.tile());
  }
  if (box.run_cut >= 0) load.extent = mode_at(box.run_cut).whole.extent;
  if (box.vector_cut >= 0) store.extent = mode_at(box.vector_cut).whole.extent;
}

/// Fills in the radix digits of a block's index and of its rows. Returns true if offsets within a tile need 64 bits.
bool write_digits(gather_job& job, gather_tiling const& tiling, tile_box const& box) {
  std::int64_t tiles = 1;
  for (auto const& each : tiling.modes) tiles *= each.tiles();
  constexpr int kMostTiles = std::numeric_limits<int>::max();
  if (tiles > kMostTiles) refuse("the array's number of tiles", tiles, fmt::format("at most {} on a GPU", kMostTiles));
  job.tiles = int(tiles);
  std::size_t digits = 0;
  std::int64_t low = 0, high = 0, furthest = (box.vector_elements + box.halo * job.store.elements_per_index) * box.size;
  auto const add = [&](int i, std::int64_t radix, std::int64_t step, radix_digit each) {
    if (radix == 1) return;
    each.radix = fast_divmod(int(radix));
    if (i == box.run_cut) each.run_index = int(step);
    if (i == box.vector_cut) each.vector_index = int(step);
    job.digits.at(digits++) = each;
  };
  auto const list = [&](digit_range& range, std::vector<int> const& order, auto const& add_mode) {
    range.begin = int(digits);
    for (int const i : order) add_mode(i, tiling.modes[std::size_t(i)]);
    range.end = int(digits);
  };
  auto const source_step = [&](tiled_mode const& each, std::int64_t step) { return step * each.whole.source_stride * box.size; };
  auto const destination_step = [&](tiled_mode const& each, std::int64_t step) {
    return step * each.whole.destination_stride * box.size;
  };

  list(job.tile_digits, tiling.by_destination, [&](int i, tiled_mode const& each) {
    add(i, each.tiles(), each.tile(),
        {.source = source_step(each, each.tile()), .destination = destination_step(each, each.tile())});
  });
  std::int64_t smem_offset = box.batch_bytes;
  list(job.batch_digits, tiling.by_destination, [&](int i, tiled_mode const& each) {
    add(i, each.batch, each.inner(),
        {.smem_offset = int(smem_offset),
         .source = source_step(each, each.inner()),
         .destination = destination_step(each, each.inner())});
    smem_offset *= each.batch;
  });
  std::int64_t row = 1;
  list(job.source_row_digits, tiling.vector_chain, [&](int i, tiled_mode const& each) {
    if (!each.vectors) return;
    auto const run = std::max<std::int64_t>(each.run, 1), count = each.source_rows() + (i == box.vector_cut ? box.halo : 0);
    add(i, count, run, {.smem_offset = int(row * box.pitch), .source = source_step(each, run)});
    row *= count;
  });
  list(job.destination_row_digits, box.size <= 2 ? tiling.run_chain : tiling.by_destination, [&](int i, tiled_mode const& each) {
    if (each.run && !each.vectors)
      add(i, each.run, 1, {.smem_offset = int(source_step(each, 1)), .destination = destination_step(each, 1)});
  });
  row = 1;
  list(job.element_digits, tiling.vector_chain, [&](int i, tiled_mode const& each) {
    if (!each.vectors) return;
    if (each.run) add(i, each.run, 1, {.smem_offset = int(source_step(each, 1))});
    auto const run = std::max<std::int64_t>(each.run, 1);
    add(i, each.source_rows() + (i == box.vector_cut ? box.halo : 0), run,
        {.smem_offset = int(row * box.pitch), .source = source_step(each, run), .destination = row});
    row *= each.source_rows();
  });
  for (auto const& each : tiling.modes) {
    auto const reach = source_step(each, each.tile() - 1 + (each.vector_cut() ? box.halo : 0));
    (reach < 0 ? low : high) += reach;
    furthest += destination_step(each, each.tile() - 1);
  }
  job.load.tile_low = low - kUnitBytes;
  job.load.tile_high = high + box.size + kUnitBytes;
  return std::max(furthest, job.load.tile_high - job.load.tile_low) >= std::int64_t(1) << 31;
}

/// How neighbouring threads write one destination row. `lanes` threads write a vector each, in `passes` passes. The first pass
/// begins `address & mask` bytes before the row, so that every later pass begins with a sector or a line.
struct row_lanes {
  std::int64_t lanes, passes, mask;
};

/// Chooses the lanes of rows of `vectors` vectors. A row is written in one pass, or in passes of whole sectors, because a sector
/// that two passes write costs twice. If rows are unaligned, each pass of a long row is as long as its lanes are wide. More than
/// eight lanes on one row have bank conflicts.
template <class Begins>
row_lanes lanes_for(std::int64_t vectors, std::int64_t size, bool ragged, int lanes_hint, Begins const& rows_begin_on) {
  constexpr std::int64_t kOnePass = 12;
  if (lanes_hint > 0) {
    std::int64_t const lanes = std::min<std::int64_t>(lanes_hint, vectors),
                       piece = kUnitBytes * (ragged && vectors >= 2 * lanes ? lanes : 2),
                       mask = lanes == vectors || rows_begin_on(kUnitBytes * lanes) ? 0 : piece - kUnitBytes;
    return {lanes, ceil_div(vectors + mask / kUnitBytes, lanes), mask};
  }
  if (vectors <= kOnePass) return {vectors, 1, 0};
  if (ragged && vectors >= 2 * kLanes) return {kLanes, ceil_div(vectors + kLanes - 1, kLanes), kLineBytes - kUnitBytes};
  // Bytes are limited by instructions, so one more pass costs more than sectors that are written twice.
  bool const is_dear = size == 1 && vectors % kLanes == 0;
  std::int64_t const mask = is_dear || rows_begin_on(kSectorBytes) ? 0 : kSectorBytes - kUnitBytes;
  auto const with = [&](std::int64_t lanes) { return row_lanes{lanes, ceil_div(vectors + mask / kUnitBytes, lanes), mask}; };
  auto const cost = [&](row_lanes const& each) { return double(each.passes) / double(kThreads / each.lanes); };
  row_lanes best = with(kLanes);
  for (std::int64_t const lanes : {std::int64_t(6), std::int64_t(10)})
    if (auto const other = with(lanes); cost(other) < 0.9 * cost(best)) best = other;
  return best;
}

/// True if the destination rows of all tiles begin at the same offset modulo `bytes`.
bool rows_begin_on(gather_job const& job, std::int64_t bytes) {
  return std::ranges::all_of(job.digits | std::views::take(job.destination_row_digits.end),
                             [&](radix_digit const& each) { return each.destination % bytes == 0; });
}

/// Fills in the elements that each thread loads and stores.
void write_lanes(gather_job& job, gather_tiling const& tiling, tile_box const& box, int lanes_hint) {
  auto& load = job.load;
  auto& store = job.store;
  load.rows = int(box.source_rows * box.batch);
  load.rows_per_batch = fast_divmod(int(box.source_rows));
  load.units = fast_divmod(int(ceil_div(box.span * box.size + (box.source_aligned ? 0 : kUnitBytes - box.size), kUnitBytes)));
  constexpr std::int64_t kLongRow = 128;
  load.bulk = load.units.divisor * kUnitBytes >= kLongRow && load.rows <= kThreads;
  auto const vector = box.width * box.size, granule = box.halo ? granule_of(box.size) : vector;
  auto const each = lanes_for(round_up(box.vector_elements * box.size, granule) / vector, box.size, box.ragged, lanes_hint,
                              [&](std::int64_t bytes) { return box.ragged ? granule % bytes == 0 : rows_begin_on(job, bytes); });
  store.rows = fast_divmod(int(box.destination_rows * box.batch));
  store.rows_per_batch = fast_divmod(int(box.destination_rows));
  store.log_granule = std::countr_zero(unsigned(granule));
  store.align_mask = int(each.mask);
  store.lanes = fast_divmod(int(each.lanes));
  store.lane_groups = int(kThreads / each.lanes);
  store.passes = int(each.passes);
  // Lanes whose vectors are in one source row have bank conflicts. They have none if neighbouring destination rows begin side by
  // side in the source row, because such lanes share words.
  if (box.size == 1 && box.vectors_in_row) {
    auto const& first = tiling.modes[std::size_t(tiling.run_chain.front())];
    if (first.vectors || std::abs(first.whole.source_stride) != 1) store.word_xor = 3;
  }
}

/// Fills in the offset table and the layout of a block's shared memory.
void write_shared(gather_job& job, tile_box const& box) {
  job.table.log_gap_rows = std::countr_zero(unsigned(box.gap_rows));
  job.table.entries = int(box.entries);
  job.table.copy_bytes = box.table().copy_bytes(job.table.entries);
  if (box.period_bytes) {
    job.table.period = fast_divmod(int(box.period));
    job.table.period_bytes = int(box.period_bytes);
  }
  auto& shared = job.shared;
  shared.head = int(round_up(box.batch * box.batch_bytes + job.table.row_origin + job.table.element_origin, kUnitBytes));
  shared.rows = shared.head + gather_job::kHeadBytes;
  shared.offsets = int(shared.rows + kUnitBytes * (job.load.rows + job.store.rows.divisor));
  shared.bytes = int(shared.offsets + box.table_bytes());
}

}  // namespace

problem refit_elements(problem const& given, alignment const& aligned) {
  auto const size = shared_element_size(given), least = std::min<std::int64_t>(aligned.source, aligned.destination);
  if (least < size) return canonical(split_elements(given, least));
  auto const is_run = [](mode const& m) { return m.source_stride == 1 && m.destination_stride == 1; };
  auto factor = std::gcd(std::min(kLargestElement, least) / size, std::gcd(given.source_offset, given.destination_offset));
  for (auto const& m : given.modes)
    factor = std::gcd(factor, is_run(m) ? m.extent : std::gcd(m.source_stride, m.destination_stride));
  if (factor == 1 || std::ranges::none_of(given.modes, is_run)) return given;

  problem p = given;
  for (auto& each : p.modes)
    if (is_run(each))
      each.extent /= factor, each.factor_stride *= factor;
    else
      each.source_stride /= factor, each.destination_stride /= factor;
  p.element_size = size * factor;
  p.source_offset /= factor;
  p.destination_offset /= factor;
  return canonical(p);
}

gather_plan plan_gather(problem const& p, alignment const& aligned, tile_hint const& hint, gpu_model const& gpu) {
  gather_tiling tiling(p);
  auto box = choose_tiles(tiling, p, aligned, hint, std::min<std::int64_t>(kMostShared, gpu.limits.most_shared_bytes()));
  gather_plan plan{};
  auto const size = shared_element_size(p);
  plan.element_size = int(size);
  plan.source_offset = p.source_offset;
  plan.destination_offset = p.destination_offset;
  plan.form.single = box.width == 1;
  plan.form.ragged = box.ragged;
  write_extents(plan.job, tiling, box);
  plan.form.wide = write_digits(plan.job, tiling, box);
  write_lanes(plan.job, tiling, box, hint.lanes);
  write_shared(plan.job, box);
  write_source_range(plan.job, p);
  plan.wavefronts = wavefronts_of(plan);
  return plan;
}

std::string_view idea_of(gather_plan const&) {
  return "any permutation: source rows are fetched as they lie, destination vectors gathered from shared memory";
}

std::string describe(gather_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format("gather of {}: {} of {} bytes, {} of {} bytes{}, {}, {} bytes of shared memory",
                     count_text(job.tiles, "tile"), count_text(job.load.rows, "source row"),
                     (job.load.cut.row_indices - 1) * std::abs(job.load.cut_step) + job.load.uncut_span,
                     count_text(job.store.rows.divisor, "destination row"), job.store.elements * plan.element_size,
                     plan.form.ragged ? ", ragged" : "", count_text(job.store.lanes.divisor, "lane"), job.shared.bytes);
}

}  // namespace cornerturn
