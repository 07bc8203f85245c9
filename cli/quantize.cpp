#include "quantize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/error.hpp"
#include "cornerturn/text.hpp"
#include "refuse.hpp"

namespace cornerturn::cli {
namespace {

std::vector<std::string> const kOutputs{"rows", "columns", "both"};

/// The kind of scales with this name, as a row of `kScaleBlocks`.
scale_blocks_row const& scales_named(std::string_view name) {
  auto const found = std::ranges::find(kScaleBlocks, name, &scale_blocks_row::name);
  if (found != std::end(kScaleBlocks)) return *found;
  std::vector<std::string> names;
  for (auto const& each : kScaleBlocks) names.emplace_back(each.name);
  refuse("--scales", name, list_text(names) + did_you_mean(name, names));
}

}  // namespace

quantized_case quantize_arguments::matrix_of(permutation_case const& asked) const {
  auto const shape = fmt::format("{}", fmt::join(asked.shape, "x"));
  if (asked.shape.size() != 2) refuse("shape", shape, "of two axes with --scales");
  constexpr std::int64_t kMostExtent = std::int64_t(1) << 30;
  if (std::ranges::any_of(asked.shape, [](auto extent) { return extent < 1 || extent > kMostExtent; }))
    refuse("shape", shape, fmt::format("of extents from 1 to {} with --scales", kMostExtent));
  if (!is_8_bit_float(asked.change.to.value()))
    refuse("--to", cornerturn::name_of(*asked.change.to), list_text(names_of_types(is_8_bit_float)) + " with --scales");
  auto const source = element_type_named(asked.type);
  if (source != asked.change.to && is_8_bit_float(source))
    refuse("--to", cornerturn::name_of(*asked.change.to), fmt::format("{} with --scales, as --type", asked.type));
  auto const& row = scales_named(scales);
  if (std::ranges::count(kOutputs, outputs) == 0)
    refuse("--outputs", outputs, list_text(kOutputs) + did_you_mean(outputs, kOutputs));
  return {.rows = asked.shape[0],
          .cols = asked.shape[1],
          .source = source,
          .type = *asked.change.to,
          .blocks = scale_blocks(&row - kScaleBlocks),
          .row_wise = outputs != "columns",
          .column_wise = outputs != "rows"};
}

void quantize_arguments::refuse_options(plan_options const& options, std::string_view devices) const {
  for (auto const& [name, alignment] :
       {std::pair{"--source-align", options.source_alignment}, {"--destination-align", options.destination_alignment}})
    if (alignment != plan_options().source_alignment)
      throw error({name, std::to_string(alignment),
                   fmt::format("{} with --scales, because only aligned matrices are planned", plan_options().source_alignment)});
  if (options.processor == processor_kind::cpu)
    refuse("--device", "cpu", fmt::format("{} with --scales, because the CPU has no kernels to choose from", devices));
}

std::string quantize_arguments::name_of(permutation_case const& asked) const {
  return fmt::format("{} {} to {}, {}, outputs {}", fmt::join(asked.shape, "x"), asked.type,
                     cornerturn::name_of(*asked.change.to), scales_named(scales).text, outputs);
}

void add_quantize(CLI::App& command, quantize_arguments& into, std::string const& heading) {
  auto* const scales = command
                           .add_option("--scales", into.scales,
                                       "With --to: quantise a matrix to 8-bit floats with\n"
                                       "scales of 1x128 or 128x128 elements, of rows, or a\n"
                                       "given one: 1x128, 128x128, rows or given")
                           ->type_name("BLOCK")
                           ->group(heading)
                           ->needs(command.get_option("--to"))
                           ->excludes(command.get_option("--axes"));
  for (auto const* each : {"--alpha", "--beta", "--conj", "--saturate"}) scales->excludes(command.get_option(each));
  command.add_option("--outputs", into.outputs, "With --scales: rows, columns or both")
      ->capture_default_str()
      ->type_name("WHICH")
      ->group(heading)
      ->needs(scales);
}

}  // namespace cornerturn::cli
