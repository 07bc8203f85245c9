#include "plan/rectangle.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernel/round.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kFlagBytes = 4, kPartAlign = 256;  ///< bytes

std::int64_t saved_rows_bytes(panels const& whole, rectangle_cut const& cut) {
  return round_up(whole.batch.count * cut.rows_left * whole.columns * whole.run * whole.element_size, kPartAlign);
}

std::int64_t saved_columns_bytes(panels const& whole, rectangle_cut const& cut) {
  return round_up(whole.batch.count * cut.parts * cut.rows * cut.columns_left * whole.run * whole.element_size, kPartAlign);
}

panels panel_pass(panels const& whole, rectangle_cut const& cut) {
  auto result = whole;
  result.rows = cut.rows, result.columns = cut.columns;
  result.slots = result.count = cut.parts;
  result.source_stride = cut.rows * whole.source_pitch;
  result.destination_stride = cut.columns * whole.destination_pitch;
  return result;
}

std::int64_t flags_bytes(panels const& whole, rectangle_cut const& cut) {
  auto const panel = panel_pass(whole, cut);
  return panel.is_shifted() ? round_up(kFlagBytes * panel.count * panel.batch.count, kPartAlign) : 0;
}

/// The bytes of the elements that are saved if the slots fill `rows` x `columns` runs.
std::int64_t saved_bytes(panels const& whole, std::int64_t rows, std::int64_t columns) {
  return (whole.rows * whole.columns - rows * columns) * whole.batch.count * whole.run * whole.element_size;
}

/// The least and the most parts along each side that are tried.
std::pair<std::int64_t, std::int64_t> parts_of(panels const& whole, std::int64_t most_bytes) {
  constexpr std::int64_t kWidest = 16, kTries = 4096;
  auto const least = std::max<std::int64_t>(1, whole.bytes_of_panel() / most_bytes);
  return {least, std::min({whole.rows, whole.columns, std::max(kWidest * least, least + kTries)})};
}

bool is_within(panels const& whole, rectangle_cut const& cut, std::int64_t most_bytes, std::int64_t most_workspace) {
  return cut.panel_bytes(whole) <= most_bytes && cut.workspace_bytes <= most_workspace;
}

/// A problem within one array, or between the array and the workspace. `batch` is the outermost mode.
problem stated(panels const& whole, mode const& batch, std::vector<mode> inner) {
  problem result{.modes = {batch}, .element_size = whole.element_size};
  result.modes.insert(result.modes.end(), inner.begin(), inner.end());
  return result;
}

problem slots_pass(panels const& whole, rectangle_cut const& cut, bool swaps_first) {
  auto const pitch = swaps_first ? whole.source_pitch : whole.destination_pitch;
  auto const rows = swaps_first ? cut.rows : cut.columns, run = (swaps_first ? cut.columns : cut.rows) * whole.run;
  auto result = stated(whole, {whole.batch.count, whole.batch.stride, whole.batch.stride},
                       {{cut.parts, rows * pitch, run}, {rows, pitch, pitch}, {cut.parts, run, rows * pitch}, {run, 1, 1}});
  result.source_offset = result.destination_offset = whole.offset;
  return canonical(result);
}

saved_part rows_part(panels const& whole, rectangle_cut const& cut) {
  auto const run = whole.run, rows = cut.rows_left, elements = rows * whole.source_pitch, above = cut.parts * cut.rows;
  saved_part part{
      .save = stated(whole, {whole.batch.count, whole.batch.stride, elements}, {{elements, 1, 1}}),
      .restore = stated(whole, {whole.batch.count, elements, whole.batch.stride},
                        {{rows, whole.source_pitch, run}, {whole.columns, run, whole.destination_pitch}, {run, 1, 1}})};
  part.save.source_offset = whole.offset + above * whole.source_pitch;
  part.restore.destination_offset = whole.offset + above * run;
  return part;
}

saved_part columns_part(panels const& whole, rectangle_cut const& cut) {
  auto const run = whole.run, rows = cut.parts * cut.rows, row = cut.columns_left * run, before = cut.parts * cut.columns;
  saved_part part{
      .save = stated(whole, {whole.batch.count, whole.batch.stride, rows * row}, {{rows, whole.source_pitch, row}, {row, 1, 1}}),
      .restore = stated(whole, {whole.batch.count, rows * row, whole.batch.stride},
                        {{rows, row, run}, {cut.columns_left, run, whole.destination_pitch}, {run, 1, 1}})};
  part.save.source_offset = whole.offset + before * run;
  part.restore.destination_offset = whole.offset + before * whole.destination_pitch;
  return part;
}

}  // namespace

rectangle_cut cut_into(panels const& whole, std::int64_t parts) {
  rectangle_cut cut{.parts = parts,
                    .rows = whole.rows / parts,
                    .columns = whole.columns / parts,
                    .rows_left = whole.rows % parts,
                    .columns_left = whole.columns % parts};
  cut.workspace_bytes = flags_bytes(whole, cut) + saved_rows_bytes(whole, cut) + saved_columns_bytes(whole, cut);
  return cut;
}

std::vector<ranked_cut> cheapest_cuts(panels const& whole, std::int64_t most_bytes, std::int64_t most_workspace,
                                      std::size_t count, cut_cost const& cost) {
  std::vector<ranked_cut> result;
  auto const comes_before = [](ranked_cut const& a, ranked_cut const& b) {
    return std::tuple(a.cost, a.cut.parts, a.swaps_first) < std::tuple(b.cost, b.cut.parts, b.swaps_first);
  };
  auto const consider = [&](ranked_cut const& each) {
    if (result.size() == count && !comes_before(each, result.back())) return;
    if (result.size() == count) result.pop_back();
    result.insert(std::ranges::upper_bound(result, each, comes_before), each);
  };
  auto const [least, most] = parts_of(whole, most_bytes);
  for (auto first = least, last = least; first <= most; first = last + 1) {
    // All numbers of parts from `first` to `last` have slots of the same extents. The more parts, the less is saved.
    last = std::min({most, whole.rows / (whole.rows / first), whole.columns / (whole.columns / first)});
    auto bound = cut_into(whole, first);
    for (auto parts = last; parts >= first; --parts) {
      bound.workspace_bytes = saved_bytes(whole, parts * bound.rows, parts * bound.columns);
      if (bound.workspace_bytes > most_workspace) break;
      if (result.size() == count && std::min(cost(bound, false), cost(bound, true)) > result.back().cost) break;
      auto const cut = cut_into(whole, parts);
      if (!is_within(whole, cut, most_bytes, most_workspace)) continue;
      for (bool const swaps_first : {false, true}) consider({cut, swaps_first, cost(cut, swaps_first)});
    }
  }
  return result;
}

rectangle_passes passes_of(panels const& whole, rectangle_cut const& cut, bool swaps_first) {
  rectangle_passes result{.panel = panel_pass(whole, cut),
                          .slots = slots_pass(whole, cut, swaps_first),
                          .swaps_first = swaps_first,
                          .saved = {},
                          .flags_bytes = flags_bytes(whole, cut)};
  result.workspace_bytes = result.flags_bytes;
  auto const add = [&](saved_part part, std::int64_t bytes) {
    if (bytes == 0) return;
    part.save = canonical(part.save), part.restore = canonical(part.restore);
    part.offset = std::exchange(result.workspace_bytes, result.workspace_bytes + bytes);
    result.saved.push_back(std::move(part));
  };
  add(rows_part(whole, cut), saved_rows_bytes(whole, cut));
  add(columns_part(whole, cut), saved_columns_bytes(whole, cut));
  return result;
}

}  // namespace cornerturn
