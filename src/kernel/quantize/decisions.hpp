#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/fork_safe_static.hpp"
#include "kernel/decisions.hpp"
#include "kernel/quantize/layout.hpp"

namespace cornerturn {

/// The names of the types of a source and of the values, and how decisions name the latter.
struct quantized_type_names {
  std::vector<std::string> sources = names_of_types(is_quantizable), types = names_of_types(is_8_bit_float), destinations = {};

  quantized_type_names() {
    for (auto const& each : types) destinations.push_back("to " + each);
  }
};

/// The names of scales, which are values of decisions, but one; `in memory` are given scales.
inline std::vector<std::string_view> scales_but(scale_blocks blocks) {
  std::vector<std::string_view> result;
  for (auto const& each : kScaleBlocks)
    if (&each != &kScaleBlocks[int(blocks)]) result.push_back(each.text);
  if (blocks != scale_blocks::tensor) result.emplace_back("in memory");
  return result;
}

/// The decisions that a layout has already made, for plans that have one: types, blocks of scales, the scale and the outputs.
template <class Plan>
plan_decisions<Plan> quantize_layout_decisions() {
  static constinit fork_safe_static<quantized_type_names> names;
  auto const& [sources, types, destinations] = names.get([] { return quantized_type_names(); });
  auto const index_in = [](std::vector<std::string> const& names, element_type type) {
    return std::size_t(std::ranges::find(names, name_of(type)) - names.begin());
  };
  std::vector<unreachable_pairs> unreachable{
      {kScaleBlocks[int(scale_blocks::tensor)].text, {"power of two"}, "a given scale is used as it is"},
      {"in memory", scales_but(scale_blocks::tensor), "other scales are computed"}};
  for (auto const& type : types)
    for (std::size_t other = 0; other < types.size(); ++other)
      if (types[other] != type) unreachable.push_back({type, {destinations[other]}, "8-bit floats keep their type"});
  return {{{"source",
            {sources.begin(), sources.end()},
            [=, &sources = sources](Plan const& plan) { return index_in(sources, plan.layout.source_type); }},
           {"destination",
            {destinations.begin(), destinations.end()},
            [=, &types = types](Plan const& plan) { return index_in(types, plan.layout.type); }},
           {"blocks",
            {kScaleBlocks[0].text, kScaleBlocks[1].text, kScaleBlocks[2].text, kScaleBlocks[3].text},
            [](Plan const& plan) { return std::size_t(plan.layout.blocks); }},
           {"scale",
            {"as it is", "power of two", "in memory"},
            [](Plan const& plan) {
              bool const is_computed = plan.layout.blocks != scale_blocks::tensor;
              return plan.layout.reads_scale ? 2 : is_computed && plan.layout.recipe.power_of_two ? 1 : 0;
            }},
           {"outputs",
            {"no columns", "columns alone", "rows and columns"},
            [](Plan const& plan) { return !plan.layout.column_wise.is_wanted ? 0
                                          : plan.layout.row_wise.is_wanted   ? 2
                                                                             : 1; }}},
          unreachable};
}

}  // namespace cornerturn
