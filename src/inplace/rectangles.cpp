#include "inplace/rectangles.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/planning_work.hpp"
#include "base/round.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kFlagBytes = 4, kPartAlign = 256;  ///< bytes

/// The bytes of the workspace for a saved part of `runs` runs of each array.
std::int64_t saved_part_bytes(placed_exchange const& whole, std::int64_t runs) {
  return round_up(whole.batch * runs * whole.run * whole.element_size, kPartAlign);
}

/// In the array before and after, a gap for what is saved follows each row.
placed_exchange panel_pass(placed_exchange const& whole, rectangle_cut const& cut) {
  auto result = whole;
  result.rows = cut.rows, result.columns = cut.columns;
  result.between = result.panels = cut.parts;
  result.source = {cut.parts * cut.columns, cut.columns_left * whole.run};
  result.destination = {cut.parts * cut.rows, cut.rows_left * whole.run};
  return result;
}

std::int64_t bytes_of_flags(placed_exchange const& panel) {
  return panel.is_shifted() ? flags_bytes_for(panel.panels * panel.batch) : 0;
}

/// The bytes of the elements that are saved if the slots fill `rows` x `columns` runs.
std::int64_t saved_bytes(placed_exchange const& whole, std::int64_t rows, std::int64_t columns) {
  return (whole.rows * whole.columns - rows * columns) * whole.batch * whole.run * whole.element_size;
}

/// The least and the most parts along each side that are tried.
std::pair<std::int64_t, std::int64_t> parts_of(placed_exchange const& whole, std::int64_t most_bytes) {
  constexpr std::int64_t kWidest = 16, kTries = 4096;
  auto const least = std::max<std::int64_t>(1, whole.panel_bytes() / most_bytes);
  return {least, std::min({whole.rows, whole.columns, std::max(kWidest * least, least + kTries)})};
}

/// The swap of slots, each of which has one run of every row of its panel. The gap of a row follows its `parts` runs.
placed_exchange slots_pass(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first) {
  auto result = whole;
  result.rows = result.columns = cut.parts;
  result.between = swaps_first ? cut.rows : cut.columns;
  result.run = (swaps_first ? cut.columns : cut.rows) * whole.run;
  result.source = result.destination = {cut.parts, (swaps_first ? cut.columns_left : cut.rows_left) * whole.run};
  return result;
}

}  // namespace

std::int64_t flags_bytes_for(std::int64_t count) { return round_up(kFlagBytes * count, kPartAlign); }

rectangle_cut cut_into(placed_exchange const& whole, std::int64_t parts) {
  rectangle_cut cut{.parts = parts,
                    .rows = whole.rows / parts,
                    .columns = whole.columns / parts,
                    .rows_left = whole.rows % parts,
                    .columns_left = whole.columns % parts};
  cut.workspace_bytes = bytes_of_flags(panel_pass(whole, cut)) + saved_part_bytes(whole, cut.rows_left * whole.columns) +
                        saved_part_bytes(whole, parts * cut.rows * cut.columns_left);
  return cut;
}

std::vector<ranked_cut> cheapest_cuts(placed_exchange const& whole, std::int64_t most_bytes, std::int64_t most_workspace,
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
  // True if cuts into `fewest` to `last` parts, whose slots have the same extents, cannot be among the results. The bound
  // combines the lower cost of the fewest parts with the smaller saved part of the most parts.
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

double passes_cost(placed_exchange const& whole, rectangle_cut const& cut, double panels_share, double slots_share) {
  return 1 / panels_share + (cut.parts == 1 ? 0 : 1 / slots_share) +
         kSavedCost * double(cut.workspace_bytes) / double(whole.bytes());
}

rectangle_passes::rectangle_passes(placed_exchange const& panels, placed_exchange const& others, bool others_first)
    : panel(panels), runs(others), swaps_first(others_first), flags_bytes(bytes_of_flags(panels)), workspace_bytes(flags_bytes) {}

void rectangle_passes::save(placed_exchange const& whole, std::int64_t first_row, std::int64_t rows, std::int64_t first_column) {
  auto const run = whole.run, pitch = whole.columns * run, new_pitch = whole.rows * run, columns = whole.columns - first_column,
             row = columns * run, bytes = saved_part_bytes(whole, rows * columns);
  if (bytes == 0) return;
  auto const kept = canonical({.modes = {{whole.batch, whole.array_stride, rows * row}, {rows, pitch, row}, {row, 1, 1}},
                               .element_size = whole.element_size,
                               .source_offset = whole.offset + first_row * pitch + first_column * run});
  auto const restored = canonical(
      {.modes = {{whole.batch, rows * row, whole.array_stride}, {rows, row, run}, {columns, run, new_pitch}, {run, 1, 1}},
       .element_size = whole.element_size,
       .destination_offset = whole.offset + first_row * run + first_column * new_pitch});
  saved.push_back({kept, restored, std::exchange(workspace_bytes, workspace_bytes + bytes)});
}

rectangle_passes passes_of(placed_exchange const& whole, rectangle_cut const& cut, bool swaps_first) {
  rectangle_passes result(panel_pass(whole, cut), slots_pass(whole, cut, swaps_first), swaps_first);
  auto const rows = cut.parts * cut.rows;
  result.save(whole, rows, whole.rows - rows, 0);
  result.save(whole, 0, rows, cut.parts * cut.columns);
  return result;
}

rectangle_passes passes_of(placed_exchange const& whole, chunking const& chunks) {
  bool const is_tall = whole.rows > whole.columns;
  auto panel = whole, runs = whole;
  panel.panels = chunks.count;
  (is_tall ? panel.rows : panel.columns) = chunks.length;
  (is_tall ? runs.rows : runs.columns) = chunks.count;
  runs.run = chunks.length * whole.run;
  auto const kept = chunks.count * chunks.length;
  if (chunks.left > 0) {  // a gap follows what is kept of each long row
    auto const gap = chunks.left * whole.run;
    (is_tall ? panel.destination : panel.source) = {kept, gap};
    runs.source = runs.destination = {chunks.count, gap};
  }
  rectangle_passes result(panel, runs, !is_tall);
  if (is_tall)
    result.save(whole, kept, whole.rows - kept, 0);
  else
    result.save(whole, 0, whole.rows, kept);
  return result;
}

std::vector<step> steps_of(std::optional<step> runs, step panel, bool swaps_first, saved_copies copies) {
  auto result = std::move(copies.save);
  if (runs && swaps_first) result.push_back(*std::move(runs));
  result.push_back(std::move(panel));
  if (runs && !swaps_first) result.push_back(*std::move(runs));
  std::ranges::move(copies.restore, std::back_inserter(result));
  return result;
}

}  // namespace cornerturn
