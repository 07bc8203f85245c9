#include "cpu/sizes.hpp"
#include "cpu/tiles/plan.hpp"
#include "cpu/tiles/strategy.hpp"
#include "element/apply.hpp"
#include "element/pairs.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {
namespace {

bool is_cut(tile_cut const& cut) { return cut.loop >= 0; }

bool has_smaller_tile(cpu_tile const& tile) {
  return (is_cut(tile.cut_rows) && tile.cut_rows.last != tile.rows) ||
         (is_cut(tile.cut_columns) && tile.cut_columns.last != tile.columns) ||
         (is_cut(tile.cut_batch) && tile.cut_batch.last != tile.batch) ||
         (is_cut(tile.cut_unit) && tile.cut_unit.last != tile.unit);
}

bool follows_the_source(cpu_plan const& plan) {
  return is_cut(plan.tile.cut_columns) && plan.tile.cut_columns.loop == int(plan.loops.size()) - 1;
}

/// True if vector registers change the elements while they are transposed.
bool changes_in_registers(element_operation const& operation) {
  auto const has_pair = [&](auto pairs) { return element::visit_pair_of(pairs, operation, [](auto) {}); };
  bool const overwrites = !element::factors::of(operation).reads_destination;
  return only_swaps(operation) || has_pair(element::transposed_pairs{}) || (overwrites && has_pair(element::narrowed_pairs{}));
}

plan_decision<cpu_plan> unit_decision() {
  return {"unit", {"other unit", "unit of an element"}, [](cpu_plan const& plan) { return is_element(plan.tile.unit); }};
}
plan_decision<cpu_plan> batch_decision() {
  return {"batch", {"matrix", "batch"}, [](cpu_plan const& plan) { return plan.tile.batch > 1; }};
}
plan_decision<cpu_plan> tiles_decision() {
  return {"tiles", {"one tile", "several tiles"}, [](cpu_plan const& plan) { return !plan.loops.empty(); }};
}

/// The decisions that all plans have that are not in place, and the pairs that follow from the way in which tiles are cut.
plan_decisions<cpu_plan> cutting() {
  return {{tiles_decision(),
           {"rows", {"whole rows", "cut rows"}, [](cpu_plan const& plan) { return is_cut(plan.tile.cut_rows); }},
           {"columns", {"whole columns", "cut columns"}, [](cpu_plan const& plan) { return is_cut(plan.tile.cut_columns); }},
           {"last tile",
            {"tiles of one size", "smaller last tile"},
            [](cpu_plan const& plan) { return has_smaller_tile(plan.tile); }},
           {"order", {"along the destination", "along the source"}, follows_the_source},
           {"source rows", {"rows with gaps", "dense rows"}, [](cpu_plan const& plan) { return plan.load.dense; }},
           {"distance of rows", {"uneven rows", "even rows"}, [](cpu_plan const& plan) { return plan.load.row_step != 0; }},
           {"alignment",
            {"columns anywhere", "columns at lines"},
            [](cpu_plan const& plan) { return plan.store.alignment == kCacheLine; }}},
          {{"one tile", {"cut rows", "cut columns", "smaller last tile", "along the source"}, "no loop cuts anything"},
           {"whole columns", {"along the source"}, "tiles follow each other along rows if the fastest loop cuts columns"},
           {"dense rows", {"cut columns", "along the source"}, "a part of the columns leaves gaps between rows"}}};
}

/// The strategies that move tiles whose columns are adjacent, and other values that only such tiles have.
std::vector<std::string_view> of_adjacent_columns() {
  auto result = strategy_names();
  std::erase_if(result, [](std::string_view each) {
    return each == name_of(cpu_strategy::gather) || each == name_of(cpu_strategy::shuffle);
  });
  result.insert(result.end(), {"dense destination", "batch", "dense rows"});
  return result;
}

/// What plans have that do not join the lines of columns.
std::vector<std::string_view> apart_from_joined_lines() {
  auto result = strategy_names();
  std::erase(result, name_of(cpu_strategy::transpose_nt));
  result.insert(result.end(), {"other unit", "cut unit", "cached", "dense destination", "batch", "columns with gaps",
                               "shared modes", "cut rows"});
  return result;
}

}  // namespace

plan_decisions<cpu_plan> cpu_plan::decisions() {
  auto const by_columns = of_adjacent_columns();
  return joined<cpu_plan>(
      {{{"strategy", strategy_names(), [](cpu_plan const& plan) { return int(plan.strategy); }},
        unit_decision(),
        {"cut of units", {"whole unit", "cut unit"}, [](cpu_plan const& plan) { return is_cut(plan.tile.cut_unit); }},
        {"stores", {"cached", "streamed"}, [](cpu_plan const& plan) { return plan.store.streams; }},
        {"destination", {"gaps in the destination", "dense destination"}, [](cpu_plan const& plan) { return plan.store.dense; }},
        batch_decision(),
        {"source columns",
         {"adjacent columns", "columns with gaps", "shared modes"},
         [](cpu_plan const& plan) { return plan.load.shared_modes ? 2 : plan.load.has_gaps; }},
        {"prefetching", {"no prefetched runs", "prefetched runs"}, [](cpu_plan const& plan) { return plan.load.run > 0; }},
        {"ends of columns", {"lines of their own", "joined lines"}, [](cpu_plan const& plan) { return plan.joins_columns(); }},
        {"processor", {"no byte permutes", "byte permutes"}, [](cpu_plan const& plan) { return plan.limits.byte_permutes; }}},
       {{"copy_units", {"batch", "cut unit", "cut columns", "along the source", "columns anywhere"}, "tiles have one column"},
        {"copy_runs", {"unit of an element"}, "units are cache lines or longer"},
        {"copy_blocks", {"streamed", "cut unit"}, "`strategy_of` takes it for short units in the caches"},
        {"copy_nt",
         {"unit of an element", "cached", "batch", "cut unit"},
         "`plan_direct` takes it for several columns of long units"},
        {"transpose_cached", {"other unit", "cut unit", "streamed"}, "vectors transpose elements in the caches"},
        {"transpose_staged", {"other unit", "cut unit", "cached"}, "it is for elements of 1 and 2 bytes, past the caches"},
        {"transpose_nt",
         {"other unit", "cut unit", "cached", "dense destination", "batch"},
         "`plan_direct` takes it for elements"},
        {"deinterleave_nt",
         {"other unit", "cut unit", "cached", "dense destination", "batch", "no prefetched runs", "rows with gaps", "uneven rows",
          "cut columns", "along the source"},
         "`plan_direct` takes it for elements whose rows are dense in the source"},
        {"interleave_nt",
         {"other unit", "cut unit", "cached", "gaps in the destination", "batch", "cut rows"},
         "`plan_direct` takes it for elements whose columns are dense in the destination"},
        {"gather",
         {"adjacent columns", "dense destination", "batch", "cut unit", "dense rows"},
         "`strategy_of` takes it for columns that are not adjacent"},
        {"shuffle", {"cut unit"}, "units are shorter than the least tile"},
        {"joined lines", apart_from_joined_lines(), "`transpose_nt` joins the lines of contiguous columns"},
        {"columns with gaps", by_columns, "`strategy_of` takes gather or shuffle, which write column by column"},
        {"shared modes", by_columns, "`strategy_of` takes gather or shuffle, which write column by column"},
        {"cut unit",
         {"unit of an element", "gaps in the destination", "batch", "columns with gaps", "shared modes", "no prefetched runs",
          "one tile", "cut rows", "cut columns", "along the source", "rows with gaps", "even rows", "columns anywhere"},
         "a tile is a part of one unit"},
        {"batch",
         {"gaps in the destination", "cut rows", "cut columns", "along the source"},
         "tiles are joined if whole matrices are contiguous"},
        {"cut rows", {"dense destination"}, "a part of the rows leaves gaps between columns"},
        {"dense rows", {"no prefetched runs"}, "one run is prefetched, which costs no table"}}},
      cutting());
}

plan_decisions<cpu_plan> cpu_plan::decisions_of_changes() {
  return joined<cpu_plan>(
      {{sizes_decision<cpu_plan>([](cpu_plan const& plan) { return sizes_of(plan.change->operation); }),
        {"destination",
         {"overwrites", "reads"},
         [](cpu_plan const& plan) { return element::factors::of(plan.change->operation).reads_destination; }},
        {"change",
         {"by lines", "in registers"},
         [](cpu_plan const& plan) { return changes_in_registers(plan.change->operation); }}},
       {{"reads", {"by lines", "smaller after"}, "only some pairs of types in registers read the destination"},
        {"dense rows", {"uneven rows"}, "they follow each other"}}},
      cutting());
}

plan_decisions<cpu_plan> cpu_plan::decisions_in_place() {
  return {{{"strategy",
            {"transpose_image", "transpose_staged", "shuffle"},
            [](cpu_plan const& plan) {
              return plan.strategy == cpu_strategy::shuffle ? 2 : plan.strategy == cpu_strategy::transpose_staged;
            }},
           unit_decision(),
           batch_decision(),
           tiles_decision()},
          {{"transpose_staged", {"other unit"}, "it is for elements of 1 and 2 bytes"},
           {"matrix", {"one tile"}, "a single array is no batch, so it is a panel"}}};
}

}  // namespace cornerturn
