#include "inplace/file_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/round.hpp"
#include "inplace/rectangles.hpp"
#include "inplace/sequences.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// A unit of a square has two tiles of at least an element.
constexpr std::int64_t kTiles = 2;

/// What units of a file must have room for.
struct unit_room {
  std::int64_t element_size;  ///< bytes
  std::int64_t bytes;         ///< of a unit
  std::int64_t box_run;       ///< the least bytes of a run of a box
};

/// True if an exchange takes one pass over boxes: units have room for both groups and the modes between them.
bool fits_boxes(exchange const& each, unit_room const& in) {
  auto const run = std::min(each.run * in.element_size, std::max(in.box_run, in.element_size));
  return each.runs() <= in.bytes / run;
}

bool takes_one_file_pass(exchange const& each, unit_room const& in) { return each.is_square() || fits_boxes(each, in); }

/// How an exchange is done, and its cost in passes.
struct priced_exchange {
  file_exchange way;
  double cost = 1;
};

/// The cut of a rectangle with the least work. Returns nothing if no panel fits into a unit.
std::optional<priced_exchange> cut_for(exchange const& groups, unit_room const& in) {
  constexpr double kPartsCost = 1e-4;
  if (groups.between > 1) return std::nullopt;
  placed_exchange const whole(groups, in.element_size);
  auto const cost = [&](rectangle_cut const& cut, bool) {
    return 2 + kSavedCost * double(cut.workspace_bytes) / double(whole.bytes()) + kPartsCost * double(cut.parts);
  };
  auto const best = cheapest_cuts(whole, in.bytes, std::numeric_limits<std::int64_t>::max(), 1, cost);
  if (best.empty()) return std::nullopt;
  return priced_exchange{{groups, best.front().cut.parts, groups.rows > groups.columns}, best.front().cost};
}

/// Returns nothing if the exchange is not possible.
std::optional<priced_exchange> plan_exchange(exchange const& groups, unit_room const& in) {
  if (takes_one_file_pass(groups, in)) return priced_exchange{{groups}};
  return cut_for(groups, in);
}

/// True if units have room for the parts of an exchange, whose number of parts is not checked yet. Boxes may have runs of an
/// element.
bool has_room(file_exchange const& each, std::int64_t element_size, std::int64_t unit_bytes) {
  if (each.parts == 0) return takes_one_file_pass(each.groups, {element_size, unit_bytes, element_size});
  placed_exchange const whole(each.groups, element_size);
  return whole.between == 1 && !whole.is_square() && each.parts > 0 && each.parts <= whole.shorter() &&
         cut_into(whole, each.parts).panel_bytes(whole) <= unit_bytes;
}

/// Both passes of an exchange that takes two.
rectangle_passes passes_of(file_exchange const& each, std::int64_t element_size) {
  placed_exchange const whole(each.groups, element_size);
  return passes_of(whole, cut_into(whole, each.parts), each.swaps_first);
}

}  // namespace

std::optional<file_plan> plan_in_file(problem const& canonical, std::int64_t unit_bytes, file_limits const& limits) {
  auto const size = shared_element_size(canonical);
  unit_room const in{size, unit_bytes, limits.box_run};
  if (unit_bytes < kTiles * size) return std::nullopt;
  auto const bound = [&](exchange const& each) {
    if (takes_one_file_pass(each, in)) return 1.0;
    bool const is_possible = each.between == 1 && std::max(each.rows, each.columns) * each.run * size <= unit_bytes;
    return is_possible ? 2.0 : kImpossible;
  };
  auto const cost_of = [&](exchange const& each) {
    auto const planned = plan_exchange(each, in);
    return planned ? planned->cost : kImpossible;
  };
  auto const sequence = any_exchanges_of(canonical, bound, cost_of);
  if (!sequence) return std::nullopt;
  file_plan result{.element_size = size, .unit_bytes = unit_bytes, .exchanges = {}};
  for (auto const& each : *sequence) result.exchanges.push_back(plan_exchange(each, in)->way);
  result.workspace_bytes = workspace_of(size, result.exchanges);
  return result;
}

bool is_plan_of(problem const& canonical, file_plan const& plan) {
  auto const size = shared_element_size(canonical);
  if (plan.element_size != size || plan.unit_bytes < kTiles * size) return false;
  std::vector<exchange> sequence;
  for (auto const& each : plan.exchanges) sequence.push_back(each.groups);
  if (problem_of(sequence, size) != canonical) return false;
  bool const have_room =
      std::ranges::all_of(plan.exchanges, [&](file_exchange const& each) { return has_room(each, size, plan.unit_bytes); });
  return have_room && plan.workspace_bytes == workspace_of(size, plan.exchanges);
}

std::int64_t workspace_of(std::int64_t element_size, std::vector<file_exchange> const& exchanges) {
  std::int64_t result = 0;
  for (auto const& each : exchanges)
    if (each.parts > 0) result = std::max(result, passes_of(each, element_size).workspace_bytes);
  return result;
}

namespace {

/// The part of a unit that moves a problem within the array.
unit_part part_of(problem const& moved) {
  return {.moved = pieces_of(canonical(moved), std::numeric_limits<std::int64_t>::max())[0]};
}

}  // namespace

/// Makes the passes of a plan. A unit of an exchange has a slice of its problem, or two slices across the diagonal.
class pass_maker {
 public:
  pass_maker(file_plan const& plan, std::vector<unit_list::pass>& passes)
      : size_(plan.element_size), unit_bytes_(plan.unit_bytes), passes_(passes) {}

  void add(file_exchange const& each) {
    if (each.parts > 0) return add_rectangle(each);
    placed_exchange const all(each.groups, size_);
    if (all.is_square()) return add_squares(all);
    add_slices(all, {kBatch, all.batch, std::min(all.batch, fitting(all.runs() * all.run))},
               {kRun, all.run, std::min(all.run, fitting(all.runs()))});
  }

 private:
  /// The positions of modes in the problem of an exchange.
  enum mode_of_exchange : std::size_t { kBatch, kPanels, kColumns, kBetween, kRows, kRun };

  /// A mode whose indices are shared out among units: `extent` each, and the remaining ones.
  struct cut_mode {
    mode_of_exchange mode;
    std::int64_t all, extent;

    std::int64_t parts() const { return ceil_div(all, extent); }
    problem slice_of(problem const& whole, std::int64_t part) const {
      return slice(whole, mode, part * extent, std::min(extent, all - part * extent));
    }
  };

  /// The number of parts of `elements` elements that a unit has room for; at least 1.
  std::int64_t fitting(std::int64_t elements) const { return std::max<std::int64_t>(1, unit_bytes_ / size_ / elements); }

  /// Units that share out the indices of two modes.
  void add_slices(placed_exchange const& all, cut_mode const& outer, cut_mode const& inner) {
    auto const parts = inner.parts();
    bool const is_descending = all.is_descending();
    passes_.push_back({outer.parts() * parts, [=, whole = problem_of(all)](std::int64_t index) {
                         auto const position = index % parts, part = is_descending ? parts - 1 - position : position;
                         return file_unit{part_of(inner.slice_of(outer.slice_of(whole, index / parts), part))};
                       }});
  }

  void add_squares(placed_exchange const& all) {
    if (all.rows * all.rows > unit_bytes_ / size_ / all.run) return add_pairs_of_tiles(all);
    auto const square = all.rows * all.rows * all.run, between = std::min(all.between, fitting(square)),
               batch = between < all.between ? 1 : std::min(all.batch, fitting(square * between));
    add_slices(all, {kBatch, all.batch, batch}, {kBetween, all.between, between});
  }

  /// Units of two tiles across the diagonal from each other, or of one tile on the diagonal.
  void add_pairs_of_tiles(placed_exchange const& all) {
    auto const run = std::min(all.run, fitting(kTiles));
    auto const side = std::clamp<std::int64_t>(std::int64_t(std::sqrt(double(fitting(kTiles * run)))), 1, all.rows);
    cut_mode const rows{kRows, all.rows, side}, columns{kColumns, all.columns, side}, runs{kRun, all.run, run};
    auto const tiles = rows.parts(), pairs = tiles * (tiles + 1) / 2, parts = runs.parts(), between = all.between;
    passes_.push_back({all.batch * between * parts * pairs, [=, whole = problem_of(all)](std::int64_t index) {
                         auto const part = index / pairs % parts, square = index / pairs / parts;
                         std::int64_t row = 0, rest = index % pairs;  // the row of tiles has tiles - row pairs
                         for (; rest >= tiles - row; ++row) rest -= tiles - row;
                         auto const column = row + rest;
                         auto const of_batch = slice(whole, kBatch, square / between, 1),
                                    of_square = runs.slice_of(slice(of_batch, kBetween, square % between, 1), part);
                         auto const tile = [&](std::int64_t r, std::int64_t c) {
                           return part_of(columns.slice_of(rows.slice_of(of_square, r), c));
                         };
                         file_unit result{tile(row, column)};
                         if (row != column) result.push_back(tile(column, row));
                         return result;
                       }});
  }

  /// Copies between the array and the workspace, in pieces.
  void add_copies(problem const& all, std::int64_t workspace_byte, bool to_workspace) {
    auto const pieces = pieces_of(all, unit_bytes_);
    passes_.push_back({pieces.size(), [=](std::int64_t index) {
                         return file_unit{{.moved = pieces[index],
                                           .from_workspace = !to_workspace,
                                           .to_workspace = to_workspace,
                                           .source_byte = to_workspace ? 0 : workspace_byte,
                                           .destination_byte = to_workspace ? workspace_byte : 0}};
                       }});
  }

  void add_rectangle(file_exchange const& each) {
    auto const passes = passes_of(each, size_);
    auto const& panel = passes.panel;
    for (auto const& part : passes.saved) add_copies(part.save, part.offset, true);
    if (passes.swaps_first) add_slots(passes.runs);
    add_slices(panel, {kBatch, panel.batch, 1},
               {kPanels, panel.panels, std::min(panel.panels, fitting(panel.runs() * panel.run))});
    if (!passes.swaps_first) add_slots(passes.runs);
    for (auto const& part : passes.saved) add_copies(part.restore, part.offset, false);
  }

  void add_slots(placed_exchange const& slots) {
    if (slots.rows > 1) add_squares(slots);
  }

  std::int64_t size_, unit_bytes_;
  std::vector<unit_list::pass>& passes_;
};

unit_list::unit_list(file_plan const& plan) {
  pass_maker maker(plan, passes_);
  for (auto const& each : plan.exchanges) maker.add(each);
}

std::int64_t unit_list::size() const {
  std::int64_t result = 0;
  for (auto const& each : passes_) result += each.units;
  return result;
}

file_unit unit_list::operator[](std::int64_t index) const {
  auto each = passes_.begin();
  for (; index >= each->units; ++each) index -= each->units;
  return each->unit(index);
}

bool unit_list::continues_pass(std::int64_t index) const {
  auto each = passes_.begin();
  for (; index >= each->units; ++each) index -= each->units;
  return index > 0;
}

}  // namespace cornerturn
