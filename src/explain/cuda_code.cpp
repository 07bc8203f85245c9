#include "explain/cuda_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <variant>
#include <vector>

namespace cornerturn {
namespace {

/// The name of the coordinate of a mode: i, j, k, or in a layout of more modes i0, i1, …
std::string coordinate(std::size_t mode, std::size_t modes) {
  return modes <= 3 ? std::string(1, char('i' + mode)) : fmt::format("i{}", mode);
}

std::vector<int_tuple> top_modes(int_tuple const& tuple) { return tuple.is_list() ? tuple.items : std::vector{tuple}; }

std::vector<std::string> mode_names(strided_layout const& layout) {
  auto const modes = top_modes(layout.shape).size();
  std::vector<std::string> names;
  for (std::size_t mode = 0; mode < modes; ++mode) names.push_back(coordinate(mode, modes));
  return names;
}

/// An array of C++ whose elements have the offsets of a layout.
struct declared_array {
  std::vector<std::size_t> modes;     ///< of the layout, in the order of the indices
  std::vector<std::int64_t> extents;  ///< as declared: the first mode's, then the pitches in elements
};

std::optional<declared_array> declared_as(strided_layout const& layout) {
  auto const shape = top_modes(layout.shape), stride = top_modes(layout.stride);
  if (std::ranges::any_of(shape, &int_tuple::is_list)) return {};
  auto const step = [&](std::size_t mode) { return stride[mode].integer.value; };
  declared_array result;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) result.modes.push_back(mode);
  std::ranges::stable_sort(result.modes, std::greater(), step);
  if (step(result.modes.back()) != 1) return {};
  result.extents.push_back(shape[result.modes.front()].integer.value);
  for (std::size_t k = 1; k < result.modes.size(); ++k) {
    auto const outer = step(result.modes[k - 1]), inner = step(result.modes[k]);
    if (outer % inner || outer / inner < shape[result.modes[k]].integer.value) return {};
    result.extents.push_back(outer / inner);
  }
  return result;
}

/// The last index of an element in a swizzled array, e.g. "j ^ (i & 31)"; empty unless the swizzle XORs its bits with bits of one
/// other index.
std::string swizzled_index(declared_array const& array, strided_layout const& layout, swizzle_bits const& swizzle) {
  auto const names = mode_names(layout);
  int low = 0;  // the lowest bit of the offset that the index has
  for (auto k = array.modes.size() - 1;; --k) {
    auto const mode = array.modes[k];
    bool const is_last = k + 1 == array.modes.size(), is_first = k == 0;
    if (!is_first && !std::has_single_bit(std::uint64_t(array.extents[k]))) return "";
    int const bits = is_first ? 64 : std::countr_zero(std::uint64_t(array.extents[k]));
    if (is_last && (is_first || swizzle.base + swizzle.bits > bits || swizzle.shift < 0)) return "";
    if (int const first = swizzle.base + swizzle.shift - low; !is_last && first >= 0 && first + swizzle.bits <= bits) {
      auto const mask = (std::int64_t(1) << swizzle.bits) - 1;
      auto from = first > 0 ? fmt::format("{} >> {}", names[mode], first) : names[mode];
      if ((top_modes(layout.shape)[mode].integer.value - 1) >> first > mask) from += fmt::format(" & {}", mask);
      auto const grouped = [](std::string const& text) { return text.find(' ') == text.npos ? text : "(" + text + ")"; };
      if (swizzle.base > 0) from = fmt::format("{} << {}", grouped(from), swizzle.base);
      return fmt::format("{} ^ {}", names[array.modes.back()], grouped(from));
    }
    if (is_first) return "";
    low += bits;
  }
}

/// A summand of an offset.
struct offset_term {
  std::int64_t stride;
  std::string coordinate;
};

/// Adds the summands of a mode or of a part of a mode. `name` is the mode's coordinate, `inner` the product of the extents of the
/// parts before, and `is_last` is true for the last part.
void add_terms(int_tuple const& shape, int_tuple const& stride, std::string const& name, std::int64_t inner, bool is_last,
               std::vector<offset_term>& into) {
  if (shape.is_list()) {
    for (std::size_t i = 0; i < shape.items.size(); ++i) {
      add_terms(shape.items[i], stride.items[i], name, inner, is_last && i + 1 == shape.items.size(), into);
      inner *= strided_layout{shape.items[i], stride.items[i]}.size();
    }
    return;
  }
  auto const extent = shape.integer.value, step = stride.integer.value;
  if (extent == 1 || step == 0) return;
  auto index = inner > 1 ? fmt::format("{} / {}", name, inner) : name;
  if (!is_last) index += fmt::format(" % {}", extent);
  into.push_back({step, step == 1 ? index : fmt::format("{} * {}", index, step)});
}

/// The offset of an element before the swizzle, e.g. "i * 40 + j".
std::string offset_of(strided_layout const& layout) {
  auto const shape = top_modes(layout.shape), stride = top_modes(layout.stride);
  auto const names = mode_names(layout);
  std::vector<offset_term> terms;
  for (std::size_t mode = 0; mode < shape.size(); ++mode) add_terms(shape[mode], stride[mode], names[mode], 1, true, terms);
  std::ranges::stable_sort(terms, std::greater(), &offset_term::stride);
  std::string text;
  for (auto const& each : terms) text += (text.empty() ? "" : " + ") + each.coordinate;
  return text.empty() ? "0" : text;
}

/// The statement of a swizzle of the offset x.
std::string swizzled_offset(swizzle_bits const& swizzle) {
  auto const mask = (std::int64_t(1) << swizzle.bits) - 1;
  return swizzle.shift > 0 ? fmt::format("x ^ (x >> {} & {})", swizzle.shift, mask << swizzle.base)
                           : fmt::format("x ^ (x << {} & {})", -swizzle.shift, mask << (swizzle.base - swizzle.shift));
}

std::string_view type_of_size(int bytes) {
  return bytes == 1 ? "unsigned char" : bytes == 2 ? "unsigned short" : bytes == 4 ? "float" : bytes == 8 ? "double" : "float4";
}

}  // namespace

std::string cuda_code_of(layout_expression const& layout, int element_size, int vector_bytes, tile_name const& of) {
  auto const& plain = layout.domain();
  auto const* const stage = std::get_if<swizzle_stage>(&layout.stages().front());
  auto const names = mode_names(plain);
  auto const declared =
      fmt::format("__shared__ {}{} {}", vector_bytes > element_size ? fmt::format("alignas({}) ", vector_bytes) : "",
                  of.type.empty() ? type_of_size(element_size) : of.type, of.name);
  auto const meaning = [&](std::string const& index) {
    return fmt::format("  // element ({}) is {}{}", fmt::join(names, ", "), of.name, index);
  };
  if (auto const array = declared_as(plain)) {
    auto const last = stage ? swizzled_index(*array, plain, stage->swizzle) : names[array->modes.back()];
    if (!last.empty()) {
      std::string index;
      for (auto const mode : array->modes) index += fmt::format("[{}]", mode == array->modes.back() ? last : names[mode]);
      return fmt::format("{}[{}];{}", declared, fmt::join(array->extents, "]["), meaning(index));
    }
  }
  auto const array = fmt::format("{}[{}];", declared, layout.cosize());
  if (!stage) return array + meaning(fmt::format("[{}]", offset_of(plain)));
  return fmt::format("{}\nauto const at = [](int {}) {{ int const x = {}; return {}; }};{}", array, fmt::join(names, ", int "),
                     offset_of(plain), swizzled_offset(stage->swizzle), meaning(fmt::format("[at({})]", fmt::join(names, ", "))));
}

std::int64_t declared_elements(layout_expression const& layout) {
  auto const array = layout.stages().size() > 1 ? std::nullopt : declared_as(layout.domain());
  if (!array) return layout.cosize();
  return std::accumulate(array->extents.begin(), array->extents.end(), std::int64_t(1), std::multiplies());
}

}  // namespace cornerturn
