#include "plan/decisions.hpp"

#include <type_traits>
#include <variant>

#include "cpu/sizes.hpp"
#include "cpu/tiles/strategy.hpp"
#include "element/apply.hpp"
#include "element/pairs.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {
namespace {

using values = std::vector<std::string_view>;

/// A family's own choices, and then the choices that both families of tiles have.
std::vector<plan_choice> with_tile_choices(std::vector<plan_choice> own) {
  own.insert(own.end(), {{"tiles", {"one tile", "several tiles"}},
                         {"rows", {"whole rows", "cut rows"}},
                         {"columns", {"whole columns", "cut columns"}},
                         {"last tile", {"tiles of one size", "smaller last tile"}},
                         {"order", {"along the destination", "along the source"}},
                         {"source rows", {"rows with gaps", "dense rows"}},
                         {"distance of rows", {"uneven rows", "even rows"}},
                         {"alignment", {"columns at lines", "columns anywhere"}}});
  return own;
}

void add_tile_choices(values& to, cpu_plan const& plan) {
  auto const& tile = plan.tile;
  auto const is_cut = [](tile_cut const& cut) { return cut.loop >= 0; };
  bool const has_smaller = (is_cut(tile.cut_rows) && tile.cut_rows.last != tile.rows) ||
                           (is_cut(tile.cut_columns) && tile.cut_columns.last != tile.columns) ||
                           (is_cut(tile.cut_batch) && tile.cut_batch.last != tile.batch) ||
                           (is_cut(tile.cut_unit) && tile.cut_unit.last != tile.unit);
  bool const along_source = is_cut(tile.cut_columns) && tile.cut_columns.loop == int(plan.loops.size()) - 1;
  to.insert(to.end(),
            {plan.loops.empty() ? "one tile" : "several tiles", is_cut(tile.cut_rows) ? "cut rows" : "whole rows",
             is_cut(tile.cut_columns) ? "cut columns" : "whole columns", has_smaller ? "smaller last tile" : "tiles of one size",
             along_source ? "along the source" : "along the destination", plan.load.dense ? "dense rows" : "rows with gaps",
             plan.load.row_step ? "even rows" : "uneven rows",
             plan.store.alignment == kCacheLine ? "columns at lines" : "columns anywhere"});
}

values strategies() {
  values result;
  for (int each = 0; each <= int(cpu_strategy::shuffle); ++each) result.push_back(name_of(cpu_strategy(each)));
  return result;
}

/// The pairs that follow from the way in which tiles are cut, for both families of tiles.
std::vector<unreachable_pairs> with_tile_rules(std::vector<unreachable_pairs> own) {
  own.insert(own.end(),
             {{"one tile", {"cut rows", "cut columns", "smaller last tile", "along the source"}, "no loop cuts anything"},
              {"whole columns", {"along the source"}, "tiles follow each other along rows if the fastest loop cuts columns"},
              {"dense rows", {"cut columns", "along the source"}, "a part of the columns leaves gaps between rows"}});
  return own;
}

plan_decisions decisions_of(cpu_plan const& plan) {
  if (plan.change) {
    auto const& operation = plan.change->operation;
    auto const by = element::factors::of(operation);
    auto const has_pair = [&](auto pairs) {
      return element::visit_pair_of(pairs, operation.source, operation.destination, [](auto) {});
    };
    auto const sizes = sizes_of(operation);
    values result{sizes.are_equal()                  ? "equal sizes"
                  : sizes.source < sizes.destination ? "larger after"
                                                     : "smaller after",
                  by.reads_destination ? "reads" : "overwrites",
                  has_pair(element::transposed_pairs{}) || (!by.reads_destination && has_pair(element::narrowed_pairs{}))
                      ? "in registers"
                      : "by lines"};
    add_tile_choices(result, plan);
    return {"changed tiles", result};
  }
  auto const& tile = plan.tile;
  values result{name_of(plan.strategy),
                is_element(tile.unit) ? "unit of an element" : "other unit",
                tile.cut_unit.loop >= 0 ? "cut unit" : "whole unit",
                plan.store.streams ? "streamed" : "cached",
                plan.store.dense ? "dense destination" : "gaps in the destination",
                tile.batch > 1 ? "batch" : "matrix",
                plan.load.shared_modes ? "shared modes"
                : plan.load.has_gaps   ? "columns with gaps"
                                       : "adjacent columns",
                plan.load.run > 0 ? "prefetched runs" : "no prefetched runs",
                plan.limits.byte_permutes ? "byte permutes" : "no byte permutes"};
  add_tile_choices(result, plan);
  return {"tiles", result};
}

/// Small panels, which tiles permute in place.
plan_decisions decisions_in_place(cpu_plan const& plan) {
  return {"tiles in place",
          {name_of(plan.strategy), is_element(plan.tile.unit) ? "unit of an element" : "other unit",
           plan.tile.batch > 1 ? "batch" : "matrix", plan.loops.empty() ? "one tile" : "several tiles"}};
}

plan_decisions decisions_of(cpu_convert const& plan) {
  auto const by = element::factors::of(plan.operation);
  constexpr std::int64_t kLongRow = 64;  // elements, several vectors of each type
  auto const& first = plan.boxes.front();
  constexpr std::string_view kOrders[] = {"in place of a copy", "before", "after"};
  bool const is_affine = cornerturn::is_affine(plan.operation);
  return {"convert",
          {kOrders[std::size_t(plan.order)], plan.streams ? "streamed" : "cached", plan.tasks() > 1 ? "several boxes" : "one box",
           plan.boxes.size() > 1 ? "smaller boxes" : "boxes of one size", plan.row_step == 1 ? "dense rows" : "rows with gaps",
           plan.sizes.are_equal()                       ? "equal sizes"
           : plan.sizes.source < plan.sizes.destination ? "larger after"
                                                        : "smaller after",
           is_affine              ? plan.factor_step == 0 ? "factors of rows" : "factors of elements"
           : by.reads_destination ? "reads"
           : by.are_complex       ? "complex factors"
                                  : "real factors",
           first.length >= kLongRow ? "long rows" : "short rows"}};
}

plan_decisions decisions_of(cpu_swap const& plan) {
  bool const has_lines = plan.pitch % kCacheLine == 0;
  return {"swap",
          {is_element(plan.run)    ? "elements"
           : plan.run < kCacheLine ? "short runs"
                                   : "long runs",
           plan.parts() > 1 ? "several parts" : "one part", plan.tiles_along() > 1 ? "several tiles a side" : "one tile a side",
           has_lines ? "rows of lines" : "rows of any length",
           plan.inner.count * plan.outer.count > 1 ? "several squares" : "one square",
           plan.extent % plan.tile == 0 ? "even tiles" : "smaller last tile"}};
}

plan_decisions decisions_of(cpu_panels const& plan) {
  auto const& slots = plan.transpose;
  return {"panels",
          {plan.read_before > 0 ? "shifted panels" : "panels in their places",
           plan.is_descending ? "last panel first" : "first panel first",
           plan.source_gap != 0 || plan.destination_gap != 0 ? "gaps between groups" : "no gaps",
           plan.arrays > 1 ? "several arrays" : "one array", plan.count > 1 ? "several panels" : "one panel",
           is_element(slots.tile.unit) ? "unit of an element" : "other unit"}};
}

plan_decisions decisions_of(cpu_boxes const& plan) {
  return {"boxes",
          {plan.kept() > 0 ? "runs of any length" : "runs of lines", plan.between > 1 ? "modes between" : "neighbouring modes",
           plan.gap > 0 ? "gaps between groups" : "no gaps", plan.arrays > 1 ? "several arrays" : "one array"}};
}

}  // namespace

std::vector<plan_family> cpu_choices() {
  return {
      {"tiles",
       with_tile_choices({{"strategy", strategies()},
                          {"unit", {"unit of an element", "other unit"}},
                          {"cut of units", {"whole unit", "cut unit"}},
                          {"stores", {"cached", "streamed"}},
                          {"destination", {"gaps in the destination", "dense destination"}},
                          {"batch", {"matrix", "batch"}},
                          {"source columns", {"adjacent columns", "columns with gaps", "shared modes"}},
                          {"prefetching", {"no prefetched runs", "prefetched runs"}},
                          {"processor", {"no byte permutes", "byte permutes"}}}),
       with_tile_rules(
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
             {"other unit", "cut unit", "cached", "dense destination", "batch", "no prefetched runs", "rows with gaps",
              "uneven rows", "cut columns", "along the source"},
             "`plan_direct` takes it for elements whose rows are dense in the source"},
            {"interleave_nt",
             {"other unit", "cut unit", "cached", "gaps in the destination", "batch", "cut rows"},
             "`plan_direct` takes it for elements whose columns are dense in the destination"},
            {"gather",
             {"adjacent columns", "dense destination", "batch", "cut unit", "dense rows"},
             "`strategy_of` takes it for columns that lie apart"},
            {"shuffle", {"cut unit"}, "units are shorter than the least tile"},
            {"columns with gaps",
             {"copy_units", "copy_runs", "copy_blocks", "copy_nt", "transpose_cached", "transpose_image", "transpose_staged",
              "transpose_nt", "deinterleave_nt", "interleave_nt", "dense destination", "batch", "dense rows"},
             "`strategy_of` takes gather or shuffle, which write column by column"},
            {"shared modes",
             {"copy_units", "copy_runs", "copy_blocks", "copy_nt", "transpose_cached", "transpose_image", "transpose_staged",
              "transpose_nt", "deinterleave_nt", "interleave_nt", "dense destination", "batch", "dense rows"},
             "`strategy_of` takes gather or shuffle, which write column by column"},
            {"cut unit",
             {"unit of an element", "gaps in the destination", "batch", "columns with gaps", "shared modes", "no prefetched runs",
              "one tile", "cut rows", "cut columns", "along the source", "rows with gaps", "even rows", "columns anywhere"},
             "a tile is a part of one unit"},
            {"batch",
             {"gaps in the destination", "cut rows", "cut columns", "along the source"},
             "tiles are joined if whole matrices are contiguous"},
            {"cut rows", {"dense destination"}, "a part of the rows leaves gaps between columns"},
            {"dense rows", {"no prefetched runs"}, "one run is prefetched, which costs no table"}})},
      {"changed tiles",
       with_tile_choices({{"sizes", {"equal sizes", "larger after", "smaller after"}},
                          {"destination", {"overwrites", "reads"}},
                          {"change", {"by lines", "in registers"}}}),
       with_tile_rules({{"reads", {"by lines", "smaller after"}, "only some pairs of types in registers read the destination"},
                        {"dense rows", {"uneven rows"}, "they follow each other"}})},
      {"convert",
       {{"order", {"in place of a copy", "before", "after"}},
        {"stores", {"cached", "streamed"}},
        {"boxes", {"one box", "several boxes"}},
        {"last box", {"boxes of one size", "smaller boxes"}},
        {"rows", {"dense rows", "rows with gaps"}},
        {"sizes", {"equal sizes", "larger after", "smaller after"}},
        {"factors", {"real factors", "complex factors", "reads", "factors of rows", "factors of elements"}},
        {"length", {"short rows", "long rows"}}},
       {{"before", {"reads"}, "the image does not hold the old elements"}, {"one box", {"smaller boxes"}, "nothing is cut"}}},
      {"swap",
       {{"runs", {"elements", "short runs", "long runs"}},
        {"parts", {"one part", "several parts"}},
        {"tiles", {"one tile a side", "several tiles a side"}},
        {"pitch", {"rows of lines", "rows of any length"}},
        {"squares", {"one square", "several squares"}},
        {"last tile", {"even tiles", "smaller last tile"}}},
       {}},
      {"panels",
       {{"places", {"panels in their places", "shifted panels"}},
        {"direction", {"first panel first", "last panel first"}},
        {"gaps", {"no gaps", "gaps between groups"}},
        {"arrays", {"one array", "several arrays"}},
        {"panels", {"one panel", "several panels"}},
        {"unit", {"unit of an element", "other unit"}}},
       {{"panels in their places", {"last panel first", "gaps between groups"}, "the order has no meaning"},
        {"one panel", {"shifted panels", "last panel first", "gaps between groups"}, "there is nothing before it"}}},
      {"boxes",
       {{"runs", {"runs of lines", "runs of any length"}},
        {"modes", {"neighbouring modes", "modes between"}},
        {"gaps", {"no gaps", "gaps between groups"}},
        {"arrays", {"one array", "several arrays"}}},
       {{"modes between", {"gaps between groups"}, "only chunks of rectangles have gaps"}}},
      {"tiles in place",
       {{"strategy", {"transpose_image", "transpose_staged", "shuffle"}},
        {"unit", {"unit of an element", "other unit"}},
        {"batch", {"matrix", "batch"}},
        {"tiles", {"one tile", "several tiles"}}},
       {{"transpose_staged", {"other unit"}, "it is for elements of 1 and 2 bytes"},
        {"matrix", {"one tile"}, "a single array is no batch, so it is a panel"}}},
  };
}

plan_decisions decisions_of(step const& each) {
  bool const in_place = each.source.role == buffer_role::destination && each.destination.role == buffer_role::destination;
  return std::visit(
      [&]<class Plan>(Plan const& plan) -> plan_decisions {
        if constexpr (std::is_same_v<Plan, cpu_plan>)
          return in_place ? decisions_in_place(plan) : decisions_of(plan);
        else if constexpr (requires { decisions_of(plan); })
          return decisions_of(plan);
        else
          return gpu_decisions_of(each);
      },
      each.kernel);
}

}  // namespace cornerturn
