#include "kernel/tiled/layout.hpp"

#include <algorithm>
#include <ranges>
#include <span>

#include "base/round.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

/// Appends a digit to a list. Adjacent digits with compatible strides are fused. Returns false if the list is full. `factor` is
/// the step of the digit in `factors`, which has one entry per digit.
bool add_digit(access_digits& list, std::int64_t radix, access_digit each, std::int64_t factor,
               std::span<std::int64_t, access_digits::kMost> factors) {
  if (radix == 1) return true;
  if (list.count > 0) {
    auto& last = list.digits[std::size_t(list.count - 1)];
    int const before = last.radix.divisor;
    if (last.global * before == each.global && last.shared * before == each.shared && last.run_index * before == each.run_index &&
        last.vector_index * before == each.vector_index && factors[std::size_t(list.count - 1)] * before == factor) {
      last.radix = fast_divmod(before * int(radix));
      return true;
    }
  }
  if (list.count == access_digits::kMost) return false;
  each.radix = fast_divmod(int(radix));
  factors[std::size_t(list.count)] = factor;
  list.digits[std::size_t(list.count++)] = each;
  return true;
}

/// Fills in the digits of a tile's loads. Returns false if there are too many.
bool write_load_digits(tiled_box const& box, tiled_widths const& widths, access_digits& list) {
  bool fits = true;
  std::array<std::int64_t, access_digits::kMost> unused{};  // loads need no factors
  for (int k = 0; k < box.count; ++k) {
    int const i = box.by_source[std::size_t(k)];
    auto const& each = box.modes[std::size_t(i)];
    // The elements of a load and the rows of a group are not counted.
    std::int64_t const step = i == box.first ? widths.load : i == 0 ? widths.rows : 1;
    fits &= add_digit(list, each.taken / step,
                      {.global = int(step * each.whole.source_stride),
                       .shared = int(i == box.first ? each.shared_step : step * each.shared_step),
                       .run_index = int(step * each.run_step),
                       .vector_index = int(step * each.vector_step)},
                      0, unused);
  }
  list.count = std::max(list.count, 1);
  return fits;
}

/// Fills in the digits of a tile's stores. Returns false if there are too many. If the elements of a store have different
/// factors, the store lies within the fastest mode.
bool write_store_digits(tiled_box const& box, tiled_widths const& widths, int column_step, access_digits& list,
                        factor_steps& factors) {
  bool fits = true;
  auto const add_vectors = [&](std::int64_t elements, std::int64_t factor) {
    fits &=
        add_digit(list, elements / widths.store, {.global = widths.store, .shared = widths.store, .vector_index = widths.store},
                  widths.store * factor, factors.store);
  };
  if (box.has_factors()) {
    factors.in_store = box.modes[0].whole.factor_stride;
    add_vectors(std::min(box.before_first, box.modes[0].taken), factors.in_store);
  } else {
    add_vectors(box.before_first, 0);
  }
  for (int i = 0; i < box.count; ++i) {
    auto const& each = box.modes[std::size_t(i)];
    bool const in_vectors = each.vector_step && each.vector_step < box.before_first;
    if (in_vectors && (i == 0 || !box.has_factors())) continue;
    auto const add = [&](std::int64_t radix, std::int64_t step, std::int64_t shared) {
      fits &= add_digit(list, radix,
                        {.global = int(step * each.whole.destination_stride),
                         .shared = int(shared),
                         .run_index = int(step * each.run_step),
                         .vector_index = int(step * each.vector_step)},
                        step * each.whole.factor_stride, factors.store);
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
std::int64_t write_tile_digits(tiled_box const& box, tiled_job& job, factor_steps& factors) {
  std::int64_t tiles = 1;
  for (int i = 0; i < box.count; ++i) {
    auto const& each = box.modes[std::size_t(i)];
    auto const radix = ceil_div(each.whole.extent, each.taken);
    if (radix > kIntMax / tiles) return 0;
    tiles *= radix;
    auto const run_index = i == box.run_cut ? each.taken * each.run_step : 0,
               vector_index = i == box.vector_cut ? each.taken * each.vector_step : 0;
    if (radix > 1) {
      factors.tile[std::size_t(job.tile_digits.end)] = each.taken * each.whole.factor_stride;
      job.digits[std::size_t(job.tile_digits.end++)] = {.radix = fast_divmod(int(radix)),
                                                        .source = each.taken * each.whole.source_stride,
                                                        .destination = each.taken * each.whole.destination_stride,
                                                        .run_index = int(run_index),
                                                        .vector_index = int(vector_index)};
    }
    if (run_index) job.run_end = each.whole.extent * each.run_step, job.run_tile = int(run_index);
    if (vector_index) job.vectors_end = each.whole.extent * each.vector_step, job.vectors_tile = int(vector_index);
  }
  return tiles;
}

/// The modes of a tile.
auto taken_modes(tiled_box const& box) {
  return std::span(box.modes).first(std::size_t(box.count)) | std::views::transform([](auto const& each) {
           return mode{each.taken, each.whole.source_stride, each.whole.destination_stride};
         });
}

}  // namespace

std::optional<tiled_layout> lay_out(tiled_box& box, problem const& p, tiled_widths const& widths) {
  if (!has_int_offsets(taken_modes(box))) return {};
  tiled_layout result{.job = {},
                      .factors = {},
                      .run = int(box.run),
                      .vectors = int(box.vectors),
                      .elements = int(box.elements),
                      .source_offset = p.source_offset,
                      .destination_offset = p.destination_offset};
  auto& job = result.job;
  result.source_grid = box.source_grid(p), result.destination_grid = box.destination_grid(p);
  result.shared_bytes = int(box.place(widths, job) * box.sizes.source);
  result.blocks = int(write_tile_digits(box, job, result.factors));
  job.loads = result.elements / (widths.load * widths.rows);
  job.stores = result.elements / widths.store;
  job.row_step = box.modes[0].whole.source_stride;
  bool const fits = write_load_digits(box, widths, job.load_digits) &&
                    write_store_digits(box, widths, job.column_step, job.store_digits, result.factors);
  if (!fits || result.blocks == 0) return {};
  return result;
}

}  // namespace cornerturn
