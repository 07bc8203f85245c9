#include "cornerturn/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cornerturn {

std::string count_text(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string decimal(double value) {
  auto const text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 80;
  std::string result;
  while (text.size() > kWidth - indent) {
    auto const end = std::min(text.rfind(' ', kWidth - indent), text.size());
    result += fmt::format("{}\n{:{}}", text.substr(0, end), "", indent);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result.append(text);
}

}  // namespace cornerturn
