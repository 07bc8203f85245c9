#include "kernel/tiled/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>

#include "kernel/round.hpp"
#include "kernel/tiled/box.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();

/// Appends a digit to a list. A digit that continues the one before it makes that one longer. Returns false if the list is full.
bool add_digit(access_digits& list, std::int64_t radix, access_digit each) {
  if (radix == 1) return true;
  if (list.count > 0) {
    auto& last = list.digits[std::size_t(list.count - 1)];
    int const before = last.radix.divisor;
    if (last.global * before == each.global && last.shared * before == each.shared && last.run_index * before == each.run_index &&
        last.vector_index * before == each.vector_index) {
      last.radix = fast_divmod(before * int(radix));
      return true;
    }
  }
  if (list.count == access_digits::kMost) return false;
  each.radix = fast_divmod(int(radix));
  list.digits[std::size_t(list.count++)] = each;
  return true;
}

/// Fills in the digits of a tile's loads. Returns false if there are too many.
bool write_load_digits(tiled_box const& box, tiled_widths const& widths, access_digits& list) {
  bool fits = true;
  for (int k = 0; k < box.count; ++k) {
    int const i = box.by_source[std::size_t(k)];
    auto const& each = box.modes[std::size_t(i)];
    // The elements of a load and the rows of a group are not counted.
    std::int64_t const step = i == box.first ? widths.load : i == 0 ? widths.rows : 1;
    fits &= add_digit(list, each.taken / step,
                      {.global = int(step * each.whole.source_stride),
                       .shared = int(i == box.first ? each.shared_step : step * each.shared_step),
                       .run_index = int(step * each.run_step),
                       .vector_index = int(step * each.vector_step)});
  }
  list.count = std::max(list.count, 1);
  return fits;
}

/// Fills in the digits of a tile's stores. Returns false if there are too many.
bool write_store_digits(tiled_box const& box, tiled_widths const& widths, int column_step, access_digits& list) {
  bool fits = add_digit(list, box.before_first / widths.store,
                        {.global = widths.store, .shared = widths.store, .vector_index = widths.store});
  for (int i = 0; i < box.count; ++i) {
    auto const& each = box.modes[std::size_t(i)];
    if (each.vector_step && each.vector_step < box.before_first) continue;
    auto const add = [&](std::int64_t radix, std::int64_t step, std::int64_t shared) {
      fits &= add_digit(list, radix,
                        {.global = int(step * each.whole.destination_stride),
                         .shared = int(shared),
                         .run_index = int(step * each.run_step),
                         .vector_index = int(step * each.vector_step)});
    };
    if (i == box.first) {
      add(widths.load, 1, column_step);
      add(each.taken / widths.load, widths.load, each.shared_step);
    } else {
      add(each.taken, 1, each.shared_step);
    }
  }
  list.count = std::max(list.count, 1);
  return fits;
}

/// Fills in the digits of a block's index, and the ends of the cut modes. Returns the number of tiles; 0 if it has over 31 bits.
std::int64_t write_tile_digits(tiled_box const& box, tiled_job& job) {
  std::int64_t tiles = 1;
  for (int i = 0; i < box.count; ++i) {
    auto const& each = box.modes[std::size_t(i)];
    auto const radix = ceil_div(each.whole.extent, each.taken);
    if (radix > kMost / tiles) return 0;
    tiles *= radix;
    auto const run_index = i == box.run_cut ? each.taken * each.run_step : 0,
               vector_index = i == box.vector_cut ? each.taken * each.vector_step : 0;
    if (radix > 1)
      job.digits[std::size_t(job.tile_digits.end++)] = {.radix = fast_divmod(int(radix)),
                                                        .source = each.taken * each.whole.source_stride,
                                                        .destination = each.taken * each.whole.destination_stride,
                                                        .run_index = int(run_index),
                                                        .vector_index = int(vector_index)};
    if (run_index) job.run_end = each.whole.extent * each.run_step, job.run_tile = int(run_index);
    if (vector_index) job.vectors_end = each.whole.extent * each.vector_step, job.vectors_tile = int(vector_index);
  }
  return tiles;
}

/// True if an access's offset in its tile may have over 31 bits.
bool is_far(tiled_box const& box) {
  std::int64_t source = 0, destination = 0;
  for (int i = 0; i < box.count; ++i) {
    auto const& each = box.modes[std::size_t(i)];
    source += each.taken * std::abs(each.whole.source_stride);
    destination += each.taken * each.whole.destination_stride;
  }
  return std::max(source, destination) > kMost;
}

/// The index of the first compiled widths that a box allows; -1 if there are none.
int widths_for(tiled_box const& box, problem const& p, alignment const& aligned) {
  auto const widest = box.widest(p, aligned);
  auto const all = tiled_widths_of(box.size);
  auto const found = std::ranges::find_if(all, [&](tiled_widths const& each) {
    return widest.load % each.load == 0 && widest.rows % each.rows == 0 && widest.store % each.store == 0;
  });
  return found == all.end() ? -1 : int(found - all.begin());
}

/// Plans tiles that are a box.
std::optional<tiled_plan> plan_box(tiled_box& box, problem const& p, alignment const& aligned) {
  tiled_plan plan{.program = widths_for(box, p, aligned),
                  .threads = kTiledThreads[box.elements * box.size > kTiledThreads[0] * kTiledBytesPerThread],
                  .element_size = int(box.size),
                  .run = int(box.run),
                  .vectors = int(box.vectors),
                  .elements = int(box.elements),
                  .source_offset = p.source_offset,
                  .destination_offset = p.destination_offset};
  if (plan.program < 0 || is_far(box)) return {};
  auto const widths = plan.widths();
  auto& job = plan.job;
  plan.source_grid = box.grid(p, &mode::source_stride, &box_mode::run_step, &problem::source_offset);
  plan.destination_grid = box.grid(p, &mode::destination_stride, &box_mode::vector_step, &problem::destination_offset);
  plan.shared_bytes = int(box.place(widths, job) * box.size);
  plan.blocks = int(write_tile_digits(box, job));
  job.loads = plan.elements / (widths.load * widths.rows);
  job.stores = plan.elements / widths.store;
  job.row_step = box.modes[0].whole.source_stride;
  bool const fits =
      write_load_digits(box, widths, job.load_digits) && write_store_digits(box, widths, job.column_step, job.store_digits);
  if (!fits || plan.blocks == 0) return {};
  return plan;
}

constexpr bool can_plan(problem const& p) { return !p.modes.empty() && p.modes.size() <= tiled_job::kMostDigits; }

/// Bytes of runs that are runs on both sides, from which on `direct` is faster, because it needs no shared memory.
constexpr std::int64_t kLongRun = 128;

constexpr std::int64_t kSmall = 8 << 10, kLarge = 16 << 10;  ///< bytes that 128 threads hold, and 256 threads

/// The tile sizes to try for one element size. On an H200 the fastest of them was within 1 % of the fastest of all.
std::span<tiled_hint const> hints_for(std::int64_t element_size) {
  static constexpr tiled_hint kBytes[] = {{128, 64, kSmall}, {256, 64, kLarge}, {64, 256, kLarge}, {8, 2048, kLarge}};
  static constexpr tiled_hint kPairs[] = {{256, 64, kSmall}, {128, 128, kSmall}, {128, 256, kLarge}, {256, 128, kLarge}};
  static constexpr tiled_hint kWords[] = {{128, 256, kSmall}, {512, 64, kSmall}, {256, 256, kLarge}, {512, 128, kLarge}};
  static constexpr tiled_hint kDoubles[] = {{256, 256, kSmall}, {128, 512, kSmall}, {512, 128, kSmall}, {512, 256, kLarge}};
  static constexpr tiled_hint kWide[] = {{256, 512, kSmall}, {64, 2048, kSmall}, {2048, 64, kSmall}, {256, 1024, kLarge}};
  return element_size == 1   ? std::span<tiled_hint const>(kBytes)
         : element_size == 2 ? std::span<tiled_hint const>(kPairs)
         : element_size == 4 ? std::span<tiled_hint const>(kWords)
         : element_size == 8 ? std::span<tiled_hint const>(kDoubles)
                             : std::span<tiled_hint const>(kWide);
}

}  // namespace

std::optional<tiled_plan> plan_tiled(problem const& p, alignment const& aligned, tiled_hint const& hint) {
  if (!can_plan(p)) return {};
  tiled_box box(p);
  box.choose(hint);
  return plan_box(box, p, aligned);
}

std::string_view idea_of(tiled_plan const&) {
  return "small tiles of a few modes: vectors of the source are transposed in registers and in shared memory";
}

std::string describe(tiled_plan const& plan) {
  auto const widths = plan.widths();
  return fmt::format(
      "tiled, {} threads: {} of {} of {}, runs of {} in the source and {} in the destination, loads of {} x {} and "
      "stores of {}, {} bytes of shared memory",
      plan.threads, count_text(plan.blocks, "block"), count_text(plan.elements, "element"), count_text(plan.element_size, "byte"),
      plan.run, plan.vectors, widths.rows, widths.load, widths.store, plan.shared_bytes);
}

std::vector<estimate<tiled_plan>> tiled_family::candidates(problem const& refitted, alignment const& aligned,
                                                           gpu_model const& gpu) {
  std::vector<estimate<tiled_plan>> result;
  if (!can_plan(refitted) || std::ranges::all_of(refitted.modes, stays)) return result;  // a plain copy needs no tiles
  tiled_box box(refitted);
  auto const& fastest = refitted.modes.back();
  if (stays(fastest) && fastest.extent * box.size >= kLongRun) return result;
  auto const hints = hints_for(box.size);
  result.reserve(hints.size());
  for (auto const& hint : hints) {
    box.choose(hint);
    bool const is_known = std::ranges::any_of(result, [&](auto const& other) {
      return other.plan.run == box.run && other.plan.vectors == box.vectors && other.plan.elements == box.elements;
    });
    if (is_known) continue;
    auto const plan = plan_box(box, refitted, aligned);
    // If one tile cannot be planned, hardly any other one can.
    if (!plan) break;
    result.push_back({*plan, expected_seconds(*plan, gpu)});
  }
  return result;
}

}  // namespace cornerturn
