#include "inplace/rectangle.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kFlagBytes = 4, kPartAlign = 256;  ///< bytes

/// The bytes of the workspace for a saved part of `runs` runs of each array.
std::int64_t saved_part_bytes(panels const& whole, std::int64_t runs) {
  return round_up(whole.batch.count * runs * whole.run * whole.element_size, kPartAlign);
}

panels panel_pass(panels const& whole, rectangle_cut const& cut) {
  auto result = whole;
  result.rows = cut.rows, result.columns = cut.columns;
  result.slots = result.count = cut.parts;
  result.source_stride = cut.rows * whole.source_pitch;
  result.destination_stride = cut.columns * whole.destination_pitch;
  return result;
}

std::int64_t bytes_of_flags(panels const& panel) {
  return panel.is_shifted() ? flags_bytes_for(panel.count * panel.batch.count) : 0;
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

}  // namespace

std::int64_t flags_bytes_for(std::int64_t count) { return round_up(kFlagBytes * count, kPartAlign); }

rectangle_cut cut_into(panels const& whole, std::int64_t parts) {
  rectangle_cut cut{.parts = parts,
                    .rows = whole.rows / parts,
                    .columns = whole.columns / parts,
                    .rows_left = whole.rows % parts,
                    .columns_left = whole.columns % parts};
  cut.workspace_bytes = bytes_of_flags(panel_pass(whole, cut)) + saved_part_bytes(whole, cut.rows_left * whole.columns) +
                        saved_part_bytes(whole, parts * cut.rows * cut.columns_left);
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
  // True if none of fewest to `last` parts, whose slots have the same extents, can be one of the cuts: with more parts less is
  // saved, and with fewer parts the passes cost less.
  auto const are_out = [&](std::int64_t fewest, std::int64_t last) {
    ++work_of_planning.cuts;
    auto bound = cut_into(whole, fewest);
    bound.workspace_bytes = saved_bytes(whole, last * bound.rows, last * bound.columns);
    return bound.workspace_bytes > most_workspace ||
           (result.size() == count && std::min(cost(bound, false), cost(bound, true)) > result.back().cost);
  };
  auto const consider_all = [&](auto const& self, std::int64_t fewest, std::int64_t last) {
    if (fewest > last || are_out(fewest, last)) return;
    if (auto const cut = cut_into(whole, last); cut.workspace_bytes <= most_workspace)
      for (bool const swaps_first : {false, true}) consider({cut, swaps_first, cost(cut, swaps_first)});
    if (fewest == last || are_out(fewest, last - 1)) return;
    auto const middle = fewest + (last - fewest) / 2;
    self(self, middle, last - 1);
    self(self, fewest, middle - 1);
  };
  auto const [least, most] = parts_of(whole, most_bytes);
  for (auto first = least, last = least; first <= most; first = last + 1) {
    // All numbers of parts from `first` to `last` have slots of the same extents. The more parts, the larger are the panels.
    last = std::min({most, whole.rows / (whole.rows / first), whole.columns / (whole.columns / first)});
    auto const fitting = most_bytes / (cut_into(whole, first).panel_bytes(whole) / first);
    consider_all(consider_all, first, std::min(last, fitting));
  }
  return result;
}

rectangle_passes::rectangle_passes(panels const& all, bool slots_first)
    : panel(all), swaps_first(slots_first), flags_bytes(bytes_of_flags(all)), workspace_bytes(flags_bytes) {}

void rectangle_passes::save_rows(panels const& whole, std::int64_t first) {
  auto const run = whole.run, rows = whole.rows - first, elements = rows * whole.source_pitch;
  saved_part part{
      .save = stated(whole, {whole.batch.count, whole.batch.stride, elements}, {{elements, 1, 1}}),
      .restore = stated(whole, {whole.batch.count, elements, whole.batch.stride},
                        {{rows, whole.source_pitch, run}, {whole.columns, run, whole.destination_pitch}, {run, 1, 1}})};
  part.save.source_offset = whole.offset + first * whole.source_pitch;
  part.restore.destination_offset = whole.offset + first * run;
  add(std::move(part), saved_part_bytes(whole, rows * whole.columns));
}

void rectangle_passes::save_columns(panels const& whole, std::int64_t rows, std::int64_t first) {
  auto const run = whole.run, columns = whole.columns - first, row = columns * run;
  saved_part part{
      .save = stated(whole, {whole.batch.count, whole.batch.stride, rows * row}, {{rows, whole.source_pitch, row}, {row, 1, 1}}),
      .restore = stated(whole, {whole.batch.count, rows * row, whole.batch.stride},
                        {{rows, row, run}, {columns, run, whole.destination_pitch}, {run, 1, 1}})};
  part.save.source_offset = whole.offset + first * run;
  part.restore.destination_offset = whole.offset + first * whole.destination_pitch;
  add(std::move(part), saved_part_bytes(whole, rows * columns));
}

void rectangle_passes::add(saved_part part, std::int64_t bytes) {
  if (bytes == 0) return;
  part.save = canonical(part.save), part.restore = canonical(part.restore);
  part.offset = std::exchange(workspace_bytes, workspace_bytes + bytes);
  saved.push_back(std::move(part));
}

rectangle_passes passes_of(panels const& whole, rectangle_cut const& cut, bool swaps_first) {
  rectangle_passes result(panel_pass(whole, cut), swaps_first);
  result.slots = slots_pass(whole, cut, swaps_first);
  result.save_rows(whole, cut.parts * cut.rows);
  result.save_columns(whole, cut.parts * cut.rows, cut.parts * cut.columns);
  return result;
}

}  // namespace cornerturn
