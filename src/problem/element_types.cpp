#include "problem/element_types.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/refuse.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// Throws `error` for a number that is no type.
element_type_row const& row_of(element_type type) {
  auto const index = std::int64_t(type);
  if (index < 0 || index >= std::ssize(kElementTypes))
    refuse("element_type", index, fmt::format("from 0 to {}", std::size(kElementTypes) - 1));
  return kElementTypes[index];
}

bool is_float(element_type_row const& row) { return row.kind == element_kind::floating || row.kind == element_kind::finite; }

std::string to_string(std::complex<double> factor) {
  return factor.imag() == 0 ? fmt::format("{}", factor.real()) : fmt::format("{}{:+}i", factor.real(), factor.imag());
}

/// Throws `error` for a name that is none of these.
[[noreturn]] void refuse_type(std::string_view name, std::vector<std::string> const& names) {
  std::vector<std::string> meant;
  for (auto const type : similar_types(name))
    if (std::ranges::count(names, name_of(type)) > 0) meant.emplace_back(name_of(type));
  refuse("type", fmt::format("'{}'", name), fmt::format("one of {}{}", fmt::join(names, ", "), did_you_mean(meant)));
}

/// Throws `error` unless an operation with scale or bias suits a problem of this rank.
void expect_affine(element_operation const& operation, std::size_t rank) {
  for (auto const& [argument, type] :
       {std::pair{"operation.source", operation.source}, {"operation.destination", operation.destination}})
    if (is_complex(type)) refuse(argument, name_of(type), "real with scale or bias");
  if (operation.alpha != 1.0) refuse("operation.alpha", to_string(operation.alpha), "1 with scale or bias");
  if (operation.beta != 0.0) refuse("operation.beta", to_string(operation.beta), "0 with scale or bias");
  if (auto const& strides = operation.factor_strides; strides.size() != rank)
    refuse("operation.factor_strides", fmt::format("({})", fmt::join(strides, ", ")),
           fmt::format("{} numbers, one for each mode of the destination", rank));
}

}  // namespace

element_type element_type_named(std::string_view name) {
  auto const found = std::ranges::find(kElementTypes, name, &element_type_row::name);
  if (found != std::end(kElementTypes)) return found->type;
  std::vector<std::string> names;
  for (auto const& each : kElementTypes) names.emplace_back(each.name);
  refuse_type(name, names);
}

std::vector<element_type> similar_types(std::string_view misspelt) {
  std::vector<element_type> result;
  if (misspelt == "fp8") {
    for (auto const& each : kElementTypes)
      if (is_8_bit_float(each.type)) result.push_back(each.type);
    return result;
  }
  for (auto const column : {&element_type_row::name, &element_type_row::dtype}) {
    std::vector<std::string> names;
    for (auto const& each : kElementTypes) names.emplace_back(each.*column);
    for (auto const& similar : similar_names(misspelt, names))
      result.push_back(std::ranges::find(kElementTypes, similar, column)->type);
    if (!result.empty()) break;
  }
  return result;
}

std::string_view name_of(element_type type) { return row_of(type).name; }
int size_of(element_type type) { return row_of(type).bytes; }
bool is_complex(element_type type) { return row_of(type).kind == element_kind::complex; }
bool is_integer(element_type type) {
  auto const kind = row_of(type).kind;
  return kind == element_kind::unsigned_integer || kind == element_kind::signed_integer;
}
bool is_8_bit_float(element_type type) { return is_float(row_of(type)) && size_of(type) == 1; }
bool is_quantizable(element_type type) { return is_float(row_of(type)) && size_of(type) <= 4; }
bool is_wide(element_type type) { return size_of(type) == (is_complex(type) ? 16 : 8); }

std::vector<std::string> names_of_types(bool (*is)(element_type), std::string_view element_type_row::*name) {
  std::vector<element_type_row> rows;
  std::ranges::copy_if(kElementTypes, std::back_inserter(rows), is, &element_type_row::type);
  std::ranges::stable_sort(rows, std::ranges::greater(), &element_type_row::bytes);
  std::vector<std::string> names;
  for (auto const& each : rows) names.emplace_back(each.*name);
  return names;
}

std::vector<std::string> type_names() {
  std::vector rows(std::begin(kElementTypes), std::end(kElementTypes));
  std::erase_if(rows, [](auto const& each) { return each.kind == element_kind::boolean; });  // moved as u8
  std::ranges::stable_sort(rows, {}, &element_type_row::bytes);
  std::vector<std::string> names;
  for (auto const& each : rows) names.emplace_back(each.name);
  return names;
}

int type_size(std::string_view type) {
  for (auto const& each : kElementTypes)
    if (each.name == type && each.kind != element_kind::boolean) return each.bytes;
  refuse_type(type, type_names());
}

int factor_size(element_operation const& operation) {
  return is_wide(operation.source) || is_wide(operation.destination) ? sizeof(double) : sizeof(float);
}

namespace {

/// True if an operation keeps the bits of each element, apart from the order of their bytes.
bool keeps_bits(element_operation const& each) {
  if (is_affine(each)) return false;
  if (each.alpha != 1.0 || each.beta != 0.0 || (each.conjugate && is_complex(each.source))) return false;
  bool const has_infinity = row_of(each.source).kind == element_kind::floating;
  if (each.saturate && has_infinity) return false;  // infinity becomes the largest number
  if (each.source == each.destination) return true;
  // A byte other than 0 is a boolean that is true, and the integer 1.
  return is_integer(each.source) && is_integer(each.destination) && size_of(each.source) == size_of(each.destination);
}

bool is_swapped(bool given, element_type type) { return given && size_of(type) > 1; }

}  // namespace

bool copies_bits(element_operation const& each) {
  return keeps_bits(each) &&
         is_swapped(each.source_swapped, each.source) == is_swapped(each.destination_swapped, each.destination);
}

bool only_swaps(element_operation const& each) { return keeps_bits(each) && !copies_bits(each); }

element_sizes sizes_of(element_operation const& operation) { return {size_of(operation.source), size_of(operation.destination)}; }

problem with_operation(problem given, element_operation const& operation) {
  auto const name = [](element_type type) { return std::string(name_of(type)); };
  if (is_complex(operation.source) && !is_complex(operation.destination))
    refuse("operation.destination", name(operation.destination),
           fmt::format("complex, because the source is {}", name(operation.source)));
  for (auto const& [argument, factor] : {std::pair{"operation.alpha", operation.alpha}, {"operation.beta", operation.beta}})
    if (factor.imag() != 0 && !is_complex(operation.destination))
      refuse(argument, to_string(factor), fmt::format("real, because the destination is {}", name(operation.destination)));
  if (operation.saturate && !is_8_bit_float(operation.destination))
    refuse("operation.saturate", "true",
           fmt::format("false, because the destination is {}; saturation is for {}", name(operation.destination),
                       list_text(names_of_types(is_8_bit_float), "and")));
  given.element_size = sizes_of(operation);
  if (is_affine(operation)) {
    expect_affine(operation, given.modes.size());
    for (std::size_t i = 0; i < given.modes.size(); ++i) given.modes[i].factor_stride = operation.factor_strides[i];
  }
  if (!copies_bits(operation)) {
    given.operation = operation;
    given.operation->factor_strides.clear();  // the modes have them
    given.operation->conjugate &= is_complex(operation.source);
    given.operation->source_swapped = is_swapped(operation.source_swapped, operation.source);
    given.operation->destination_swapped = is_swapped(operation.destination_swapped, operation.destination);
  }
  factor_range(given);
  return given;
}

std::string to_string(element_operation const& each) {
  std::string text = fmt::format("{}{} to {}{}", each.source_swapped ? "swapped " : "", name_of(each.source),
                                 each.destination_swapped ? "swapped " : "", name_of(each.destination));
  if (each.conjugate) text += ", conjugate";
  if (each.alpha != 1.0) text += ", alpha " + to_string(each.alpha);
  if (each.beta != 0.0) text += ", beta " + to_string(each.beta);
  if (each.scale) text += ", scaled";
  if (each.bias) text += ", bias";
  if (each.saturate) text += ", saturated";
  return text;
}

}  // namespace cornerturn
