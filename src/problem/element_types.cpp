#include "problem/element_types.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/refuse.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

struct type_entry {
  element_type type;
  std::string_view name;
  int bytes;
};

using enum element_type;
constexpr std::array kTypes{type_entry{boolean, "bool", 1},    type_entry{u8, "u8", 1},
                            type_entry{i8, "i8", 1},           type_entry{u16, "u16", 2},
                            type_entry{i16, "i16", 2},         type_entry{u32, "u32", 4},
                            type_entry{i32, "i32", 4},         type_entry{u64, "u64", 8},
                            type_entry{i64, "i64", 8},         type_entry{f8_e4m3fn, "f8_e4m3fn", 1},
                            type_entry{f8_e5m2, "f8_e5m2", 1}, type_entry{f16, "f16", 2},
                            type_entry{bf16, "bf16", 2},       type_entry{f32, "f32", 4},
                            type_entry{f64, "f64", 8},         type_entry{c64, "c64", 8},
                            type_entry{c128, "c128", 16}};
constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (std::size_t(kTypes[i].type) != i) return false;
  return kTypes.size() == std::size_t(c128) + 1;
}
static_assert(is_in_order());

/// Throws `error` for a number that is no type.
type_entry const& entry_of(element_type type) {
  auto const index = std::int64_t(type);
  if (index < 0 || index >= std::int64_t(kTypes.size()))
    refuse("element_type", index, fmt::format("from 0 to {}", kTypes.size() - 1));
  return kTypes[std::size_t(index)];
}

std::string to_string(std::complex<double> factor) {
  return factor.imag() == 0 ? fmt::format("{}", factor.real()) : fmt::format("{}{:+}i", factor.real(), factor.imag());
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
  auto const found = std::ranges::find(kTypes, name, &type_entry::name);
  if (found != kTypes.end()) return found->type;
  std::string all;
  for (auto const& each : kTypes) all += fmt::format("{}{}", all.empty() ? "" : ", ", each.name);
  refuse("type", fmt::format("'{}'", name), "one of " + all);
}

std::string_view name_of(element_type type) { return entry_of(type).name; }
int size_of(element_type type) { return entry_of(type).bytes; }
bool is_complex(element_type type) { return type == c64 || type == c128; }
bool is_integer(element_type type) { return u8 <= type && type <= i64; }
bool is_8_bit_float(element_type type) { return type == f8_e4m3fn || type == f8_e5m2; }

int factor_size(element_operation const& operation) {
  auto const is_wide = [](element_type type) { return type == u64 || type == i64 || type == f64 || type == c128; };
  return is_wide(operation.source) || is_wide(operation.destination) ? 8 : 4;
}

bool copies_bits(element_operation const& each) {
  if (is_affine(each)) return false;
  if (each.alpha != 1.0 || each.beta != 0.0 || (each.conjugate && is_complex(each.source))) return false;
  if (each.saturate && each.source == f8_e5m2) return false;  // infinity becomes the largest number
  if (each.source == each.destination) return true;
  // A byte other than 0 is a boolean that is true, and the integer 1.
  return is_integer(each.source) && is_integer(each.destination) && size_of(each.source) == size_of(each.destination);
}

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
           fmt::format("false, because the destination is {}; saturation is for f8_e4m3fn and f8_e5m2",
                       name(operation.destination)));
  given.element_size = sizes_of(operation);
  if (is_affine(operation)) {
    expect_affine(operation, given.modes.size());
    for (std::size_t i = 0; i < given.modes.size(); ++i) given.modes[i].factor_stride = operation.factor_strides[i];
  }
  if (!copies_bits(operation)) {
    given.operation = operation;
    given.operation->factor_strides.clear();  // the modes have them
    given.operation->conjugate &= is_complex(operation.source);
  }
  factor_range(given);
  return given;
}

std::string to_string(element_operation const& each) {
  std::string text = fmt::format("{} to {}", name_of(each.source), name_of(each.destination));
  if (each.conjugate) text += ", conjugate";
  if (each.alpha != 1.0) text += ", alpha " + to_string(each.alpha);
  if (each.beta != 0.0) text += ", beta " + to_string(each.beta);
  if (each.scale) text += ", scaled";
  if (each.bias) text += ", bias";
  if (each.saturate) text += ", saturated";
  return text;
}

}  // namespace cornerturn
