#include "code/tiles.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "explain/layout_findings.hpp"
#include "explain/suggest.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kNowhere = -1;

using coordinates = std::vector<std::int64_t>;

/// The elements of an array by their offset.
class element_index {
 public:
  explicit element_index(layout_expression const& layout)
      : extents_(layout.extents()), linear_(std::size_t(layout.cosize()), kNowhere) {
    for (std::int64_t i = 0; i < layout.size(); ++i) linear_[std::size_t(layout(i))] = i;
  }

  /// The coordinates of the element at an offset; empty if there is no element.
  coordinates at(std::int64_t offset) const {
    if (offset < 0 || offset >= std::int64_t(linear_.size()) || linear_[std::size_t(offset)] == kNowhere) return {};
    coordinates result;
    auto rest = linear_[std::size_t(offset)];
    for (auto const extent : extents_) {
      result.push_back(rest % extent);
      rest /= extent;
    }
    return result;
  }

 private:
  coordinates extents_;
  std::vector<std::int64_t> linear_;  // the linear coordinate at each offset
};

std::int64_t linear(coordinates const& at, coordinates const& extents) {
  std::int64_t result = 0, scale = 1;
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] >= extents[k]) return kNowhere;
    result += at[k] * scale;
    scale *= extents[k];
  }
  return result;
}

bool is_of(code_run const& run, recorded_access const& each, std::size_t array) {
  return run.sites[std::size_t(each.place.line - 1)].array == array && each.space == run.arrays[array].space;
}

std::int64_t element_of(code_array const& array, recorded_access const& each) {
  return std::int64_t(each.address - array.base) * 8 / array.of.bits;
}

/// The coordinates of the unit that begins with an element; empty if none does.
coordinates unit_at(element_index const& elements, std::int64_t element, int elements_in_unit) {
  auto at = elements.at(element);
  if (at.empty() || at.back() % elements_in_unit) return {};
  at.back() /= elements_in_unit;
  return at;
}

/// Multiplies or divides by the elements of a unit: the last extent, and all strides but the last one.
template <class Scale>
layout_expression scaled(layout_expression const& layout, int bits, Scale const& scale) {
  std::vector<layout_stage> stages;
  for (auto const& each : layout.stages()) {
    if (auto const* const swizzle = std::get_if<swizzle_stage>(&each)) {
      auto changed = *swizzle;
      changed.swizzle.base += bits;
      stages.push_back(changed);
      continue;
    }
    auto changed = std::get<strided_layout>(each);
    bool const is_list = changed.shape.is_list();
    scale(is_list ? changed.shape.items.back().integer.value : changed.shape.integer.value);
    for (std::size_t mode = 0; mode + 1 < changed.stride.items.size(); ++mode) scale(changed.stride.items[mode].integer.value);
    stages.push_back(std::move(changed));
  }
  return layout_expression(std::move(stages));
}

/// The extents without padding of the last one; `used` is the highest last coordinate of all accesses + 1.
coordinates unpadded(coordinates extents, std::int64_t used, int bits) {
  constexpr std::int64_t kElements = 8, kBits = 128;
  auto const whole = std::int64_t(std::bit_floor(std::uint64_t(extents.back())));
  if (extents.size() > 1 && used <= whole && extents.back() - whole <= std::max(kElements, kBits / bits)) extents.back() = whole;
  return extents;
}

/// The layout of an array without its padding; empty if a layout cannot replace it.
std::optional<layout_expression> plain_layout(code_run const& run, std::size_t index) {
  auto const& array = run.arrays[index];
  if (array.space != memory_space::shared || array.in_registers || !array.layout) return std::nullopt;
  if (array.copies == tma_copies::bytes || array.of.structure) return std::nullopt;
  if (array.layout->cosize() * array.of.bits / 8 > kBlockBytes) return std::nullopt;
  int const in_unit = elements_in_unit(array);
  if (in_unit > 1 && (array.has_notation || array.extents.back() % in_unit)) return std::nullopt;
  if (array.has_notation) {
    bool const is_plain = unswizzled(*array.layout).value_or(*array.layout).stages().size() == 1;
    return is_plain ? array.layout : std::nullopt;
  }
  element_index const elements(*array.layout);
  std::int64_t used = array.copies == tma_copies::boxes ? array.extents.back() : 0;  // boxes fill whole rows
  for (auto const& each : run.record.accesses)
    if (each.active && is_of(run, each, index))
      for (auto bits = std::int64_t(each.bytes) * 8; bits > 0; bits -= array.of.bits)
        if (auto const at = elements.at(element_of(array, each) + (bits - 1) / array.of.bits); !at.empty())
          used = std::max(used, at.back() + 1);
  auto extents = unpadded(array.extents, used, array.of.bits);
  extents.back() /= in_unit;
  return layout_expression({row_major(extents)});
}

/// The accesses of one place; empty if they do not move whole elements of the tile.
std::optional<pattern> pattern_of(code_run const& run, std::size_t index, int place, element_index const& elements,
                                  coordinates const& extents) {
  auto const& array = run.arrays[index];
  pattern result{.vectors = {}, .vector = 1, .element_size = unit_bytes(array), .store = false};
  int const in_unit = elements_in_unit(array);
  for (auto const& each : run.record.accesses) {
    if (each.place.line != place || !is_of(run, each, index)) continue;
    if (each.bytes % result.element_size) return std::nullopt;
    result.vector = each.bytes / result.element_size;
    result.store = each.store;
    result.matrix_rows |= each.matrix_row;
    tiled_vector vector{each.thread, each.occurrence, {}, each.source_address};
    for (int v = 0; each.active && v < result.vector; ++v) {
      auto const at = unit_at(elements, element_of(array, each) + v * in_unit, in_unit);
      auto const found = at.empty() ? kNowhere : linear(at, extents);
      if (found == kNowhere || std::int64_t(each.address - array.base) % result.element_size) return std::nullopt;
      vector.elements.push_back(found);
    }
    result.vectors.push_back(std::move(vector));
  }
  return result;
}

}  // namespace

std::vector<code_tile> tiles_of(code_run const& run) {
  std::vector<code_tile> result;
  for (std::size_t array = 0; array < run.arrays.size(); ++array) {
    auto plain = plain_layout(run, array);
    if (!plain) continue;
    auto const& declared = *run.arrays[array].layout;
    code_tile tile{.array = array, .plain = std::move(*plain), .given = declared, .patterns = {}};
    if (!run.arrays[array].has_notation)
      tile.given = layout_expression(
          {strided_layout{tile.plain.domain().shape, in_units(declared, elements_in_unit(run.arrays[array])).domain().stride}});
    element_index const elements(declared);
    auto const extents = tile.plain.extents();
    bool whole = true;
    for (std::size_t site = 0; site < run.sites.size() && whole; ++site) {
      auto each = pattern_of(run, array, int(site) + 1, elements, extents);
      whole = each.has_value();
      if (!whole || each->vectors.empty()) continue;
      tile.vector_bytes = std::max(tile.vector_bytes, each->vector * each->element_size);
      tile.patterns.push_back(std::move(*each));
    }
    if (whole && !tile.patterns.empty()) result.push_back(std::move(tile));
  }
  return result;
}

layout_expression in_elements(layout_expression const& layout, int elements) {
  return scaled(layout, std::countr_zero(unsigned(elements)), [&](std::int64_t& number) { number *= elements; });
}

layout_expression in_units(layout_expression const& layout, int elements) {
  return scaled(layout, -std::countr_zero(unsigned(elements)), [&](std::int64_t& number) { number /= elements; });
}

void move_accesses(code_run& run, code_tile const& tile, layout_expression const& layout) {
  auto const& array = run.arrays[tile.array];
  element_index const elements(*array.layout);
  auto const extents = tile.plain.extents();
  int const in_unit = elements_in_unit(array);
  for (auto& each : run.record.accesses)
    if (each.active && is_of(run, each, tile.array))
      each.address = array.base + std::uint64_t(layout(linear(unit_at(elements, element_of(array, each), in_unit), extents)) *
                                                unit_bytes(array));
}

tile_map map_of(code_tile const& tile, layout_expression const& layout) {
  auto const extents = layout.extents();
  tile_map result{.space = memory_space::shared,
                  .rows = int(extents.front()),
                  .cols = int(layout.size() / extents.front()),
                  .offsets = {},
                  .unswizzled = {},
                  .threads = {}};
  std::unordered_map<std::int64_t, int> threads;  // by linear coordinate: the storing thread, else the loading one
  for (bool const store : {true, false})
    for (auto const& each : tile.patterns)
      for (auto const& vector : each.vectors)
        for (auto const element : vector.elements)
          if (each.store == store) threads.emplace(element, vector.thread);
  auto const plain = unswizzled(layout);
  for (int r = 0; r < result.rows; ++r)
    for (int c = 0; c < result.cols; ++c) {
      auto const element = std::int64_t(c) * result.rows + r;
      result.offsets.push_back(layout(element));
      if (plain) result.unswizzled.push_back((*plain)(element));
      auto const found = threads.find(element);
      result.threads.push_back(found == threads.end() ? -1 : found->second);
    }
  return result;
}

}  // namespace cornerturn
