#include "file/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "cornerturn/error.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

using kind = literal::kind;

/// The type codes of numbers, with their item sizes in bytes.
constexpr std::pair<char, std::array<std::int64_t, 6>> kNumbers[] = {
    {'b', {1}}, {'i', {1, 2, 4, 8}}, {'u', {1, 2, 4, 8}}, {'f', {1, 2, 4, 8, 12, 16}}, {'c', {8, 16, 24, 32}}};

/// The type codes of element types in native byte order.
constexpr std::pair<std::string_view, element_type> kCodes[] = {
    {"|b1", element_type::boolean}, {"|u1", element_type::u8},   {"|i1", element_type::i8},  {"<u2", element_type::u16},
    {"<i2", element_type::i16},     {"<u4", element_type::u32},  {"<i4", element_type::i32}, {"<u8", element_type::u64},
    {"<i8", element_type::i64},     {"<f2", element_type::f16},  {"<f4", element_type::f32}, {"<f8", element_type::f64},
    {"<c8", element_type::c64},     {"<c16", element_type::c128}};
static_assert(std::endian::native == std::endian::little, "the codes' byte order is that of the processor");

class dtype_reader {
 public:
  explicit dtype_reader(std::string_view name) : name_(name) {}

  std::int64_t size(literal const& descr) const {
    switch (descr.type) {
      case kind::string:
        return code_size(descr.string);
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

  std::int64_t code_size(std::string_view code) const {
    std::string_view rest = code;
    if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
    if (rest.starts_with('O')) fail(fmt::format("dtype '{}' holds Python objects, which have no fixed size", excerpt(code)));

    char const letter = rest.empty() ? '\0' : rest[0];
    if (!rest.empty()) rest.remove_prefix(1);
    std::int64_t digits = -1;
    auto const [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), digits);
    bool const numbered = problem == std::errc() && rest[0] != '-';
    if (numbered) rest.remove_prefix(end - rest.data());

    bool const ends = rest.empty(),
               has_unit = ends || (rest.size() > 2 && rest.front() == '[' && rest.find(']') == rest.size() - 1);
    for (auto const& [number, sizes] : kNumbers)
      if (letter == number && ends && digits > 0 && std::ranges::count(sizes, digits)) return digits;
    if ((letter == 'm' || letter == 'M') && digits == 8 && has_unit) return digits;
    if (ends && (letter == 'S' || letter == 'a' || letter == 'V')) return numbered ? digits : 0;
    if (ends && letter == 'U') return numbered ? product(digits, 4) : 0;
    fail(fmt::format("dtype '{}' is unknown", excerpt(code)));
  }

  /// The size of a field, which is (name, descr) or (name, descr, shape); the name may be (title, name).
  std::int64_t field_size(literal const& field) const {
    if (field.type != kind::tuple || field.items.size() < 2 || field.items.size() > 3) {
      fail(fmt::format("malformed header: {} is not a field of a dtype", excerpt(field.source)));
    }
    std::int64_t const bytes = size(field.items[1]);
    return field.items.size() == 3 ? product(bytes, count(field.items[2])) : bytes;
  }

  std::int64_t fields_size(literal const& fields) const {
    std::int64_t total = 0;
    for (literal const& field : fields.items) {
      if (__builtin_add_overflow(total, field_size(field), &total)) fail("malformed header: an item size beyond 64 bits");
    }
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
  constexpr std::string_view kOrders = "<>|=";
  bool const has_order = !code.empty() && kOrders.find(code[0]) != std::string_view::npos;
  auto const plain = code.substr(has_order ? 1 : 0);
  for (auto const& [each, type] : kCodes)
    if (each.substr(1) == plain && (each[0] == '|' || !code.starts_with('>'))) return type;
  if (plain == "f1") return element_type::f8_e5m2;
  return {};
}

bool is_void(std::string_view code) {
  auto const at = code.find('V');
  return at != code.npos && at == code.find_first_not_of("<>|=");
}

std::string code_of_type(element_type type) {
  for (auto const& [code, each] : kCodes)
    if (each == type) return std::string(code);
  return type == element_type::bf16 ? "<V2" : "|V1";
}

}  // namespace cornerturn
