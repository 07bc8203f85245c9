#include "kernel/swap/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/refuse.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"
#include "cornerturn/text.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

std::int64_t expect_countable(std::string_view what, std::int64_t number) {
  if (number > kIntMax)
    refuse(fmt::format("the array's number of {}", what), number, fmt::format("at most {} on a GPU", kIntMax));
  return number;
}

/// True if rows, squares and the array begin with 16-byte vectors.
bool is_vectorised(placed_exchange const& all, int aligned) {
  auto const size = all.element_size;
  auto const whole = [&](std::int64_t elements) { return elements * size % kUnitBytes == 0; };
  return aligned >= kUnitBytes && whole(all.rows) && whole(all.source_strides().pitch) && whole(all.offset) &&
         (all.between == 1 || whole(all.slot_stride())) && (all.batch == 1 || whole(all.array_stride));
}

/// The tile of the program `swap_runs`: runs of a tile's side, elements of a part, and squares.
struct runs_tile {
  std::int64_t side, part, squares;
};
runs_tile tile_of_runs(placed_exchange const& all) {
  constexpr std::int64_t kLongestPart = 1024, kRowBytes = 512, kLeastElements = 4096;
  // elements of each tile that a block loads before it stores them
  double const at_once = swap_runs_unrolled(int(all.element_size)) * kSwapRunsThreads;
  auto const part = std::min(all.run, kLongestPart), by_bytes = kRowBytes / (part * all.element_size),
             by_elements = std::int64_t(std::bit_floor(unsigned(std::sqrt(at_once / double(part))))),  // rows fill cache lines
      side = std::clamp<std::int64_t>(std::max(by_bytes, by_elements), 1, all.rows);
  auto const elements = side * side * part;
  return {side, part, side < all.rows ? 1 : std::min(all.batch * all.between, ceil_div(kLeastElements, elements))};
}

/// The tile of the program `swap_rows`. Nothing if runs are shorter than a unit, or if tiles would leave most threads idle.
std::optional<runs_tile> tile_of_rows(placed_exchange const& all) {
  constexpr std::int64_t kLongestPart = 8192, kTile = 16384, kLeastTile = 4096;  // bytes
  auto const bytes = all.run * all.element_size, part = std::min(bytes, kLongestPart),
             side =
                 part < bytes ? 1 : std::clamp(std::int64_t(std::sqrt(double(kTile) / double(part))), std::int64_t(1), all.rows);
  if (all.element_size == kUnitBytes || bytes < kUnitBytes || side * side * part < kLeastTile) return std::nullopt;
  return runs_tile{side, part / all.element_size, 1};
}

/// Sets the layout of shared memory: the rows of a tile have the places within units that they have in global memory.
void lay_out_rows(swap_plan& plan) {
  auto& job = plan.job;
  int const unit = kUnitBytes / plan.element_size, side = job.tile_runs.divisor, width = side * job.tile_part.divisor;
  // an element's place within a sector is the same in global memory, and no two rows touch the same unit
  int const sector = kSectorBytes / plan.element_size, within = int(job.pitch % sector);
  job.shared_pitch = int(round_up(width + 2 * (unit - 1) - within, sector)) + within;
  job.shared_tile = int(round_up(side * job.shared_pitch, sector)) + sector;
  job.row_units = fast_divmod((width + 2 * (unit - 1)) / unit);
  // elements before the first row of the first tile and after the last row of the second one are loaded
  plan.shared_bytes = 2 * job.shared_tile * plan.element_size + kSectorBytes + kUnitBytes;
}

}  // namespace

double swap_plan::bytes() const {
  return double(job.squares) * double(job.extent) * double(job.extent) * double(job.run) * element_size;
}

swap_plan plan_swap(placed_exchange const& all, int aligned) {
  auto const size = int(all.element_size);
  auto const extent = all.rows, pitch = all.source_strides().pitch, slot = all.slot_stride();
  swap_plan plan{.job = {.extent = extent,
                         .run = all.run,
                         .pitch = pitch,
                         .inner_stride = slot,
                         .outer_stride = all.array_stride,
                         .elements = (all.batch - 1) * all.array_stride + (all.between - 1) * slot + (extent - 1) * pitch +
                                     extent * all.run},
                 .element_size = size,
                 .offset = all.offset};
  auto& job = plan.job;
  auto const squares = expect_countable("squares", all.batch * all.between);
  job.squares = int(squares);
  job.inner = fast_divmod(int(all.between));

  // in smaller squares most threads of a block of `swap` would be idle
  bool const has_vectors = size == kUnitBytes || is_vectorised(all, aligned);
  auto const tile = swap_tile_of(size, has_vectors);
  runs_tile cut{tile.rows, 1, 1};
  if (all.run > 1 || 2 * extent <= tile.rows) {
    auto const rows = tile_of_rows(all);
    cut = rows ? *rows : tile_of_runs(all);
    plan.form = rows ? swap_form::rows : swap_form::runs;
  } else
    plan.form = has_vectors ? swap_form::vectors : swap_form::elements;
  // the n (n + 1) / 2 pairs as a rectangle: n columns if n is odd, else n + 1
  auto const tiles = ceil_div(extent, cut.side), pair_columns = tiles | 1, pair_rows = (tiles + 1) / 2,
             parts = ceil_div(all.run, cut.part), groups = ceil_div(squares, cut.squares);
  for (auto const each : {pair_columns, parts}) expect_countable("tiles", each);
  auto const pairs = expect_countable("tiles", pair_columns * pair_rows);
  plan.blocks = int(expect_countable("tiles", expect_countable("tiles", pairs * parts) * groups));
  job.tiles = int(tiles);
  job.tile_squares = int(cut.squares);
  job.pair_columns = fast_divmod(int(pair_columns));
  job.pair_rows = fast_divmod(int(pair_rows));
  job.parts = fast_divmod(int(parts));
  job.tile_runs = fast_divmod(int(cut.side));
  job.tile_part = fast_divmod(int(cut.part));
  if (plan.form == swap_form::rows) lay_out_rows(plan);
  return plan;
}

std::string_view idea_of(swap_plan const& plan) {
  if (plan.form == swap_form::rows)
    return "in place: a block loads rows of runs of two tiles across the diagonal, then stores each run in the other's place";
  return plan.form == swap_form::runs
             ? "in place: a thread loads an element and its counterpart across the diagonal, and stores each in the other's place"
             : "in place: a block loads two tiles across the diagonal, then stores each transposed in the other's place";
}

std::string describe(swap_plan const& plan) {
  auto const& job = plan.job;
  auto const what = fmt::format("{} of {} x {} runs of {} of {}", count_text(job.squares, "square"), job.extent, job.extent,
                                count_text(job.run, "element"), count_text(plan.element_size, "byte"));
  auto const side = job.tile_runs.divisor;
  if (plan.form == swap_form::runs)
    return fmt::format("swap {}x{} run by run, parts of {}, {} a block, {} threads: {}", side, side,
                       count_text(job.tile_part.divisor, "element"), count_text(job.tile_squares, "square"), kSwapRunsThreads,
                       what);
  if (plan.form == swap_form::rows)
    return fmt::format("swap {}x{} by rows of runs, parts of {}, {} threads, unaligned 16-byte units: {}", side, side,
                       count_text(job.tile_part.divisor, "element"), kSwapRowsThreads, what);
  bool const vectors = plan.form == swap_form::vectors;
  return fmt::format("swap {}x{}, {} threads, {}-byte loads and stores: {}", side, side,
                     2 * swap_tile_of(plan.element_size, vectors).threads, vectors ? 16 : plan.element_size, what);
}

std::vector<swap_plan> swap_plan::candidates(problem const& refitted, alignment const& aligned, gpu_model const&) {
  auto const all = exchange_of(refitted);
  if (!all || !all->is_square()) return {};
  auto const plan = plan_swap(*all, aligned.destination);
  return {plan};
}

plan_decisions<swap_plan> swap_plan::decisions() {
  return {{{"form", {"vectors", "elements", "runs", "rows"}, [](swap_plan const& plan) { return int(plan.form); }},
           element_decision<swap_plan>(),
           {"squares", {"one square", "several squares"}, [](swap_plan const& plan) { return plan.job.squares > 1; }}},
          {{"16 bytes", {"elements", "rows"}, "an element is a vector"}}};
}

}  // namespace cornerturn
