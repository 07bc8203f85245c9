#include "file/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

using kind = literal::kind;

/// The type codes of numbers, with their item sizes in bytes.
constexpr std::pair<char, std::array<std::int64_t, 6>> kNumbers[] = {
    {'b', {1}}, {'i', {1, 2, 4, 8}}, {'u', {1, 2, 4, 8}}, {'f', {1, 2, 4, 8, 12, 16}}, {'c', {8, 16, 24, 32}}};

/// The other names and the letters of NumPy for numbers, with the codes that it writes.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"half", "f2"},        {"single", "f4"}, {"double", "f8"}, {"int", "i8"}, {"uint", "u8"}, {"float", "f8"}, {"complex", "c16"},
    {"longdouble", "f16"}, {"?", "b1"},      {"b", "i1"},      {"B", "u1"},   {"h", "i2"},    {"H", "u2"},     {"i", "i4"},
    {"I", "u4"},           {"l", "i8"},      {"L", "u8"},      {"q", "i8"},   {"Q", "u8"},    {"e", "f2"},     {"f", "f4"},
    {"d", "f8"},           {"g", "f16"},     {"F", "c8"},      {"D", "c16"},  {"G", "c32"}};

constexpr std::string_view kOrders = "<>|=";

bool has_order(std::string_view code) { return !code.empty() && kOrders.find(code[0]) != code.npos; }

/// A code without its byte order, e.g. "f8" for "<f8", ">d" and "float64".
std::string_view without_order(std::string_view code) {
  auto const rest = code.substr(has_order(code));
  if (!has_order(code))
    for (auto const& each : kElementTypes)
      if (each.dtype == rest && !each.code.empty()) return each.code;
  auto const found = std::ranges::find(kNames, rest, [](auto const& each) { return each.first; });
  bool const is_known = found != std::end(kNames) && (rest.size() == 1 || !has_order(code));
  return is_known ? found->second : rest;
}

/// True for the unit of a date or a duration, e.g. "[ns]", "[25s]" and "[D/24]", or for none.
bool is_unit(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::array<std::string_view, 14> kUnits{"Y",  "M",  "W",  "D",  "h",  "m",  "s",
                                                    "ms", "us", "ns", "ps", "fs", "as", "generic"};
  if (text.empty()) return true;
  if (!text.starts_with('[') || !text.ends_with(']')) return false;
  auto const factor_and_unit = text.substr(1, std::min(text.find('/'), text.size() - 1) - 1);
  auto const divisor = text.substr(1 + factor_and_unit.size(), text.size() - 2 - factor_and_unit.size());  // "" or "/24"
  auto const unit = factor_and_unit.substr(std::min(factor_and_unit.find_first_not_of(kDigits), factor_and_unit.size()));
  return std::ranges::count(kUnits, unit) == 1 && divisor != "/" && divisor.find_first_not_of(kDigits, 1) == divisor.npos;
}

std::string_view trimmed(std::string_view text) {
  auto const begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The length of the first of several codes. It ends at a comma outside parentheses.
std::size_t first_length(std::string_view codes) {
  bool inside = false;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] == '(' || codes[i] == ')') inside = codes[i] == '(';
    if (codes[i] == ',' && !inside) return i;
  }
  return codes.size();
}

/// The name and the title of a field of a dtype; empty if it is padding, which may repeat.
std::vector<std::string_view> names_of(literal const& field) {
  auto const& name = field.items[0];
  if (name.type == kind::tuple && name.items.size() == 2) {
    std::vector result{name.items[1].string};
    if (name.items[0].type == kind::string) result.push_back(name.items[0].string);
    return result;
  }
  bool const is_void_like = field.items.size() == 3 || field.items[1].type == kind::tuple || is_void(field.items[1].string);
  if (name.string.empty() && is_void_like) return {};
  return {name.string};
}

class dtype_reader {
 public:
  explicit dtype_reader(std::string_view name) : name_(name) {}

  std::int64_t size(literal const& descr) const {
    switch (descr.type) {
      case kind::string:
        return first_length(descr.string) == descr.string.size() ? code_size(descr.string, descr.string)
                                                                 : codes_size(descr.string);
      case kind::list:
        return fields_size(descr);
      case kind::tuple:
        if (descr.items.size() == 2) return product(size(descr.items[0]), count(descr.items[1]));
        break;
      default:
        break;
    }
    fail(fmt::format("{} is not a dtype", excerpt(descr.source)));
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw error(error_kind::file, fmt::format("{}: {}", name_, what)); }

  static std::string excerpt(std::string_view text) { return printable(text, 60); }

  std::int64_t product(std::int64_t left, std::int64_t right) const {
    std::int64_t result;
    if (__builtin_mul_overflow(left, right, &result)) fail("malformed header: an item size beyond 64 bits");
    return result;
  }

  std::int64_t sum(std::int64_t left, std::int64_t right) const {
    std::int64_t result;
    if (__builtin_add_overflow(left, right, &result)) fail("malformed header: an item size beyond 64 bits");
    return result;
  }

  [[noreturn]] void fail_as_unknown(std::string_view code) const { fail(fmt::format("dtype '{}' is unknown", excerpt(code))); }

  /// The size of `code`, which is `whole` or one of the codes in it.
  std::int64_t code_size(std::string_view code, std::string_view whole) const {
    std::string_view rest = without_order(code);
    if (rest.starts_with('O')) fail(fmt::format("dtype '{}' holds Python objects, which have no fixed size", excerpt(code)));

    char const letter = rest.empty() ? '\0' : rest[0];
    if (!rest.empty()) rest.remove_prefix(1);
    std::int64_t digits = -1;
    auto const [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), digits);
    bool const numbered = problem == std::errc() && rest[0] != '-';
    if (numbered) rest.remove_prefix(end - rest.data());

    bool const ends = rest.empty();
    for (auto const& [number, sizes] : kNumbers)
      if (letter == number && ends && digits > 0 && std::ranges::count(sizes, digits)) return digits;
    if ((letter == 'm' || letter == 'M') && digits == 8 && is_unit(rest)) return digits;
    if (ends && (letter == 'S' || letter == 'a' || letter == 'V')) return numbered ? digits : 0;
    if (ends && letter == 'U') return numbered ? product(digits, 4) : 0;
    fail_as_unknown(whole);
  }

  /// The size of several codes with commas between them, each a field that may repeat its code: "i4, 2f4, (2,3)u1".
  std::int64_t codes_size(std::string_view codes) const {
    std::int64_t total = 0;
    for (auto rest = codes; !trimmed(rest).empty();) {
      auto const length = first_length(rest);
      total = sum(total, repeated_size(trimmed(rest.substr(0, length)), codes));
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    return total;
  }

  std::int64_t repeated_size(std::string_view code, std::string_view whole) const {
    auto rest = code.substr(has_order(code));
    std::int64_t times = 1;
    bool const is_shape = rest.starts_with('(');
    auto const end = std::min(is_shape ? rest.find(')') : rest.find_first_not_of("0123456789"), rest.size());
    if (end == 0) return code_size(code, whole);
    for (auto numbers = rest.substr(is_shape, end - is_shape); !trimmed(numbers).empty();) {
      auto const length = std::min(numbers.find(','), numbers.size());
      auto const number = trimmed(numbers.substr(0, length));
      std::int64_t count = -1;
      auto const [last, problem] = std::from_chars(number.data(), number.data() + number.size(), count);
      if (problem != std::errc() || last != number.data() + number.size() || count < 0) fail_as_unknown(whole);
      times = product(times, count);
      numbers.remove_prefix(std::min(length + 1, numbers.size()));
    }
    return product(times, code_size(trimmed(rest.substr(std::min(end + is_shape, rest.size()))), whole));
  }

  /// The size of a field, which is (name, descr) or (name, descr, shape); the name may be (title, name).
  std::int64_t field_size(literal const& field) const {
    bool const has_parts = field.type == kind::tuple && (field.items.size() == 2 || field.items.size() == 3);
    auto const is_name = [](literal const& each) {
      return each.type == kind::string ||
             (each.type == kind::tuple && each.items.size() == 2 && each.items[1].type == kind::string);
    };
    if (!has_parts || !is_name(field.items[0]))
      fail(fmt::format("malformed header: {} is not a field of a dtype", excerpt(field.source)));
    std::int64_t const bytes = size(field.items[1]);
    return field.items.size() == 3 ? product(bytes, count(field.items[2])) : bytes;
  }

  std::int64_t fields_size(literal const& fields) const {
    std::int64_t total = 0;
    std::vector<std::string_view> names;
    for (literal const& field : fields.items) {
      total = sum(total, field_size(field));
      std::ranges::copy(names_of(field), std::back_inserter(names));
    }
    std::ranges::sort(names);
    if (auto const twice = std::ranges::adjacent_find(names); twice != names.end())
      fail(fmt::format("malformed header: two fields of a dtype have the name '{}'", excerpt(*twice)));
    return total;
  }

  /// The number of elements of a sub-array, whose shape is a number or a tuple of numbers.
  std::int64_t count(literal const& shape) const {
    if (shape.type == kind::integer && shape.integer >= 0) return shape.integer;
    if (shape.type != kind::tuple)
      fail(fmt::format("malformed header: {} is not the shape of a sub-array", excerpt(shape.source)));
    std::int64_t result = 1;
    for (literal const& extent : shape.items) {
      if (extent.type != kind::integer) fail(fmt::format("malformed header: {} is not an extent", excerpt(extent.source)));
      result = product(result, count(extent));
    }
    return result;
  }

  std::string_view name_;
};

}  // namespace

std::int64_t dtype_size(literal const& descr, std::string_view name) { return dtype_reader(name).size(descr); }

std::optional<element_type> type_of_code(std::string_view code) {
  auto const plain = without_order(code);
  for (auto const& each : kElementTypes)
    if (!plain.empty() && each.code == plain) return each.type;
  if (plain == "f1") return element_type::f8_e5m2;
  return {};
}

bool is_void(std::string_view code) {
  auto const at = code.find('V');
  return at != code.npos && at == code.find_first_not_of(kOrders);
}

bool is_swapped(std::string_view code) {
  static_assert(std::endian::native == std::endian::little, "the code's byte order is that of the processor");
  return code.starts_with('>');
}

std::string code_of_type(element_type type, bool swapped) {
  auto const& row = kElementTypes[std::size_t(type)];
  return fmt::format("{}{}",
                     row.bytes == 1 ? '|'
                     : swapped      ? '>'
                                    : '<',
                     row.code.empty() ? fmt::format("V{}", row.bytes) : row.code);
}

}  // namespace cornerturn
