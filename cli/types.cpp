#include "types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "refuse.hpp"
#include "text.hpp"

namespace cornerturn::cli {
namespace {

/// The rows of the types, the smallest types first.
std::vector<element_type_row> rows_by_size() {
  std::vector rows(std::begin(kElementTypes), std::end(kElementTypes));
  std::ranges::stable_sort(rows, {}, &element_type_row::bytes);
  return rows;
}

/// The name in `type_names` of a type whose bits are moved: those of a boolean are a byte.
std::string moved_name(element_type_row const& row) {
  return std::string(row.kind == element_kind::boolean ? name_of(element_type::u8) : row.name);
}

constexpr std::string_view kByteOrders = "<>=|";

/// A type's name in C or PyTorch, which is refused, and the name that the message suggests; it has the same size on this system.
struct hint {
  std::string_view text, meant;
};
constexpr hint kHints[] = {{"char", "int8"},     {"short", "int16"},    {"int", "int32"},   {"long", "int64"},
                           {"float", "float32"}, {"double", "float64"}, {"half", "float16"}};

/// "; did you mean f32?" for the types that a misspelt name may mean, by the names that `name` has for their rows.
template <class Name>
std::string hint_at(std::string_view misspelt, Name const& name) {
  std::vector<std::string> meant;
  for (auto const type : similar_types(misspelt)) meant.emplace_back(name(kElementTypes[std::size_t(type)]));
  return did_you_mean(meant);
}

/// The type of elements that change, in either byte order.
element_type type_in_any_order(std::string_view text, std::string_view name) {
  if (text == "f8")
    refuse(
        name, text,
        fmt::format("{} or float64: f8 has 8 bits here, and 8 bytes in NumPy", fmt::join(names_of_types(is_8_bit_float), ", ")));
  bool const has_order = !text.empty() && kByteOrders.find(text.front()) != std::string_view::npos;
  auto const code = text.substr(has_order ? 1 : 0);
  std::vector<std::string_view> types;
  for (auto const& each : rows_by_size()) {
    if (text == each.name) return each.type;
    types.push_back(each.name);
  }
  for (auto const& each : kElementTypes)
    if (text == each.dtype || (!code.empty() && code == each.code)) return each.type;
  refuse(name, text,
         fmt::format("one of {}, or a name or code of NumPy, e.g. float32 or f4{}", fmt::join(types, ", "),
                     hint_at(text, [](element_type_row const& row) { return row.dtype; })));
}

}  // namespace

std::string type_named(std::string_view text) {
  auto const names = type_names();
  if (std::ranges::count(names, text) > 0) return std::string(text);
  bool const has_order = !text.empty() && kByteOrders.find(text.front()) != std::string_view::npos;
  auto const code = text.substr(has_order ? 1 : 0);
  for (auto const& each : kElementTypes) {
    if (text == each.dtype) return moved_name(each);
    if (code.empty() || code != each.code) continue;
    if (has_order) return moved_name(each);
    refuse("type", text,
           fmt::format("{}, {} or <{}: without a byte order, the digits of a type count bits", moved_name(each), each.dtype,
                       each.code));
  }
  auto const allowed = fmt::format("one of {}", fmt::join(names, ", "));
  for (auto const& [name, meant] : kHints)
    if (text == name) refuse("type", text, fmt::format("{}; did you mean {}?", allowed, meant));
  if (has_order) refuse("type", text, allowed);
  refuse("type", text, allowed + hint_at(text, moved_name));
}

element_type changed_type_named(std::string_view text, std::string_view name) {
  if (text.starts_with('>') && !text.ends_with('1')) refuse(name, text, "in the processor's byte order, which is <");
  return type_in_any_order(text, name);
}

element_type dtype_named(std::string_view text) {
  if (text == "u8" || text == "i8")
    refuse("--dtype", text,
           fmt::format("{0}int8 or {0}int64: {1} has 8 bits here, and 8 bytes in NumPy", text == "u8" ? "u" : "", text));
  return type_in_any_order(text, "--dtype");
}

CLI::Option* add_type(CLI::App& command, std::string& into, std::string const& what) {
  auto const help = fmt::format(
      "{}, with its size in bits:\n{};\nalso as in float32, int16 and bool, and as NumPy's codes\n"
      "with a byte order and the size in bytes, as in <f4",
      what, name_list(type_names()));
  return command.add_option("--type", into, help)->capture_default_str()->transform(type_named)->type_name("TYPE");
}

}  // namespace cornerturn::cli
