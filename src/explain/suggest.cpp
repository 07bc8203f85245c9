#include "explain/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "explain/notation.hpp"
#include "explain/requests.hpp"
#include "problem/fail.hpp"

namespace cornerturn {
namespace {

int log2_ceil(std::int64_t x) { return int(std::bit_width(std::uint64_t(x - 1))); }

void collect_strides(int_tuple const& shape, int_tuple const& stride, std::set<std::int64_t>& into) {
  for (std::size_t i = 0; i < shape.items.size(); ++i) collect_strides(shape.items[i], stride.items[i], into);
  if (!shape.is_list() && shape.integer.value > 1) into.insert(stride.integer.value);
}

/// The strides from `wide` on grow by `pad` elements for each time that they hold it.
int_tuple widened(int_tuple stride, std::int64_t wide, std::int64_t pad) {
  for (auto& item : stride.items) item = widened(item, wide, pad);
  auto& value = stride.integer.value;
  if (!stride.is_list() && value >= wide) value += pad * (value / wide);
  return stride;
}

/// The layout alone, swizzled in every way that its offsets have bits for, and padded by up to eight vectors.
std::vector<layout_expression> candidates(strided_layout const& plain, int vector) {
  std::vector<layout_expression> result{layout_expression({plain})};
  int const bits = log2_ceil(result.front().cosize()), base = log2_ceil(vector);
  for (int b = 1; b <= 5; ++b)
    for (int m = base; m + 2 * b <= bits; ++m)
      for (int s = b; m + b + s <= bits; ++s)
        for (int const shift : {s, -s}) result.emplace_back(std::vector<layout_stage>{swizzle_stage{{b, m, shift}}, plain});

  std::set<std::int64_t> strides;
  collect_strides(plain.shape, plain.stride, strides);
  for (auto const wide : strides)
    if (wide > 1)
      for (int const pad : {1, 2, 4, 8})
        result.emplace_back(std::vector<layout_stage>{strided_layout{plain.shape, widened(plain.stride, wide, pad * vector)}});
  return result;
}

strided_layout const& without_swizzle(layout_expression const& given) {
  for (std::size_t i = 0; i + 1 < given.stages().size(); ++i)
    if (!std::holds_alternative<swizzle_stage>(given.stages()[i]))
      refuse("layout", fmt::format("'{}'", to_string(given)), "a single layout, swizzled or not, for a suggestion");
  if (given.offsets().low < 0)
    refuse("layout", fmt::format("'{}'", to_string(given)), "one without negative offsets for a suggestion");
  return given.domain();
}

std::string type_of(int_tuple const& tuple, std::string_view list) {
  constexpr std::int64_t kNamed[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512, 1024};
  if (!tuple.is_list()) {
    auto const value = tuple.integer.value;
    return std::ranges::find(kNamed, value) != std::end(kNamed) ? fmt::format("_{}", value) : fmt::format("Int<{}>", value);
  }
  std::vector<std::string> items;
  for (auto const& item : tuple.items) items.push_back(type_of(item, list));
  return fmt::format("{}<{}>", list, fmt::join(items, ", "));
}

using offset_table = std::vector<std::int64_t>;

offset_table table_of(layout_expression const& layout) {
  offset_table result;
  for (std::int64_t i = 0; i < layout.size(); ++i) result.push_back(layout(i));
  return result;
}

/// A pattern as requests whose addresses are elements of the tile, to be looked up in a layout's table.
struct prepared {
  pattern const& given;
  std::vector<request> requests;

  explicit prepared(pattern const& each) : given(each) {
    recording record;
    for (auto const& vector : each.vectors) {
      bool const active = !vector.elements.empty();
      record.accesses.push_back({.thread = vector.thread,
                                 .place = {},
                                 .occurrence = vector.occurrence,
                                 .space = memory_space::shared,
                                 .store = true,
                                 .active = active,
                                 .address = active ? std::uint64_t(vector.elements.front()) : 0,
                                 .bytes = each.vector * each.element_size,
                                 .block = 0});
    }
    requests = requests_of(record);
  }

  bool possible(offset_table const& table) const {
    return std::ranges::all_of(given.vectors, [&](tiled_vector const& each) {
      if (each.elements.empty()) return true;
      auto const first = table[std::size_t(each.elements.front())];
      for (std::size_t v = 1; v < each.elements.size(); ++v)
        if (table[std::size_t(each.elements[v])] != first + std::int64_t(v)) return false;
      return first % given.vector == 0;
    });
  }

  std::int64_t wavefronts(offset_table const& table) const {
    std::int64_t total = 0;
    for (auto each : requests) {
      for (auto& lane : each.lanes) lane.address = std::uint64_t(table[lane.address] * given.element_size);
      total += cornerturn::wavefronts(each);
    }
    return total;
  }
};

}  // namespace

suggested suggest(layout_expression const& given, std::vector<pattern> const& patterns) {
  int vector = 1;
  for (auto const& each : patterns) vector = std::max(vector, each.vector);

  std::optional<suggested> best;
  auto const key = [](suggested const& each) {
    auto const& stages = each.layout.stages();
    int const bits = stages.size() > 1 ? std::get<swizzle_stage>(stages.front()).swizzle.bits : 0;
    int const backwards = stages.size() > 1 && std::get<swizzle_stage>(stages.front()).swizzle.shift < 0;
    return std::tuple(each.wavefronts, each.layout.cosize(), stages.size(), bits, backwards);
  };
  std::vector<prepared> const all(patterns.begin(), patterns.end());
  for (auto const& layout : candidates(without_swizzle(given), vector)) {
    auto const table = table_of(layout);
    if (!std::ranges::all_of(all, [&](auto const& each) { return each.possible(table); })) continue;
    suggested candidate{layout, 0};
    for (auto const& each : all) candidate.wavefronts += each.wavefronts(table);
    if (!best || key(candidate) < key(*best)) best = candidate;
  }
  if (!best)
    refuse("vector", fmt::format("{} elements", vector),
           "one whose values lie beside each other in the layout, or in a padded or swizzled form of it");
  return *best;
}

std::string code_of(layout_expression const& layout) {
  auto const& plain = layout.domain();
  auto const base = fmt::format("Layout<{}, {}>{{}}", type_of(plain.shape, "Shape"), type_of(plain.stride, "Stride"));
  if (layout.stages().size() == 1) return fmt::format("auto const layout = {};", base);
  auto const& swizzle = std::get<swizzle_stage>(layout.stages().front()).swizzle;
  return fmt::format("auto const layout = composition(Swizzle<{}, {}, {}>{{}}, {});", swizzle.bits, swizzle.base, swizzle.shift,
                     base);
}

}  // namespace cornerturn
