#include "lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "refuse.hpp"

namespace cornerturn::cli {
namespace {

struct notation {
  std::string_view name;
  char separator;
  std::string_view described;
};

std::string_view trimmed(std::string_view text) {
  auto const first = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// Parses numbers with separators between them; with commas also in parentheses, as Python prints tuples.
std::vector<std::int64_t> numbers_of(std::string_view text, notation const& as) {
  std::vector<std::int64_t> numbers;
  std::string_view rest = trimmed(text);
  bool const is_tuple = as.separator == ',' && rest.starts_with('(') && rest.ends_with(')');
  if (is_tuple) rest = rest.substr(1, rest.size() - 2);
  while (!rest.empty()) {
    std::string_view const item = rest.substr(0, rest.find(as.separator)), digits = trimmed(item);
    std::int64_t number = 0;
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    bool const last = item.size() == rest.size(), hanging = item.size() + 1 == rest.size() && !(is_tuple && numbers.empty());
    if (problem != std::errc() || end != digits.data() + digits.size() || hanging)
      refuse(as.name, text, fmt::format("whole numbers with {}", as.described));
    numbers.push_back(number);
    rest.remove_prefix(last ? item.size() : item.size() + 1);
  }
  return numbers;
}

}  // namespace

std::vector<std::int64_t> axes_of(std::string_view text, std::string_view option) {
  return numbers_of(text, {option, ',', "commas between them, e.g. 2,0,1"});
}

std::vector<std::int64_t> shape_of(std::string_view text, std::string_view option) {
  char const separator = text.find('x') == std::string_view::npos ? ',' : 'x';
  auto const extents = numbers_of(text, {option, separator, "an x or commas between them, e.g. 256x224x224x3"});
  if (std::ranges::any_of(extents, [](auto extent) { return extent < 0; })) refuse(option, text, "of extents of 0 or more");
  return extents;
}

std::vector<std::int64_t> grid_of(std::string_view option, std::string_view text) {
  char const separator = text.find('x') == std::string_view::npos ? ',' : 'x';
  return numbers_of(text, {option, separator, "an x or commas between them, e.g. 8x16"});
}

}  // namespace cornerturn::cli
