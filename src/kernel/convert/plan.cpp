#include "kernel/convert/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "element/apply.hpp"
#include "element/pairs.hpp"
#include "kernel/tiled/decisions.hpp"
#include "problem/describe.hpp"
#include "problem/element_types.hpp"
#include "problem/int_limit.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kTile = 16 << 10;
constexpr tiled_hint kHints[] = {{256, 256, kTile},     {512, 128, kTile}, {128, 512, kTile},
                                 {128, 128, kTile / 2}, {1024, 64, kTile}, {64, 1024, kTile}};
/// Tiles that are one run of the source or of the destination, for rows that are too far apart for a tile of several rows.
constexpr tiled_hint kOneRow[] = {{.run = 512, .vectors = 1, .grows = false}, {.run = 1, .vectors = 512, .grows = false}};

bool is_compiled(element_operation const& each) {
  auto const in = [&](auto pairs) { return element::visit_pair_of(pairs, each, [](auto) {}); };
  return is_affine(each) ? in(element::compiled_affine_pairs{}) : in(element::compiled_pairs{});
}

/// The forms of the compiled kernels for an operation.
std::span<convert_form const> forms_for(element_operation const& each) {
  if (is_affine(each)) return is_compiled(each) ? std::span<convert_form const>(kAffineForms) : kSelectingAffineForms;
  return is_compiled(each) ? std::span<convert_form const>(kTypedForms) : kSelectingForms;
}

/// The first form that a box allows. Its accesses of single elements fit in any box.
convert_form form_for(tiled_box const& box, problem const& p, alignment const& aligned) {
  auto const widest = box.widest(p, aligned);
  return *std::ranges::find_if(forms_for(*p.operation), [&](convert_form form) {
    if (form == (box.first == 0 ? convert_form::squares : convert_form::rows)) return false;
    auto const each = widths_of(form, p.element_size);
    return widest.load % each.load == 0 && widest.rows % each.rows == 0 && widest.store % each.store == 0;
  });
}

}  // namespace

bool convert_plan::selects_types() const { return !is_compiled(operation); }
bool convert_plan::takes_list() const { return is_affine(operation); }

std::optional<convert_plan> plan_convert(problem const& p, alignment const& aligned, tiled_hint const& hint) {
  if (!can_lay_out(p)) return {};
  auto const& sizes = p.element_size;
  tiled_box box(p);
  box.choose(hint);
  auto form = form_for(box, p, aligned);
  // Narrower accesses need a smaller tile. Accesses do not become wider again there.
  for (auto smaller = hint; box.elements * sizes.source > tile_bytes_of(widths_of(form, sizes), sizes.source);) {
    smaller.tile = tile_bytes_of(widths_of(form, sizes), sizes.source);
    box.choose(smaller);
    form = std::max(form, form_for(box, p, aligned));
  }
  auto const layout = lay_out(box, p, widths_of(form, sizes));
  if (!layout) return {};
  return convert_plan{*layout, *p.operation, sizes, form, p.factor_offset};
}

std::string_view idea_of(convert_plan const&) {
  return "the tiles of tiled, whose elements change between shared memory and the destination";
}

std::string describe(convert_plan const& plan) {
  auto const widths = plan.widths();
  return fmt::format(
      "convert {}{}, {} threads: {} of {}, runs of {} in the source and {} in the destination, loads of {} x {} and "
      "stores of {}, {} bytes of shared memory",
      to_string(plan.operation), plan.selects_types() ? " (types selected at run time)" : "", kConvertThreads,
      count_text(plan.blocks, "block"), count_text(plan.elements, "element"), plan.run, plan.vectors, widths.rows, widths.load,
      widths.store, plan.shared_bytes);
}

std::vector<convert_plan> convert_plan::candidates(problem const& canonical, alignment const& aligned, gpu_model const&) {
  std::vector<convert_plan> result;
  auto has_modes = canonical;
  if (has_modes.modes.empty()) has_modes.modes.push_back({1, 1, 1});  // one element
  auto const try_hint = [&](tiled_hint const& hint) {
    auto const plan = plan_convert(has_modes, aligned, hint);
    auto const is_plan = [&](auto const& other) { return other.parameters() == plan->parameters(); };
    if (plan && std::ranges::none_of(result, is_plan)) result.push_back(*plan);
  };
  std::ranges::for_each(kHints, try_hint);
  if (result.empty()) std::ranges::for_each(kOneRow, try_hint);
  if (!result.empty()) return result;
  if (!can_lay_out(has_modes))
    refuse("rank", fmt::format("{} modes that cannot be merged", canonical.modes.size()),
           fmt::format("at most {} if a GPU changes elements", tiled_job::kMostDigits));
  refuse("the array", "of " + describe(canonical),
         fmt::format("one of at most {0} tiles, whose elements are at most {0} apart, if a GPU changes elements", kIntMax));
}

plan_decisions<convert_plan> convert_plan::decisions() {
  return joined<convert_plan>(
      {{{"form", {"squares", "rows", "stored vectors", "elements"}, [](convert_plan const& plan) { return int(plan.form); }},
        {"types", {"own types", "selected types"}, [](convert_plan const& plan) { return plan.selects_types(); }},
        sizes_decision<convert_plan>([](convert_plan const& plan) { return plan.sizes; }),
        {"operation",
         {"overwrites", "reads", "scale or bias"},
         [](convert_plan const& plan) {
           return is_affine(plan.operation) ? 2 : element::factors::of(plan.operation).reads_destination ? 1 : 0;
         }}},
       {{"stored vectors", {"selected types"}, "kernels that select types have three forms"},
        {"scale or bias", {"squares"}, "squares have no kernel with factors of elements"}}},
      layout_decisions<convert_plan>());
}

}  // namespace cornerturn
