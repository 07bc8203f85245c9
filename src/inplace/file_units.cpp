#include "inplace/file_units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/round.hpp"
#include "inplace/rectangle.hpp"
#include "problem/canonical.hpp"
#include "problem/panels.hpp"
#include "problem/squares.hpp"

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
  return each.rows * each.between * each.columns <= in.bytes / run;
}

bool takes_one_file_pass(exchange const& each, unit_room const& in) { return each.rows == each.columns || fits_boxes(each, in); }

/// How an exchange is done, and its cost in passes.
struct priced_exchange {
  file_exchange way;
  double cost = 1;
};

/// The cut of a rectangle with the least work. Returns nothing if no panel fits into a unit.
std::optional<priced_exchange> cut_for(exchange const& groups, unit_room const& in) {
  constexpr double kSavedCost = 4, kPartsCost = 1e-4;
  auto const whole = panels_of(problem_of(groups, in.element_size));
  if (!whole || whole->slots > 1) return std::nullopt;
  auto const cost = [&](rectangle_cut const& cut, bool) {
    return 2 + kSavedCost * double(cut.workspace_bytes) / double(whole->bytes()) + kPartsCost * double(cut.parts);
  };
  auto const best = cheapest_cuts(*whole, in.bytes, std::numeric_limits<std::int64_t>::max(), 1, cost);
  if (best.empty()) return std::nullopt;
  return priced_exchange{{groups, best.front().cut.parts, whole->rows > whole->columns}, best.front().cost};
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
  auto const whole = panels_of(problem_of(each.groups, element_size));
  return whole && whole->slots == 1 && each.parts > 0 && each.parts <= std::min(whole->rows, whole->columns) &&
         cut_into(*whole, each.parts).panel_bytes(*whole) <= unit_bytes;
}

/// The rectangle of an exchange that takes two passes.
panels rectangle_of(file_exchange const& each, std::int64_t element_size) {
  return *panels_of(problem_of(each.groups, element_size));
}

rectangle_passes passes_of(file_exchange const& each, std::int64_t element_size) {
  auto const whole = rectangle_of(each, element_size);
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

/// Makes the passes of a plan.
class pass_maker {
 public:
  pass_maker(file_plan const& plan, std::vector<unit_list::pass>& passes)
      : size_(plan.element_size), unit_bytes_(plan.unit_bytes), passes_(passes) {}

  void add(file_exchange const& each) {
    if (each.parts > 0) return add_rectangle(each);
    auto const& groups = each.groups;
    if (groups.rows == groups.columns) {
      auto const pitch = groups.between * groups.columns * groups.run, square = groups.rows * pitch;
      return add_squares({.extent = groups.rows,
                          .run = groups.run,
                          .pitch = pitch,
                          .inner = {groups.between, groups.columns * groups.run},
                          .outer = {groups.batch, square},
                          .element_size = size_});
    }
    add_boxes(groups);
  }

 private:
  /// The number of parts of `elements` elements that a unit has room for; at least 1.
  std::int64_t fitting(std::int64_t elements) const { return std::max<std::int64_t>(1, unit_bytes_ / size_ / elements); }

  void add_boxes(exchange const& all) {
    auto const runs = all.rows * all.between * all.columns, array = runs * all.run;
    auto const row = all.between * all.columns * all.run, new_row = all.between * all.rows * all.run;
    auto const arrays = std::min(all.batch, fitting(array)), run = std::min(all.run, fitting(runs));
    auto const parts = ceil_div(all.run, run), size = size_;
    passes_.push_back({ceil_div(all.batch, arrays) * parts, [=](std::int64_t index) {
                         auto const first = index / parts * arrays, begin = index % parts * run;
                         problem box{.modes = {{std::min(arrays, all.batch - first), array, array},
                                               {all.columns, all.run, new_row},
                                               {all.between, all.columns * all.run, all.rows * all.run},
                                               {all.rows, row, all.run},
                                               {std::min(run, all.run - begin), 1, 1}},
                                     .element_size = size};
                         box.source_offset = box.destination_offset = first * array + begin;
                         return file_unit{part_of(box)};
                       }});
  }

  void add_squares(squares const& all) {
    if (all.extent * all.extent <= unit_bytes_ / size_ / all.run)
      add_whole_squares(all);
    else
      add_pairs_of_tiles(all);
  }

  /// Units of one or more squares.
  void add_whole_squares(squares const& all) {
    auto const square = all.extent * all.extent * all.run;
    auto const inner = std::min(all.inner.count, fitting(square)),
               outer = inner < all.inner.count ? 1 : std::min(all.outer.count, fitting(square * inner));
    auto const parts = ceil_div(all.inner.count, inner);
    passes_.push_back({ceil_div(all.outer.count, outer) * parts, [=](std::int64_t index) {
                         auto const first = index / parts * outer, begin = index % parts * inner;
                         problem some{.modes = {{std::min(outer, all.outer.count - first), all.outer.stride, all.outer.stride},
                                                {all.extent, all.pitch, all.run},
                                                {std::min(inner, all.inner.count - begin), all.inner.stride, all.inner.stride},
                                                {all.extent, all.run, all.pitch},
                                                {all.run, 1, 1}},
                                      .element_size = all.element_size};
                         some.source_offset = some.destination_offset =
                             all.offset + first * all.outer.stride + begin * all.inner.stride;
                         return file_unit{part_of(some)};
                       }});
  }

  /// Units of two tiles across the diagonal from each other, or of one tile on the diagonal.
  void add_pairs_of_tiles(squares const& all) {
    auto const run = std::min(all.run, fitting(kTiles)), parts = ceil_div(all.run, run);
    auto const side = std::clamp<std::int64_t>(std::int64_t(std::sqrt(double(fitting(kTiles * run)))), 1, all.extent);
    auto const tiles = ceil_div(all.extent, side), pairs = tiles * (tiles + 1) / 2;
    auto const squares_count = all.outer.count * all.inner.count;
    passes_.push_back({squares_count * parts * pairs, [=](std::int64_t index) {
                         auto const part = index / pairs % parts, square = index / pairs / parts;
                         std::int64_t row = 0, rest = index % pairs;  // the row of tiles has tiles - row pairs
                         for (; rest >= tiles - row; ++row) rest -= tiles - row;
                         auto const column = row + rest;
                         auto const at = all.offset + square / all.inner.count * all.outer.stride +
                                         square % all.inner.count * all.inner.stride + part * run;
                         auto const extent = [&](std::int64_t tile) { return std::min(side, all.extent - tile * side); };
                         auto const tile = [&](std::int64_t r, std::int64_t c) {
                           problem moved{.modes = {{extent(r), all.pitch, all.run},
                                                   {extent(c), all.run, all.pitch},
                                                   {std::min(run, all.run - part * run), 1, 1}},
                                         .element_size = all.element_size};
                           moved.source_offset = at + r * side * all.pitch + c * side * all.run;
                           moved.destination_offset = at + c * side * all.pitch + r * side * all.run;
                           return part_of(moved);
                         };
                         file_unit result{tile(row, column)};
                         if (row != column) result.push_back(tile(column, row));
                         return result;
                       }});
  }

  void add_panels(panels const& all) {
    auto const group = std::min(all.count, fitting(all.rows * all.slots * all.columns * all.run)),
               groups = ceil_div(all.count, group);
    passes_.push_back({all.batch.count * groups, [=](std::int64_t index) {
                         auto const position = index % groups,
                                    first = (all.is_descending() ? groups - 1 - position : position) * group;
                         problem some{.modes = {{std::min(group, all.count - first), all.source_stride, all.destination_stride},
                                                {all.columns, all.run, all.destination_pitch},
                                                {all.slots, all.columns * all.run, all.rows * all.run},
                                                {all.rows, all.source_pitch, all.run},
                                                {all.run, 1, 1}},
                                      .element_size = all.element_size};
                         auto const array = all.offset + index / groups * all.batch.stride;
                         some.source_offset = array + first * all.source_stride;
                         some.destination_offset = array + first * all.destination_stride;
                         return file_unit{part_of(some)};
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
    for (auto const& part : passes.saved) add_copies(part.save, part.offset, true);
    if (passes.swaps_first) add_slots(passes.slots);
    add_panels(passes.panel);
    if (!passes.swaps_first) add_slots(passes.slots);
    for (auto const& part : passes.saved) add_copies(part.restore, part.offset, false);
  }

  void add_slots(problem const& slots) {
    if (auto const all = squares_of(slots)) add_squares(*all);
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
