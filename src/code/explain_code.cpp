#include "cornerturn/code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "code/place.hpp"
#include "code/run.hpp"
#include "code/tiles.hpp"
#include "explain/cuda_code.hpp"
#include "explain/findings.hpp"
#include "explain/instructions.hpp"
#include "explain/python_code.hpp"
#include "explain/suggest.hpp"
#include "layout/notation.hpp"
#include "layout/refuse_text.hpp"

namespace cornerturn {
namespace {

constexpr std::string_view kArgument = "code";

code_run run_of(std::string_view code) {
  constexpr std::size_t kMostText = 1 << 16;
  if (code.size() > kMostText) refuse({kArgument, "the length of {}"}, code.size(), fmt::format("{} or less", kMostText));
  auto const parsed = parse_code(kArgument, code);
  auto result = run_code(parsed);
  if (result.record.accesses.empty())
    refuse_at(kArgument, code, code.size(), "no thread accesses memory, e.g. by tile[threadIdx.x]");
  return result;
}

struct counted_code {
  std::vector<memory_instruction> instructions;
  std::vector<remark> remarks;  ///< one for each instruction
};

/// Counts the instructions, which are named by the lines of the code.
counted_code count(code_run const& run, std::string_view code) {
  std::vector<int> widest(run.arrays.size());
  for (auto const& each : run.record.accesses) {
    auto& of = widest[run.sites[std::size_t(each.place.line - 1)].array];
    of = std::max(of, each.bytes);
  }
  std::vector<std::pair<memory_instruction, remark>> found;
  for (auto& each : instructions_of({{1, run.record}}, 0)) {
    auto const& site = run.sites[std::size_t(each.line - 1)];
    each.source = on_one_line(code.substr(site.begin, site.end - site.begin));
    each.file = kArgument;
    each.line = line_at(code, site.begin).number;
    each.swizzled = false;
    auto const base = std::int64_t(run.arrays[site.array].base) - run.arrays[site.array].lead;
    if (each.space == memory_space::global)
      for (auto& sample : each.samples)
        for (auto& lane : sample.lanes) lane.address -= lane.active ? base : 0;
    bool const has_boxes = run.arrays[site.array].copies == tma_copies::boxes;
    found.emplace_back(std::move(each),
                       remark{.advice = has_boxes ? "give the tile a swizzle of TMA" : "", .widest = widest[site.array]});
  }
  std::ranges::stable_sort(found, {}, [](auto const& each) { return each.first.line; });
  counted_code result;
  for (auto& [instruction, remark] : found) {
    result.instructions.push_back(std::move(instruction));
    result.remarks.push_back(std::move(remark));
  }
  return result;
}

code_explanation explained(std::string_view code, code_run const& run, std::vector<code_tile> const& tiles,
                           std::vector<layout_expression> const& layouts) {
  code_explanation result;
  result.rung = kArgument;
  result.code = code;
  std::vector<int> extents(run.block.begin(), run.block.end());
  while (extents.size() > 1 && extents.back() == 1) extents.pop_back();
  result.block = fmt::format("{}", fmt::join(extents, " x "));
  result.threads = run.threads();
  result.blocks = result.classes = 1;
  auto counted = count(run, code);
  result.instructions = std::move(counted.instructions);
  result.idea = sums_text(result.instructions);
  result.findings = findings_of_own_code(result.instructions, std::move(counted.remarks));
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    int const size = unit_bytes(run.arrays[tiles[i].array]);
    if (result.element_size == 0) result.element_size = size;
    if (size == result.element_size) result.tiles.push_back(map_of(tiles[i], layouts[i]));
  }
  return result;
}

layout_padding option_of(suggested const& found, code_tile const& tile, code_array const& array) {
  auto const layout = in_elements(found.layout, elements_in_unit(array));
  return {.layout = to_string(layout),
          .cuda_code = cuda_code_of(layout, unit_bytes(array), tile.vector_bytes, {array.name, array.type}) +
                       tma_comment(tma_swizzle_of(found.layout, unit_bytes(array))),
          .wavefronts = found.wavefronts,
          .elements = declared_elements(layout)};
}

/// The wavefronts of a run's accesses to an array.
std::pair<std::int64_t, std::int64_t> wavefronts_and_ideal(code_run const& run, std::vector<memory_instruction> const& all,
                                                           std::size_t array) {
  std::pair<std::int64_t, std::int64_t> result;
  for (auto const& each : all)
    if (each.space == memory_space::shared && run.sites[std::size_t(each.line - 1)].array == array) {
      result.first += each.wavefronts;
      result.second += each.ideal_wavefronts;
    }
  return result;
}

}  // namespace

code_explanation explain_code(std::string_view code) {
  auto const run = run_of(code);
  auto const tiles = tiles_of(run);
  std::vector<layout_expression> layouts;
  for (auto const& each : tiles) layouts.push_back(each.given);
  return explained(code, run, tiles, layouts);
}

std::vector<code_suggestion> suggest_code(std::string_view code) {
  auto const run = run_of(code);
  auto const instructions = instructions_of({{1, run.record}}, 0);
  std::vector<code_suggestion> result;
  for (auto const& tile : tiles_of(run)) {
    auto const& array = run.arrays[tile.array];
    int const size = unit_bytes(array);
    auto const [now, ideal] = wavefronts_and_ideal(run, instructions, tile.array);
    if (now == ideal) continue;
    bool const has_boxes = array.copies == tma_copies::boxes;  // which only TMA's swizzles can have
    auto const best = find_suggestion(tile.plain, tile.patterns, has_boxes ? swizzles::tma : swizzles::any);
    if (!best || best->wavefronts >= now || (has_boxes && !tma_swizzle_of(best->layout, size))) continue;
    code_suggestion each;
    each.array = array.name;
    each.index = tile.array;
    each.given_wavefronts = now;
    each.given_elements = array.layout->cosize();
    auto const of = option_of(*best, tile, array);
    each.layout = of.layout, each.cuda_code = of.cuda_code, each.wavefronts = of.wavefronts, each.elements = of.elements;
    auto const layout = in_elements(best->layout, elements_in_unit(array));
    each.code = code_of(layout), each.cute_dsl_code = cute_dsl_code_of(layout);
    if (elements_in_unit(array) == 1) each.gluon_code = gluon_code_of(layout, size);
    each.ideal_wavefronts = ideal;
    each.tma_swizzle = tma_swizzle_of(best->layout, size);
    if (!has_boxes && best->layout.stages().size() > 1)
      if (auto const padding = suggest_padding(tile.plain, tile.patterns)) each.padding = option_of(*padding, tile, array);
    if (!each.tma_swizzle)
      if (auto const tma = find_suggestion(tile.plain, tile.patterns, swizzles::tma); tma && tma_swizzle_of(tma->layout, size))
        each.tma = option_of(*tma, tile, array);
    result.push_back(std::move(each));
  }
  return result;
}

code_explanation explain_suggested_code(std::string_view code, std::vector<code_suggestion> const& found) {
  auto run = run_of(code);
  auto const tiles = tiles_of(run);
  std::vector<layout_expression> layouts;
  for (auto const& tile : tiles) {
    auto const better = std::ranges::find(found, tile.array, &code_suggestion::index);
    layouts.push_back(better == found.end()
                          ? tile.given
                          : in_units(parse_layout("layout", better->layout), elements_in_unit(run.arrays[tile.array])));
    if (better != found.end()) move_accesses(run, tile, layouts.back());
  }
  return explained(code, run, tiles, layouts);
}

}  // namespace cornerturn
