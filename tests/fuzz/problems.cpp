#include "fuzz/problems.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "cpu/tiles/fields.hpp"

namespace cornerturn::fuzz {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// An extent about those at which vectors, cache lines and tiles end, of at most `most`.
std::int64_t random_extent(random_source& random, std::int64_t most) {
  std::int64_t const usual = random.one_in(4) ? random.between(1, 20) : random.size(9) + random.between(0, 1);
  return std::clamp<std::int64_t>(usual, 1, std::max<std::int64_t>(1, most));
}

/// A run that stays together on both sides: mostly one element.
std::int64_t random_run(random_source& random) {
  if (random.one_in(2)) return 1;
  if (random.one_in(6)) return random.between(33, 400);
  return random.one_in(2) ? random.one_of<std::int64_t>({2, 4, 8, 16, 32}) : random.between(2, 32);
}

/// The extents of a problem from the outermost to the innermost: batches, rows, middle, columns and a run.
std::vector<std::int64_t> random_shape(random_source& random, std::int64_t most, std::int64_t size,
                                       shape_kind kind = shape_kind::any) {
  std::vector<std::int64_t> shape;
  auto left = most;
  auto const add = [&](std::int64_t extent) {
    extent = std::clamp<std::int64_t>(extent, 1, std::max<std::int64_t>(1, left));
    shape.push_back(extent);
    left /= extent;
  };
  auto const run =
      kind != shape_kind::any && kind != shape_kind::units ? 1 : std::min(random_run(random), std::max<std::int64_t>(1, most));
  left /= run;
  switch (kind == shape_kind::matrix   ? 6
          : kind == shape_kind::fields ? 1
          : kind == shape_kind::shared ? 0
                                       : random.between(0, 7)) {
    case 7:
    case 6: {  // matrices whose rows and columns are several cache lines long
      if (random.one_in(3)) add(random.between(2, 3));
      auto const side = std::max<std::int64_t>(1, std::int64_t(__builtin_sqrt(double(left))));
      auto const rows = std::max<std::int64_t>(1, side * random.between(1, 4) / 2 + random.between(-3, 3));
      add(random.one_in(2) ? rows / 16 * 16 : rows), add(random.one_in(2) ? left : left / 16 * 16);
      break;
    }
    case 0:  // many small modes
      for (auto rank = random.between(2, 7); rank > 0; --rank)
        add(random.one_in(5) ? random.between(7, 90) : random.between(1, 6));
      break;
    case 1: {  // few interleaved rows or columns
      auto const of_a_line = size <= 32 && random.one_in(5) ? 64 / size : 0;
      auto const fields = of_a_line >= 2 && of_a_line <= 16 ? of_a_line
                          : random.one_in(2)                ? random.one_of<std::int64_t>({2, 3, 4, 8, 16})
                                                            : random.between(1, 20),
                 many = left / std::max<std::int64_t>(1, fields);
      bool const first = random.one_in(2);
      if (random.one_in(3)) add(random.between(2, 5));
      auto const add_fields = [&] {
        bool const in_two = fields % 2 == 0 && random.one_in(4);
        add(in_two ? fields / 2 : fields);
        if (in_two) add(2);
      };
      if (first) add_fields();
      add(random.between(many / 2, many));
      if (!first) add_fields();
      break;
    }
    case 2:  // a batch of matrices with a mode between
      add(random.between(1, 5)), add(random_extent(random, left)), add(random.between(1, 5)), add(random_extent(random, left));
      break;
    default:  // matrices that fill what is left
      if (random.one_in(2)) add(random.between(2, 4));
      if (left > 4)
        add(random.one_in(2) ? random_extent(random, left / 2) : random.between(2, std::min<std::int64_t>(left, 300)));
      add(random.one_in(2) ? left : random_extent(random, left));
  }
  shape.push_back(run);
  return shape;
}

}  // namespace

std::int64_t random_element_size(random_source& random) {
  return random.one_in(6) ? random.one_of<std::int64_t>({3, 5, 6, 7, 12, 20, 24, 32, 48})
                          : random.one_of<std::int64_t>({1, 2, 4, 8, 16});
}

cpu_limits random_limits(random_source& random) {
  cpu_limits result;
  bool const has_threads = random.one_in(8);
  result.threads = {.most = int(random.between(0, 3)),
                    .share = has_threads ? random.size(10) : kNever,
                    .quantized_tiles = random.between(1, 3)};
  result.byte_permutes = random.one_in(2) && cpu::has_byte_permutes();
  if (random.one_in(8)) return result;  // the usual sizes
  result.long_unit = random.one_in(2) ? result.long_unit : random.size(11);
  result.shared_run = random.size(11), result.scattered_row = random.size(12), result.shuffled_group = random.size(12);
  result.direct_tile = random.size(15), result.direct_row = random.size(13), result.direct_columns = random.size(11);
  result.cached_parts = random.between(1, 16), result.cached_column = random.size(9), result.line_vectors = random.one_in(2);
  result.same_sets = random.one_in(2) ? result.same_sets : 2 * random.size(10);
  result.direct_rows = random.size(12), result.short_column = random.size(11), result.long_column = random.size(12),
  result.aligned_squares = random.between(1, 8);
  result.surely_cached = random.size(14), result.hardly_cached = result.surely_cached + random.size(15);
  result.convert_box = random.size(14), result.convert_buffer = random.size(12);
  result.convert_at_once = std::min(random.size(8), cpu_limits::kMostAtOnce);
  result.swap_row = random.size(11), result.swap_row_per_byte = random.size(9), result.swap_part = random.size(10);
  result.panel = random.size(random.one_in(2) ? 13 : 10), result.longest_panel = result.panel * random.between(1, 8);
  result.small_panel = random.size(13), result.padded_row = random.size(10), result.panel_tile = random.size(13);
  result.panel_run = random.size(10), result.long_slot = random.size(12), result.even_slot = random.size(10);
  result.box_part = random.size(9), result.reported = random.size(14);
  return result;
}

file_limits random_file_limits(random_source& random) {
  if (random.one_in(2)) return {};
  return {.least_run = random.size(10),
          .most_run = random.size(12),
          .usual_on_cpu = 4096 * random.size(9),  // few pieces, because each takes two threads
          .units = random.between(1, 64),
          .least_unit = random.size(12),
          .box_run = random.size(12)};
}

cpu_tile_hint random_hint(random_source& random, shape_kind kind) {
  cpu_tile_hint result;
  result.limits = random_limits(random);
  if (random.one_in(8))
    return random.one_of<cpu_tile_hint>(
        {{.limits = result.limits}, zen4_tiles(result.limits), xeon_tiles(result.limits), avx2_tiles(result.limits)});
  if (kind == shape_kind::any ? random.one_in(4) : !random.one_in(3)) {  // as for a large result without an image
    result.streamed_above = 0, result.direct = !random.one_in(4), result.prefetches = !random.one_in(4), result.staged = 2;
    result.fields = random.one_of<std::int64_t>({4, 16}), result.along_source = random.one_in(4);
    result.columns = random.one_in(2) ? 4096 : 256 * random.between(1, 8), result.row = 8 << 10,
    result.run = random.one_in(2) ? 0 : 256, result.near = 0;
    result.tile = random.one_in(2) ? 256 << 10 : 2048 * random.between(1, 8);
    result.limits.direct_tile = result.tile * random.between(1, 4), result.limits.direct_row = 1024 * random.between(1, 8);
    result.limits.direct_columns = random.one_in(2) ? 1024 : 16 * random.between(1, 16),
    result.limits.direct_rows = random.one_in(2) ? 4096 : 64 * random.between(1, 8);
    return result;
  }
  result.streamed_above = random.one_in(3) ? kNever : random.one_in(8) ? random.size(14) : 0;
  result.direct = random.one_in(2), result.along_source = random.one_in(4), result.prefetches = random.one_in(2);
  result.cached_source = random.one_in(4), result.staged = random.one_of<std::int64_t>({1, 2});
  result.fields = random.one_of<std::int64_t>({4, 16});
  if (random.one_in(8)) return result;
  result.tile = random.one_in(3) ? 256 << 10 : 128 + random.size(14);
  result.columns = random.one_in(2) ? 2048 : random.size(10), result.row = random.one_in(2) ? 1 << 20 : random.size(12);
  result.run = random.one_in(2) ? 0 : random.size(9), result.near = random.one_in(2) ? 0 : random.size(16);
  result.dense = random.one_in(2) ? 16 << 10 : random.size(12);
  return result;
}

problem random_problem(random_source& random, std::int64_t most, std::int64_t element_size, shape_kind kind) {
  problem p{.modes = {}, .element_size = element_size};
  auto const size = element_size;
  for (auto const extent : random_shape(random, most, size, kind)) p.modes.push_back({extent});
  if (kind == shape_kind::units) {
    auto& run = p.modes.back().extent;
    run = std::max<std::int64_t>(
        1, random.one_in(2) ? 16 * random.between(1, 8) / size : 128 * random.between(1, 9) / size + random.between(0, 1));
    for (auto& m : p.modes)
      if (&m != &p.modes.back()) m.extent = std::min<std::int64_t>(m.extent, std::max<std::int64_t>(1, most / run / 2));
  }
  // The source is dense but for a few gaps, and the modes but the run are in another order in the destination.
  bool const has_gaps = random.one_in(3), steps = random.one_in(12);
  auto const lay_out = [&](std::vector<std::size_t> const& order, std::int64_t mode::*stride, std::int64_t& offset) {
    std::int64_t step = steps && stride == &mode::source_stride ? random.between(2, 7) : 1;
    for (auto const i : order) {
      auto& m = p.modes[i];
      if (has_gaps && random.one_in(3))
        step += random.one_in(2) ? random.between(1, 3) : (64 - step * size % 64) % 64 / size + random.between(0, 1) * 64 / size;
      m.*stride = step;
      step *= m.extent;
      if (random.one_in(20)) {
        offset += (m.extent - 1) * m.*stride;
        m.*stride = -(m.*stride);
      }
    }
  };
  std::vector<std::size_t> order(p.modes.size());
  std::iota(order.rbegin(), order.rend(), std::size_t(0));
  lay_out(order, &mode::source_stride, p.source_offset);
  if (random.one_in(12)) {  // a mode that repeats what it reads
    auto& m = p.modes[std::size_t(random.between(0, std::ssize(p.modes) - 1))];
    if (m.source_stride < 0) p.source_offset += (m.extent - 1) * m.source_stride;
    m.source_stride = 0;
  }
  std::vector<std::size_t> outer(order.begin() + 1, order.end());
  switch (random.between(0, 4)) {
    case 0:
      random.shuffle(outer);
      break;
    case 1:  // the same order, and modes of which some may be fused
      break;
    case 2:
      std::ranges::reverse(outer);
      break;
    default:  // the columns change places with another mode
      if (outer.size() > 1)
        std::swap(outer[0], outer[std::size_t(random.between(1, std::min<std::int64_t>(2, std::ssize(outer) - 1)))]);
  }
  std::vector<std::size_t> after{order.front()};
  after.insert(after.end(), outer.begin(), outer.end());
  if (kind == shape_kind::shared || random.one_in(8)) random.shuffle(after);
  lay_out(after, &mode::destination_stride, p.destination_offset);
  return p;
}

dense_permutation random_inplace(random_source& random, std::int64_t most_bytes) {
  dense_permutation result{.shape = {}, .axes = {}, .element_size = random_element_size(random)};
  auto const most = std::max<std::int64_t>(4, most_bytes / result.element_size);
  if (random.one_in(4)) {
    result.shape = random_shape(random, most, result.element_size);
    result.axes.resize(result.shape.size());
    std::iota(result.axes.begin(), result.axes.end(), 0);
    random.shuffle(result.axes);
    return result;
  }
  if (random.one_in(6)) {  // a batch of small arrays
    auto const rows = random.between(2, 24), run = random.one_in(2) ? 1 : random_run(random);
    result.shape = {0, rows, 1, random.between(2, 24), run};
    if (result.element_size == 1 && random.one_in(2))  // a few that are long enough to be transposed in two passes
      result.shape = {random.between(2, 12), random.between(32, 96), 1, random.between(32, 96), 1};
    else if (random.one_in(6))  // a few of which a tile has one
      result.shape = {random.between(2, 4), rows, 1, std::max<std::int64_t>(2, random.between(256, 1024) / rows / run), run};
    else
      result.shape[0] = std::max<std::int64_t>(1, most / (result.shape[1] * result.shape[3] * result.shape[4]));
    result.axes = {0, 3, 2, 1, 4};
    return result;
  }
  auto const run = std::min(random_run(random), most / 4);
  auto const batch = random.one_in(3) ? random.between(2, 4) : 1, middle = random.one_in(4) ? random.between(2, 4) : 1;
  auto const left = std::max<std::int64_t>(4, most / run / batch / middle);
  std::int64_t rows = 1, columns = 1;
  switch (random.between(0, 4)) {
    case 3:
    case 4:  // a few long runs
      rows = random.between(2, 9), columns = random.between(2, 9);
      result.shape = {batch, rows, middle, columns, std::max<std::int64_t>(1, left / rows / columns)};
      if (random.one_in(2)) result.shape.back() += 64 - result.shape.back() % 64;
      result.axes = {0, 3, 2, 1, 4};
      return result;
    case 0: {  // squares
      auto const longest = std::int64_t(std::max(2.0, __builtin_sqrt(double(left))));
      rows = columns = random.one_in(2) ? std::min(longest, random_extent(random, longest)) : longest;
      break;
    }
    case 1:  // rectangles
      rows = random_extent(random, left / 2), columns = random.between(std::max<std::int64_t>(1, left / rows / 2), left / rows);
      break;
    default:  // skinny ones
      rows = random.between(2, 17), columns = std::max<std::int64_t>(1, left / rows);
      if (random.one_in(2)) columns = std::max<std::int64_t>(1, columns / 16 * 16);
      if (random.one_in(2)) std::swap(rows, columns);
  }
  result.shape = {batch, rows, middle, columns, run};
  result.axes = {0, 3, 2, 1, 4};
  return result;
}

}  // namespace cornerturn::fuzz
