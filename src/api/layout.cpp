#include "cornerturn/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <variant>

#include "explain/findings.hpp"
#include "explain/instructions.hpp"
#include "explain/picture.hpp"
#include "explain/requests.hpp"
#include "explain/suggest.hpp"
#include "explain/tile_threads.hpp"
#include "explain/tiled.hpp"
#include "layout/notation.hpp"
#include "problem/fail.hpp"

namespace cornerturn {
namespace {

constexpr int kMostVector = 16;

struct side {
  std::string prefix;
  bool store;
  pattern accesses;
};

struct prepared_layout {
  layout_expression layout;
  std::vector<side> sides;
};

int vector_elements(std::string const& name, int bytes, int element_size) {
  if (bytes == 0) return 1;
  if (bytes < element_size || bytes > kMostVector || !std::has_single_bit(unsigned(bytes)))
    refuse(name, bytes, fmt::format("a power of two from the element size, {}, to {} bytes", element_size, kMostVector));
  return bytes / element_size;
}

prepared_layout prepare(layout_options const& options) {
  int const size = options.element_size;
  if (size < 1 || size > kMostVector || !std::has_single_bit(unsigned(size))) refuse("element", size, "1, 2, 4, 8 or 16 bytes");
  prepared_layout result{parse_layout("layout", options.layout), {}};
  if (result.layout.offsets().low < 0)
    refuse("layout", fmt::format("'{}'", options.layout),
           fmt::format("one whose offsets are 0 or more; one is {}", result.layout.offsets().low));
  auto const add = [&](std::string const& prefix, tiled_access const& access, bool store) {
    tiled_copy const copy{parse_layout(prefix + "threads", access.threads),
                          parse_layout(prefix + "values", access.values.empty() ? "1:0" : access.values),
                          vector_elements(prefix + "vector", access.vector, size)};
    result.sides.push_back({prefix, store, {vectors_of(copy, result.layout.extents(), prefix), copy.vector, size}});
  };
  add("", options.store, true);
  if (!options.load.threads.empty())
    add("other-", options.load, false);
  else if (!options.load.values.empty() || options.load.vector)
    refuse("other-threads", "''", "a layout, where there are other values or another vector");
  return result;
}

/// One side's accesses as an instruction: counted in shared memory, and their sectors as if the tile lay in global memory.
memory_instruction count(side const& each, layout_expression const& layout) {
  auto record = record_vectors(each.accesses.vectors, layout, each.accesses.vector, each.accesses.element_size, each.store);
  auto result = instructions_of({{1, record}}, 0).front();
  for (auto& access : record.accesses) access.space = memory_space::global;
  auto const global = instructions_of({{1, record}}, 0).front();
  result.sectors = global.sectors, result.ideal_sectors = global.ideal_sectors, result.partial_sectors = global.partial_sectors;
  result.half_lines = global.half_lines, result.lines = global.lines;
  result.file.clear(), result.line = 0;
  return result;
}

/// The layout without its outermost swizzles; nothing where it has none.
std::optional<layout_expression> unswizzled(layout_expression const& layout) {
  auto stages = layout.stages();
  auto const last = std::ranges::find_if(stages, [](auto const& stage) { return std::holds_alternative<strided_layout>(stage); });
  if (last == stages.begin()) return std::nullopt;
  stages.erase(stages.begin(), last);
  return layout_expression(stages);
}

void add_findings(layout_explanation& result, prepared_layout const& prepared, std::optional<layout_expression> const& plain) {
  auto alone = result.instructions;
  for (auto& each : alone) each.swizzled = false;  // all accesses use the one layout: none forgets its swizzle
  result.findings = findings_of(alone);
  for (std::size_t i = 0; i < prepared.sides.size(); ++i) {
    auto const& each = prepared.sides[i];
    auto const& counted = result.instructions[i];
    if (auto const* const torn = torn_vector(each.accesses.vectors, prepared.layout))
      result.findings.push_back(
          {"torn-vector", int(i),
           fmt::format("{}: the {} elements of thread {}'s vector do not follow each other in memory; give the values another "
                       "order, or use a narrower vector",
                       name_of(counted), each.accesses.vector, torn->thread)});
    bool const conflicts = counted.wavefronts > counted.ideal_wavefronts;
    if (plain && conflicts && count(each, *plain).wavefronts == counted.wavefronts)
      for (auto& found : result.findings)
        if (found.instruction == int(i) && (found.kind == "bank-conflict" || found.kind == "stride-32")) {
          found.kind = "unused-swizzle";
          found.text += "; the layout's swizzle changes nothing for this access: it does not tell the banks of these lanes apart";
        }
  }
}

tile_map map_of(prepared_layout const& prepared, std::optional<layout_expression> const& plain) {
  auto const extents = prepared.layout.extents();
  tile_map tile{
      .space = memory_space::shared, .rows = int(extents.front()), .cols = 1, .offsets = {}, .unswizzled = {}, .threads = {}};
  tile.cols = int(prepared.layout.size() / tile.rows);
  std::vector<int> threads(std::size_t(prepared.layout.size()), -1);
  for (auto const& vector : prepared.sides.front().accesses.vectors)
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

}  // namespace

layout_explanation explain_layout(layout_options const& options) {
  auto const prepared = prepare(options);
  auto const plain = unswizzled(prepared.layout);
  layout_explanation result{.layout = to_string(prepared.layout),
                            .elements = prepared.layout.cosize(),
                            .instructions = {},
                            .findings = {},
                            .element_size = options.element_size,
                            .tile = map_of(prepared, plain)};
  for (auto const& each : prepared.sides) result.instructions.push_back(count(each, prepared.layout));
  add_findings(result, prepared, plain);
  return result;
}

layout_suggestion suggest_layout(layout_options const& options) {
  auto const prepared = prepare(options);
  std::vector<pattern> patterns;
  layout_suggestion result;
  for (auto const& each : prepared.sides) {
    patterns.push_back(each.accesses);
    result.ideal_wavefronts += count(each, prepared.layout).ideal_wavefronts;
  }
  auto const [layout, wavefronts] = suggest(prepared.layout, patterns);
  result.layout = to_string(layout);
  result.code = code_of(layout);
  result.wavefronts = wavefronts;
  result.elements = layout.cosize();
  return result;
}

std::string picture_of(layout_explanation const& explained) {
  svg picture;
  picture.heading(explained.layout);
  draw_tile(picture, explained.tile, explained.element_size);
  draw_requests(picture, explained.instructions, {explained.tile}, explained.element_size);
  return picture.finished();
}

}  // namespace cornerturn
