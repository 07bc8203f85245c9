#include "kernel/tiled/box.hpp"

#include <cstdlib>
#include <numeric>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "block/sizes.hpp"

namespace cornerturn {

tiled_box::tiled_box(problem const& p) : sizes(p.element_size), count(int(p.modes.size())) {
  for (int i = 0; i < count; ++i) {
    modes[std::size_t(i)].whole = p.modes[std::size_t(count - 1 - i)];
    by_source[std::size_t(i)] = i;
  }
  // Modes that repeat elements come last, because they do not belong to a run.
  std::sort(by_source.begin(), by_source.begin() + count, [&](int a, int b) {
    auto const stride = [&](int i) { return std::uint64_t(std::abs(modes[std::size_t(i)].whole.source_stride)) - 1; };
    return stride(a) < stride(b);
  });
  if (count > 0 && modes[std::size_t(by_source[0])].whole.source_stride == 1) first = by_source[0];
}

template <class Order>
void tiled_box::take(Order const& order, std::int64_t mode::*stride, std::int64_t size, std::int64_t wanted) {
  std::int64_t length = 1, next = 1;
  for (int k = 0; k < count && length < wanted; ++k) {
    auto& each = modes[std::size_t(order(k))];
    if (each.whole.*stride != next) return;
    next *= each.whole.extent;
    auto const grain = std::max<std::int64_t>(1, kSectorBytes / std::gcd<std::int64_t>(kSectorBytes, size * length));
    each.taken = std::max(each.taken, balanced_part(each.whole.extent, ceil_div(wanted, length), grain));
    length *= each.taken;
    if (each.is_cut()) return;
  }
}

/// Finds the modes of the box that are contiguous on one side. Returns their number.
template <class Order>
int tiled_box::chain(Order const& order, std::int64_t mode::*stride, std::int64_t box_mode::*step, std::int64_t& length) {
  length = 1;
  for (int k = 0; k < count; ++k) {
    auto& each = modes[std::size_t(order(k))];
    if (each.whole.*stride != length || each.taken == 1) return k;
    each.*step = length;
    length *= each.taken;
    if (each.is_cut()) return k + 1;
  }
  return count;
}

void tiled_box::choose(std::int64_t run_wanted, std::int64_t vectors_wanted) {
  ++work_of_planning.tilings;
  for (int i = 0; i < count; ++i) modes[std::size_t(i)] = {.whole = modes[std::size_t(i)].whole};
  auto const in_source = [&](int k) { return by_source[std::size_t(k)]; };
  auto const in_destination = [](int k) { return k; };
  take(in_destination, &mode::destination_stride, sizes.destination, vectors_wanted);
  take(in_source, &mode::source_stride, sizes.source, run_wanted);
  vector_count = chain(in_destination, &mode::destination_stride, &box_mode::vector_step, vectors);
  chain(in_source, &mode::source_stride, &box_mode::run_step, run);
  run_cut = vector_cut = kNone;
  elements = 1;
  for (int i = 0; i < count; ++i) {
    auto const& each = modes[std::size_t(i)];
    elements *= each.taken;
    if (each.taken > 1 && !each.divides()) (each.vector_step ? vector_cut : run_cut) = i;
  }
  before_first = first > 0 && first < vector_count ? modes[std::size_t(first)].vector_step : vectors;
}

void tiled_box::choose(tiled_hint const& hint) {
  auto const most = hint.tile / sizes.source;
  auto run_wanted = std::max<std::int64_t>(1, hint.run / sizes.source),
       vectors_wanted = std::max<std::int64_t>(1, hint.vectors / sizes.destination);
  choose(run_wanted, vectors_wanted);
  while (elements > most) {
    bool const cuts_run = vectors_wanted == 1 || (run_wanted > 1 && run >= vectors);
    (cuts_run ? run_wanted : vectors_wanted) /= 2;
    choose(run_wanted, vectors_wanted);
  }
  if (!hint.grows) return;
  // If modes are short, the rows of one side grow until the tile is full.
  for (bool const along_run : {false, true})
    for (auto factor = most / elements; factor >= 2; factor /= 2) {
      auto const longer_run = along_run ? run * factor : run_wanted,
                 longer_vectors = along_run ? vectors_wanted : vectors * factor;
      auto const before = *this;
      choose(longer_run, longer_vectors);
      if (elements <= most) {
        run_wanted = longer_run, vectors_wanted = longer_vectors;
        break;
      }
      *this = before;
    }
}

tiled_widths tiled_box::widest(problem const& p, alignment const& aligned) const {
  auto const inside = [](box_mode const& each) { return std::gcd(each.whole.extent, each.taken); };
  auto const of_side = [&](std::int64_t address, std::int64_t size, std::int64_t offset, std::int64_t length) {
    return std::gcd(std::gcd(std::gcd(std::max<std::int64_t>(1, address / size), kUnitBytes / size), offset), length);
  };
  auto load = of_side(aligned.source, sizes.source, p.source_offset, first == kNone ? 1 : inside(modes[std::size_t(first)])),
       store = of_side(aligned.destination, sizes.destination, p.destination_offset, before_first);
  for (int i = 0; i < count; ++i) {
    auto const& each = modes[std::size_t(i)];
    if (i != first) load = std::gcd(load, each.whole.source_stride);
    bool const in_store = each.vector_step && each.vector_step < before_first;
    if (!in_store || each.is_cut())
      store = std::gcd(store, in_store ? each.whole.extent * each.vector_step : each.whole.destination_stride);
  }
  // Elements of a store whose factors differ lie within the fastest mode.
  if (has_factors()) store = std::gcd(store, inside(modes[0]));
  bool const has_rows = first > 0 && vector_count > 0;
  return {int(load), has_rows ? int(inside(modes[0])) : 1, int(store)};
}

std::int64_t tiled_box::place(tiled_widths const& widths, tiled_job& job) {
  std::int64_t next = 1;
  auto const add = [&](int i) {
    auto& each = modes[std::size_t(i)];
    each.shared_step = next;
    if (i != first) {
      next *= each.taken;
      return;
    }
    // Neighbouring threads store columns that are an odd number of words or of whole vectors apart.
    auto const unit = std::max({std::int64_t(widths.store), std::int64_t(widths.rows), 4 / sizes.source});
    auto pitch = next, gap = std::int64_t(0);
    if (i > 0) {
      pitch = round_up(next, unit);
      if (widths.load > 1)
        gap = unit;
      else if (pitch / unit % 2 == 0)
        pitch += unit;
    }
    job.column_step = int(pitch);
    each.shared_step = pitch * widths.load + gap;
    next = each.taken / widths.load * each.shared_step;
  };
  for (int i = 0; i < vector_count; ++i) add(i);
  for (int k = 0; k < count; ++k)
    if (auto const i = by_source[std::size_t(k)]; i >= vector_count && modes[std::size_t(i)].taken > 1) add(i);
  return next;
}

int tiled_box::grid(std::int64_t offset, std::int64_t size, std::int64_t mode::*stride, std::int64_t box_mode::*step) const {
  std::int64_t result = std::gcd<std::int64_t>(kLineBytes, offset * size);
  for (int i = 0; i < count; ++i) {
    auto const& each = modes[std::size_t(i)];
    if (each.is_cut() || each.*step == 0) result = std::gcd(result, (each.*step ? each.taken : 1) * each.whole.*stride * size);
  }
  return int(result);
}

}  // namespace cornerturn
