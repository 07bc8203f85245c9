
#include "element/apply.hpp"
#include "plan/decisions.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {
namespace {

using values = std::vector<std::string_view>;

// Offsets of 64 bits within a tile are not a choice here: only arrays of more than 2^31 elements need them.

constexpr std::string_view kElementNames[] = {"1 byte", "2 bytes", "4 bytes", "8 bytes", "16 bytes"};

std::string_view size_name(std::int64_t bytes) { return kElementNames[std::size_t(__builtin_ctzll(std::uint64_t(bytes)))]; }

plan_choice sizes() { return {"element", {std::begin(kElementNames), std::end(kElementNames)}}; }
/// The sizes of elements that are smaller than a vector.
plan_choice sizes_of_parts() { return {"element", {std::begin(kElementNames), std::end(kElementNames) - 1}}; }

constexpr std::string_view kTileNames[] = {"tile 0", "tile 1", "tile 2", "tile 3"};

plan_decisions decisions_of(rung_plan const& plan) {
  bool const has_vectors = plan.load_bytes() == 16 && plan.store_bytes() == 16;
  return {"gpu rung", {name_of(plan.kernel), size_name(plan.element_size), has_vectors ? "vectors" : "shorter accesses"}};
}

plan_decisions decisions_of(small_plan const& plan) {
  return {"gpu small",
          {size_name(plan.element_size), plan.vector() > 1 ? "vectors" : "elements",
           plan.tile == 0 ? "smallest tile" : "larger tile", plan.batch > 1 ? "batch" : "matrix",
           plan.job.tiles_down.divisor * plan.job.tiles_across.divisor > 1 ? "several tiles" : "one tile"}};
}

plan_decisions decisions_of(direct_plan const& plan) {
  return {"gpu direct",
          {size_name(plan.element_size), plan.depth == kDirectDepths[0] ? "2 elements a thread" : "4 elements a thread",
           plan.short_digits ? "short job" : "long job", plan.blocks > 1 ? "several blocks" : "one block"}};
}

/// The choices of the layout that two families share.
values layout_decisions(tiled_layout const& layout) {
  return {layout.job.run_end == tiled_job::kUncut ? "whole runs" : "cut runs",
          layout.job.vectors_end == tiled_job::kUncut ? "whole vectors" : "cut vectors",
          layout.blocks > 1 ? "several blocks" : "one block"};
}

std::vector<plan_choice> with_layout_choices(std::vector<plan_choice> own) {
  own.insert(own.end(), {{"runs", {"whole runs", "cut runs"}},
                         {"vectors", {"whole vectors", "cut vectors"}},
                         {"blocks", {"one block", "several blocks"}}});
  return own;
}

plan_decisions decisions_of(tiled_plan const& plan) {
  auto const widths = plan.widths();
  values result{size_name(plan.element_size), widths.load > 1 ? "vectors loaded" : "elements loaded",
                widths.store > 1 ? "vectors stored" : "elements stored", plan.threads == kTiledThreads[0] ? "128" : "256"};
  auto const of_layout = layout_decisions(plan);
  result.insert(result.end(), of_layout.begin(), of_layout.end());
  return {"gpu tiled", result};
}

plan_decisions decisions_of(convert_plan const& plan) {
  constexpr std::string_view kForms[] = {"squares", "rows", "stored vectors", "elements"};
  auto const& operation = plan.operation;
  values result{kForms[int(plan.form)], plan.selects_types() ? "selected types" : "own types",
                plan.sizes.are_equal()                       ? "equal sizes"
                : plan.sizes.source < plan.sizes.destination ? "larger after"
                                                             : "smaller after",
                is_affine(operation)                                ? "scale or bias"
                : element::factors::of(operation).reads_destination ? "reads"
                                                                    : "overwrites"};
  auto const of_layout = layout_decisions(plan);
  result.insert(result.end(), of_layout.begin(), of_layout.end());
  return {"gpu convert", result};
}

plan_decisions decisions_of(interleave_plan const& plan) {
  constexpr std::string_view kFields[] = {"2 rows", "3 rows", "4 rows", "5 rows", "6 rows", "7 rows", "8 rows"};
  return {"gpu interleave",
          {size_name(plan.element_size), kFields[plan.fields - 2], plan.to_aos ? "to structures" : "from structures",
           plan.unaligned ? "any rows" : "aligned rows"}};
}

plan_decisions decisions_of(unaligned_plan const& plan) {
  return {"gpu unaligned",
          {size_name(plan.element_size), kTileNames[plan.tile], plan.job.tiles > 1 ? "several tiles" : "one tile"}};
}

plan_decisions decisions_of(gather_plan const& plan) {
  return {"gpu gather",
          {size_name(plan.element_size), plan.form.single ? "single elements" : "vectors",
           plan.form.ragged ? "ragged rows" : "whole rows", plan.job.tiles > 1 ? "several tiles" : "one tile"}};
}

plan_decisions decisions_of(planes_plan const& plan) {
  return {"gpu planes",
          {plan.pixel_bytes == kFewestPixelBytes ? "3 planes" : "4 planes", plan.blocks > 1 ? "several blocks" : "one block",
           is_affine(plan.operation) ? "scale or bias" : "a factor"}};
}

plan_decisions decisions_of(swap_plan const& plan) {
  constexpr std::string_view kForms[] = {"vectors", "elements", "runs", "rows"};
  return {"gpu swap",
          {kForms[int(plan.form)], size_name(plan.element_size), plan.job.squares > 1 ? "several squares" : "one square"}};
}

plan_decisions decisions_of(panels_plan const& plan) {
  constexpr std::string_view kExchanges[] = {"no exchange", "exchange after", "exchange before"},
                             kShares[] = {"shares slots", "shares rows", "shares columns"};
  return {"gpu panels",
          {kExchanges[int(plan.exchange)], kShares[int(plan.job.share)], size_name(plan.element_size),
           plan.is_aligned ? "aligned rows" : "any rows", plan.job.read_before > 0 ? "flags" : "no flags",
           plan.job.cluster.divisor > 1 ? "a cluster" : "one block", plan.job.is_descending ? "last first" : "first first"}};
}

plan_decisions decisions_of(boxes_plan const& plan) {
  return {"gpu boxes",
          {size_name(plan.element_size), plan.job.between.divisor > 1 ? "modes between" : "neighbouring modes",
           plan.job.cluster.divisor > 1 ? "a cluster" : "one block"}};
}

}  // namespace

std::vector<plan_family> gpu_choices() {
  plan_choice const blocks{"blocks", {"one block", "several blocks"}}, tiles{"tiles", {"one tile", "several tiles"}};
  return {
      {"gpu rung",
       {{"kernel", {"copy", "vec-both"}}, sizes(), {"accesses", {"vectors", "shorter accesses"}}},
       {{"16 bytes", {"shorter accesses"}, "an element is a vector"}}},
      {"gpu small",
       {sizes(),
        {"accesses", {"vectors", "elements"}},
        {"tile", {"smallest tile", "larger tile"}},
        {"batch", {"matrix", "batch"}},
        tiles},
       {{"16 bytes", {"vectors"}, "an element is a vector"}}},
      {"gpu direct",
       {sizes(), {"depth", {"2 elements a thread", "4 elements a thread"}}, {"job", {"short job", "long job"}}, blocks},
       {}},
      {"gpu tiled",
       with_layout_choices({sizes(),
                            {"loads", {"vectors loaded", "elements loaded"}},
                            {"stores", {"vectors stored", "elements stored"}},
                            {"threads", {"128", "256"}}}),
       {{"16 bytes", {"vectors loaded", "vectors stored"}, "an element is a vector"},
        {"elements loaded", {"1 byte", "2 bytes"}, "all compiled widths load several"},
        {"elements stored", {"1 byte", "2 bytes", "4 bytes"}, "all compiled widths store several"},
        {"one block", {"cut runs", "cut vectors"}, "a mode is cut for several tiles"}}},
      {"gpu convert",
       with_layout_choices({{"form", {"squares", "rows", "stored vectors", "elements"}},
                            {"types", {"own types", "selected types"}},
                            {"sizes", {"equal sizes", "larger after", "smaller after"}},
                            {"operation", {"overwrites", "reads", "scale or bias"}}}),
       {{"stored vectors", {"selected types"}, "kernels that select types have three forms"},
        {"scale or bias", {"squares"}, "squares have no kernel with factors of elements"},
        {"one block", {"cut runs", "cut vectors"}, "a mode is cut for several tiles"}}},
      {"gpu interleave",
       {sizes_of_parts(),
        {"rows", {"2 rows", "3 rows", "4 rows", "5 rows", "6 rows", "7 rows", "8 rows"}},
        {"direction", {"to structures", "from structures"}},
        {"alignment", {"aligned rows", "any rows"}}},
       {{"any rows", {"4 bytes", "8 bytes"}, "only rows of small elements are moved in tiles"}}},
      {"gpu unaligned",
       {{"element", {"1 byte", "2 bytes"}}, {"tile", {"tile 0", "tile 1", "tile 2", "tile 3"}}, tiles},
       {{"2 bytes", {"tile 3"}, "2 bytes have three tiles"}}},
      {"gpu gather",
       {sizes(), {"stores", {"single elements", "vectors"}}, {"ends", {"ragged rows", "whole rows"}}, tiles},
       {{"16 bytes", {"vectors", "ragged rows"}, "an element is a vector"},
        {"single elements", {"ragged rows"}, "there are no vectors"}}},
      {"gpu planes", {{"planes", {"3 planes", "4 planes"}}, blocks, {"operation", {"a factor", "scale or bias"}}}, {}},
      {"gpu swap",
       {{"form", {"vectors", "elements", "runs", "rows"}}, sizes(), {"squares", {"one square", "several squares"}}},
       {{"16 bytes", {"elements", "rows"}, "an element is a vector"}}},
      {"gpu panels",
       {{"exchange", {"no exchange", "exchange after", "exchange before"}},
        {"share", {"shares slots", "shares rows", "shares columns"}},
        sizes(),
        {"alignment", {"aligned rows", "any rows"}},
        {"flags", {"no flags", "flags"}},
        {"blocks", {"one block", "a cluster"}},
        {"direction", {"first first", "last first"}}},
       {{"exchange after",
         {"shares rows", "shares columns", "1 byte", "16 bytes", "any rows", "flags", "last first"},
         "panels that exchange slots have aligned rows of such elements and stay in their places"},
        {"exchange before",
         {"shares rows", "shares columns", "1 byte", "16 bytes", "any rows", "flags", "first first"},
         "panels that exchange slots have aligned rows of such elements and stay in their places"},
        {"16 bytes", {"any rows"}, "an element is a vector"}}},
      {"gpu boxes", {sizes(), {"modes", {"neighbouring modes", "modes between"}}, {"blocks", {"one block", "a cluster"}}}, {}}};
}

plan_decisions gpu_decisions_of(step const& each) {
  return with_kernel(each, [](auto const& plan) { return decisions_of(plan); });
}

}  // namespace cornerturn
