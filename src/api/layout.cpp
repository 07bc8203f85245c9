#include "cornerturn/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "api/parse_options.hpp"
#include "base/refuse.hpp"
#include "code/lane_expression.hpp"
#include "explain/cuda_code.hpp"
#include "explain/instructions.hpp"
#include "explain/layout_findings.hpp"
#include "explain/picture.hpp"
#include "explain/python_code.hpp"
#include "explain/suggest.hpp"
#include "layout/notation.hpp"

namespace cornerturn {
namespace {

/// Counts an access in shared memory, with the sectors that the tile would have in global memory. ldmatrix has no sectors,
/// because it cannot read global memory. An access that no GPU supports has no cost.
memory_instruction count_both(tile_access const& each, layout_expression const& layout) {
  auto shared = count(each.moved, layout, memory_space::shared);
  if (!possible(each.moved, layout)) return without_cost(std::move(shared));
  return each.is_ldmatrix ? shared : with_sectors_of(std::move(shared), count(each.moved, layout, memory_space::global));
}

tile_map map_of(parsed_layout const& parsed, std::optional<layout_expression> const& plain) {
  auto const extents = parsed.layout.extents();
  tile_map tile{
      .space = memory_space::shared, .rows = int(extents.front()), .cols = 1, .offsets = {}, .unswizzled = {}, .threads = {}};
  tile.cols = int(parsed.layout.size() / tile.rows);
  std::vector<int> threads(std::size_t(parsed.layout.size()), -1);
  for (auto const& vector : parsed.accesses.front().moved.vectors)
    for (auto const element : vector.elements) threads[std::size_t(element)] = vector.thread;
  for (int r = 0; r < tile.rows; ++r)
    for (int c = 0; c < tile.cols; ++c) {
      auto const element = std::int64_t(c) * tile.rows + r;
      tile.offsets.push_back(parsed.layout(element));
      if (plain) tile.unswizzled.push_back((*plain)(element));
      tile.threads.push_back(threads[std::size_t(element)]);
    }
  return tile;
}

constexpr int kMostAccess = 16;

memory_instruction count(lane_addresses const& addresses, address_options const& options, memory_space space) {
  recording record;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane)
    record.accesses.push_back({.thread = int(lane),
                               .place = {},
                               .occurrence = 0,
                               .space = space,
                               .store = options.store,
                               .active = addresses[lane].has_value(),
                               .address = std::uint64_t(addresses[lane].value_or(0)),
                               .bytes = options.access,
                               .block = 0});
  return instructions_of({{1, std::move(record)}}, 0).front();
}

/// Draws the tile, unless only addresses are explained, and the requests.
void draw(svg& picture, layout_explanation const& explained) {
  if (explained.addresses.empty())
    draw_tile(picture, explained.tile, explained.element_size,
              {"in shared memory", explained.instructions.front().store ? kStoringThread
                                   : explained.ldmatrix                 ? "the lane that gives the address of the element's row"
                                                                        : kLoadingThread});
  auto drawn = explained.instructions;
  for (auto const& each : explained.instructions)
    if (each.samples.empty())
      picture.heading(fmt::format("No GPU does the {}: its vectors are misaligned or torn", name_of(each)));
  std::erase_if(drawn, [](auto const& each) { return each.samples.empty(); });
  if (explained.space != memory_space::global) draw_requests(picture, drawn, {explained.tile}, explained.element_size);
  if (explained.space != memory_space::shared) draw_as_global(picture, drawn);
}

}  // namespace

layout_explanation explain_layout(layout_options const& options) {
  auto const parsed = parse_options(options);
  auto const plain = unswizzled(parsed.layout);
  layout_explanation result{.layout = to_string(parsed.layout),
                            .elements = parsed.layout.cosize(),
                            .instructions = {},
                            .findings = {},
                            .element_size = parsed.element_size,
                            .tile = map_of(parsed, plain),
                            .space = options.space,
                            .ldmatrix = options.ldmatrix};
  for (auto const& each : parsed.accesses) result.instructions.push_back(count_both(each, parsed.layout));
  result.findings = layout_findings(parsed.layout, parsed.accesses);
  keep_findings_of(options.space, result.findings);
  return result;
}

layout_explanation explain_addresses(address_options const& options) {
  if (options.access < 1 || options.access > kMostAccess || !std::has_single_bit(unsigned(options.access)))
    refuse("access", options.access, "1, 2, 4, 8 or 16 bytes");
  auto const addresses = parse_addresses("addresses", options.addresses);
  auto const is_active = [](auto const& each) { return each.has_value(); };
  if (std::ranges::none_of(addresses, is_active))
    refuse("addresses", fmt::format("'{}'", options.addresses), "one with an active lane");
  auto const shared = count(addresses, options, memory_space::shared);
  auto const global = count(addresses, options, memory_space::global);
  layout_explanation result;
  result.addresses = options.addresses;
  result.element_size = options.access;
  result.space = options.space;
  result.findings = findings_of_both({shared}, {global}, {});
  keep_findings_of(options.space, result.findings);
  bool const misaligned =
      std::ranges::any_of(addresses, [&](auto const& each) { return each.value_or(0) % options.access != 0; });
  result.instructions.push_back(misaligned ? without_cost(shared) : with_sectors_of(shared, global));
  return result;
}

layout_suggestion suggest_layout(layout_options const& options) {
  if (options.space == memory_space::global)
    refuse("space", "global", "shared or both for a suggestion, which has the fewest wavefronts of shared memory");
  auto const parsed = parse_options(options);
  std::vector<pattern> patterns;
  layout_suggestion result;
  int vector_bytes = 0;
  for (auto const& each : parsed.accesses) {
    patterns.push_back(each.moved);
    vector_bytes = std::max(vector_bytes, each.moved.vector * parsed.element_size);
    result.ideal_wavefronts += count(each.moved, parsed.layout, memory_space::shared).ideal_wavefronts;
  }
  auto const [layout, wavefronts] = suggest(parsed.layout, patterns, options.tma_swizzles ? swizzles::tma : swizzles::any);
  result.layout = to_string(layout);
  result.code = code_of(layout);
  result.tma_swizzle = tma_swizzle_of(layout, parsed.element_size);
  result.cuda_code = cuda_code_of(layout, parsed.element_size, vector_bytes) + tma_comment(result.tma_swizzle);
  result.rearrange_code = rearrange_code_of(layout, parsed.element_size);
  result.cute_dsl_code = cute_dsl_code_of(layout);
  result.gluon_code = gluon_code_of(layout, parsed.element_size);
  result.wavefronts = wavefronts;
  result.elements = layout.cosize();
  if (layout.stages().size() > 1 && !options.tma_swizzles)
    if (auto const padding = suggest_padding(parsed.layout, patterns))
      result.padding = layout_padding{.layout = to_string(padding->layout),
                                      .cuda_code = cuda_code_of(padding->layout, parsed.element_size, vector_bytes),
                                      .wavefronts = padding->wavefronts,
                                      .elements = padding->layout.cosize()};
  return result;
}

layout_explanation explain_suggestion(layout_options const& options, layout_suggestion const& found) {
  auto better = options;
  better.element_size = parse_options(options).element_size;  // may come from a pointer in the given layout
  better.layout = found.layout;
  return explain_layout(better);
}

std::string picture_of(layout_options const& options, layout_explanation const& given,
                       std::optional<layout_suggestion> const& found) {
  svg picture;
  picture.heading(given.addresses.empty() ? given.layout : given.addresses);
  draw(picture, given);
  if (found && found->layout != given.layout) {
    picture.heading(fmt::format("Suggested: {}", found->layout));
    draw(picture, explain_suggestion(options, *found));
  }
  return picture.finished();
}

}  // namespace cornerturn
