#include "plan/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kUnit = 16, kBankRow = 128;
/// Bytes of the destination that tiles with a halo write as a whole: sectors of which each has a part cost more than the halo.
constexpr std::int64_t grain_of(std::int64_t size) { return size == 1 ? 16 : 32; }
constexpr std::int64_t kMostShared = 112 << 10;     ///< bytes that a tile needs: two fit on a multiprocessor
constexpr std::int64_t kMostRows = 2048;            ///< on either side; the tables of rows have 16 bytes for each
constexpr std::int64_t kMostPlaces = 4400;          ///< elements of a destination row before places repeat, four bytes each
constexpr std::int64_t kThreads = 256, kLanes = 8;  ///< of a block; side by side, so that they write 128 bytes
constexpr std::int64_t kWidestGap = 16;             ///< bytes between elements of the source that are read along

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

/// How many of `extent` indices to take where about `wanted` would do, in multiples of `grain` where there is a choice.
std::int64_t balanced(std::int64_t extent, std::int64_t wanted, std::int64_t grain) {
  if (2 * extent <= 3 * wanted) return extent;
  auto const piece = extent < 8 * wanted ? ceil_div(extent, ceil_div(extent, wanted)) : wanted;
  return grain > wanted ? piece : std::min(round_up(piece, grain), extent);
}

/// The divisor of `extent` next to `wanted`, within a factor of two of it; else `extent`.
std::int64_t divisor_near(std::int64_t extent, std::int64_t wanted) {
  for (std::int64_t off = 0; off <= wanted; ++off) {
    if (extent % (wanted + off) == 0) return wanted + off;
    if (2 * (wanted - off) >= wanted && wanted > off && extent % (wanted - off) == 0) return wanted - off;
  }
  return extent;
}

/// What a tile takes of a mode. Where it is part of both the run and the vectors, the vectors have a multiple of the run.
struct part {
  mode whole;
  std::int64_t run = 0, vectors = 0;  ///< indices; 0 where the mode is no part of it
  std::int64_t batch = 1;

  std::int64_t inner() const { return std::max({run, vectors, std::int64_t(1)}); }
  std::int64_t columns() const { return vectors / std::max<std::int64_t>(run, 1); }
  std::int64_t tile() const { return inner() * batch; }
  std::int64_t left() const { return ceil_div(whole.extent, tile()); }
  bool divides() const { return left() * tile() == whole.extent; }
  bool run_cut() const { return run && run < whole.extent; }
  bool vector_cut() const { return vectors && vectors != whole.extent; }
};

/// A problem on its way to becoming tiles.
struct cutting {
  std::int64_t size;
  std::vector<part> parts;
  std::vector<int> by_destination;
  std::vector<int> run_chain, vector_chain;  ///< modes that follow each other on either side, the fastest first

  explicit cutting(problem const& p) : size(p.element_size) {
    for (auto const& each : p.modes) parts.push_back({.whole = each});
    by_destination.resize(parts.size());
    std::iota(by_destination.begin(), by_destination.end(), 0);
    auto by_source = by_destination;
    std::ranges::sort(by_destination, {}, [&](int i) { return parts[i].whole.destination_stride; });
    std::ranges::sort(by_source, {}, [&](int i) { return std::abs(parts[i].whole.source_stride); });

    std::int64_t next = 1;
    for (int const i : by_destination) {
      if (parts[i].whole.destination_stride != next) break;
      vector_chain.push_back(i);
      next *= parts[i].whole.extent;
    }
    std::int64_t span = 1;
    for (int const i : by_source) {
      auto const stride = std::abs(parts[i].whole.source_stride);
      if (stride == 0) continue;
      if (stride < span || (stride - span) * size > kWidestGap) break;
      run_chain.push_back(i);
      span += (parts[i].whole.extent - 1) * stride;
    }
  }

  void take(std::vector<int> const& chain, std::int64_t part::*side, std::int64_t wish) {
    for (auto& each : parts) each.*side = 0;
    std::int64_t elements = 1;
    for (int const i : chain) {
      if (elements >= wish) break;
      auto& each = parts[i];
      auto const grain = std::max<std::int64_t>(1, 32 / std::gcd<std::int64_t>(32, size * elements));
      each.*side = balanced(each.whole.extent, ceil_div(wish, elements), grain);
      elements *= each.*side;
      if (each.*side < each.whole.extent) break;
    }
  }

  /// The last mode of a chain that the tile has; -1 where it has none.
  int slowest(std::vector<int> const& chain, std::int64_t part::*side) const {
    int last = -1;
    for (int const i : chain)
      if (parts[i].*side) last = i;
    return last;
  }

  /// Makes modes that are in both agree. Only the slowest mode of a side may be cut there.
  void agree() {
    int const run_last = slowest(run_chain, &part::run), vector_last = slowest(vector_chain, &part::vectors);
    for (int i = 0; i < int(parts.size()); ++i) {
      auto& each = parts[i];
      if (!each.run || !each.vectors) continue;
      if (i != run_last)
        each.vectors = each.run = each.whole.extent;
      else if (i == vector_last) {
        // Vectors side by side that are a multiple of 64 bytes apart in a row would meet the same banks: then they are columns.
        auto const vector = kUnit / size;
        if (i == vector_chain.front() && each.whole.source_stride % 4 == 0 && each.vectors > vector) each.run = vector;
        each.vectors = round_up(each.vectors, each.run);
      } else
        each.run = divisor_near(each.whole.extent, each.run), each.vectors = each.whole.extent;
    }
  }

  std::int64_t elements() const {
    std::int64_t product = 1;
    for (auto const& each : parts) product *= each.tile();
    return product;
  }

  /// Whether a destination row may begin or end within a vector of `width` elements.
  bool ragged(alignment const& aligned, std::int64_t width, std::int64_t offset, std::int64_t row, int cut) const {
    auto const whole = [&](std::int64_t elements) { return elements % width == 0; };
    if (aligned.destination % kUnit || !whole(offset) || !whole(row)) return true;
    if (cut >= 0 && !whole(parts[cut].whole.extent % parts[cut].vectors * (row / parts[cut].vectors))) return true;
    return std::ranges::any_of(parts, [&](part const& each) {
      auto const step = std::max<std::int64_t>(each.vectors, 1);
      return each.whole.extent > step && !whole(step * each.whole.destination_stride);
    });
  }

  /// Takes part of the modes that are left until the tile has about `wish` elements. A mode that this does not divide needs a
  /// side on which nothing is cut yet.
  void fill(std::int64_t wish) {
    for (auto& each : parts) each.batch = 1;
    auto edges = 2 - std::ranges::any_of(parts, &part::run_cut) - std::ranges::any_of(parts, &part::vector_cut);
    for (int const i : by_destination) {
      auto& each = parts[i];
      auto const wanted = std::min(ceil_div(wish, elements()), each.left());
      if (wanted <= 1) continue;
      each.batch = ceil_div(each.left(), ceil_div(each.left(), wanted));
      if (each.run_cut() || each.vector_cut() || each.divides()) continue;
      if (edges > 0) {
        --edges;
        continue;
      }
      each.batch = wanted;
      while (!each.divides()) --each.batch;
    }
  }
};

}  // namespace

problem refit_elements(problem const& given, alignment const& aligned) {
  problem p = given;
  auto const least = std::min<std::int64_t>(aligned.source, aligned.destination);
  if (least < p.element_size) {
    auto const factor = p.element_size / least;
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
    return 2 * p.element_size <= std::min<std::int64_t>(16, least) && p.source_offset % 2 == 0 && p.destination_offset % 2 == 0 &&
           std::ranges::any_of(p.modes, is_run) && std::ranges::all_of(p.modes, even);
  };
  while (doubles()) {
    for (auto& each : p.modes)
      if (is_run(each))
        each.extent /= 2;
      else
        each.source_stride /= 2, each.destination_stride /= 2;
    p.element_size *= 2;
    p.source_offset /= 2;
    p.destination_offset /= 2;
  }
  return p.element_size == given.element_size ? p : canonical(p);
}

gather_plan plan_gather(problem const& p, alignment const& aligned, tile_wish const& wish) {
  auto const size = p.element_size;
  cutting cut(p);
  gather_plan plan{};
  plan.element_size = int(size);
  plan.source_offset = p.source_offset;
  plan.destination_offset = p.destination_offset;
  bool const single = cut.vector_chain.empty();
  std::int64_t const width = single ? 1 : kUnit / size;

  auto const on_units = [&](std::int64_t elements) { return elements * size % kUnit == 0; };
  bool turns, source_aligned;
  int run_cut, vector_cut;
  std::int64_t span, columns, lines, batch, vector_elements, halo, pitch, together, spread, row_area, period, places;
  auto run_wish = std::max<std::int64_t>(1, wish.run / size), vector_wish = std::max<std::int64_t>(1, wish.vectors / size),
       tile_wish = std::max<std::int64_t>(1, wish.tile / size);
  for (;;) {
    cut.take(cut.run_chain, &part::run, run_wish);
    cut.take(cut.vector_chain, &part::vectors, vector_wish);
    cut.agree();
    cut.fill(tile_wish);
    source_aligned =
        aligned.source % kUnit == 0 && on_units(p.source_offset) && std::ranges::all_of(cut.parts, [&](part const& each) {
          auto const stride = each.whole.source_stride, step = stride * std::max<std::int64_t>(each.run, 1);
          return each.run == each.whole.extent ? stride > 0 || on_units(stride) : on_units(step) && (each.run == 0 || stride > 0);
        });
    span = columns = lines = batch = vector_elements = 1;
    run_cut = vector_cut = -1;
    for (int i = 0; i < int(cut.parts.size()); ++i) {
      auto const& each = cut.parts[i];
      batch *= each.batch;
      if (each.run) span += (each.run - 1) * std::abs(each.whole.source_stride);
      if (each.run && !each.vectors) lines *= each.run;
      if (each.vectors) vector_elements *= each.vectors, columns *= each.columns();
      if (each.run_cut()) run_cut = i;
      if (each.vector_cut()) vector_cut = i;
    }
    auto const* const first = cut.run_chain.empty() ? nullptr : &cut.parts[cut.run_chain.front()];
    turns = size == 1 && wish.squares && !single && first && first->run > 1 && !first->vectors && first->whole.source_stride == 1;
    auto const* const fastest = single ? nullptr : &cut.parts[cut.vector_chain.front()];
    std::int64_t const common = fastest && fastest->vectors && fastest->run ? fastest->run : 1;
    together = turns ? 4 : common >= width || width % common ? 1 : width / common, spread = turns ? 2 * kUnit : kUnit;
    plan.form.ragged = !single && cut.ragged(aligned, width, p.destination_offset, vector_elements, vector_cut);

    // Where both sides cut the same mode, and nothing else is on one side only, its indices are alike.
    bool const alike = vector_cut >= 0 && vector_cut == run_cut && columns == 1 && lines == 1;
    period = alike ? vector_elements / cut.parts[vector_cut].vectors : vector_elements;
    plan.form.ragged |= alike && period % width != 0 && !single;

    // A tile that reads beyond its vectors ends each row in a whole one.
    halo = 0;
    if (plan.form.ragged && vector_cut >= 0 && !cut.parts[vector_cut].run && cut.parts[vector_cut].left() > 1) {
      auto const part = cut.parts[vector_cut].vectors;
      halo = ceil_div(grain_of(size) / size - 1, vector_elements / part);
      columns = columns / part * (part + halo);
    }
    auto const row_bytes = round_up(span * size, kUnit) + (source_aligned ? 0 : 2 * kUnit);
    pitch = columns > 1 ? round_up(row_bytes, std::max(spread, kBankRow / together)) : row_bytes;
    row_area = columns * pitch + ceil_div(columns, together) * spread;
    places = round_up(alike ? std::min(period + width, vector_elements)
                            : vector_elements + halo * vector_elements / (vector_cut < 0 ? 1 : cut.parts[vector_cut].vectors),
                      4);
    auto const tables = kUnit * (columns + lines) * batch + 5 * places,
               turned = turns ? lines * batch * (vector_elements + kUnit) : 0;
    if (row_area * batch + tables + turned <= kMostShared && columns * batch <= kMostRows && lines * batch <= kMostRows &&
        places <= kMostPlaces)
      break;
    if (batch > 1)
      tile_wish = std::min(tile_wish, cut.elements()) / 2;
    else
      (run_wish >= vector_wish ? run_wish : vector_wish) /= 2;
  }

  // What is cut on either side; where nothing is, the side is free for a mode of the batch that does not divide.
  auto& job = plan.job;
  job.run_part = run_cut < 0 ? 1 : int(cut.parts[run_cut].run);
  job.run_step = run_cut < 0 ? 1 : int(cut.parts[run_cut].whole.source_stride * size);
  job.vector_part = vector_cut < 0 ? 1 : int(cut.parts[vector_cut].vectors);
  job.vector_elements = int(vector_elements);
  job.vector_rest = job.vector_elements / job.vector_part;
  job.halo = int(halo);
  while (2 << job.log_together <= together) ++job.log_together;
  job.vector_reach = vector_cut < 0 ? 1 : int(cut.parts[vector_cut].tile() + halo);
  std::int64_t before = 0;
  job.run_rest = int(size);
  for (int i = 0; i < int(cut.parts.size()); ++i) {
    auto const& each = cut.parts[i];
    if (!each.run) continue;
    auto const reach = (each.run - 1) * each.whole.source_stride * size;
    if (reach < 0) before -= reach;
    if (i == run_cut) continue;
    job.run_rest += int(std::abs(reach));
    job.run_low += int(std::min<std::int64_t>(reach, 0));
  }
  job.origin = int(round_up(before, kUnit));
  for (int i = 0; i < int(cut.parts.size()); ++i) {
    auto const& each = cut.parts[i];
    if (each.batch == 1 || each.run_cut() || each.vector_cut() || each.divides()) continue;
    (vector_cut < 0 ? vector_cut : run_cut) = i;
    if (vector_cut == i) job.vector_reach = int(each.tile());
  }
  if (run_cut >= 0) job.run_extent = cut.parts[run_cut].whole.extent;
  if (vector_cut >= 0) job.vector_extent = cut.parts[vector_cut].whole.extent;

  // The digits of the numbers that a block counts.
  std::size_t digits = 0;
  std::int64_t low = 0, high = 0, furthest = vector_elements * size;
  auto const add = [&](int i, std::int64_t radix, std::int64_t step, digit each) {
    if (radix == 1) return;
    each.radix = cutlass::FastDivmod(int(radix));
    if (i == run_cut) each.of_run = int(step);
    if (i == vector_cut) each.of_vectors = int(step);
    job.digits.at(digits++) = each;
  };
  auto const list = [&](digit_range& range, std::vector<int> const& order, auto const& each) {
    range.begin = int(digits);
    for (int const i : order) each(i, cut.parts[std::size_t(i)]);
    range.end = int(digits);
  };
  auto const source_step = [&](part const& each, std::int64_t step) { return step * each.whole.source_stride * size; };
  auto const destination_step = [&](part const& each, std::int64_t step) { return step * each.whole.destination_stride * size; };

  std::int64_t tiles = 1;
  list(job.outer, cut.by_destination, [&](int i, part const& each) {
    add(i, each.left(), each.tile(),
        {.source = source_step(each, each.tile()), .destination = destination_step(each, each.tile())});
    tiles *= each.left();
  });
  std::int64_t at = row_area;
  list(job.batch, cut.by_destination, [&](int i, part const& each) {
    add(i, each.batch, each.inner(),
        {.at = int(at), .source = source_step(each, each.inner()), .destination = destination_step(each, each.inner())});
    at *= each.batch;
  });
  std::int64_t column = 1;
  list(job.columns, cut.vector_chain, [&](int i, part const& each) {
    if (!each.vectors) return;
    auto const run = std::max<std::int64_t>(each.run, 1), count = each.columns() + (i == vector_cut ? halo : 0);
    add(i, count, run, {.at = int(column * pitch), .source = source_step(each, run)});
    column *= count;
  });
  list(job.lines, turns ? cut.run_chain : cut.by_destination, [&](int i, part const& each) {
    if (each.run && !each.vectors)
      add(i, each.run, 1, {.at = int(source_step(each, 1)), .destination = destination_step(each, 1)});
  });
  column = 1;
  list(job.vectors, cut.vector_chain, [&](int i, part const& each) {
    if (!each.vectors) return;
    if (each.run) add(i, each.run, 1, {.at = int(source_step(each, 1))});
    auto const run = std::max<std::int64_t>(each.run, 1);
    add(i, each.columns() + (i == vector_cut ? halo : 0), run,
        {.at = int(column * pitch), .source = source_step(each, run), .destination = column});
    column *= each.columns();
  });
  for (auto const& each : cut.parts) {
    auto const reach = source_step(each, each.tile() - 1 + (each.vector_cut() ? halo : 0));
    (reach < 0 ? low : high) += reach;
    furthest += destination_step(each, each.tile() - 1);
  }

  job.tiles = int(tiles);
  job.source_rows = int(columns * batch);
  job.destination_rows = int(lines * batch);
  job.columns_per_batch = cutlass::FastDivmod(int(columns));
  job.lines_per_batch = cutlass::FastDivmod(int(lines));
  job.tile_low = low - kUnit;
  job.tile_high = high + size + kUnit;
  job.loads = cutlass::FastDivmod(int(ceil_div(span * size + (source_aligned ? 0 : kUnit - size), kUnit)));
  job.grain = int(halo ? grain_of(size) : width * size);
  job.ragged = plan.form.ragged;
  auto const stores = round_up(vector_elements * size, job.grain) / (width * size);
  job.lined_up = job.ragged && stores >= 2 * kLanes;
  auto const lanes = job.lined_up ? kLanes : ceil_div(stores, ceil_div(stores, kLanes));
  job.lanes = cutlass::FastDivmod(int(lanes));
  job.stands = int(kThreads / lanes);
  job.rows = cutlass::FastDivmod(job.destination_rows);
  job.stores = int(ceil_div(stores + (job.lined_up ? kLanes - 1 : 0), lanes));
  job.ends = cutlass::FastDivmod(int(job.grain / size + width));

  job.places = int(places);
  if (period < vector_elements) {
    job.period = cutlass::FastDivmod(int(period));
    job.period_bytes = job.run_step;
  }
  job.rows_at = int(round_up(batch * row_area + job.origin, kUnit));
  job.places_at = int(job.rows_at + kUnit * (job.source_rows + job.destination_rows));
  job.shared_bytes = int(job.places_at + round_up(4 * (job.places + (width >= 8 ? ceil_div(job.places, width) * 4 : 0)), kUnit));
  if (turns) {
    job.lines_together = int(cut.parts[cut.run_chain.front()].run);
    auto const eights = ceil_div(job.lines_together, 8), all = job.destination_rows / job.lines_together * eights,
               line_lanes = std::min<std::int64_t>(all, 4);
    job.eights = cutlass::FastDivmod(int(eights));
    job.line_lanes = cutlass::FastDivmod(int(line_lanes));
    job.line_stands = int(kThreads / line_lanes);
    job.line_turns = int(ceil_div(all, line_lanes));
    job.fours = cutlass::FastDivmod(int(job.places / 4));
    job.turned_at = job.shared_bytes;
    job.turned_pitch = int((job.places / 4 | 1) * 4);
    job.shared_bytes += int(round_up(job.destination_rows * job.turned_pitch + 4, kUnit));
  }
  plan.form.turns = turns;
  plan.form.single = width == 1;
  plan.form.wide = std::max(furthest, high - low + 2 * kUnit) >= std::int64_t(1) << 31;

  for (auto const& each : p.modes)
    (each.source_stride < 0 ? job.source_low : job.source_high) += (each.extent - 1) * each.source_stride * size;
  job.source_high += size;
  return plan;
}

std::string describe(gather_plan const& plan) {
  auto const& job = plan.job;
  return fmt::format(
      "gather of {} tiles: {} source rows of {} bytes, {} destination rows of {} bytes{}{}, {} bytes of shared memory", job.tiles,
      job.source_rows, (job.run_part - 1) * std::abs(job.run_step) + job.run_rest, job.destination_rows,
      job.vector_elements * plan.element_size, plan.form.ragged ? ", ragged" : "", plan.form.turns ? ", turned in squares" : "",
      job.shared_bytes);
}

}  // namespace cornerturn
