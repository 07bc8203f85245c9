#include "file/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

using kind = literal::kind;

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

  /// The beginning of a text, with non-printable bytes escaped.
  static std::string excerpt(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string result;
    for (unsigned char c : text.substr(0, kLongest)) {
      result += c >= ' ' && c < 0x7F ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
    }
    return text.size() <= kLongest ? result : result + "...";
  }

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

    auto one_of = [&](std::initializer_list<std::int64_t> sizes) {
      return numbered && rest.empty() && std::ranges::find(sizes, digits) != sizes.end();
    };
    bool const counted = rest.empty();
    bool const has_unit = rest.empty() || (rest.size() > 2 && rest.front() == '[' && rest.find(']') == rest.size() - 1);
    switch (letter) {
      case 'b':
        if (one_of({1})) return digits;
        break;
      case 'i':
      case 'u':
        if (one_of({1, 2, 4, 8})) return digits;
        break;
      case 'f':
        if (one_of({2, 4, 8, 12, 16})) return digits;
        break;
      case 'c':
        if (one_of({8, 16, 24, 32})) return digits;
        break;
      case 'm':
      case 'M':
        if (digits == 8 && has_unit) return digits;
        break;
      case 'S':
      case 'a':
      case 'V':
        if (counted) return numbered ? digits : 0;
        break;
      case 'U':
        if (counted) return numbered ? product(digits, 4) : 0;
        break;
      default:
        break;
    }
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

}  // namespace cornerturn
