#include "cornerturn/layout.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <utility>

#include "explain/instructions.hpp"
#include "explain/layout_findings.hpp"
#include "explain/ldmatrix.hpp"
#include "explain/picture.hpp"
#include "explain/suggest.hpp"
#include "layout/notation.hpp"
#include "problem/fail.hpp"

namespace cornerturn {
namespace {

constexpr int kMostVector = 16;

struct prepared_layout {
  layout_expression layout;
  int element_size;
  std::vector<tile_access> accesses;
};

int vector_elements(std::string const& name, int bytes, int element_size) {
  if (bytes == 0) return 1;
  if (bytes < element_size || bytes > kMostVector || !std::has_single_bit(unsigned(bytes)))
    refuse(name, bytes, fmt::format("a power of two from the element size, {}, to {} bytes", element_size, kMostVector));
  return bytes / element_size;
}

/// "mode 1, 4:-4, goes down to -12"; of layouts composed, the lowest offset alone.
std::string lowest(layout_expression const& layout) {
  auto const& [shape, stride] = layout.domain();
  for (std::size_t k = 0; layout.stages().size() == 1 && k < shape.items.size(); ++k) {
    strided_layout const mode{shape.items[k], stride.items[k]};
    if (auto const low = mode.offsets().low; low < 0)
      return fmt::format("mode {}, {}, goes down to {}", k, to_string(layout_expression({mode})), low);
  }
  return fmt::format("one is {}", layout.offsets().low);
}

prepared_layout prepare(layout_options const& options) {
  if (int const given = options.element_size;
      given != 0 && (given < 0 || given > kMostVector || !std::has_single_bit(unsigned(given))))
    refuse("element", given, "1, 2, 4, 8 or 16 bytes");
  auto [layout, size] = parse_tile("layout", options.layout, options.element_size);
  prepared_layout result{std::move(layout), size, {}};
  if (result.layout.offsets().low < 0)
    refuse("layout", fmt::format("'{}'", options.layout),
           fmt::format("one whose offsets are 0 or more; {}", lowest(result.layout)));
  auto const add = [&, size = size](std::string const& prefix, tiled_access const& access, bool store) {
    tiled_copy const copy{parse_layout(prefix + "threads", access.threads),
                          parse_layout(prefix + "values", access.values.empty() ? "1:0" : access.values),
                          vector_elements(prefix + "vector", access.vector, size), size};
    result.accesses.push_back({prefix, copy, {vectors_of(copy, result.layout.extents(), prefix), copy.vector, size, store}});
  };
  auto const add_given = [&](std::string const& prefix, tiled_access const& access, bool store) {
    if (!access.threads.empty())
      add(prefix, access, store);
    else if (!access.values.empty() || access.vector)
      refuse(prefix + "threads", "''", "a layout, as values or a vector go with it");
  };
  if (options.ldmatrix)
    for (auto const& [name, given] :
         {std::pair("load_threads", options.load.threads), std::pair("load_values", options.load.values),
          std::pair("load_vector", options.load.vector ? std::to_string(options.load.vector) : "")})
      if (!given.empty()) refuse(name, given, "absent, as ldmatrix is the load");
  if (options.ldmatrix && options.space == memory_space::global)
    refuse("space", "global", "shared or both with ldmatrix, which reads shared memory");
  add_given("store_", options.store, true);
  add_given("load_", options.load, false);
  if (options.ldmatrix)
    result.accesses.push_back({"ldmatrix", std::nullopt, ldmatrix_rows(options.ldmatrix, result.layout.extents(), size)});
  if (result.accesses.empty()) throw error(error_kind::argument, "store_threads, load_threads or ldmatrix must be given");
  return result;
}

/// Counted in shared memory, with the sectors that the tile would have in global memory, which ldmatrix cannot read. What no GPU
/// does has no cost.
memory_instruction count_both(tile_access const& each, layout_expression const& layout) {
  auto shared = count(each.moved, layout, memory_space::shared);
  if (!possible(each.moved, layout)) return without_cost(std::move(shared));
  return each.copy ? with_sectors_of(std::move(shared), count(each.moved, layout, memory_space::global)) : shared;
}

tile_map map_of(prepared_layout const& prepared, std::optional<layout_expression> const& plain) {
  auto const extents = prepared.layout.extents();
  tile_map tile{
      .space = memory_space::shared, .rows = int(extents.front()), .cols = 1, .offsets = {}, .unswizzled = {}, .threads = {}};
  tile.cols = int(prepared.layout.size() / tile.rows);
  std::vector<int> threads(std::size_t(prepared.layout.size()), -1);
  for (auto const& vector : prepared.accesses.front().moved.vectors)
    for (auto const element : vector.elements) threads[std::size_t(element)] = vector.thread;
  for (int r = 0; r < tile.rows; ++r)
    for (int c = 0; c < tile.cols; ++c) {
      auto const element = std::int64_t(c) * tile.rows + r;
      tile.offsets.push_back(prepared.layout(element));
      if (plain) tile.unswizzled.push_back((*plain)(element));
      tile.threads.push_back(threads[std::size_t(element)]);
    }
  return tile;
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
  auto const prepared = prepare(options);
  auto const plain = unswizzled(prepared.layout);
  layout_explanation result{.layout = to_string(prepared.layout),
                            .elements = prepared.layout.cosize(),
                            .instructions = {},
                            .findings = {},
                            .element_size = prepared.element_size,
                            .tile = map_of(prepared, plain),
                            .space = options.space,
                            .ldmatrix = options.ldmatrix};
  for (auto const& each : prepared.accesses) result.instructions.push_back(count_both(each, prepared.layout));
  result.findings = layout_findings(prepared.layout, prepared.accesses);
  keep_findings_of(options.space, result.findings);
  return result;
}

layout_suggestion suggest_layout(layout_options const& options) {
  if (options.space == memory_space::global)
    refuse("space", "global", "shared or both for a suggestion, which has the fewest wavefronts of shared memory");
  auto const prepared = prepare(options);
  std::vector<pattern> patterns;
  layout_suggestion result;
  for (auto const& each : prepared.accesses) {
    patterns.push_back(each.moved);
    result.ideal_wavefronts += count(each.moved, prepared.layout, memory_space::shared).ideal_wavefronts;
  }
  auto const [layout, wavefronts] = suggest(prepared.layout, patterns, options.tma_swizzles ? swizzles::tma : swizzles::any);
  result.layout = to_string(layout);
  result.code = code_of(layout);
  result.wavefronts = wavefronts;
  result.elements = layout.cosize();
  result.tma_swizzle = tma_swizzle_of(layout, prepared.element_size);
  return result;
}

layout_explanation explain_suggestion(layout_options const& options, layout_suggestion const& found) {
  auto better = options;
  better.element_size = prepare(options).element_size;  // a pointer in the given layout may have told it
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
