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

struct alias {
  std::string_view type;       ///< the name in `type_names`
  std::string_view long_name;  ///< the name of NumPy and PyTorch
  std::string_view code;       ///< NumPy's code without a byte order; empty if there is none
};
constexpr alias kAliases[] = {
    {"u8", "uint8", "u1"},          {"u8", "bool", "b1"},    {"i8", "int8", "i1"},     {"f8_e4m3fn", "float8_e4m3fn", ""},
    {"f8_e5m2", "float8_e5m2", ""}, {"u16", "uint16", "u2"}, {"i16", "int16", "i2"},   {"f16", "float16", "f2"},
    {"bf16", "bfloat16", ""},       {"u32", "uint32", "u4"}, {"i32", "int32", "i4"},   {"f32", "float32", "f4"},
    {"u64", "uint64", "u8"},        {"i64", "int64", "i8"},  {"f64", "float64", "f8"}, {"c64", "complex64", "c8"},
    {"c128", "complex128", "c16"},
};
constexpr std::string_view kByteOrders = "<>=|";

/// A type's name in C or PyTorch, which is refused, and the name that the message suggests; it has the same size on this system.
struct hint {
  std::string_view text, meant;
};
constexpr hint kHints[] = {{"char", "int8"},     {"short", "int16"},    {"int", "int32"},   {"long", "int64"},
                           {"float", "float32"}, {"double", "float64"}, {"half", "float16"}};

/// Has no name in `type_names`, because a move of its bits is one of bytes.
constexpr alias kBoolean{"bool", "bool", "b1"};

}  // namespace

std::string type_named(std::string_view text) {
  auto names = type_names();
  if (std::ranges::count(names, text) > 0) return std::string(text);
  bool const has_order = !text.empty() && kByteOrders.find(text.front()) != std::string_view::npos;
  auto const code = text.substr(has_order ? 1 : 0);
  for (auto const& each : kAliases) {
    if (text == each.long_name) return std::string(each.type);
    if (code.empty() || code != each.code) continue;
    if (has_order) return std::string(each.type);
    refuse("type", text,
           fmt::format("{}, {} or <{}: without a byte order, the digits of a type count bits", each.type, each.long_name,
                       each.code));
  }
  auto const allowed = fmt::format("one of {}", fmt::join(names, ", "));
  for (auto const& [name, meant] : kHints)
    if (text == name) refuse("type", text, fmt::format("{}; did you mean {}?", allowed, meant));
  if (has_order) refuse("type", text, allowed);
  auto meant = did_you_mean(text, names);
  if (meant.empty()) {
    names.clear();
    for (auto const& each : kAliases) names.emplace_back(each.long_name);
    meant = did_you_mean(text, names);
  }
  refuse("type", text, allowed + meant);
}

element_type changed_type_named(std::string_view text, std::string_view name) {
  if (text == "f8") refuse(name, text, "f8_e4m3fn, f8_e5m2 or float64: f8 has 8 bits here, and 8 bytes in NumPy");
  if (text.starts_with('>') && !text.ends_with('1')) refuse(name, text, "in the processor's byte order, which is <");
  bool const has_order = !text.empty() && kByteOrders.find(text.front()) != std::string_view::npos;
  auto const code = text.substr(has_order ? 1 : 0);
  std::vector<alias> all{kBoolean};
  std::ranges::remove_copy(kAliases, std::back_inserter(all), "bool", &alias::long_name);
  std::vector<std::string_view> types, names;
  for (auto const& each : all) {
    if (text == each.type) return element_type_named(each.type);
    types.push_back(each.type), names.insert(names.end(), {each.type, each.long_name});
  }
  for (auto const& each : all)
    if (text == each.long_name || (!code.empty() && code == each.code)) return element_type_named(each.type);
  refuse(name, text,
         fmt::format("one of {}, or a name or code of NumPy, e.g. float32 or f4{}", fmt::join(types, ", "),
                     did_you_mean(text, {names.begin(), names.end()})));
}

element_type dtype_named(std::string_view text) {
  if (text == "u8" || text == "i8")
    refuse("--dtype", text,
           fmt::format("{0}int8 or {0}int64: {1} has 8 bits here, and 8 bytes in NumPy", text == "u8" ? "u" : "", text));
  return changed_type_named(text, "--dtype");
}

CLI::Option* add_type(CLI::App& command, std::string& into, std::string const& what) {
  auto const help = fmt::format(
      "{}, with its size in bits:\n{};\nalso as in float32, int16 and bool, and as NumPy's codes\n"
      "with a byte order and the size in bytes, as in <f4",
      what, name_list(type_names()));
  return command.add_option("--type", into, help)->capture_default_str()->transform(type_named);
}

}  // namespace cornerturn::cli
