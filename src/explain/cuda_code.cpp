#include "explain/cuda_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
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

/// A layout of two modes whose rows are contiguous.
struct tile_matrix {
  std::string row, column;   ///< names of the coordinates
  std::int64_t rows, pitch;  ///< number of rows; elements from one row to the next
};

std::optional<tile_matrix> matrix_of(strided_layout const& layout) {
  auto const shape = top_modes(layout.shape), stride = top_modes(layout.stride);
  if (shape.size() != 2 || std::ranges::any_of(shape, &int_tuple::is_list)) return {};
  for (auto const column : {std::size_t(1), std::size_t(0)}) {
    auto const row = 1 - column;
    auto const pitch = stride[row].integer.value;
    if (stride[column].integer.value == 1 && pitch >= shape[column].integer.value)
      return tile_matrix{coordinate(row, 2), coordinate(column, 2), shape[row].integer.value, pitch};
  }
  return {};
}

/// The column of an element in a swizzled matrix, e.g. "j ^ (i & 31)"; empty unless the swizzle XORs bits of the column with
/// bits of the row.
std::string swizzled_column(tile_matrix const& tile, swizzle_bits const& swizzle) {
  if (!std::has_single_bit(std::uint64_t(tile.pitch))) return "";
  int const column_bits = std::countr_zero(std::uint64_t(tile.pitch)), first = swizzle.base + swizzle.shift - column_bits;
  if (swizzle.base + swizzle.bits > column_bits || swizzle.shift < 0 || first < 0) return "";
  auto const mask = (std::int64_t(1) << swizzle.bits) - 1;
  auto bits = first > 0 ? fmt::format("{} >> {}", tile.row, first) : tile.row;
  if ((tile.rows - 1) >> first > mask) bits += fmt::format(" & {}", mask);
  auto const grouped = [](std::string const& text) { return text.find(' ') == text.npos ? text : "(" + text + ")"; };
  if (swizzle.base > 0) bits = fmt::format("{} << {}", grouped(bits), swizzle.base);
  return fmt::format("{} ^ {}", tile.column, grouped(bits));
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
  if (auto const tile = matrix_of(plain)) {
    auto const column = stage ? swizzled_column(*tile, stage->swizzle) : tile->column;
    if (!column.empty())
      return fmt::format("{}[{}][{}];{}", declared, tile->rows, tile->pitch, meaning(fmt::format("[{}][{}]", tile->row, column)));
  }
  auto const array = fmt::format("{}[{}];", declared, layout.cosize());
  if (!stage) return array + meaning(fmt::format("[{}]", offset_of(plain)));
  return fmt::format("{}\nauto const at = [](int {}) {{ int const x = {}; return {}; }};{}", array, fmt::join(names, ", int "),
                     offset_of(plain), swizzled_offset(stage->swizzle), meaning(fmt::format("[at({})]", fmt::join(names, ", "))));
}

}  // namespace cornerturn
