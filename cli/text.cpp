#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cornerturn::cli {

std::string in_lines(std::vector<std::string> const& names) {
  constexpr std::size_t kWidth = 54;
  std::string text, line;
  for (auto const& name : names) {
    if (line.size() + name.size() > kWidth) text += std::exchange(line, "") + "\n";
    line += (line.empty() ? "" : " ") + name + (name == names.back() ? "" : ",");
  }
  return text + line;
}

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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

}  // namespace cornerturn::cli
