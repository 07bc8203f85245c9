#include "lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cornerturn/error.hpp"

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

std::vector<std::int64_t> numbers_of(std::string_view text, notation const& as) {
  std::vector<std::int64_t> numbers;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view const item = rest.substr(0, rest.find(as.separator)), digits = trimmed(item);
    std::int64_t number = 0;
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    bool const last = item.size() == rest.size(), hanging = item.size() + 1 == rest.size();
    if (problem != std::errc() || end != digits.data() + digits.size() || hanging) {
      throw error(error_kind::argument, fmt::format("{} is '{}'; it must be whole numbers with {}", as.name, text, as.described));
    }
    numbers.push_back(number);
    rest.remove_prefix(last ? item.size() : item.size() + 1);
  }
  return numbers;
}

}  // namespace

std::vector<std::int64_t> axes_of(std::string_view text) {
  return numbers_of(text, {"--axes", ',', "commas between them, e.g. 2,0,1"});
}

std::vector<std::int64_t> shape_of(std::string_view text) {
  char const separator = text.find('x') == std::string_view::npos ? ',' : 'x';
  return numbers_of(text, {"shape", separator, "an x or commas between them, e.g. 256x224x224x3"});
}

}  // namespace cornerturn::cli
